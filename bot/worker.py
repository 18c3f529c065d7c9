"""Long work in a process of its own: started at low priority, listened to, ended; its last words are kept."""

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
"""Last lines of a worker's error output that are logged where it fails."""
_LONGEST_LINE = 2_000
GRACE = 2.0
"""Seconds that a worker has to end when it is told to."""


class RunOutcome(StrEnum):
    """How a worker ended."""

    DONE = "done"
    BUSY = "busy"
    """Another process holds the right to write, or the database."""
    UNREACHABLE = "unreachable"
    """The source outside can't be read."""
    FAILED = "failed"
    """Anything else, such as being killed."""


class Worker:
    """Runs `python -m bot COMMAND --events`, one at a time.

    Parameters
    ----------
    heard
        Called with each event (`step`, `say`) but the error that ended it.
    failed
        Called with an outcome that is not :attr:`RunOutcome.DONE`, and with what the worker said of it.
    """

    def __init__(
        self, heard: Callable[[dict[str, Any]], None], failed: Callable[[RunOutcome, str], None]
    ) -> None:
        self._heard = heard
        self._failed = failed
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self.outcomes: Counter[tuple[str, RunOutcome]] = Counter()
        """How often each command ended how, since the start."""

    async def run(self, *command: str) -> RunOutcome:
        """Run a command of Labmate to its end."""
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
            said = str(error.get("error", ""))
            if outcome is RunOutcome.FAILED:
                log.error(
                    "the worker `%s` %s%s%s",
                    *(command[0], _ended(status), f": {said}" if said else "", _words(last)),
                )
            self._failed(outcome, said)
        return outcome

    async def stop(self) -> None:
        """End the worker; what it was doing, the next start completes."""
        self._stopping = True
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), GRACE)
        except TimeoutError:
            process.kill()
            await process.wait()
        CHILDREN.discard(process.kill)

    async def _events(self, process: asyncio.subprocess.Process) -> dict[str, Any]:
        """Pass events on; returns the one that names the error, if there was one."""
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
        """Log what the worker logs, and keep what else it says: it may be the last."""
        assert process.stderr is not None
        while True:
            try:
                line = await process.stderr.readline()
            except ValueError:  # longer than any line that says something
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


def _words(last: deque[str]) -> str:
    return "; its last words:\n  " + "\n  ".join(last) if last else ""
