"""A Labmate in a process of its own, to be asked, signalled and killed.

A new interpreter spends about eight seconds of CPU on imports, so processes are forked from one that has done
them (`tests.helpers.fork_server`). ``LABMATE_EXEC=1``, or a system without pidfd, starts new interpreters
instead. With ``LABMATE_EXEC=1`` in the environment of a forked bot, only its workers are new interpreters.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.local_discord.server import LocalDiscord
from tests.helpers import databases
from tests.helpers.forking import CAN_FORK, Forked
from tests.helpers.paths import ROOT
from tests.helpers.sample import lay_sample

PATIENCE = 240
"""Seconds until a process counts as stuck, on a machine that is busy with other things."""


def environment(discord: LocalDiscord, folder: Path) -> dict[str, str]:
    return (
        os.environ
        | databases.environment(folder)
        | {
            "DISCORD_TOKEN": discord.bot_token,
            "DISCORD_API_URL": discord.api_url,
            "DISCORD_GATEWAY_URL": discord.gateway_url,
            "LABMATE_DATA": str(folder),
            "LABMATE_FETCH": "false",
        }
    )


def without_discord(folder: Path) -> dict[str, str]:
    """The environment of a command that a user types in a terminal."""
    here = os.environ | databases.environment(folder)
    here |= {"LABMATE_DATA": str(folder), "LABMATE_FETCH": "false", "COLUMNS": "200"}
    here.pop("DISCORD_TOKEN", None)
    return here


Process = Forked | subprocess.Popen


def begin(
    *arguments: str,
    env: Mapping[str, str],
    stdin: Any = subprocess.DEVNULL,
    stdout: Any = subprocess.PIPE,
    stderr: Any = subprocess.STDOUT,
    umask: int = -1,
    cwd: Path = ROOT,
    module: str = "bot",
) -> Process:
    """Start `python -m bot`, or another module, with these arguments."""
    streams = {"stdin": stdin, "stdout": stdout, "stderr": stderr}
    if CAN_FORK:
        return Forked([*arguments], env=env, umask=umask, folder=cwd, module=module, **streams)
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, cwd=cwd, env={"PYTHONPATH": str(ROOT)} | env, umask=umask, **streams)


def start(discord: LocalDiscord, folder: Path, *, fresh: bool = False, **more: str) -> Process:
    """`python -m bot run`, over a folder that knows the sample already, unless it is to be ``fresh``."""
    if not fresh:
        lay_sample(folder)
    return begin("run", env=environment(discord, folder) | more)


def run(
    *arguments: str,
    folder: Path,
    stdin: str = "",
    umask: int = -1,
    fresh: bool = False,
    cwd: Path = ROOT,
    **more: str,
) -> subprocess.CompletedProcess:
    """A command as a user types it: what it said and how it ended."""
    if not fresh:
        lay_sample(folder)
    pipe = subprocess.PIPE
    env = without_discord(folder) | more
    process = begin(*arguments, env=env, stdin=pipe, stdout=pipe, stderr=pipe, umask=umask, cwd=cwd)
    try:
        out, error = process.communicate(stdin.encode(), timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return subprocess.CompletedProcess(list(arguments), process.returncode, out.decode(), error.decode())


async def said(process: Process, words: bytes) -> bytes:
    """Read on until a line has these words; returns what was read."""
    read = b""
    while line := await asyncio.to_thread(process.stdout.readline):
        read += line
        if words in line:
            return read
    pytest.fail(f"the process ended without saying {words!r}: {read.decode(errors='replace')}")


async def logged_in(process: Process) -> None:
    await said(process, b"Logged in as labmate")


class Awaited:
    """A process as an event loop meets it: reading and waiting leave the loop to others."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pid, self.kill, self.send_signal = process.pid, process.kill, process.send_signal

    @property
    def returncode(self) -> int | None:
        return self._process.poll()

    def write(self, typed: bytes) -> None:
        self._process.stdin.write(typed)
        self._process.stdin.flush()

    async def lines(self) -> AsyncIterator[bytes]:
        """What it says, a line at a time, until it ends or has said nothing for very long."""
        while line := await asyncio.wait_for(asyncio.to_thread(self._process.stdout.readline), PATIENCE):
            yield line

    async def wait(self) -> int:
        return await asyncio.to_thread(self._process.wait, PATIENCE)

    async def communicate(self, typed: bytes = b"") -> bytes:
        """Type, and wait for the end; returns what it said since."""
        out, _ = await asyncio.to_thread(self._process.communicate, typed, PATIENCE)
        return out


def awaited(*arguments: str, env: Mapping[str, str] = os.environ, module: str = "bot") -> Awaited:
    """Start `python -m bot`, or another module, with these arguments, its errors among what it says."""
    return Awaited(begin(*arguments, env=env, stdin=subprocess.PIPE, module=module))
