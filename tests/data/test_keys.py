import pickle
from datetime import UTC, date, datetime

import pytest

from data.calendar.arxiv_ids import announcement_day, find_arxiv_id, find_doi, split_version
from data.keys import author_hash, clean, name_key, text_hash, title_key
from data.records import PaperRecord


@pytest.mark.parametrize(
    "form", ["ChonLam Lao", "chonlam lao", "Lao, ChonLam", "CHONLAM  LAO", "Lao,ChonLam", "ChonLam\u00a0Lao"]
)
def test_forms_of_a_name_meet(form):
    assert name_key(form) == name_key("ChonLam Lao")


@pytest.mark.parametrize("other", ["C. Lao", "Chon Lam Lao", "ChonLam Liao", "Lao", "ChonLam X. Lao"])
def test_other_names_stay_apart(other):
    assert name_key(other) != name_key("ChonLam Lao")


def test_accents_and_hyphens_do_not_matter():
    assert name_key("José Peña-Łukasz") == name_key("jose pena lukasz") == name_key("Peña-Łukasz, José")
    assert name_key("O’Brien, Tim") == name_key("Tim O'Brien")


def test_a_suffix_is_not_a_first_name():
    assert name_key("John Smith, Jr.") == "john smith jr"


def test_clean_removes_what_hides_and_reorders():
    assert clean(" a\u202eb\u200b\tc\x00\n d\ufeff ") == "ab c d"
    assert clean("\ud800") == "?"
    assert clean("a\ufffe\uffffb") == "ab", "no XML may hold these"


def test_titles_meet_without_case_and_punctuation():
    assert title_key("Prism-LLM: A Study") == title_key("prismllm a study")
    assert title_key("A study") != title_key("Another study")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2412.12636v2", ("2412.12636", 2)),
        ("arXiv:2412.12636", ("2412.12636", None)),
        ("https://arxiv.org/pdf/2412.12636v3.pdf", ("2412.12636", 3)),
        ("http://arxiv.org/abs/math.gt/0309136v1", ("math.GT/0309136", 1)),
        ("https://doi.org/10.48550/arXiv.2412.12636", ("2412.12636", None)),
        ("https://huggingface.co/papers/2412.12636", ("2412.12636", None)),
        ("https://www.alphaxiv.org/overview/2412.12636v2", ("2412.12636", 2)),
        ("https://www.semanticscholar.org/arxiv/2412.12636", ("2412.12636", None)),
        ("PrismLLM", None),
        ("", None),
        ("2412", None),
    ],
)
def test_arxiv_ids_are_found_in_what_people_paste(text, found):
    assert find_arxiv_id(text) == found


def test_dois_are_found():
    assert find_doi("https://doi.org/10.1145/3603269.3604850?x=1") == "10.1145/3603269.3604850"
    assert find_doi("no doi 10.1") is None
    assert split_version("x" * 100_000) is None


@pytest.mark.parametrize(
    ("submitted", "listed"),
    [
        (datetime(2024, 12, 17, 12, tzinfo=UTC), date(2024, 12, 18)),  # Tuesday morning -> Wednesday
        (datetime(2024, 12, 17, 20, tzinfo=UTC), date(2024, 12, 19)),  # after 14:00 Eastern
        (datetime(2024, 12, 20, 12, tzinfo=UTC), date(2024, 12, 23)),  # Friday before the deadline -> Monday
        (datetime(2024, 12, 20, 22, tzinfo=UTC), date(2024, 12, 24)),  # Friday after it -> Tuesday
        (datetime(2024, 12, 22, 12, tzinfo=UTC), date(2024, 12, 24)),  # Sunday -> Tuesday
        (datetime(2026, 3, 9, 17, 59, tzinfo=UTC), date(2026, 3, 10)),  # a minute before, in summer time
        (datetime(2026, 3, 9, 18, 0, tzinfo=UTC), date(2026, 3, 11)),
    ],
)
def test_announcement_follows_arxivs_calendar(submitted, listed):
    assert announcement_day(submitted) == listed


def test_a_copy_of_a_record_with_another_title_has_that_titles_key():
    record = PaperRecord(source="test", ids={"sample": "one"}, title="One paper", authors=["Ada Lovelace"])
    record.compute_keys()
    assert record.title_key == title_key("One paper")
    copied = record.model_copy(update={"title": "Another paper", "authors": ["Grace Hopper"]})
    assert copied.title_key == title_key("Another paper")
    assert copied.first_author == author_hash("Grace Hopper")
    assert copied.author_keys == ["grace hopper"]
    assert copied.text_hash == text_hash("Another paper", "")


def test_keys_that_are_computed_travel_with_a_record():
    record = PaperRecord(source="test", ids={"sample": "one"}, title="One paper", authors=["Ada Lovelace"])
    plain = pickle.loads(pickle.dumps(record))
    record.compute_keys()
    keyed = pickle.loads(pickle.dumps(record))
    assert keyed == plain
    assert keyed.__dict__.keys() - plain.__dict__.keys() == {
        *("title_key", "first_author", "text_hash", "author_keys")
    }
    assert keyed.author_keys == ["ada lovelace"]
