"""Corrections of people: authority, limits, making a correction, widening it and taking it back.

A correction by a server's manager is only stored; :mod:`index.trust.views` applies it to that server's view.
A correction by the operator, or by a proven person about their own papers, moves authorships at once and is
certain to every pass.
"""

from __future__ import annotations

from datetime import timedelta

from data.calendar.clock import utc_now
from data.stores.claim_rules import counts
from data.stores.corrections import Correction
from data.stores.people import Person
from data.stores.people_seen import FIRST_SEEN
from data.stores.person_passes import Membership
from data.stores.scopes import Scope
from data.stores.store import Store
from index.identity.person_names import could_print
from index.trust.reassignment import reassign

MEMBER_A_DAY, SERVER_A_DAY, HOLDER_A_DAY = 20, 60, 10
"""Corrections per day: by one member, by all members of a server, by a holder about themselves."""
SERVER_IN_FORCE = 500
"""Corrections of a server in force at a time; each one slows every look at people there a little."""
HOLDER_LEVEL = 2
"""The level that a claim needs for its holder to make corrections for everybody."""


class Refused(ValueError):
    """The correction can't be made; the message says why."""


# -- who may -----------------------------------------------------------------------------------------


async def holder_scope(store: Store, member: int, name: str, person: int, guild: int | None) -> Scope | None:
    """The authority of a member over their own papers; None without a sure claim on this person.

    A claim counts from :data:`HOLDER_LEVEL` on, but not while it is contested.
    """
    claim = await store.claims.of_member(member)
    if claim is None or counts(claim) < HOLDER_LEVEL:
        return None
    own = await store.people.find(claim.person_id)
    if own is None or own.id != person or await store.contests.open_of(claim.id):
        return None
    return Scope.holder(claim.id, (member, name), guild)


def may_take_back(correction: Correction, member: int, *, manages: int | None, operator: bool) -> bool:
    """Whether a member may take a correction back.

    Parameters
    ----------
    manages
        The present server, if they manage it.
    operator
        Whether they run this Labmate; the operator may take back everything.
    """
    if operator:
        return True
    if correction.is_local:
        return manages is not None and manages == correction.guild
    return correction.made_by == member


async def _within_limits(store: Store, scope: Scope) -> None:
    """Refuse corrections beyond the daily limits; those taken back count, too.

    Raises
    ------
    Refused
        With the limit, and when to go on.
    """
    if scope.authority == "operator":
        return
    since, made = utc_now() - timedelta(days=1), store.corrections.made_since
    most = HOLDER_A_DAY if scope.authority == "holder" else MEMBER_A_DAY
    if await made(since, member=scope.by[0]) >= most:
        raise Refused(f"You have made {most} corrections within a day; please continue tomorrow.")
    if scope.guild is None or not scope.is_local:
        return
    if await made(since, guild=scope.guild) >= SERVER_A_DAY:
        raise Refused(
            f"{SERVER_A_DAY} corrections were made in this server within a day; please continue tomorrow."
        )
    if len(await store.corrections.only_in(scope.guild)) >= SERVER_IN_FORCE:
        raise Refused(
            f"{SERVER_IN_FORCE} corrections are in force in this server; take back some that you don't need."
        )


# -- making one --------------------------------------------------------------------------------------


async def join(store: Store, one: Person, other: Person, scope: Scope) -> int:
    """Merge two people into the first; returns the correction's number.

    Parameters
    ----------
    store
        For a server's correction, the store as that server sees it
        (:meth:`data.stores.store.Store.seen_from`).

    Raises
    ------
    Refused
        If they are one already, wrote a paper together, can't be the holder, or a daily limit is reached.
    """
    if one.id == other.id:
        raise Refused("These are already one person.")
    await _within_limits(store, scope)
    if scope.authority == "holder":
        await _could_be_theirs(store, one, other)
    mine, theirs = await store.people.memberships(one.id), await store.people.memberships(other.id)
    if {row.paper_id for row in mine} & {row.paper_id for row in theirs}:
        raise Refused("They wrote a paper together, so they are two people.")
    if not mine or not theirs:
        raise Refused("One of them no longer has any papers.")
    await _lift(store, mine, theirs, scope)
    number = await store.corrections.make(
        "same",
        await _anchor(store, one.id, mine),
        await _anchor(store, other.id, theirs),
        await _real(store, one.id, mine),
        scope,
        note=f"{other.name} ({len(theirs)} papers) is the same person as {one.name} ({len(mine)} papers)",
        moved=[(row.paper_id, row.position, row.person_id) for row in theirs],
    )
    if not scope.is_local:
        await reassign(store, theirs, one.id, [(other.id, one.id)])
    return number


async def _could_be_theirs(store: Store, one: Person, other: Person) -> None:
    """Check that a holder takes over only papers under a compatible name that nobody else has claimed."""
    forms = [(person.name, *person.forms) for person in (one, other)]
    if not any(could_print(mine, theirs) for mine in forms[0] for theirs in forms[1]):
        raise Refused(
            "Their names are too different for one person. A server's managers can join them there."
        )
    if await store.claims.of_person(other.id) is not None:
        raise Refused("Somebody has claimed that person. If it should be you, /contest their claim.")


async def _anchor(store: Store, person: int, rows: list[Membership]) -> tuple[int, int]:
    """The authorship that stands for a person: one that is theirs for everybody, not just in a server."""
    ends = [(row.paper_id, row.author_id) for row in rows]
    whose = await store.people.whose(ends)
    return next((end for end in ends if whose.get(end) == person), ends[0])


async def _real(store: Store, person: int, rows: list[Membership]) -> int:
    """The number in the tables of a person who may only exist in a server."""
    if person < FIRST_SEEN:
        return person
    base = await store.people.whose([(rows[0].paper_id, rows[0].author_id)])
    return next(iter(base.values()))


async def _lift(store: Store, mine: list[Membership], theirs: list[Membership], scope: Scope) -> None:
    """Undo an earlier correction from the same place that said these are two people."""
    here = {(row.paper_id, row.author_id) for row in mine}
    there = {(row.paper_id, row.author_id) for row in theirs}
    if scope.is_local:
        earlier = await store.corrections.only_in(scope.guild or 0)
    else:
        earlier = await store.corrections.for_all()
    for correction in earlier:
        ends = set(correction.ends)
        if correction.kind == "apart" and ends & here and ends & there:
            if scope.authority == "holder" and correction.authority == "operator":
                raise Refused("The operator of this Labmate separated them.")
            await store.corrections.undo(correction.id, by=(0, "a later correction"))


async def move_out(store: Store, person: Person, paper: int, scope: Scope) -> int:
    """Give a paper to a new person of the name; returns the correction's number.

    Parameters
    ----------
    store
        As in :func:`join`.

    Raises
    ------
    Refused
        If the paper is not the person's, is their only one, or a daily limit is reached.
    """
    rows = await store.people.memberships(person.id)
    moved = [row for row in rows if row.paper_id == paper]
    rest = [row for row in rows if row.paper_id != paper]
    if not moved:
        raise Refused("This paper is not (or no longer) that person's.")
    if not rest:
        raise Refused("It is that person's only paper, so there is nothing to separate.")
    await _within_limits(store, scope)
    [moved_paper] = await store.papers([paper])
    nearest = next((row for row in rest if row.paper_id == moved[0].support), rest[0])
    number = await store.corrections.make(
        "apart",
        (moved[0].paper_id, moved[0].author_id),
        (nearest.paper_id, nearest.author_id),
        await _real(store, person.id, rest),
        scope,
        note=f"“{moved_paper.title}” is not by this {person.name}",
        moved=[(row.paper_id, row.position, row.person_id) for row in moved],
        everybody=[(row.paper_id, row.author_id) for row in rest],
    )
    if not scope.is_local:
        await reassign(store, moved, await store.people.next_id(), [])
    return number


# -- a wider word, and taking back -------------------------------------------------------------------


async def promote(store: Store, correction: Correction, scope: Scope) -> None:
    """Let a server's correction hold for everybody, on the authority of an operator or holder.

    Parameters
    ----------
    store
        The store as it is for everybody.

    Raises
    ------
    Refused
        If it was taken back, already holds for everybody, is no longer possible (both wrote a paper
        together), or is not about the holder.
    """
    if scope.is_local:
        raise ValueError("a server's correction does not hold for everybody")
    if correction.undone is not None or not correction.is_local:
        raise Refused("This correction was taken back, or already holds for everybody.")
    await _within_limits(store, scope)
    whose = await store.people.whose([*correction.ends, *correction.everybody])
    one, other = (whose.get(end) for end in correction.ends)
    if one is None or other is None:
        raise Refused("One of the two papers is no longer known.")
    if scope.authority == "holder":
        await _about_themselves(store, correction, scope, one, other)
    rows: list[Membership] = []
    if correction.kind == "same" and one != other:
        rows = await store.people.memberships(other)
        if {row.paper_id for row in rows} & {row.paper_id for row in await store.people.memberships(one)}:
            raise Refused("They wrote a paper together, so they are two people.")
    elif correction.kind == "apart" and one in {
        whose.get(end) for end in (correction.ends[1], *correction.everybody)
    }:
        rows = [row for row in await store.people.memberships(one) if row.paper_id == correction.paper_id]
    moved = [(row.paper_id, row.position, row.person_id) for row in rows]
    if not await store.corrections.widen(correction.id, scope, person_id=one, moved=moved):
        raise Refused("This correction was taken back, or already holds for everybody.")
    if rows and correction.kind == "same":
        await reassign(store, rows, one, [(other, one)])
    elif rows:
        await reassign(store, rows, await store.people.next_id(), [])


async def _about_themselves(store: Store, correction: Correction, scope: Scope, one: int, other: int) -> None:
    """Check that a holder widens only corrections of the person they have claimed."""
    claim = await store.claims.find(scope.claim or 0)
    own = await store.people.find(claim.person_id) if claim and claim.state == "held" else None
    if own is None or own.id not in ((one, other) if correction.kind == "same" else (one,)):
        raise Refused("This is not about the papers that you have claimed.")
    if correction.kind == "same" and one != other:
        people = await store.people.find_all([one, other])
        mine, theirs = (people[one], people[other]) if own.id == one else (people[other], people[one])
        await _could_be_theirs(store, mine, theirs)


async def take_back(store: Store, correction: Correction, *, by: tuple[int, str]) -> bool:
    """Undo a correction and what it moved for everybody; False if that was done already.

    Callers check :func:`may_take_back` first.
    """
    if not await store.corrections.undo(correction.id, by=by):
        return False
    if correction.is_local:
        return True
    places = {(paper, position): person for paper, position, person in correction.moved}
    rows = [row for row in await store.people.at(list(places)) if (row.paper_id, row.position) in places]
    for person in sorted({places[row.paper_id, row.position] for row in rows}):
        mine = [row for row in rows if places[row.paper_id, row.position] == person]
        await reassign(store, mine, person, [])
    return True


async def retract(store: Store, claim: int, *, by: tuple[int, str]) -> int:
    """Take back all corrections made by a claim's holder about themselves; returns how many."""
    count = 0
    for correction in await store.corrections.by_claim(claim):
        count += await take_back(store, correction, by=by)
    return count
