"""Labmate's files are private to the user it runs as: folders 0700, files 0600, old ones included."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

NOBODY_ELSE = 0o077
"""The umask of every Labmate process."""
_OURS = (
    *("labmate.*", "made-from.json", "*.lock", "*.map", "*.faiss", "*.npz", "*.labmate-part"),
    *("arxiv.turn", "history", "local-discord.json"),
)
_FOLDERS = ("vectors", "word-index", "words", "identity", "backups", "files")


def keep_private(folder: Path) -> None:
    """Make the data folder if it is missing, and take other users' permissions on its files away.

    This touches only files that Labmate makes, and never a folder meant for everybody (such as /tmp).

    Raises
    ------
    OSError
        Where the folder can't be made.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not folder.stat().st_mode & stat.S_ISVTX:
        _take_from_others(folder)
    for path in _ours(folder):
        _take_from_others(path)


def keep_database_private(path: Path) -> None:
    """Do the same for a database in any place; SQLite gives the files beside it the same mode."""
    with contextlib.suppress(FileExistsError):
        path.touch(mode=0o600, exist_ok=False)
    for each in (path, *path.parent.glob(f"{path.name}-*"), *path.parent.glob(f"{path.stem}.*{path.suffix}")):
        _take_from_others(each)


def _ours(folder: Path) -> Iterator[Path]:
    for pattern in _OURS:
        yield from folder.glob(pattern)
    for name in _FOLDERS:
        if (folder / name).is_dir():
            yield folder / name
            yield from (folder / name).rglob("*")


def _take_from_others(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError, PermissionError):  # it is gone by now, or another user's
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        if mode & NOBODY_ELSE and not path.is_symlink():
            path.chmod(mode & ~NOBODY_ELSE)
