"""What a digest is made from; any front end that has these can ask what is due and what is chosen."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Protocol

from data.stores.store import Store
from index.digest.chooser import Chooser
from index.digest.day_map import DayMap
from index.digest.taste import TasteRanker
from index.people.insight import Insight
from index.search.corpus import Corpus
from index.search.search import Search
from index.trust.present import Attendance
from index.trust.views import Place


class DigestSources(Protocol):
    """The store, the corpus, the search and the people, as one place sees them."""

    corpus: Corpus
    search: Search
    reads_arxiv: bool
    """Whether arXiv is asked for each day's listing; otherwise papers come from files, at any time."""
    chooser: Chooser | None
    """Loaded when it is first needed; kept :attr:`everywhere`."""
    day_maps: OrderedDict[tuple[int, ...], DayMap]
    """Maps of days' papers that were made lately."""
    model_settled: asyncio.Event
    """Set once the model is loaded, or is known not to load."""

    @property
    def store(self) -> Store: ...

    @property
    def insight(self) -> Insight: ...

    @property
    def presence(self) -> Attendance | None: ...

    @property
    def everywhere(self) -> DigestSources: ...

    async def seen_from(self, place: Place) -> DigestSources:
        """The same sources, in which people are who they are in a place."""
        ...


async def chooser_of(sources: DigestSources) -> Chooser:
    """The chooser, loaded when it is first needed."""
    kept = sources.everywhere
    if kept.chooser is None:
        ranker = await asyncio.to_thread(TasteRanker.shipped)
        kept.chooser = kept.chooser or Chooser(kept.corpus, ranker)
    return kept.chooser
