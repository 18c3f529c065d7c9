"""Names with hundreds of authorships: whose papers stay together when they are sorted in parts."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from index.identity import large_names
from index.identity.large_names import LARGEST, parts, teams_of

PEOPLE, PAPERS = 20, 40


def incidence(coauthors: list[list[int]]) -> sparse.csr_matrix:
    """Authorships x names."""
    rows = np.repeat(np.arange(len(coauthors)), [len(names) for names in coauthors])
    columns = np.concatenate(coauthors)
    shape = len(coauthors), int(columns.max()) + 1
    return sparse.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape)


def weights(matrix: sparse.csr_matrix) -> np.ndarray:
    return np.ones(matrix.shape[1], np.float32)


def test_papers_with_the_same_coauthors_come_into_one_part_whatever_they_are_about():
    person = np.repeat(np.arange(PEOPLE), PAPERS)
    matrix = incidence([[2 * who, 2 * who + 1] for who in person])
    rng = np.random.default_rng(3)
    work = rng.standard_normal((len(person), 8))
    work[:, 0] += np.where(np.arange(len(person)) % 2, 20, -20)  # everybody has two fields

    teams = teams_of(matrix, weights(matrix))
    found = parts(np.arange(len(person)), work, teams)

    assert max(map(len, found)) <= LARGEST
    assert np.array_equal(np.sort(np.concatenate(found)), np.arange(len(person)))
    part_of = np.empty(len(person), int)
    for number, part in enumerate(found):
        part_of[part] = number
    for who in range(PEOPLE):
        assert len(set(part_of[person == who])) == 1


def test_a_chain_of_chance_coauthors_fills_no_part_with_one_team():
    chain = incidence([[n, n + 1] for n in range(5 * LARGEST)])
    teams = teams_of(chain, weights(chain))
    assert np.bincount(teams).max() <= LARGEST // 2
    work = np.random.default_rng(4).standard_normal((len(teams), 8))
    found = parts(np.arange(len(teams)), work, teams)
    assert max(map(len, found)) <= LARGEST
    assert sum(map(len, found)) == len(teams)


def test_the_strongest_links_come_first(monkeypatch):
    monkeypatch.setattr(large_names, "LARGEST", 4)  # two in a team
    matrix = incidence([[3], [0, 1, 2, 3], [0, 1, 2]])
    weak, one, other = teams_of(matrix, weights(matrix)).tolist()
    assert one == other != weak
    teams = teams_of(matrix, np.array([0.1, 0.1, 0.1, 5.0], np.float32)).tolist()
    assert teams[0] == teams[1] != teams[2], "one rare name says more than three common ones"


def test_authorships_without_shared_coauthors_are_teams_of_their_own():
    matrix = incidence([[n] for n in range(2 * LARGEST)])
    teams = teams_of(matrix, weights(matrix))
    assert len(np.unique(teams)) == 2 * LARGEST
    work = np.zeros((len(teams), 4))  # nothing tells them apart either
    assert sorted(map(len, parts(np.arange(len(teams)), work, teams))) == [LARGEST, LARGEST]
