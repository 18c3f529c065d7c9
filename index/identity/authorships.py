"""The authorships of a corpus as arrays, in which people are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from index.identity.person_names import PersonName, parse_name

PACE, SLOWEST = 81.0, 12.0
"""Median days between the papers of names with three or more in the training data, and the largest factor."""
ENOUGH_NAMES = 50
"""Names with three papers or more from which a pace is known."""


@dataclass(frozen=True)
class Authorships:
    """The authorships of a corpus, in the order of its papers.

    Attributes
    ----------
    offsets
        int64, shape (papers + 1,): paper *i* has the authorships ``offsets[i]:offsets[i + 1]``.
    names
        Each authorship's name as printed.
    texts
        Title and abstract of each paper in one string.
    vectors
        float16 or float32, shape (papers, dimension), unit length; a row of zeros where unknown.
    days
        int32, shape (papers,): the day of each paper as an ordinal; 0 where unknown.
    described
        bool, shape (papers,): whether the text has an abstract, not just a title.
    """

    offsets: np.ndarray
    names: Sequence[str]
    texts: Sequence[str]
    vectors: np.ndarray
    days: np.ndarray
    described: np.ndarray

    @property
    def papers(self) -> int:
        """How many papers there are."""
        return len(self.offsets) - 1

    @cached_property
    def paper(self) -> np.ndarray:
        """int64, shape (authorships,): the paper of each authorship."""
        return np.repeat(np.arange(self.papers), np.diff(self.offsets))

    @cached_property
    def parsed(self) -> list[PersonName]:
        """Each authorship's name in parts."""
        return [parse_name(name) for name in self.names]

    @cached_property
    def name_ids(self) -> tuple[np.ndarray, list[PersonName]]:
        """(int64: the number of each authorship's name; the distinct names, by key)."""
        numbers: dict[str, int] = {}
        distinct: list[PersonName] = []
        ids = np.empty(len(self.names), np.int64)
        for place, name in enumerate(self.parsed):
            number = numbers.setdefault(name.key, len(distinct))
            if number == len(distinct):
                distinct.append(name)
            ids[place] = number
        return ids, distinct

    @cached_property
    def slowness(self) -> float:
        """How much slower people publish here than in the training data, 1 to 12 (see :data:`PACE`)."""
        ids, names = self.name_ids
        day = self.days[self.paper]
        ids, day = ids[day > 0], day[day > 0]
        count = np.bincount(ids, minlength=len(names))
        first, last = np.full(len(names), np.iinfo(np.int32).max), np.zeros(len(names), np.int64)
        np.minimum.at(first, ids, day)
        np.maximum.at(last, ids, day)
        often = count >= 3
        if often.sum() < ENOUGH_NAMES:
            return 1.0
        pace = float(np.median((last - first)[often] / (count[often] - 1)))
        return min(max(1.0, pace / PACE), SLOWEST)
