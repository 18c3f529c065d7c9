import asyncio
import sqlite3
import sys
from contextlib import closing, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from index.search import lexical
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.fusion import with_pairs
from index.search.lexical import MAX_TERMS, WordIndex, rarest
from index.search.passages import best_sentence, sentences
from index.search.queries import parse_day, parse_query
from index.search.word_checks import damaged
from index.search.word_files import WordsDamagedError, WordsUnreadableError, unpanicked
from tests.helpers.records import record


@pytest.fixture
async def words(store, tmp_path):
    titles = [
        "Faithful LLM Training Emulation with PrismLLM",
        "In-Network Aggregation for Training",
        "Aggregation of networks in cells",
        "Fault tolerant training of large models",
        "Café culture and its models",
    ]
    changes = await store.upsert([record(n, title=title) for n, title in enumerate(titles, 1)])
    index = WordIndex(tmp_path / "words")
    index.add(await store.papers(changes.ids))
    index.commit(1)
    return index


def _ids(hits):
    return [paper for paper, _ in hits]


async def test_words_meet_by_their_stems_and_without_accents(words):
    assert _ids(words.search("tolerance trained", 5))[0] == 4
    assert _ids(words.search("cafe", 5)) == [5]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "...",
        "GPUs tested: GPU-tests, test_ing 3.5x",
        "don't_",
        "a" * 3_000,
        "\x00studies\x1f\x7f\nstudied",
    ],
)
async def test_the_stems_of_a_text_are_the_same_whatever_stands_beside_it(words, text):
    stems = frozenset(words._stemmed.analyze(f"{text} é"))
    assert words.those_in(text, stems) == words.those_in(f"{text} é", stems) - words.those_in("é", stems)
    assert words.those_in(f"{text} é", stems) == stems


async def test_where_papers_are_many_a_common_word_is_looked_for_in_titles(words, store, monkeypatch):
    some = [record(n, title=f"Title {n}", abstract="A network of models.") for n in range(10, 20)]
    some += [record(20, title="Networks", abstract=""), record(21, title="Title 21", abstract="Emulation.")]
    changes = await store.upsert(some)
    words.add(await store.papers(changes.ids))
    words.commit(2)
    everywhere = set(_ids(words.search("networks emulation", 50)))
    assert set(changes.ids) <= everywhere
    monkeypatch.setattr(lexical, "COMMON_LEAST", 9)
    found = set(_ids(words.search("networks emulation", 50)))
    assert everywhere - found == set(changes.ids[:10])
    assert set(_ids(words.search("network model", 50))) >= set(changes.ids[:10]), "both are common"
    monkeypatch.setattr(lexical, "COMMON", 0.7)
    assert set(_ids(words.search("networks emulation", 50))) == everywhere


async def test_a_quoted_phrase_must_occur(words):
    assert _ids(words.search("in-network aggregation", 5, phrases=["in-network aggregation"])) == [2]
    assert words.search("x", 5, phrases=["nothing like this"]) == []
    assert words.search("", 5, phrases=["!!!"]) == []


async def test_words_side_by_side_are_told_apart_from_the_same_words_apart(words):
    def beside(text, papers):
        scores = words.side_by_side(text, words.words_of(papers))
        return {paper for paper, score in zip(papers, scores, strict=True) if score}

    found = beside("aggregation training of large models", [1, 2, 3, 4, 5])
    assert found == {4}, "the third paper has aggregation, but not beside training"
    assert beside("LLM training emulation", [1, 2]) == {1}
    assert beside("LLM training", [1]) == set(), "initials stand beside anything"
    assert beside("training", [1]) == beside("", [1]) == set()
    assert words.side_by_side("large models", words.words_of([])).shape == (0,)


async def test_stop_words_and_other_titles_stand_between_words(words, store):
    changes = await store.upsert([record(8, title="Models of speech"), record(9, title="Speech models")])
    [first, second] = await store.papers(changes.ids)
    words.add([first, replace(second, former_titles=("Networks of speech",), title="Models")])
    words.commit(2)
    written = words.words_of(changes.ids)
    assert not words.side_by_side("models speech", written).any()
    assert not words.side_by_side("models networks", written).any()
    assert words.titled("networks of models and speech", written).tolist() == [False, True]


async def test_papers_that_the_index_lacks_have_no_words(words):
    written = words.words_of([99, 1, 2**40, -1])
    assert (words.scores("PrismLLM training", written) > 0).tolist() == [False, True, False, False]
    assert words.titled("PrismLLM training", written).tolist() == [False, True, False, False]


def test_words_side_by_side_do_not_make_up_for_other_words():
    coverage = np.array([0.8, 0.2], np.float32)
    pairs = np.array([0.0, 0.4], np.float32)
    whole, part = with_pairs(coverage, pairs)
    assert whole > 2 * part
    level, paired = with_pairs(np.array([0.8, 0.8], np.float32), pairs)
    assert paired > level
    assert with_pairs(np.zeros(2, np.float32), pairs).tolist() == [0, 0]


async def test_names_are_found_whole_and_with_typos(words):
    assert words.named("prismllm") == (1, [1])
    assert words.named("absent") == (0, [])
    assert words.nearly_named("PrismLM") == [1]
    assert words.nearly_named("xyz") == []


async def test_titles_complete_while_typing(words):
    assert words.completing("faith", 5) == [1]
    assert set(words.completing("training of la", 5)) == {4}
    assert words.completing("", 5) == []
    assert words.completing("zzz", 5) == []


async def test_authors_are_found_by_all_their_words(words):
    assert words.by_author("person4 BOB", 5) == [4]
    assert words.by_author("Ada Nobody", 5) == []
    assert words.by_author("…", 5) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "(",
        "AND OR NOT",
        'a "b',
        "title:x^2~3",
        "[1 TO 5]",
        "\\",
        "*:*",
        "\x00",
        "😀" * 500,
        "x" * 100_000,
        "a " * 50_000,
    ],
)
async def test_no_text_breaks_the_word_index(words, text):
    words.search(text, 5, phrases=[text])
    written = words.words_of([1, 2, 3])
    for scores in (
        words.scores(text, written, title_only=True),
        words.scores(text, written, shared=True),
        words.side_by_side(text, written),
        words.titled(text, written),
    ):
        assert scores.shape == (3,)
        assert np.isfinite(scores).all()
    words.named(text)
    words.nearly_named(text[:100])
    words.completing(text, 5)
    words.by_author(text, 5)


async def test_replaced_and_dropped_papers_are_gone(words, store):
    [paper] = await store.papers([1])
    words.add([replace(paper, title="Another name altogether")], gone=[2])
    words.commit(2)
    assert words.named("prismllm")[0] == 0
    assert words.named("altogether") == (1, [1])
    assert len(words) == 4
    assert words.upto == 2
    written = words.words_of([1, 2])
    assert not words.scores("PrismLLM aggregation", written).any()
    assert (words.scores("altogether", written) > 0).tolist() == [True, False]
    everything = words.words_of(range(9))
    assert everything.title.average == everything.title.lengths.sum() / 4, "replaced papers don't count"


async def test_how_many_papers_have_a_word_is_counted_anew_after_a_commit(words, store):
    [before] = words.terms("emulation")
    changes = await store.upsert([record(30, title="Emulation", abstract="Emulation of networks.")])
    words.add(await store.papers(changes.ids))
    words.commit(2)
    [after] = words.terms("emulation")
    assert (after.in_titles, after.in_abstracts) == (before.in_titles + 1, before.in_abstracts + 1)


async def test_a_reader_sees_what_a_writer_commits(words, store):
    reader = WordIndex(words.folder)
    assert reader.upto == words.upto == 1
    changes = await store.upsert([record(9, title="Something freshly written")])
    words.add(await store.papers(changes.ids))
    words.commit(2)
    assert reader.upto == words.upto == 2
    assert reader.named("freshly")[0] == 0
    reader.refresh()
    assert reader.named("freshly")[0] == 1
    assert reader.scores("freshly", reader.words_of(changes.ids)) > 0
    words.commit(3)
    assert reader.upto == words.upto == 3


async def test_a_reader_follows_when_the_index_is_made_anew(words, store):
    reader, papers = WordIndex(words.folder), await store.papers(range(1, 6))
    words.close()
    (words.folder / "labmate.json").write_text("torn")
    writer = WordIndex(words.folder)
    assert reader.scores("PrismLLM", reader.words_of([1])) > 0, "what it has open is still there"
    writer.add(papers[:1])
    writer.commit(1)
    reader.refresh()
    assert (reader.scores("training", reader.words_of([1, 4])) > 0).tolist() == [True, False]


@pytest.mark.parametrize("content", [b"", b"garbage", b"SQLite format 3\x00" + bytes(5_000), None])
async def test_a_forward_index_that_is_missing_or_torn_begins_again(words, content):
    words.close()
    [file] = words.folder.glob("forward-*.db")
    reader = WordIndex(words.folder)
    del reader
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
        assert damaged(words.folder) == [file.name]
    again = WordIndex(words.folder)
    assert (again.upto, len(again)) == (0, 0)
    assert damaged(words.folder) == []


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE papers SET title = zeroblob(length(title)) WHERE id = 3",
        "UPDATE papers SET abstract_words = 7 WHERE id = 3",
        "UPDATE common SET code = code + 2 WHERE number = 1",
        "UPDATE totals SET title_words = 0",
        "DELETE FROM papers WHERE id = 3",
        "DELETE FROM papers; UPDATE totals SET papers = 0, title_words = 0, abstract_words = 0",
    ],
)
async def test_a_forward_index_with_damaged_words_is_told(words, change):
    words.close()
    assert damaged(words.folder) == []
    [file] = words.folder.glob("forward-*.db")
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(change)
    assert damaged(words.folder) == [file.name]


async def test_what_was_committed_is_in_one_file_once_writing_ends(words):
    words.close()
    words.release()
    for beside in words.folder.glob("forward-*.db-*"):
        beside.unlink()
    again = WordIndex(words.folder)
    assert again.scores("PrismLLM", again.words_of([1])) > 0


async def test_a_forward_index_that_can_not_be_read_now_is_not_damaged(words):
    """And the error says what to look at."""
    words.release()
    [file] = words.folder.glob("forward-*.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN EXCLUSIVE")
        with (
            closing(sqlite3.connect(f"{file.as_uri()}?mode=rw", uri=True, timeout=0)) as reader,
            pytest.raises(WordsUnreadableError, match="Nothing is lost"),
            unpanicked(),
        ):
            reader.execute("SELECT * FROM totals")
        other.execute("COMMIT")
    assert damaged(words.folder) == []


async def test_processes_that_start_at_once_make_one_index(tmp_path):
    folder = tmp_path / "new"
    opening = "import sys; from pathlib import Path; from index.search.lexical import WordIndex; "
    opening += "sys.stdin.readline(); print(WordIndex(Path(sys.argv[1])).forward.path.name)"
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", opening, str(folder)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(4)
    ]
    answers = await asyncio.gather(*(one.communicate(b"\n") for one in processes))
    assert [one.returncode for one in processes] == [0] * 4
    assert {said for said, _ in answers} == {
        f"{path.name}\n".encode() for path in folder.glob("forward-*.db")
    }


async def test_what_is_closed_while_it_writes_leaves_no_lock(words, store):
    papers = await store.papers(range(1, 6))
    many = [replace(paper, id=paper.id + 5 * n) for n in range(400) for paper in papers]
    words.forward.open()
    writing = asyncio.create_task(asyncio.to_thread(words.forward.add, many, (), {}))
    await asyncio.sleep(0)
    words.close()
    with suppress(AssertionError):  # it had not begun
        await writing
    with closing(sqlite3.connect(words.forward.path, isolation_level=None, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
    assert words.scores("PrismLLM", words.words_of([1])) > 0


async def test_the_former_index_is_removed_once_there_is_a_new_one(store, tmp_path):
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "meta.json").write_text("{}")
    await store.upsert([record(n) for n in range(1, 9)])
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    assert (tmp_path / "words").exists(), "another process may still use it"
    with corpus.writing():
        await corpus.catch_up_words()
    assert not (tmp_path / "words").exists()


@pytest.mark.parametrize(
    "title", ["Traffic in İstanbul city", "Naïve “Bayes” of ﬁelds", "Ǧames and Ʀest, 5½ of Σίσυφος"]
)
async def test_every_word_that_is_found_is_scored(words, store, title):
    changes = await store.upsert([record(9, title=title)])
    words.add(await store.papers(changes.ids))
    words.commit(2)
    written = words.words_of(changes.ids)
    for term in words.terms(title):
        assert words.scores(title, written, title_only=True) > 0, term
    assert words.titled(title, written).all()


@pytest.mark.parametrize("word", ["menu", "LLM"])
async def test_a_word_and_its_plural_count_once(words, store, word):
    titles = [f"One {word} among {word}s", *(f"A {word} of {n} things" for n in range(30))]
    changes = await store.upsert([record(n, title=title) for n, title in enumerate(titles, 50)])
    words.add(await store.papers(changes.ids))
    words.commit(2)
    written = words.words_of(changes.ids[:2])
    assert words.titled(f"{word} and {word}s among", written).tolist() == [True, False]
    both = words.scores(f"{word} and {word}s", written, title_only=True)
    assert (both > 0).all()
    assert both.tolist() == words.scores(f"{word}s", written, title_only=True).tolist()
    for typed in (word, f"{word}s"):
        assert {paper for paper, _ in words.search(typed, 50)} >= set(changes.ids), "in either number"


@pytest.mark.parametrize("pair", [("CSS", "CS"), ("GPS", "GP"), ("2010s", "2010"), ("bus", "bu")])
async def test_letters_that_only_look_like_a_plural_stand_alone(words, store, pair):
    changes = await store.upsert([record(n, title=f"On {word}") for n, word in enumerate(pair * 5, 50)])
    words.add(await store.papers(changes.ids))
    words.commit(2)
    for word in pair:
        [term] = words.terms(word)
        assert term.also == ""


@pytest.mark.parametrize("damage", ["meta", "state", "segment"])
async def test_a_torn_index_begins_again(words, damage):
    words.close()
    if damage == "meta":
        (words.folder / "meta.json").write_text("{")
    elif damage == "state":
        (words.folder / "labmate.json").write_text("x")
    else:
        for file in words.folder.glob("*.term"):
            file.write_bytes(b"")
    again = WordIndex(words.folder)
    assert again.upto in (0, 1)
    if damage != "segment":
        assert len(again) == 0


@pytest.mark.parametrize(
    "state",
    [
        *("[1]", "null", '{"schema": 1}', '{"schema": 1, "upto": 7}', '{"schema": 2, "upto": null}'),
        *('{"schema": 2, "upto": 7, "forward": null}', '{"schema": 2, "upto": 7, "forward": "../../x.db"}'),
    ],
)
async def test_a_state_that_says_nonsense_begins_again(words, state):
    words.close()
    (words.folder / "labmate.json").write_text(state)
    assert WordIndex(words.folder).upto == 0


async def test_damage_within_a_file_is_found_and_told(words):
    words.close()
    assert damaged(words.folder) == []
    [file] = words.folder.glob("*.idx")
    content = bytearray(file.read_bytes())
    content[: len(content) // 2] = b"\xff" * (len(content) // 2)
    file.write_bytes(content)
    assert damaged(words.folder) == [file.name]
    for part in (b"", content[:5], content[:-4]):
        file.write_bytes(part)
        assert damaged(words.folder) == [file.name]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("suffix", ["fast", "fieldnorm", "idx", "pos", "store", "term"])
async def test_garbage_in_any_file_is_told_or_begins_again(words, suffix, seed):
    """And tantivy's panics, which no handler of errors expects, never come through."""
    words.close()
    [file] = words.folder.glob(f"*.{suffix}")
    content = file.read_bytes()
    start, end = (0, len(content) // 2) if seed % 2 else (4, len(content) - 8)
    garbage = np.random.default_rng(seed).bytes(end - start)
    file.write_bytes(content[:start] + garbage + content[end:])
    assert damaged(words.folder) == [file.name]
    again = WordIndex(words.folder)
    assert len(again) in (0, 5)
    for ask in (
        partial(again.search, "training models", 5),
        partial(again.titles_with, "in network", 5),
        partial(again.completing, "train", 5),
        partial(again.papers_with, "training"),
        again.title_words,
    ):
        with suppress(WordsDamagedError, ValueError):
            ask()


async def test_where_the_index_panics_the_error_says_what_to_do(words, monkeypatch):
    class PanicException(BaseException):
        """As pyo3 has it."""

    class Panicking:
        def search(self, *_, **__):
            raise PanicException("index out of bounds")

    monkeypatch.setattr(words, "_index", SimpleNamespace(searcher=Panicking))
    with pytest.raises(WordsDamagedError, match="python -m bot index"):
        words.titles_with("training", 3)


async def test_a_damaged_index_is_made_again(store, tmp_path):
    await store.upsert([record(n) for n in range(1, 9)])
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    with corpus.writing():
        await corpus.catch_up_words()
        assert await corpus.remake_damaged_words() == []
        for file in (tmp_path / "word-index").glob("*.pos"):
            file.write_bytes(b"torn")
        assert await corpus.remake_damaged_words()
        await corpus.catch_up_words()
        assert len(corpus.words) == 8
        assert await corpus.remake_damaged_words() == []


async def test_an_index_that_lost_papers_is_noticed(store, tmp_path):
    changes = await store.upsert([record(n) for n in range(1, 9)])
    corpus = await Corpus.open(store, tmp_path, Embedder(), writable=True)
    with corpus.writing():
        await corpus.catch_up_words()
        assert not await corpus.words_lost()
        corpus.words.clear()
        assert not await corpus.words_lost(), "it is only behind"
        corpus.words.commit(changes.stamp)
        assert await corpus.words_lost()


async def test_a_commit_that_was_killed_before_its_end_is_made_again(words, store):
    """What deletes papers was written, and that it counts was not: the next commit writes the same file."""
    words.close()
    before = {name: (words.folder / name).read_bytes() for name in ("meta.json", "labmate.json")}
    papers = await store.papers([4])
    for _ in range(2):
        index = WordIndex(words.folder)
        index.add(papers, gone=[2])
        index.commit(2)
        index.close()
        assert list(words.folder.glob("*.del"))
        assert len(index) == 4
        for name, content in before.items():
            (words.folder / name).write_bytes(content)


async def test_long_texts_use_their_rarest_words(words):
    terms = words.terms(" ".join(f"word{n}" for n in range(200)) + " training")
    assert len(rarest(terms)) == MAX_TERMS
    assert rarest(terms, shared=True) == [t for t in terms if t.word == "training"]


def test_queries_are_taken_apart():
    query = parse_query('faults "GPU training" author:"Minlan Yu" category:cs.DC since:2026-05 extra')
    assert (query.text, query.phrases) == ("faults GPU training extra", ("GPU training",))
    assert (query.author, query.category, query.since) == ("Minlan Yu", "cs.DC", date(2026, 5, 1))
    assert parse_query("year:2026 x").until == date(2026, 12, 31)
    assert parse_query("see https://x.org/a:b now").text == "see https://x.org/a:b now"


@pytest.mark.parametrize(
    "typed", ["category:'; DROP", "since:never", "year:20x6", "year:0000", "since:2026-13-45"]
)
def test_fields_that_make_no_sense_are_named_not_obeyed(typed):
    query = parse_query(typed + " word")
    assert query.ignored
    assert (query.category, query.since, query.until) == (None, None, None)


def test_days_are_read_as_people_write_them():
    assert parse_day("2026") == date(2026, 1, 1)
    assert parse_day(" 2026-5 ") == date(2026, 5, 1)
    assert parse_day("2026-02-30") is None
    assert parse_day("x") is None


def test_sentences_end_where_sentences_end():
    text = "We use e.g. GPUs. Results by A. Smith et al. Are good! It costs 3.5 dollars. $x$ holds."
    assert sentences(text) == (
        "We use e.g. GPUs.",
        "Results by A. Smith et al. Are good!",
        "It costs 3.5 dollars.",
        "$x$ holds.",
    )
    assert sentences("") == ()


def test_the_best_sentence_has_the_querys_rare_words():
    abstract = "Models are large. We tolerate faults by checkpoints. Everything is fast."
    assert best_sentence(abstract, "fault tolerance", lambda _: 1.0) == "We tolerate faults by checkpoints."
    assert best_sentence(abstract, "", lambda _: 1.0) == "Models are large."
    assert best_sentence("", "x", lambda _: 1.0) == ""
