"""A few papers chosen from many for a taste: ranked, varied, each with its reason."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from data.reasons import KnownWriter
from index.digest.encoder import Items, words_text
from index.digest.local_words import SAMPLE, LocalWords, standard
from index.digest.picks import Pick, Scored, picked
from index.digest.short_queries import printed
from index.digest.taste import TasteRanker
from index.search.corpus import Corpus
from index.search.embedding_model import ModelError
from index.search.word_filter import WordFilter, passes_any

KEPT = 20_000
"""Papers that stay encoded."""
QUERY_PAPERS = 3
"""A query in words counts like so many papers of a taste."""
DISLIKED = 2.0
"""How much similarity to a disliked paper, beyond that to liked ones, takes off a standard score."""
CLOSE = 0.6
"""The least joint similarity at which a paper counts as a close follow-up of another."""
FOLLOWED = 1.5
"""What a followed author adds to a standard score."""


@dataclass(frozen=True, slots=True)
class Taste:
    """What readers want.

    Attributes
    ----------
    liked
        Papers that were written, saved or liked, with the days since then.
    disliked
        Papers that readers did not want.
    queries
        Descriptions in plain words, each of a subject of its own.
    phrases
        Those that papers may also match by printing them, if they are short.
    followed
        For candidates by people who count, these authors.
    first
        Those of these candidates that come before all others: by people whom the digest watches, or its owner
        follows.
    in_category
        For candidates in a category that its owner follows, that category: they fill what is left. None where
        no category is followed.
    people_only
        They want the papers of ``followed`` and no others.
    require, exclude
        Words or phrases: title or abstract has at least one required, and no excluded one
        (:class:`index.search.word_filter.WordFilter`).
    declining
        For queries and phrases that leave something out: only papers that pass one of these filters match
        them. Those that don't may still match for another reason.
    """

    liked: Mapping[int, float] = field(default_factory=dict)
    disliked: frozenset[int] = frozenset()
    queries: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    followed: Mapping[int, tuple[KnownWriter, ...]] = field(default_factory=dict)
    first: frozenset[int] = frozenset()
    in_category: Mapping[int, str] | None = None
    people_only: bool = False
    require: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    declining: Mapping[str, Sequence[WordFilter]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EncodedTaste:
    """A taste's papers and words, encoded.

    Attributes
    ----------
    liked
        The store ids of the first rows of ``items``.
    items
        The liked papers and then each query :data:`QUERY_PAPERS` times; None where there is neither.
    ages
        Days since each row of ``items``, shape (rows,).
    texts
        The liked papers' words, and the queries.
    queries
        Those of the last rows of ``items``.
    """

    liked: list[int]
    items: Items | None
    ages: np.ndarray
    texts: list[str]
    queries: tuple[str, ...]


class Chooser:
    """Chooses from a day's papers, and keeps them encoded."""

    def __init__(self, corpus: Corpus, ranker: TasteRanker) -> None:
        self._corpus = corpus
        self.ranker = ranker
        self._encoded: OrderedDict[int, tuple[np.ndarray, ...]] = OrderedDict()
        """For each paper: words (places, weights, rarity weights), meaning, its own part, joint places."""
        self._texts: OrderedDict[int, str] = OrderedDict()
        self._local: LocalWords | None = None
        self._counted = 0
        """Papers of the library when its words were counted."""
        self._counting = asyncio.Lock()
        self._passing: set[int] = set()
        """Papers encoded before they were embedded, to be encoded again."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words of :attr:`index.digest.encoder.Items.words`."""
        return self.ranker.encoder.vocabulary

    async def items(self, papers: Sequence[int]) -> Items:
        """Encoded papers; those not embedded yet have a meaning of zero."""
        vectors = self._corpus.vectors
        for paper in [p for p in self._passing if vectors is not None and vectors.has(p)]:
            self._passing.discard(paper)
            self._encoded.pop(paper, None)
        while missing := [paper for paper in dict.fromkeys(papers) if paper not in self._encoded]:
            texts = await self._corpus.store.texts(missing)
            await asyncio.to_thread(self._encode, missing, texts)
        held = [self._encoded[paper] for paper in papers]
        for paper in papers:
            self._encoded.move_to_end(paper)
        ends = np.cumsum([0, *(len(entry[0]) for entry in held)])
        columns = np.concatenate([entry[0] for entry in held])
        shape = (len(held), len(self.ranker.encoder.vocabulary))
        words, rare = (
            sparse.csr_matrix((np.concatenate([entry[at] for entry in held]), columns, ends), shape)
            for at in (1, 2)
        )
        items = Items(words, rare, *(np.stack([entry[at] for entry in held]) for at in (3, 4, 5)))
        while len(self._encoded) > KEPT:
            gone, _ = self._encoded.popitem(last=False)
            self._texts.pop(gone, None)
        return items

    async def local_words(self) -> LocalWords:
        """The library's own words, counted again when it has grown by half."""
        async with self._counting:
            held = self._corpus.facets.held()
            if self._local is None or len(held) > 1.5 * self._counted:
                places = np.linspace(0, max(len(held) - 1, 0), min(SAMPLE, len(held))).astype(int)
                texts = await self._corpus.store.texts(held[places].tolist())
                words = [words_text(*text[:2]) for text in texts.values()]
                self._local = await asyncio.to_thread(LocalWords, words, self.vocabulary)
                self._counted = len(held)
            return self._local

    def _encode(self, papers: list[int], texts: Mapping[int, tuple[str, str, int]]) -> None:
        vectors = self._corpus.vectors
        pairs = [texts.get(paper, ("", "", 0))[:2] for paper in papers]
        known = np.array([vectors is not None and vectors.has(paper) for paper in papers])
        meaning = np.zeros((len(papers), self.ranker.encoder.dimension), np.float32)
        if vectors is not None and known.any():
            meaning[known] = vectors.rows(np.array(papers)[known])
        words = self.ranker.encoder.words([words_text(*pair) for pair in pairs])
        items = self.ranker.encoder.items(words, meaning)
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
            self._texts[paper] = words_text(*pairs[row])

    async def choose(
        self,
        candidates: Sequence[int],
        taste: Taste,
        most: int,
        *,
        known_only: bool = False,
        most_first: int = 0,
    ) -> list[Pick]:
        """The papers to show, best first; fewer than ``most``, or none, if the rest does not match.

        Papers by people who are watched or followed come first; up to ``most_first`` of them are shown, even
        if that is more than ``most``. A paper outside the readers' area
        (:data:`index.digest.taste.LEAST_ODDS`) does not match, unless somebody they follow wrote it, or it
        prints a short query. With ``known_only``, only papers by followed people match, and those similar
        (:data:`CLOSE`) to a liked paper or a query.

        Papers that only stand in a followed category come last, if there is room.

        Without liked papers or queries there is nothing to match: then, unless only papers by some people are
        wanted, those are chosen that are the most typical of their day.
        """
        candidates = [paper for paper in dict.fromkeys(candidates) if paper not in taste.disliked]
        if not candidates:
            return []
        scored = await self._scored(candidates, taste)
        texts = [self._texts[paper] for paper in candidates]
        return await asyncio.to_thread(self._picked, scored, texts, taste, (most, most_first), known_only)

    def _picked(
        self, scored: Scored, texts: Sequence[str], taste: Taste, limits: tuple[int, int], known_only: bool
    ) -> list[Pick]:
        floor = max(CLOSE, self.ranker.floor) if known_only else self.ranker.floor
        is_narrow = known_only or taste.people_only
        said = printed(self._corpus.words, texts, () if is_narrow else taste.phrases, taste.declining)
        fits = np.array([bool(names) for names in scored.by])
        if not taste.people_only:
            fits |= scored.similar(floor) | np.array([bool(phrase) for phrase in said])
        if scored.nothing_known and not is_narrow and taste.in_category is None:
            fits[:] = True
        words = WordFilter(taste.require, taste.exclude)
        rows = [row for row in np.flatnonzero(fits).tolist() if words.passes_all or words.passes(texts[row])]
        order = [
            [row for row in rows if (scored.papers[row] in taste.first) is first] for first in (True, False)
        ]
        followed = taste.in_category or {}
        if not is_narrow:
            others = [row for row in np.flatnonzero(~fits).tolist() if scored.papers[row] in followed]
            order.append([row for row in others if words.passes_all or words.passes(texts[row])])
        picks = picked(scored, order, said, floor, max(limits[0], min(len(order[0]), limits[1])))
        return [replace(pick, category=followed.get(pick.paper, "")) for pick in picks]

    async def ranked(self, candidates: Sequence[int], taste: Taste) -> list[int]:
        """All candidates for a taste, best first, without regard to variety."""
        scored = await self._scored(list(dict.fromkeys(candidates)), taste)
        return [scored.papers[row] for row in np.argsort(-scored.scores, kind="stable")]

    async def closeness(self, items: Items, query: str) -> np.ndarray:
        """Similarity of items to a plain-word query: float32, shape (papers,), 0 to 1; zeros without one."""
        if not query.strip():
            return np.zeros(len(items), np.float32)
        asked = await asyncio.to_thread(self._query, query)
        return np.asarray(np.clip((items.joint @ asked.joint.T).ravel(), 0, 1), np.float32)

    def _query(self, text: str) -> Items:
        encoder = self.ranker.encoder
        try:
            meaning = np.asarray(self._corpus.embedder.encode([text]), np.float32)
        except ModelError:  # its words still say something
            meaning = np.zeros((1, encoder.dimension), np.float32)
        return encoder.items(encoder.words([words_text(text, "")]), meaning)

    async def encoded(self, taste: Taste) -> EncodedTaste:
        """What a taste's papers and words are compared by."""
        liked = [paper for paper in taste.liked if paper not in taste.disliked]
        parts = [await self.items(liked)] if liked else []
        ages, texts = [taste.liked[paper] for paper in liked], [self._texts[paper] for paper in liked]
        queries = tuple(query for query in taste.queries if query.strip())
        for query in queries:
            asked = await asyncio.to_thread(self._query, query)
            parts.append(asked[np.zeros(QUERY_PAPERS, np.int64)])
            ages += [0.0] * QUERY_PAPERS
            texts.append(query)
        items = Items.stack(parts) if parts else None
        return EncodedTaste(liked, items, np.array(ages), texts, queries)

    async def _scored(self, candidates: list[int], taste: Taste) -> Scored:
        wanted = await self.encoded(taste)
        away = await self.items(sorted(taste.disliked)) if taste.disliked else None
        items = await self.items(candidates)
        local = await self.local_words()
        return await asyncio.to_thread(self._score, candidates, items, wanted, away, taste, local)

    def _declined(
        self, papers: Sequence[int], queries: Sequence[str], declining: Mapping[str, Sequence[WordFilter]]
    ) -> np.ndarray:
        """Whether each query leaves each paper out: bool, shape (papers, queries)."""
        declined = np.zeros((len(papers), len(queries)), bool)
        for at, query in enumerate(queries):
            if filters := declining.get(query, ()):
                declined[:, at] = [not passes_any(filters, self._texts[paper]) for paper in papers]
        return declined

    def _judged(
        self, items: Items, wanted: EncodedTaste, declined: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Scores and log odds, both of shape (papers,). A query says nothing of papers that it leaves out."""
        assert wanted.items is not None
        learned, odds = self.ranker.judged(items, wanted.items, wanted.ages)
        for pattern in np.unique(declined[declined.any(axis=1)], axis=0):
            rows = (declined == pattern).all(axis=1)
            kept = np.append(np.ones(len(wanted.liked), bool), np.repeat(~pattern, QUERY_PAPERS))
            others = wanted.items[np.flatnonzero(kept)]
            without, area = self.ranker.judged(items, others, wanted.ages[kept])
            learned[rows] = np.minimum(learned, without)[rows]
            odds[rows] = area[rows]
        return learned, odds

    def _score(
        self,
        candidates: list[int],
        items: Items,
        wanted: EncodedTaste,
        away: Items | None,
        taste: Taste,
        local: LocalWords,
    ) -> Scored:
        close = (
            items.joint @ wanted.items.joint.T
            if wanted.items is not None
            else np.zeros((len(items), 0), np.float32)
        )
        to_liked, to_queries = np.split(close, [len(wanted.liked)], axis=1)
        declined = self._declined(candidates, wanted.queries, taste.declining)
        to_queries = np.where(declined, -1.0, to_queries[:, ::QUERY_PAPERS])
        nearest = np.hstack([to_liked, to_queries]).max(axis=1, initial=-1.0)
        if wanted.items is not None:
            learned, odds = self._judged(items, wanted, declined)
            whole = self._corpus.facets.described(candidates) & items.meaning.any(axis=1)
            odds = np.where(whole & wanted.items.meaning.any(axis=1).all(), odds, np.inf)
            today = local.rows([self._texts[paper] for paper in candidates])
            similar = (items.meaning @ wanted.items.meaning.T).max(axis=1)
            scores = local.beside(learned, similar, today, local.rows(wanted.texts))
        else:
            scores, odds = standard(items.joint @ items.joint.mean(axis=0)), np.full(len(items), np.inf)
        if away is not None:
            scores -= DISLIKED * np.clip((items.joint @ away.joint.T).max(axis=1) - nearest, 0, 1)
        by = [taste.followed.get(paper, ()) for paper in candidates]
        scores += FOLLOWED * np.array([bool(names) for names in by])
        return Scored(
            candidates,
            items.joint,
            scores,
            odds,
            wanted.liked,
            to_liked,
            to_queries,
            wanted.queries,
            nearest,
            by,
            wanted.items is None,
        )
