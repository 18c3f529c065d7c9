"""Scalar products of rows of sparse matrices, by whichever way is quickest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from index.identity import statistics
from index.identity.statistics import pair_products, row_products


def some(rows: int, columns: int, share: float, seed: int, *, in_order: bool = True) -> sparse.csr_matrix:
    made = sparse.random(rows, columns, share, "csr", np.float32, np.random.default_rng(seed))
    made.sort_indices()
    return made if in_order else (made @ sparse.random(columns, columns, 0.2, "csr", np.float32, 7)).tocsr()


@pytest.mark.parametrize("in_order", [True, False])
@pytest.mark.parametrize("lefts", [3, 400])
def test_looked_up_rows_give_what_scipy_gives_to_the_last_bit(
    monkeypatch: pytest.MonkeyPatch, lefts: int, in_order: bool
) -> None:
    """With few long rows there is a table of them; with many there are none."""
    draw = np.random.default_rng(2)
    one, other = some(400, 900, 0.3, 0, in_order=in_order), some(500, 900, 0.004, 1)
    assert bool(one.has_sorted_indices) is in_order
    left, right = draw.integers(0, lefts, 2_000), draw.integers(0, 500, 2_000)
    right[:3] = np.flatnonzero(np.diff(other.indptr) == 0)[:1]
    wanted = np.asarray(one[left].multiply(other[right]).sum(axis=1)).ravel()
    assert np.count_nonzero(wanted) > 1_000
    looked_up = statistics._products_by_lookup(one, other, left, right)
    np.testing.assert_array_equal(looked_up, wanted)
    monkeypatch.setattr(statistics, "_LONG", np.inf)
    np.testing.assert_array_equal(row_products(one, other, left, right), wanted)


@pytest.mark.parametrize("rows", [60, 2_000], ids=["most pairs", "few pairs"])
def test_pairs_of_a_matrix_have_the_same_products_either_way(rows: int) -> None:
    draw, matrix = np.random.default_rng(3), some(rows, 500, 0.1, 4)
    left, right = draw.integers(0, rows, (2, 3_000))
    products = pair_products(matrix, left, right)
    assert products.dtype == np.float32
    np.testing.assert_allclose(products, row_products(matrix, matrix, left, right), rtol=1e-5, atol=1e-6)
    assert pair_products(matrix, left[:0], right[:0]).shape == (0,)
