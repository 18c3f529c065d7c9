"""Candidates for a first joint paper, with features from the graph, the texts and people's activity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from index.models.distinct import distinct, is_in
from index.people.network import HALF_LIFE, Network, of_rows, through

LEAST_PAPERS = 3
"""The number of papers that a person needs to be suggested; fewer tell too little."""
POOL = {"common": 400, "two": 400, "three": 600, "text": 300}
"""How many candidates come from shared coauthors, two and three steps of the walk, and closeness of work."""
SILENT = 400.0
"""Days without a paper, at the pace of :mod:`index.people.network`, after which nobody is suggested."""
LATELY = 90.0
_MOST_MINE = 20
"""How many of a person's newest papers are compared with others' papers."""
_RANKED = ("adamic_adar_fresh", "walk_two", "walk_three", "walk_back", "meaning", "best_pair", "teams")
_NODE = ("papers", "activity", "recent", "coauthors", "team_size", "last", "first", "newcomers")
FEATURES = (
    *("adamic_adar", "adamic_adar_fresh", "common", "walk_two", "walk_three", "walk_two_back"),
    *("walk_three_back", "walk_back", "teams", "best_team", "circles", "circle_of_mine", "circle_of_theirs"),
    *("meaning", "best_pair", "mean_best", "recent_meaning"),
    *(f"{name}_rank" for name in _RANKED),
    *(f"their_{name}" for name in _NODE),
    *(f"my_{name}" for name in _NODE),
)


Rows = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Pool:
    """The candidates (numbers) for each person who was asked about, and the walks that found them."""

    asked: np.ndarray
    candidates: list[np.ndarray]
    common: sparse.csr_matrix
    two: sparse.csr_matrix
    three: sparse.csr_matrix

    @property
    def rows(self) -> np.ndarray:
        """For each pair, the place of the person who was asked about."""
        return np.repeat(np.arange(len(self.asked)), [len(c) for c in self.candidates])


class Partners:
    """Looks for people with whom a person has not written yet."""

    def __init__(self, network: Network, vectors: Rows, *, wider: float = 1.0) -> None:
        """``vectors`` gives the rows (shape (n, dimension)) of papers by their numbers in the network.

        Each source gives ``wider`` times as many candidates as :data:`POOL` says.
        """
        self.network = network
        self._most = {source: round(wider * most) for source, most in POOL.items()}
        self._vectors = vectors

    # -- who can be suggested ----------------------------------------------------------------------

    @cached_property
    def eligible(self) -> np.ndarray:
        """Who has papers enough to be suggested: booleans over everybody."""
        return np.asarray(self.network.count >= LEAST_PAPERS)

    @cached_property
    def _able(self) -> np.ndarray:
        return np.flatnonzero(self.eligible)

    def active(self, people: np.ndarray) -> np.ndarray:
        """Which of some people can be suggested: they have papers enough, and not only long ago."""
        network = self.network
        able = network.counts(people) >= LEAST_PAPERS
        able[able] = network.silence(people[able]) <= SILENT
        return np.asarray(able)

    # -- directions of work ------------------------------------------------------------------------

    def _directions(self, people: np.ndarray, half_life: float) -> np.ndarray:
        """Unit directions of people's summed papers, which age at this rate."""
        sums = []
        for start in range(0, len(people), 5_000):
            part = self.network.wrote_rows(people[start : start + 5_000])
            used, inverse = np.unique(part.indices, return_inverse=True)
            aged = (0.5 ** (self.network.ages(used) / half_life)).astype(np.float32)[inverse]
            small = sparse.csr_matrix((part.data * aged, inverse, part.indptr), (part.shape[0], len(used)))
            sums.append(small @ self._rows(used))
        summed = np.concatenate(sums) if sums else np.zeros((0, 1), np.float32)
        length = np.linalg.norm(summed, axis=1)
        return np.asarray(summed / np.maximum(length, 1e-9)[:, None], np.float32)

    def directions(self, people: np.ndarray) -> np.ndarray:
        """The direction of each person's work, with newer papers counting more; float32, unit rows."""
        return self._directions(people, HALF_LIFE)

    def _rows(self, papers: np.ndarray) -> np.ndarray:
        return self._vectors(papers).astype(np.float32)

    @cached_property
    def _work(self) -> np.ndarray:
        """The directions of people who can be suggested, with newer papers counting more."""
        return self._directions(self._able, HALF_LIFE)

    @cached_property
    def _lately(self) -> np.ndarray:
        """Their directions over the last months."""
        return self._directions(self._able, LATELY).astype(np.float16)

    @cached_property
    def _place(self) -> np.ndarray:
        """Each person's row of :attr:`_work`."""
        return np.cumsum(self.eligible) - 1

    def _candidate_directions(self, people: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(work, work of the last months, the row of each of these people in both)."""
        return self._work, self._lately, self._place[people]

    def _near(self, directions: np.ndarray) -> Iterator[np.ndarray]:
        """For each direction the people with the closest work who have papers enough."""
        for row in directions @ self._work.T:
            yield self._able[_best(row, self._most["text"])]

    @property
    def by_degree(self) -> sparse.dia_matrix:
        """The weight of a shared coauthor (Adamic and Adar 2003)."""
        return sparse.diags(_rarity(self.network.degree))

    def _by_degree(self, met: sparse.csr_matrix) -> sparse.csr_matrix:
        weights = _rarity(self.network.degrees(met.indices))
        return sparse.csr_matrix((met.data * weights, met.indices, met.indptr), met.shape)

    def closeness(self, asked: np.ndarray) -> Iterator[np.ndarray]:
        """Everybody's closeness of work to each of these people, 0 for those who can't be suggested."""
        products = self._directions(asked, HALF_LIFE) @ self._work.T
        for row in products:
            everybody = np.zeros(len(self.network), np.float32)
            everybody[self._able] = row
            yield everybody

    # -- candidates --------------------------------------------------------------------------------

    def pool(self, people: np.ndarray, *, strangers: bool = True) -> Pool:
        """The candidates (numbers) for each of these people; ``strangers`` leaves out present coauthors."""
        network = self.network
        common = through(self._by_degree(network.met_rows(people)), network.met_rows)
        two = through(network.step_rows(people), network.step_rows)
        three = through(two, network.step_rows)
        near_ones = self._near(self._directions(people, HALF_LIFE))
        chosen = []
        for row, (person, near) in enumerate(zip(people.tolist(), near_ones, strict=True)):
            parts = [near[self.active(near)]]
            for matrix, source in ((common, "common"), (two, "two"), (three, "three")):
                part = slice(matrix.indptr[row], matrix.indptr[row + 1])
                able = self.active(matrix.indices[part])
                candidates, values = matrix.indices[part][able], matrix.data[part][able]
                parts.append(candidates[_best(values, self._most[source])])
            candidates = distinct(np.concatenate(parts))
            candidates = candidates[candidates != person]
            if strangers:
                candidates = candidates[~is_in(candidates, network.ever_of(person))]
            chosen.append(candidates)
        return Pool(people, chosen, common, two, three)

    def compare(self, pool: Pool) -> np.ndarray:
        """The features of each pair: float32, shape (pairs, features), in the order of :data:`FEATURES`."""
        network, asked, columns = self.network, pool.asked, pool.candidates
        rows = pool.rows
        theirs = np.concatenate(columns) if columns else np.zeros(0, np.int64)
        mine = asked[rows]
        work, lately, places = self._candidate_directions(theirs)
        two, three = of_rows(pool.two, columns), of_rows(pool.three, columns)
        back = network.strengths(mine) / np.maximum(network.strengths(theirs), 1e-9)
        met, circle = network.met_rows(asked), network.circle_rows(asked)
        teams = through(met, network.team_rows)
        best_pair, mean_best, best_team = self._papers_of(pool, teams)
        from_circle = through(circle, network.step_rows)
        their_circles = network.circle_rows(theirs)
        features = {
            "adamic_adar": of_rows(pool.common, columns),
            "adamic_adar_fresh": of_rows(through(self._by_degree(met), network.met_fresh_rows), columns),
            "common": of_rows(through(met, network.met_rows), columns),
            "walk_two": two,
            "walk_three": three,
            "walk_two_back": two * back,
            "walk_three_back": three * back,
            "walk_back": (two + three) * back,
            "teams": of_rows(through(teams, network.fresh_writer_rows), columns),
            "best_team": best_team,
            "circles": _in_circles(from_circle, their_circles, columns),
            "circle_of_mine": of_rows(from_circle, columns),
            "circle_of_theirs": _in_circles(network.step_rows(asked), their_circles, columns),
            "meaning": _products(self._directions(asked, HALF_LIFE), work, rows, places),
            "best_pair": best_pair,
            "mean_best": mean_best,
            "recent_meaning": _products(self._directions(asked, LATELY), lately, rows, places),
        }
        ends = np.cumsum([len(c) for c in columns])[:-1]
        for name in _RANKED:
            ranks = [np.argsort(np.argsort(-part, kind="stable")) for part in np.split(features[name], ends)]
            features[f"{name}_rank"] = np.log1p(np.concatenate(ranks))
        their_nodes, my_nodes = network.nodes(theirs), network.nodes(asked)
        for name in _NODE:
            features[f"their_{name}"], features[f"my_{name}"] = their_nodes[name], my_nodes[name][rows]
        return np.stack([np.asarray(features[name], np.float32) for name in FEATURES], axis=1)

    def _papers_of(self, pool: Pool, teams: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Closest pair of papers, mean over theirs of the closest of mine, most of my coauthors on one."""
        network = self.network
        best, mean, team = [], [], []
        for row, (person, candidates) in enumerate(zip(pool.asked.tolist(), pool.candidates, strict=True)):
            if not len(candidates):
                continue
            mine = network.wrote_rows(np.array([person])).indices
            mine = mine[np.argsort(network.ages(mine), kind="stable")[:_MOST_MINE]]
            theirs = network.wrote_rows(candidates)
            used, inverse = np.unique(theirs.indices, return_inverse=True)
            closest = (self._rows(used) @ self._rows(mine).T).max(axis=1)[inverse]
            starts = theirs.indptr[:-1]
            best.append(np.maximum.reduceat(closest, starts))
            mean.append(np.add.reduceat(closest, starts) / np.diff(theirs.indptr))
            part = slice(teams.indptr[row], teams.indptr[row + 1])
            share = np.zeros(len(used), np.float32)
            at = np.minimum(np.searchsorted(used, teams.indices[part]), len(used) - 1)
            hit = used[at] == teams.indices[part]
            share[at[hit]] = teams.data[part][hit]
            team.append(np.maximum.reduceat(share[inverse], starts))
        empty = [np.zeros(0, np.float32)]
        return np.concatenate(best or empty), np.concatenate(mean or empty), np.concatenate(team or empty)


def _products(one: np.ndarray, other: np.ndarray, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The scalar product of row ``rows[i]`` of one with row ``places[i]`` of the other."""
    out = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), 20_000):
        part = slice(start, start + 20_000)
        out[part] = np.einsum("ij,ij->i", one[rows[part]], other[places[part]].astype(np.float32))
    return out


def _in_circles(left: sparse.csr_matrix, circles: sparse.csr_matrix, columns: list[np.ndarray]) -> np.ndarray:
    """For each pair the product of the asked person's row with the candidate's circle, float32."""
    out, done = [], 0
    for row, candidates in enumerate(columns):
        theirs = circles[done : done + len(candidates)]
        part = slice(left.indptr[row], left.indptr[row + 1])
        order = np.argsort(left.indices[part])
        people, values = left.indices[part][order], left.data[part][order]
        at = np.minimum(np.searchsorted(people, theirs.indices), max(len(people) - 1, 0))
        hit = people[at] == theirs.indices if len(people) else np.zeros(len(at), bool)
        products = np.zeros(len(at), np.float32)
        products[hit] = values[at[hit]] * theirs.data[hit]
        owner = np.repeat(np.arange(len(candidates)), np.diff(theirs.indptr))
        out.append(np.bincount(owner, products, len(candidates)).astype(np.float32))
        done += len(candidates)
    return np.concatenate(out) if out else np.zeros(0, np.float32)


def _rarity(degree: np.ndarray) -> np.ndarray:
    return np.asarray(1 / np.log(np.maximum(degree, 2)), np.float32)


def _best(values: np.ndarray, most: int) -> np.ndarray:
    """The places of the highest values, unordered."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(-values, most - 1)[:most]
