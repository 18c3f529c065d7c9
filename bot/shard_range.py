"""Which shards of the gateway a process is to hold."""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST = 16_384


@dataclass(frozen=True, slots=True)
class ShardRange:
    """The shards of one process.

    Attributes
    ----------
    numbers
        From 0; at least one.
    of
        How many all processes have together.
    """

    numbers: tuple[int, ...]
    of: int

    @classmethod
    def read(cls, text: str, of: int) -> ShardRange:
        """Read "0-3", "5" or "0-3,8".

        Raises
        ------
        ValueError
            Where it names no shard, one twice, or one beyond the last.
        """
        numbers: list[int] = []
        for part in text.replace(" ", "").split(","):
            found = re.fullmatch(r"(\d{1,5})(?:-(\d{1,5}))?", part)
            if found is None:
                raise ValueError(f"must look like 0-3 or 0,4,8, not {text[:40]!r}")
            first, last = int(found[1]), int(found[2] or found[1])
            if last < first:
                raise ValueError(f"{part!r} ends before it begins")
            numbers += range(first, min(last, MOST) + 1)
        if not 1 <= of <= MOST:
            raise ValueError(f"there must be 1 to {MOST:,} shards, not {of}")
        if max(numbers) >= of:
            raise ValueError(f"of {of} shards, the last one is {of - 1}; {max(numbers)} is beyond it")
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"names a shard twice: {text[:40]!r}")
        return cls(tuple(sorted(numbers)), of)

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.numbers))} of {self.of}"
