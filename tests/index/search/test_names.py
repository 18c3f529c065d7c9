import pytest

from data.keys import name_key
from index.search.names import NameIndex, may_be_form


@pytest.fixture(scope="module")
def names():
    printed = {
        "ChonLam Lao": 5,
        "Chon Lam Lao": 1,
        "Changxin Lao": 8,
        "Minlan Yu": 14,
        "M. Yu": 1,
        "Minlie Huang": 60,
        "José Peña": 3,
        "Wei Wang": 266,
        "王伟": 2,
    }
    return NameIndex([(name_key(name), name, count) for name, count in printed.items()])


def _names(found):
    return [name.name for name in found]


def test_completion_begins_at_any_word_and_puts_many_papers_first(names):
    assert _names(names.complete("min")) == ["Minlie Huang", "Minlan Yu"]
    assert _names(names.complete("lao"))[:2] == ["Changxin Lao", "ChonLam Lao"]
    assert _names(names.complete("lao, chonl"))[0] == "ChonLam Lao"
    assert _names(names.complete("pena")) == ["José Peña"]
    assert _names(names.complete("王")) == ["王伟"]


def test_nothing_typed_offers_the_names_with_most_papers(names):
    assert _names(names.complete("", 2)) == ["Wei Wang", "Minlie Huang"]


def test_a_whole_name_comes_first_even_with_few_papers(names):
    assert _names(names.complete("M. Yu"))[0] == "M. Yu"


@pytest.mark.parametrize("typo", ["ChonLam Loa", "Chonlam Laо".replace("о", "u"), "ChnLam Lao", "chonlamlao"])
def test_a_typo_still_finds_the_name(names, typo):
    assert "ChonLam Lao" in _names(names.near(typo))
    assert "ChonLam Lao" in _names(names.complete(typo))


def test_an_initial_is_a_candidate_never_the_same(names):
    assert names.get("C. Lao") is None
    assert _names(names.near("C. Lao")) == ["Changxin Lao", "ChonLam Lao", "Chon Lam Lao"]
    assert names.get("Lao, ChonLam").papers == 5


def test_other_forms_are_offered(names):
    assert _names(names.others("ChonLam Lao")) == ["Chon Lam Lao"]
    assert _names(names.others("Minlan Yu")) == ["M. Yu"]


@pytest.mark.parametrize("text", ["", " ", "\u200b", "x" * 10_000, "'; --", "😀"])
def test_any_text_is_answered(names, text):
    names.complete(text)
    names.near(text)
    names.others(text)
    assert NameIndex().complete(text) == []
    assert NameIndex().near(text) == []


@pytest.mark.parametrize(
    ("a", "b", "may"),
    [
        ("c lao", "chonlam lao", True),
        ("chon lam lao", "chonlam lao", True),
        ("ada b lovelace", "ada lovelace", True),
        ("d lao", "chonlam lao", False),
        ("chonlam liao", "chonlam lao", False),
        ("lao", "chonlam lao", False),
    ],
)
def test_what_may_be_one_person(a, b, may):
    assert may_be_form(a, b) is may_be_form(b, a) is may
