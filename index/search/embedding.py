"""Turning texts into unit vectors, in batches that this machine does fastest."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from index.search.embedding_model import DEFAULT_MODEL, device_called, fingerprint, locate, unusable
from index.search.int8_fit import MANY, fits_int8
from index.search.precision import embeds_in_bfloat16
from index.search.torch_libraries import link

if TYPE_CHECKING:
    from index.search.bert import Bert
    from index.search.other_model import OtherModel

    Model = Bert | OtherModel

CALL, LARGE_CALL = 256, 8_192
"""Texts in one call: enough that few batches mix lengths or leave a stream idle, on a CPU and on a GPU."""
BATCH = 8
"""Small batches of similar length are fastest on a CPU (benchmarks/embedding.py)."""
INT8_BATCH = 16
"""In 8 bits, in which texts are not padded, batches may be larger."""
LEAST = 32
"""Shorter texts, in word pieces, are embedded exactly: the errors of few pieces don't cancel out."""
_WARMING = ("graph neural networks", "how do language models represent time?")
"""What a model embeds as it is loaded: the first texts take ten times as long as later ones."""
LARGE_BATCH = 128
"""On a GPU large batches are fastest."""
STREAMED = 2
"""With this many batches or more, each core gets its own stream."""
MOST_READERS = 16
"""Threads that split texts into word pieces for a GPU, which takes a core more time than the GPU needs."""

Progress = Callable[[int], None]


def paper_text(title: str, abstract: str) -> str:
    """The text that represents a paper."""
    return f"{title}. {abstract}"


@dataclass(frozen=True, slots=True)
class Worded:
    """A text's embedding, and those of its word pieces.

    Attributes
    ----------
    row
        float32, shape (dimension,): of unit length.
    words
        float16, shape (word pieces, dimension): rows of unit length.
    """

    row: np.ndarray
    words: np.ndarray


class Embedder:
    """The model, loaded on first use; safe to use from several threads.

    Parameters
    ----------
    name
        The default model's name, a folder, or a name on the hub.
    threads
        How many cores to use, or None for all.
    most_tokens
        Cut longer texts there; None: where the model cuts them.
    device
        The torch device, as :func:`device_called` takes it.
    """

    def __init__(
        self,
        name: str = DEFAULT_MODEL,
        *,
        threads: int | None = None,
        most_tokens: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.name = name
        self._threads, self._most_tokens = threads, most_tokens
        self.wanted_device, self._device = device, "cpu"
        self._model: Model | None = None
        self._lock, self._fitting = threading.Lock(), threading.Lock()
        self._in_int8: Bert | None = None  # the same model, once it is fitted

    @property
    def is_loaded(self) -> bool:
        """Whether the model is loaded, so that a call answers at once."""
        return self._model is not None

    def load(self) -> None:
        """Import torch and load the model, which takes seconds and hundreds of megabytes.

        Raises
        ------
        ModelError
            If the model is missing or not the expected one.
        """
        with self._lock:
            if self._model is None:
                self._model = self._load()

    def _load(self) -> Model:
        fingerprint(self.name)
        folder = locate(self.name)
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        link()
        import torch  # lazy: takes seconds

        # A query on two cores takes as long as on one, and ten times as long where one of them is busy.
        torch.set_num_threads(1)
        self._device = device_called(self.wanted_device)
        try:
            model = _model_in(folder, self._device, self._most_tokens, packaged=self.name == DEFAULT_MODEL)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            raise unusable(self.name, f"the model in {folder} can't be loaded: {error}") from error
        if self._on_gpu or embeds_in_bfloat16():
            model.to(torch.bfloat16)
        with torch.inference_mode():
            for text in _WARMING:
                model.embed(model.read([text]))
        return model

    @property
    def _on_gpu(self) -> bool:
        return self._device != "cpu"

    @property
    def call_size(self) -> int:
        """How many texts a call of :meth:`encode` needs for its best rate; known once the model is loaded."""
        return LARGE_CALL if self._on_gpu else CALL

    def encode(
        self, texts: Sequence[str], progress: Progress | None = None, *, quickly: bool = False
    ) -> np.ndarray:
        """Embed texts, sorted by length into small batches; large calls are fastest.

        Parameters
        ----------
        progress
            Called after each batch with the number of texts done so far.
        quickly
            Compute in 8 bits, if :meth:`fit_int8` has prepared it. Of the ten papers nearest to an abstract,
            one or two in a hundred change (``python -m benchmarks.embedding_ladder``).

        Returns
        -------
        numpy.ndarray
            float32, shape (len(texts), dimension), rows of unit length.
        """
        if quickly and self._in_int8 is not None:
            found = self._each(texts, self._forward_int8, progress, INT8_BATCH)
        else:
            found = self._each(texts, self._forward, progress)
        return np.stack(found) if found else np.empty((0, 0), np.float32)

    def is_worth_fitting(self, count: int) -> bool:
        """Whether so many texts take less time in 8 bits, preparation included."""
        return count >= MANY * max(2, self._threads or os.cpu_count() or 1)

    def fit_int8(self, texts: Sequence[str]) -> bool:
        """Prepare to embed many texts in 8 bits, by some of them; safe beside other calls.

        Parameters
        ----------
        texts
            Some of the many, as :func:`index.search.int8_fit.sample` chooses them.

        Returns
        -------
        bool
            Whether :meth:`encode` is faster with ``quickly``; not on a GPU, with another model, where the CPU
            is not faster in 8 bits, or if the vectors are not close to the exact ones.
        """
        self.load()
        from index.search.bert import Bert  # lazy: torch takes seconds

        model = self._model
        with self._fitting:
            self._in_int8 = None
            if isinstance(model, Bert) and not self._on_gpu and fits_int8(model, texts, self._forward):
                self._in_int8 = model
            return self._in_int8 is not None

    def encode_words(self, texts: Sequence[str]) -> list[Worded]:
        """Embed texts and each of their word pieces, in one pass."""
        return self._each(texts, self._forward_words)

    def pieces(self, text: str) -> list[tuple[int, int]]:
        """Where each word piece of a text begins and ends: one for each row of its :class:`Worded`."""
        self.load()
        assert self._model is not None
        return self._model.pieces(text or " ")

    @property
    def has_words(self) -> bool:
        """Whether the model, once loaded, gives word pieces with their places."""
        return self._model is not None and self._model.has_words

    def _each(
        self,
        texts: Sequence[str],
        forward: Callable[..., Iterable[Any]],
        progress: Progress | None = None,
        size: int | None = None,
    ) -> list[Any]:
        """What ``forward`` gives for each text, in order; ``size`` is a batch's, if not the usual one."""
        self.load()
        if not len(texts):
            return []
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        size = size or (LARGE_BATCH if self._on_gpu else BATCH)
        parts = [order[start : start + size] for start in range(0, len(order), size)]
        rows: list[Any] = [None] * len(texts)
        done = 0
        batches = [[texts[i] or " " for i in part] for part in parts]
        for part, unit in zip(parts, self._batches(batches, forward), strict=True):
            for place, row in zip(part, unit, strict=True):
                rows[place] = row
            done += len(part)
            if progress:
                progress(done)
        return rows

    def _batches(
        self, batches: list[list[str]], forward: Callable[..., Iterable[Any]]
    ) -> Iterator[Iterable[Any]]:
        """Each batch's results, in order; many batches are spread over one stream per core."""
        streams = self._threads or os.cpu_count() or 1
        if streams == 1 or len(batches) < STREAMED:
            yield from map(forward, batches)
            return
        if self._on_gpu:
            assert self._model is not None
            with ThreadPoolExecutor(min(streams, MOST_READERS), "word pieces") as pool:
                yield from map(forward, batches, pool.map(self._model.read, batches))
            return
        with ThreadPoolExecutor(streams, "embedding", initializer=_one_thread) as pool:
            yield from pool.map(forward, batches)

    def _forward(self, batch: list[str], read: Any = None) -> np.ndarray:
        if read is None and len(batch) == 1 and (mean := self._short(batch[0])) is not None:
            return _of_unit_length(mean[None])
        return self._forward_whole(batch, read)[0]

    def _short(self, text: str) -> np.ndarray | None:
        assert self._model is not None
        import torch  # lazy: takes seconds

        with torch.inference_mode():
            return self._model.embed_short(text)

    def _forward_int8(self, batch: list[str]) -> np.ndarray:
        """The unit rows of a batch, in 8 bits; in full precision those that these would spoil."""
        model = self._in_int8
        if model is None:  # fitted again, without success
            return self._forward(batch)
        import torch  # lazy: takes seconds

        with torch.inference_mode():
            read = model.read(batch)
            if read[1].shape[1] < LEAST:
                return self._forward(batch, read)
            means, are_far = model.embed_in_int8(read)
            rows: np.ndarray = torch.nn.functional.normalize(means, dim=1).numpy()
        if far := [place for place, is_far in enumerate(are_far) if is_far]:
            rows[far] = self._forward([batch[place] for place in far])
        return rows

    def _forward_words(self, batch: list[str], read: Any = None) -> list[Worded]:
        import torch  # lazy: takes seconds

        rows, words, lengths = self._forward_whole(batch, read)
        with torch.inference_mode():
            units = torch.nn.functional.normalize(words.float(), dim=2).cpu().numpy()
        # The first and the last piece only mark the text's ends.
        return [
            Worded(row, unit[1 : length - 1].astype(np.float16))
            for row, unit, length in zip(rows, units, lengths.tolist(), strict=True)
        ]

    def _forward_whole(self, batch: list[str], read: Any) -> tuple[np.ndarray, Any, Any]:
        """The unit rows of a batch, those of its word pieces, and how many pieces each text has.

        ``read`` is what the model has read of it, if it has.
        """
        assert self._model is not None
        import torch  # lazy: takes seconds

        with torch.inference_mode():
            means, words, lengths = self._model.embed(self._model.read(batch) if read is None else read)
            if means.dtype != torch.float32 or not means.is_cpu:
                means = means.float().cpu()
        # After each call into torch, a thread waits for Python's lock, so NumPy does the rest.
        return _of_unit_length(means.numpy()), words, lengths


def _of_unit_length(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _model_in(folder: Path, device: str, most_tokens: int | None, *, packaged: bool) -> Model:
    if packaged:
        from index.search.bert import Bert  # lazy: torch takes seconds

        return Bert(folder, device, most_tokens)
    from index.search.other_model import OtherModel  # lazy: sentence-transformers takes many seconds

    return OtherModel(folder, device, most_tokens)


def _one_thread() -> None:
    """A stream keeps to one core: small products side by side beat one spread over all cores."""
    import torch  # lazy: takes seconds

    torch.set_num_threads(1)
