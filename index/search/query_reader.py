"""Reads queries with what the library knows: its papers, their authors and the words of its field."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar

from data.keys import clean
from index.search.authors_said import read_authors_of
from index.search.corpus import Corpus
from index.search.known_words import KnownWords
from index.search.lacking_papers import LackingPapers
from index.search.named_papers import identifier
from index.search.queries import MAX_QUERY
from index.search.understanding import language_of, literally, understand
from index.search.understood import AUTHORS, LIKENESS, Understood

T = TypeVar("T")
MOST_NAMED = 3
"""A word of more titles than this is a subject, and no name, unless it is written like one: GPT, DeepSeek."""


@asynccontextmanager
async def begun_work(work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Begin work at once; at the end, cancel it if it isn't done (a thread already at work runs on)."""
    task = asyncio.create_task(work)
    try:
        await asyncio.sleep(0)  # without it, it would begin when whoever began it waits for something else
        yield task
    finally:
        task.cancel()


class QueryReader(LackingPapers):
    """Says what queries mean; long computations run in threads."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__(corpus)
        self._known = KnownWords(corpus)

    async def understand(
        self,
        typed: str,
        *,
        undo: frozenset[str] = frozenset(),
        as_text: bool = False,
        today: date | None = None,
    ) -> Understood:
        """What a query says; one that is a paper's identifier or whole title says only that.

        Parameters
        ----------
        undo
            Parts (:data:`index.search.understood.PARTS`) that are not wanted.
        as_text
            Read quotes and colons as text.
        today
            The day of the clock, by default today.
        """
        text = clean(typed[:MAX_QUERY])
        reading = asyncio.to_thread(self._read, text, undo, as_text=as_text, today=today)
        async with begun_work(reading) as begun:
            outright = await self._outright(text, 1) if text and not _names_authors(text, undo) else None
            if outright is not None and outright.papers:
                return literally(text)
            said = await begun
        unknown = said.like is not None and not (await self.named(said.like)).papers
        theirs = await self._of_a_paper(said)
        if unknown or theirs is None:
            undo, named = undo | {LIKENESS if unknown else AUTHORS}, said.authors_of
            sure = said.authors_sure
            said = await asyncio.to_thread(self._read, text, undo, as_text=as_text, today=today)
            said = said if unknown or not sure else replace(said, paper_unknown=named)
        else:
            said = theirs
        if (said.without or said.done_without) and said.like is None and LIKENESS not in undo:
            said = await self._like_it_without(said)
        if said.like is None:
            return said
        meant = await self.named(said.like)
        return replace(said, like_papers=tuple(meant.papers if meant.paper is None else (meant.paper,)))

    def _read(self, text: str, undo: frozenset[str], *, as_text: bool, today: date | None) -> Understood:
        """What a text says, by what the library knows; not for the event loop."""
        return understand(text, self._known.known(today), undo=undo, as_text=as_text)

    async def _like_it_without(self, said: Understood) -> Understood:
        """Of "PrismLLM without GPUs", that papers like PrismLLM are meant: it is what it is."""
        name = said.done_without.subject if said.done_without else said.text
        terms = self._library.words.terms(name)
        if len(terms) != 1 or (name[1:].islower() and terms[0].in_titles > MOST_NAMED):
            return said  # one paper may be named "reasoning"
        if (await self.named(name)).paper is None:
            return said
        without = said.done_without.things if said.done_without else said.without
        return replace(
            said, like=name, query=replace(said.query, text=""), without=without, done_without=None
        )

    async def language_of(self, text: str) -> str | None:
        """The language of a text that is not in English."""
        known = await asyncio.to_thread(self._known.known, None)
        return await asyncio.to_thread(language_of, text, known)

    def newest(self) -> date | None:
        """The day of the newest paper."""
        return self._known.newest()


def _names_authors(text: str, undo: frozenset[str]) -> bool:
    """Whether papers by the authors of a paper are meant, which a link or an id may name."""
    return AUTHORS not in undo and identifier(text) is not None and read_authors_of(text)[0] is not None
