"""What joins two papers gives the same numbers by whichever way is quickest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from index.identity import evidence, statistics
from index.identity.authorships import Authorships
from index.identity.evidence import FEATURES, Evidence
from index.identity.statistics import Background, pair_products, row_products


def some(rows: int, columns: int, share: float, seed: int, *, in_order: bool = True) -> sparse.csr_matrix:
    draw = np.random.default_rng(seed)
    made = sparse.random(rows, columns, share, "csr", np.float32, draw)
    made.sort_indices()
    if in_order:
        return made
    row = np.repeat(np.arange(rows), np.diff(made.indptr))
    order = np.lexsort((draw.random(made.nnz), row))
    return sparse.csr_matrix((made.data[order], made.indices[order], made.indptr), made.shape)


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("lefts", [3, 80])
def test_looked_up_rows_give_what_scipy_gives_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, lefts: int, in_order: bool
) -> None:
    """Three long rows are laid out as a table; eighty are sorted."""
    draw, sorted_rows = np.random.default_rng(2), []
    one, other = some(400, 900, 0.02, 0, in_order=in_order), some(500, 900, 0.004, 1)
    assert bool(one.has_sorted_indices) is in_order
    left, right = draw.integers(0, lefts, 1_000), draw.integers(0, 500, 1_000)
    right[:3] = np.flatnonzero(np.diff(other.indptr) == 0)[:1]
    wanted = np.asarray(one[left].multiply(other[right]).sum(axis=1)).ravel()
    assert np.count_nonzero(wanted) > 10
    real = sparse.csr_matrix.sort_indices
    monkeypatch.setattr(
        sparse.csr_matrix, "sort_indices", lambda matrix: [sorted_rows.append(matrix.shape[0]), real(matrix)]
    )
    rows, place = np.unique(left, return_inverse=True)
    looked_up = statistics._products_by_lookup(one, other, rows, place, right)
    np.testing.assert_array_equal(looked_up, wanted)
    assert sorted_rows == ([80] if lefts == 80 else [])
    for recur in (0, np.inf):
        monkeypatch.setattr(statistics, "RECUR", recur)
        np.testing.assert_array_equal(row_products(one, other, left, right), wanted)


def test_rows_without_any_entry_have_products_of_zero() -> None:
    one, nothing = some(4, 50, 0.5, 0), sparse.csr_matrix((4, 50), dtype=np.float32)
    left, right = np.repeat([0, 1], 20), np.repeat([2, 3], 20)
    for pair in ((one, nothing), (nothing, one), (nothing, nothing)):
        np.testing.assert_array_equal(row_products(*pair, left, right), np.zeros(40, np.float32))
    np.testing.assert_array_equal(pair_products(nothing, left, right), np.zeros(40, np.float32))


def test_what_only_rounding_tells_apart_is_as_close() -> None:
    """A small corpus has the same few pairs in the background thousands of times."""
    close = np.repeat(np.array([0.1, 0.3, 0.7], np.float32), [3_000, 2_000, 1_000])
    background = Background.of(np.full(6_000, 2, np.int8), close)
    values = np.array([0.3, 0.7, 0.0], np.float32)
    kinds = np.full(3, 2, np.int8)
    as_they_are = background.rarity(kinds, values)
    for other in (np.nextafter(values, np.float32(1)), np.nextafter(values, np.float32(0))):
        np.testing.assert_array_equal(background.rarity(kinds, other), as_they_are)
    assert as_they_are[0] == pytest.approx(-np.log10(3_000.5 / 6_001))
    assert background.rarity(np.full(1, 2, np.int8), np.array([0.31], np.float32)) > as_they_are[0]


@pytest.mark.parametrize("rows", [60, 2_000], ids=["many pairs", "few pairs"])
def test_pairs_of_a_matrix_have_the_same_products_either_way(rows: int) -> None:
    draw, matrix = np.random.default_rng(3), some(rows, 500, 0.1, 4)
    left, right = draw.integers(0, rows, (2, 3_000))
    products = pair_products(matrix, left, right)
    assert products.dtype == np.float32
    np.testing.assert_allclose(products, row_products(matrix, matrix, left, right), rtol=1e-5, atol=1e-6)
    assert pair_products(matrix, left[:0], right[:0]).shape == (0,)


def test_meetings_are_the_same_author_by_author_and_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some papers have more than 60 authors; those say nothing about who works with whom."""
    draw = np.random.default_rng(5)
    sizes = np.append(draw.integers(1, 30, 150), [1, 70, 90])
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    names = [f"A{chr(97 + n % 26)} B{chr(97 + n // 26)}" for n in range(300)]
    printed = [str(name) for size in sizes for name in draw.choice(names, size, replace=False)]
    papers = len(sizes)
    authorships = Authorships(
        offsets,
        printed,
        ["Some words"] * papers,
        np.ones((papers, 4), np.float32),
        np.arange(1, papers + 1),
        np.ones(papers, bool),
    )
    comparing = Evidence(authorships)
    one, other = draw.integers(0, len(printed), (2, 4_000))
    looked_up, real = [], evidence._Nearby._look_up

    def look_up(near, left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
        looked_up.append(int(near._size[right].sum()))
        real(near, left, right, out)

    monkeypatch.setattr(evidence._Nearby, "_look_up", look_up)
    told = []
    for lookup in (0, 1e9):
        monkeypatch.setattr(evidence, "_LOOKUP", lookup)
        monkeypatch.setattr(evidence, "_LOOKUPS", 5_000)
        told.append(comparing.compare(one, other))
    met = told[0][:, FEATURES.index("coauthors_met")]
    assert np.count_nonzero(met) > 1_000
    np.testing.assert_array_equal(*told)
    assert len(looked_up) > 10
    assert max(looked_up) <= 5_000, "papers with more than 60 authors should be skipped"
