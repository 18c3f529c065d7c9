"""Long work in its own process: start it at low priority, follow its events, stop it, log why it failed."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
from collections import Counter, deque
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from bot.ending import CHILDREN

log = logging.getLogger("labmate")
KEPT_LINES = 30
"""How many last lines of a worker's error output to log if it fails."""
_LONGEST_LINE = 2_000
GRACE = 2.0
"""Seconds for a worker to end after being told to."""


class RunOutcome(StrEnum):
    """How a worker ended."""

    DONE = "done"
    BUSY = "busy"
    """Another process holds the write lock or the database."""
    UNREACHABLE = "unreachable"
    """The source can't be read."""
    FAILED = "failed"
    """Anything else, such as a kill."""


class Worker:
    """Runs `python -m bot COMMAND --events`, one at a time.

    Parameters
    ----------
    heard
        Called with each event (`step`, `say`) except a final error.
    failed
        Called with an outcome other than :attr:`RunOutcome.DONE` and with the worker's own message.
    """

    def __init__(
        self, heard: Callable[[dict[str, Any]], None], failed: Callable[[RunOutcome, str], None]
    ) -> None:
        self._heard = heard
        self._failed = failed
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self.outcomes: Counter[tuple[str, RunOutcome]] = Counter()
        """How often each command ended with each outcome, since the start."""

    async def run(self, *command: str) -> RunOutcome:
        """Run a command of Labmate until it ends."""
        self._process = process = await asyncio.create_subprocess_exec(
            *("nice", "-n", "19", sys.executable, "-m", "bot", *command, "--events"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            stdin=asyncio.subprocess.DEVNULL,
            limit=1 << 20,
        )
        CHILDREN.add(process.kill)
        last: deque[str] = deque(maxlen=KEPT_LINES)
        try:
            _, error = await asyncio.gather(self._errors(process, command[0], last), self._events(process))
            status = await process.wait()
        finally:
            if process.returncode is not None:
                CHILDREN.discard(process.kill)
        outcome = RunOutcome.DONE if status == 0 else _kind(error)
        if self._stopping:
            return outcome
        self.outcomes[command[0], outcome] += 1
        if outcome is not RunOutcome.DONE:
            message = str(error.get("error", ""))
            if outcome is RunOutcome.FAILED:
                log.error(
                    "the worker `%s` %s%s%s",
                    *(command[0], _ended(status), f": {message}" if message else "", _last_lines(last)),
                )
            self._failed(outcome, message)
        return outcome

    async def stop(self) -> None:
        """Stop the worker; the next start finishes its work."""
        self._stopping = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(GRACE):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
        CHILDREN.discard(process.kill)

    async def _events(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        """Pass events on; returns the error event, or an empty one."""
        assert process.stdout is not None
        error: dict[str, Any] = {}
        async for line in process.stdout:
            try:
                event = json.loads(line)
                if "error" in event:
                    error = event
                else:
                    self._heard(event)
            except (ValueError, TypeError):
                log.warning("the worker said: %s", line[:200].decode("utf-8", "replace"))
        return error

    @staticmethod
    async def _errors(process: asyncio.subprocess.Process, command: str, last: deque[str]) -> None:
        """Log what the worker logs, and keep its other output in case it fails."""
        assert process.stderr is not None
        while True:
            try:
                line = await process.stderr.readline()
            except ValueError:  # longer than any useful line
                continue
            if not line:
                return
            text = line.decode("utf-8", "replace").rstrip()[:_LONGEST_LINE]
            try:
                entry = json.loads(text)
                level = logging.getLevelNamesMapping()[entry["level"]]
                message = "\n".join(filter(None, (entry["message"], entry.get("exception"))))
            except (ValueError, TypeError, KeyError):
                last.append(text)
            else:
                log.log(level, "worker %s: %s", command, message)


def _kind(error: dict[str, Any]) -> RunOutcome:
    try:
        return RunOutcome(error["kind"])
    except (KeyError, ValueError):
        return RunOutcome.FAILED


def _ended(status: int) -> str:
    """``was killed (SIGKILL)``, or ``ended with status 1``."""
    if status < 0:
        try:
            return f"was killed ({signal.Signals(-status).name})"
        except ValueError:
            return f"was killed (signal {-status})"
    return f"ended with status {status}"


def _last_lines(last: deque[str]) -> str:
    return "; its last lines:\n  " + "\n  ".join(last) if last else ""
