"""Papers' full texts for answers: read from arXiv when first asked for, then kept as passages.

Where a text can't be had, the caller gets the abstract and the reason; nothing here raises for what arXiv,
a file or the network does.
"""

from __future__ import annotations

import asyncio
import logging
from contextvars import Context
from dataclasses import dataclass, replace
from datetime import timedelta

import numpy as np

from data.calendar.clock import utc_now
from data.records import Paper
from data.shared_files import SharedFiles
from data.sources.full_text import ArxivFullText
from data.stores.full_texts import KeptText
from data.stores.store import Store
from index.answers.passage import Passage
from index.documents.fetching import ONLY_ABSTRACT, Fetching
from index.documents.passage_ranking import ranked
from index.search.embedding import Embedder
from index.search.embedding_model import ModelError

log = logging.getLogger("labmate")
ASKED_AGAIN = timedelta(days=7)
"""After this time, a paper that could not be read is tried again."""
PATIENCE = 4.0
"""Seconds that an answer waits for vectors; a first answer on a busy machine goes by words."""


@dataclass(frozen=True, slots=True)
class PaperText:
    """What there is of a paper.

    Attributes
    ----------
    passages
        Of the full text in the order of reading, else the abstract, else nothing. A passage's number is its
        place.
    whole
        Whether this is the full text.
    reason
        Why it is only the abstract (or an older version), a sentence for members; empty otherwise.
    pages
        Of the paper; 0 where that isn't known.
    vectors
        float32, shape (passages, dimension), unit rows; None for an abstract, or where they are yet to come.
    """

    passages: tuple[Passage, ...]
    whole: bool
    reason: str = ""
    pages: int = 0
    vectors: np.ndarray | None = None


class FullTexts:
    """Reads, keeps and searches full texts.

    Parameters
    ----------
    model
        The checksum of the embedder's weights; texts that another model embedded are embedded again.
    source
        Where they come from; None where nothing may be fetched.
    most
        How many papers' texts are kept.
    files
        Where processes leave what they read for each other.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        model: str,
        source: ArxivFullText | None,
        *,
        most: int,
        files: SharedFiles | None = None,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._model = model
        self._fetching = Fetching(store, source, most=most, files=files)
        self._embedding: dict[int, asyncio.Task[None]] = {}
        self._no_model = False

    async def close(self) -> None:
        """End what is being fetched and embedded; vectors that lack are made when somebody asks again."""
        tasks = list(self._embedding.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._fetching.close()

    async def of(self, paper: Paper) -> PaperText:
        """A paper's text; the first time it is fetched and read, which can take a minute."""
        kept = await self._store.full_texts.find(paper.id)
        reason = self._settled(paper, kept)
        if reason is None:
            reason = await self._fetching.read(paper, held=kept is not None and not kept.refused)
            kept = await self._store.full_texts.find(paper.id)
        if kept is None or kept.refused or not kept.passages:
            return abstract_of(paper, reason)
        if kept.model != self._model and not self._no_model:
            await self._embed(paper.id, kept)
            kept = await self._store.full_texts.find(paper.id) or kept
        await self._store.full_texts.touch(paper.id, kept.used)
        if reason and kept.version is not None:
            reason = reason.replace(ONLY_ABSTRACT, f"so this is from version {kept.version}")
        passages = tuple(
            Passage(paper.id, one.text, paper.title, one.section, one.page) for one in kept.passages
        )
        return PaperText(passages, True, reason, kept.pages, self._rows(kept))

    async def passage(self, paper_id: int, number: int) -> Passage | None:
        """One passage of a kept text; None where it is kept no more."""
        found = await self._store.full_texts.passage(paper_id, number)
        return Passage(paper_id, found.text, "", found.section, found.page) if found else None

    async def nearest(self, text: PaperText, question: str, most: int = 40) -> list[tuple[int, Passage]]:
        """The passages of a text that are nearest to a question, best first.

        Returns
        -------
        list
            (number, passage with its closeness), ranked by the question's words and by meaning together.
        """
        meant: np.ndarray | None = None
        if text.vectors is not None:
            [meant] = await asyncio.to_thread(self._embedder.encode, [question])
        order, closeness = await asyncio.to_thread(
            ranked, [one.text for one in text.passages], question, text.vectors, meant
        )
        return [
            (place, replace(text.passages[place], closeness=closeness[place] if closeness else None))
            for place in order[:most]
        ]

    def _settled(self, paper: Paper, kept: KeptText | None) -> str | None:
        """The reason to go without reading (empty where the text is there); None where it is to be read."""
        if kept is not None and (paper.version or 0) <= (kept.version or 0):
            if not kept.refused:
                return ""
            if utc_now() - kept.fetched < ASKED_AGAIN:
                return kept.refused
        return self._fetching.hindrance(paper)

    # -- vectors -------------------------------------------------------------------------------

    async def _embed(self, paper_id: int, kept: KeptText) -> None:
        """Embed a text's passages; after :data:`PATIENCE` that goes on by itself."""
        task = self._embedding.get(paper_id)
        if task is None:
            task = asyncio.create_task(self._add_vectors(paper_id, kept), context=Context())
            self._embedding[paper_id] = task
            task.add_done_callback(lambda _: self._embedding.pop(paper_id, None))
        await asyncio.wait({task}, timeout=PATIENCE)

    async def _add_vectors(self, paper_id: int, kept: KeptText) -> None:
        try:
            rows = await asyncio.to_thread(self._embedder.encode, [one.text for one in kept.passages])
        except ModelError as error:
            log.warning("passages stay without vectors: %s", error)
            self._no_model = True
            return
        halves = [row.tobytes() for row in rows.astype(np.float16)]
        await self._store.full_texts.add_vectors(paper_id, kept.fetched, halves, self._model)

    def _rows(self, kept: KeptText) -> np.ndarray | None:
        """The vectors as rows; None where they are another model's, or not all there."""
        halves = [one.vector for one in kept.passages if one.vector]
        sizes = {len(half) for half in halves}
        if kept.model != self._model or len(halves) != len(kept.passages) or len(sizes) != 1:
            return None
        return np.frombuffer(b"".join(halves), np.float16).reshape(len(halves), -1).astype(np.float32)


def abstract_of(paper: Paper, reason: str) -> PaperText:
    """A paper's abstract where there is no full text, for this reason."""
    passages = (Passage(paper.id, paper.abstract, paper.title),) if paper.abstract.strip() else ()
    return PaperText(passages, False, reason)
