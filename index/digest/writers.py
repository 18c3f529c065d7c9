"""Papers by people who count for a digest: those whom its readers follow, and members of the server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from data.reasons import KnownWriter
from data.stores.digest_record import Digest
from data.stores.people import Person
from index.digest.sources import DigestSources
from index.trust.present import holders_here, not_here
from index.trust.views import Place


@dataclass(frozen=True)
class Writers:
    """Which of some papers are by people who count for a digest.

    Attributes
    ----------
    by
        For each such paper, these authors as its reason names them.
    people
        For each such paper, these people.
    first
        The papers by people whom the digest watches, or its owner follows.
    """

    by: Mapping[int, tuple[KnownWriter, ...]] = field(default_factory=dict)
    people: Mapping[int, tuple[Person, ...]] = field(default_factory=dict)
    first: frozenset[int] = frozenset()


async def writers_of(sources: DigestSources, digest: Digest, papers: Sequence[int]) -> Writers:
    """Which of the papers' authors are watched or followed, or are members of the server."""
    is_member: dict[int, dict[Person, bool]] = {}
    for seen, wanted in await _followed(sources, digest, papers):
        for paper, people in (await _by(seen, papers, wanted)).items():
            is_member.setdefault(paper, {}).update(dict.fromkeys(people, False))
    known = await sources.store.people.find_all(sorted(digest.person_numbers))
    watched = {person.id for person in known.values()}
    first = frozenset(
        paper
        for paper, people in is_member.items()
        if digest.is_own or any(person.id in watched for person in people)
    )
    here = {} if digest.is_own else await holders_here(sources, digest.guild)
    members = await _by(sources, papers, set(here))
    written = {person.id for people in members.values() for person in people}
    gone = await not_here(sources, digest.guild, here, written)
    for paper, people in members.items():
        for person in people:
            if person.id not in gone:
                is_member.setdefault(paper, {}).setdefault(person, True)
    return Writers(
        {
            paper: tuple(
                KnownWriter(person.name, member, person.id in watched) for person, member in of.items()
            )
            for paper, of in is_member.items()
        },
        {paper: tuple(of) for paper, of in is_member.items()},
        first,
    )


async def _by(sources: DigestSources, papers: Sequence[int], wanted: set[int]) -> dict[int, list[Person]]:
    """For each paper the wanted people who wrote it, as people are there."""
    index = sources.insight.people
    if index is None or not wanted:
        return {}
    known = await sources.store.people.find_all(sorted(wanted))
    people = {person.id: person for person in known.values()}
    by = {
        paper: [people[number] for number in index.writers(paper).tolist() if number in people]
        for paper in papers
    }
    return {paper: names for paper, names in by.items() if names}


async def _followed(
    sources: DigestSources, digest: Digest, papers: Sequence[int]
) -> list[tuple[DigestSources, set[int]]]:
    """The people that a digest marks, with the sources that see them as they were meant.

    A member's own digest means people as they are where they were followed; a server's, as they are there.
    """
    members = sources.store.members
    wanted = set(digest.person_numbers)
    if not digest.is_own:
        if digest.followed:
            wanted |= await _followed_here(sources, digest.guild, papers)
        return [(sources, wanted)]
    views = [(sources, wanted)]
    by_guild: dict[int | None, set[int]] = {}
    for follow in await members.following(digest.owner):
        if follow.kind == "person":
            by_guild.setdefault(follow.guild, set()).add(int(follow.target))
    for guild, people in by_guild.items():
        seen = sources if guild is None else await sources.everywhere.seen_from(Place(guild))
        views.append((seen, people))
    return views


async def _followed_here(sources: DigestSources, guild: int, papers: Sequence[int]) -> set[int]:
    """Authors of the papers who are followed by members that are in the server now."""
    followers: dict[int, set[int]] = {}
    for target, member in await sources.store.members.followers("person", guild):
        followers.setdefault(int(target), set()).add(member)
    by = await _by(sources, papers, set(followers))
    written = {person.id for people in by.values() for person in people}
    now = await sources.store.people.find_all(sorted(followers))
    asked = {m for number, of in followers.items() if number in now and now[number].id in written for m in of}
    left, unknown = await sources.presence.gone(guild, asked) if sources.presence else (set(), set())
    return {person for person, of in followers.items() if of - left - unknown}
