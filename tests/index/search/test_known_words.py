"""The words of titles are listed once, and after a start read from their file while that is still true."""

import pytest

from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake
from index.search.known_words import FILE, KnownWords, keep_words, kept_words
from index.search.typos import Vocabulary
from index.search.word_lookup import WordLookup
from tests.helpers.records import record


async def take_in(corpus, numbers):
    rows = [
        record(n, title=f"Retrieval with Transformers {'ab'[n % 2] * 5}", authors=["A B"]) for n in numbers
    ]
    with corpus.writing():
        await Intake(corpus, "test", "test").run(iter(enumerate(rows)))
    await corpus.refresh()


@pytest.fixture
async def corpus(store, tmp_path):
    opened = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    await take_in(opened, range(1, 41))
    return opened


@pytest.fixture
def listed(monkeypatch):
    """How often all words of titles were listed."""
    times, words = [], WordLookup.title_words
    monkeypatch.setattr(WordLookup, "title_words", lambda self: times.append(1) or words(self))
    return times


def titles(corpus):
    return dict(KnownWords(corpus).known().vocabulary.titles)


async def test_a_start_takes_them_from_their_file(corpus, listed):
    found = titles(corpus)
    assert found == {"retrieval": 40, "with": 40, "transformers": 40, "aaaaa": 20, "bbbbb": 20}
    assert titles(corpus) == found
    assert len(listed) == 1
    await take_in(corpus, [41])
    assert titles(corpus)["retrieval"] == 41, "the file no longer says it"
    assert titles(corpus)["retrieval"] == 41
    assert len(listed) == 2


@pytest.mark.parametrize("damage", [b"", b"torn", None])
async def test_a_damaged_file_is_made_again(corpus, listed, damage):
    found, path = titles(corpus), corpus.folder / FILE
    path.write_bytes(path.read_bytes()[:-30] if damage is None else damage)
    assert kept_words(path) is None
    assert titles(corpus) == found
    assert kept_words(path) is not None
    assert len(listed) == 2


async def test_the_words_of_another_library_are_not_taken(corpus, store, tmp_path, listed):
    found = titles(corpus)
    other = await Corpus.open(store, tmp_path / "other", Embedder(), writable=True)
    others = {f"other{word}": count for word, count in found.items()}
    keep_words(other.folder / FILE, Vocabulary.of(others.items()), len(corpus.words))
    await Intake(other, "test", "test").run(iter([]))
    await other.refresh()
    assert len(other.words) == len(corpus.words)
    assert titles(other) == found
    assert dict(kept_words(other.folder / FILE)[0].titles) == found
    assert len(listed) == 2


async def test_where_it_can_not_be_written_they_are_listed(corpus, listed):
    (corpus.folder / FILE).mkdir()
    assert titles(corpus)["retrieval"] == 40
    assert titles(corpus)["retrieval"] == 40
    assert len(listed) == 2
    assert not list(corpus.folder.glob(".*.new"))


async def test_a_library_without_words_has_none(store, tmp_path):
    empty = await Corpus.open(store, tmp_path / "empty", Embedder(), writable=True)
    assert titles(empty) == titles(empty) == {}
