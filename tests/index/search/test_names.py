import pytest

from data.keys import name_key
from index.identity.person_names import (
    compatible,
    could_print,
    may_be_form,
    may_be_one,
    parse_name,
    split_name,
)
from index.search.names import NameIndex


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


@pytest.fixture(scope="module")
def umlauts():
    printed = {"Hinrich Schütze": 62, "Hinrich Schuetze": 4, "Jörg Tiedemann": 15, "Björn W. Schuller": 16}
    printed |= {"Jan Nygård": 2, "Yue Li": 9, "Yu Li": 30, "Anders Søgaard": 24, "Jana Schumann": 80}
    return NameIndex([(name_key(name), name, count) for name, count in printed.items()])


def test_an_umlaut_may_be_typed_as_two_letters(umlauts):
    assert umlauts.get("Joerg Tiedemann").name == "Jörg Tiedemann"
    assert umlauts.get("Tiedemann, Joerg").name == "Jörg Tiedemann"
    assert umlauts.get("Jan Nygaard").name == "Jan Nygård"
    assert umlauts.get("anders soegaard").name == "Anders Søgaard"
    assert umlauts.get("Hinrich Schuetze").papers == 4, "printed so"
    assert _names(umlauts.having("Joerg Tiedemann")) == ["Jörg Tiedemann"]
    assert umlauts.get("Yue Lee") is None
    assert umlauts.get("Yu Li").name == "Yu Li", "Yue is another name"


def test_both_spellings_of_an_umlaut_are_offered(umlauts):
    assert _names(umlauts.others("Hinrich Schütze")) == ["Hinrich Schuetze"]
    assert _names(umlauts.others("Hinrich Schuetze")) == ["Hinrich Schütze"]
    assert _names(umlauts.others("Bjoern Schuller")) == ["Björn W. Schuller"]
    assert umlauts.others("Yue Li") == umlauts.others("Yu Li") == []
    assert _names(umlauts.near("Schuetze")) == ["Hinrich Schütze", "Hinrich Schuetze"]
    assert _names(umlauts.complete("schuet")) == ["Hinrich Schütze", "Hinrich Schuetze"]
    assert _names(umlauts.complete("joerg t")) == ["Jörg Tiedemann"]
    assert _names(umlauts.complete("yue")) == ["Yue Li"]


@pytest.mark.parametrize(
    ("one", "other", "may"),
    [
        ("Daniel Rückert", "Daniel Rueckert", True),
        ("D. Rückert", "Daniel Rueckert", True),
        ("Björn Schuller", "Bjoern W. Schuller", True),
        ("Kilian Rückschloß", "Kilian Rueckschloss", True),
        ("Yü Li", "Yu Li", True),
        ("Xue Li", "Xu Li", False),
        ("Michael Färber", "Michaela Faerber", False),
    ],
)
def test_an_umlaut_and_its_two_letters_may_be_one_person(one, other, may):
    assert may_be_one(one, other) is may_be_one(other, one) is may
    assert could_print(one, other) is could_print(other, one) is may
    assert may_be_form(parse_name(one), parse_name(other)) is may


def test_a_name_of_three_words_is_offered_in_the_other_order():
    printed = ("Fei-Fei Li", "Li Fei-Fei", "Wei Li", "Li Wei")
    index = NameIndex([(name_key(name), name, 3) for name in printed])
    assert _names(index.others("Fei-Fei Li")) == ["Li Fei-Fei"]
    assert _names(index.others("Li Fei-Fei")) == ["Fei-Fei Li"]
    assert index.others("Wei Li") == [], "two people"


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
        ("C. Lao", "ChonLam Lao", True),
        ("Chon Lam Lao", "ChonLam Lao", True),
        ("ChonLamLao", "ChonLam Lao", True),
        ("Ada B. Lovelace", "Ada Lovelace", True),
        ("Mike Franklin", "Michael Franklin", True),
        ("Smith JF", "John F. Smith", True),
        ("Smith, John", "John Smith", True),
        ("D. Lao", "ChonLam Lao", False),
        ("ChonLam Liao", "ChonLam Lao", False),
        ("Lao", "ChonLam Lao", False),
        ("John A. Smith", "John B. Smith", False),
    ],
)
def test_one_module_says_what_may_be_one_person(a, b, may):
    one, other = parse_name(a), parse_name(b)
    assert may_be_form(one, other) is may_be_form(other, one) is may
    if "ChonLamLao" not in (a, b):  # a family name run into the given ones is asked about and never merged
        assert compatible(one, other) is may
    index = NameIndex([(name_key(a), a, 3), (name_key(b), b, 2)])
    if " " in a and name_key(a) != name_key(b):
        assert _names(index.others(a)) == ([b] if may else [])


@pytest.mark.parametrize(
    ("printed", "family", "given"),
    [
        ("Ada Lovelace", "Lovelace", "Ada"),
        ("Smith, John", "Smith", "John"),
        ("van Beethoven, Ludwig", "van Beethoven", "Ludwig"),
        ("Ludwig van Beethoven", "van Beethoven", "Ludwig"),
        ("Martin Luther King Jr.", "King Jr.", "Martin Luther"),
        ("Martin Luther King, Jr.", "King Jr.", "Martin Luther"),
        ("Smith JF", "Smith", "JF"),
        ("Smith J. F.", "Smith", "J. F."),
        ("J. F. Smith", "Smith", "J. F."),
        ("JF Smith", "Smith", "JF"),
        ("Li Wei", "Wei", "Li"),
        ("Plato", "Plato", ""),
        ("", "", ""),
        (",", ",", ""),
    ],
)
def test_where_the_family_name_begins(printed, family, given):
    assert split_name(printed) == (family, given)


def test_two_letters_swapped_are_found_among_many_that_begin_alike():
    printed = {"Yang Lu": 3, "Yang Luo": 2, "Yang Lun": 1, "Yang Liu": 15, "Yan Luis": 1}
    names = NameIndex([(name_key(name), name, count) for name, count in printed.items()])
    assert _names(names.near("Yang Lui"))[0] == "Yang Liu"


def test_names_that_have_all_words_whole():
    printed = {
        "Wei Wang": 1,
        "Wei J. Wang": 9,
        "Wang Wei": 3,
        "Weiwei Wang": 8,
        "Wei Wangler": 7,
        "Wei Chen": 5,
    }
    names = NameIndex([(name_key(name), name, count) for name, count in printed.items()])
    assert _names(names.having("wang  WEI")) == ["Wang Wei", "Wei J. Wang", "Wei Wang"]
    assert _names(names.having("Wei Wang", 2)) == ["Wei Wang", "Wei J. Wang"], (
        "exactly these words come first"
    )
    assert _names(names.having("Wei Nobody")) == []
    for odd in ("", " ", ",", "\x00 \u202e", "a " * 5_000):
        assert names.having(odd) == []
