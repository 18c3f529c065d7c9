"""Topics are found by their phrases, and completed as somebody types."""

from __future__ import annotations

import numpy as np
import pytest

from index.people.topic_names import TopicNames
from index.people.topics import Topics

TEXTS = [
    (
        "Gradient compression for distributed training",
        "We study gradient compression in distributed training.",
    ),
    (
        "In-network aggregation",
        "In-network aggregation speeds up distributed training on programmable switches.",
    ),
    ("Graph neural networks at scale", "Graph neural networks need distributed training, too."),
    ("Graph neural networks for chemistry", "We apply graph neural networks to molecules."),
] * 3


@pytest.fixture(scope="module")
def names() -> TopicNames:
    return TopicNames(Topics.build(range(1, len(TEXTS) + 1), TEXTS, upto=1))


def test_every_topic_is_found_by_its_phrase_in_any_case(names):
    assert len(names.topics) > 2
    for column, phrase in enumerate(names.topics.phrases):
        for typed in (phrase, phrase.upper()):
            found = names.find(typed)
            assert found is not None
            assert (found.phrase.lower(), found.column) == (phrase.lower(), column)


@pytest.mark.parametrize("typed", ["", "distributed", "istributed training", "distributed trainings", "é"])
def test_what_is_not_a_whole_phrase_is_none(names, typed):
    assert typed in names.topics.phrases or names.find(typed) is None


def test_a_word_s_beginning_is_completed_and_its_middle_is_not(names):
    assert "distributed training" in [topic.phrase for topic in names.complete("train")]
    assert names.complete("raining") == []
    assert names.complete("d") == []


def test_topics_with_most_papers_come_first(names):
    counts = [topic.papers for topic in names.largest(50)]
    assert counts == sorted(counts, reverse=True)
    assert [topic.papers for topic in names.complete("gra")] == sorted(
        (topic.papers for topic in names.complete("gra")), reverse=True
    )


def test_a_phrase_within_others_is_found_as_itself_alone():
    phrases = ["deep nets", "nets", "net", "e"]

    class Packed:
        def packed(self):
            ends = np.cumsum([0, *(len(phrase) for phrase in phrases)])
            return "".join(phrases).encode(), ends, np.arange(len(phrases))

    packed = Packed()
    packed.phrases = phrases
    names = TopicNames(packed)
    assert [names.find(phrase).column for phrase in phrases] == [0, 1, 2, 3]
    assert [names.find(typed) for typed in ("t", "ts", "netse", "deep", "é", 200 * "e")] == 6 * [None]
