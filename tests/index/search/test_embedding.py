"""The packaged model gives sentence-transformers' vectors; the library itself loads other models."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from index.search import embedding
from index.search.bert import Bert
from index.search.embedding import DEFAULT_MODEL, Embedder, ModelError, locate
from index.search.other_model import OtherModel

TEXTS = [
    "Attention is all you need.",
    " ",
    "naïve Bayes – 贝叶斯 🙂 \u200b𝔅 $\\alpha$-divergence",
    "word " * 400,
    "Graph neural networks for molecules. " * 9,
]


@pytest.fixture(scope="module")
def library() -> OtherModel:
    return OtherModel(locate(DEFAULT_MODEL), "cpu")


def test_vectors_and_pieces_are_those_of_sentence_transformers(library: OtherModel) -> None:
    ours, theirs = Embedder(), Embedder()
    ours._model, theirs._model = Bert(locate(DEFAULT_MODEL), "cpu"), library
    for mine, right in zip(ours.encode_words(TEXTS), theirs.encode_words(TEXTS), strict=True):
        np.testing.assert_allclose(mine.row, right.row, atol=2e-6)
        np.testing.assert_allclose(mine.words, right.words, atol=2e-3)  # float16
    assert [ours.pieces(text) for text in TEXTS] == [theirs.pieces(text) for text in TEXTS]


def test_a_folder_of_another_model_is_loaded_by_the_library(tmp_path: Path) -> None:
    folder = shutil.copytree(locate(DEFAULT_MODEL), tmp_path / "mine")
    other = Embedder(str(folder))
    other.load()
    assert isinstance(other._model, OtherModel)
    np.testing.assert_allclose(other.encode(TEXTS[:1]), Embedder().encode(TEXTS[:1]), atol=2e-6)


@pytest.mark.parametrize("broken", ["config.json", "tokenizer.json", "sentence_bert_config.json"])
def test_a_broken_file_of_the_packaged_model_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    folder = shutil.copytree(locate(DEFAULT_MODEL), tmp_path / "model")
    (folder / broken).write_text("{")
    monkeypatch.setattr(embedding, "locate", lambda _: folder)
    with pytest.raises(ModelError, match=r"model.*can't be|can't be read"):
        Embedder(most_tokens=3).load()


def test_the_packaged_model_needs_neither_transformers_nor_its_library() -> None:
    code = (
        "import sys; from index.search.embedding import Embedder; Embedder().encode(['a']);"
        "print([name for name in ('transformers', 'sentence_transformers') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.replace("'", '"')) == []
