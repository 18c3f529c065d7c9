"""The network of coauthors in a mapped file: a question reads only the rows around one person.

The numbers are those of :class:`index.people.network.Network` over the same papers. What ages with time is
the same for everybody when it is divided by a person's sum, so the random walk is stored as it is and stays
right on later days.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy import sparse

from index.models.distinct import distinct
from index.models.mapped import Draft, MappedArrays, are_ends, lengths, parts, within
from index.models.read_ahead import gathered
from index.people.network import HALF_LIFE, PACE, RECENT, SLOWEST, Network, closest_of, product
from index.people.people import MOST_AUTHORS
from index.people.people_table import PeopleTable

FORMAT = "network-2"
_AT_ONCE = 10_000
_ARRAYS = (
    *("people", "papers", "days", "wrote_ends", "wrote", "writer_ends", "writers", "last"),
    *("step_ends", "step", "chances", "circle_ends", "circle", "shares", "strength", "slower"),
)
Progress = Callable[[int, int], None]


class StoredNetwork(Network):
    """A network whose rows are read from a file."""

    def __init__(self, held: MappedArrays) -> None:
        self.people, self.papers = held["people"], held["papers"]
        self.today, self.slower = held.stamp["today"], float(held["slower"][0])
        self._days, self._last = held["days"], held["last"]
        self._wrote_ends, self._wrote = held["wrote_ends"], held["wrote"]
        self._writer_ends, self._writers = held["writer_ends"], held["writers"]
        self._step_ends, self._step = held["step_ends"], held["step"]
        self._chances, self._strength = held["chances"], held["strength"]
        self._circle_ends, self._circle, self._shares = held["circle_ends"], held["circle"], held["shares"]
        self.stamp = held.stamp

    @classmethod
    def open(cls, path: Path) -> StoredNetwork | None:
        """Map a file; None where it is missing or torn, or its parts don't fit each other."""
        held = MappedArrays.open(path, FORMAT, _ARRAYS)
        if held is None or "today" not in held.stamp:
            return None
        people, papers, pairs = len(held["people"]), len(held["papers"]), len(held["wrote"])
        steps = len(held["step"])
        fits = (
            len(held["days"]) == papers
            and len(held["writers"]) == pairs
            and len(held["last"]) == len(held["strength"]) == people
            and len(held["chances"]) == steps
            and len(held["shares"]) == len(held["circle"])
            and are_ends(held["circle_ends"], people, len(held["circle"]))
            and held["slower"].shape == (1,)
            and are_ends(held["wrote_ends"], people, pairs)
            and are_ends(held["writer_ends"], papers, pairs)
            and are_ends(held["step_ends"], people, steps)
            and within(held["wrote"], papers)
            and within(held["writers"], people)
        )
        return cls(held) if fits else None

    # -- rows --------------------------------------------------------------------------------------

    def numbers(self, people: np.ndarray) -> np.ndarray:
        """The number of each person, -1 for strangers."""
        top = np.iinfo(np.int32).max
        return np.asarray(
            super().numbers(np.where((people >= 0) & (people < top), people, top).astype(np.int32))
        )

    def wrote_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """People x papers: 1 where a person wrote a paper."""
        places, starts = parts(self._wrote_ends, people)
        return _rows(
            np.ones(len(places), np.float32), gathered(self._wrote, places), starts, len(self.papers)
        )

    def _writer_rows(self, papers: np.ndarray, weight: np.ndarray) -> sparse.csr_matrix:
        places, starts = parts(self._writer_ends, papers)
        values = np.repeat(weight.astype(np.float32), np.diff(starts))
        return _rows(values, gathered(self._writers, places), starts, len(self))

    def step_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """The probability of each next person of the random walk."""
        places, starts = parts(self._step_ends, people)
        return _rows(gathered(self._chances, places), gathered(self._step, places), starts, len(self))

    def met_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """1 for each coauthor on a joining paper."""
        met = self.step_rows(people)
        met.data[:] = 1.0
        met.sort_indices()
        return met

    def circle_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """Each person's closest coauthors, rows summing to 1."""
        places, starts = parts(self._circle_ends, people)
        return _rows(gathered(self._shares, places), gathered(self._circle, places), starts, len(self))

    def met_fresh_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """The summed remaining weight of the papers that joined people."""
        return self._joined_rows(people, lambda papers: self._fresh(papers) * self._joins(papers))

    def team_rows(self, people: np.ndarray) -> sparse.csr_matrix:
        """People x papers: 1 / authors for each joining paper."""
        rows = self.wrote_rows(people)
        rows.data = (self._joins(rows.indices) / self._authors(rows.indices)).astype(np.float32)
        return rows

    def fresh_writer_rows(self, papers: np.ndarray) -> sparse.csr_matrix:
        """Papers x people: the remaining weight of each paper at those who wrote it."""
        return self._writer_rows(papers, self._fresh(papers))

    def ever_of(self, person: int) -> np.ndarray:
        """Everybody with whom a person ever wrote, crowds included."""
        papers = self.wrote_rows(np.array([person])).indices
        everybody = distinct(gathered(self._writers, parts(self._writer_ends, papers)[0]))
        return np.asarray(everybody[everybody != person])

    def _joined_rows(
        self, people: np.ndarray, weight: Callable[[np.ndarray], np.ndarray]
    ) -> sparse.csr_matrix:
        """Rows of :meth:`Network.joined`; ``weight`` gives the weight of papers."""
        wrote = self.wrote_rows(people)
        papers, inverse = np.unique(wrote.indices, return_inverse=True)
        small = sparse.csr_matrix((wrote.data, inverse, wrote.indptr), (len(people), len(papers)))
        joined = product(small, self._writer_rows(papers, weight(papers)))
        owner = np.repeat(people, np.diff(joined.indptr))
        joined.data[joined.indices == owner] = 0.0
        joined.eliminate_zeros()
        joined.sort_indices()
        return joined

    # -- values ------------------------------------------------------------------------------------

    def ages(self, papers: np.ndarray) -> np.ndarray:
        """Days since these papers, at the pace of the collection."""
        return np.asarray((self.today - gathered(self._days, papers).astype(float)) / self.slower)

    def _fresh(self, papers: np.ndarray) -> np.ndarray:
        return np.asarray(0.5 ** (self.ages(papers) / HALF_LIFE), np.float32)

    def _authors(self, papers: np.ndarray) -> np.ndarray:
        return lengths(self._writer_ends, papers)

    def _joins(self, papers: np.ndarray) -> np.ndarray:
        authors = self._authors(papers)
        return np.asarray((authors > 1) & (authors <= MOST_AUTHORS))

    def strengths(self, people: np.ndarray) -> np.ndarray:
        """The summed closeness of each one's coauthors."""
        return np.asarray(gathered(self._strength, people))

    def degrees(self, people: np.ndarray) -> np.ndarray:
        """How many coauthors each one has."""
        return lengths(self._step_ends, people)

    def counts(self, people: np.ndarray) -> np.ndarray:
        """How many papers each one has."""
        return lengths(self._wrote_ends, people)

    def silence(self, people: np.ndarray) -> np.ndarray:
        """Days since each one's last paper, at the pace of the collection."""
        return np.asarray((self.today - gathered(self._last, people).astype(float)) / self.slower)

    def nodes(self, people: np.ndarray) -> dict[str, np.ndarray]:
        """What is known of each of some people by itself."""
        wrote = self.wrote_rows(people)
        papers, starts, count = wrote.indices, wrote.indptr[:-1], np.diff(wrote.indptr)
        age = self.ages(papers)

        def total(values: np.ndarray) -> np.ndarray:
            return np.add.reduceat(values.astype(np.float32), starts) if len(values) else np.zeros(0)

        return {
            "papers": count,
            "activity": total(self._fresh(papers)),
            "recent": total(age <= RECENT),
            "coauthors": self.degrees(people),
            "team_size": total(np.log(self._authors(papers))) / count,
            "last": np.minimum.reduceat(age, starts) if len(age) else age,
            "first": np.maximum.reduceat(age, starts) if len(age) else age,
            "newcomers": self.degrees(people) - np.diff(self._before(people).indptr),
        }

    def _before(self, people: np.ndarray) -> sparse.csr_matrix:
        """Coauthors on joining papers before the last months."""
        return self._joined_rows(people, lambda papers: self._joins(papers) & (self.ages(papers) > RECENT))


def _rows(data: np.ndarray, indices: np.ndarray, starts: np.ndarray, width: int) -> sparse.csr_matrix:
    """A matrix of rows one after another."""
    return sparse.csr_matrix(
        (data, indices.astype(np.int32), starts.astype(np.int32)), (len(starts) - 1, width)
    )


# -- making ------------------------------------------------------------------------------------------


def write_network(
    path: Path, table: PeopleTable, days: np.ndarray, progress: Progress | None = None, **stamp: int
) -> None:
    """Write the network of all papers whose day is known; ``days`` are ordinals by store id.

    Memory: some arrays of as many numbers as there are authorships; coauthors are joined in parts.
    """
    known = table.papers < len(days)
    known[known] = days[table.papers[known]] > 0
    person = np.repeat(table.ids, np.diff(table.ends))[known]
    people, wrote_ends = _ends_of(person)
    papers, wrote = np.unique(table.papers[known], return_inverse=True)
    wrote = wrote.astype(np.int32)
    paper_days = days[papers].astype(np.int32)
    ones = np.ones(len(wrote), np.float32)
    matrix = sparse.csr_matrix((ones, wrote, wrote_ends.astype(np.int32)), (len(people), len(papers)))
    transposed = matrix.T.tocsr()
    first, last = _extremes(paper_days[wrote], wrote_ends)
    slower = _slower(first, last, np.diff(wrote_ends))
    today = int(paper_days.max(initial=0)) + 1
    fresh = np.asarray(0.5 ** ((today - paper_days) / slower / HALF_LIFE), np.float32)
    authors = np.diff(transposed.indptr)
    joins = (authors > 1) & (authors <= MOST_AUTHORS)
    weight = np.where(joins, fresh / np.maximum(authors - 1, 1), 0.0).astype(np.float32)
    with Draft(path, FORMAT) as draft:
        for name, array in (
            *(("people", people.astype(np.int32)), ("papers", papers.astype(np.int32))),
            *(("days", paper_days), ("wrote_ends", wrote_ends.astype(np.int32)), ("wrote", wrote)),
            ("writer_ends", transposed.indptr.astype(np.int32)),
            *(("writers", transposed.indices.astype(np.int32)), ("last", last.astype(np.int32))),
        ):
            draft.add(name, array)
        strength, ends = _write_steps(draft, matrix, weight, transposed, progress)
        draft.add("strength", strength)
        draft.add("step_ends", ends)
        draft.add("slower", np.array([slower]))
        draft.publish(today=today, **stamp)


def _write_steps(
    draft: Draft,
    wrote: sparse.csr_matrix,
    weight: np.ndarray,
    writers: sparse.csr_matrix,
    progress: Progress | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Write the random walk; returns everybody's strength, and where their rows end."""
    count = wrote.shape[0]
    strength, lengths = [np.zeros(0, np.float32)], [np.zeros(1, np.int64)]
    weighted = sparse.diags(weight)
    chances: list[np.ndarray] = []
    circles: list[sparse.csr_matrix] = []
    with draft.growing("step", np.int32) as indices:
        for start in range(0, count, _AT_ONCE):
            people = np.arange(start, min(start + _AT_ONCE, count))
            close = (wrote[start : start + len(people)] @ weighted @ writers).tocsr()
            close.data[close.indices == np.repeat(people, np.diff(close.indptr))] = 0.0
            close.eliminate_zeros()
            close.sort_indices()
            total = np.asarray(close.sum(axis=1)).ravel()
            step = (sparse.diags((1 / np.maximum(total, 1e-9)).astype(np.float32)) @ close).tocsr()
            indices.add(step.indices.astype(np.int32))
            chances.append(step.data.astype(np.float32))
            circles.append(closest_of(step))
            strength.append(total.astype(np.float32))
            lengths.append(np.diff(step.indptr).astype(np.int64))
            if progress:
                progress(start + len(people), count)
    with draft.growing("chances", np.float32) as values:
        for part in chances:
            values.add(part)
    with draft.growing("circle", np.int32) as indices:
        for circle in circles:
            indices.add(circle.indices)
    with draft.growing("shares", np.float32) as values:
        for circle in circles:
            values.add(circle.data)
    sizes = [np.zeros(1, np.int64), *(np.diff(circle.indptr) for circle in circles)]
    draft.add("circle_ends", np.cumsum(np.concatenate(sizes)).astype(np.int64))
    return np.concatenate(strength), np.cumsum(np.concatenate(lengths))


def _ends_of(ascending: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    values, starts = np.unique(ascending, return_index=True)
    return values, np.append(starts, len(ascending)).astype(np.int64)


def _extremes(days: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and last day of each row."""
    if not len(days):
        return days, days
    return np.minimum.reduceat(days, ends[:-1]), np.maximum.reduceat(days, ends[:-1])


def _slower(first: np.ndarray, last: np.ndarray, count: np.ndarray) -> float:
    """As :class:`Network`: the factor by which the past is compressed."""
    often = count >= 3
    pace = float(np.median((last - first)[often] / (count[often] - 1))) if often.any() else PACE
    return min(max(1.0, pace / PACE), SLOWEST)
