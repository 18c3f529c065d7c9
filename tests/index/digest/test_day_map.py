"""A day's papers as a map: regions that lie together, named by what sets them apart."""

import numpy as np
from scipy import sparse

from commands.cards.pictures import day_map_png
from index.digest.day_map import day_map
from index.digest.encoder import Items


def world(groups=4, size=30, seed=0):
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


def test_a_topic_names_a_region_where_one_is_known():
    items, _ = world()
    names = day_map(items, VOCABULARY, lambda rows: [f"topic {rows[0]}"]).names
    assert sum(name.startswith("topic") for name in names) == 1, "no word stands in two names"


def test_papers_on_one_spot_are_drawn_with_marks_apart():
    places = np.zeros((40, 2), np.float32)
    places[10:] = np.random.default_rng(0).normal(size=(30, 2))
    png = day_map_png(places, np.zeros(40, np.int64), ("everything",), 6)
    assert png.startswith(b"\x89PNG")
    few = day_map_png(np.zeros((3, 2), np.float32), np.zeros(3, np.int64), ("one",), 3)
    assert few.startswith(b"\x89PNG")
