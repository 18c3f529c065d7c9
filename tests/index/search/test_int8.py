"""Many texts in 8 bits: close to the exact vectors, and only where the CPU is faster so."""

from itertools import islice
from random import Random

import numpy as np
import orjson
import pytest
import torch
import zstandard

from index.search import embedding, int8_fit, precision
from index.search.backlog import embedded
from index.search.bert import Bert
from index.search.bert_int8 import MOST_WEIGHT, gptq
from index.search.embedding import Embedder, paper_text
from index.search.int8_fit import CHECKED, FITTED
from index.search.precision import embeds_faster_in_int8
from tests.helpers import one_model
from tests.helpers.records import record

SUBJECTS = ["graph networks", "protein folding", "black holes", "prime gaps", "traffic flow", "word senses"]
VERBS = ["We predict", "We bound", "This survey compares", "Our data show", "Few have measured", "We refute"]
ENDS = [
    "with a transformer that was trained on ten million examples, and release the code.",
    "by a simple counting argument (see Section 2), which improves on the best known constant.",
    "in noisy, sparse and shifting data; the error falls by 12 % against the strongest baseline.",
]
SENTENCES = [f"{verb} {subject} {end}" for subject in SUBJECTS for verb in VERBS for end in ENDS]
CHANCE = Random(0)
TEXTS = [" ".join(CHANCE.sample(SENTENCES, 6)) for _ in range(120)]
FOR_FIT = FITTED + CHECKED
STRANGE = ["", " ", "a", "word " * 400, "naïve Bayes – 贝叶斯 🙂 \u200b𝔅 $\\alpha$", "." * 300]

needs_vnni = pytest.mark.skipif(
    not {"avx512_vnni", "avx_vnni"} & precision._flags(),
    reason="this CPU has no VNNI: Labmate never takes 8 bits here, and the products would lose digits",
)


@pytest.fixture
def embedder(monkeypatch):
    """A model of its own, on a CPU that is faster in 8 bits."""
    monkeypatch.setattr(embedding, "embeds_in_bfloat16", lambda: False)
    monkeypatch.setattr(int8_fit, "embeds_in_bfloat16", lambda: False)
    monkeypatch.setattr(int8_fit, "embeds_faster_in_int8", lambda: True)
    made = Embedder()
    made._model = one_model._LOAD(made)
    return made


@needs_vnni
def test_many_texts_in_8_bits_are_close_to_the_exact_ones_alone_and_among_others(embedder):
    assert embedder.fit_int8(TEXTS[:FOR_FIT])
    exact, ticks = embedder.encode([*TEXTS, *STRANGE]), []
    rows = embedder.encode([*TEXTS, *STRANGE], ticks.append, quickly=True)
    assert ticks[-1] == len(rows)
    assert not np.array_equal(rows, exact)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    alike = (rows * exact).sum(axis=1)
    assert alike.min() > 0.999
    np.testing.assert_allclose(rows[len(TEXTS) :], exact[len(TEXTS) :], atol=1e-5)
    assert np.array_equal(embedder.encode([*TEXTS, *STRANGE]), exact), "others stay exact"
    for place in (0, 17, 39):
        alone = embedder.encode(TEXTS[place : place + 1], quickly=True)[0]
        np.testing.assert_allclose(alone, rows[place], atol=2e-2)
        assert alone @ rows[place] > 0.999


@needs_vnni
def test_abstracts_of_another_collection_and_titles_alone_keep_their_vectors(embedder, shared):
    def texts(name, *, every, count):
        with zstandard.open(shared / "data" / f"{name}.jsonl.zst", "rt") as lines:
            papers = [orjson.loads(line) for line in islice(lines, 0, every * count, every)]
        return [paper_text(paper["title"], paper.get("abstract") or "") for paper in papers]

    assert embedder.fit_int8(texts("arxiv-daily", every=40, count=FOR_FIT))
    others = texts("acl-anthology", every=50, count=60)
    titles = [text.partition(". ")[0] for text in others[:30]]
    for asked, least in ((others, 0.997), (titles, 0.99)):
        alike = (embedder.encode(asked, quickly=True) * embedder.encode(asked)).sum(axis=1)
        assert alike.min() > least


@needs_vnni
def test_it_is_fitted_anew_for_other_texts_and_not_to_texts_of_which_many_are_unlike(embedder):
    assert not embedder.fit_int8([*["word " * 300, "", TEXTS[0]] * 16])
    assert np.array_equal(embedder.encode(TEXTS, quickly=True), embedder.encode(TEXTS))
    assert embedder.fit_int8(TEXTS[:FOR_FIT])
    assert not embedder.fit_int8(TEXTS[: FOR_FIT - 1]), "too few"
    assert np.array_equal(embedder.encode(TEXTS[:9], quickly=True), embedder.encode(TEXTS[:9]))


@pytest.mark.parametrize("why", ["slower", "bfloat16", "missing", "failing", "far"])
def test_without_gain_or_closeness_texts_stay_exact(embedder, monkeypatch, why):
    if why == "slower":
        monkeypatch.setattr(int8_fit, "embeds_faster_in_int8", lambda: False)
    elif why == "bfloat16":
        monkeypatch.setattr(int8_fit, "embeds_in_bfloat16", lambda: True)
    elif why == "far":
        monkeypatch.setattr(int8_fit, "ALIKE", 1.01)
    else:
        error = AttributeError("no qlinear_prepack") if why == "missing" else RuntimeError("not built")

        def fails(*_):
            raise error

        monkeypatch.setattr(Bert, "fit_int8", fails)
    assert not embedder.fit_int8(TEXTS[:FOR_FIT])
    assert np.array_equal(embedder.encode(TEXTS, quickly=True), embedder.encode(TEXTS))
    assert embedder.encode([], quickly=True).shape == (0, 0)


def test_gptq_loses_less_than_rounding():
    chance = torch.Generator().manual_seed(0)
    mixing = torch.randn(40, 200, generator=chance)
    inputs = torch.randn(3_000, 40, generator=chance) @ mixing + torch.randn(3_000, 200, generator=chance)
    weights = torch.randn(30, 200, generator=chance)
    rounded, scales = gptq(weights, inputs)
    assert torch.equal(rounded, rounded.round())
    assert rounded.abs().max() <= MOST_WEIGHT
    plain = (weights / scales[:, None]).round()

    def lost(whole):
        return float((inputs @ (weights - whole * scales[:, None]).T).square().mean())

    assert lost(rounded) < lost(plain) / 2


def test_columns_that_are_never_used_do_not_break_it():
    inputs = torch.zeros(50, 20)
    inputs[:, :3] = torch.rand(50, 3)
    weights = torch.rand(8, 20)
    weights[2] = 0
    rounded, scales = gptq(weights, inputs)
    assert torch.isfinite(rounded).all()
    assert (scales > 0).all()
    torch.testing.assert_close(rounded * scales[:, None], weights, atol=0.01, rtol=0)


def test_cpus_without_vnni_and_torch_without_the_product_are_told_apart(monkeypatch):
    monkeypatch.setattr(precision, "_flags", lambda: {"avx512_bf16"})
    assert not embeds_faster_in_int8.__wrapped__()
    monkeypatch.setattr(precision, "_flags", lambda: {"avx512_vnni"})
    monkeypatch.setattr(torch.ops, "onednn", object())
    assert not embeds_faster_in_int8.__wrapped__()


@pytest.mark.parametrize(("slow", "worth"), [("usual", True), ("quick", False)])
def test_8_bits_are_measured_against_32(slow, worth):
    matrix = torch.rand(300, 300)
    products = {"usual": lambda: matrix @ matrix, "quick": lambda: matrix @ matrix}
    once = products[slow]
    products[slow] = lambda: [once() for _ in range(30)]
    assert precision._is_worth(2.5, products["usual"], products["quick"]) is worth


@pytest.mark.parametrize(("cores", "papers", "is_fitted"), [(1, 96, True), (1, 95, False), (4, 96, False)])
async def test_a_large_backlog_is_fitted_to_papers_from_all_over_it(
    store, monkeypatch, cores, papers, is_fitted
):
    monkeypatch.setattr(embedding, "MANY", 48)
    await store.upsert([record(n) for n in range(papers)])
    asked, embedder = [], Embedder(threads=cores)
    monkeypatch.setattr(embedder, "fit_int8", lambda texts: asked.append(texts) or False)
    ids = (await store.changed_ids(0, 200))[0]
    assert sum([len(batch.papers) async for batch in embedded(store, embedder, ids)]) == papers
    assert [len(texts) for texts in asked] == ([FOR_FIT] if is_fitted else [])
    if is_fitted:
        found = await store.texts(ids[::2])
        assert sorted(asked[0]) == sorted(paper_text(*text[:2]) for text in found.values())
    assert [batch async for batch in embedded(store, embedder, ids, exactly=True)]
    assert len(asked) == is_fitted


@needs_vnni
async def test_a_large_backlog_is_embedded_in_8_bits(store, embedder, monkeypatch):
    monkeypatch.setattr(embedding, "MANY", 24)
    await store.upsert([record(n, abstract=text) for n, text in enumerate(TEXTS[:60])])
    ids = (await store.changed_ids(0, 200))[0]
    (quick,) = [batch async for batch in embedded(store, embedder, ids)]
    (exact,) = [batch async for batch in embedded(store, embedder, ids, exactly=True)]
    assert quick.papers == exact.papers
    assert not np.array_equal(quick.rows, exact.rows)
    assert (quick.rows * exact.rows).sum(axis=1).min() > 0.998
