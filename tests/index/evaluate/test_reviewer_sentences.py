"""A submission and a person's papers, compared sentence by sentence."""

from __future__ import annotations

import pytest

from index.evaluate.reviewer_sentences import WEIGHED, PaperSentences
from index.search.embedding import Embedder

TEXTS = [
    (
        "Training on many GPUs",
        "We train language models on clusters of GPUs. Failed nodes are replaced quickly.",
    ),
    ("Bees and flowers", "We study how bees find flowers. Bees prefer blue flowers to red ones."),
    (
        "Recovery of failed nodes",
        "Large clusters fail often. We restart training on spare GPUs within seconds.",
    ),
]


@pytest.fixture(scope="module")
def sentences():
    return PaperSentences([4, 7, 9], TEXTS, Embedder())


def test_a_submission_is_nearer_to_work_of_its_kind(sentences):
    near, far = sentences.late([9], [4]), sentences.late([9], [7])
    assert near.keys() == WEIGHED.keys()
    assert all(near[name] > far[name] + 0.2 for name in WEIGHED)


def test_its_own_sentences_are_as_near_as_can_be(sentences):
    [value] = sentences.late([4], [7, 4])["all"]
    assert value == pytest.approx(1.0, abs=0.01)
