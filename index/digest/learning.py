"""What a digest has learned from its readers' answers, and which paper to ask about next."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from data.records import Paper
from data.stores.digest_record import Digest
from index.digest.candidates import candidates, listings_before
from index.digest.description import read_description
from index.digest.questions import next_question
from index.digest.sources import DigestSources, chooser_of

POOL, DAYS = 800, 10
"""Papers, and listings, that questions are chosen from."""
WEIGHTS = {"like": 1.0, "save": 1.0, "dislike": -1.0}
SHOWN_ANSWERS = 25
PHRASES = 6


class NoListingError(Exception):
    """No listing was read yet."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What a digest has learned.

    Attributes
    ----------
    asked
        Whether anything was said at all, if only that a paper doesn't matter.
    wanted, unwanted
        How many papers, and the phrases that they are about.
    answers
        A member's own answers, newest first: the paper, and ``like``, ``save`` or ``dislike``.
    """

    asked: bool
    wanted: tuple[int, tuple[str, ...]]
    unwanted: tuple[int, tuple[str, ...]]
    answers: tuple[tuple[Paper, str], ...]


async def opinions(sources: DigestSources, digest: Digest) -> list[tuple[int, int, str]]:
    """(member, paper, kind): what a digest learns from, oldest first."""
    store = sources.store.digests
    said = await (
        store.opinions(member=digest.owner) if digest.is_own else store.opinions(guild=digest.guild)
    )
    return [(member, paper, kind) for member, paper, kind, _ in said]


async def paper_to_ask(sources: DigestSources, digest: Digest, member: int) -> Paper | None:
    """The recent paper on which an answer teaches the most; None where all were asked about.

    Raises
    ------
    NoListingError
        Before the first listing was read.
    """
    store = sources.store
    _, newest, _ = await store.listings.around()
    if newest is None:
        raise NoListingError
    recent = replace(digest, upto=await listings_before(store, newest, DAYS), seen=0)
    pool = list(await candidates(store, recent, newest))[:POOL]
    if not pool:
        return None
    said = await opinions(sources, digest)
    known = {paper: WEIGHTS[kind] for _, paper, kind in said if kind in WEIGHTS}
    mine = {paper for who, paper, _ in said if who == member}
    papers = [*pool, *(paper for paper in known if paper not in set(pool))]
    chooser = await chooser_of(sources)
    items = await chooser.items(papers)
    prior = await chooser.closeness(items, (await read_description(sources.search, digest.query)).text)
    answers = {place: known[paper] for place, paper in enumerate(papers) if paper in known}
    asked = frozenset(place for place, paper in enumerate(papers) if paper in mine or place >= len(pool))
    row = await asyncio.to_thread(next_question, items.joint, answers, asked, prior)
    if row is None:
        return None
    [paper] = await store.papers([papers[row]])
    return paper


async def learned(sources: DigestSources, digest: Digest, member: int) -> Learned:
    """What a digest has learned, and from which of a member's own answers."""
    said = await opinions(sources, digest)
    liked = list(dict.fromkeys(paper for _, paper, kind in reversed(said) if kind in ("like", "save")))
    away = list(dict.fromkeys(paper for _, paper, kind in reversed(said) if kind == "dislike"))
    mine = [(paper, kind) for who, paper, kind in reversed(said) if who == member and kind != "skip"]
    mine = mine[:SHOWN_ANSWERS]
    known = {paper.id: paper for paper in await sources.store.papers([paper for paper, _ in mine])}
    return Learned(
        bool(said),
        (len(liked), _about(sources, liked)),
        (len(away), _about(sources, away)),
        tuple((known[paper], kind) for paper, kind in mine if paper in known),
    )


def _about(sources: DigestSources, papers: list[int]) -> tuple[str, ...]:
    topics = sources.insight.topics
    if topics is None or not papers:
        return ()
    return tuple(topic.phrase for topic in topics.of(papers, PHRASES))
