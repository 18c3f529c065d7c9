"""Papers by the authors named in a query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from data.keys import name_key, title_words
from data.records import Author, Paper
from data.stores.slices import slices
from index.search.authors_said import Which, names_and_subjects
from index.search.named_papers import identifier
from index.search.similar import SimilarPapers
from index.search.understood import Understood

OF_AUTHOR = 5_000
"""The most papers of one author, or with one phrase, that are looked at."""
_AT_ONCE = 64
"""Names whose papers are read at a time."""


class AuthoredPapers(SimilarPapers):
    """Finds papers by names of authors."""

    async def _by_people(self, said: Understood) -> tuple[frozenset[int] | None, frozenset[int]]:
        """The papers by any of the people named, and those by all of them together.

        None where nobody is named; empty where all the names are unknown.
        """
        people = await self._written_by(said.people)
        if people is None and said.people_unknown:
            people = frozenset()
        several = [await self._written_by(names) or frozenset() for names in said.people_together]
        return people, frozenset.intersection(*several) if several else frozenset()

    async def _by_author(self, name: str) -> frozenset[int]:
        """Papers with an author whose name has all these words; of many names, those with most papers."""
        names = self._library.names
        if len(name_key(name).split(" ")) == 1 or not len(names):
            return frozenset(await asyncio.to_thread(self._library.words.by_author, name, OF_AUTHOR))
        found = await asyncio.to_thread(names.having, name)
        return await self._written_by([one.name for one in found]) or frozenset()

    async def _of_a_paper(self, said: Understood) -> Understood | None:
        """A query for papers by the authors of a paper, with that paper; None if it isn't known.

        Any other query as it is.
        """
        if not said.authors_of:
            return said
        for name, subject in names_and_subjects(said.authors_of):
            meant = await self.named(name)
            papers = meant.papers if meant.paper is None else (meant.paper,)
            if not papers:
                continue
            titles = {word for title in await self.titles_of(papers[0]) for word in title_words(title)}
            if not (identifier(name) or titles.issuperset(title_words(name))):  # there is more in it
                continue
            [paper] = await self._library.store.papers(papers[:1])
            query = replace(said.query, text=f"{said.query.text} {subject}".strip())
            authors = tuple(author.name for author in _meant(paper, said.authors_which))
            return replace(
                said, query=query, authors_of=name, authors_papers=(paper.id, *papers[1:]), authors=authors
            )
        return None

    async def _by_authors_of(self, number: int, which: Which) -> frozenset[int]:
        """The other papers by a paper's authors: by people, or, before they are known, by names."""
        store = self._library.store
        [paper] = await store.papers([number])
        authors = _meant(paper, which)
        places = [(number, place) for place, author in enumerate(paper.authors) if author in authors]
        people = {membership.person_id for membership in await store.people.at(places)}
        if people:
            found = frozenset(await store.people.papers_of_any(list(people)))
        else:
            found = await self._written_by([author.name for author in authors]) or frozenset()
        return found - {number}

    async def resembles_author(self, name: str) -> bool:
        """Whether authors have this name or a similar one."""
        names = self._library.names
        return names.get(name) is not None or bool(await asyncio.to_thread(names.near, name, 1))

    async def _written_by(self, names: Sequence[str]) -> frozenset[int] | None:
        if not names:
            return None
        found: set[int] = set()
        for some in slices([*map(name_key, names)], _AT_ONCE):  # a paper may have thousands of authors
            lists = await asyncio.gather(*map(self._library.store.papers_of, some))
            found.update(paper for papers in lists for paper in papers[:OF_AUTHOR])
        return frozenset(found)


def _meant(paper: Paper, which: Which) -> tuple[Author, ...]:
    """All authors of a paper, or its first or last one."""
    listed = tuple(author for author in paper.authors if author.listed)
    if not which or not listed:
        return paper.authors
    return listed[:1] if which == "first" else listed[-1:]
