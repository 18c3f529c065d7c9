"""Finds the papers that say they do without something, and puts them first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from index.search.authored import AuthoredPapers
from index.search.doing_without import DoneWithout
from index.search.results import Hit, passes

LOOKED_AT = 300
"""How many of the best papers are looked through for those that do without something."""
EACH = 40
"""How many papers each way of saying so gives."""
Texts = Mapping[int, tuple[str, str, int]]
"""Papers' titles and abstracts, as the store gives them."""


class LackingPapers(AuthoredPapers):
    """Ranks papers by what they say they do without."""

    async def _doing_without(
        self, what: DoneWithout | None, text: str, allowed: np.ndarray | None
    ) -> dict[int, bool]:
        """Whether papers with such words do without it: of each way of saying so, the best for a text."""
        if what is None:
            return {}

        def found() -> set[int]:
            papers = self._library.words.having_one(text, EACH, what.phrases)
            return papers if allowed is None else {paper for paper in papers if passes(allowed, paper)}

        texts = await self._library.store.texts(list(await asyncio.to_thread(found)))
        return await asyncio.to_thread(_say_so, what, texts)

    async def _those_without_first(
        self, what: DoneWithout, hits: Sequence[Hit], known: Mapping[int, bool], most: int
    ) -> tuple[list[Hit], int]:
        """Hits that say so, then those that don't name it, then the others; and how many say so.

        Only the first ``most`` are in this order, since further papers are not looked at.

        Parameters
        ----------
        known
            Whether some papers say so, where that is known already.
        """
        texts = await self._library.store.texts([hit.paper_id for hit in hits if not known.get(hit.paper_id)])

        def ranked() -> tuple[list[Hit], int]:
            saying, others = _parted(
                hits, lambda paper: known[paper] if paper in known else _says_so(what, texts, paper), most
            )
            others, naming = _parted(
                others, lambda paper: not _only_names(what, texts, paper), most - len(saying)
            )
            return [*saying, *others, *naming], len(saying)

        return await asyncio.to_thread(ranked)


def _parted(hits: Sequence[Hit], is_first: Callable[[int], bool], most: int) -> tuple[list[Hit], list[Hit]]:
    """Those hits for which something holds, at most so many, and all others."""
    first: list[Hit] = []
    others: list[Hit] = []
    for place, hit in enumerate(hits):
        if len(first) >= most:
            return first, [*others, *hits[place:]]
        (first if is_first(hit.paper_id) else others).append(hit)
    return first, others


def _say_so(what: DoneWithout, texts: Texts) -> dict[int, bool]:
    return {paper: _says_so(what, texts, paper) for paper in texts}


def _says_so(what: DoneWithout, texts: Texts, paper: int) -> bool:
    title, abstract, *_ = texts.get(paper, ("", ""))
    return what.is_said_in(title, abstract)


def _only_names(what: DoneWithout, texts: Texts, paper: int) -> bool:
    """Whether a paper that doesn't say so names it; papers are not asked for by "X-free"."""
    title, abstract, *_ = texts.get(paper, ("", ""))
    return not what.is_free and what.is_named_in(f"{title}\n{abstract}")
