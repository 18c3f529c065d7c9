"""Shutting down: on a signal or a failure, close everything in order and end within ten seconds."""

from __future__ import annotations

import asyncio
import faulthandler
import logging
import multiprocessing
import os
import re
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any

log = logging.getLogger("labmate")
IN_ORDER = 3.0
"""Seconds to close everything in order, counted from the signal; a busy machine hears it late."""
FOR_THREADS = 0.5
"""Seconds for threads still at work after everything else is closed: loading the model can't be cancelled."""
STUCK = 70
"""Exit status of a process whose event loop hung (EX_SOFTWARE of sysexits.h)."""
TOLD_AFTER, ENDED_AFTER = 20, 120
"""Seconds of a hanging event loop until the log says where, and until the process ends."""


class Ending:
    """How a long-running process shuts down.

    SIGTERM or SIGINT cancels the work, whose ``finally`` clauses close what is open; a second signal does not
    wait for them. A thread counts the seconds, so a hang can't keep the process alive.
    """

    def __init__(self, *, in_order: float = IN_ORDER, for_threads: float = FOR_THREADS) -> None:
        self._in_order = in_order
        self._for_threads = for_threads
        self._status = 0
        self._asked = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[Any] | None = None
        self._ends = float("inf")
        self._counting: threading.Thread | None = None

    def listen(self, *signals: signal.Signals) -> None:
        """Handle these signals from now on. Call it in the main thread, before the event loop starts."""
        for name in signals:
            signal.signal(name, self._signalled)
        # Python calls a handler only when its main thread returns from a computation, which can take seconds
        # on a busy machine. The wake-up byte is written at once, so a thread of its own can start counting.
        reader, writer = socket.socketpair()
        writer.setblocking(False)
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        self._heard = (reader, writer)
        threading.Thread(target=self._hear, args=(reader, set(signals)), name="signals", daemon=True).start()

    def _hear(self, reader: socket.socket, signals: set[signal.Signals]) -> None:
        while heard := reader.recv(16):
            if signals & set(heard):
                self._within(self._in_order)
                return

    def _signalled(self, number: int, _frame: FrameType | None) -> None:
        if self._asked:
            leave(128 + number)
        self._asked = True
        self._within(self._in_order)
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    async def watch(self, work: Coroutine[Any, Any, int | None]) -> int:
        """Run the work; returns the exit status, which is 0 if a signal ended it."""
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if self._asked:
            work.close()
            return 0
        try:
            self._status = await work or 0
        except asyncio.CancelledError:
            if not self._asked:
                raise
            log.info("stopped as asked")
        except BaseException as error:
            self._status = getattr(error, "status", 1)
            raise
        finally:
            self._task = None
            self._within(self._for_threads)
        return self._status

    def failed(self, status: int) -> None:
        """End with this status, even if closing takes too long."""
        self._status = status
        self._within(self._in_order)

    def _within(self, seconds: float) -> None:
        self._ends = min(self._ends, time.monotonic() + seconds)
        if self._counting is None:
            self._counting = threading.Thread(target=self._count, name="ending", daemon=True)
            self._counting.start()

    def _count(self) -> None:
        while (left := self._ends - time.monotonic()) > 0:
            time.sleep(min(left, 0.1))
        leave(self._status)


CHILDREN: set[Callable[[], None]] = set()
"""A kill function for each child process that would outlive this one."""


def leave(status: int) -> None:
    """End now, child processes included. Nothing is lost: all data is written in transactions."""
    for kill in list(CHILDREN):
        try:
            kill()
        except OSError:  # it ended already
            continue
    for child in multiprocessing.active_children():
        child.kill()
    # A hanging thread may hold the lock of a stream.
    flushing = threading.Thread(target=_flush, daemon=True)
    flushing.start()
    flushing.join(0.3)
    os._exit(status)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


class Watchdog:
    """Notices when the event loop hangs, so that nobody is answered and no signal is heard.

    It counts seconds itself, so it does not mistake a machine that slept for a loop that hangs.
    """

    def __init__(
        self,
        *,
        told_after: int = TOLD_AFTER,
        ended_after: int = ENDED_AFTER,
        second: float = 1.0,
        end: Callable[[int], None] = leave,
    ) -> None:
        self._told_after = told_after
        self._ended_after = ended_after
        self._second = second
        self._end = end
        self._still = 0
        self._stopped = threading.Event()
        self._loop_thread = threading.get_ident()

    async def __aenter__(self) -> Watchdog:
        self._loop_thread = threading.get_ident()
        self._beating = asyncio.create_task(self._beat())
        threading.Thread(target=self._look, name="watchdog", daemon=True).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopped.set()
        self._beating.cancel()
        await asyncio.gather(self._beating, return_exceptions=True)

    async def _beat(self) -> None:
        while True:
            self._still = 0
            await asyncio.sleep(self._second / 2)

    def _look(self) -> None:
        while not self._stopped.wait(self._second):
            self._still += 1
            if self._still == self._told_after:
                log.warning("the event loop has hung for %d s, here:\n%s", self._still, self._where())
            elif self._still >= self._ended_after:
                log.critical(
                    "the event loop has hung for %d s. Labmate stops now, so that it can be started again. "
                    "It hung here:\n%s",
                    *(self._still, self._where()),
                )
                self._end(STUCK)

    def _where(self) -> str:
        # Not sys._current_frames, within which a garbage collection can stop the process (bot/heartbeat.py).
        try:
            with tempfile.TemporaryFile("w+", errors="replace") as file:
                faulthandler.dump_traceback(file)
                file.seek(0)
                threads = file.read().split("\n\n")
        except OSError as error:  # no folder for it; the process ends all the same
            return f"(unknown: {error})"
        of_loop = re.compile(rf"(Current t|T)hread 0x0*{self._loop_thread:x} ")
        return next((text.rstrip() for text in threads if of_loop.match(text)), "(unknown)")
