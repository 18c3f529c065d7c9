"""Giving authorships to another person, and updating the names and counts of everybody involved."""

from __future__ import annotations

from collections import Counter
from typing import Any

from data.stores.person_passes import Membership
from data.stores.store import Store


async def reassign(store: Store, rows: list[Membership], person: int, merged: list[tuple[int, int]]) -> None:
    """Give authorships to a person in one transaction, and update everybody's counts and names."""
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
        [(row.paper_id, row.position) for theirs in held.values() for row in theirs]
    )
    people: list[dict[str, Any]] = []
    emptied: list[tuple[int, int]] = []
    for number, theirs in held.items():
        if theirs:
            names = Counter(forms[row.paper_id, row.position] for row in theirs)
            name = sorted(names.items(), key=lambda form: (-form[1], form[0]))[0][0]
            people.append({"id": number, "name": name, "papers": len(theirs), "merged_into": None})
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
