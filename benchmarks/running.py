"""A Labmate in a process of its own, and how long it takes to answer."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil

from benchmarks.data import ROOT
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord

WARM = 5
"""Questions before the clock counts."""


def start(
    discord: LocalDiscord, folder: Path, *, pictures: bool = True, **settings: str
) -> subprocess.Popen[bytes]:
    """Start Labmate in a process of its own, as `make run` with a token does, without limits by default."""
    environment = os.environ | {
        "DISCORD_TOKEN": discord.bot_token,
        "DISCORD_API_URL": discord.api_url,
        "LABMATE_DATA": str(folder),
        "LABMATE_FETCH": "false",
        "DISCORD_OPENAPI": "",
        "LABMATE_PICTURES": str(pictures).lower(),
        "LABMATE_LIMITS": "false",
        **settings,
    }
    return subprocess.Popen(
        [sys.executable, "-m", "bot", "run"], cwd=ROOT, env=environment, stdout=subprocess.PIPE
    )


async def logged_in(process: subprocess.Popen[bytes]) -> None:
    """Wait until a Labmate is logged in.

    Raises
    ------
    RuntimeError
        If it ends before.
    """
    assert process.stdout is not None
    while b"Logged in" not in (line := await asyncio.to_thread(process.stdout.readline)):
        if not line:
            raise RuntimeError("Labmate ended before it was logged in; its log says why.")


def resident(process: subprocess.Popen[bytes]) -> float:
    """Resident MB of a process and its children; shared memory counts once."""
    root = psutil.Process(process.pid)
    everyone = [root, *root.children(recursive=True)]
    return sum(member.memory_full_info().pss for member in everyone) / 1e6


def settle_client() -> None:
    """Keep this process's own garbage collection out of the measured times."""
    gc.collect()
    gc.freeze()


async def timed(user: UserClient, commands: list[str]) -> list[float]:
    settle_client()
    times = []
    for place, command in enumerate(commands):
        begun = time.perf_counter()
        await user.slash(command)
        if place >= WARM:
            times.append(time.perf_counter() - begun)
    return times
