"""Whether a paper that was found answers the query, or is merely the nearest one."""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
from collections.abc import Mapping, Sequence
from importlib import resources

import numpy as np

from data.records import Paper
from index.models import arrays
from index.search import bm25
from index.search.corpus import Corpus
from index.search.embedding_model import fingerprint
from index.search.fusion import OWN_WORDS
from index.search.lexical import Term
from index.search.passages import sentences

# Chosen on arXiv's listings with the help of `python -m bot evaluate fits --fit`, and checked on the ACL
# Anthology and PubMedQA (docs/search.md).
WEIGHTS = (5.0, 5.0, 21.0, -15.0)
"""Weights of the words in the paper, the words in one sentence, the closeness beyond chance, and words and
closeness together. The last is negative, since either is enough."""
NEITHER = -7.6
FARTHEST = -0.15
LEAST = -1.0
"""The log-odds above which a paper fits; a lost answer counts e = 2.7 times a false one."""
LEAST_ASKED = -2.5
"""The same for questions of at most ``OWN_WORDS`` content words, which share few with what answers them."""
NEAR = -5.0
"""The log-odds above which a paper is worth showing as a guess; noise is farther than this."""
NEAR_BY_WORDS = -6.0
"""The same where the closeness is unknown, so that words alone speak; without any word it is -7.6."""
_EVERYDAY = resources.files("index").joinpath("everyday_words.txt").read_text().split()
LENGTHS, EACH = (1, 2, 3, 5, 8, 13, 21, 34), 16
"""The lengths in words of random queries, and how many of each length there are."""
_GROWN = 1.25
"""Chance is measured again when the number of papers has grown by this factor."""
_FORMAT = 1


class Fits:
    """Judges whether papers answer a query, by the query's words in them and by their closeness.

    A word counts by its idf. Closeness counts from a baseline in this collection: the mean cosine of the
    closest paper to as many random everyday words.
    """

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus
        self._chance: np.ndarray | None = None
        self._measured = 0
        self._measuring = asyncio.Lock()

    async def warm(self) -> None:
        """Measure what chance gives, which the first answer would wait for."""
        await self._by_chance()

    async def judged(
        self,
        text: str,
        closeness: dict[int, float | None],
        *,
        asked: bool = False,
        papers: Mapping[int, Paper] | None = None,
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The papers (store id: cosine, None if unknown) that answer the text, in their order.

        Also those that come near enough to be shown where none answers. ``asked`` as in
        :class:`index.search.ranking.Wanted`; ``papers`` if they were read already.
        """
        if not closeness:
            return (), ()
        odds = dict(zip(closeness, log_odds(await self.features(text, closeness, papers)), strict=True))
        asked = asked and len(self._library.words.terms(text)) <= OWN_WORDS
        least = {p: LEAST_ASKED if asked and cosine is not None else LEAST for p, cosine in closeness.items()}
        answering = tuple(paper for paper, value in odds.items() if value >= least[paper])
        floors = {paper: NEAR_BY_WORDS if cosine is None else NEAR for paper, cosine in closeness.items()}
        return answering, tuple(paper for paper, value in odds.items() if value >= floors[paper])

    async def features(
        self, text: str, closeness: dict[int, float | None], papers: Mapping[int, Paper] | None = None
    ) -> np.ndarray:
        """The features of each paper for a text (:func:`fit_features`); none without content words."""
        terms = {term.stem: term for term in self._library.words.terms(text)}
        if not terms:
            return np.zeros((len(closeness), len(WEIGHTS)))
        lift = lifts(list(closeness.values()), len(terms), await self._by_chance())
        if papers is None:
            texts = await self._library.store.texts(list(closeness))
            printed = [texts[paper][:2] if paper in texts else ("", "") for paper in closeness]
        else:
            read = map(papers.get, closeness)
            printed = [(paper.title, paper.abstract) if paper else ("", "") for paper in read]
        covered = await asyncio.to_thread(self.covered, list(terms.values()), printed)
        return fit_features(covered, lift)

    def covered(self, terms: Sequence[Term], texts: Sequence[tuple[str, str]]) -> np.ndarray:
        """The shares of the terms, weighted by idf, in a title and abstract, and in one sentence of them.

        float64, shape (texts, 2), 0 to 1.
        """
        words, papers = self._library.words, max(1, len(self._library.words))
        known = np.array([max(term.in_titles, term.in_abstracts) for term in terms], np.float64)
        idf: list[float] = bm25.idf(known, papers).tolist()
        weighted = [(term.stem, term.also, weight) for term, weight in zip(terms, idf, strict=True)]
        stems = frozenset(stem for term in terms for stem in (term.stem, term.also) if stem)

        def weight_of(held: frozenset[str]) -> float:
            return sum(weight for stem, also, weight in weighted if stem in held or also in held)

        out = np.zeros((len(texts), 2))
        for place, (title, abstract) in enumerate(texts):
            parts = [words.those_in(part, stems) for part in (title, *sentences(abstract))]
            out[place] = weight_of(frozenset[str]().union(*parts)), max(weight_of(part) for part in parts)
        return out / max(sum(idf), 1e-9)

    async def _by_chance(self) -> np.ndarray | None:
        """The baseline from random queries of each of ``LENGTHS``; None while there is nothing to compare."""
        corpus = self._library
        if corpus.vectors is None or not corpus.embedder.is_loaded or not len(corpus.vectors):
            return None
        async with self._measuring:
            held = len(corpus.vectors)
            if self._chance is None or not _still_holds(self._measured, held):
                self._chance, self._measured = await asyncio.to_thread(_kept_chance, corpus, held)
        return self._chance


def _still_holds(measured: int, held: int) -> bool:
    return measured / _GROWN <= held <= measured * _GROWN


def _kept_chance(corpus: Corpus, held: int) -> tuple[np.ndarray, int]:
    """The baseline, and for how many papers it was measured; kept beside the indexes for the next start."""
    file = corpus.folder / "chance.npz"
    model = arrays.lines([str(fingerprint(corpus.embedder.name)["weights_sha256"])])
    kept = arrays.load(file, _FORMAT, "chance", "measured", "model")
    if (
        kept is not None
        and np.array_equal(kept["model"], model)
        and kept["chance"].shape == (len(LENGTHS),)
        and _still_holds(int(kept["measured"]), held)
    ):
        return kept["chance"], int(kept["measured"])
    chance = by_chance(corpus)
    with contextlib.suppress(OSError):  # a disk that is full or read-only costs the next start a second
        arrays.save(file, _FORMAT, chance=chance, measured=held, model=model)
    return chance, held


def by_chance(corpus: Corpus) -> np.ndarray:
    """The mean cosine of the closest paper to random everyday words, for each of ``LENGTHS``: float64."""
    assert corpus.vectors is not None
    chance = random.Random(0)
    queries = [" ".join(chance.choices(_EVERYDAY, k=length)) for length in LENGTHS for _ in range(EACH)]
    rows = corpus.embedder.encode(queries)
    best = np.zeros(len(rows))
    for place, row in enumerate(rows):
        nearest, _ = corpus.vectors.search(row, 1)
        if len(nearest):
            best[place] = np.nan_to_num(corpus.vectors.closeness(row, [int(nearest[0])])[0])
    return np.asarray(best.reshape(len(LENGTHS), EACH).mean(axis=1))


def lifts(closeness: Sequence[float | None], words: int, chance: np.ndarray | None) -> np.ndarray:
    """How much closer than chance papers are to a query of so many words; 0 if unknown."""
    known = np.array([math.nan if value is None else value for value in closeness], np.float64)
    if chance is None:
        return np.zeros(len(known))
    return np.asarray(np.nan_to_num(known - np.interp(words, LENGTHS, chance), nan=0.0))


def fit_features(covered: np.ndarray, lift: np.ndarray) -> np.ndarray:
    """The features for ``WEIGHTS``: float64, shape (papers, 4).

    Being farther than chance has limited weight against a paper: one with every word of the text always fits.
    """
    lift = np.maximum(lift, FARTHEST)
    return np.column_stack([covered, lift, covered[:, 0] * np.maximum(lift, 0.0)])


def log_odds(features: np.ndarray) -> np.ndarray:
    """The log-odds that papers answer."""
    return np.asarray(features @ np.array(WEIGHTS) + NEITHER)
