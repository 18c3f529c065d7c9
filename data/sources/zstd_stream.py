"""Reading zstd archives of one or many frames, where the end of a torn one is an error and not an end."""

from __future__ import annotations

import io
from typing import IO, Any

import zstandard

_AT_ONCE = 1 << 17


class ZstdStream(io.RawIOBase):
    """The content of a zstd archive.

    zstandard's own reader takes a file that was cut off for one that ended.

    Raises
    ------
    EOFError
        Where the file ends within a frame.
    zstandard.ZstdError
        Where it holds something else.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._frame: Any = None
        self._content = memoryview(b"")

    def readable(self) -> bool:
        """True."""
        return True

    def readinto(self, into: Any) -> int:
        """Fill ``into`` from the archive; returns how many bytes, 0 at the end."""
        while not self._content:
            left = self._frame.unused_data if self._frame is not None and self._frame.eof else b""
            data = left or self._file.read(_AT_ONCE)
            if not data:
                if self._frame is not None and not self._frame.eof:
                    raise EOFError("the archive ends early")
                return 0
            if self._frame is None or self._frame.eof:
                self._frame = zstandard.ZstdDecompressor().decompressobj()
            self._content = memoryview(self._frame.decompress(data))
        count = min(len(self._content), len(into))
        into[:count] = self._content[:count]
        self._content = self._content[count:]
        return count
