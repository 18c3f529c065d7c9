"""Passes over the store: authorships are read, judged, and handed on for writing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np

from data.stores.corrections import Correction
from index.identity.authorships import Authorships
from index.identity.identity import Judge, Judgement
from index.identity.membership_rows import StoredAuthorships, known_people
from index.identity.models import Models
from index.identity.person_names import partner_names
from index.identity.unions import CertainPairs
from index.identity.writing import PassOutcome, Writing
from index.search.corpus import Corpus

Report = Callable[[str, int, int], None]


async def read_authorships(corpus: Corpus) -> StoredAuthorships:
    """All authorships of current papers with texts and vectors."""
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


def certain_pairs(stored: StoredAuthorships, corrections: list[Correction]) -> CertainPairs:
    """Corrections that hold for all, as pairs of authorships."""
    papers = stored.papers[stored.authorships.paper]
    place: dict[tuple[int, int], int] = {}
    for at, key in enumerate(zip(papers.tolist(), stored.authors.tolist(), strict=True)):
        place.setdefault(key, at)
    pairs: dict[str, list[tuple[int, int]]] = {"same": [], "apart": []}
    for correction in corrections:
        one = place.get((correction.paper_id, correction.author_id))
        ends = [(correction.other_paper_id, correction.other_author_id), *correction.everybody]
        for end in dict.fromkeys(ends):
            other = place.get(end)
            if one is not None and other is not None and one != other:
                pairs[correction.kind].append((one, other))
    return CertainPairs(pairs["same"], pairs["apart"])


async def identify(corpus: Corpus, *, full: bool = False, report: Report | None = None) -> PassOutcome:
    """Bring people up to date: judge everybody again with ``full``, else the unassigned authorships.

    The pass is also full if new authorships outnumber judged ones: placing a whole collection among a handful
    of known people would leave namesakes with a paper each. Corrections made while it runs are respected.
    """
    store = corpus.store
    await store.people.settle()
    upto, newest = await store.last_change(), await store.corrections.newest_change()
    first = await store.people.last_pass("full") is None
    if report:
        report("gathering authorships", 0, len(corpus.facets))
    stored = await read_authorships(corpus)
    known, judged = known_people(stored, await store.people.all_memberships())
    full = full or first or outnumbered(len(known), int(judged.sum()))
    certain = certain_pairs(stored, await store.corrections.for_all())
    models = await asyncio.to_thread(Models.shipped)
    tell = (lambda done, total: report("telling people apart", done, total)) if report else None

    def judge() -> Judgement:
        if full:
            return Judge(stored.authorships, models, None, certain, tell).judge()
        return _placed(stored, models, known, certain, tell)

    judgement = await asyncio.to_thread(judge)
    writing = Writing(store, stored, judgement, known, "full" if full else "new", upto, newest)
    if report:
        report("writing down who is who", 0, 0)
    return await writing.write()


def outnumbered(authorships: int, judged: int) -> bool:
    """Whether authorships that no full pass has judged outnumber those that one has."""
    return authorships - judged > judged


def _placed(
    stored: StoredAuthorships,
    models: Models,
    known: np.ndarray,
    certain: CertainPairs,
    tell: Callable[[int, int], None] | None,
) -> Judgement:
    """Judge the unassigned authorships; the others stay as they are."""
    ids, names = stored.authorships.name_ids
    if not (known < 0).any():
        return Judgement.blank(len(ids))
    new_names = set(np.unique(ids[known < 0]).tolist())
    concerned = np.isin(ids, list(new_names | partner_names(names, new_names)))
    involved = np.zeros(stored.authorships.papers, bool)
    involved[stored.authorships.paper[concerned]] = True
    return Judge(stored.authorships, models, involved, certain, tell).place(known)
