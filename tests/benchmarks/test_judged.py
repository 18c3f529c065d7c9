"""The graded papers and sentences are those of the collections."""

from collections import Counter

import orjson
import pytest

from benchmarks.judged_answers import JudgedQuestion, medical_questions
from benchmarks.judged_digests import LEAST_TEXT, JudgedReader
from benchmarks.judged_queries import Judged, anthology_sample
from benchmarks.judged_similar import JudgedPaper
from index.answers.sentences import split
from tests.helpers import slices


@pytest.fixture(scope="module")
def collections(shared):
    """Each collection's papers."""
    return {
        "arxiv": [orjson.loads(line) for line in slices.lines(shared)],
        "acl": anthology_sample(shared / "data" / "acl-anthology.jsonl.zst"),
    }


@pytest.fixture(scope="module")
def known(collections):
    """Each collection's abstracts, by the paper's identifier."""
    return {
        name: {item["id"]: item.get("abstract") or "" for item in items}
        for name, items in collections.items()
    }


@pytest.fixture(scope="module")
def days(collections):
    """The day on which each paper was announced."""
    return {name: {item["id"]: item["announced"] for item in items} for name, items in collections.items()}


def test_graded_papers_are_in_the_collections(known):
    judged = JudgedPaper.all()
    assert Counter((one.collection, one.kind) for one in judged) == {
        ("arxiv", "papers with an abstract"): 70,
        ("acl", "papers with an abstract"): 40,
        ("acl", "bare titles"): 15,
    }
    assert len({(one.collection, one.paper) for one in judged}) == len(judged)
    for one in judged:
        assert len(one.grades) >= 10
        assert one.paper not in one.grades
        assert {one.paper, *one.grades} <= known[one.collection].keys()
        assert bool(known[one.collection][one.paper]) == (one.kind != "bare titles")


def test_a_reader_s_graded_papers_are_of_their_day(known, days):
    readers = JudgedReader.all()
    assert Counter((one.collection, one.kind) for one in readers) == {
        ("arxiv", "papers they wrote"): 28,
        ("arxiv", "a few papers"): 24,
        ("arxiv", "a description"): 24,
        ("arxiv", "a room"): 20,
        ("acl", "papers they wrote"): 16,
        ("acl", "a few papers"): 14,
    }
    for one in readers:
        assert bool(one.papers) != bool(one.description)
        assert one.papers.keys() <= known[one.collection].keys() - one.grades.keys()
        for paper in one.grades:
            assert len(known[one.collection][paper]) > LEAST_TEXT
            assert days[one.collection][paper] == one.day.isoformat()


def test_each_sentence_of_an_abstract_has_a_grade_or_none(known):
    asked = {(one.collection, one.query) for one in Judged.all() if one.kind.endswith("questions")}
    assert len(JudgedQuestion.all()) == len(asked)
    for one in JudgedQuestion.all():
        assert (one.collection, one.query) in asked
        for paper, grades in one.grades.items():
            assert len(grades) == len(split(known[one.collection][paper])), paper
            assert set(grades) <= set("012-")


def test_the_same_medical_questions_are_asked_each_time(shared):
    questions = medical_questions()
    assert questions == medical_questions()
    assert len(set(questions)) == 200
