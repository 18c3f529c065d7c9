"""How well a way to search finds the papers that its queries were made from, beside another way."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from index.evaluate.metrics import reciprocal_rank

SHOWN = 10


class KnownItems(NamedTuple):
    """Means over queries: the reciprocal rank, the recall@10, and the share of the ten that are the same."""

    mrr: float
    recall: float
    same: float


def known_items(
    wanted: Sequence[int], found: Sequence[Sequence[int]], others: Sequence[Sequence[int]]
) -> KnownItems:
    """Judge what was found (store ids, best first, one list a query) by the papers wanted and another way."""
    ranks = [
        papers.index(paper) + 1 if paper in papers else None
        for paper, papers in zip(wanted, found, strict=True)
    ]
    tens = [(set(one[:SHOWN]), set(other[:SHOWN])) for one, other in zip(found, others, strict=True)]
    return KnownItems(
        fmean(map(reciprocal_rank, ranks)),
        fmean(rank is not None and rank <= SHOWN for rank in ranks),
        fmean(len(one & other) / max(1, len(other)) for one, other in tens),
    )
