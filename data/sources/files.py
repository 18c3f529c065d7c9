"""Papers from a file: listings, arXiv's snapshot or our sample; plain or compressed."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import orjson
import zstandard

from data.records import PaperRecord, Rejected
from data.sources.forms import record_of
from data.sources.http import SourceError
from data.sources.zstd_stream import ZstdStream

MAX_LINE = 4_000_000
MAX_ARRAY = 200_000_000
_EXCERPT = 2_000
_MENDED = "Fetch the whole file again, then rerun this."
_OTHER = "Fetch it again, or name another file."
_TORN = (EOFError, OSError, zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile)


class PaperFile:
    """A file of papers, read as a stream.

    With ``own_ids``, any ids are accepted (:func:`data.sources.forms.record_of`).
    ``size`` and ``position`` count bytes of the file on disk, for progress.

    Raises
    ------
    SourceError
        Where the file is missing, unreadable or torn; records read before stay.
    """

    def __init__(self, path: Path, *, own_ids: bool = False) -> None:
        self.path = path
        self._own_ids = own_ids
        try:
            if path.is_dir():
                raise SourceError(f"{path} is a folder. Name the file in it.")
            if path.exists() and not path.is_file():  # a pipe
                raise SourceError(f"{path} is not a file. Write what it holds to a file, and name that.")
            self._disk = path.open("rb")
        except OSError as error:
            raise SourceError(
                f"{path} can't be read ({error.strerror}). Check its name, and that you may read it."
            ) from error
        self.size = path.stat().st_size
        self.lines = 0
        self._array = False

    @property
    def position(self) -> int:
        """Bytes of the file read so far."""
        return self._disk.tell() if not self._disk.closed else self.size

    def __iter__(self) -> Iterator[tuple[int, PaperRecord | Rejected]]:
        """(line number from 0, record or refusal); blank lines count but yield nothing."""
        try:
            with self._disk:
                yield from self._records(self._open())
        except _TORN as error:
            if "too much memory" in str(error):
                raise SourceError(
                    f"{self.path} takes too much memory to unpack (zstd --long). Unpack it yourself with "
                    "zstd -d --long=31, and name the file in it."
                ) from error
            after = f", after line {self.lines:,}" if self.lines else ""
            raise SourceError(
                f"{self.path} is torn or not what its name says{after} ({error}). {_MENDED}"
            ) from error

    def _open(self) -> Any:
        head = self._disk.read(6)
        self._disk.seek(0)
        if head[:2] == b"\x1f\x8b":
            return io.BufferedReader(gzip.GzipFile(fileobj=self._disk))
        if head[:3] == b"BZh":
            return io.BufferedReader(bz2.BZ2File(self._disk))
        if head == b"\xfd7zXZ\x00":
            return io.BufferedReader(lzma.LZMAFile(self._disk))
        if head[:4] == b"\x28\xb5\x2f\xfd":
            return io.BufferedReader(ZstdStream(self._disk), 1 << 20)
        if head[:4] in (b"PK\x03\x04", b"PK\x05\x06"):  # the second: a zip of nothing
            try:
                archive = zipfile.ZipFile(self._disk)
            except zipfile.BadZipFile as error:
                raise SourceError(
                    f"{self.path} is torn or cut off ({error}). A zip has its list of contents at its end, "
                    "so nothing of it can be read. Fetch it again."
                ) from error
            names = [info for info in archive.infolist() if not (info.is_dir() or _is_macos(info.filename))]
            if not names:
                raise SourceError(f"{self.path} holds no files. {_OTHER}")
            if len(names) > 1:
                raise SourceError(
                    f"{self.path} holds {len(names):,} files, but Labmate reads a zip of one. Unpack it, and "
                    "name the one with the papers."
                )
            try:
                return io.BufferedReader(archive.open(names[0]), 1 << 20)
            except RuntimeError as error:  # zipfile: packed in a rare way, or encrypted
                raise SourceError(
                    f"{self.path} can't be unpacked here ({error}). Unpack it yourself, and name that file."
                ) from error
        return io.BufferedReader(self._disk, 1 << 20)

    def objects(self) -> Iterator[tuple[int, Any]]:
        """(line number, JSON value as the file gives it), for texts whose characters must stay in place.

        Lines that are refused are left out.
        """
        with self._disk:
            for number, item, _ in self._items(self._open()):
                if not isinstance(item, Rejected):
                    yield number, item

    def _records(self, stream: IO[bytes]) -> Iterator[tuple[int, PaperRecord | Rejected]]:
        for number, item, raw in self._items(stream):
            if isinstance(item, Rejected):
                yield number, item
            else:
                where = f"{'entry' if self._array else 'line'} {number + 1}"
                yield number, record_of(item, where, raw, own_ids=self._own_ids)

    def _items(self, stream: IO[bytes], *, arrays: bool = True) -> Iterator[tuple[int, Any, str]]:
        """(number, JSON value or refusal, excerpt) of each line, or of each entry of an array."""
        read_before = 0
        while line := stream.readline(MAX_LINE):
            number, self.lines = self.lines, self.lines + 1
            if number == 0:
                line = line.removeprefix(b"\xef\xbb\xbf")
                if arrays and line.lstrip().startswith(b"["):
                    self._array = True
                    yield from self._entries(line, stream)
                    return
            read_before += len(line)
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                pass_line(stream)
                refused = Rejected(f"line {number + 1}", f"a line of over {MAX_LINE:,} bytes", _raw(line))
                yield number, refused, ""
            elif line.strip():
                item = _parsed(line, number)
                if isinstance(item, Rejected) and number and line[:1] == b"{" and not line.endswith(b"\n"):
                    raise SourceError(
                        f"{self.path} is torn: it ends in the middle of line {number + 1:,}. {_MENDED}"
                    )
                yield number, item, _raw(line)
        if read_before == 0 and self.size:
            raise SourceError(f"{self.path} holds no text. {_OTHER}")

    def _entries(self, first: bytes, stream: IO[bytes]) -> Iterator[tuple[int, Any, str]]:
        body = first + stream.read(MAX_ARRAY)
        if len(body) > MAX_ARRAY:
            raise SourceError(f"{self.path} is one JSON array of over {MAX_ARRAY:,} bytes; use JSON lines")
        try:
            items: list[Any] = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise SourceError(f"{self.path} is not JSON: {error.msg} at line {error.lineno}") from error
        self.lines = len(items)
        for number, item in enumerate(items):
            yield number, item, _written(item)


def pass_line(stream: IO[bytes]) -> bool:
    """Read on to the end of the line without holding it; returns whether anything was left."""
    first = rest = stream.readline(MAX_LINE)
    while len(rest) == MAX_LINE and not rest.endswith(b"\n"):
        rest = stream.readline(MAX_LINE)
    return bool(first)


def _is_macos(name: str) -> bool:
    """Whether a file in a zip is one of those that macOS adds."""
    return name.startswith("__MACOSX/") or name.rpartition("/")[2] == ".DS_Store"


def _parsed(line: bytes, number: int) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return Rejected(f"line {number + 1}", f"not JSON: {error.msg}", _raw(line))


def _written(item: Any) -> str:
    try:
        return _raw(orjson.dumps(item))
    except orjson.JSONEncodeError:  # it reads more levels than it writes
        return "an object nested too deeply to be shown"


def _raw(line: bytes) -> str:
    return line[:_EXCERPT].decode("utf-8", "replace")
