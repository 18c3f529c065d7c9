"""What a digest shows: the papers announced since it last looked, ranked for its readers, each with its reason."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from commands.cards import digest as cards
from commands.kit.presence import holders_here, not_here
from commands.kit.services import Services
from data.calendar.clock import utc_now
from data.keys import name_key
from data.records import Paper
from data.stores.digests import Chosen, Digest
from data.stores.listings import Listed
from data.stores.people import Person
from index.digest.chooser import Daily, Pick, Taste
from index.digest.taste import TasteRanker
from index.search.facets import in_category
from index.trust.views import Place

MOST_CANDIDATES = 4_000
MOST_DAYS = 7
"""Listings looked through at once after a pause."""
LATE_FOR = timedelta(days=14)
"""How long after its day a paper that came in late is still taken for new."""
LIKED_FOR = timedelta(days=180)
MOST_LIKED = 60


@dataclass(frozen=True, slots=True)
class Choice:
    """What a digest found: how many papers it read, those to show, and the newest paper's number."""

    read: int
    papers: list[Chosen]
    seen: int


@dataclass(frozen=True)
class Writers:
    """Which of some papers are by people that count for a digest.

    Attributes
    ----------
    by
        For a paper the names to show, each with what they are: followed, or a member here.
    people
        For a paper these people.
    """

    by: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    people: Mapping[int, tuple[Person, ...]] = field(default_factory=dict)


async def choose(services: Services, digest: Digest, upto: date) -> Choice:
    """Choose from the listings after those looked through already, up to a day.

    People are who they are where it is posted.
    """
    services = await services.everywhere.seen_from(
        Place(None, digest.owner) if digest.is_own else Place(digest.guild)
    )
    store = services.store
    seen = await store.listings.newest_paper()
    listed = await candidates(services, digest, upto)
    shown = await store.digests.shown(digest.channel, listed)
    fresh = [number for number in listed if number not in shown]
    writers = await writers_of(services, digest, fresh)
    taste = await taste_of(services, digest, writers)
    found = await (await daily(services)).choose(fresh, taste, digest.most, known_only=digest.news)
    return Choice(len(listed), await _explained(services, digest, found, listed, writers), seen)


async def waiting(services: Services, digest: Digest, upto: date) -> bool:
    """Whether what the choice needs is still to come: the model for words, or the embeddings of papers."""
    corpus = services.corpus
    loaded = corpus.embedder.is_loaded
    if corpus.vectors is None or (services.model_settled.is_set() and not loaded):
        return False  # without a model it will not get better
    if not loaded and (digest.query or digest.is_own):
        return True
    await corpus.refresh()
    backlog = set(corpus.backlog())
    return bool(backlog) and not backlog.isdisjoint(await candidates(services, digest, upto))


async def candidates(services: Services, digest: Digest, upto: date) -> dict[int, Listed]:
    """Papers of its categories in the listings of the days after ``digest.upto``, and what came in late."""
    listings = services.store.listings
    found: dict[int, Listed] = {}
    _, on, _ = await listings.around(upto)
    for _ in range(MOST_DAYS):
        if on is None or on <= digest.upto or on > upto:
            break
        for entry in await listings.entries(on):
            if _wanted(entry, digest.category_set):
                found.setdefault(entry.paper, entry)
        on, _, _ = await listings.around(on)
    if digest.seen and digest.upto > date.min:
        for entry in await listings.late(digest.seen, digest.upto - LATE_FOR, digest.upto):
            if _wanted(entry, digest.category_set):
                found.setdefault(entry.paper, entry)
    return dict(list(found.items())[:MOST_CANDIDATES])


def _wanted(entry: Listed, categories: frozenset[str]) -> bool:
    if not categories:
        return entry.new
    return any(in_category(" ".join(entry.categories), wanted) for wanted in categories)


async def _explained(
    services: Services,
    digest: Digest,
    picks: Sequence[Pick],
    listed: Mapping[int, Listed],
    writers: Writers,
) -> list[Chosen]:
    near = await services.store.papers({number for pick in picks for number in pick.near})
    titles = {paper.id: paper for paper in near}
    texts = await services.store.texts([pick.paper for pick in picks])
    papers = {paper.id: paper for paper in await services.store.papers([pick.paper for pick in picks])}
    own = "that you saved or liked" if digest.is_own else "saved or liked here"
    return [
        Chosen(
            pick.paper,
            cards.reason(
                [titles[number] for number in pick.near if number in titles],
                pick.by,
                digest.query,
                pick.on_query,
                own,
            ),
            round(pick.closeness, 2) if pick.near or pick.on_query else None,
            texts[pick.paper][2],
            _printed(papers[pick.paper], writers.people.get(pick.paper, ())),
            ""
            if listed[pick.paper].new
            else f"cross-listed, first {cards.day(papers[pick.paper].announced)}",
        )
        for pick in picks
    ]


async def writers_of(services: Services, digest: Digest, papers: Sequence[int]) -> Writers:
    """Who of the papers' authors is followed, or is a member of the server."""
    said: dict[int, dict[Person, str]] = {}
    for seen, wanted in await _followed(services, digest, papers):
        for paper, people in (await _by(seen, papers, wanted)).items():
            said.setdefault(paper, {}).update(dict.fromkeys(people, "followed"))
    here = {} if digest.is_own else await holders_here(services, digest.guild)
    members = await _by(services, papers, set(here))
    written = {person.id for people in members.values() for person in people}
    gone = await not_here(services, digest.guild, here, written)
    for paper, people in members.items():
        for person in people:
            if person.id not in gone:
                said.setdefault(paper, {}).setdefault(person, "a member here")
    return Writers(
        {
            paper: tuple(f"{cards.shown(person.name, 40)}, {why}" for person, why in of.items())
            for paper, of in said.items()
        },
        {paper: tuple(of) for paper, of in said.items()},
    )


async def _by(services: Services, papers: Sequence[int], wanted: set[int]) -> dict[int, list[Person]]:
    """For each paper those of some people who wrote it, as people are there."""
    index = services.insight.people
    if index is None or not wanted:
        return {}
    known = await services.store.people.find_all(sorted(wanted))
    people = {person.id: person for person in known.values()}
    by = {
        paper: [people[number] for number in index.writers(paper).tolist() if number in people]
        for paper in papers
    }
    return {paper: found for paper, found in by.items() if found}


def _printed(paper: Paper, people: Sequence[Person]) -> tuple[str, ...]:
    known = {name_key(form) for person in people for form in (person.name, *person.forms)}
    return tuple(author.key for author in paper.authors if author.key in known)


async def _followed(
    services: Services, digest: Digest, papers: Sequence[int]
) -> list[tuple[Services, set[int]]]:
    """Whom a digest is to mark, with the services that see them as they were meant.

    A member's own digest means people as they are where they were followed; a server's, as they are there.
    """
    members = services.store.members
    wanted = set(digest.person_numbers)
    if not digest.is_own:
        if digest.followed:
            wanted |= await _followed_here(services, digest.guild, papers)
        return [(services, wanted)]
    found = [(services, wanted)]
    by_guild: dict[int | None, set[int]] = {}
    for follow in await members.following(digest.owner):
        if follow.kind == "person":
            by_guild.setdefault(follow.guild, set()).add(int(follow.target))
    for guild, people in by_guild.items():
        seen = services if guild is None else await services.everywhere.seen_from(Place(guild))
        found.append((seen, people))
    return found


async def _followed_here(services: Services, guild: int, papers: Sequence[int]) -> set[int]:
    """Authors of the papers whom members follow who are in the server now."""
    followers: dict[int, set[int]] = {}
    for target, member in await services.store.members.followers("person", guild):
        followers.setdefault(int(target), set()).add(member)
    by = await _by(services, papers, set(followers))
    written = {person.id for people in by.values() for person in people}
    now = await services.store.people.find_all(sorted(followers))
    asked = {m for number, of in followers.items() if number in now and now[number].id in written for m in of}
    left, unknown = await services.presence.gone(guild, asked) if services.presence else (set(), set())
    return {person for person, of in followers.items() if of - left - unknown}


async def taste_of(services: Services, digest: Digest, writers: Writers) -> Taste:
    """What a channel's people, or a member, saved, liked and wrote, beside what the digest says."""
    now = utc_now()
    mine = {"member": digest.owner} if digest.is_own else {"guild": digest.guild}
    liked: dict[int, float] = {}
    disliked: set[int] = set()
    for _, paper, kind, when in await services.store.digests.opinions(**mine, since=now - LIKED_FOR):
        if kind == "dislike":
            disliked.add(paper)
        elif kind != "skip":
            liked[paper] = max((now - when).total_seconds() / 86_400, 0.0)
    topics: list[str] = []
    if digest.is_own:
        liked |= await _own(services, digest.owner, liked)
        follows = await services.store.members.following(digest.owner)
        topics = [follow.shown for follow in follows if follow.kind == "topic"]
    newest = sorted(liked, key=lambda paper: liked[paper])[:MOST_LIKED]
    return Taste(
        {paper: liked[paper] for paper in newest},
        frozenset(disliked - set(newest)),
        " ".join([digest.query, *topics]).strip(),
        writers.by,
        lines(digest.require),
        lines(digest.exclude),
    )


async def _own(services: Services, member: int, but: Mapping[int, float]) -> dict[int, float]:
    """What a member keeps, follows and wrote, with the days since."""
    now, today = utc_now(), utc_now().date()
    found: dict[int, float] = {}
    claim = await services.store.claims.of_member(member)
    if claim is not None and services.insight.people is not None:
        numbers = services.insight.people.papers(claim.person_id).tolist()
        for paper in await services.store.papers(numbers[-MOST_LIKED:]):
            found[paper.id] = float(max((today - paper.day).days, 0)) if paper.day else 365.0
    for kept in await services.store.shelf.of(member):
        if kept.paper_id is not None:
            found[kept.paper_id] = (now - kept.made).total_seconds() / 86_400
    for follow in await services.store.members.following(member):
        if follow.kind == "paper":
            found[int(follow.target)] = 0.0
    return {paper: days for paper, days in found.items() if paper not in but}


def lines(text: str) -> tuple[str, ...]:
    """Words or phrases, one a line."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


async def daily(services: Services) -> Daily:
    """What chooses, loaded when it is first needed."""
    kept = services.everywhere
    if kept.daily is None:
        ranker = await asyncio.to_thread(TasteRanker.shipped)
        kept.daily = kept.daily or Daily(kept.corpus, ranker)
    return kept.daily
