"""A checksum within a backup: any byte that changed, or is missing, is noticed, also where no row stands.

SQLite leaves two numbers of a database's header to applications, user_version and application_id; together
they hold the checksum of everything else. So a backup stays one file that any SQLite reads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

_WIDTH = 4
_PLACES = (60, 68)
"""Bytes: https://www.sqlite.org/fileformat.html#the_database_header"""
_HEADER = 100
_AT_ONCE = 1 << 22
_NONE = bytes(2 * _WIDTH)

Progress = Callable[[int, int], None]
"""Called with the bytes that were read, and their total."""


def seal(path: Path) -> None:
    """Write the checksum of a finished database into it."""
    with path.open("r+b") as file:
        checksum = _of(file)
        for number, place in enumerate(_PLACES):
            file.seek(place)
            file.write(checksum[number * _WIDTH : (number + 1) * _WIDTH])


def is_sealed(path: Path) -> bool:
    """Whether it has a checksum, whether it is right or not; those of older Labmates have none."""
    with path.open("rb") as file:
        return _written(file.read(_HEADER)) != _NONE


def is_altered(path: Path, progress: Progress | None = None) -> bool:
    """Whether a file with a checksum has changed since it was made."""
    with path.open("rb") as file:
        written = _written(file.read(_HEADER))
        return written != _NONE and written != _of(file, progress)


def _written(header: bytes) -> bytes:
    return b"".join(header[place : place + _WIDTH] for place in _PLACES)


def _of(file: BinaryIO, progress: Progress | None = None) -> bytes:
    total = file.seek(0, 2)
    file.seek(0)
    header = bytearray(file.read(_HEADER))
    done = len(header)
    for place in _PLACES:
        header[place : place + _WIDTH] = bytes(_WIDTH)
    hashed = hashlib.blake2b(header, digest_size=2 * _WIDTH)
    while part := file.read(_AT_ONCE):
        hashed.update(part)
        done += len(part)
        if progress is not None:
            progress(done, total)
    return hashed.digest() if hashed.digest() != _NONE else b"\1" + _NONE[1:]
