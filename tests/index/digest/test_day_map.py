"""A day's papers as a map: regions that lie together, named by what sets them apart."""

import numpy as np
from scipy import sparse

from index.digest.day_map import day_map
from index.digest.encoder import Items


def world(groups=4, size=18, seed=0):
    rng = np.random.default_rng(seed)
    centres = np.eye(groups, 8)
    joint = np.repeat(centres, size, axis=0) + 0.1 * rng.normal(size=(groups * size, 8))
    joint = (joint / np.linalg.norm(joint, axis=1, keepdims=True)).astype(np.float32)
    words = np.zeros((groups * size, groups + 1), np.float32)
    for group in range(groups):
        words[group * size : (group + 1) * size, group] = 0.8
    words[:, -1] = 0.2
    return Items(sparse.csr_matrix(words), sparse.csr_matrix(words), joint, joint, joint), np.repeat(
        np.arange(groups), size
    )


VOCABULARY = ("gossip protocols", "speech recognition", "protein folding", "query rewriting", "paper")


def test_regions_are_what_lies_together_named_by_their_words():
    items, group = world()
    found = day_map(items, VOCABULARY)
    assert len(found.names) == 4
    assert set(found.names) == set(VOCABULARY[:4])
    for number, name in enumerate(found.names):
        assert set(group[found.region == number]) == {VOCABULARY.index(name)}
    assert np.array_equal(day_map(items, VOCABULARY).places, found.places), "the same for the same papers"


def test_a_region_without_a_topic_is_named_by_its_words():
    items, _ = world()
    names = day_map(items, VOCABULARY, lambda region: ["a topic", None, None, None]).names
    assert names[0] == "a topic"
    assert set(names[1:]) < set(VOCABULARY[:4])
