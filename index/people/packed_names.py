"""The names of hundreds of thousands of people, packed tightly in memory."""

from __future__ import annotations

from array import array
from bisect import bisect_left


class PackedNames:
    """Names by number in a few arrays; as many separate strings would take ten times the memory."""

    def __init__(self) -> None:
        self._numbers, self._ends, self._text = array("q"), array("q", [0]), bytearray()

    def add(self, number: int, name: str) -> None:
        """Take in a name; numbers ascend."""
        self._numbers.append(number)
        self._text += name.encode()
        self._ends.append(len(self._text))

    def get(self, number: int) -> str:
        """The name of a number, ``?`` if there is none."""
        at = bisect_left(self._numbers, number)
        if at == len(self._numbers) or self._numbers[at] != number:
            return "?"
        return self._text[self._ends[at] : self._ends[at + 1]].decode()
