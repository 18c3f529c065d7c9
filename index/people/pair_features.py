"""Candidates for a first joint paper, with features from the graph, the texts and people's activity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from index.people.network import HALF_LIFE, RECENT, Network, of_rows

LEAST_PAPERS = 3
"""The number of papers that a person needs to be suggested; fewer tell too little."""
POOL = {"common": 400, "two": 400, "three": 600, "text": 300}
"""How many candidates come from shared coauthors, two and three steps of the walk, and closeness of work."""
SILENT = 400.0
"""Days without a paper, at the pace of :mod:`index.people.network`, after which nobody is suggested."""
_LATELY = 90.0
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
        self.eligible = network.count >= LEAST_PAPERS
        self._able = np.flatnonzero(self.eligible)
        self.active = self.eligible & (network.extremes()[1] <= SILENT) if len(network) else self.eligible
        self._age = network.today - network.days

    def _directions(self, people: np.ndarray, half_life: float) -> tuple[np.ndarray, np.ndarray]:
        """Unit directions and lengths of people's summed papers, which age at this rate."""
        matrix = self.network.wrote[people] @ sparse.diags(
            (0.5 ** (self._age / half_life)).astype(np.float32)
        )
        sums = []
        for start in range(0, len(people), 5_000):
            part = matrix[start : start + 5_000]
            used, inverse = np.unique(part.indices, return_inverse=True)
            small = sparse.csr_matrix((part.data, inverse, part.indptr), (part.shape[0], len(used)))
            sums.append(small @ self._rows(used))
        summed = np.concatenate(sums) if sums else np.zeros((0, 1), np.float32)
        length = np.linalg.norm(summed, axis=1)
        return (summed / np.maximum(length, 1e-9)[:, None]).astype(np.float32), length

    def directions(self, people: np.ndarray) -> np.ndarray:
        """The direction of each person's work, with newer papers counting more; float32, unit rows."""
        return self._directions(people, HALF_LIFE)[0]

    def _rows(self, papers: np.ndarray) -> np.ndarray:
        return self._vectors(papers).astype(np.float32)

    @cached_property
    def _work(self) -> np.ndarray:
        """The directions of people who can be suggested, with newer papers counting more."""
        return self._directions(self._able, HALF_LIFE)[0]

    @cached_property
    def _lately(self) -> np.ndarray:
        """Their directions over the last months."""
        return self._directions(self._able, _LATELY)[0].astype(np.float16)

    @cached_property
    def _place(self) -> np.ndarray:
        """Each person's row of :attr:`_work`."""
        return np.cumsum(self.eligible) - 1

    @cached_property
    def _node(self) -> dict[str, np.ndarray]:
        network = self.network
        first, last = network.extremes()
        return {
            "papers": network.count,
            "activity": network.summed(network.fresh),
            "recent": network.summed(network.days >= network.today - RECENT),
            "coauthors": network.degree,
            "team_size": network.summed(np.log(network.authors)) / network.count,
            "last": last,
            "first": first,
            "newcomers": network.newcomers,
        }

    @cached_property
    def _met_fresh(self) -> sparse.csr_matrix:
        network = self.network
        return network.joined(np.where(network.joins, network.fresh, 0.0))

    @cached_property
    def by_degree(self) -> sparse.dia_matrix:
        """The weight of a shared coauthor (Adamic and Adar 2003)."""
        return sparse.diags((1 / np.log(np.maximum(self.network.degree, 2))).astype(np.float32))

    @cached_property
    def _team(self) -> sparse.csr_matrix:
        """People x papers: 1 / authors for each joining paper."""
        network = self.network
        return (network.wrote @ sparse.diags((network.joins / network.authors).astype(np.float32))).tocsr()

    @cached_property
    def _fresh_authors(self) -> sparse.csr_matrix:
        """Papers x people, by age."""
        return (sparse.diags(self.network.fresh) @ self.network.wrote.T).tocsr()

    def closeness(self, asked: np.ndarray) -> Iterator[np.ndarray]:
        """Everybody's closeness of work to each of these people, 0 for those who can't be suggested."""
        products = self._directions(asked, HALF_LIFE)[0] @ self._work.T
        for row in products:
            everybody = np.zeros(len(self.network), np.float32)
            everybody[self._able] = row
            yield everybody

    # -- candidates --------------------------------------------------------------------------------

    def pool(self, people: np.ndarray, *, strangers: bool = True) -> Pool:
        """The candidates (numbers) for each of these people; ``strangers`` leaves out present coauthors."""
        network = self.network
        common = (network.met[people] @ self.by_degree @ network.met).tocsr()
        two = (network.step[people] @ network.step).tocsr()
        three = (two @ network.step).tocsr()
        closeness = self._directions(people, HALF_LIFE)[0] @ self._work.T
        chosen = []
        for row, person in enumerate(people.tolist()):
            near = self._able[_best(closeness[row], self._most["text"])]
            parts = [near[self.active[near]]]
            for matrix, source in ((common, "common"), (two, "two"), (three, "three")):
                part = slice(matrix.indptr[row], matrix.indptr[row + 1])
                able = self.active[matrix.indices[part]]
                candidates, values = matrix.indices[part][able], matrix.data[part][able]
                parts.append(candidates[_best(values, self._most[source])])
            candidates = np.unique(np.concatenate(parts))
            candidates = candidates[candidates != person]
            if strangers:
                ever = network.ever
                known = ever.indices[ever.indptr[person] : ever.indptr[person + 1]]
                candidates = candidates[~np.isin(candidates, known)]
            chosen.append(candidates)
        return Pool(people, chosen, common, two, three)

    def compare(self, pool: Pool) -> np.ndarray:
        """The features of each pair: float32, shape (pairs, features), in the order of :data:`FEATURES`."""
        network, asked, columns = self.network, pool.asked, pool.candidates
        rows = pool.rows
        theirs = np.concatenate(columns) if columns else np.zeros(0, np.int64)
        mine, places = asked[rows], self._place[theirs]
        two, three = of_rows(pool.two, columns), of_rows(pool.three, columns)
        back = network.strength[mine] / np.maximum(network.strength[theirs], 1e-9)
        met, circle = network.met[asked], network.circle[asked]
        teams = (met @ self._team).tocsr()
        best_pair, mean_best, best_team = self._papers_of(pool, teams)
        features = {
            "adamic_adar": of_rows(pool.common, columns),
            "adamic_adar_fresh": of_rows((met @ self.by_degree @ self._met_fresh).tocsr(), columns),
            "common": of_rows((met @ network.met).tocsr(), columns),
            "walk_two": two,
            "walk_three": three,
            "walk_two_back": two * back,
            "walk_three_back": three * back,
            "walk_back": (two + three) * back,
            "teams": of_rows((teams @ self._fresh_authors).tocsr(), columns),
            "best_team": best_team,
            "circles": of_rows((circle @ network.step @ network.in_circles).tocsr(), columns),
            "circle_of_mine": of_rows((circle @ network.step).tocsr(), columns),
            "circle_of_theirs": of_rows((network.step[asked] @ network.in_circles).tocsr(), columns),
            "meaning": _products(self._directions(asked, HALF_LIFE)[0], self._work, rows, places),
            "best_pair": best_pair,
            "mean_best": mean_best,
            "recent_meaning": _products(self._directions(asked, _LATELY)[0], self._lately, rows, places),
        }
        ends = np.cumsum([len(c) for c in columns])[:-1]
        for name in _RANKED:
            ranks = [np.argsort(np.argsort(-part, kind="stable")) for part in np.split(features[name], ends)]
            features[f"{name}_rank"] = np.log1p(np.concatenate(ranks))
        for name in _NODE:
            features[f"their_{name}"], features[f"my_{name}"] = (
                self._node[name][theirs],
                self._node[name][mine],
            )
        return np.stack([np.asarray(features[name], np.float32) for name in FEATURES], axis=1)

    def _papers_of(self, pool: Pool, teams: sparse.csr_matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Closest pair of papers, mean over theirs of the closest of mine, most of my coauthors on one."""
        wrote, days = self.network.wrote, self.network.days
        best, mean, team = [], [], []
        share = np.zeros(len(self.network.papers), np.float32)
        for row, (person, candidates) in enumerate(zip(pool.asked.tolist(), pool.candidates, strict=True)):
            if not len(candidates):
                continue
            mine = wrote.indices[wrote.indptr[person] : wrote.indptr[person + 1]]
            mine = mine[np.argsort(-days[mine], kind="stable")[:_MOST_MINE]]
            theirs = wrote[candidates]
            used, inverse = np.unique(theirs.indices, return_inverse=True)
            closest = (self._rows(used) @ self._rows(mine).T).max(axis=1)[inverse]
            starts = theirs.indptr[:-1]
            best.append(np.maximum.reduceat(closest, starts))
            mean.append(np.add.reduceat(closest, starts) / np.diff(theirs.indptr))
            part = slice(teams.indptr[row], teams.indptr[row + 1])
            share[teams.indices[part]] = teams.data[part]
            team.append(np.maximum.reduceat(share[theirs.indices], starts))
            share[teams.indices[part]] = 0.0
        empty = [np.zeros(0, np.float32)]
        return np.concatenate(best or empty), np.concatenate(mean or empty), np.concatenate(team or empty)


def _products(one: np.ndarray, other: np.ndarray, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The scalar product of row ``rows[i]`` of one with row ``places[i]`` of the other."""
    out = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), 20_000):
        part = slice(start, start + 20_000)
        out[part] = np.einsum("ij,ij->i", one[rows[part]], other[places[part]].astype(np.float32))
    return out


def _best(values: np.ndarray, most: int) -> np.ndarray:
    """The places of the highest values, unordered."""
    if len(values) <= most:
        return np.arange(len(values))
    return np.argpartition(-values, most - 1)[:most]
