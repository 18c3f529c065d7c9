"""One embedding model a process: tests open many bots and stores, and loading costs a second each time.

Nothing of what is computed changes: a batch that was embedded before gets the very vectors that it got then,
and a file whose checksum is known is the same file, with the same size and time of change.
"""

from __future__ import annotations

import hashlib
import os
import threading
from typing import IO, Any

import numpy as np

from index.search import embedding, embedding_model

_FORWARD, _LOAD, _DIGEST = embedding.Embedder._forward, embedding.Embedder._load, hashlib.file_digest
_models: dict[tuple[int | None, int | None], Any] = {}
_vectors: dict[tuple[str, int | None, tuple[str, ...]], np.ndarray] = {}
_checksums: dict[tuple[Any, ...], Any] = {}
_loading = threading.Lock()


def share() -> None:
    """Let the embedders of this process have one model, and embed each batch once."""
    remember_checksums()
    embedding.Embedder._load = _load  # type: ignore[method-assign]
    embedding.Embedder._forward = _forward  # type: ignore[method-assign]


def forget() -> None:
    """Load the model again when it is asked for next."""
    _models.clear()


def remember_checksums() -> None:
    """Read the weights of the shipped model once, however often they are checked."""
    embedding_model.hashlib.file_digest = _digest  # type: ignore[attr-defined]
    embedding_model.fingerprint(embedding_model.DEFAULT_MODEL)


def _digest(stream: IO[bytes], algorithm: Any) -> Any:
    facts = os.fstat(stream.fileno())
    key = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, algorithm)
    if key not in _checksums:
        _checksums[key] = _DIGEST(stream, algorithm)
    return _checksums[key]


def _load(self: embedding.Embedder) -> Any:
    if self.name != embedding_model.DEFAULT_MODEL:
        return _LOAD(self)
    embedding_model.fingerprint(self.name)
    settings = self._threads, self._most_tokens
    with _loading:
        if settings not in _models:
            _models[settings] = _LOAD(self)
        return _models[settings]


def _forward(self: embedding.Embedder, batch: list[str], read: Any = None) -> np.ndarray:
    key = (self.name, self._most_tokens, tuple(batch))
    if key not in _vectors:
        _vectors[key] = _FORWARD(self, batch, read)
    return _vectors[key].copy()
