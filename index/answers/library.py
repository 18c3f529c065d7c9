"""Answers from the whole library, or from one paper."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from index.answers.answer import MOST, Answer, Answerer, Quote, of_definitions
from index.answers.candidates import PAPERS, candidates, library_rarity
from index.answers.defining import defined, definitions, long_form
from index.answers.passage import Passage
from index.search.corpus import Corpus
from index.search.facets import Where
from index.search.search import Search

NAMING = 150
"""How many papers a definition is looked for in; few of those that name a thing say what it is."""


class NoModelError(RuntimeError):
    """The embedding model is not loaded, and without it no sentence can be compared with a question."""


@dataclass(frozen=True)
class Answered:
    """An answer with the passages that its quotes refer to, best paper first."""

    answer: Answer
    passages: tuple[Passage, ...]

    @property
    def papers(self) -> list[int]:
        """The papers quoted, each once, in the order of the quotes."""
        return list(dict.fromkeys(self.passages[quote.passage].paper for quote in self.answer.quotes))

    @property
    def best_of_each(self) -> dict[int, Quote]:
        """The best sentence of each paper that was compared, by the paper's store id."""
        return {self.passages[quote.passage].paper: quote for quote in self.answer.best_of_each}

    @property
    def nearest(self) -> list[int]:
        """The papers looked at, each once, best first."""
        return list(dict.fromkeys(passage.paper for passage in self.passages))


class LibraryAnswers:
    """Answers questions over the corpus; what takes long runs in a thread."""

    def __init__(self, search: Search, corpus: Corpus) -> None:
        self._search, self._corpus = search, corpus
        self._answerer: Answerer | None = None
        self._rarity_of = -1
        self._rarity = library_rarity(corpus)
        self._loading = asyncio.Lock()

    async def ask(
        self, question: str, where: Where | None = None, *, left_out: Collection[int] = (), most: int = MOST
    ) -> Answered:
        """Answer from abstracts of the whole library.

        Parameters
        ----------
        left_out
            Store ids of papers not to quote, such as those quoted before.

        Raises
        ------
        NoModelError
            Before the model is loaded.
        """
        if (asked := defined(question)) is not None:
            naming = [one for one in await self._naming(asked.name, where) if one.paper not in left_out]
            if says := await asyncio.to_thread(definitions, asked, naming):
                return Answered(of_definitions(asked, says), tuple(naming))
        passages = await candidates(self._search, self._corpus, question, where, PAPERS + len(left_out))
        kept = [one for one in passages if one.paper not in left_out]
        found = await self.ask_of(question, kept, most=most, chosen=False)
        if asked is not None and asked.is_plain:  # papers that mention a thing don't say what it is
            return replace(found, answer=replace(found.answer, answered=False))
        return found

    async def _naming(self, name: str, where: Where | None) -> list[Passage]:
        """The abstracts of the best papers for a name, and if it is initials, for what they mean."""
        found = await candidates(self._search, self._corpus, name, where, NAMING)
        long = long_form(name, found) if any(letter.isupper() for letter in name[1:]) else ""
        if long:
            known = {one.paper for one in found}
            more = await candidates(self._search, self._corpus, long, where, NAMING)
            found += [one for one in more if one.paper not in known]
        return found

    async def ask_of(
        self, question: str, passages: Sequence[Passage], *, most: int = MOST, chosen: bool = True
    ) -> Answered:
        """Answer from these passages, chosen for the question or found by it; raises as :meth:`ask` does."""
        embedder = self._corpus.embedder
        if not embedder.is_loaded:
            raise NoModelError
        answerer = await self._shipped()
        if len(self._corpus.words) != self._rarity_of:
            self._rarity, self._rarity_of = library_rarity(self._corpus), len(self._corpus.words)
        answer = await asyncio.to_thread(
            answerer.answer, question, passages, embedder, most=most, rarity=self._rarity, chosen=chosen
        )
        return Answered(answer, tuple(passages))

    async def _shipped(self) -> Answerer:
        async with self._loading:
            if self._answerer is None:
                self._answerer = await asyncio.to_thread(Answerer.shipped)
        return self._answerer
