"""Phrases found in the background: the same as those found for a reply, and never another text's."""

import errno
import itertools
import zlib

import numpy as np
import pytest

from data.records import PaperRecord
from data.sources.files import PaperFile
from index.models.mapped import Draft
from index.people.insight import derive
from index.search import kept_phrases
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.kept_phrases import FILE, FoundPhrases, KeptPhrases, keep_phrases
from index.search.likely_phrases import ENTRY, likely, likely_entries
from index.search.phrase_shared import shared_phrases
from index.search.phrases import PhraseFinder
from tests.helpers.records import record

SWITCHES = ("Switches", "We present in-network aggregation (INA) for gradients on programmable switches.")
PROGRAM = ("", "Programmable switches allow In-Network Aggregation. We present results even for a program.")
GAMES = ("Trust in Games", "Programmable switches and in-network aggregation play a cooperative game.")
MEANINGS = (
    (
        "Switches",
        "We compare in-network aggregation with inverse noise analysis on programmable switches at night.",
    ),
    (
        "INA and INA",
        "In-network aggregation (INA) and inverse noise analysis (INA) have the same initials. We use both.",
    ),
    GAMES,
)
HYPHENS = (
    ("Serving at Night", "Language models are served on programmable switches. Language models are large."),
    ("Serving by Day", "We serve language-models, and show that language-models need programmable switches."),
    ("State-of-the-art Hiking", "State-of-the-art language models hike. A language model needs boots."),
)
KINDS = " ".join(f"We mix convex{n} polymers{n} with gadget{n} switches." for n in range(90))
LONG = (
    ("Polymers of All Kinds", KINDS),
    (
        "Convex Polymers",
        "We study polymers44, gadget11 switches and convex60 polymers60 for cooperative games.",
    ),
    GAMES,
)
SEVERAL = [(SWITCHES, PROGRAM, GAMES), MEANINGS, (*MEANINGS[1::-1], GAMES), HYPHENS, HYPHENS[::-1], LONG]
HOSTILE = [
    ("", ""),
    (" \n", "\x00\u202e\u200b"),
    ("in-network " * 5_000, "programmable switches " * 5_000),
    ("𝔊𝔯𝔞𝔭𝔥", "\ufdfa" * 20_000 + " programmable switches"),
    ("a" * 300 + " switches", f"programmable {'s' * 400} switches (PS)"),
    (" ".join(f"gadget{n} widget{n}" for n in range(900)), ""),
    ("\ud800 programmable switches", "$$" * 9_000),
]


def kept_of(papers, path, before=None, upto=1):
    found = FoundPhrases()
    found.add(PhraseFinder.shipped().score(papers))
    (before or KeptPhrases.none()).save_with(found, upto, path)
    return KeptPhrases.open(path)


@pytest.mark.parametrize("chosen", list(itertools.product([True, False], repeat=3)))
@pytest.mark.parametrize("papers", SEVERAL)
def test_what_papers_share_is_the_same_from_the_file(chosen, papers, tmp_path):
    some = [paper for paper, is_kept in zip(papers, chosen, strict=True) if is_kept]
    kept = kept_of(some, tmp_path / FILE)
    first, *others = papers
    assert shared_phrases(first, others, kept=kept) == shared_phrases(first, others)
    assert any(shared_phrases(first, others)), "the test would be empty"


def test_of_two_phrases_with_the_same_initials_one_is_named():
    [found] = shared_phrases(MEANINGS[0], [MEANINGS[1]])
    assert (
        len({phrase.lower() for phrase in found} & {"in-network aggregation", "inverse noise analysis"}) == 1
    )


def test_a_phrase_is_shared_by_papers_that_write_it_with_and_without_a_hyphen():
    assert "language models" in shared_phrases(HYPHENS[1], [HYPHENS[0]])[0]
    assert "language models" in shared_phrases(HYPHENS[1], [HYPHENS[2]])[0]


def test_real_papers_share_the_same_from_the_file(shared, tmp_path):
    read = (found for _, found in PaperFile(shared / "data" / "arxiv-daily.jsonl.zst", own_ids=True))
    real = (found for found in read if isinstance(found, PaperRecord))
    papers = [(paper.title, paper.abstract) for paper in itertools.islice(real, 400)]
    kept = kept_of(papers[:300], tmp_path / FILE)
    found = []
    for start in range(0, 400, 8):
        first, *others = papers[start : start + 8]
        found += shared_phrases(first, others, kept=kept)
        assert found[-7:] == shared_phrases(first, others)
    assert any(found)


def test_a_revised_paper_is_read_again(tmp_path):
    kept = kept_of([SWITCHES, PROGRAM], tmp_path / FILE)
    revised = (SWITCHES[0], SWITCHES[1].replace("gradients", "large tensors"))
    assert [phrases is None for phrases in kept.of([SWITCHES, revised])] == [False, True]
    again = kept_of([revised, SWITCHES], tmp_path / FILE, kept, upto=2)
    assert (len(again), again.upto) == (3, 2), "no text is kept twice"
    [phrases] = again.of([revised])
    assert "large tensors" in {phrases.printed(place) for place in range(len(phrases.entries))}
    assert kept.of([PROGRAM])[0].entries.tobytes() == again.of([PROGRAM])[0].entries.tobytes()


def test_hostile_texts_have_no_more_than_fits(tmp_path):
    kept = kept_of([*HOSTILE, SWITCHES], tmp_path / FILE)
    for paper, phrases in zip(HOSTILE, kept.of(HOSTILE), strict=True):
        assert all(phrases.printed(place) for place in range(len(phrases.entries)))
        assert shared_phrases(SWITCHES, [paper], kept=kept) == shared_phrases(SWITCHES, [paper])


def test_entries_say_what_the_finder_says(tmp_path):
    finder = PhraseFinder.shipped()
    scored = finder.score([SWITCHES])
    [phrases] = likely(finder, scored)
    assert np.array_equal(phrases.entries["key"], np.unique(phrases.entries["key"]))
    printed = [phrases.printed(place) for place in range(len(phrases.entries))]
    assert {"in-network aggregation", "programmable switches", "INA"} <= set(printed)
    assert set(printed) <= set(finder.printed(scored, np.arange(len(scored.table.key))))
    meant, short = printed.index("in-network aggregation"), printed.index("INA")
    numbers = phrases.meanings.tolist()
    assert numbers[meant] == numbers[short] == 1, "initials are what they mean"
    assert sum(numbers) == 2, "no other phrase has any"


def test_torn_and_foreign_files_are_no_files(tmp_path, monkeypatch):
    path = tmp_path / FILE
    assert KeptPhrases.open(path) is None
    kept_of([SWITCHES], path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    assert KeptPhrases.open(path) is None
    path.write_bytes(whole)
    assert KeptPhrases.open(path) is not None
    monkeypatch.setattr(kept_phrases, "_models", lambda: 1)
    assert KeptPhrases.open(path) is None, "phrases that other models found"
    monkeypatch.undo()
    text, end, entry = np.zeros(1, np.uint64), np.array([0, 1]), np.zeros((1, ENTRY.itemsize), np.uint8)
    for arrays in (
        (text, end, entry[:, :3]),
        (text, end, entry.astype(np.int64)),
        (text, end, entry[:, 0]),
        (text, end.astype(float), entry),
        (text, end.reshape(1, 2), entry),
        (text.reshape(1, 1), end, entry),
        (text.astype(float), end, entry),
        (text, end * 2, entry),
    ):
        with Draft(path, kept_phrases.FORMAT) as draft:
            for name, array in zip(("texts", "ends", "entries"), arrays, strict=True):
                draft.add(name, array)
            draft.publish(upto=1, models=kept_phrases._models())
        assert KeptPhrases.open(path) is None


def test_what_is_found_otherwise_needs_another_format():
    """If this fails, change FORMAT, then the number: files that are in use hold what was found before."""
    finder = PhraseFinder.shipped()
    found, _ = likely_entries(finder, finder.score([SWITCHES, PROGRAM, GAMES, *HYPHENS]))
    told = b"".join(found[name].tobytes() for name in ("key", "start", "length", "form"))
    assert (kept_phrases.FORMAT, zlib.crc32(told)) == ("phrases-1", 565566656)


def papers_of(count, first=1):
    return [
        record(
            n,
            title=f"Switches of kind k{n}",
            abstract=f"Programmable switches help in-network aggregation of kind k{n}.",
        )
        for n in range(first, first + count)
    ]


async def test_the_file_follows_the_store(store, tmp_path, monkeypatch):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    path = corpus.folder / FILE
    read = []

    async def keep(papers):
        with corpus.writing():
            await store.upsert(papers)
            await corpus.refresh()
            await keep_phrases(corpus, lambda what, done, total: read.append((what, done, total)))
        return KeptPhrases.open(path)

    kept = await keep(papers_of(30))
    assert len(kept) == 30
    assert read[-1] == ("finding phrases", 30, 30)
    assert kept.upto == await store.last_change()
    written = path.stat().st_mtime_ns
    assert len(await keep([])) == 30
    assert path.stat().st_mtime_ns == written, "nothing has changed"
    [new] = papers_of(1, 31)
    assert len(await keep([new])) == 31
    monkeypatch.setattr(kept_phrases, "_FEW", 10)
    assert len(await keep(papers_of(3, 32))) == 31, "a few are found when they are shown"
    assert len(await keep(papers_of(3, 35))) == 37, "they are kept with the next"
    path.write_bytes(b"torn")
    assert len(await keep([])) == 37
    monkeypatch.setattr(kept_phrases, "_STALE", 0.1)
    monkeypatch.setattr(kept_phrases, "_FEW", 1)
    before = path.stat().st_mtime_ns
    assert len(await keep([])) == 37
    assert path.stat().st_mtime_ns > before, "rebuilt without the texts that no paper has any longer"


async def test_a_stopped_run_goes_on_where_it_was(store, tmp_path, monkeypatch):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    path = corpus.folder / FILE
    monkeypatch.setattr(kept_phrases, "PAPERS_AT_ONCE", 10)
    monkeypatch.setattr(kept_phrases, "_CHANGES_AT_ONCE", 10)
    with corpus.writing():
        for first in range(1, 41, 5):
            await store.upsert(papers_of(5, first))
        await corpus.refresh()
        add, rounds = kept_phrases._add, itertools.count(1)

        async def killed(*args):
            if next(rounds) == 3:
                raise KeyboardInterrupt
            await add(*args)

        monkeypatch.setattr(kept_phrases, "_add", killed)
        with pytest.raises(KeyboardInterrupt):
            await keep_phrases(corpus)
        kept = KeptPhrases.open(path)
        assert len(kept) == 20
        await keep_phrases(corpus)
    whole = KeptPhrases.open(path)
    assert len(whole) == 40
    papers = [(one.title, one.abstract) for one in papers_of(40)]
    assert all(phrases is not None for phrases in whole.of(papers))
    assert whole.of(papers[:1])[0].entries.tobytes() == kept.of(papers[:1])[0].entries.tobytes()


async def test_progress_goes_on_from_round_to_round(store, tmp_path, monkeypatch):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    monkeypatch.setattr(kept_phrases, "PAPERS_AT_ONCE", 10)
    monkeypatch.setattr(kept_phrases, "_CHANGES_AT_ONCE", 10)
    told = []
    with corpus.writing():
        for first in range(1, 31, 10):
            await store.upsert(papers_of(10, first))
        await corpus.refresh()
        await keep_phrases(corpus, lambda _, done, total: told.append((done, total)))
    assert told == [(10, 30), (20, 30), (30, 30)]


async def test_a_store_that_lost_its_last_changes_is_read_again(store, tmp_path):
    """As after a failover to a standby that lagged behind."""
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    path = corpus.folder / FILE
    with corpus.writing():
        await store.upsert(papers_of(5))
        await corpus.refresh()
        path.parent.mkdir(exist_ok=True)
        kept_of([SWITCHES], path, upto=500)
        await keep_phrases(corpus)
    kept = KeptPhrases.open(path)
    assert (len(kept), kept.upto) == (6, await store.last_change())


async def test_a_disk_that_is_full_costs_only_the_file_of_phrases(store, tmp_path, monkeypatch, caplog):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with corpus.writing():
        await store.upsert(papers_of(30))
        await corpus.refresh()
        monkeypatch.setattr(KeptPhrases, "save_with", full)
        await derive(corpus)
        assert (corpus.folder / "topics.map").exists()
        assert not (corpus.folder / FILE).exists()
        assert "phrases.map can't be written" in caplog.text
        monkeypatch.undo()
        await derive(corpus)
    assert len(KeptPhrases.open(corpus.folder / FILE)) == 30


async def test_topics_that_are_found_again_write_no_phrases_that_are_kept(store, tmp_path):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    path = corpus.folder / FILE
    with corpus.writing():
        await store.upsert(papers_of(30))
        await corpus.refresh()
        await derive(corpus)
        written = path.stat().st_mtime_ns
        (corpus.folder / "topics.map").unlink()
        await derive(corpus)
    assert (corpus.folder / "topics.map").exists()
    assert path.stat().st_mtime_ns == written


async def test_papers_that_this_machine_has_not_taken_in_yet_are_read_too(store, tmp_path):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    with corpus.writing():
        await store.upsert(papers_of(5))
        await corpus.refresh()
        await store.upsert(papers_of(3, 6))
        await keep_phrases(corpus)
    kept = KeptPhrases.open(corpus.folder / FILE)
    assert (len(kept), kept.upto) == (8, await store.last_change())


async def test_merged_papers_are_not_read_again_and_again(store, tmp_path, monkeypatch):
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    path = corpus.folder / FILE
    monkeypatch.setattr(kept_phrases, "_FEW", 1)
    with corpus.writing():
        await store.upsert(papers_of(40))
        await corpus.refresh()
        corpus.facets.codes[1:21] = -1  # as if they were merged into others
        await keep_phrases(corpus)
        written = path.stat().st_mtime_ns
        await keep_phrases(corpus)
    assert len(KeptPhrases.open(path)) == 20
    assert path.stat().st_mtime_ns == written
