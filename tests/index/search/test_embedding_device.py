"""Papers are embedded on the device that the operator names, or on the best there is."""

import threading

import numpy as np
import pytest
import torch

from index.search import embedding
from index.search.bert import Bert
from index.search.embedding import Embedder
from index.search.embedding_model import ModelError, device_called

TEXTS = [f"A few words about gossip, part {number}. {'More of them. ' * number}" for number in range(40)]
LACKING = [
    name
    for name, there in (
        ("cuda", torch.cuda.is_available()),
        ("cuda:7", torch.cuda.device_count() > 7),
        ("mps", torch.backends.mps.is_available()),
        ("xpu", torch.xpu.is_available()),
    )
    if not there
]


@pytest.mark.parametrize("name", LACKING)
def test_a_device_that_torch_cannot_use_is_named_with_what_to_do(name):
    with pytest.raises(ModelError, match=f"EMBEDDING_DEVICE={name}: .*leave EMBEDDING_DEVICE empty"):
        device_called(name)


def test_the_best_device_embeds_like_the_cpu():
    best, cpu = Embedder(device="auto").encode(TEXTS), Embedder(device="cpu").encode(TEXTS)
    if device_called("auto") == "cpu":
        assert np.array_equal(best, cpu)
    assert np.sum(best * cpu, axis=1).min() > 0.999
    assert np.linalg.norm(best, axis=1) == pytest.approx(1.0, abs=1e-5)


@pytest.fixture
def as_on_a_gpu(monkeypatch):
    """An embedder that works as with a GPU, in small batches: many threads read, one computes."""
    embedder = Embedder(threads=4)
    embedder.load()
    monkeypatch.setattr(Embedder, "_on_gpu", True)
    monkeypatch.setattr(embedding, "LARGE_BATCH", 3)
    return embedder


def test_texts_that_are_read_ahead_keep_their_places(as_on_a_gpu, monkeypatch):
    read, readers, counts = Bert.read, set(), []

    def reading(self, texts):
        readers.add(threading.current_thread().name.partition("_")[0])
        return read(self, texts)

    one_by_one = [as_on_a_gpu.encode_words([text])[0] for text in TEXTS]
    monkeypatch.setattr(Bert, "read", reading)
    rows = as_on_a_gpu.encode(TEXTS, counts.append)
    words = as_on_a_gpu.encode_words(TEXTS)
    assert readers == {"word pieces"}
    assert counts == [*range(3, len(TEXTS), 3), len(TEXTS)]
    for row, worded, alone in zip(rows, words, one_by_one, strict=True):
        # A text by itself is computed in 16 bits, and in fewer where the processor has bfloat16.
        assert min(row @ alone.row, worded.row @ alone.row) > 0.999
        assert worded.words.shape == alone.words.shape


def test_a_text_that_can_not_be_read_ahead_fails_the_call(as_on_a_gpu, monkeypatch):
    def fails(_self, texts):
        raise RuntimeError(f"can't read {len(texts)} texts")

    monkeypatch.setattr(Bert, "read", fails)
    with pytest.raises(RuntimeError, match="can't read 3 texts"):
        as_on_a_gpu.encode([f"{text} And a bit more." for text in TEXTS])


def test_reading_never_changes_the_tokenizer(monkeypatch):
    """A change waits until no other thread splits texts, so that threads would work one after the other."""
    embedder = Embedder()
    embedder.load()
    right = embedder.encode(TEXTS)
    monkeypatch.setattr(embedder._model, "_tokenizer", Unchanging(embedder._model._tokenizer))
    assert embedder.encode([f" {text}" for text in TEXTS]).tolist() == right.tolist()


def test_a_text_with_half_a_character_does_not_fail_its_batch():
    broken = ["a \ud800 b", *TEXTS[:2]]
    rows = Embedder().encode(broken)
    assert np.allclose(rows[1:], Embedder().encode(["a ? b", *TEXTS[:2]])[1:], atol=1e-5)


class Unchanging:
    """A tokenizer that can only be asked."""

    def __init__(self, tokenizer):
        self._tokenizer = tokenizer

    def encode_batch(self, texts):
        return self._tokenizer.encode_batch(texts)
