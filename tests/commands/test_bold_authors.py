"""Which authors of a paper are printed bold in a list: those who were asked for."""

import time
from types import SimpleNamespace

from commands.papers.search import _called
from data.keys import name_key


def _paper(names):
    return SimpleNamespace(authors=[SimpleNamespace(name=name, key=name_key(name)) for name in names])


def test_authors_have_the_name_or_all_of_its_words():
    paper = _paper(["Barbara Jane Liskov", "B. Liskov", "Tony Hoare"])
    assert _called(paper, ["Liskov Barbara", "", "Hoare"]) == {
        name_key("Barbara Jane Liskov"),
        name_key("Tony Hoare"),
    }


def test_thousands_of_authors_are_compared_quickly():
    asked = [f"Given{n} Family{n}" for n in range(3_000)]
    paper = _paper([f"Given{n} Other{n}" for n in range(3_000)])
    start = time.process_time()
    assert _called(paper, asked) == frozenset()
    assert time.process_time() - start < 1
