"""The names of hundreds of thousands of people, packed tightly in memory or mapped from a file."""

from __future__ import annotations

from array import array
from bisect import bisect_left

import numpy as np


class PackedNames:
    """Names by number in a few arrays; as many separate strings would take ten times the memory."""

    def __init__(
        self,
        numbers: np.ndarray | None = None,
        ends: np.ndarray | None = None,
        text: np.ndarray | None = None,
    ) -> None:
        """Empty, or from the arrays of another's :attr:`arrays`, which can't be added to."""
        self._numbers: array[int] | np.ndarray = array("q") if numbers is None else numbers
        self._ends: array[int] | np.ndarray = array("q", [0]) if ends is None else ends
        self._text: bytearray | np.ndarray = bytearray() if text is None else text

    def add(self, number: int, name: str) -> None:
        """Take in a name; numbers ascend."""
        assert isinstance(self._numbers, array)
        assert isinstance(self._ends, array)
        assert isinstance(self._text, bytearray)
        self._numbers.append(number)
        self._text += name.encode()
        self._ends.append(len(self._text))

    def get(self, number: int) -> str:
        """The name of a number, ``?`` if there is none."""
        numbers = self._numbers
        if isinstance(numbers, np.ndarray):  # bisect takes ten times as long there
            if not 0 <= number <= np.iinfo(numbers.dtype).max:
                return "?"
            at = int(np.searchsorted(numbers, numbers.dtype.type(number)))
        else:
            at = bisect_left(numbers, number)
        if at == len(self._numbers) or self._numbers[at] != number:
            return "?"
        return bytes(self._text[self._ends[at] : self._ends[at + 1]]).decode("utf-8", "replace")

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Numbers (int32), ends (int64, one more) and text (uint8), to be written to a file."""
        text = np.frombuffer(self._text, np.uint8) if len(self._text) else np.zeros(0, np.uint8)
        return np.asarray(self._numbers, np.int32), np.asarray(self._ends, np.int64), text
