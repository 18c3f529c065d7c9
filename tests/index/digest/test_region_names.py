"""Regions of a day's map are named by topics that fit their papers."""

import numpy as np
import pytest

from index.digest.region_names import region_names
from index.people.topic_directions import directions_of
from index.people.topics import Topics

SUBJECTS = {
    "dense retrieval": "query expansion",
    "robotic manipulation": "motion planning",
    "speech recognition": "voice cloning",
    "protein folding": "binding affinity",
}
ASIDE = "We close with a case study."


def library(*, papers=240, part=None):
    """Papers of four subjects, each in a region of its own and with its part; all have a case study."""
    rng = np.random.default_rng(1)
    texts, vectors, region = [], [], []
    for number in range(papers):
        at = number % 4
        [subject, own] = list(SUBJECTS.items())[at]
        say = (part or own) if number % 8 < 4 else subject
        texts.append((f"A study of {say}", f"We propose a method for {say}. It improves {say}. {ASIDE}"))
        vectors.append(np.eye(8)[at] + 0.2 * rng.normal(size=8))
        region.append(at)
    papers = np.arange(1, papers + 1)
    vectors = np.array(vectors, np.float16)

    def rows(wanted):
        return vectors[np.asarray(wanted) - 1]

    return Topics.build(papers.tolist(), texts, 1), rows, papers, np.array(region)


def test_each_region_gets_the_topics_of_its_own_papers_and_no_word_that_all_have():
    topics, rows, papers, region = library()
    day = papers[-80:]
    names = region_names(topics, rows, day, region[-80:])
    for name, (subject, part) in zip(names, SUBJECTS.items(), strict=True):
        assert name in (subject, part, f"{subject}, {part}", f"{part}, {subject}"), names


def test_a_region_whose_papers_share_no_topic_has_no_name():
    topics, rows, _, _ = library()
    mixed = np.array([1, 2, 3, 4])
    assert region_names(topics, rows, mixed, np.zeros(4, np.int64)) == [None]
    unknown = np.array([9_001, 9_002])
    assert region_names(
        topics, lambda wanted: np.zeros((len(wanted), 8)), unknown, np.zeros(2, np.int64)
    ) == [None]


@pytest.mark.parametrize(
    "method", ["deep learning", "neural networks", "deep neural networks", "machine learning"]
)
def test_a_method_of_any_subject_names_no_region(method):
    topics, rows, papers, region = library(part=method)
    assert method in topics.phrases
    names = region_names(topics, rows, papers[-80:], region[-80:])
    assert names == list(SUBJECTS)


def test_a_topic_of_a_twentieth_of_a_large_library_names_no_region():
    topics, rows, papers, region = library(papers=4_000)
    assert region_names(topics, rows, papers[-80:], region[-80:]) == [None] * 4


def test_papers_of_a_topic_that_says_something_lie_together():
    topics, rows, _, _ = library()
    known = {phrase: number for number, phrase in enumerate(topics.phrases)}
    subjects = [known[subject] for subject in SUBJECTS if subject in known]
    anywhere = next(known[phrase] for phrase in known if "case study" in phrase)
    _, together = directions_of(topics, rows, [*subjects, anywhere])
    assert together[:-1].min() > 0.5
    assert together[-1] < 0.05
