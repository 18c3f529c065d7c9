"""Finds the papers that say they do without something, and puts them first."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from enum import IntEnum

import numpy as np

from index.search.authored import AuthoredPapers
from index.search.doing_without import DoneWithout
from index.search.results import Hit, passes

LOOKED_AT = 300
"""How many of the best papers are looked through for those that do without something."""
EACH = 40
"""How many papers each way of saying so gives."""


class Says(IntEnum):
    """What a paper says of something that it should do without, best first."""

    WITHOUT = 0
    NOTHING = 1
    NAMES_IT = 2


class LackingPapers(AuthoredPapers):
    """Ranks papers by what they say they do without."""

    async def _doing_without(
        self, what: DoneWithout | None, text: str, allowed: np.ndarray | None
    ) -> dict[int, Says]:
        """What papers say that print such words, the best for a text of each way of saying so."""
        if what is None:
            return {}

        def found() -> set[int]:
            hits = [self._library.words.search(text, EACH, phrases=[phrase]) for phrase in what.phrases]
            return {paper for some in hits for paper, _ in some if allowed is None or passes(allowed, paper)}

        return await self._says(what, list(await asyncio.to_thread(found)))

    async def _says(self, what: DoneWithout, papers: Sequence[int]) -> dict[int, Says]:
        texts = await self._library.store.texts(papers)

        def judged() -> dict[int, Says]:
            says = {}
            for paper, (title, abstract, _) in texts.items():
                if what.is_said_in(title, abstract):
                    says[paper] = Says.WITHOUT
                else:
                    only_named = not what.is_free and what.is_named_in(f"{title}\n{abstract}")
                    says[paper] = Says.NAMES_IT if only_named else Says.NOTHING
            return says

        return await asyncio.to_thread(judged)

    async def _those_without_first(
        self, what: DoneWithout, hits: Sequence[Hit], known: Mapping[int, Says]
    ) -> tuple[list[Hit], int]:
        """Hits that say so, then those that don't name it, then the others; and how many say so.

        What some papers say may be known already.
        """
        others = [hit.paper_id for hit in hits if hit.paper_id not in known]
        says = {**known, **await self._says(what, others)}
        ranked = sorted(hits, key=lambda hit: says.get(hit.paper_id, Says.NOTHING))
        return ranked, sum(says.get(hit.paper_id) is Says.WITHOUT for hit in ranked)
