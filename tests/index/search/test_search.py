"""Search over the sample and over real papers, with the real model."""

import asyncio
import gc
import shutil
from datetime import date
from itertools import compress

import numpy as np
import pytest
import pytest_asyncio

from data.sources.files import PaperFile
from data.stores.store import Store
from index.evaluate.search import evaluate
from index.evaluate.search_kinds import KINDS
from index.search import fusion, lexical, ranking, similar
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.embedding_model import DEFAULT_MODEL, ModelError, fingerprint, locate
from index.search.facets import Where
from index.search.intake import Intake, ReadyVectors
from index.search.queries import Query
from index.search.read_vectors import ReadVectors
from index.search.search import Search
from tests.helpers import databases, slices
from tests.helpers.records import record

FIRST = 3_000


@pytest_asyncio.fixture(scope="session")
async def real(shared, sample, tmp_path_factory):
    """The sample and the newest real papers, with ready vectors."""
    folder = tmp_path_factory.mktemp("real")
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    ready = ReadyVectors(shared / "data/arxiv-daily.minilm.f16.npy", corpus.vectors.fingerprint)
    wanted = {"2605.15617", "2412.12636", "2504.20854"}
    records = slices.records(shared, lambda line, item: line < FIRST or item["id"] in wanted)
    with corpus.writing():
        await Intake(corpus, "sample", "sample").run(iter(PaperFile(sample)))
        await Intake(corpus, "file", "real", vectors=ready).run(records)
        corpus.embedder.load()
        await corpus.embed_backlog()
    await corpus.refresh()
    yield corpus
    await store.close()


@pytest.fixture
def search(real):
    return Search(real)


async def _titled(store, folder, titles):
    """A library of papers with these titles."""
    corpus = await Corpus.open(store, folder, Embedder(), writable=True)
    records = [record(900 + n, title=title) for n, title in enumerate(titles)]
    with corpus.writing():
        await Intake(corpus, "test", "test").run(iter(enumerate(records)))
    await corpus.refresh()
    return corpus


async def _titles(corpus, ids):
    return [paper.title for paper in await corpus.store.papers(ids)]


async def test_ready_vectors_are_taken_and_only_the_rest_is_embedded(real):
    assert len(real.vectors) == await real.store.count() == FIRST + 6
    assert real.backlog() == []
    assert real.orphans() == []


@pytest.mark.parametrize(
    "text",
    [
        "PrismLLM",
        "prismllm",
        "PrismLM",
        "2605.15617",
        "arXiv:2605.15617v1",
        "https://arxiv.org/abs/2605.15617",
        "https://doi.org/10.48550/arXiv.2605.15617",
        "A few GPUs, a whole lotta scale: faithful LLM training emulation with PrismLLM",
        "Faithful LLM Training Emulation",
    ],
)
async def test_one_paper_is_meant(search, real, text):
    [paper] = await real.store.papers(await search.resolve(text))
    assert paper.arxiv_id == "2605.15617"
    found = await search.search(text, 5)
    assert found.hits[0].paper_id == paper.id


async def test_a_former_title_is_still_found(search, real):
    ids = await search.resolve("TrainMover: Efficient ML Training Live Migration with No Memory Overhead")
    [title] = await _titles(real, ids)
    assert title.startswith("TrainMover: An Interruption-Resilient")


@pytest.mark.parametrize("text", ["", "  ", "9999.99999", "10.9999/none", "qqqqqqqq", "#99999999", "\x00"])
async def test_what_nobody_means_resolves_to_nothing(search, text):
    assert await search.resolve(text) == []


async def test_a_fragment_of_several_titles_gives_a_choice(search):
    assert len(await search.resolve("large language models")) > 3


async def test_what_one_title_begins_with_before_a_colon_is_meant_and_others_are_offered(store, tmp_path):
    titles = (
        "Quokka-R1: Learning to Hop",
        "Quokka-R1 Outperforms the Wombat",
        "On What Quokka-R1 Thinks",
        "Revisiting Quokka-R1: A Study",
    )
    corpus = await _titled(store, tmp_path, titles)
    search = Search(corpus)
    for typed in ("Quokka-R1", '"Quokka-R1"', "quokka r1"):
        meant = await search.meant(typed)
        assert await _titles(corpus, [meant.paper]) == [titles[0]]
        assert {*await _titles(corpus, meant.others)} >= {*titles[1:]}
        assert await search.resolve(typed) == [meant.paper]
        assert (await search.search(typed, 5)).hits[0].paper_id == meant.paper


async def test_a_short_name_means_the_system_that_papers_call_so(store, tmp_path):
    titles = (
        "Wombat-R1: Digging as Quokka-R1 Hops",
        "Numbat-R1: Searching as Quokka-R1 Hops",
        "Quokka-R1: Learning to Hop",
        "On What Quokka-R1 Thinks",
        "Quokka-GPT: Chats of Quokkas",
        "GPT for Chats",
        "Chats with GPT",
        "Wombats-V3 Technical Report",
    )
    corpus = await _titled(store, tmp_path, titles)
    search = Search(corpus)
    meant = await search.meant("r1")
    assert await _titles(corpus, [meant.paper]) == ["Quokka-R1: Learning to Hop"]
    assert len(meant.others) == 3
    assert (await _titles(corpus, await search.complete_title("r1", 5)))[0] == "Quokka-R1: Learning to Hop"
    assert (await search.meant("v3")).paper is not None
    assert (await search.meant("gpt")).paper is None, "most papers with GPT don't mean Quokka-GPT"


async def test_a_name_with_signs_is_another_name(store, tmp_path):
    titles = (
        "Quokka++: Learning to Hop on Skin",
        "Quokka in Practice",
        "What Quokka Learns",
        "A Quokka Study",
    )
    corpus = await _titled(store, tmp_path, titles)
    search = Search(corpus)
    assert (await search.meant("Quokka")).paper is None, "Quokka++ is not Quokka"
    assert await _titles(corpus, [(await search.meant("quokka++")).paper]) == [titles[0]]


async def test_similar_never_has_the_paper_itself(search, real):
    [paper] = await real.store.papers(await search.resolve("PrismLLM"))
    found = await search.similar(paper, 20)
    assert paper.id not in [hit.paper_id for hit in found.hits]
    titles = await _titles(real, [hit.paper_id for hit in found.hits])
    about_systems = ("llm", "gpu", "training", "inference", "serving", "network", "parallel")
    assert all(any(word in title.lower() for word in about_systems) for title in titles[:5]), titles
    assert all(0 < hit.closeness <= 1 for hit in found.hits[:5])


async def test_similar_without_the_model_finds_by_every_word(search, real, monkeypatch):
    text = "\n".join((await real.store.texts([20]))[20][:2])
    monkeypatch.setattr(search, "embed", lambda _text: asyncio.sleep(0))
    found = (await search.similar_to_text(text, 20)).hits
    monkeypatch.setattr(similar, "FOUND_BY", 1)
    assert (await search.similar_to_text(text, 20)).hits == found
    assert [hit.closeness for hit in found] == [None] * 20


@pytest.mark.parametrize(("embedded", "most"), [(False, lexical.MAX_TERMS), (True, similar.FOUND_BY)])
async def test_similar_finds_by_every_word_until_papers_have_vectors(
    search, real, monkeypatch, embedded, most
):
    if not embedded:
        monkeypatch.setattr(type(real.vectors), "__len__", lambda _vectors: 0)
    asked, look_up = [], real.words.search

    def heard(*given, **more):
        asked.append(more.get("most"))
        return look_up(*given, **more)

    monkeypatch.setattr(real.words, "search", heard)
    [paper] = await real.store.papers([20])
    assert (await search.similar(paper, 5)).hits
    assert asked[0] == most


async def test_a_question_finds_by_meaning(search, real):
    found = await search.search("how do I survive broken machines while training a big network", 10)
    assert any("TrainMover" in title for title in await _titles(real, [h.paper_id for h in found.hits]))


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("tricking an assistant by hiding commands inside a web page it reads", "prompt injection"),
        ("anything about assistants that click around a screen and fill in forms for you", "gui agents"),
        ("my model forgets old tasks when I train it on new ones", "forgetting"),
    ],
)
async def test_a_question_in_everyday_words_finds_what_is_meant(search, real, question, meant):
    [first, *_] = (await search.search(question, 10)).hits
    [paper] = await real.store.papers([first.paper_id])
    assert meant in f"{paper.title} {paper.abstract}".lower(), paper.title


def test_words_of_a_question_count_where_they_say_more_than_chance():
    usual = np.full(10, 0.3)
    short, long = (fusion.weight_in_question(usual, words) for words in (5, 20))
    assert (short == fusion.PARTLY).all()
    assert (long == 1).all()
    most = fusion.weight_in_question(np.append(np.full(5, 0.7), 0.95), 5)
    assert most[-1] == 1 > most[0]
    alone = fusion.weight_in_question(np.append(usual, 0.6), 5)
    assert alone[-1] > fusion.PARTLY
    assert alone[0] == fusion.PARTLY
    for coverage in (np.zeros(0), np.zeros(3), np.ones(1)):
        assert np.isfinite(fusion.weight_in_question(coverage, 0)).all()


async def test_a_paper_that_waits_for_its_vector_is_found_by_its_words(search, real, monkeypatch):
    question, read = "why do chatbots change how people donate money", real.vectors.read
    first = (await search.search(question, 1)).hits[0].paper_id
    papers = [first, *(paper for paper in range(1, 30) if paper != first)]

    def read_but_first(of):
        found, waits = read(of), np.asarray(of) == first
        return ReadVectors(found.rows[~waits[found.has]], found.has & ~waits)

    monkeypatch.setattr(real.vectors, "read", read_but_first)
    company = ranking._company(real.vectors.read(papers), np.linspace(0, 1, len(papers)))
    assert company[0] == company[1:].min() != 0
    monkeypatch.setattr(fusion, "weight_in_question", lambda coverage, words: np.zeros(len(coverage)))
    assert first in [hit.paper_id for hit in (await search.search(question, 10)).hits]


async def test_only_papers_without_an_abstract_lose_closeness(real):
    ranked = ranking.Ranking(real)
    papers = [1, 2, 3]
    assert not ranked._taken_off(papers, np.ones(3, bool)).any()
    assert list(ranked._taken_off(papers, np.array([True, False, True])) > 0) == [False, True, False]


async def test_a_name_in_a_query_does_not_put_its_papers_before_the_title_with_every_word(search, real):
    words, asked = real.words, 0
    for paper in await real.store.papers(range(1, FIRST)):
        terms = [term for term in words.terms(paper.title) if len(term.word) > 2]
        names = [term for term in terms if term.in_titles == 2 and words.named(term.word)[0] == 2]
        if not names or len(terms) < 4:
            continue
        others = [term.word for term in terms if term is not names[0]][-3:]
        query = " ".join([names[0].word, *others])
        named = words.named(names[0].word)[1]
        if set(compress(named, words.titled(query, words.words_of(named)))) != {paper.id}:
            continue
        found = (await search.search(query, 5)).hits
        assert found[0].paper_id == paper.id, query
        if (asked := asked + 1) == 8:
            return
    pytest.fail("too few names in the slice to try")


async def test_papers_like_one_but_for_a_subject_are_like_it(search, real):
    [prism] = (await search.named("PrismLLM")).papers
    row = real.vectors.rows(np.array([prism]))[0].astype(np.float32)

    async def nearness(query):
        found = await search.search(query, 5)
        return found, float(np.mean(real.vectors.closeness(row, [hit.paper_id for hit in found.hits])))

    like, near = await nearness("papers like PrismLLM but for inference")
    _, by_words = await nearness("inference")
    assert like.understood.like == "PrismLLM"
    assert prism not in [hit.paper_id for hit in like.hits]
    assert near > by_words + 0.1
    texts = await real.store.texts([hit.paper_id for hit in like.hits])
    assert all("inference" in " ".join(text[:2]).lower() for text in texts.values())


async def test_limits_hold(search, real):
    found = await search.search("language models", 50, Where(category="cs.IR", since=date(2024, 12, 19)))
    papers = await real.store.papers([hit.paper_id for hit in found.hits])
    assert papers
    assert all("cs.IR" in paper.categories and paper.day >= date(2024, 12, 19) for paper in papers)
    by_author = await search.search('training author:"Minlan Yu"', 50)
    assert all(
        "minlan yu" in {a.key for a in paper.authors}
        for paper in await real.store.papers([hit.paper_id for hit in by_author.hits])
    )
    assert by_author.hits
    assert (await search.search("training author:nobody-at-all", 5)).hits == ()
    assert len((await search.search("category:cs.IR", 5)).hits) == 5


async def test_a_quoted_phrase_must_occur(search, real):
    found = await search.search('"in-network aggregation"', 20)
    for paper in await real.store.papers([hit.paper_id for hit in found.hits]):
        assert "network aggregation" in (paper.title + paper.abstract).lower().replace("-", " ")


async def test_papers_asked_for_alone_score_as_among_all(real):
    """But for the lengths of abstracts, which tantivy rounds by up to an eighth, and for LSTM and LSTMs."""
    words, chance = real.words, np.random.default_rng(3)
    papers = await real.store.papers(chance.choice(np.arange(1, FIRST), 12, replace=False).tolist())
    texts = ["language models for code", "training of graph neural networks", *(p.title for p in papers)]
    for title_only in (False, True):
        for text in [*texts, *(paper.abstract for paper in papers[:4])]:
            if any(term.also for term in words.terms(text)):  # two words for a search
                continue
            everywhere = dict(words.search(text, 10_000, title_only=title_only))
            drawn = chance.choice(np.arange(1, FIRST), 40, replace=False).tolist()
            some = list(dict.fromkeys([*list(everywhere)[:60], *drawn]))
            scores = words.scores(text, words.words_of(some), title_only=title_only)
            expected = [everywhere.get(one, 0.0) for one in some]
            assert scores == pytest.approx(expected, rel=2e-3 if title_only else 0.06), text


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("text", ["large language models for code generation", "PrismLLM", "the"])
async def test_words_say_the_same_of_a_paper_whether_words_or_meaning_found_it(
    search, real, monkeypatch, text, plain
):
    monkeypatch.setattr(ranking, "NEAR_POOL", len(real.vectors))  # so that meaning finds every paper
    query, wanted = Query(text), ranking.Wanted(plain=plain)
    by_words = search._ranking.by_words(query, 50, None)
    assert bool(by_words) == (text != "the")
    vector, near = await search._ranking.by_meaning(query, search.embed(text), 50, None)
    both = await search._ranking.rank(query, vector, near, by_words, 50, None, wanted)
    meaning = await search._ranking.rank(query, vector, near, [], 50, None, wanted)
    assert [hit.paper_id for hit in both] == [hit.paper_id for hit in meaning]
    assert [hit.score for hit in both] == pytest.approx([hit.score for hit in meaning])


async def test_behind_a_limit_words_give_no_more_candidates_than_without_one(search, real, monkeypatch):
    monkeypatch.setattr(ranking, "WORD_POOL", 20)
    monkeypatch.setattr(ranking, "NEAR_POOL", 40)
    monkeypatch.setattr(ranking, "ALONE", 40)
    await asyncio.to_thread(real.embedder.load)
    by_words, everything = search._ranking.by_words, np.ones(FIRST + 100, bool)
    without = by_words(Query("language models"), 10, None)
    assert len(without) == 20
    assert by_words(Query("language models"), 10, everything) == without
    assert len(by_words(Query("language models"), 30, everything)) == 30
    some = everything.copy()
    some[without[::2]] = False
    assert by_words(Query("language models"), 10, some)[:10] == without[1::2]
    monkeypatch.setattr(ranking, "NEAR_POOL", 1 + len(real.vectors))
    assert len(by_words(Query("language models"), 10, None)) > 20, "vectors can't give as many"
    monkeypatch.setattr(ranking, "NEAR_POOL", 40)
    quoted = Query("language models", phrases=("language models",))
    assert len(by_words(quoted, 10, everything)) == 40, "only words find what is quoted"


async def test_a_search_that_is_cancelled_leaves_nothing_unawaited(search, monkeypatch, recwarn):
    certain = search._certain

    def cancelled(*given):
        asked[0].cancel()
        return certain(*given)

    monkeypatch.setattr(search, "_certain", cancelled)
    asked = [asyncio.create_task(search.search("graph networks since 2020", 5))]
    await asyncio.wait(asked)
    assert asked.pop().cancelled()
    gc.collect()
    assert not [str(one.message) for one in recwarn if "never awaited" in str(one.message)]


async def test_words_side_by_side_are_found_as_phrases_are(search, real):
    words, some = real.words, list(range(1, FIRST, 3))
    text, written = "large language models for code generation", real.words.words_of(range(1, FIRST, 3))
    phrases = {
        pair: {paper for paper, _ in words.search(pair, 10_000, phrases=[pair])}
        for pair in ("large language", "language models", "code generation")
    }
    for pair, printing in phrases.items():
        assert set(compress(some, words.side_by_side(pair, written) > 0)) == printing & set(some)
    beside = set(compress(some, words.side_by_side(text, written) > 0))
    assert beside == set.union(*phrases.values()) & set(some)
    papers = await real.store.papers(some[:40])
    longest = " ".join(paper.title.lower() for paper in papers)
    beside = set(compress(some, words.side_by_side(longest, written) > 0))
    assert beside & {paper.id for paper in papers}
    assert (await search.search(longest, 5)).hits


async def test_what_a_query_is_about_is_embedded_whatever_else_it_says(real, monkeypatch):
    read = []
    whole = real.embedder.encode
    monkeypatch.setattr(
        real.embedder, "encode", lambda texts, *more: read.extend(texts) or whole(texts, *more)
    )
    plain = await Search(real).search("speech translation", 10)
    assert read.count("speech translation") == 1
    said = await Search(real).search("find me papers about speech translation", 10)
    assert said.query.text == "speech translation"
    assert [hit.closeness for hit in said.hits] == [hit.closeness for hit in plain.hits]


@pytest.mark.parametrize(
    "asked", ["RL that needs no reward model", "please find papers on RL without a reward model"]
)
async def test_what_papers_shall_do_without_is_embedded_once(real, monkeypatch, asked):
    read = []
    whole = real.embedder.encode
    monkeypatch.setattr(
        real.embedder, "encode", lambda texts, *more: read.extend(texts) or whole(texts, *more)
    )
    said = await Search(real).search(asked, 10)
    assert said.understood.done_without
    assert [text for text in read if "RL" in text] == ["RL without reward model"]


async def test_papers_that_have_one_of_several_phrases_are_those_of_each(real):
    phrases = ["large language", "language models", "of GPUs", "no such words"]
    each = [real.words.search("training on GPUs", 5, phrases=[phrase]) for phrase in phrases]
    found = real.words.having_one("training on GPUs", 5, phrases)
    assert found == {paper for hits in each for paper, _ in hits}
    assert found


async def test_a_pasted_abstract_finds_its_own_paper(search, real):
    [paper] = await real.store.papers(await search.resolve("PrismLLM"))
    found = await search.similar_to_text(paper.abstract, 3)
    assert found.hits[0].paper_id == paper.id


async def test_without_the_model_words_answer(real):
    unloaded = Corpus(real.store, real.folder, Embedder())
    unloaded.vectors = real.vectors
    await unloaded.refresh()
    found = await Search(unloaded).search("fault tolerance of GPU training", 5)
    assert found.by_words_only
    assert found.hits


async def test_papers_without_a_vector_are_found_by_words(real, store, tmp_path):
    corpus = await Corpus.open(store, tmp_path, real.embedder, writable=True)
    with corpus.writing():
        await Intake(corpus, "file", "x").run(
            iter([(0, record(1, title="Quokka husbandry")), (1, record(2))])
        )
    found = await Search(corpus).search("quokka husbandry", 5)
    assert found.waiting == 2
    assert found.hits[0].closeness is None


async def test_evaluation_shows_ours_best_or_level_in_each_kind(real):
    result = await evaluate(real, per_kind=20, seed=3)
    rows = {(row["kind"], row["method"]): row for row in result["rows"]}
    for kind in KINDS:
        ours = rows[kind, "labmate"]
        assert ours["questions"] == 20
        for method in ("words", "vectors", "rrf", "before"):
            for measure in ("mrr", "recall@10"):
                assert ours[f"{measure}_high"] >= rows[kind, method][measure], (kind, method, measure)
    for kind in ("two typos", "person", "dated"):
        assert rows[kind, "labmate"]["mrr"] >= 1.15 * rows[kind, "before"]["mrr"], kind


async def test_fusion_lets_words_count_by_what_the_query_is(real):
    short = fusion.kind_of(real.words.terms("PrismLLM"), len(real.words))
    retold = " ".join(await _titles(real, range(1, 13)))
    long = fusion.kind_of(real.words.terms(retold), len(real.words))
    assert short.words > long.words
    assert [term.word for term in short.names] == ["prismllm"]
    assert long.names == ()


def test_texts_can_be_cut_short():
    opening = "graph neural networks for traffic forecasting in large cities"
    one, other = Embedder(most_tokens=10).encode(
        [f"{opening} with sensors", f"{opening} and for weather maps"]
    )
    assert np.allclose(one, other)
    one, other = Embedder().encode([f"{opening} with sensors", f"{opening} and for weather maps"])
    assert not np.allclose(one, other)


def test_vectors_are_unit_length_in_the_order_given():
    embedder = Embedder()
    texts = ["short", "a much longer text about networks and training " * 8, "", "short"]
    ticks = []
    rows = embedder.encode(texts, ticks.append)
    assert rows.shape == (4, 384)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-3)
    assert rows[0] @ rows[3] == pytest.approx(1.0, abs=1e-3)
    assert rows[0] @ rows[1] < 0.9
    assert ticks[-1] == 4
    assert embedder.encode([]).shape == (0, 0)


def test_vectors_agree_with_the_ready_ones(shared, real):
    manifest_rows = np.load(shared / "data/arxiv-daily.minilm.f16.npy", mmap_mode="r")
    records = [
        item for _, item in zip(range(4), PaperFile(shared / "data/arxiv-daily.jsonl.zst"), strict=False)
    ]
    ours = real.embedder.encode([f"{r.title}. {r.abstract}" for _, r in records])
    cosines = (ours * manifest_rows[:4].astype(np.float32)).sum(axis=1)
    assert cosines.min() > 0.99


def test_a_model_that_is_none_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(ModelError, match=r"modules\.json"):
        locate(str(tmp_path))
    with pytest.raises(ModelError, match="EMBEDDING_MODEL"):
        locate("no/such-model")


def test_changed_weights_are_refused(tmp_path, monkeypatch):
    folder = tmp_path / "model"
    shutil.copytree(locate(DEFAULT_MODEL), folder)
    with (folder / "model.safetensors").open("r+b") as stream:
        stream.seek(1_000)
        stream.write(b"x")
    monkeypatch.setattr("index.search.embedding_model.locate", lambda _: folder)
    with pytest.raises(ModelError, match="weights"):
        fingerprint(DEFAULT_MODEL)
    assert fingerprint("other")["model"] == "model"
