"""Finding papers: a query is understood, papers that it names come first, words and meaning rank the rest."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import date
from itertools import compress

import numpy as np

from data.calendar.arxiv_ids import slips
from data.keys import clean
from data.records import Paper
from index.search import fusion
from index.search.authored import OF_AUTHOR
from index.search.corpus import Corpus
from index.search.facets import Where
from index.search.known_item import Meant
from index.search.lacking_papers import LOOKED_AT
from index.search.lexical import reads_as_sentence
from index.search.named_papers import identifier
from index.search.passages import stem
from index.search.queries import MAX_QUERY, Query, parse_query
from index.search.query_reader import QueryReader, begun_work
from index.search.ranking import Ranking, Wanted
from index.search.results import JUDGED, Found, Hit, by_day, passes, promote
from index.search.understanding import literally
from index.search.understood import Understood
from index.search.venues import Venue
from index.search.wishes import Order, likely_subject
from index.search.word_filter import WordFilter

__all__ = ["JUDGED", "Found", "Hit", "Search"]

ORDERED = 50
"""How many of the best papers are put in the order that a query asks for."""
CITED = 500
"""How many papers are looked at for the most cited ones where a query has no subject."""
UNWANTED, CHECKED = 50_000, 4
"""How many papers with an unwanted phrase are left out before a search. Since others may have it, too, the
search finds this many times the papers that were asked for, and checks their texts."""
AT_VENUE = 1_500
"""How many of the papers nearest to a query are looked through for those that appeared at a venue."""
LIKE_IT = 200
"""How many papers like one are looked at for those that are for something else."""
MAX_RARITIES = 50_000


class Search(QueryReader):
    """Answers queries over the corpus; long computations run in threads."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._ranking = Ranking(corpus)
        self._rarities: dict[str, float] = {}
        self._rarities_of = -1

    # -- searching -------------------------------------------------------------------------------

    async def search(
        self,
        typed: str,
        k: int = 50,
        where: Where | None = None,
        *,
        as_text: bool = False,
        judged: int = JUDGED,
        undo: frozenset[str] = frozenset(),
        order: Order | None = None,
        plain: bool = False,
        today: date | None = None,
    ) -> Found:
        """Rank papers for a query, and judge whether the first ones answer it.

        Parameters
        ----------
        typed
            What a person types (:mod:`index.search.understanding`); any text at all is a valid query.
        where
            Further limits, as from a command's options.
        as_text
            A question that was not typed as a search: quotes and colons are text, and people and days put
            papers first without leaving others out, and the best come first.
        judged
            How many of the first hits are judged.
        undo
            Parts of the understanding that are not wanted.
        order
            Instead of the order that the query asks for. For "cited", all papers that were looked at are
            found, best first, since only whoever has the counts can put them in order.
        plain
            Understand nothing but fields and quotes, and rank as before, for comparison.
        today
            The day of the clock, by default today.
        """
        text = clean(typed[:MAX_QUERY])
        # What most queries are about is embedded while they are being understood.
        likely = text if plain else likely_subject(text, as_text=as_text)
        async with AsyncExitStack() as begun:
            embedding = await begun.enter_async_context(begun_work(self.embed(likely)))
            if plain:
                said = literally(text) if as_text else Understood(text, parse_query(text))
            else:
                said = await self.understand(typed, undo=undo, as_text=as_text, today=today)
            query, by = said.query, order or ("best" if as_text else said.order)
            ordered = by != "best"
            limits, wanted = await self._wanted(said, where or Where(), as_text=as_text, plain=plain)
            allowed = self._library.facets.allowed(limits) if limits else None
            if said.without or said.unwanted_people or (ordered and not query.text):
                allowed = await self._without(said.without, said.unwanted_people, allowed)
            depth = max(k, ORDERED if query.text or by != "cited" else CITED) if ordered else k
            found = depth * CHECKED if said.without else depth
            found = max(found, AT_VENUE) if said.venue else found
            found = max(found, LOOKED_AT) if said.done_without else found
            # Embedding and what is near take one core, and looking words up another.
            if query.text != likely:
                embedding = await begun.enter_async_context(begun_work(self.embed(query.text)))
            (vector, near), by_words, (first, sure), said_of = await asyncio.gather(
                self._ranking.by_meaning(query, embedding, found, allowed),
                asyncio.to_thread(self._ranking.by_words, query, found, allowed),
                self._certain(query, said.like is not None),
                self._doing_without(said.done_without, query.text, allowed),
            )
        doing = [paper for paper, says_it in said_of.items() if says_it]
        by_words = list(dict.fromkeys([*by_words, *doing]))
        hits = await self._ranking.rank(query, vector, near, by_words, found + len(doing), allowed, wanted)
        first = [paper for paper in first if allowed is None or passes(allowed, paper)]
        if said.without:
            clear = await self._clear_of(said.without, [*first, *(hit.paper_id for hit in hits)])
            hits, first = [hit for hit in hits if hit.paper_id in clear], [p for p in first if p in clear]
        anywhere, says_so = False, True
        if said.venue:
            there = await self._appeared_at(said.venue, [*first, *(hit.paper_id for hit in hits)])
            anywhere = not there
            if there:
                hits, first = [hit for hit in hits if hit.paper_id in there], [p for p in first if p in there]
        if said.done_without:
            sorted_ = len(hits) if ordered else depth
            hits, saying = await self._those_without_first(said.done_without, hits, said_of, sorted_)
            says_so = saying > 0
            # In order of day or citations, papers that only name it would come between those that say so.
            hits = hits[:saying] if ordered and says_so else hits
        if not sure and not plain:
            first = await self._unless_titled(query.text, first, hits[:judged])
        hits = promote(hits, first)[:depth]
        asked = wanted.asked and not ordered  # in order of day, a paper that hardly fits could be the first
        looked_at = hits[: depth if ordered else judged]
        # The first are about to be shown.
        first_ids = [] if ordered or as_text else [hit.paper_id for hit in looked_at]
        papers = await self._library.store.papers_by_number(first_ids) if first_ids else None
        fitting, guesses = await self._fitting(said, looked_at, first, asked=asked, papers=papers)
        if by in ("newest", "oldest"):
            hits = by_day(hits, fitting, self._library.facets, newest=by == "newest")
            fitting = tuple(hit.paper_id for hit in hits if hit.paper_id in fitting)
        by_words_only = vector is None and bool(query.text)
        return Found(
            tuple(hits if by == "cited" else hits[:k]),
            query,
            by_words_only,
            self._waiting(),
            fitting,
            said,
            anywhere,
            wanted.apart,
            guesses,
            none_without=not says_so,
            papers=papers or {},
        )

    async def _unless_titled(self, text: str, first: Sequence[int], hits: Sequence[Hit]) -> list[int]:
        """The papers that a word of a text names; if titles have all its words, only those papers."""
        if not first:
            return []
        words, papers = self._library.words, [*first, *(hit.paper_id for hit in hits)]
        written = await asyncio.to_thread(words.words_of, papers)
        titled = set(compress(papers, words.titled(text, written)))
        return [paper for paper in first if paper in titled or not titled]

    async def _without(
        self, unwanted: Sequence[str], people: Sequence[str], allowed: np.ndarray | None
    ) -> np.ndarray:
        """The papers that may be found, have none of the unwanted phrases and are by none of these people."""
        chosen = (self._library.facets.codes >= 0) if allowed is None else allowed.copy()
        for what in unwanted:
            hits = await asyncio.to_thread(self._library.words.search, what, UNWANTED, phrases=[what])
            chosen[[paper for paper, _ in hits if paper < len(chosen)]] = False
        theirs = await self._written_by(people) or ()
        chosen[[paper for paper in theirs if paper < len(chosen)]] = False
        return chosen

    async def _clear_of(self, unwanted: Sequence[str], papers: Sequence[int]) -> set[int]:
        """Those of some papers whose texts have no form of an unwanted phrase."""
        words, texts = WordFilter((), unwanted), await self._library.store.texts(papers)
        return {
            paper for paper, (title, abstract, _) in texts.items() if words.passes(f"{title}\n{abstract}")
        }

    async def _appeared_at(self, venue: Venue, papers: Sequence[int]) -> set[int]:
        """Those of some papers whose records say that they appeared there."""
        facts = await self._library.store.appeared(papers)
        return {
            paper
            for paper, (said, ids) in facts.items()
            if venue.named_in(*said) or any(map(venue.has_id, ids))
        }

    async def _fitting(
        self,
        said: Understood,
        hits: Sequence[Hit],
        certain: Sequence[int],
        *,
        asked: bool,
        papers: Mapping[int, Paper] | None,
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The hits that answer: a paper that is named, has the quoted words, or fits by its text.

        Also those that come near enough to be shown as guesses. ``papers`` are the hits' if they were read.
        """
        query = said.query
        if query.phrases or not query.text or said.like is not None:
            every = tuple(hit.paper_id for hit in hits)
            return every, every
        closeness = {hit.paper_id: hit.closeness for hit in hits}
        answering, near = await self._fits.judged(query.text, closeness, asked=asked, papers=papers)
        if certain and await self._whole_text_names(query.text):
            answering = (*answering, *certain)
        return tuple(hit.paper_id for hit in hits if hit.paper_id in answering), near

    async def near_enough(self, text: str, papers: Sequence[int]) -> tuple[int, ...]:
        """Those of some papers that come near enough to a text to be shown as guesses, in their order."""
        vector, vectors = await self.embed(text), self._library.vectors
        closeness: Sequence[float | None] = [None] * len(papers)
        if vector is not None and vectors is not None and papers:
            known = await asyncio.to_thread(vectors.closeness, vector, list(papers))
            closeness = [None if math.isnan(value) else float(value) for value in known]
        return (await self._fits.judged(text, dict(zip(papers, closeness, strict=True))))[1]

    async def _whole_text_names(self, text: str) -> bool:
        """Whether the whole text is a paper's name: one word, an identifier or a title."""
        one_word = len(self._library.words.terms(text)) == 1
        return one_word or (await self._outright(text, 1) or Meant(None)).paper is not None

    async def _wanted(
        self, said: Understood, where: Where, *, as_text: bool, plain: bool
    ) -> tuple[Where, Wanted]:
        """The limits of a query, and what it prefers within them."""
        query, ids = said.query, where.ids
        since = max((day for day in (query.since, where.since) if day), default=None)
        until = min((day for day in (query.until, where.until) if day), default=None)
        if query.author:
            named = await self._by_author(query.author)
            ids = named & ids if ids is not None else named
        if said.authors_papers:
            theirs = await self._by_authors_of(said.authors_papers[0], said.authors_which)
            ids = theirs & ids if ids is not None else theirs
        only_theirs = not query.text or (said.people_sure and not as_text)
        people, jointly = await self._by_people(said)
        apart = bool(said.people_together) and not jointly
        if jointly or (apart and only_theirs):
            people = jointly
        if people is not None and only_theirs:
            ids, people = people & ids if ids is not None else people, None
        in_time = None
        if as_text and query.text and (query.since or query.until):  # said, not set: a preference
            in_time = self._library.facets.allowed(Where(None, query.since, query.until))
            since, until = where.since, where.until
        alike, naming = dict[int, float](), frozenset[int]()
        if said.like is not None:
            [like] = await self._library.store.papers(said.like_papers[:1])
            alike = {hit.paper_id: hit.score for hit in (await self.similar(like, LIKE_IT)).hits}
            if said.follows:
                since = max((day for day in (like.day, since) if day), default=None)
                printed = await asyncio.to_thread(
                    self._library.words.search, said.like, OF_AUTHOR, phrases=[said.like]
                )
                naming = frozenset(paper for paper, _ in printed)
        limits = Where(where.category or query.category, since, until, ids)
        asked = reads_as_sentence(query.text) and not query.phrases
        like_it = said.like_papers[0] if said.like is not None else None
        return limits, Wanted(people or frozenset(), in_time, alike, naming, asked, like_it, plain, apart)

    async def _certain(self, query: Query, like: bool) -> tuple[list[int], bool]:
        """The papers that come first: by identifier or exact title (True), or by a system's name (False).

        If the query asks for papers ``like`` another, none does: the text then only says what they are for.
        """
        if query.phrases or not query.text or like:
            return [], True
        exact = await self._identified(query.text)
        if exact is None:
            exact = await self._library.store.find_title(query.text) or None
        if exact is not None:
            return exact, True
        if headed := await self._headed(query.text):
            return headed, False
        named, unknown = await asyncio.to_thread(self._named_or_unknown, query.text, fusion.RARE_TITLES)
        return named or await self._nearly_named(unknown), False

    async def guesses(self, text: str, most: int = 3) -> list[int]:
        """Store ids of guesses for a text that means no known paper: similar ids, else search results."""
        named = identifier(text)
        if named is not None and named.kind == "arxiv":
            known = await self._library.store.known_arxiv_ids(slips(named.value))
            ids = [await self._library.store.find_id("arxiv", name) for name in sorted(known)[:most]]
            return [paper for paper in ids if paper is not None]
        if named is not None:
            return []
        return [hit.paper_id for hit in (await self.search(text, most, as_text=True)).hits]

    # -- explaining ------------------------------------------------------------------------------

    def rarity(self, word: str) -> float:
        """A word's weight: its idf over abstracts as a share of the largest possible; 0 for unknown ones."""
        papers = len(self._library.words)
        if papers != self._rarities_of:
            self._rarities, self._rarities_of = {}, papers
        if word not in self._rarities:
            if len(self._rarities) > MAX_RARITIES:
                self._rarities.clear()
            total = 0.0
            for part in word.split("-"):
                papers_with = self._library.words.abstracts_with(stem(part))
                total += math.log((1 + papers) / (1 + papers_with)) if papers_with else 0.0
            self._rarities[word] = total / math.log(2 + papers)
        return self._rarities[word]
