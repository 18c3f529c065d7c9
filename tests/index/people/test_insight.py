"""Topics, novelty, scores and the people in memory."""

import asyncio
from datetime import date

import numpy as np
import pytest

from index.identity.models import certainty
from index.identity.passes import identify
from index.people.insight import Insight, LeftError, derive
from index.people.novelty import Novelty
from index.people.scores import Score, Scores, trust
from index.people.topics import Topics
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers.records import record

KINDS = ["neural", "speech", "protein", "query", "sparse", "quantum", "robot", "image"]
THINGS = ["networks", "recognition", "folding", "planning", "coding", "simulation", "grasping"]
FILLER = [f"{kind} {thing}" for kind in KINDS for thing in THINGS]


def texts(count=600):
    """Papers, every sixtieth on in-network aggregation, the rest on many other topics."""
    made = []
    for n in range(count):
        about = "in-network aggregation" if n % 60 == 0 else FILLER[n % len(FILLER)]
        made.append((f"Progress {n} in {about}", f"Programmable switches help {about} of kind{n}."))
    return made


def test_topics_are_phrases_in_one_form():
    made = [*texts(), ("On In-Network Aggregations", "We use in-network aggregations.")]
    topics = Topics.build(range(1, len(made) + 1), made, 1)
    mine = [n + 1 for n in range(0, 600, 60)]
    assert topics.of(mine)[0].phrase == "in-network aggregation"
    assert len(topics.of(mine)[0].papers) == 10
    assert not {"progress", "switches help"} & set(topics.phrases), "what names nothing is no topic"
    assert topics.of([601])[0].phrase == "in-network aggregation", "a plural is the same topic"


def test_shared_topics_and_none():
    topics = Topics.build(range(1, 601), texts(), 1)
    assert "in-network aggregation" in topics.shared([1, 61], [121, 181])
    assert topics.shared([1], [9999]) == []
    assert topics.of([]) == []


def test_topics_of_several_groups_are_those_of_each():
    topics = Topics.build(range(1, 601), texts(), 1)
    groups = [[1, 61, 121], [], [2, 3, 2], [9_999], [2], list(range(1, 200)), np.array([3])]
    for most in (1, 6):
        each = topics.of_each(groups, most)
        assert each == [topics.of(group, most) for group in groups]
        assert [bool(its) for its in each] == [True, False, True, False, True, True, True]
        assert all(
            set(topic.papers) <= set(group) for group, its in zip(groups, each, strict=True) for topic in its
        )
    assert topics.of_each([]) == []


def test_topics_come_back_from_their_file_and_take_new_papers(tmp_path):
    topics = Topics.build(range(1, 601), texts(), 7)
    topics.save(tmp_path / "topics.map")
    loaded = Topics.load(tmp_path / "topics.map")
    assert (list(loaded.phrases), loaded.upto) == (list(topics.phrases), 7)
    grown = loaded.extended([1000], [("More in-network aggregation", "x")], 8)
    assert grown.of([1000])[0].phrase == "in-network aggregation"
    assert grown.of([1])[0].phrase == topics.of([1])[0].phrase
    (tmp_path / "topics.map").write_bytes(b"torn")
    assert Topics.load(tmp_path / "topics.map") is None


def test_a_topic_that_grows_is_found_and_three_papers_are_not():
    today = date(2026, 3, 1).toordinal()
    made, days = [], [0]
    for n in range(400):
        recent = n % 2 == 0
        grows = recent and n % 8 == 0
        few = recent and n in (2, 4, 6)
        about = "agent harness design" if grows else "rare earth magnets" if few else FILLER[n % len(FILLER)]
        made.append((f"On {about}, part {n}", f"We study {about}."))
        days.append(today - (n % 20 if recent else 30 + n % 20))
    topics = Topics.build(range(1, 401), made, 1)
    trends, now, before = topics.trending(np.array(days), date(2026, 3, 1), 30)
    assert (now, before) == (200, 200)
    assert trends[0].phrase.startswith("agent harness")
    assert trends[0].before == 0
    assert not any("magnets" in trend.phrase for trend in trends)


@pytest.fixture
async def corpus(store, tmp_path):
    opened = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    rows = [
        record(
            n,
            title=title,
            abstract=abstract,
            authors=[
                "Ada Lovelace",
                f"Student{n % 4} Of{n % 4}",
                *(["Emmy Noether"] if n % 4 == 1 else []),  # of all that one student wrote
                *(["Max Planck"] if n == 5 else []),
            ],
            announced=date(2026, 1, 1 + n),
            listings=[("cs.CL", date(2026, 1, 1 + n))],
        )
        for n, (title, abstract) in enumerate(texts(20))
    ]
    rows.append(record(99, authors=["Max Planck", "Lise Meitner"], announced=date(2026, 2, 1)))
    rows.append(record(98, authors=["Nobody Alone"], announced=date(2026, 2, 1)))
    with opened.writing():
        await store.upsert(rows)
        await opened.embed_backlog()
        await identify(opened)
        await derive(opened)
    return opened


@pytest.fixture
async def insight(corpus):
    found = Insight(corpus)
    assert await found.refresh()
    assert not await found.refresh()
    return found


async def who(corpus, name):
    author = await corpus.store.author_names.find(name)
    [(person, _)] = await corpus.store.people.named([author])
    return person


async def test_coauthors_ways_and_neighbours(corpus, insight):
    ada, max_, lise = [await who(corpus, n) for n in ("Ada Lovelace", "Max Planck", "Lise Meitner")]
    alone = await who(corpus, "Nobody Alone")
    people = insight.people
    assert len(people.papers(ada)) == 20
    assert len(people.coauthors(ada)) == 6
    assert people.coauthors(ada)[-1].name == "Max Planck"
    way = people.way(ada, lise)
    assert [step.person for step in way] == [max_, lise]
    assert people.way(lise, ada)[-1].person == ada
    assert people.way(ada, alone) is None
    assert people.way(ada, ada) == []
    assert people.way(ada, 10**9) is None
    assert people.activity(ada) == {2026: 20}
    near = people.near(ada, corpus.vectors, 3)
    assert near
    assert all(found.person != ada for found in near)


async def test_nobody_is_similar_to_who_may_be_the_same_person(corpus, insight):
    made = texts(20)
    names = ["Jörg Müller", "Joerg Mueller", "J. Müller"]
    rows = [
        record(200 + n, title=f"{title} again", abstract=abstract, authors=[names[n % 3], f"Guest {n}"])
        for n, (title, abstract) in enumerate(made)
    ]
    with corpus.writing():
        await corpus.store.upsert(rows)
        await corpus.embed_backlog()
        await identify(corpus)
        await derive(corpus)
    await insight.refresh()
    one, other = await who(corpus, "Jörg Müller"), await who(corpus, "Joerg Mueller")
    assert one != other
    for person in (one, other):
        near = [found.name for found in insight.people.near(person, corpus.vectors, 20)]
        assert "Ada Lovelace" in near
        assert not {*names} & {*near}


async def test_those_who_wrote_the_same_papers_do_not_fill_the_list_of_similar_people(corpus, insight):
    [ada] = [await who(corpus, "Ada Lovelace")]
    near = insight.people.near(ada, corpus.vectors, 10)
    student, noether = sorted(
        place for place, found in enumerate(near) if found.name in ("Student1 Of1", "Emmy Noether")
    )
    assert student < 4, "one of the two is among the first"
    assert noether >= 4, "the other comes after all whose papers are not listed yet"
    assert all(0 <= found.alike <= found.compared for found in near)


async def test_people_who_were_matched_first_are_compared_once_their_papers_are_embedded(store, tmp_path):
    """On a first start authors are matched while abstracts are still being embedded."""
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    with corpus.writing():
        await store.upsert(
            [
                record(
                    n,
                    title=title,
                    abstract=abstract,
                    authors=[f"Ada Writer{n // 2}"],
                    announced=date(2026, 1, 1 + n),
                )
                for n, (title, abstract) in enumerate(texts(8))
            ]
        )
        await corpus.refresh()
        await identify(corpus)
        insight = Insight(corpus)
        assert await insight.refresh()
        ada = await who(corpus, "Ada Writer0")
        assert insight.people.near(ada, corpus.vectors) == [], "nothing is said before it is known"
        await corpus.embed_backlog()
    assert await insight.refresh()
    near = insight.people.near(ada, corpus.vectors)
    assert len(near) == 3
    assert all(found.closeness > 0 for found in near)
    assert not await insight.refresh()


async def test_suggestions_made_before_there_were_topics_know_them_once_there_are(corpus):
    """As on a first start, where topics come minutes after people."""
    file, aside = corpus.folder / "topics.map", corpus.folder / "aside.map"
    file.rename(aside)
    insight = Insight(corpus)
    await insight.refresh()
    assert (await insight.experts())._topics is insight.topics is None
    aside.rename(file)
    assert await insight.refresh()
    experts = await insight.experts()
    assert experts._topics is insight.topics is not None
    assert await insight.experts() is experts, "they are made once"


async def test_what_is_cancelled_does_not_go_on_in_a_thread(corpus, monkeypatch):
    """After Ctrl-C, a process waits for its threads to end."""
    begun, told, tells = asyncio.Event(), [], []

    async def lasting(_, report):
        tells.append(report)
        begun.set()
        await asyncio.Event().wait()

    monkeypatch.setattr("index.people.insight.keep_phrases", lasting)
    with corpus.writing():
        task = asyncio.create_task(derive(corpus, lambda *step: told.append(step)))
        await begun.wait()
        tells[0]("finding phrases", 1, 2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    with pytest.raises(LeftError):
        tells[0]("finding phrases", 2, 2)
    assert told[-1] == ("finding phrases", 1, 2)


async def test_novelty_is_the_distance_from_what_came_before(corpus, insight):
    ids = np.flatnonzero(corpus.facets.codes >= 0)
    distances = insight.novelty.distances(ids)
    assert np.isnan(distances[0]), "nothing came before the first paper"
    assert (distances[~np.isnan(distances)] >= 0).all()
    again = insight.novelty.extended(ids, corpus.facets.days[ids].astype(np.int64), corpus.vectors)
    assert len(again) == len(insight.novelty)


async def test_lists_of_earlier_papers_find_the_nearest(store, tmp_path, shared, monkeypatch):
    """As in a library that is too large to compare every paper with all earlier ones."""
    corpus = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    rows = np.load(shared / "data/arxiv-daily.minilm.f16.npy", mmap_mode="r")[:4_000]
    papers = np.arange(1, len(rows) + 1)
    with corpus.writing():
        corpus.vectors.append(papers, papers, rows)
    days = 1 + papers // 100
    exact = Novelty.build(papers, days, corpus.vectors)
    monkeypatch.setattr("index.people.novelty.EXACT_UNTIL", 0)
    listed = Novelty.build(papers, days, corpus.vectors)
    assert (np.diff(-listed.cosines, axis=1) >= 0).all()
    both = zip(exact.earlier.tolist(), listed.earlier.tolist(), strict=True)
    found = np.mean([len(set(one) & set(other)) for one, other in both]) / exact.earlier.shape[1]
    assert found > 0.97
    assert (listed.earlier[days == days.min()] == -1).all(), "nothing came before the first day"
    latest = np.where(listed.earlier >= 0, days[listed.earlier - 1], 0).max(axis=1)
    assert (latest < days).all()


async def test_extending_gives_what_building_gives(corpus, insight):
    ids = np.flatnonzero(corpus.facets.codes >= 0)
    days = corpus.facets.days[ids].astype(np.int64)
    early = days < days.max()
    part = Novelty.build(ids[early], days[early], corpus.vectors)
    grown = part.extended(ids, days, corpus.vectors)
    np.testing.assert_allclose(
        np.nan_to_num(grown.distances(ids)), np.nan_to_num(insight.novelty.distances(ids)), atol=2e-3
    )


async def test_scores_have_named_parts_and_stay_in_range(corpus, insight):
    ada = await who(corpus, "Ada Lovelace")
    score = insight.scores.person(ada, insight.people.papers(ada))
    assert {part.name for part in score.parts} == {"reach", "activity", "novelty"}
    assert all(0 <= part.value <= 100 for part in score.parts)
    paper = int(insight.people.papers(ada)[-1])
    parts = {part.name for part in insight.scores.paper(paper, cited=(12, 80.0)).parts}
    assert "citations" in parts
    assert "citations" not in {part.name for part in insight.scores.paper(paper).parts}
    assert insight.scores.paper(10**6) is None
    assert insight.scores.person(10**6, np.zeros(0, np.int64)) is None


async def test_scores_do_not_look_beyond_their_day(corpus, insight):
    cut = date(2026, 1, 10).toordinal()
    early = Scores.of(corpus.facets, insight.novelty, insight.people, until=cut)
    ids = np.flatnonzero((corpus.facets.codes >= 0) & (corpus.facets.days > cut))
    assert np.isnan(early.all_papers()[ids]).all()
    assert early.followers.sum() <= insight.scores.followers.sum()


async def test_a_paper_without_an_abstract_has_no_novelty(corpus, insight):
    known = np.flatnonzero((corpus.facets.codes >= 0) & ~np.isnan(insight.scores.distance))
    bare = int(known[-1])
    assert insight.scores.novelty(bare) is not None
    corpus.facets.bare[bare] = True
    try:
        scores = Scores.of(corpus.facets, insight.novelty, insight.people)
    finally:
        corpus.facets.bare[bare] = False
    assert scores.novelty(bare) is None
    assert "novelty" not in {part.name for part in scores.paper(bare).parts}
    assert scores.novelty(int(known[-2])) is not None


def test_trust_grows_with_evidence_and_unclaimed_stays_l1():
    weak, strong = trust([0.4], 3, 1), trust([0.95] * 12, 0, 2, "0000-0001")
    assert weak.value < strong.value <= 60
    assert (weak.level, strong.level) == ("L0", "L1")
    assert trust([0.9, 0.8], 3, 1).sure == pytest.approx(certainty(0.85))
    assert trust([0.9], 3, 1).sure is trust([0.9, 0.8], 0, 1).sure is None
    assert Score.of([]) is None


def test_an_empty_corpus_has_topics_of_nothing():
    topics = Topics.build([], [], 0)
    assert topics.of([1]) == []
    assert topics.trending(np.zeros(5, int), date(2026, 1, 1), 30) == ([], 0, 0)
