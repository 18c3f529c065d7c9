"""The network of coauthors up to a day, as sparse matrices: the basis for suggesting collaborators."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy import sparse

from index.people.people import MOST_AUTHORS

HALF_LIFE = 365.0
"""Days after which a joint paper counts half."""
RECENT = 180
PACE, SLOWEST = 65.0, 12.0
"""Median days between the papers of people with three or more in the ranker's training data, and the largest
factor by which ages in slower collections are divided."""
CIRCLE = 3
"""The size of a person's close circle, in coauthors."""
_FEW = 0.01
"""Up to this many entries for each column, a product is quicker with the columns numbered anew."""


class Network:
    """People and papers of earlier days, numbered from 0.

    Attributes
    ----------
    people, papers
        int64: ids behind the numbers, ascending.
    days
        float64, shape (papers,): ordinals; where people publish slowly, the past is compressed towards
        ``today`` so that ages are comparable (see :data:`PACE`).
    today
        The ordinal that ages are counted from.
    slower
        The factor by which the past is compressed.
    wrote
        float32 csr, shape (people, papers): 1 where a person wrote a paper.
    """

    def __init__(self, person: np.ndarray, paper: np.ndarray, day: np.ndarray, today: int) -> None:
        """Build from (person, paper, day of the paper) triples; those of ``today`` or later are left out."""
        earlier = day < today
        codes = np.unique(np.stack([person[earlier], paper[earlier], day[earlier]]), axis=1)
        self.people, rows = np.unique(codes[0], return_inverse=True)
        self.papers, first, columns = np.unique(codes[1], return_index=True, return_inverse=True)
        self.days = codes[2][first].astype(float)
        self.today = today
        self.wrote = sparse.csr_matrix(
            (np.ones(len(rows), np.float32), (rows, columns)), (len(self.people), len(self.papers))
        )
        self.slower = min(max(1.0, self._pace() / PACE), SLOWEST)
        self.days = today - (today - self.days) / self.slower

    def _pace(self) -> float:
        """The median days between two papers, over people with three papers or more."""
        often = self.count >= 3
        if not often.any():
            return PACE
        first, last = self.extremes()
        return float(np.median((first - last)[often] / (self.count[often] - 1)))

    def __len__(self) -> int:
        return len(self.people)

    def numbers(self, people: np.ndarray) -> np.ndarray:
        """The number of each person, -1 for strangers."""
        if not len(self.people):
            return np.full(len(people), -1, np.int64)
        at = np.minimum(np.searchsorted(self.people, people), len(self.people) - 1)
        return np.where(self.people[at] == people, at, -1)

    # -- papers ------------------------------------------------------------------------------------

    @cached_property
    def authors(self) -> np.ndarray:
        """How many people wrote each paper."""
        return np.asarray(self.wrote.sum(axis=0)).ravel()

    @cached_property
    def joins(self) -> np.ndarray:
        """Whether a paper makes its authors acquainted: it has two authors or more, but not a crowd."""
        return (self.authors > 1) & (self.authors <= MOST_AUTHORS)

    @cached_property
    def fresh(self) -> np.ndarray:
        """The remaining weight of each paper, by its age."""
        return np.asarray(0.5 ** ((self.today - self.days) / HALF_LIFE), np.float32)

    # -- people ------------------------------------------------------------------------------------

    @cached_property
    def count(self) -> np.ndarray:
        """How many papers each person has."""
        return np.diff(self.wrote.indptr)

    def summed(self, values: np.ndarray) -> np.ndarray:
        """Each person's sum over their papers."""
        return np.asarray(self.wrote @ values.astype(np.float32))

    def joined(self, weight: np.ndarray) -> sparse.csr_matrix:
        """People x people: the weight of the joint papers, with an empty diagonal."""
        matrix = (self.wrote @ sparse.diags(weight.astype(np.float32)) @ self.wrote.T).tocsr()
        matrix.setdiag(0)
        matrix.eliminate_zeros()
        matrix.sort_indices()
        return matrix

    @cached_property
    def ever(self) -> sparse.csr_matrix:
        """Coauthors on any paper, crowds included: they can't be new collaborators."""
        return self.joined(np.ones(len(self.papers)))

    @cached_property
    def met(self) -> sparse.csr_matrix:
        """Coauthors on joining papers (1 each)."""
        matrix = self.joined(self.joins)
        matrix.data[:] = 1.0
        return matrix

    @cached_property
    def _close(self) -> tuple[sparse.csr_matrix, np.ndarray]:
        close = self.joined(np.where(self.joins, self.fresh / np.maximum(self.authors - 1, 1), 0.0))
        strength = np.asarray(close.sum(axis=1)).ravel()
        step = (sparse.diags((1 / np.maximum(strength, 1e-9)).astype(np.float32)) @ close).tocsr()
        return step, strength

    @property
    def step(self) -> sparse.csr_matrix:
        """The random walk: the probability of each next person, rows summing to 1.

        Each joint paper counts 1 / (authors - 1) (Newman 2001), weighted by its age.
        """
        return self._close[0]

    @property
    def strength(self) -> np.ndarray:
        """The summed closeness of each person's coauthors."""
        return self._close[1]

    @cached_property
    def degree(self) -> np.ndarray:
        """How many coauthors each person has."""
        return np.diff(self.met.indptr)

    @cached_property
    def circle(self) -> sparse.csr_matrix:
        """Each person's closest coauthors, rows summing to 1."""
        return closest_of(self.step)

    @cached_property
    def newcomers(self) -> np.ndarray:
        """How many coauthors of the last months are new to each person."""
        before = self.joined(self.joins & (self.days < self.today - RECENT))
        return np.asarray(self.degree - np.diff(before.indptr))

    # -- rows: what a question about some people needs ---------------------------------------------

    def wrote_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """Rows of :attr:`wrote`."""
        return self.wrote[people]

    def step_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """Rows of :attr:`step`."""
        return self.step[people]

    def met_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """Rows of :attr:`met`."""
        return self.met[people]

    @cached_property
    def _met_fresh(self) -> sparse.csr_matrix:
        return self.joined(np.where(self.joins, self.fresh, 0.0))

    def met_fresh_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """People x people: the summed :attr:`fresh` of their joining papers."""
        return self._met_fresh[people]

    @cached_property
    def _teams(self) -> sparse.csr_matrix:
        return (self.wrote @ sparse.diags((self.joins / self.authors).astype(np.float32))).tocsr()

    def team_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """People x papers: 1 / authors for each joining paper."""
        return self._teams[people]

    @cached_property
    def _fresh_writers(self) -> sparse.csr_matrix:
        return (sparse.diags(self.fresh) @ self.wrote.T).tocsr()

    def fresh_writer_rows(self, papers: np.ndarray) -> sparse.csr_matrix:
        """Papers x people: :attr:`fresh` of each paper at those who wrote it."""
        return self._fresh_writers[papers]

    def circle_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """Rows of :attr:`circle`."""
        return self.circle[people]

    def ever_of(self, person: int) -> np.ndarray:
        """Everybody with whom a person ever wrote, crowds included."""
        ever = self.ever
        return np.asarray(ever.indices[ever.indptr[person] : ever.indptr[person + 1]])

    def ages(self, papers: np.ndarray) -> np.ndarray:
        """Days since these papers."""
        return np.asarray(self.today - self.days[papers])

    def strengths(self, people: np.ndarray) -> np.ndarray:
        """:attr:`strength` of some people."""
        return np.asarray(self.strength[people])

    def degrees(self, people: np.ndarray) -> np.ndarray:
        """:attr:`degree` of some people."""
        return np.asarray(self.degree[people])

    def counts(self, people: np.ndarray) -> np.ndarray:
        """:attr:`count` of some people."""
        return np.asarray(self.count[people])

    def silence(self, people: np.ndarray) -> np.ndarray:
        """Days since each one's last paper."""
        return np.asarray(self._extremes[1][people])

    @cached_property
    def _extremes(self) -> tuple[np.ndarray, np.ndarray]:
        return self.extremes()

    @cached_property
    def _nodes(self) -> dict[str, np.ndarray]:
        first, last = self._extremes
        return {
            "papers": self.count,
            "activity": self.summed(self.fresh),
            "recent": self.summed(self.days >= self.today - RECENT),
            "coauthors": self.degree,
            "team_size": self.summed(np.log(self.authors)) / self.count,
            "last": last,
            "first": first,
            "newcomers": self.newcomers,
        }

    def nodes(self, people: np.ndarray) -> dict[str, np.ndarray]:
        """What is known of each of some people by itself."""
        return {name: values[people] for name, values in self._nodes.items()}

    def extremes(self) -> tuple[np.ndarray, np.ndarray]:
        """Days since each person's first and last paper."""
        order = self.days[self.wrote.indices]
        starts = self.wrote.indptr[:-1]
        return self.today - np.minimum.reduceat(order, starts), self.today - np.maximum.reduceat(
            order, starts
        )


def closest_of(step: sparse.csr_matrix) -> sparse.csr_matrix:
    """The :data:`CIRCLE` highest values of each row, scaled to the sum 1."""
    chosen = np.zeros(step.nnz, bool)
    rows = np.repeat(np.arange(step.shape[0]), np.diff(step.indptr))
    order = np.lexsort((step.indices, -step.data, rows))
    rank = np.arange(step.nnz) - np.repeat(step.indptr[:-1], np.diff(step.indptr))
    chosen[order[rank < CIRCLE]] = True
    closest = sparse.csr_matrix((step.data * chosen, step.indices.copy(), step.indptr.copy()), step.shape)
    closest.eliminate_zeros()
    total = np.asarray(closest.sum(axis=1)).ravel()
    return (sparse.diags((1 / np.maximum(total, 1e-9)).astype(np.float32)) @ closest).tocsr()


def through(left: sparse.csr_matrix, rows: Callable[[np.ndarray], sparse.csr_matrix]) -> sparse.csr_matrix:
    """The product with a matrix of which only the rows in use are made."""
    used, inverse = np.unique(left.indices, return_inverse=True)
    small = sparse.csr_matrix((left.data, inverse, left.indptr), (left.shape[0], len(used)))
    return product(small, rows(used))


def product(left: sparse.csr_matrix, right: sparse.csr_matrix) -> sparse.csr_matrix:
    """``left @ right``; where few columns are in use, at a cost that doesn't grow with their number."""
    width = right.shape[1]
    if right.nnz > width * _FEW:
        return (left @ right).tocsr()
    columns, local = np.unique(right.indices, return_inverse=True)
    narrow = sparse.csr_matrix(
        (right.data, local.astype(np.int32), right.indptr), (right.shape[0], len(columns))
    )
    found = (left @ narrow).tocsr()
    return sparse.csr_matrix((found.data, columns[found.indices], found.indptr), (left.shape[0], width))


def of_rows(matrix: sparse.csr_matrix, columns: list[np.ndarray]) -> np.ndarray:
    """Row ``i``'s values at ``columns[i]``, which ascend, one after another, float32."""
    out = []
    for row, wanted in enumerate(columns):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        held = matrix.indices[part]
        values = np.zeros(len(wanted), np.float32)
        if len(wanted):
            at = np.minimum(np.searchsorted(wanted, held), len(wanted) - 1)
            hit = wanted[at] == held
            values[at[hit]] = matrix.data[part][hit]
        out.append(values)
    return np.concatenate(out) if out else np.zeros(0, np.float32)
