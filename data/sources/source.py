"""Further sources of papers: the interface of a source, and the registry of names."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable
from datetime import date

from data.records import Deletion, PaperRecord, Rejected
from data.sources.http import PoliteClient, SourceError

Read = Callable[[PoliteClient, date], AsyncIterator[PaperRecord | Deletion | Rejected]]
"""Reads everything that is new or changed since a day, through a polite client.

It yields a :class:`Rejected` for an entry that can't become a record, and raises :class:`SourceError`
where the source can't be read; entries read before stay.
"""

_SOURCES: dict[str, Read] = {}


def register(name: str, read: Read) -> None:
    """Register a source under its name."""
    _SOURCES[name] = read


def source(name: str) -> Read:
    """The source with this name, which ``data/sources/NAME_source.py`` registers when imported.

    Raises
    ------
    SourceError
        Where there is none.
    """
    if name not in _SOURCES and name.isidentifier():
        module = f"data.sources.{name}_source"
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise SourceError(f"The source {name} needs the package {error.name}.") from error
    if name not in _SOURCES:
        raise SourceError(f"There is no source called {name[:40]!r}.")
    return _SOURCES[name]
