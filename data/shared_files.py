"""Files that all processes of an installation share: in a folder, or in an S3 bucket, through fsspec.

What lies there can be made again, so nothing here raises: where the place can't be reached, a file is not
found and a write is dropped, the log says so once, and the next try waits for :data:`PAUSE`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import fsspec
import zstandard

log = logging.getLogger("labmate")
Got = TypeVar("Got")
PAUSE = 60.0
"""Seconds without another try after the place could not be reached."""
PATIENCE = 4.0
"""Seconds that a caller waits for a file."""
_TIDYING = 120.0
_S3_LIMITS = {"connect_timeout": 3, "read_timeout": 10, "retries": {"max_attempts": 0}}


@dataclass(frozen=True, slots=True)
class Shelf:
    """A folder of files of one kind, and what it may hold.

    Attributes
    ----------
    largest
        Bytes of one file, unpacked.
    most
        How many files stay; the oldest go first.
    life
        How long a file stays.
    """

    name: str
    largest: int
    most: int
    life: timedelta


class SharedFiles:
    """Small files by shelf and name, each whole or not there: packed with zstd, whose checksum tells.

    Parameters
    ----------
    place
        A folder, or ``s3://bucket/prefix``.
    options
        fsspec's, for the file system of that place.
    """

    def __init__(self, place: str, **options: Any) -> None:
        self.place = place.rstrip("/")
        self._options = options
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="files")
        self._again = 0.0

    async def read(self, shelf: Shelf, name: str) -> bytes | None:
        """A file's bytes; None where there is none, or it is damaged or too large."""

        def read() -> bytes | None:
            files, root = self._files()
            try:
                packed = files.cat_file(f"{root}/{shelf.name}/{name}")
            except FileNotFoundError:
                return None
            return _unpacked(packed, shelf.largest)

        return await self._try(read)

    async def write(self, shelf: Shelf, name: str, data: bytes) -> None:
        """Keep a file; an older one of this name is replaced."""
        if len(data) > shelf.largest:
            return

        def write() -> None:
            files, root = self._files()
            packed = zstandard.ZstdCompressor(write_checksum=True).compress(data)
            files.pipe_file(f"{root}/{shelf.name}/{name}", packed)

        await self._try(write)

    async def tidy(self, shelf: Shelf) -> None:
        """Remove the files that are too old, and the oldest of those that are too many."""

        def tidy() -> None:
            files, root = self._files()
            files.invalidate_cache()
            try:
                listed = files.ls(f"{root}/{shelf.name}", detail=True)
            except FileNotFoundError:
                return
            there = sorted(
                ((_written(one), one["name"]) for one in listed if one["type"] == "file"), reverse=True
            )
            oldest = datetime.now(UTC) - shelf.life
            for number, (written, path) in enumerate(there):
                if number >= shelf.most or written < oldest:
                    with contextlib.suppress(FileNotFoundError):  # another process removed it
                        files.rm_file(path)

        await self._try(tidy, _TIDYING)

    def probe(self) -> None:
        """Write, read and remove a file.

        Raises
        ------
        Exception
            Whatever the place answers; its words may hold the place's name and no key.
        """
        files, root = self._files()
        path = f"{root}/probe-{time.time_ns()}"
        files.pipe_file(path, b"labmate")
        if files.cat_file(path) != b"labmate":
            raise OSError("it does not give back what was written")
        files.rm_file(path)

    def close(self) -> None:
        """End; what is being written is finished."""
        self._threads.shutdown(wait=False)

    def _files(self) -> tuple[Any, str]:
        """fsspec's file system, which it makes once, and the root in it."""
        files, root = fsspec.core.url_to_fs(self.place, **self._options)
        return files, root.rstrip("/")

    async def _try(self, act: Callable[[], Got], patience: float | None = None) -> Got | None:
        patience = PATIENCE if patience is None else patience
        if time.monotonic() < self._again:
            return None
        try:
            running = asyncio.get_running_loop().run_in_executor(self._threads, act)
            async with asyncio.timeout(patience):
                return await running
        except TimeoutError:
            reason = f"it took longer than {patience:g} s"
        except Exception as error:  # a bucket's errors have no common type, and each only costs a file
            reason = type(error).__name__
        self._again = time.monotonic() + PAUSE
        log.warning("shared files can't be used for %g s (%s): %s", PAUSE, self.place, reason)
        return None


def _unpacked(packed: bytes, largest: int) -> bytes | None:
    try:
        if zstandard.frame_content_size(packed) > largest:
            return None
        return zstandard.ZstdDecompressor().decompress(packed, max_output_size=largest)
    except zstandard.ZstdError:
        return None


def _written(facts: dict[str, Any]) -> datetime:
    """When a file was written; fsspec's file systems name that differently."""
    at = facts.get("LastModified", facts.get("mtime", 0.0))
    return at if isinstance(at, datetime) else datetime.fromtimestamp(float(at), UTC)


def s3_options(endpoint: str | None, key: str | None, secret: str | None) -> dict[str, Any]:
    """fsspec's options for a bucket; where there is no key, the machine's own credentials count."""
    return {
        "key": key,
        "secret": secret,
        "endpoint_url": endpoint,
        "config_kwargs": _S3_LIMITS,
    }
