"""Bots fork their workers (`bot.worker`) from the fork server, where they would start an interpreter.

With ``LABMATE_EXEC`` in a bot's environment it starts interpreters.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from tests.helpers.forking import CAN_FORK, Forked

_execute = asyncio.create_subprocess_exec


class ForkedWorker:
    """A forked process with the parts of `asyncio.subprocess.Process` that `bot.worker` uses."""

    def __init__(self, process: Forked) -> None:
        self._process = process
        self.pid, self.kill, self.terminate = process.pid, process.kill, process.terminate
        self.send_signal = process.send_signal
        self._over = asyncio.create_task(self._wait())

    @classmethod
    async def begin(cls, arguments: list[str], limit: int) -> ForkedWorker:
        process = Forked(
            arguments,
            env=os.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            folder=Path.cwd(),
            nice=19,
        )
        worker = cls(process)
        worker.stdout = await reader(process.stdout, limit)
        worker.stderr = await reader(process.stderr, limit)
        return worker

    @property
    def returncode(self) -> int | None:
        return self._process.poll()

    async def _wait(self) -> int:
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process)
        return self._process.wait()

    async def wait(self) -> int:
        return await asyncio.shield(self._over)


async def reader(stream: IO[bytes], limit: int = 1 << 20) -> asyncio.StreamReader:
    """What a process says, for the event loop to read."""
    lines = asyncio.StreamReader(limit)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), stream)
    return lines


async def _fork_or_execute(*command: str, **options: Any) -> Any:
    """Fork Labmate's own workers; start anything else as ever."""
    worker = ("nice", "-n", "19", sys.executable, "-m", "bot")
    if command[: len(worker)] != worker or "LABMATE_EXEC" in os.environ:
        return await _execute(*command, **options)
    return await ForkedWorker.begin([*command[len(worker) :]], options["limit"])


def fork_workers() -> None:
    """Let the bots of this process fork their workers."""
    if CAN_FORK:
        asyncio.create_subprocess_exec = _fork_or_execute
