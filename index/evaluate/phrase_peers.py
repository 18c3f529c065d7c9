"""YAKE and KeyBERT, for comparison; both are development extras."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from index.evaluate.phrases import DEPTHS, Method
from index.search.embedding import Embedder

WORDS = 3
"""Words of a phrase, at most, as both are usually run."""
_SPARE = 20
"""Phrases asked for, since different forms of one count once."""


def peers(embedder: Embedder) -> dict[str, Method]:
    """The peers that are installed, by name."""
    found: dict[str, Method] = {}
    if find_spec("yake"):
        found["yake"] = yake
    if find_spec("keybert"):
        found["keybert"] = lambda papers: keybert(papers, embedder)
    return found


def yake(papers: Sequence[tuple[str, str]]) -> list[list[str]]:
    """YAKE (Campos et al. 2020) with its own settings."""
    from yake import KeywordExtractor  # lazy: a development extra

    extractor = KeywordExtractor(lan="en", n=WORDS, top=_SPARE)
    return [[text for text, _ in extractor.extract_keywords(_text(paper))] for paper in papers]


def keybert(papers: Sequence[tuple[str, str]], embedder: Embedder) -> list[list[str]]:
    """KeyBERT (Grootendorst 2020) over Labmate's embedding model, with its own settings."""
    from keybert import KeyBERT  # lazy: a development extra
    from keybert.backend import BaseEmbedder  # lazy: a development extra

    class Backend(BaseEmbedder):  # type: ignore[misc]
        def embed(self, documents: Any, verbose: bool = False) -> Any:
            return embedder.encode([str(document) for document in documents]).astype("float32")

    model = KeyBERT(Backend())
    found = []
    for paper in papers:
        keywords = model.extract_keywords(
            _text(paper), keyphrase_ngram_range=(1, WORDS), top_n=max(_SPARE, *DEPTHS)
        )
        found.append([text for text, _ in keywords])
    return found


def _text(paper: tuple[str, str]) -> str:
    title, abstract = paper
    return f"{title}. {abstract}" if title else abstract
