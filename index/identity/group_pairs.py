"""The evidence between two groups of authorships, for many pairs of groups at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from index.identity.clusters import MATRICES
from index.identity.evidence import FEATURES, Evidence
from index.identity.large_names import few
from index.identity.models import Models
from index.models.shipped import margins

CELLS = 400_000
"""Pairs of authorships that are compared in one go."""
MOST_CELLS = 4_000
"""Pairs of authorships for one pair of groups; larger groups are compared by :data:`MEMBERS` of each."""
MEMBERS = 40
POOLED = 5 + 2 * len(MATRICES)
_COLUMNS = [FEATURES.index(name) for name in MATRICES]


def pooled(
    evidence: Evidence,
    models: Models,
    groups: Sequence[np.ndarray],
    pairs: np.ndarray,
    prior: float = 0.0,
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The evidence between the groups of each pair, some pairs at a time, in order.

    Parameters
    ----------
    groups
        The authorships of each group.
    pairs
        Integers, shape (n, 2): places in ``groups``.
    prior
        Log-odds added to each pair of authorships for the probability.

    Yields
    ------
    tuple
        float32, shape (part, 5 + 2 * features): the columns of :func:`index.identity.clusters.between`; and
        float32, shape (part,): the mean probability that authorships of the two are by one person.
    """
    sizes = np.array([len(group) for group in groups], np.int64)
    whole = sizes[pairs[:, 0]] * sizes[pairs[:, 1]] <= MOST_CELLS
    capped = np.minimum(sizes, MEMBERS)
    heights, widths = (np.where(whole, sizes[side], capped[side]) for side in pairs.T)
    ends = np.cumsum(heights * widths)
    start = 0
    while start < len(pairs):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + CELLS, side="right")), start + 1)
        chosen = pairs[start:stop]
        left, right = (
            np.concatenate(
                [few(groups[group], int(most)) for group, most in zip(side, length[start:stop], strict=True)]
            )
            for side, length in zip(chosen.T, (heights, widths), strict=True)
        )
        yield _pool(evidence, models, prior, left, right, heights[start:stop], widths[start:stop])
        start = stop


def _pool(
    evidence: Evidence,
    models: Models,
    prior: float,
    left: np.ndarray,
    right: np.ndarray,
    heights: np.ndarray,
    widths: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Compare all of one side with all of the other, for each pair of groups; both sides lie end to end."""
    cells = heights * widths
    begins = np.cumsum(cells) - cells
    pair = np.repeat(np.arange(len(cells)), cells)
    within = np.arange(int(cells.sum())) - begins[pair]
    row, column = within // widths[pair], within % widths[pair]
    row_begins, column_begins = np.cumsum(heights) - heights, np.cumsum(widths) - widths
    features = evidence.compare(left[row_begins[pair] + row], right[column_begins[pair] + column])
    scores = margins(models.pairs, features)
    by_column = np.empty_like(scores)
    by_column[begins[pair] + column * heights[pair] + row] = scores
    over_columns = np.maximum.reduceat(scores, begins.repeat(heights) + _steps(heights, widths))
    over_rows = np.maximum.reduceat(by_column, begins.repeat(widths) + _steps(widths, heights))
    each = np.add.reduceat(over_columns, row_begins) / heights
    other_each = np.add.reduceat(over_rows, column_begins) / widths
    out = [
        np.maximum.reduceat(scores, begins),
        np.add.reduceat(scores, begins) / cells,
        np.add.reduceat((scores > 0).astype(np.float32), begins) / cells,
        np.minimum(each, other_each),
        np.maximum(each, other_each),
    ]
    for values in features[:, _COLUMNS].T:
        out.append(np.maximum.reduceat(values, begins))
        out.append(np.add.reduceat(values, begins) / cells)
    likely = np.add.reduceat(1 / (1 + np.exp(-np.clip(scores + prior, -60, 60))), begins) / cells
    return np.stack(out, axis=1).astype(np.float32), likely.astype(np.float32)


def _steps(counts: np.ndarray, step: np.ndarray) -> np.ndarray:
    """For each pair 0, step, 2 * step ... as often as it counts, end to end."""
    pair = np.repeat(np.arange(len(counts)), counts)
    inside = np.arange(len(pair)) - (np.cumsum(counts) - counts)[pair]
    steps: np.ndarray = inside * step[pair]
    return steps
