"""Sets as ascending arrays: NumPy's own functions say the same."""

import numpy as np
import pytest

from index.models.distinct import common, distinct, is_in


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint64, np.uint16])
@pytest.mark.parametrize(("count", "top"), [(0, 5), (1, 5), (2, 1), (500, 40), (500, 60_000)])
def test_they_say_what_numpy_says(kind, count, top):
    rng = np.random.default_rng(count + top)
    one, other = (rng.integers(0, top, size).astype(kind) for size in (count, count // 2))
    for ours, theirs in (
        (distinct(one), np.unique(one)),
        (distinct(one.reshape(-1, 1)), np.unique(one)),
        (common(one, other), np.intersect1d(one, other)),
        (is_in(one, distinct(other)), np.isin(one, other)),
    ):
        assert ours.dtype == theirs.dtype
        assert np.array_equal(ours, theirs)


def test_the_largest_keys_stay_apart():
    keys = np.array([2**64 - 1, 2**64 - 2, 2**63, 2**63 - 1, 2**64 - 1], np.uint64)
    assert distinct(keys).tolist() == sorted(set(keys.tolist()))
    assert is_in(keys, keys[1:2]).tolist() == [False, True, False, False, False]
