"""Files that work reads, on the machines that do the work.

A worker that sees the very same files (on the same machine, or in a folder that machines share) reads them
where they are. To any other machine they go once a pass, in parts of 32 MB through Ray's object store, and
are written there as files. They are mapped there as they are here, so a large library needs room on the disk
and not in memory.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

PART = 32_000_000
"""Bytes that go as one object."""
_LEFT_BEHIND = 86_400 * 7
"""Seconds after which files of a pass that was killed are cleared away."""
_WHOLE = "whole"


@dataclass(frozen=True)
class Manifest:
    """Which files there are, and how to recognise them.

    Attributes
    ----------
    number
        Of the pass.
    stamps
        By folder and name: inode, size, and nanoseconds of the last change.
    """

    number: str
    stamps: Mapping[Path, Mapping[str, tuple[int, int, int]]]

    @classmethod
    def of(cls, number: str, files: Mapping[Path, list[str]]) -> Manifest:
        """Look at the files as they are now; paths have to be absolute."""
        return cls(
            number,
            {folder: {name: _stamp(folder / name) for name in names} for folder, names in files.items()},
        )

    def is_here(self) -> bool:
        """Whether this process sees the very same files."""
        try:
            return all(
                _stamp(folder / name) == stamp
                for folder, names in self.stamps.items()
                for name, stamp in names.items()
            )
        except OSError:
            return False

    def sent(self, put: Callable[[bytes], Any]) -> Shipment:
        """Put every file somewhere as parts, each once.

        A file that has grown since is sent as it was; one that is shorter or gone is an ``OSError``.
        """
        parts: dict[Path, dict[str, list[Any]]] = {}
        for folder, names in self.stamps.items():
            parts[folder] = {
                name: [put(part) for part in _parts(folder / name, stamp[1])] for name, stamp in names.items()
            }
        return Shipment(self.number, parts)


@dataclass(frozen=True)
class Shipment:
    """Files on their way: for each, by folder and name, what its parts can be got with."""

    number: str
    parts: Mapping[Path, Mapping[str, list[Any]]]

    def unpacked(self, node: str, get: Callable[[Any], bytes]) -> dict[Path, Path]:
        """Write the files on this node, unless another worker has; returns where each folder is.

        Raises
        ------
        OSError
            If there is no room for them.
        """
        folder = _folder(self.number, node)
        places = {original: folder / str(place) for place, original in enumerate(self.parts)}
        with FileLock(folder / "lock"):
            if not (folder / _WHOLE).exists():
                for original, files in self.parts.items():
                    for name, parts in files.items():
                        path = places[original] / name
                        path.parent.mkdir(parents=True, exist_ok=True)
                        with path.open("wb") as out:
                            for part in parts:
                                out.write(get(part))
                (folder / _WHOLE).touch()
        return places


def forget(number: str, node: str) -> None:
    """Remove a pass's files from this node."""
    shutil.rmtree(_folder(number, node), ignore_errors=True)


def _folder(number: str, node: str) -> Path:
    """This node's folder for a pass; what killed passes left behind is cleared away."""
    root = Path(tempfile.gettempdir()) / f"labmate-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    about = root.lstat()
    if about.st_uid != os.getuid() or about.st_mode & 0o077 or root.is_symlink():
        raise OSError(f"{root} belongs to somebody else or is open to others; remove it")
    for other in root.iterdir():
        if time.time() - other.stat().st_mtime > _LEFT_BEHIND:
            shutil.rmtree(other, ignore_errors=True) if other.is_dir() else other.unlink(missing_ok=True)
    folder = root / f"{number}-{node}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _parts(path: Path, size: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        while size:
            part = file.read(min(PART, size))
            if not part:
                raise OSError(f"{path} became shorter while it was read")
            size -= len(part)
            yield part


def _stamp(path: Path) -> tuple[int, int, int]:
    about = path.stat()
    return about.st_ino, about.st_size, about.st_mtime_ns
