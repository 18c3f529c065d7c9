"""What a command may write to: never its own input, nor what Labmate keeps."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

from bot.settings import Settings
from data.database.engine import sqlite_path
from index.search.origin import DERIVED, FORMER_WORDS

_OWN = (
    *("labmate*.db*", "labmate.log*", "*.lock", "*.turn", "history", "local-discord.json", "made-from.json"),
    *("vectors", "word-index", FORMER_WORDS, "identity", "files", "backups", *DERIVED),
)
"""The names in LABMATE_DATA that Labmate uses."""
_BESIDE_DATABASE = ("", "-wal", "-shm", "-journal", ".lock")
_SQLITE = b"SQLite format 3\0"


def leave_if_unwritable(
    config: Settings, out: Path, inputs: Iterable[Path | None], *, folder: bool = False, option: str = "--out"
) -> None:
    """Print a line and exit with 2 if a command must not write there; called before its work begins.

    Parameters
    ----------
    inputs
        The files and folders that the command reads.
    folder
        Whether ``out`` is a folder.
    """
    wrong = _wrong(config, out, [path for path in inputs if path is not None], folder=folder)
    if wrong:
        print(f"{option}: {wrong}", file=sys.stderr)
        sys.exit(2)


def _wrong(config: Settings, out: Path, inputs: list[Path], *, folder: bool) -> str:
    """What is wrong with the place; empty if nothing is."""
    try:
        place = out.resolve()
        for path in inputs:
            given = path.resolve()
            if place == given or _is_same(place, given):
                return f"{out} is what the command reads. Name another file."
            if given.is_dir() and given in place.parents and not folder:
                return f"{out} is in the folder that the command reads. Name a file elsewhere."
        if _is_own(config, place):
            return f"{out} is for Labmate's own data. Name a file outside LABMATE_DATA."
        if folder and place.exists() and not place.is_dir():
            return f"{out} is a file, and a folder is needed. Name a folder."
        if not folder and place.is_dir():
            return f"{out} is a folder. Name a file, such as {out / 'out.txt'}."
        if not folder and place.is_file() and _is_database(place):
            return f"{out} is an SQLite database, so it is not replaced. Name another file."
        return _closed(out, place)
    except (OSError, ValueError, RuntimeError) as error:
        return f"{str(out)[:200]} can't be written ({getattr(error, 'strerror', None) or error})."


def _closed(out: Path, place: Path) -> str:
    """Why nothing can be written there."""
    if place.exists():
        return "" if os.access(place, os.W_OK) else f"{out} can't be written: this user may not."
    above = next(path for path in place.parents if path.exists())
    if not above.is_dir():
        return f"{out} can't be written: {above} is a file, not a folder."
    return "" if os.access(above, os.W_OK) else f"{out} can't be written: this user may not write to {above}."


def _is_own(config: Settings, place: Path) -> bool:
    data = config.labmate_data.resolve()
    if data in place.parents and any(fnmatch(place.relative_to(data).parts[0], name) for name in _OWN):
        return True
    if config.labmate_files and "://" not in config.labmate_files:
        files = Path(config.labmate_files).resolve()
        if files == place or files in place.parents:
            return True
    database = sqlite_path(config.database)
    if database is None:
        return False
    return any(
        place == beside or _is_same(place, beside)
        for beside in (database.resolve().with_name(database.name + end) for end in _BESIDE_DATABASE)
    )


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them doesn't exist
        return False


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_SQLITE)) == _SQLITE
