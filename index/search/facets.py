"""Day and categories of every paper in flat arrays, which filter a search in microseconds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

import numpy as np

from data.stores.changed_papers import IndexFact


@dataclass(frozen=True, slots=True)
class Where:
    """The limits of a search; empty fields limit nothing."""

    category: str | None = None
    since: date | None = None
    until: date | None = None
    ids: frozenset[int] | None = None

    def __bool__(self) -> bool:
        return any(part is not None for part in (self.category, self.since, self.until, self.ids))


class Facets:
    """Arrays indexed by store id: days as ordinals (0 unknown), categories as codes (-1 no such paper).

    ``bare`` is true for papers without an abstract.
    """

    def __init__(self) -> None:
        self.days = np.zeros(0, np.int32)
        self.codes = np.full(0, -1, np.int32)
        self.bare = np.zeros(0, bool)
        self._names: dict[str, int] = {}
        # Kept until a paper changes, since replies ask often.
        self._count: int | None = None
        self._newest: int | None = None
        self._by_category: Mapping[str, int] | None = None

    @classmethod
    def of(cls, days: np.ndarray, codes: np.ndarray, bare: np.ndarray, names: Sequence[str]) -> Facets:
        """Facets from copies of such arrays; ``names`` are the categories of each code.

        Raises
        ------
        ValueError
            If they don't fit each other.
        """
        facets = cls()
        facets.days, facets.codes = np.array(days, np.int32), np.array(codes, np.int32)
        facets.bare = np.array(bare, bool)
        facets._names = {name: code for code, name in enumerate(names)}
        fits = len(facets.days) == len(facets.codes) == len(facets.bare) and len(facets._names) == len(names)
        if not fits or int(facets.codes.max(initial=-1)) >= len(names):
            raise ValueError("facets that don't fit each other")
        return facets

    @property
    def names(self) -> list[str]:
        """The categories of each code."""
        return list(self._names)

    def top(self) -> int:
        """The highest id of a paper, 0 if there is none."""
        held = self.held()
        return int(held[-1]) if len(held) else 0

    def agrees(self, fact: IndexFact) -> bool:
        """Whether this is what is known of a paper."""
        paper = fact.paper_id
        day = fact.day.toordinal() if fact.day else 0
        same_day = int(self.days[paper]) == day and bool(self.bare[paper]) is not fact.described
        return same_day and int(self.codes[paper]) == self._names.get(fact.categories, -1)

    def update(self, facts: Iterable[IndexFact]) -> None:
        """Add the facts of new or changed papers."""
        facts = list(facts)
        if not facts:
            return
        ids = np.fromiter((fact.paper_id for fact in facts), np.int64, len(facts))
        self._grow(int(ids.max()) + 1)
        self.days[ids] = [fact.day.toordinal() if fact.day else 0 for fact in facts]
        self.bare[ids] = [not fact.described for fact in facts]
        self.codes[ids] = [self._names.setdefault(fact.categories, len(self._names)) for fact in facts]
        self._count = self._newest = self._by_category = None

    def held(self) -> np.ndarray:
        """The ids of all papers, ascending, int64."""
        return np.flatnonzero(self.codes >= 0)

    def days_of(self, ids: np.ndarray) -> np.ndarray:
        """The days of these papers as ordinals, int32; 0 where unknown."""
        days = np.zeros(len(ids), np.int32)
        held = ids < len(self.days)
        days[held] = self.days[ids[held]]
        return days

    def described(self, ids: Sequence[int]) -> np.ndarray:
        """Whether each of these papers has an abstract: bool, shape (len(ids),)."""
        return np.array([paper >= len(self.bare) or not self.bare[paper] for paper in ids], bool)

    def drop(self, ids: Iterable[int]) -> None:
        """Forget papers that were merged into others."""
        for paper_id in ids:
            if paper_id < len(self.codes):
                self.codes[paper_id] = -1
        self._count = self._newest = self._by_category = None

    def __len__(self) -> int:
        if self._count is None:
            self._count = int(np.count_nonzero(self.codes >= 0))
        return self._count

    def newest(self) -> int:
        """The day of the newest paper as an ordinal; 0 where no day is known."""
        if self._newest is None:
            self._newest = int(self.days[self.codes >= 0].max(initial=0))
        return self._newest

    def latest(self, ids: np.ndarray, count: int | None = None) -> np.ndarray:
        """The newest ``count`` of these papers, or all: newest first, those of one day in the order given."""
        days = self.days_of(ids)
        if count is not None and 0 < count < len(ids):
            kept = days >= np.partition(days, -count)[-count]
            ids, days = ids[kept], days[kept]
        return ids[np.argsort(-days, kind="stable")[:count]]

    def category_counts(self) -> Mapping[str, int]:
        """The number of papers in each category."""
        if self._by_category is None:
            self._by_category = MappingProxyType(self._count_categories())
        return self._by_category

    def _count_categories(self) -> dict[str, int]:
        counts = np.bincount(self.codes[self.codes >= 0], minlength=len(self._names)).tolist()
        totals: dict[str, int] = {}
        for names, code in self._names.items():
            for name in names.split():
                totals[name] = totals.get(name, 0) + counts[code]
        return {name: count for name, count in totals.items() if count}

    def allowed(self, where: Where) -> np.ndarray:
        """A boolean array over store ids: true where the paper passes the filter."""
        allowed = self.codes >= 0
        if where.category is not None:
            codes = [code for name, code in self._names.items() if in_category(name, where.category)]
            allowed &= np.isin(self.codes, codes)
        if where.since is not None:
            allowed &= self.days >= where.since.toordinal()
        if where.until is not None:
            allowed &= (self.days <= where.until.toordinal()) & (self.days > 0)
        if where.ids is not None:
            chosen = np.zeros(len(allowed), bool)
            chosen[[i for i in where.ids if 0 <= i < len(allowed)]] = True
            allowed &= chosen
        return allowed

    def _grow(self, size: int) -> None:
        if size > len(self.codes):
            room = max(size, len(self.codes) * 5 // 4) - len(self.codes)
            self.days = np.concatenate([self.days, np.zeros(room, np.int32)])
            self.codes = np.concatenate([self.codes, np.full(room, -1, np.int32)])
            self.bare = np.concatenate([self.bare, np.zeros(room, bool)])


def in_category(categories: str, wanted: str) -> bool:
    """Whether one of the categories is the wanted one or belongs to the wanted archive (``cs``)."""
    archive = wanted + "."
    return any(category == wanted or category.startswith(archive) for category in categories.split())
