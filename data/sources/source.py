"""Further sources of papers: the interface of a source, and the registry of names."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable
from datetime import date
from pathlib import Path

from data.records import Deletion, PaperRecord, Rejected
from data.sources.http import PoliteClient, SourceError

Read = Callable[[PoliteClient, date], AsyncIterator[PaperRecord | Deletion | Rejected]]
"""Reads everything that is new or changed since a day, through a polite client.

It yields a :class:`Rejected` for an entry that can't become a record, and raises :class:`SourceError`
where the source can't be read; entries read before stay.
"""

_ENDING = "_source"
"""The end of the name of a source's module."""
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
        module = f"data.sources.{name}{_ENDING}"
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise SourceError(f"The source {name} needs the package {error.name}.") from error
    if name not in _SOURCES:
        known = ", ".join(known_sources()) or "none"
        raise SourceError(
            f"There is no source called {name[:40]!r}. Sources that were added here: {known}. To read arXiv, "
            "use `python -m bot ingest recent`; to add a source of your own, see docs/extend.md."
        )
    return _SOURCES[name]


def known_sources() -> list[str]:
    """The names of all sources, in order: those registered, and those that a file here would register."""
    files = Path(__file__).parent.glob(f"*{_ENDING}.py")
    return sorted({*_SOURCES, *(file.stem.removesuffix(_ENDING) for file in files)})
