"""A Labmate in a process of its own, to be asked, signalled and killed.

A new interpreter spends about eight seconds of CPU on imports, so processes are forked from one that has done
them (`tests.helpers.fork_server`). ``LABMATE_EXEC=1``, or a system without pidfd, starts new interpreters
instead.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

import pytest

from bot.local_discord.server import LocalDiscord
from tests.helpers.paths import ROOT
from tests.helpers.sample import lay_sample

PATIENCE = 240
"""Seconds until a process counts as stuck, on a machine that is busy with other things."""
CAN_FORK = hasattr(os, "pidfd_open") and sys.platform == "linux" and not os.environ.get("LABMATE_EXEC")
FORKED = [0.0]
"""Seconds of CPU that forked processes have used; they are not this process's children."""


def environment(discord: LocalDiscord, folder: Path) -> dict[str, str]:
    return os.environ | {
        "DISCORD_TOKEN": discord.bot_token,
        "DISCORD_API_URL": discord.api_url,
        "DISCORD_GATEWAY_URL": discord.gateway_url,
        "LABMATE_DATA": str(folder),
        "LABMATE_FETCH": "false",
    }


def without_discord(folder: Path) -> dict[str, str]:
    """The environment of a command that a user types in a terminal."""
    here = os.environ | {"LABMATE_DATA": str(folder), "LABMATE_FETCH": "false", "COLUMNS": "200"}
    here.pop("DISCORD_TOKEN", None)
    return here


@cache
def _server() -> str:
    """The socket of the fork server, which ends with this process."""
    folder = tempfile.TemporaryDirectory(prefix="labmate-fork-")
    address = f"{folder.name}/s"
    here = os.environ | {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.helpers.fork_server", address],
        cwd=ROOT,
        env=here,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )

    def end() -> None:
        process.stdin.close()
        process.wait()
        process.stdout.close()
        folder.cleanup()

    atexit.register(end)
    assert process.stdout.readline() == b"ready\n"
    return address


class Forked:
    """A process forked by the fork server, with the parts of `subprocess.Popen` that tests use."""

    def __init__(
        self, arguments: list[str], env: dict[str, str], stdin: Any, stdout: Any, stderr: Any, umask: int
    ):
        self.args, self.returncode = arguments, None
        self.stdin: IO[bytes] | None = None
        self.stdout: IO[bytes] | None = None
        self.stderr: IO[bytes] | None = None
        self._lock, self._told = threading.Lock(), b""
        theirs: list[int] = []
        with open(os.devnull, "r+b", buffering=0) as null:
            for name, wished in (("stdin", stdin), ("stdout", stdout), ("stderr", stderr)):
                if wished == subprocess.PIPE:
                    reading, writing = os.pipe()
                    if name == "stdin":
                        reading, writing = writing, reading  # the end that is ours comes first
                    setattr(self, name, open(reading, "wb" if name == "stdin" else "rb"))
                    theirs.append(writing)
                elif wished == subprocess.STDOUT:
                    theirs.append(os.dup(theirs[1]))
                else:
                    assert wished == subprocess.DEVNULL
                    theirs.append(os.dup(null.fileno()))
        asked = {"arguments": arguments, "environment": env, "folder": str(ROOT), "umask": umask}
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._line.connect(_server())
        socket.send_fds(self._line, [json.dumps(asked).encode()], theirs)
        for file in theirs:
            os.close(file)
        self.pid = int(self._read_line(None))

    def _read_line(self, timeout: float | None) -> bytes:
        while b"\n" not in self._told:
            if not select.select([self._line], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            more = self._line.recv(1024)
            assert more, "the fork server has ended"
            self._told += more
        line, _, self._told = self._told.partition(b"\n")
        return line

    def wait(self, timeout: float | None = None) -> int:
        with self._lock:
            if self.returncode is None:
                ended = json.loads(self._read_line(timeout))
                self._line.close()
                FORKED[0] += ended["seconds"]
                self.returncode = ended["status"]
            return self.returncode

    def poll(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def communicate(
        self, stdin: bytes = b"", timeout: float | None = None
    ) -> tuple[bytes | None, bytes | None]:
        """Write, read to the end, wait; after a timeout the process still runs."""
        read: dict[str, bytes] = {}

        def reading(name: str, stream: IO[bytes]) -> None:
            read[name] = stream.read()

        threads = [
            threading.Thread(target=reading, args=(name, stream), daemon=True)
            for name in ("stdout", "stderr")
            if (stream := getattr(self, name)) and not stream.closed
        ]
        for thread in threads:
            thread.start()
        if self.stdin and not self.stdin.closed:
            with suppress(BrokenPipeError):
                self.stdin.write(stdin)
                self.stdin.close()
        self.wait(timeout)
        for thread in threads:
            thread.join(timeout)
        for stream in (self.stdout, self.stderr):
            if stream:
                stream.close()
        return read.get("stdout"), read.get("stderr")


Process = Forked | subprocess.Popen


def begin(
    *arguments: str,
    env: dict[str, str],
    stdin: Any = subprocess.DEVNULL,
    stdout: Any = subprocess.PIPE,
    stderr: Any = subprocess.STDOUT,
    umask: int = -1,
) -> Process:
    """Start `python -m bot` with these arguments."""
    if CAN_FORK:
        return Forked([*arguments], env, stdin, stdout, stderr, umask)
    return subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments],
        cwd=ROOT,
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        umask=umask,
    )


def start(discord: LocalDiscord, folder: Path, *, fresh: bool = False, **more: str) -> Process:
    """`python -m bot run`, over a folder that knows the sample already, unless it is to be ``fresh``."""
    if not fresh:
        lay_sample(folder)
    return begin("run", env=environment(discord, folder) | more)


def run(
    *arguments: str, folder: Path, stdin: str = "", umask: int = -1, fresh: bool = False, **more: str
) -> subprocess.CompletedProcess:
    """A command as a user types it: what it said and how it ended."""
    if not fresh:
        lay_sample(folder)
    pipe = subprocess.PIPE
    process = begin(
        *arguments, env=without_discord(folder) | more, stdin=pipe, stdout=pipe, stderr=pipe, umask=umask
    )
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


def awaited(*arguments: str, env: dict[str, str]) -> Awaited:
    """Start `python -m bot` with these arguments, its errors among what it says."""
    return Awaited(begin(*arguments, env=env, stdin=subprocess.PIPE))
