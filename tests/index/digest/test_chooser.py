"""What a chooser compares papers with, and what it keeps while others ask it, too."""

import asyncio
from dataclasses import replace

import pytest

from index.digest.chooser import QUERY_PAPERS, Chooser, Taste
from index.digest.choosing import MOST_QUERIES, _queries
from index.digest.taste import LEAST_ODDS, TasteRanker
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.intake import Intake
from index.search.understanding import literally
from index.search.word_filter import WordFilter, passes_any
from tests.helpers.digests import MONDAY, TOPICS, papers
from tests.helpers.records import record


@pytest.fixture
async def corpus(store, tmp_path):
    """Nine papers on three topics, not embedded yet."""
    opened = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    opened.embedder.load()
    with opened.writing():
        await Intake(opened, "test", "test").run(iter(enumerate(papers(MONDAY, 1))))
    return opened


async def embed(corpus):
    with corpus.writing():
        await corpus.embed_backlog()


async def test_papers_that_are_embedded_while_another_asks_are_encoded_again(corpus, monkeypatch):
    chooser, texts = Chooser(corpus, TasteRanker.shipped()), corpus.store.texts
    asked, goes_on = asyncio.Event(), asyncio.Event()

    async def held_up(ids):
        asked.set()
        await goes_on.wait()
        return await texts(ids)

    await chooser.items([1])
    monkeypatch.setattr(corpus.store, "texts", held_up)
    slow = asyncio.create_task(chooser.items([1, 2]))
    await asked.wait()
    monkeypatch.setattr(corpus.store, "texts", texts)
    await embed(corpus)
    assert (await chooser.items([3])).meaning.any()
    goes_on.set()
    assert (await slow).meaning.any(axis=1).all()


async def test_each_query_has_an_area_of_its_own(corpus):
    await embed(corpus)
    ranker = TasteRanker.shipped()
    chooser = Chooser(corpus, ranker)
    numbers = list(range(1, 10))
    wanted = await chooser.encoded(Taste({1: 3.0}, queries=TOPICS[1:]))
    assert (len(wanted.items), len(wanted.ages), len(wanted.texts)) == (1 + 2 * QUERY_PAPERS, 7, 3)
    for queries in (TOPICS[:1], TOPICS):
        wanted = await chooser.encoded(Taste(queries=queries))
        _, odds = ranker.judged(await chooser.items(numbers), wanted.items, wanted.ages)
        assert [value >= LEAST_ODDS for value in odds] == [n % 3 < len(queries) for n in range(9)]
    picks = await chooser.choose(numbers, Taste(queries=TOPICS), 9)
    shown = {paper.id: paper.title for paper in await corpus.store.papers(numbers)}
    assert len(picks) == 9
    assert all(shown[pick.paper].casefold().startswith(pick.query) for pick in picks)


async def test_a_blank_query_is_none(corpus):
    await embed(corpus)
    chooser = Chooser(corpus, TasteRanker.shipped())
    numbers = list(range(1, 10))
    assert (await chooser.encoded(Taste(queries=("", " ")))).items is None
    assert await chooser.ranked(numbers, Taste(queries=("",))) == await chooser.ranked(numbers, Taste())
    assert len(await chooser.choose(numbers, Taste(queries=(" ",)), 5)) == 5


def test_many_topics_are_put_together():
    def queries(description, topics):
        return _queries(description, [literally(topic) for topic in topics])

    assert queries(" ", []) == ((), {})
    assert queries("", ["one", "two words"]) == (("one", "two words"), {})
    said, _ = queries("networks", [str(n) for n in range(500)])
    assert said[0] == "networks"
    assert len(said) <= MOST_QUERIES
    assert ", ".join(said[1:]).split(", ") == [str(n) for n in range(500)], "none is lost"


def test_what_topics_decline_stays_with_them():
    topics = [replace(literally(str(n)), without=("robots",) if n in (3, 17) else ()) for n in range(20)]
    said, declining = _queries("networks", [literally("!!"), *topics])
    assert len(said) <= MOST_QUERIES
    assert said[1] == "3; 17", "those that decline something share a text, with no others"
    assert {*declining} == {said[1], "3", "17"}
    assert not passes_any(declining["3"], "A robot")
    pair = [replace(literally(text), without=("cars",)) for text in ("maps", "trees")]
    plain = [literally(str(n)) for n in range(8)]
    said, declining = _queries("maps, trees", [*pair, *plain])
    assert "maps, trees" not in declining, "a description declines for itself"
    assert len({*said}) == len(said)
    for number in range(30):
        mixed = [replace(literally(str(n)), without=("cars",) if n < number else ()) for n in range(30)]
        assert len(_queries("networks", mixed)[0]) <= MOST_QUERIES


def test_of_topics_on_one_subject_each_declines_for_itself():
    narrow = [replace(literally("drones"), without=(word,)) for word in ("cars", "boats")]
    said, declining = _queries("", narrow)
    assert said == ("drones",)
    for text, passes in (("Drones and cars", True), ("Drones and boats", True), ("Cars and boats", False)):
        assert passes_any(declining["drones"], text) == passes
    assert _queries("", [narrow[0], literally("drones")]) == (("drones",), {}), "the wider one"
    assert _queries("drones", narrow) == (("drones",), {}), "and so is a description"


async def test_a_paper_that_one_query_declines_matches_whatever_else_is_wanted(corpus):
    await embed(corpus)
    chooser, narrow = Chooser(corpus, TasteRanker.shipped()), "speech recognition in noisy rooms, with noise"
    declining = {narrow: (WordFilter((), ["noisy"]),)}
    numbers = list(range(1, 10))

    async def chosen(taste):
        return {pick.paper: pick for pick in await chooser.choose(numbers, taste, 9)}

    assert not await chosen(Taste(queries=(narrow,), declining=declining))
    of_speech = {*(await chosen(Taste(queries=(narrow,))))}
    assert of_speech == {2, 5, 8}
    also = await chosen(Taste(queries=(narrow, "noisy rooms"), declining=declining))
    assert {*also} == of_speech
    assert {pick.query for pick in also.values()} == {"noisy rooms"}
    liked = await chosen(Taste({2: 1.0}, queries=(narrow,), declining=declining))
    assert {*liked} == of_speech
    assert all(pick.near == (2,) and not pick.query for pick in liked.values())


async def test_a_query_says_nothing_of_the_papers_that_it_leaves_out(store, tmp_path):
    """Otherwise they would count as of its area, and whatever else is wanted would take the far ones, too."""
    texts = (
        (
            "Cooperative drones and ground robots for search and rescue",
            "We study teams of drones and ground robots. Unmanned aerial vehicles map the area robots carry "
            "loads. Flight control of drones is learned.",
        ),
        (
            "Drones that land on robots",
            "Quadrotor drones land on moving mobile robots. We present a controller for the drones, and "
            "show it on two robots.",
        ),
        (
            "Path planning for drones in wind",
            "We plan the paths of drones, unmanned aerial vehicles, in strong wind. A model of the wind is "
            "learned from flights of many drones.",
        ),
        (
            "Speech recognition in noisy rooms",
            "Automatic speech recognition degrades in noisy rooms. We train an acoustic model on speech of "
            "many speakers, and measure its word errors.",
        ),
        (
            "Congestion control in datacenters",
            "A congestion control scheme for datacenter networks with low latency. Switches mark packets, "
            "and senders slow down.",
        ),
    )
    library = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    library.embedder.load()
    records = [
        record(n, title=title, abstract=text, announced=MONDAY) for n, (title, text) in enumerate(texts)
    ]
    with library.writing():
        await Intake(library, "test", "test").run(iter(enumerate(records)))
        await library.embed_backlog()
    chooser, declining = Chooser(library, TasteRanker.shipped()), {"drones": (WordFilter((), ["robots"]),)}
    for other in ("control theory", "satellite imagery", "autonomous driving"):
        picks = await chooser.choose(range(1, 6), Taste(queries=("drones", other), declining=declining), 9)
        assert [(pick.paper, pick.query) for pick in picks] == [(3, "drones")]
    picks = await chooser.choose(
        range(1, 6), Taste(queries=("drones", "robots that move"), declining=declining), 9
    )
    assert {(pick.paper, pick.query) for pick in picks} >= {(3, "drones"), (2, "robots that move")}
