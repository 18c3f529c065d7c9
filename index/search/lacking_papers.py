"""Finds the papers that say they do without something, and puts them first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from index.search.authored import AuthoredPapers
from index.search.doing_without import DoneWithout
from index.search.results import Hit, passes

LOOKED_AT = 300
"""How many of the best papers are looked through for those that do without something."""
EACH = 40
"""How many papers each way of saying so gives."""
SAYS_SO, NAMES_IT = 1.5, 1.0
"""What it is worth that a paper says it does without, and what it costs to name it otherwise."""


class LackingPapers(AuthoredPapers):
    """Ranks papers by what they say they do without."""

    async def _doing_without(
        self, what: DoneWithout | None, text: str, allowed: np.ndarray | None
    ) -> set[int]:
        """Papers that say they do without something, the best for a text of each way of saying so."""
        if what is None:
            return set()

        def found() -> set[int]:
            hits = [self._library.words.search(text, EACH, phrases=[phrase]) for phrase in what.phrases]
            return {paper for some in hits for paper, _ in some if allowed is None or passes(allowed, paper)}

        papers = await asyncio.to_thread(found)
        return {paper for paper, says in (await self._says(what, list(papers))).items() if says > 0}

    async def _says(self, what: DoneWithout, papers: Sequence[int]) -> dict[int, float]:
        """What it is worth that papers say they do without something, or costs that they only name it."""
        texts = await self._library.store.texts(papers)

        def judged() -> dict[int, float]:
            worth = {}
            for paper, (title, abstract, _) in texts.items():
                if what.is_said_in(title, abstract):
                    worth[paper] = SAYS_SO
                elif what.subject and what.is_named_in(f"{title}\n{abstract}"):
                    worth[paper] = -NAMES_IT
                else:
                    worth[paper] = 0.0
            return worth

        return await asyncio.to_thread(judged)

    async def _those_without_first(self, what: DoneWithout, hits: Sequence[Hit]) -> tuple[list[Hit], bool]:
        """Hits in the order of their scores with what that is worth, and whether any says so.

        If none does, they stay as they are.
        """
        worth = await self._says(what, [hit.paper_id for hit in hits])
        if SAYS_SO not in worth.values():
            return list(hits), False
        scored = [replace(hit, score=hit.score + worth.get(hit.paper_id, 0.0)) for hit in hits]
        return sorted(scored, key=lambda hit: -hit.score), True
