"""The authorships of a corpus as arrays, in which people are told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from index.identity.commonness import Commonness
from index.identity.person_names import PersonName, parse_name, partner_names

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
    def name_ids(self) -> tuple[np.ndarray, Sequence[PersonName]]:
        """(int: the number of each authorship's name; the distinct names, by key)."""
        numbers: dict[str, int] = {}
        ids = np.empty(len(self.names), np.int64)
        forms: dict[str, int] = {}
        for place, (printed, name) in enumerate(zip(self.names, self.parsed, strict=True)):
            ids[place] = numbers.setdefault(name.key, len(numbers))
            forms[printed] = forms.get(printed, 0) + 1
        read: dict[int, tuple[int, PersonName]] = {}  # as most papers print it, hyphens and all
        for printed, count in forms.items():
            name = parse_name(printed)
            number = numbers[name.key]
            if number not in read or count > read[number][0]:
                read[number] = (count, name)
        return ids, [read[number][1] for number in range(len(numbers))]

    @cached_property
    def short_ids(self) -> np.ndarray:
        """int32, shape (names,): the number of each name as an initial and a family name."""
        short: dict[tuple[str, str], int] = {}
        names = self.name_ids[1]
        return np.array([short.setdefault((n.initial, n.family), len(short)) for n in names], np.int32)

    @cached_property
    def family_ids(self) -> np.ndarray:
        """int32, shape (names,): the number of each name's family name."""
        families: dict[str, int] = {}
        return np.array([families.setdefault(n.family, len(families)) for n in self.name_ids[1]], np.int32)

    @cached_property
    def by_name(self) -> tuple[np.ndarray, np.ndarray]:
        """(authorships by the numbers of their names, ascending; where each name begins, and the end)."""
        ids, names = self.name_ids
        begins = np.zeros(len(names) + 1, np.int64)
        np.cumsum(np.bincount(ids, minlength=len(names)), out=begins[1:])
        return np.argsort(ids, kind="stable").astype(np.int32), begins

    @cached_property
    def spelled(self) -> np.ndarray:
        """bool, shape (names,): whether each name's first given name is more than an initial."""
        return np.array([name.spelled for name in self.name_ids[1]], bool)

    def name_odds(self, commonness: Commonness) -> np.ndarray:
        """float64, shape (names,): log-odds by the name alone that two authorships are by one person."""
        return np.array(commonness.log_odds(self.name_ids[1]))

    def partners_of(self, names: set[int]) -> set[int]:
        """Other names that somebody with one of these names could also use."""
        return partner_names(self.name_ids[1], names)

    def of_name(self, name: int) -> np.ndarray:
        """int64: the authorships under a name, ascending."""
        order, begins = self.by_name
        return np.asarray(order[begins[name] : begins[name + 1]], np.int64)

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
