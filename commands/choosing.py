"""What a digest shows: the papers announced since it last looked, ranked for its readers, each with its reason."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from commands.cards import digest as cards
from commands.services import Services
from data.clock import utc_now
from data.digests import Chosen, Digest
from data.keys import name_key
from data.listings import Listed
from data.models import Paper
from data.people import Person
from index.daily import Daily, Pick, Taste
from index.facets import in_category
from index.taste import Ranker

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
    """Choose from the listings after those looked through already, up to a day."""
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
    library = services.library
    loaded = library.embedder.is_loaded
    if library.vectors is None or (services.model_settled.is_set() and not loaded):
        return False  # without a model it will not get better
    if not loaded and (digest.query or digest.is_own):
        return True
    await library.refresh()
    backlog = set(library.backlog())
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
    index = services.insight.people
    followed = await _followed(services, digest)
    here = set() if digest.is_own else await services.store.claims.in_server(digest.guild)
    if index is None or not followed | here:
        return Writers()
    known = await services.store.people.find_all(sorted(followed | here))
    people = {person.id: person for person in known.values()}
    by: dict[int, tuple[str, ...]] = {}
    theirs: dict[int, tuple[Person, ...]] = {}
    for paper in papers:
        found = tuple(people[number] for number in index.writers(paper).tolist() if number in people)
        if found:
            theirs[paper] = found
            by[paper] = tuple(
                f"{cards.shown(person.name, 40)}, {'followed' if person.id in followed else 'a member here'}"
                for person in found
            )
    return Writers(by, theirs)


def _printed(paper: Paper, people: Sequence[Person]) -> tuple[str, ...]:
    known = {name_key(form) for person in people for form in (person.name, *person.forms)}
    return tuple(author.key for author in paper.authors if author.key in known)


async def _followed(services: Services, digest: Digest) -> set[int]:
    members = services.store.members
    wanted = set(digest.person_numbers)
    if digest.is_own:
        mine = await members.following(digest.owner)
        return wanted | {int(follow.target) for follow in mine if follow.kind == "person"}
    if digest.followed:
        wanted |= {int(target) for target in await members.followed("person", guild=digest.guild)}
    return wanted


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
    if services.daily is None:
        ranker = await asyncio.to_thread(Ranker.shipped)
        services.daily = services.daily or Daily(services.library, ranker)
    return services.daily
