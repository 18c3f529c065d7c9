"""The results of a search: ranked papers, and facts about the search itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from data.records import Paper
from index.search.facets import Facets
from index.search.queries import Query
from index.search.understood import Understood

DEEP = 5_000
"""How many papers words find where a limit lets only some of them pass."""
JUDGED = 10
"""How many of the first hits are judged on whether they answer the query."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A paper found."""

    paper_id: int
    score: float
    closeness: float | None
    """Cosine with the query's vector; None if one of them is missing."""


@dataclass(frozen=True, slots=True)
class Found:
    """The results of a search, and how complete it could be."""

    hits: tuple[Hit, ...]
    query: Query
    by_words_only: bool
    """True while the model is not loaded yet."""
    waiting: int
    """How many papers still wait for their vector."""
    fitting: tuple[int, ...] = ()
    """The first hits that answer the query; the others are merely the nearest."""
    understood: Understood | None = None
    """What a typed query was taken to say; None where a paper or text was compared."""
    anywhere: bool = False
    """Whether a venue was asked for that no record names, so that papers from anywhere are here."""
    apart: bool = False
    """Whether papers by several people together were asked for, of which there is none."""
    near: tuple[int, ...] = ()
    """The first hits that answer or come near it: where none answers, they are worth a guess."""
    none_without: bool = False
    """Whether papers that do without something were asked for, and none found says that it does."""
    papers: Mapping[int, Paper] = field(default_factory=dict)
    """Those of the first hits that were read to judge them, by store id."""

    @property
    def fits(self) -> bool:
        """Whether anything found answers the query."""
        return bool(self.fitting)


def best_hits(candidates: Sequence[int], scores: np.ndarray, closeness: np.ndarray, k: int) -> list[Hit]:
    """The k best candidates, best first."""
    order = np.argsort(-scores, kind="stable")[:k]
    close = [None if np.isnan(closeness[i]) else float(closeness[i]) for i in order]
    return [Hit(int(candidates[i]), float(scores[i]), cosine) for i, cosine in zip(order, close, strict=True)]


def promote(hits: list[Hit], first: Sequence[int]) -> list[Hit]:
    """Put certain papers before all others, in their order."""
    if not first:
        return hits
    known = {hit.paper_id: hit for hit in hits}
    top = (hits[0].score if hits else 0.0) + 1.0
    promoted = [replace(known.get(paper, Hit(paper, 0.0, None)), score=top) for paper in dict.fromkeys(first)]
    return promoted + [hit for hit in hits if hit.paper_id not in set(first)]


def by_day(hits: Sequence[Hit], answering: Sequence[int], facets: Facets, *, newest: bool) -> list[Hit]:
    """The hits that answer by their days, then the others likewise; those without a day last."""
    days = facets.days_of(np.array([hit.paper_id for hit in hits], np.int64)).astype(np.int64)
    keys = np.where(days == 0, np.iinfo(np.int64).max, -days if newest else days)
    places = sorted(range(len(hits)), key=lambda place: (hits[place].paper_id not in answering, keys[place]))
    return [hits[place] for place in places]


def passes(allowed: np.ndarray, paper: int) -> bool:
    return paper < len(allowed) and bool(allowed[paper])
