"""Fetching and reading papers for full texts: each once, few at a time, with a reason where it fails."""

from __future__ import annotations

import asyncio
import logging
import time
from contextvars import Context

from data.records import Paper
from data.shared_files import SharedFiles
from data.sources.full_text import ArxivFullText, NoFullTextError
from data.sources.http import SourceError
from data.stores.store import Store
from index.documents.cv_file import UnreadableError
from index.documents.paper_file import Form, ReadPaper, read_paper
from index.documents.shared_texts import share_text, shared_text

log = logging.getLogger("labmate")
PAUSE = 600.0
"""Seconds without another try after arXiv could not be reached."""
BUSY_PAUSE = 120.0
"""The same after a reading that the machine was too busy to finish."""
MOST_AT_ONCE = 8
"""Papers that wait to be fetched, at most; one takes at least two seconds."""
ONLY_ABSTRACT = "so I only have the abstract"


class Fetching:
    """Reads papers into the store.

    Parameters
    ----------
    most
        How many papers' texts are kept.
    files
        Where processes leave what they read for each other.
    """

    def __init__(
        self, store: Store, source: ArxivFullText | None, *, most: int, files: SharedFiles | None = None
    ) -> None:
        self._store = store
        self._source = source
        self._files = files
        self._most = most
        self._reading: dict[int, asyncio.Task[str]] = {}
        self._paused: dict[int, tuple[float, str]] = {}

    async def close(self) -> None:
        """End what is being fetched, and close the connection."""
        tasks = list(self._reading.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._source is not None:
            await self._source.close()

    def hindrance(self, paper: Paper) -> str | None:
        """Why a paper is not even tried, a sentence for members; None where it is."""
        if paper.withdrawn:
            return f"This paper was withdrawn, {ONLY_ABSTRACT}."
        if paper.arxiv_id is None:
            return f"I read full texts from arXiv alone and this paper has no arXiv id, {ONLY_ABSTRACT}."
        if self._source is None:
            return f"This Labmate doesn't fetch papers from arXiv (LABMATE_FETCH), {ONLY_ABSTRACT}."
        until, reason = self._paused.get(paper.id, (0.0, ""))
        return reason if time.monotonic() < until else None

    async def read(self, paper: Paper, *, held: bool) -> str:
        """Read a paper, once for all who ask for it meanwhile; returns why that failed, or nothing.

        Where an older version is ``held``, it stays if the new one can't be read.
        """
        task = self._reading.get(paper.id)
        if task is None:
            if len(self._reading) >= MOST_AT_ONCE:
                return f"Many papers are being fetched right now, {ONLY_ABSTRACT}. Ask again in a minute."
            # In a context of its own: whoever asked first may be gone when it is written.
            task = asyncio.create_task(self._fetch_and_keep(paper, held), context=Context())
            self._reading[paper.id] = task
            task.add_done_callback(lambda _: self._reading.pop(paper.id, None))
        return await asyncio.shield(task)

    async def _fetch_and_keep(self, paper: Paper, held: bool) -> str:
        try:
            form, read = await self._shared_or_fetched(paper)
        except (NoFullTextError, UnreadableError) as error:
            if isinstance(error, UnreadableError) and error.busy:
                reason = f"Too much is being read right now, {ONLY_ABSTRACT}. Ask again in a few minutes."
                if error.why:  # it was begun: begun again at once, it would keep the machine busy
                    self._pause(paper.id, reason, BUSY_PAUSE)
                return reason
            reason = _because(error)
            if held:
                self._pause(paper.id, reason, PAUSE)
            else:
                await self._store.full_texts.refuse(paper.id, paper.version, reason)
            return reason
        except SourceError as error:
            log.info("the full text of %s can't be fetched: %s", paper.arxiv_id, error)
            reason = f"I can't reach arXiv right now, {ONLY_ABSTRACT}."
            self._pause(paper.id, reason, PAUSE)
            return reason
        await self._store.full_texts.keep(
            paper.id, read.passages, version=paper.version, form=form, pages=read.pages, most=self._most
        )
        return ""

    async def _shared_or_fetched(self, paper: Paper) -> tuple[Form, ReadPaper]:
        """What was read of this version before, by any process; else as :meth:`_fetched`."""
        if self._files is None:
            return await self._fetched(paper)
        found = await shared_text(self._files, paper)
        if found is None:
            found = await self._fetched(paper)
            await share_text(self._files, paper, *found)
        return found

    async def _fetched(self, paper: Paper) -> tuple[Form, ReadPaper]:
        """The PDF, which has pages to name; the HTML where there is no PDF that can be read.

        Raises
        ------
        NoFullTextError, UnreadableError
            As the PDF's, where neither can be read.
        SourceError
            Where arXiv can't be reached.
        """
        assert self._source is not None
        assert paper.arxiv_id is not None
        try:
            return "pdf", await read_paper(await self._source.pdf(paper.arxiv_id, paper.version), "pdf")
        except (NoFullTextError, UnreadableError) as error:
            if isinstance(error, UnreadableError) and error.busy:
                raise
            try:
                data = await self._source.html(paper.arxiv_id, paper.version)
                return "html", await read_paper(data, "html")
            except (NoFullTextError, UnreadableError):
                raise error from None

    def _pause(self, paper_id: int, reason: str, seconds: float) -> None:
        now = time.monotonic()
        self._paused = {one: held for one, held in self._paused.items() if held[0] > now}
        self._paused[paper_id] = now + seconds, reason


def _because(error: NoFullTextError | UnreadableError) -> str:
    if isinstance(error, UnreadableError):
        return f"I can't read this paper's PDF ({error.why}), {ONLY_ABSTRACT}."
    why = str(error)
    begun = why if why.startswith("arXiv") else f"{why[:1].upper()}{why[1:]}"
    return f"{begun}, {ONLY_ABSTRACT}."
