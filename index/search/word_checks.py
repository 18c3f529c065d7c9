"""Whether the files of the word index are as tantivy and SQLite wrote them.

Each of tantivy's ends in a footer with the CRC-32 of what stands before it (its ``directory/footer.rs``).
tantivy doesn't look at it again: a damaged file gives wrong papers, or a panic.
"""

from __future__ import annotations

import json
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from index.search import forward_index
from index.search.word_files import unpanicked

_MAGIC = 1337
_AT_ONCE = 1 << 22
_LONGEST = 50_000
"""Bytes of a footer."""


@unpanicked()
def damaged(folder: Path) -> list[str]:
    """The names of the damaged files that a word index has committed; reads all of them.

    Raises
    ------
    index.search.word_files.WordsUnreadableError
        If one can't be read.
    """
    try:
        segments = json.loads((folder / "meta.json").read_bytes())["segments"]
        names = {segment["segment_id"].replace("-", "") for segment in segments}
        papers = sum(_alive(segment) for segment in segments)
    except (OSError, ValueError, TypeError, LookupError):  # opening the index starts it afresh
        return []
    found = []
    for path in sorted(folder.glob("*.*")):
        if path.name.partition(".")[0] in names:
            with suppress(FileNotFoundError), path.open("rb") as file:  # merged into another meanwhile
                if not _is_whole(file, path.stat().st_size):
                    found.append(path.name)
    forward = [path for path in folder.glob("forward-*.db") if not forward_index.is_whole(path, papers)]
    return [*found, *(path.name for path in forward)]


def _alive(segment: dict[str, Any]) -> int:
    return int(segment["max_doc"]) - int((segment.get("deletes") or {}).get("num_deleted_docs", 0))


def _is_whole(file: BinaryIO, size: int) -> bool:
    if size < 8:
        return False
    file.seek(size - 8)
    length, magic = struct.unpack("<II", file.read(8))
    if magic != _MAGIC or length > min(_LONGEST, size - 8):
        return False
    file.seek(size - 8 - length)
    try:
        expected = json.loads(file.read(length))["crc"]
    except (ValueError, TypeError, LookupError):
        return False
    file.seek(0)
    left, crc = size - 8 - length, 0
    while left and (part := file.read(min(left, _AT_ONCE))):
        left, crc = left - len(part), zlib.crc32(part, crc)
    return left == 0 and bool(crc == expected)
