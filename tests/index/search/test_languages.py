"""Whether a query is in another language."""

import pytest

from index.search.languages import OTHER, foreign


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("bibtex of PrismLLM and BanglaBERT", None),
        ("bibtex of prismllm and banglabert", OTHER),
        ("Spracherkennung in lauten Räumen", OTHER),
        ("SPRACHERKENNUNG IN LAUTEN RÄUMEN", OTHER),
        ("Spracherkennung mit wav2vec in lauten Räumen", OTHER),
    ],
)
def test_names_of_systems_are_in_no_language(text, language):
    words = text.casefold().split()
    assert foreign(text, words, {"of", "in", "and"}, lambda word: 0, 1) == language


def test_a_long_word_is_read_at_once():
    """With the time growing as the square of its length, this one would take minutes."""
    long = "a" * 200_000
    assert foreign(long, [long], set(), lambda word: 0, 1) is None
