"""What Labmate keeps is for the user that it runs as alone: folders 0700, files 0600, whoever made them and when."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

NOBODY_ELSE = 0o077
"""The umask of every process of Labmate's."""
_OURS = ("labmate.*", "*.lock", "*.npz", "*.labmate-part", "arxiv.turn", "history")
_FOLDERS = ("vectors", "words", "backups")


def keep_private(folder: Path) -> None:
    """Make the data folder where it is not there, and take from others what they may do with what lies in it.

    Only files that Labmate makes are touched, and no folder that is meant for everybody (such as /tmp).

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
    """The same for a database, wherever it lies; SQLite gives the files beside it the same mode."""
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
    with contextlib.suppress(FileNotFoundError, PermissionError):  # gone meanwhile, or another user's
        mode = stat.S_IMODE(os.lstat(path).st_mode)
        if mode & NOBODY_ELSE and not path.is_symlink():
            path.chmod(mode & ~NOBODY_ELSE)
