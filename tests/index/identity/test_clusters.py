"""Groups of new authorships among known people: compared by rows of the new ones alone."""

from __future__ import annotations

import numpy as np
import pytest

from index.identity.clusters import _COLUMNS, CROWD, HOPEFUL, Block
from index.identity.evidence import FEATURES


def pairs_of(known: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Symmetric scores and features of all pairs of a name's authorships."""
    draw, n = np.random.default_rng(seed), len(known)
    scores = draw.normal(0, 3, (n, n)).astype(np.float32)
    features = draw.random((n, n, len(FEATURES)), np.float32)
    return scores + scores.T, features + features.transpose(1, 0, 2)


def anchored(known: np.ndarray, scores: np.ndarray, features: np.ndarray, papers: np.ndarray) -> Block:
    fresh = np.flatnonzero(known < 0)
    flat = features[fresh].reshape(-1, len(FEATURES))
    return Block.anchored(np.arange(len(known)), known, scores[fresh].ravel(), flat, papers, -0.6)


@pytest.mark.parametrize("seed", range(8))
def test_rows_of_the_new_ones_say_what_the_whole_square_says(seed):
    draw = np.random.default_rng(seed)
    known = draw.integers(-1, 4, 25)
    known[:3] = -1, 0, -1
    papers = draw.integers(0, 20, 25)
    scores, features = pairs_of(known, seed)
    by_rows = anchored(known, scores, features, papers)
    for square in (scores, *features.transpose(2, 0, 1)):
        np.fill_diagonal(square, 0.0)
    apart = (papers[:, None] == papers) & ~np.eye(25, dtype=bool)
    evidence = features.transpose(2, 0, 1)[_COLUMNS]
    whole = Block(np.arange(25), scores, evidence, apart, by_rows.groups, by_rows.anchors)
    whole.prior, whole.name_odds = by_rows.prior, by_rows.name_odds
    for block in (by_rows, whole):
        block.keep_apart(0, 1)
        block.keep_apart(1, 2)
    (pairs, told), (same_pairs, same) = by_rows.merge_features(), whole.merge_features()
    assert len(pairs)
    np.testing.assert_array_equal(pairs, same_pairs)
    np.testing.assert_allclose(told, same, rtol=1e-4, atol=1e-4)
    free = [place for place, anchor in enumerate(by_rows.anchors) if anchor < 0]
    for place in free:
        for group in by_rows.groups:
            one = by_rows.groups[place]
            assert by_rows.likely(one, group) == pytest.approx(whole.likely(one, group), abs=1e-5)
    assert all(by_rows.anchors[a] < 0 or by_rows.anchors[b] < 0 for a, b in pairs)


def test_one_new_authorship_among_thousands_of_known_ones_takes_one_row():
    known = np.arange(3_000) // 3
    known[7] = -1
    scores = np.full(3_000, -5.0, np.float32)
    features = np.zeros((3_000, len(FEATURES)), np.float32)
    block = Block.anchored(np.arange(3_000), known, scores, features, np.arange(3_000), -0.6)
    assert block.scores.shape == block.apart.shape == (1, 3_000)
    pairs, told = block.merge_features()
    assert len(pairs) == len(told) == len(block.groups) - 1
    assert told.nbytes + block.evidence.nbytes < 1_000_000


@pytest.mark.parametrize("known", [np.full(80, -1), np.repeat([-1, -1, 3, 4], 20)], ids=["new", "known too"])
def test_of_many_groups_those_without_a_likely_pair_are_left_out(known: np.ndarray) -> None:
    scores, features = pairs_of(known, 1)
    block = anchored(known, scores - 12, features, np.arange(80))
    assert len(block.groups) >= CROWD
    pairs, told = block.merge_features()
    some, told_of_some = block.merge_features(cut=5.0)
    hopeful = told[:, 0] >= HOPEFUL
    assert 0 < hopeful.sum() < len(pairs) / 4
    np.testing.assert_array_equal(some, pairs[hopeful])
    np.testing.assert_allclose(told_of_some, told[hopeful], rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(block.merge_features(cut=1.0)[0], pairs)  # less evidence is enough
    block.name_odds = 0.1  # the name itself speaks for one person
    np.testing.assert_array_equal(block.merge_features(cut=5.0)[0], pairs)


def test_of_many_groups_in_couples_only_the_couples_are_looked_at() -> None:
    known = np.full(40, -1)
    scores, features = pairs_of(known, 1)
    scores = np.full_like(scores, -5.0)
    scores[np.arange(40), np.arange(40) ^ 1] = 2.0
    evidence = features.transpose(2, 0, 1)[_COLUMNS]
    single = [[place] for place in range(40)]
    block = Block(
        np.arange(40), scores, evidence, np.zeros((40, 40), bool), single, [-1] * 40, name_odds=-0.6
    )
    pairs, _ = block.merge_features(cut=5.0)
    np.testing.assert_array_equal(pairs, np.arange(40).reshape(20, 2))


def test_many_groups_without_any_likely_pair_stay_as_they_are() -> None:
    known = np.full(40, -1)
    scores, features = pairs_of(known, 1)
    block = anchored(known, scores - 60, features, np.arange(40))
    pairs, told = block.merge_features(cut=5.0)
    assert pairs.shape == (0, 2)
    assert told.shape == (0, block.merge_features()[1].shape[1])
    assert not block.merge(pairs, np.zeros(0, np.float32), 5.0)
