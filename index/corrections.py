"""Taking corrections over at once: people joined, a paper moved out, and either taken back."""

from __future__ import annotations

from collections import Counter
from typing import Any

from data.corrections import Correction
from data.people import Membership, Person
from data.store import Store


class Refused(ValueError):
    """The correction can't be made; the message says why."""


async def join(store: Store, one: Person, other: Person, *, by: tuple[int, str], guild: int | None) -> int:
    """Make two people one (the first); returns the correction's number.

    Raises
    ------
    Refused
        Where they are one already, or both wrote one paper.
    """
    if one.id == other.id:
        raise Refused("These are one person already.")
    mine, theirs = await store.people.memberships(one.id), await store.people.memberships(other.id)
    if {row.paper_id for row in mine} & {row.paper_id for row in theirs}:
        raise Refused("Both wrote one paper together, so they are two people.")
    if not mine or not theirs:
        raise Refused("One of them has no paper any more.")
    await _lift(store, mine, theirs)
    number = await store.corrections.make(
        "same",
        (mine[0].paper_id, mine[0].author_id),
        (theirs[0].paper_id, theirs[0].author_id),
        one.id,
        by=by,
        guild=guild,
        note=f"{other.name} ({len(theirs)} papers) is the same person as {one.name} ({len(mine)} papers)",
        moved=[(row.paper_id, row.position, row.person_id) for row in theirs],
    )
    await _reassign(store, theirs, one.id, [(other.id, one.id)])
    return number


async def _lift(store: Store, mine: list[Membership], theirs: list[Membership]) -> None:
    """An earlier word that these are two people no longer holds."""
    here = {(row.paper_id, row.author_id) for row in mine}
    there = {(row.paper_id, row.author_id) for row in theirs}
    for correction in await store.corrections.all(in_force=True):
        ends = {
            (correction.paper_id, correction.author_id),
            (correction.other_paper_id, correction.other_author_id),
        }
        if correction.kind == "apart" and ends & here and ends & there:
            await store.corrections.undo(correction.id, by=(0, "a later correction"))


async def move_out(
    store: Store, person: Person, paper: int, *, by: tuple[int, str], guild: int | None
) -> int:
    """Make a paper somebody else's (a new person of the name); returns the correction's number.

    Raises
    ------
    Refused
        Where the paper is not the person's, or the only one.
    """
    rows = await store.people.memberships(person.id)
    moved = [row for row in rows if row.paper_id == paper]
    rest = [row for row in rows if row.paper_id != paper]
    if not moved:
        raise Refused("This paper is not that person's (any more).")
    if not rest:
        raise Refused("It is the only paper of that person, so there is nothing to tell apart.")
    [found] = await store.papers([paper])
    nearest = next((row for row in rest if row.paper_id == moved[0].support), rest[0])
    number = await store.corrections.make(
        "apart",
        (moved[0].paper_id, moved[0].author_id),
        (nearest.paper_id, nearest.author_id),
        person.id,
        by=by,
        guild=guild,
        note=f"“{found.title}” is not by this {person.name}",
        moved=[(row.paper_id, row.position, row.person_id) for row in moved],
        everybody=[(row.paper_id, row.author_id) for row in rest],
    )
    await _reassign(store, moved, await store.people.next_id(), [])
    return number


async def take_back(store: Store, correction: Correction, *, by: tuple[int, str]) -> bool:
    """Undo a correction: what it moved goes back where it was; False where that was done already."""
    if not await store.corrections.undo(correction.id, by=by):
        return False
    places = {(paper, position): person for paper, position, person in correction.moved}
    rows = [row for row in await store.people.at(list(places)) if (row.paper_id, row.position) in places]
    for person in sorted({places[row.paper_id, row.position] for row in rows}):
        mine = [row for row in rows if places[row.paper_id, row.position] == person]
        await _reassign(store, mine, person, [])
    return True


async def _reassign(store: Store, rows: list[Membership], person: int, merged: list[tuple[int, int]]) -> None:
    """Give authorships to a person, in one transaction; everybody's counts and names follow."""
    touched = {row.person_id for row in rows} | {person}
    held: dict[int, list[Membership]] = {}
    moving = {(row.paper_id, row.position) for row in rows}
    for number in sorted(touched):
        held[number] = [
            row
            for row in await store.people.memberships(number)
            if (row.paper_id, row.position) not in moving
        ]
    held[person] += rows
    forms = await store.people.printed(
        [(row.paper_id, row.position) for kept in held.values() for row in kept]
    )
    people: list[dict[str, Any]] = []
    emptied: list[tuple[int, int]] = []
    for number, kept in held.items():
        if kept:
            names = Counter(forms[row.paper_id, row.position] for row in kept)
            name = sorted(names.items(), key=lambda form: (-form[1], form[0]))[0][0]
            people.append({"id": number, "name": name, "papers": len(kept), "merged_into": None})
        else:
            emptied.append((number, person))
    changed = [
        {
            "paper_id": row.paper_id,
            "position": row.position,
            "author_id": row.author_id,
            "person_id": person,
            "confidence": 1.0,
            "support": row.support,
        }
        for row in rows
    ]
    last = await store.people.last_pass()
    counts = (last.authorships, last.people) if last else (0, 0)
    upto = last.upto if last else 0
    await store.people.replace("word", upto, 0, changed, [], people, merged or emptied, counts)
