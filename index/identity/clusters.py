"""Sorting authorships under one name into people: firm groups first, then merging."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from index.identity.commonness import USUAL_LOG_ODDS
from index.identity.evidence import FEATURES

FIRM = 0.2
"""Average distance (1 - probability) up to which authorships are grouped at the start."""
CROWDED = 1.4
"""The most that more groups than expected speak for a merge, as log-odds."""
MATRICES = (
    *("shared_weight", "shared_rarest", "shared_short", "coauthors_met"),
    *("meaning", "words", "abstracts", "years_near"),
)
_COLUMNS = [FEATURES.index(name) for name in MATRICES]
MERGE_FEATURES = (
    *("best", "mean", "likely_share", "best_each_low", "best_each_high"),
    *("smaller", "larger", "prior", "name_odds", "authorships", "groups"),
    *(f"{name}_{kind}" for name in MATRICES for kind in ("best", "mean")),
)
HOPEFUL = 0.0
"""Log-odds that a pair of authorships has to reach for its groups to be looked at in a crowd.

A crowd has at least :data:`CROWD` groups under a name that rather speaks for two people, and a bar of
:data:`HIGH`. There, the model of groups stays below the bar without such a pair, and most pairs have none."""
CROWD = 30
HIGH = 0.5
_PRIOR_WEIGHT, _EM_STEPS = 2.0, 20
_ROWS = 4_096
"""How many names with equally many authorships are estimated in one go."""


@dataclass
class Block:
    """The authorships of one name while they are being sorted into people.

    Attributes
    ----------
    authorships
        Their numbers in the corpus.
    scores
        float32, shape (rows, n): log-odds that two are by one person, before the name's prior. There is a row
        for each authorship, or, where the others are known, for each unassigned one.
    evidence
        float32, shape (features, rows, n): the pair features of :data:`MATRICES`.
    apart
        bool, shape (rows, n): pairs that are certainly by different people.
    groups
        Lists of places; each place is in exactly one group.
    anchors
        For each group the known person whose it is, or -1; groups of two known people never merge.
    """

    authorships: np.ndarray
    scores: np.ndarray
    evidence: np.ndarray
    apart: np.ndarray
    groups: list[list[int]] = field(default_factory=list)
    anchors: list[int] = field(default_factory=list)
    prior: float = 0.0
    name_odds: float = USUAL_LOG_ODDS
    """Log-odds that two authorships are by one person, from the name alone."""
    namesakes: float = 1.0
    """How many other people of this name to expect."""
    fresh: np.ndarray | None = None
    """The places that have rows, in order; None where all have."""
    ease: float = 0.0
    """Log-odds added to every merge, for a rare name in a small corpus."""

    @classmethod
    def of(
        cls,
        authorships: np.ndarray,
        scores: np.ndarray,
        features: np.ndarray,
        papers: np.ndarray,
        name_odds: float,
    ) -> Block:
        """A block from the condensed pair arrays of :func:`pairs_within`."""
        return cls(
            authorships,
            squareform(scores, checks=False),
            np.stack([squareform(features[:, column], checks=False) for column in _COLUMNS]),
            (papers[:, None] == papers[None, :]) & ~np.eye(len(papers), dtype=bool),
            name_odds=name_odds,
        )

    @classmethod
    def anchored(
        cls,
        authorships: np.ndarray,
        known: np.ndarray,
        scores: np.ndarray,
        features: np.ndarray,
        paper: np.ndarray,
        name_odds: float,
    ) -> Block:
        """A block in which known people are groups already.

        ``scores`` and ``features`` compare each unassigned authorship with each of the block, in order.
        """
        n = len(authorships)
        fresh = np.flatnonzero(known[authorships] < 0)
        itself = np.arange(len(fresh)), fresh
        values = [np.array(value).reshape(len(fresh), n) for value in (scores, *features.T[_COLUMNS])]
        for value in values:
            value[itself] = 0.0
        papers = paper[authorships]
        apart = papers[fresh][:, None] == papers[None, :]
        apart[itself] = False
        block = cls(authorships, values[0], np.stack(values[1:]), apart, fresh=fresh)
        compared = np.ones((len(fresh), n), bool)
        compared[itself] = False
        block.name_odds = name_odds
        [block.prior] = estimate_priors([values[0][compared]], [name_odds])
        for person in np.unique(known[authorships]):
            places = np.flatnonzero(known[authorships] == person).tolist()
            block.groups += [[place] for place in places] if person < 0 else [places]
            block.anchors += [int(person)] * (len(places) if person < 0 else 1)
        block.attach()
        return block

    def keep_apart(self, one: int, other: int) -> None:
        """Two places are certainly by different people."""
        for row, column in ((one, other), (other, one)):
            if self.fresh is None or row in self.fresh:
                self.apart[self._rows([row])[0], column] = True

    def _rows(self, places: Sequence[int] | np.ndarray) -> np.ndarray:
        """The rows of places that have one."""
        chosen = np.asarray(places, np.int64)
        return chosen if self.fresh is None else np.searchsorted(self.fresh, chosen)

    def likely(self, one: list[int], other: list[int]) -> float:
        """The mean probability that authorships of two groups are by one person; below 0 if impossible."""
        places = np.ix_(self._rows(one), np.asarray(other, np.int64))
        odds = self.scores[places] + min(self.prior, 0.0)
        chances = np.where(self.apart[places], -10.0 * odds.size, 1 / (1 + np.exp(-np.clip(odds, -60, 60))))
        return float(chances.mean())

    def attach(self) -> None:
        """Give single authorships to the known person in whose firm group :meth:`start` would put them."""
        people = [place for place, anchor in enumerate(self.anchors) if anchor >= 0]
        gone = []
        for place, (group, anchor) in enumerate(zip(self.groups, self.anchors, strict=True)):
            if anchor >= 0 or not people:
                continue
            fits = [self.likely(group, self.groups[person]) for person in people]
            if max(fits) >= 1 - FIRM:
                self.groups[people[int(np.argmax(fits))]].append(group[0])
                gone.append(place)
        self.groups = [group for place, group in enumerate(self.groups) if place not in gone]
        self.anchors = [anchor for place, anchor in enumerate(self.anchors) if place not in gone]

    def start(self, prior: float | None = None, firm: float = FIRM) -> None:
        """Take the name's prior (estimated here if none is given) and form the firm groups."""
        n = len(self.authorships)
        self.prior = (
            prior if prior is not None else estimate_priors([self.scores[upper(n)]], [self.name_odds])[0]
        )
        if n == 1:
            self.groups, self.anchors = [[0]], [-1]
            return
        # Without evidence either way the prior would feed on itself, so it never makes a group firm by
        # itself.
        odds = self.scores + min(self.prior, 0.0)
        distance = 1 - 1 / (1 + np.exp(-np.clip(odds, -60, 60)))
        distance[self.apart] = 10.0 * n
        if n == 2:
            self.groups = [[0, 1]] if distance[0, 1] <= firm else [[0], [1]]
            self.anchors = [-1] * len(self.groups)
            return
        np.fill_diagonal(distance, 0.0)
        labels = fcluster(linkage(squareform(distance, checks=False), "average"), firm, "distance")
        groups: dict[int, list[int]] = {}
        for place, label in enumerate(labels):
            groups.setdefault(int(label), []).append(place)
        self.groups = list(groups.values())
        self.anchors = [-1] * len(self.groups)

    def join(self, together: Sequence[tuple[int, int]]) -> None:
        """Unite the groups that a certain pair spans; done last, so that both groups join as a whole."""
        if together:
            self.groups = _joined(self.groups, together)
            self.anchors = [-1] * len(self.groups)

    def bar(self, cut: float) -> float:
        """The log-odds above which two groups merge, where ``cut`` is the collection's.

        With a Poisson number of namesakes, one of k fewer is k / expected times as likely beforehand. The
        commonest names have more namesakes than their parts let expect, so this has a bound.
        """
        crowded = min(np.log(max(len(self.groups) - 1, 1) / self.namesakes), CROWDED)
        return float(cut - crowded - self.ease)

    def merge_features(self, cut: float | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The pairs of groups: (int, shape (pairs, 2); float32, shape (pairs, features)).

        Pairs with a certain contradiction are left out. With the collection's cut, so are those of a crowd
        that won't reach it (:data:`HOPEFUL`).
        """
        count = len(self.groups)
        if count < 2:
            return np.zeros((0, 2), np.int64), np.zeros((0, len(MERGE_FEATURES)), np.float32)
        anchors = np.asarray(self.anchors)
        # One of the two groups is of unassigned authorships alone, and those have rows.
        of_rows = np.flatnonzero(anchors < 0)
        if not len(of_rows):
            return np.zeros((0, 2), np.int64), np.zeros((0, len(MERGE_FEATURES)), np.float32)
        of_columns = np.arange(count)
        in_crowd = cut is not None and count >= CROWD and self.name_odds <= 0 and self.bar(cut) >= HIGH
        if in_crowd:
            of_rows, of_columns = self._hopeful(of_rows)
            if not len(of_rows):
                return np.zeros((0, 2), np.int64), np.zeros((0, len(MERGE_FEATURES)), np.float32)
        columns, starts = _in_order([self.groups[group] for group in of_columns])
        places, row_starts = _in_order([self.groups[group] for group in of_rows])
        rows = self._rows(places)
        features = between(
            self.scores[np.ix_(rows, columns)], self.evidence[:, rows][:, :, columns], row_starts, starts
        )
        apart = _pooled(self.apart[np.ix_(rows, columns)].astype(np.float32), row_starts, starts, np.maximum)
        chosen = (apart == 0) & ((anchors[of_columns] >= 0) | (of_rows[:, None] < of_columns))
        if in_crowd:
            chosen &= features[0] >= HOPEFUL
        one, other = np.nonzero(chosen)
        its_left, its_right = of_rows[one], of_columns[other]
        left, right = np.minimum(its_left, its_right), np.maximum(its_left, its_right)
        by_pair = np.lexsort((right, left))
        one, other, left, right = (of_pair[by_pair] for of_pair in (one, other, left, right))
        sizes = np.array([len(group) for group in self.groups])
        context = np.stack(
            [
                np.log1p(np.minimum(sizes[left], sizes[right])),
                np.log1p(np.maximum(sizes[left], sizes[right])),
                np.full(len(left), self.prior),
                np.full(len(left), self.name_odds),
                np.full(len(left), np.log(len(self.authorships))),
                np.full(len(left), np.log(count)),
            ],
            axis=1,
        )
        own = features[:, one, other].T
        return np.stack([left, right], axis=1), np.concatenate(
            [own[:, :5], context, own[:, 5:]], axis=1
        ).astype(np.float32)

    def _hopeful(self, of_rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The groups among these, and among all, that have a pair that reaches :data:`HOPEFUL`."""
        columns, starts = _in_order(self.groups)
        places, row_starts = _in_order([self.groups[group] for group in of_rows])
        best = _pooled(self.scores[np.ix_(self._rows(places), columns)], row_starts, starts, np.maximum)
        best[np.arange(len(of_rows)), of_rows] = -np.inf
        hopeful = best >= HOPEFUL
        return of_rows[hopeful.any(axis=1)], np.flatnonzero(hopeful.any(axis=0))

    def merge(self, pairs: np.ndarray, margins: np.ndarray, cut: float) -> bool:
        """Merge the best disjoint pairs that reach the bar; returns whether there were any."""
        used: set[int] = set()
        merged: list[list[int]] = []
        anchors: list[int] = []
        bar = self.bar(cut)
        for place in np.argsort(-margins, kind="stable"):
            if margins[place] < bar:
                break
            a, b = int(pairs[place, 0]), int(pairs[place, 1])
            if a in used or b in used:
                continue
            used |= {a, b}
            merged.append(self.groups[a] + self.groups[b])
            anchors.append(max(self.anchors[a], self.anchors[b]))
        unmerged = [place for place in range(len(self.groups)) if place not in used]
        self.groups = [self.groups[place] for place in unmerged] + merged
        self.anchors = [self.anchors[place] for place in unmerged] + anchors
        return bool(merged)


def _in_order(groups: Sequence[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The places of groups one after the other, and where each group begins."""
    sizes = np.array([len(group) for group in groups])
    return np.concatenate([np.asarray(group, np.int64) for group in groups]), np.cumsum(sizes) - sizes


def between(scores: np.ndarray, evidence: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The evidence between two sets of groups.

    Parameters
    ----------
    scores, evidence
        Shapes (n, m) and (features, n, m), ordered by group.
    rows, columns
        The start of each group in either order.

    Returns
    -------
    numpy.ndarray
        float32, shape (5 + 2 * features, row groups, column groups): best score, mean score, share of
        scores above zero, each authorship's best score on average (lower and higher side), and best and
        mean of each evidence.
    """
    height = np.diff(np.append(rows, scores.shape[0])).astype(np.float32)
    width = np.diff(np.append(columns, scores.shape[1])).astype(np.float32)
    cells = height[:, None] * width[None, :]
    over_columns = np.maximum.reduceat(scores, columns, axis=1)
    over_rows = np.maximum.reduceat(scores, rows, axis=0)
    each = np.add.reduceat(over_columns, rows, axis=0) / height[:, None]
    other_each = np.add.reduceat(over_rows, columns, axis=1) / width[None, :]
    out = [
        np.maximum.reduceat(over_columns, rows, axis=0),
        _pooled(scores, rows, columns, np.add) / cells,
        _pooled((scores > 0).astype(np.float32), rows, columns, np.add) / cells,
        np.minimum(each, other_each),
        np.maximum(each, other_each),
    ]
    for matrix in evidence:
        out.append(_pooled(matrix, rows, columns, np.maximum))
        out.append(_pooled(matrix, rows, columns, np.add) / cells)
    return np.stack(out).astype(np.float32)


def _pooled(matrix: np.ndarray, rows: np.ndarray, columns: np.ndarray, how: np.ufunc) -> np.ndarray:
    pooled: np.ndarray = how.reduceat(how.reduceat(matrix, columns, axis=1), rows, axis=0)
    return pooled


def estimate_priors(scores: Sequence[np.ndarray], name_odds: Sequence[float]) -> list[float]:
    """Log-odds that two authorships of each name are by one person, by expectation maximisation over pairs.

    Saerens, Latinne and Decaestecker, Adjusting the outputs of a classifier to new a priori probabilities
    (Neural Computation 14, 2002), with a Beta prior around what the name itself says. Names with equally many
    pairs are computed together.
    """
    by_size: dict[int, list[int]] = {}
    for place, block_scores in enumerate(scores):
        by_size.setdefault(len(block_scores), []).append(place)
    usual = 1 / (1 + np.exp(-np.asarray(name_odds, np.float64)))
    priors = np.zeros(len(scores))
    for size, places in by_size.items():
        for start in range(0, len(places), _ROWS):
            part = places[start : start + _ROWS]
            stacked = np.stack([scores[place] for place in part])
            share = np.clip(usual[part], 1e-4, 1 - 1e-4)
            for _ in range(_EM_STEPS):
                odds = np.clip(stacked + np.log(share / (1 - share))[:, None], -60, 60)
                likely = (1 / (1 + np.exp(-odds))).sum(axis=1)
                share = (likely + _PRIOR_WEIGHT * usual[part]) / (size + _PRIOR_WEIGHT)
                share = np.minimum(np.maximum(share, 1e-4), 1 - 1e-4)
            priors[part] = np.log(share / (1 - share))
    estimated: list[float] = priors.tolist()
    return estimated


@lru_cache(maxsize=64)
def upper(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the pairs of ``n`` authorships in a square matrix."""
    rows, columns = np.triu_indices(n, 1)
    return rows, columns


def _joined(groups: list[list[int]], together: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Groups united wherever a certain pair spans two of them."""
    for a, b in together:
        first = next(group for group in groups if a in group)
        second = next(group for group in groups if b in group)
        if first is not second:
            groups = [group for group in groups if group is not first and group is not second]
            groups.append(first + second)
    return groups


def pairs_within(authorships: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of a name's authorships, in the order of :func:`scipy.spatial.distance.squareform`."""
    left, right = upper(len(authorships))
    return authorships[left], authorships[right]


def batches(pairs: Sequence[int], most: int) -> Iterator[slice]:
    """Slices of consecutive blocks with at most ``most`` pairs together (or a single block)."""
    start, together = 0, 0
    for place, count in enumerate(pairs):
        if together and together + count > most:
            yield slice(start, place)
            start, together = place, 0
        together += count
    if start < len(pairs):
        yield slice(start, len(pairs))
