"""Papers by the authors named in a query."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from data.keys import name_key
from index.search.similar import SimilarPapers
from index.search.understanding import Understood

OF_AUTHOR = 5_000
"""The most papers of one author, or with one phrase, that are looked at."""


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

    async def resembles_author(self, name: str) -> bool:
        """Whether authors have this name or a similar one."""
        names = self._library.names
        return names.get(name) is not None or bool(await asyncio.to_thread(names.near, name, 1))

    async def _written_by(self, names: Sequence[str]) -> frozenset[int] | None:
        if not names:
            return None
        lists = await asyncio.gather(*(self._library.store.papers_of(name_key(name)) for name in names))
        return frozenset(paper for papers in lists for paper in papers[:OF_AUTHOR])
