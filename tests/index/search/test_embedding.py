"""The packaged model gives sentence-transformers' vectors; the library itself loads other models."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from index.search import embedding, embedding_model, precision
from index.search.bert import SHORT
from index.search.embedding import Embedder
from index.search.embedding_model import DEFAULT_MODEL, ModelError, locate
from index.search.precision import embeds_in_bfloat16
from tests.helpers import one_model

TEXTS = [
    "Attention is all you need.",
    " ",
    "naïve Bayes – 贝叶斯 🙂 \u200b𝔅 $\\alpha$-divergence",
    "word " * 400,
    "Graph neural networks for molecules. " * 9,
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """The same model from a folder, which sentence-transformers loads."""
    folder = shutil.copytree(locate(DEFAULT_MODEL), tmp_path_factory.mktemp("models") / "mine")
    embedder = Embedder(str(folder))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedding, "embeds_in_bfloat16", lambda: False)
        embedder.load()
    assert type(embedder._model).__name__ == "OtherModel"
    return embedder


@pytest.mark.parametrize(
    ("in_bfloat16", "row", "short", "words"), [(False, 2e-6, 2e-4, 2e-3), (True, 1e-2, 2e-3, 0.1)]
)
def test_vectors_and_pieces_are_those_of_sentence_transformers(
    library: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    in_bfloat16: bool,
    row: float,
    short: float,
    words: float,
) -> None:
    monkeypatch.setattr(
        embedding, "embeds_in_bfloat16", lambda: in_bfloat16
    )  # whichever this CPU does faster
    ours = Embedder()
    ours._model = one_model._LOAD(ours)
    for mine, right in zip(ours.encode_words(TEXTS), library.encode_words(TEXTS), strict=True):
        np.testing.assert_allclose(mine.row, right.row, rtol=0, atol=row)
        np.testing.assert_allclose(mine.words, right.words, rtol=0, atol=words)  # float16 at best
    for text in TEXTS:  # a single text, such as a query, goes through the layers in another way
        (mine,), (right,) = ours.encode_words([text]), library.encode_words([text])
        is_short = len(ours.pieces(text)) + 2 <= SHORT  # then its weights have 16 bits, and sums 32
        np.testing.assert_allclose(mine.row, right.row, rtol=0, atol=short if is_short else row)
        np.testing.assert_allclose(mine.words, right.words, rtol=0, atol=words)
    if torch.backends.quantized.engine == "x86":
        assert ours._model._short is not None
    assert [ours.pieces(text) for text in TEXTS] == [library.pieces(text) for text in TEXTS]
    assert ours.has_words
    assert library.has_words


def test_the_model_computes_in_the_precision_that_is_faster_here(monkeypatch: pytest.MonkeyPatch) -> None:
    for faster, kind in ((True, "bfloat16"), (False, "float32")):
        monkeypatch.setattr(embedding, "embeds_in_bfloat16", lambda faster=faster: faster)
        model = one_model._LOAD(Embedder())  # as it is outside tests, which share one
        assert str(model._layers[0].wide.dtype) == f"torch.{kind}"


@pytest.mark.parametrize("slow", [torch.float32, torch.bfloat16])
def test_the_faster_precision_is_measured(monkeypatch: pytest.MonkeyPatch, slow: torch.dtype) -> None:
    product, multiplied = torch.nn.functional.linear, set[torch.dtype]()

    def slowed(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
        multiplied.add(left.dtype)
        if left.dtype != slow:
            time.sleep(0.2)  # another program has the CPU meanwhile
        for _ in range(20 if left.dtype == slow else 1):
            made = product(left.float(), right.float())
        return made

    monkeypatch.setattr(torch.nn.functional, "linear", slowed)
    monkeypatch.setattr(precision, "has_bfloat16", lambda: True)
    assert embeds_in_bfloat16.__wrapped__() is (slow is torch.float32)
    assert multiplied == {torch.float32, torch.bfloat16}
    monkeypatch.setattr(precision, "has_bfloat16", lambda: False)
    assert not embeds_in_bfloat16.__wrapped__(), "where it is emulated, it takes many times as long"


def test_pieces_are_places_in_the_text_as_it_was_given() -> None:
    text = "\n  Deep nets "
    assert [text[start:end] for start, end in Embedder().pieces(text)] == ["Deep", "nets"]


@pytest.mark.parametrize("broken", ["config.json", "tokenizer.json", "sentence_bert_config.json"])
def test_a_broken_file_of_the_packaged_model_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    folder = shutil.copytree(locate(DEFAULT_MODEL), tmp_path / "model")
    (folder / broken).write_text("{")
    for module in (embedding, embedding_model):
        monkeypatch.setattr(module, "locate", lambda _: folder)
    with pytest.raises(ModelError, match=r"model.*can't be|can't be read"):
        Embedder(most_tokens=3).load()


def test_the_packaged_model_needs_neither_transformers_nor_its_library() -> None:
    code = (
        "import sys; from index.search.embedding import Embedder; Embedder().encode(['a']);"
        "print([name for name in ('transformers', 'sentence_transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.replace("'", '"')) == []


def test_without_torchscript_a_short_text_goes_through_layer_by_layer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    usual = Embedder().encode(["a short text"])
    monkeypatch.setattr(embedding, "embeds_in_bfloat16", lambda: False)
    monkeypatch.setattr(torch.jit, "freeze", Mock(side_effect=RuntimeError("switched off")))
    plain = Embedder()
    plain._model = one_model._LOAD(plain)
    assert plain._model._short is None
    np.testing.assert_allclose(plain.encode(["a short text"]), usual, rtol=0, atol=1e-2)
