"""Any sentence-transformers model that ``EMBEDDING_MODEL`` names, by the library itself."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from sentence_transformers import SentenceTransformer
from sentence_transformers.util import batch_to_device
from torch import Tensor


class OtherModel:
    """A model of a folder; the same methods as :class:`index.search.bert.Bert`.

    Raises
    ------
    OSError, ValueError, KeyError, RuntimeError
        If the library can't load it.
    """

    def __init__(self, folder: Path, device: str, most_tokens: int | None = None) -> None:
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self._device = torch.device(device)
        self.model = SentenceTransformer(str(folder), device=device, local_files_only=True)
        if most_tokens:
            self.model.max_seq_length = min(most_tokens, self.model.max_seq_length or most_tokens)
        self._tokenizing = threading.Lock()

    @property
    def has_words(self) -> bool:
        """Whether the model gives word pieces with their places."""
        return bool(getattr(self.model.tokenizer, "is_fast", False))

    def to(self, kind: torch.dtype) -> None:
        """Compute in another precision."""
        self.model.to(kind)

    def read(self, texts: Sequence[str]) -> Any:
        """Split texts into word pieces; safe to call from several threads."""
        with self._tokenizing:
            return self.model.preprocess(list(texts))

    def pieces(self, text: str) -> list[tuple[int, int]]:
        """Where each word piece begins and ends in the text."""
        with self._tokenizing:
            read = self.model.tokenizer(
                text,
                truncation=True,
                max_length=self.model.max_seq_length,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
            )
        marks = zip(read["offset_mapping"], read["special_tokens_mask"], strict=True)
        return [(int(start), int(end)) for (start, end), special in marks if not special]

    def embed_short(self, text: str) -> None:
        """Nothing: it has no faster way for a short text."""

    def embed(self, read: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Embed texts; returns what :meth:`index.search.bert.Bert.embed` does."""
        out = self.model.forward(batch_to_device(read, self._device))
        return out["sentence_embedding"], out["token_embeddings"], out["attention_mask"].sum(dim=1)
