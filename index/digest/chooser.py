"""A few papers chosen from many for a taste: ranked, kept apart from one another, each with its reason."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from data.keys import fold
from index.digest.taste import Items, TasteRanker, words_text
from index.search.corpus import Corpus
from index.search.embedding import ModelError

KEPT = 20_000
"""Papers that stay encoded."""
ALIKE, ALIKE_FROM = 2.7, 0.5
"""What likeness (cosine) beyond this to a paper chosen already takes off a standard score (maximal marginal relevance,
Carbonell and Goldstein 1998)."""
QUERY_PAPERS = 3
"""A query in words counts like so many papers of a taste."""
DISLIKED = 2.0
"""How much likeness to a disliked paper, beyond that to liked ones, takes off a standard score."""
CLOSE = 0.6
"""The joint closeness from which on a paper counts as a close follow-up of another."""
FOLLOWED = 1.5
"""What a followed author adds to a standard score."""


@dataclass(frozen=True, slots=True)
class Taste:
    """What is wanted.

    Attributes
    ----------
    liked
        Papers that were written, saved or liked, with the days since then.
    disliked
        Papers that were not wanted.
    query
        A description in plain words.
    followed
        For candidates by followed people the names to show.
    require, exclude
        Words or phrases: of the first one at least, of the second none stands in title or abstract.
    """

    liked: Mapping[int, float] = field(default_factory=dict)
    disliked: frozenset[int] = frozenset()
    query: str = ""
    followed: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    require: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pick:
    """A chosen paper: how near the taste it lies (cosine in the joint space), and what speaks for it.

    Attributes
    ----------
    near
        Liked papers that it lies close to, closest first.
    by
        Followed people who wrote it.
    on_query
        Whether it lies close to the query.
    """

    paper: int
    closeness: float
    near: tuple[int, ...]
    by: tuple[str, ...]
    on_query: bool


class Daily:
    """Chooses from a day's papers; what it encoded once it keeps."""

    def __init__(self, corpus: Corpus, ranker: TasteRanker) -> None:
        self._library = corpus
        self._ranker = ranker
        self._encoded: OrderedDict[int, tuple[np.ndarray, ...]] = OrderedDict()
        """The words of each paper (places, weights, weights by rarity), its meaning, what is its own, joint places."""
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._passing: set[int] = set()
        """Papers encoded before they were embedded, to be encoded again."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words of :attr:`index.digest.taste.Items.words`."""
        return self._ranker.encoder.vocabulary

    async def items(self, papers: Sequence[int]) -> Items:
        """Papers in all three ways, as far as they are embedded; others have a meaning of zero."""
        vectors = self._library.vectors
        for paper in [p for p in self._passing if vectors is not None and vectors.has(p)]:
            self._passing.discard(paper)
            self._encoded.pop(paper, None)
        missing = [paper for paper in dict.fromkeys(papers) if paper not in self._encoded]
        if missing:
            texts = await self._library.store.texts(missing)
            await asyncio.to_thread(self._encode, missing, texts)
        held = [self._encoded[paper] for paper in papers]
        for paper in papers:
            self._encoded.move_to_end(paper)
        ends = np.cumsum([0, *(len(entry[0]) for entry in held)])
        columns = np.concatenate([entry[0] for entry in held])
        shape = (len(held), len(self._ranker.encoder.vocabulary))
        words, rare = (
            sparse.csr_matrix((np.concatenate([entry[at] for entry in held]), columns, ends), shape)
            for at in (1, 2)
        )
        found = Items(words, rare, *(np.stack([entry[at] for entry in held]) for at in (3, 4, 5)))
        while len(self._encoded) > KEPT:
            gone, _ = self._encoded.popitem(last=False)
            self._texts.pop(gone, None)
        return found

    def _encode(self, papers: list[int], texts: Mapping[int, tuple[str, str, int]]) -> None:
        vectors = self._library.vectors
        pairs = [texts.get(paper, ("", "", 0))[:2] for paper in papers]
        known = np.array([vectors is not None and vectors.has(paper) for paper in papers])
        meaning = np.zeros((len(papers), self._ranker.encoder.dimension), np.float32)
        if vectors is not None and known.any():
            meaning[known] = vectors.rows(np.array(papers)[known])
        words = self._ranker.encoder.words([words_text(*pair) for pair in pairs])
        items = self._ranker.encoder.items(words, meaning)
        for row, paper in enumerate(papers):
            if not known[row] and vectors is not None:
                self._passing.add(paper)
            part = slice(words.indptr[row], words.indptr[row + 1])
            self._encoded[paper] = (
                words.indices[part],
                words.data[part],
                items.rare.data[part],
                items.meaning[row],
                items.own[row],
                items.joint[row],
            )
            self._texts[paper] = " ".join(pairs[row])

    async def choose(
        self, candidates: Sequence[int], taste: Taste, most: int, *, known_only: bool = False
    ) -> list[Pick]:
        """The papers to show, best first; fewer than ``most``, or none, where the rest does not fit.

        With ``known_only`` nothing is shown but what followed people wrote and what lies close (:data:`CLOSE`) to a
        liked paper or the query.

        Without liked papers, query or followed people there is nothing to fit: then the papers are chosen that the
        others of the day lie closest around.
        """
        candidates = [paper for paper in dict.fromkeys(candidates) if paper not in taste.disliked]
        if not candidates:
            return []
        found = await self._scored(candidates, taste)
        limited = taste.require or taste.exclude
        kept = [
            row
            for row, paper in enumerate(candidates)
            if not limited or has_words(self._texts[paper], taste.require, taste.exclude)
        ]
        floor = max(CLOSE, self._ranker.floor) if known_only else self._ranker.floor
        return await asyncio.to_thread(
            _picked, found, np.array(kept, np.int64), floor, most, open_to_all=not known_only
        )

    async def ranked(self, candidates: Sequence[int], taste: Taste) -> list[int]:
        """All candidates for a taste, best first, not kept apart from one another."""
        found = await self._scored(list(dict.fromkeys(candidates)), taste)
        return [found.papers[row] for row in np.argsort(-found.scores, kind="stable")]

    async def closeness(self, items: Items, query: str) -> np.ndarray:
        """How near items lie to a query in plain words: float32, shape (papers,), 0 to 1; zeros without one."""
        if not query.strip():
            return np.zeros(len(items), np.float32)
        asked = await asyncio.to_thread(self._query, query)
        return np.asarray(np.clip((items.joint @ asked.joint.T).ravel(), 0, 1), np.float32)

    def _query(self, text: str) -> Items:
        encoder = self._ranker.encoder
        try:
            meaning = np.asarray(self._library.embedder.encode([text]), np.float32)
        except ModelError:  # its words still say something
            meaning = np.zeros((1, encoder.dimension), np.float32)
        return encoder.items(encoder.words([words_text(text, "")]), meaning)

    async def _scored(self, candidates: list[int], taste: Taste) -> _Scored:
        items = await self.items(candidates)
        liked = [paper for paper in taste.liked if paper not in taste.disliked]
        wanted = await self.items(liked) if liked else None
        away = await self.items(sorted(taste.disliked)) if taste.disliked else None
        query = await asyncio.to_thread(self._query, taste.query) if taste.query.strip() else None
        return await asyncio.to_thread(self._score, candidates, items, liked, wanted, away, query, taste)

    def _score(
        self,
        candidates: list[int],
        items: Items,
        liked: list[int],
        wanted: Items | None,
        away: Items | None,
        query: Items | None,
        taste: Taste,
    ) -> _Scored:
        parts = [(wanted, [taste.liked[paper] for paper in liked])] if wanted is not None else []
        if query is not None:
            parts.append((query[np.zeros(QUERY_PAPERS, np.int64)], [0.0] * QUERY_PAPERS))
        to_liked = (
            items.joint @ wanted.joint.T if wanted is not None else np.zeros((len(items), 0), np.float32)
        )
        to_query = (items.joint @ query.joint.T).ravel() if query is not None else np.full(len(items), -1.0)
        nearest = np.maximum(to_liked.max(axis=1, initial=-1.0), to_query)
        if parts:
            together = Items.stack([part for part, _ in parts])
            ages = np.array([age for _, held in parts for age in held])
            scores = self._ranker.scores(items, together, ages)
        else:
            scores = items.joint @ items.joint.mean(axis=0)
        scores = _standard(scores)
        if away is not None:
            scores -= DISLIKED * np.clip((items.joint @ away.joint.T).max(axis=1) - nearest, 0, 1)
        by = [taste.followed.get(paper, ()) for paper in candidates]
        scores += FOLLOWED * np.array([bool(names) for names in by])
        nothing_known = not parts and not taste.followed
        return _Scored(candidates, items.joint, scores, liked, to_liked, to_query, nearest, by, nothing_known)


@dataclass(frozen=True)
class _Scored:
    """Candidates with their scores, and what they lie near to."""

    papers: list[int]
    joint: np.ndarray
    scores: np.ndarray
    liked: list[int]
    to_liked: np.ndarray
    to_query: np.ndarray
    nearest: np.ndarray
    by: list[tuple[str, ...]]
    nothing_known: bool
    """Neither liked papers nor a query nor followed people say what fits."""


def _picked(found: _Scored, kept: np.ndarray, floor: float, most: int, *, open_to_all: bool) -> list[Pick]:
    followed = np.array([bool(names) for names in found.by])
    fits = (found.nearest >= floor) | followed | (open_to_all and found.nothing_known)
    rows = kept[fits[kept]]
    picks = []
    for row in apart(found.scores[rows], found.joint[rows], most):
        at = int(rows[row])
        near = np.argsort(-found.to_liked[at])[:3]
        picks.append(
            Pick(
                found.papers[at],
                float(max(found.nearest[at], 0.0)),
                tuple(found.liked[place] for place in near if found.to_liked[at, place] >= floor),
                found.by[at],
                bool(found.to_query[at] >= floor),
            )
        )
    return picks


def apart(scores: np.ndarray, joint: np.ndarray, most: int) -> list[int]:
    """Rows chosen one after another: each the best of what is left, less its likeness to what was chosen."""
    chosen: list[int] = []
    left = np.ones(len(scores), bool)
    likeness = np.zeros(len(scores), np.float32)
    while left.any() and len(chosen) < most:
        value = np.where(left, scores - ALIKE * np.maximum(likeness - ALIKE_FROM, 0), -np.inf)
        best = int(value.argmax())
        chosen.append(best)
        left[best] = False
        likeness = np.maximum(likeness, joint @ joint[best])
    return chosen


def has_words(text: str, require: Sequence[str], exclude: Sequence[str]) -> bool:
    """Whether a text has one of the required words (if any are) and none of the excluded; whole words, any case."""
    plain = fold(text)
    return (not require or any(_stands(word, plain) for word in require)) and not any(
        _stands(word, plain) for word in exclude
    )


def _stands(word: str, plain: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(fold(word))}(?!\w)", plain) is not None


def _standard(values: np.ndarray) -> np.ndarray:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-6), np.float32)
