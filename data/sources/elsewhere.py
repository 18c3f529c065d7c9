"""Reading a long file in a process of its own: unpacking and checking records then costs this one little."""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection

from data.records import PaperRecord, Rejected
from data.sources.files import PaperFile
from data.sources.http import SourceError

_AT_ONCE = 500
Line = tuple[int, PaperRecord | Rejected]


class ReadElsewhere:
    """A file's records, as iterating over the file gives them.

    Parameters
    ----------
    make
        Opens the file; the other process calls it, so it must be picklable.

    Attributes
    ----------
    lines, position
        As the file's, as far as its records came here.

    Raises
    ------
    SourceError
        As the file does; also where the other process ends early.
    """

    def __init__(self, make: Callable[[], PaperFile]) -> None:
        self._make = make
        self.lines = self.position = 0

    def __iter__(self) -> Iterator[Line]:
        """(line number from 0, record or refusal)."""
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe(duplex=False)
        reader = context.Process(target=_send, args=(self._make, there), name="reading", daemon=True)
        reader.start()
        there.close()  # so that the end of the other process is heard
        try:
            while (got := _receive(here)) is not None:
                records, self.lines, self.position = got
                yield from records
        finally:
            reader.kill()
            reader.join()
            here.close()


def _receive(here: Connection) -> tuple[list[Line], int, int] | None:
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


def _send(make: Callable[[], PaperFile], there: Connection) -> None:
    """In the other process: read, and send what was read."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for the one that writes
    some: list[Line] = []
    torn: SourceError | None = None
    with contextlib.suppress(BrokenPipeError):  # the one that writes has ended
        file = None
        try:
            file = make()
            for number, record in file:
                if isinstance(record, PaperRecord):
                    record.title_key, record.first_author  # noqa: B018 - what was computed is sent along
                some.append((number, record))
                if len(some) == _AT_ONCE:
                    there.send_bytes(pickle.dumps((some, file.lines, file.position)))
                    some = []
        except SourceError as error:
            torn = error
        if file is not None:  # the records before a tear are good
            there.send_bytes(pickle.dumps((some, file.lines, file.position)))
        there.send_bytes(pickle.dumps(torn))
