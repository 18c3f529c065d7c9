"""Work on the machines of a Ray cluster, from the one process that keeps the results.

With ``RAY_ADDRESS``, the same functions run there as here. Where Ray is missing, can't be reached, or goes
away meanwhile, :class:`NoTeamError` says so, and the caller does what is left by itself.
"""

from __future__ import annotations

import logging
import pickle
import secrets
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import index
from index.batch.driver import Job
from index.batch.shipping import Manifest
from index.batch.work import NoWork, Release, SharedWork

log = logging.getLogger("labmate")
START = 60.0
"""Seconds for Ray to connect."""
_ENDING = 15.0
_ROOT = Path(str(index.__path__[0])).parent
_RUN = "from index.batch.driver import main; main()"


class NoTeamError(RuntimeError):
    """Ray does not do the work, or does it no more; the message says why."""


class Team:
    """Workers on a Ray cluster, as a context.

    Parameters
    ----------
    address
        ``auto``, ``host:port`` or ``ray://host:port``.
    """

    def __init__(self, address: str, work: SharedWork) -> None:
        self._address, self._work = address, work
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self.workers, self.nodes = 0, 0

    def open(self) -> None:
        """Find the workers, which takes seconds; they load what they need meanwhile.

        Raises
        ------
        NoTeamError
            If there are none.
        """
        if find_spec("ray") is None:
            raise NoTeamError(
                f"RAY_ADDRESS={self._address}: this needs the package ray. "
                'Install it: python -m pip install -c constraints.txt -e ".[ray]"'
            )
        ours, theirs = Pipe()
        # Workers on this machine import from the driver's working folder, so they get this Labmate.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(theirs.fileno())],
            cwd=_ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self._pipe = ours
        work = self._work
        try:
            files = Manifest.of(secrets.token_hex(8), work.files())
        except OSError as error:
            raise NoTeamError(f"Ray is not asked, since a file can't be read: {error}.") from error
        self._send(Job(self._address, pickle.dumps(work), work.wants, files, Release.here()))
        if not ours.poll(START):
            raise self._gone(f"did not answer for {START:.0f} s")
        self._next()

    def give(self, number: int, piece: Any) -> None:
        """Have a piece of the work done.

        Raises
        ------
        NoTeamError
            If Ray is gone.
        """
        self._send((number, pickle.dumps(piece)))

    def take(self) -> tuple[int, Any]:
        """The number and the result of a piece, as soon as one is done.

        Raises
        ------
        NoTeamError
            If Ray is gone. What was given and not taken is not done.
        """
        while True:
            said = self._next()
            if said is not None:
                return said

    def each(self, pieces: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        """The result of each piece, as soon as it is there; so many at a time that no worker waits."""
        waiting, given = iter(pieces), 0
        while True:
            while given < 2 * self.workers and (piece := next(waiting, None)) is not None:
                self.give(*piece)
                given += 1
            if not given:
                return
            yield self.take()
            given -= 1

    def close(self, *, at_once: bool = False) -> None:
        """Let the workers go; ``at_once`` leaves files that were sent to other machines for the next pass."""
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if process is None or pipe is None:
            return
        try:
            if not at_once:
                pipe.send(None)
                process.wait(_ENDING)
        except (OSError, subprocess.TimeoutExpired):
            pass
        process.kill()
        process.wait()
        pipe.close()

    def __enter__(self) -> Self:
        try:
            self.open()
        except BaseException:
            self.close(at_once=True)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(at_once=kind is not None)

    def _next(self) -> tuple[int, Any] | None:
        """What the driver says next: a result, or None for what only needs a note."""
        assert self._pipe is not None
        try:
            kind, *said = self._pipe.recv()
        except (EOFError, OSError):
            raise self._gone("can't be reached any more") from None
        if kind == "gone":
            raise self._gone(str(said[0]))
        if kind == "done":
            return said[0], pickle.loads(said[1])
        if kind == "begun":
            self.workers, self.nodes = said
            log.info("Ray at %s: workers: %d, nodes: %d", self._address, self.workers, self.nodes)
        else:
            log.warning("Ray at %s: %s", self._address, said[0])
        return None

    def _send(self, said: object) -> None:
        assert self._pipe is not None
        try:
            self._pipe.send(said)
        except OSError:
            while self._pipe.poll():  # the driver has said why before it ended
                self._next()
            raise self._gone("can't be reached any more") from None

    def _gone(self, why: str) -> NoTeamError:
        return NoTeamError(f"Ray at {self._address} {why}.")


def tried(address: str) -> tuple[int, int]:
    """How many workers on how many nodes a cluster has for Labmate, once one of them has answered.

    Raises
    ------
    NoTeamError
        If none does.
    """
    with Team(address, NoWork()) as team:
        team.give(0, None)
        team.take()
        return team.workers, team.nodes
