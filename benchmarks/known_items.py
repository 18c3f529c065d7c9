"""How well a way to search finds the papers that its queries were made from, beside a reference."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from index.evaluate.metrics import reciprocal_rank

SHOWN = 10


class KnownItems(NamedTuple):
    """Means over queries, of the first :data:`SHOWN` papers: the reciprocal rank of the wanted one, how often
    it is there, and the share of the reference's papers that are there."""

    mrr: float
    recall: float
    same: float


def known_items(
    wanted: Sequence[int], found: Sequence[Sequence[int]], reference: Sequence[Sequence[int]]
) -> KnownItems:
    """Compare what was found with the papers wanted and with what the reference found.

    Parameters
    ----------
    wanted
        A store id for each query; at least one.
    found, reference
        Store ids for each query, best first.
    """
    first = [list(papers[:SHOWN]) for papers in found]
    ranks = [
        papers.index(paper) + 1 if paper in papers else None
        for paper, papers in zip(wanted, first, strict=True)
    ]
    return KnownItems(
        fmean(map(reciprocal_rank, ranks)),
        fmean(rank is not None for rank in ranks),
        fmean(
            len(set(papers) & set(right[:SHOWN])) / max(1, len(right[:SHOWN]))
            for papers, right in zip(first, reference, strict=True)
        ),
    )
