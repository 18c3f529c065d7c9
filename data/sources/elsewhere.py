"""Reading a long file in a process of its own: unpacking and checking records then costs this one little."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from data.records import PaperRecord, Rejected
from data.sources.files import PaperFile
from data.sources.http import SourceError

_AT_ONCE = 500
Line = tuple[int, PaperRecord | Rejected]


class SideWork(NamedTuple):
    """What the other process computes from records, so that this one needn't.

    Attributes
    ----------
    compute
        Called in the other process with some records; it must be picklable, and so must what it gives.
    receive
        Called in this one with the lines of these records and with that, before the records come.
    """

    compute: Callable[[Sequence[PaperRecord]], Any]
    receive: Callable[[Sequence[int], Any], None]


class ReadElsewhere:
    """A file's records, as iterating over the file gives them, with their keys computed.

    Parameters
    ----------
    make
        Opens the file; the other process calls it, so it must be picklable.
    side_work
        What else it computes.

    Attributes
    ----------
    lines, position
        As the file's, as far as its records came here.

    Raises
    ------
    SourceError
        As the file does; also where the other process ends early.
    """

    def __init__(self, make: Callable[[], PaperFile], side_work: SideWork | None = None) -> None:
        self._make = make
        self._side_work = side_work
        self.lines = self.position = 0

    def __iter__(self) -> Iterator[Line]:
        """(line number from 0, record or refusal)."""
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe(duplex=False)
        compute = self._side_work.compute if self._side_work else None
        reader = context.Process(target=_send, args=(self._make, compute, there), name="reading", daemon=True)
        reader.start()
        there.close()  # so that the end of the other process is heard
        try:
            while (got := _receive(here)) is not None:
                records, computed, self.lines, self.position = got
                if self._side_work:
                    lines = [line for line, item in records if isinstance(item, PaperRecord)]
                    self._side_work.receive(lines, computed)
                yield from records
        finally:
            reader.kill()
            reader.join()
            here.close()


def _receive(here: Connection) -> tuple[list[Line], Any, int, int] | None:
    try:
        got = pickle.loads(here.recv_bytes())
    except (EOFError, OSError) as error:  # an OSError in the middle of a message
        raise SourceError(
            "The process that read the file has ended early; is there too little memory? Run the command "
            "again: it goes on where this one stopped."
        ) from error
    if isinstance(got, SourceError):
        raise got
    return got  # type: ignore[no-any-return]


def _send(
    make: Callable[[], PaperFile],
    compute: Callable[[Sequence[PaperRecord]], Any] | None,
    there: Connection,
) -> None:
    """In the other process: read, and send what was read."""

    def send(file: PaperFile) -> None:
        records = [item for _, item in some if isinstance(item, PaperRecord)]
        for record in records:
            record.compute_keys()
        computed = compute(records) if compute else None
        there.send_bytes(pickle.dumps((some, computed, file.lines, file.position)))

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for the one that writes
    some: list[Line] = []
    torn: SourceError | None = None
    with contextlib.suppress(BrokenPipeError):  # the one that writes has ended
        file = None
        try:
            file = make()
            for line in file:
                some.append(line)
                if len(some) == _AT_ONCE:
                    send(file)
                    some = []
        except SourceError as error:
            torn = error
        if file is not None:  # the records before a tear are good
            send(file)
        there.send_bytes(pickle.dumps(torn))
