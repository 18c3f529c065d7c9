"""A Labmate in a process of its own, to be killed."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.local_discord.server import LocalDiscord
from tests.conftest import ROOT


def environment(discord: LocalDiscord, folder: Path) -> dict[str, str]:
    return os.environ | {
        "DISCORD_TOKEN": discord.bot_token,
        "DISCORD_API_URL": discord.api_url,
        "DISCORD_GATEWAY_URL": discord.gateway_url,
        "LABMATE_DATA": str(folder),
        "LABMATE_FETCH": "false",
    }


def start(discord: LocalDiscord, folder: Path, **more: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "bot", "run"],
        cwd=ROOT,
        env=environment(discord, folder) | more,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )


async def logged_in(process: subprocess.Popen) -> None:
    while line := await asyncio.to_thread(process.stdout.readline):
        if b"Logged in as labmate" in line:
            return
    pytest.fail("the bot ended before it was logged in")
