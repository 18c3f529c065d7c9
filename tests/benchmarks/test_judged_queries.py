"""The graded queries, and the measure that is taken with them."""

import orjson
import pytest

from benchmarks.judged_queries import Judged, anthology_sample, ndcg
from tests.helpers import slices


def test_gain_counts_grades_and_places():
    grades = {1: 2, 2: 1, 3: 0}
    assert ndcg([1, 2, 3], grades) == pytest.approx(1)
    assert 1 > ndcg([2, 1], grades) > ndcg([2, 3, 1], grades) > ndcg([3, 2], grades) > 0
    assert ndcg([3, 4], grades) == ndcg([], grades) == ndcg([1], {}) == 0


def test_every_query_is_asked_once_and_has_graded_papers():
    queries = Judged.all()
    assert len({(one.collection, one.query) for one in queries}) == len(queries)
    assert {one.collection for one in queries} == {"arxiv", "acl"}
    for one in queries:
        assert len(one.grades) >= 10, one.query
        assert set(one.grades.values()) <= {0, 1, 2}, one.query


def test_graded_papers_are_in_the_collections(shared):
    known = {
        "arxiv": {orjson.loads(line)["id"] for line in slices.lines(shared)},
        "acl": {item["id"] for item in anthology_sample(shared / "data" / "acl-anthology.jsonl.zst")},
    }
    for one in Judged.all():
        assert one.grades.keys() <= known[one.collection], one.query
