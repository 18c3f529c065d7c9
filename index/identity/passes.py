"""Passes over the store: authorships are read, judged, and written as people."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from index.identity.authorships import Authorships
from index.identity.full_pass import FullPass, certain_pairs
from index.identity.placing import Newcomers, place
from index.identity.standing import outnumbered
from index.identity.writing import PassOutcome, Writing
from index.search.corpus import Corpus

__all__ = ["certain_pairs", "identify", "read_authorships"]
Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class StoredAuthorships:
    """The store's authorships in memory, for evaluations.

    Attributes
    ----------
    papers
        int64, shape (papers,): store ids.
    positions, authors
        int64, shape (authorships,): positions, and numbers of names, as the store has them.
    """

    authorships: Authorships
    papers: np.ndarray
    positions: np.ndarray
    authors: np.ndarray


async def read_authorships(corpus: Corpus) -> StoredAuthorships:
    """All authorships of current papers with texts and vectors, in memory."""
    rows = await corpus.store.people.authorships()
    paper_of = np.array([row[0] for row in rows], np.int64)
    papers, starts = np.unique(paper_of, return_index=True)
    texts = await corpus.store.texts(papers.tolist())
    assert corpus.vectors is not None
    vectors = await asyncio.to_thread(corpus.vectors.rows, papers)
    return StoredAuthorships(
        Authorships(
            np.append(starts, len(rows)).astype(np.int64),
            [row[3] for row in rows],
            [" ".join(texts[int(paper)][:2]) if int(paper) in texts else "" for paper in papers],
            vectors,
            corpus.facets.days_of(papers),
            np.array([bool(texts.get(int(paper), ("", ""))[1]) for paper in papers], bool),
        ),
        papers,
        np.array([row[1] for row in rows], np.int64),
        np.array([row[2] for row in rows], np.int64),
    )


async def identify(
    corpus: Corpus, *, full: bool = False, report: Report | None = None, processes: int = 1
) -> PassOutcome:
    """Bring people up to date: judge everybody again with ``full``, else the unassigned authorships.

    The pass is also full if new authorships outnumber judged ones: placing a whole collection among a handful
    of known people would leave namesakes with a paper each. Corrections made while it runs are respected. A
    full pass that was killed goes on where it was. In a large library, so many processes judge at a time.

    Raises
    ------
    index.identity.judgement.JudgingError
        If one of them is killed. What they judged is kept.
    """
    running = FullPass(corpus, report, processes)
    if not full and running.state() is None:
        new = await Newcomers.read(corpus.store)
        if new is not None and not outnumbered(new.authorships, new.judged):
            return await place(corpus, new, report)
    collection, judgement, state = await running.judged()
    if report:
        report("writing down who is who", 0, 0)
    outcome = await Writing(running, collection, judgement, state).write()
    if await corpus.store.last_change() != collection.upto:  # papers came in while it ran
        new = await Newcomers.read(corpus.store)
        if new is not None:
            await place(corpus, new, report)
    return outcome
