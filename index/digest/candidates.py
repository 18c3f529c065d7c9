"""The papers that a digest chooses from: what was announced since it last looked, and what came in late."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from data.stores.delivery_record import left_out_by
from data.stores.digest_record import Digest
from data.stores.listings import Listed
from data.stores.store import Store
from index.digest.sources import DigestSources
from index.search.facets import in_category

MOST_CANDIDATES = 4_000
MOST_DAYS = 7
"""Listings looked through at once after a pause."""
LOOKED_AT = 40
"""How many of the newest papers tell whether those who wrote them are known."""
LATE_FOR = timedelta(days=14)
"""How long after its day a paper that came in late still counts as new."""


async def candidates(store: Store, digest: Digest, upto: date) -> dict[int, Listed]:
    """Papers of its categories in the listings of the days after ``digest.upto``, and what came in late."""
    listings = store.listings
    listed: dict[int, Listed] = {}
    _, on, _ = await listings.around(upto)
    for _ in range(MOST_DAYS):
        if on is None or on <= digest.upto or on > upto:
            break
        for entry in await listings.entries(on):
            if _wanted(entry, digest.category_set):
                listed.setdefault(entry.paper, entry)
        on, _, _ = await listings.around(on)
    if digest.seen and digest.upto > date.min:
        for entry in await listings.late(digest.seen, digest.upto - LATE_FOR, digest.upto):
            if _wanted(entry, digest.category_set):
                listed.setdefault(entry.paper, entry)
    return dict(list(listed.items())[:MOST_CANDIDATES])


async def left_out_before(store: Store, digest: Digest, upto: date) -> dict[int, Listed]:
    """What a digest left out since another one of its place was to post it, and what is new still."""
    entries = {entry.paper: entry for entry in left_out_by(digest)}
    present = await store.papers_by_number(entries)
    return {
        paper.id: replace(entries[number], paper=paper.id)
        for number, paper in present.items()
        if not paper.withdrawn and (paper.announced or upto) > upto - LATE_FOR
    }


def _wanted(entry: Listed, categories: frozenset[str]) -> bool:
    if not categories:
        return entry.new
    return any(in_category(" ".join(entry.categories), wanted) for wanted in categories)


async def waiting(sources: DigestSources, digest: Digest, upto: date) -> bool:
    """Whether the choice should wait: for the model that reads words, or for the embeddings of papers."""
    corpus = sources.corpus
    loaded = corpus.embedder.is_loaded
    if corpus.vectors is None or (sources.model_settled.is_set() and not loaded):
        return False  # without a model it will not get better
    if not loaded and (digest.query or digest.is_own):
        return True
    await corpus.refresh()
    backlog = set(corpus.backlog())
    return bool(backlog) and not backlog.isdisjoint(await candidates(sources.store, digest, upto))


async def unplaced(sources: DigestSources, digest: Digest, upto: date) -> bool:
    """Whether a digest looks for people, and those who wrote the newest papers are still being told apart."""
    people = sources.insight.people
    if people is None or not (digest.is_own or digest.followed or digest.person_numbers):
        return False
    newest = sorted(await candidates(sources.store, digest, upto))[-LOOKED_AT:]
    lacking = sum(not len(people.writers(paper)) for paper in newest)
    return lacking > 0 and 2 * lacking >= len(newest)


async def before_first(store: Store, digest: Digest, newest: date) -> date:
    """The day before the newest listing that has papers in a draft's categories."""
    on: date | None = newest
    for _ in range(MOST_DAYS):
        if on is None:
            break
        before, _, _ = await store.listings.around(on)
        if await candidates(store, replace(digest, upto=before or on - timedelta(days=1)), on):
            return before or on - timedelta(days=1)
        on = before
    return newest - timedelta(days=1)


async def listings_before(store: Store, newest: date, count: int) -> date:
    """The day before the oldest of the last ``count`` listings."""
    on: date | None = newest
    last = newest
    for _ in range(count):
        if on is None:
            break
        last = on
        on, _, _ = await store.listings.around(on)
    return (on or last) - timedelta(days=0 if on else 1)
