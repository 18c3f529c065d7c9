"""Days and categories of all papers: counted once, and the newest found without sorting them all."""

from datetime import date

import numpy as np
import pytest

from data.stores.changed_papers import IndexFact
from index.search.facets import Facets


def fact(paper, day):
    return IndexFact(paper, paper, day, "cs.CL", True)


def facets(days):
    held = Facets()
    held.update(fact(paper, day) for paper, day in enumerate(days, 1))
    return held


def counted(held):
    return len(held), held.newest(), dict(held.category_counts())


def test_what_was_counted_is_counted_again_after_a_change():
    held = facets([date(2026, 1, 1), date(2026, 1, 3), None])
    assert counted(held) == (3, date(2026, 1, 3).toordinal(), {"cs.CL": 3})
    held.update([fact(9, date(2026, 2, 1))])
    assert counted(held) == (4, date(2026, 2, 1).toordinal(), {"cs.CL": 4})
    held.drop([9, 2])
    assert counted(held) == (2, date(2026, 1, 1).toordinal(), {"cs.CL": 2})
    held.drop([1, 3])
    assert counted(held) == (0, 0, {})


@pytest.mark.parametrize("count", [None, 0, 1, 7, 50, 300, 301, 1_000])
def test_the_newest_papers_are_those_that_sorting_gives(count):
    chance = np.random.default_rng(3)
    held = facets([date.fromordinal(730_000 + int(day)) for day in chance.integers(0, 40, 300)])
    ids = chance.permutation(held.held())
    days = held.days_of(ids)
    expected = ids[np.argsort(-days, kind="stable")][:count]
    assert held.latest(ids, count).tolist() == expected.tolist()
    assert held.latest(ids[:0], count).tolist() == []
