"""How far it is known who a person is, and which of their own words an asker may read."""

from __future__ import annotations

from data.stores.claims import Profile
from data.stores.people import Person
from data.stores.store import Store
from index.claims.openalex_facts import FactFinder
from index.claims.proof_words import proof_words
from index.people.scores import Trust, trust


async def trust_in(store: Store, facts: FactFinder, person: Person, guild: int | None) -> tuple[Trust, int]:
    """How surely it is known who somebody is, and how many other people publish under the name.

    Parameters
    ----------
    guild
        The server where it is asked: some claims count in one server alone.
    """
    rows = await store.people.memberships(person.id)
    named = await store.people.named(list({row.author_id for row in rows}))
    namesakes = sum(number != person.id for number, _ in named)
    known = await facts.of_person(person.id)
    claim = await store.claims.of_person(person.id, guild)
    found = trust(
        [row.confidence for row in rows],
        namesakes,
        len(person.forms),
        known.orcid if known else None,
        claim.level if claim else 0,
        proof_words(claim) if claim else "",
        len(await store.contests.open_of(claim.id)) if claim else 0,
    )
    return found, namesakes


async def visible_profile(
    store: Store, person: int, asker: int, guild: int | None, *, private: bool
) -> Profile | None:
    """What a person's holder says of themselves, where the asker may read it.

    Everybody may where the holder made it public; else the holder, and members whose own claims hold in the
    server, in replies that only they see (``private``).
    """
    claim = await store.claims.of_person(person, guild)
    if claim is None:
        return None
    profile = await store.claims.profile(claim.member) or Profile(claim.member)
    if profile.public:
        return profile
    theirs = await store.claims.of_member(asker)
    may = asker == profile.member or (theirs is not None and theirs.holds_in(guild))
    return profile if private and may else None
