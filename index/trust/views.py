"""Each server's view of people: the effect of its own corrections, computed once and cached."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from data.stores.corrections import Correction
from data.stores.people_seen import EVERYBODY, FIRST_SEEN, View
from data.stores.store import Store

MOST_VIEWS = 256


@dataclass(frozen=True, slots=True)
class Place:
    """A viewer's place: a server, or a member's direct messages (no server)."""

    guild: int | None = None
    member: int = 0


NOWHERE = Place()
"""From here, only corrections for everybody are in force."""


class Views:
    """The views of servers and members, valid until people or corrections change."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stamp: tuple[int, ...] = ()
        self._made: OrderedDict[Place, View] = OrderedDict()

    async def of(self, place: Place) -> View:
        """The differences there: by a server's own corrections, or in direct messages by the member's."""
        if place.guild is None and not place.member:
            return EVERYBODY
        last = await self._store.people.last_pass()
        stamp = (last.id if last else 0, *await self._store.corrections.stamp())
        if stamp != self._stamp:
            self._made.clear()
            self._stamp = stamp
        if not stamp[-1]:
            return EVERYBODY
        key = place if place.guild is None else Place(place.guild)
        if key not in self._made:
            resolved = await self._resolved(key)
            if self._stamp == stamp:
                self._made[key] = resolved
            while len(self._made) > MOST_VIEWS:
                self._made.popitem(last=False)
            return resolved
        self._made.move_to_end(key)
        return self._made[key]

    async def _resolved(self, place: Place) -> View:
        corrections = self._store.corrections
        said = (
            await corrections.only_in(place.guild)
            if place.guild is not None
            else await corrections.only_of(place.member)
        )
        if not said:
            return EVERYBODY
        ends = [end for correction in said for end in (*correction.ends, *correction.everybody)]
        whose = await self._store.people.whose(ends)
        view = resolve(said, whose)
        names = await self._store.people.names(was for was, _ in view.moved.values())
        seen = {now: names.get(was, "?") for was, now in view.moved.values()}
        return View(view.leads, view.moved, view.sources, seen, view.said)


def resolve(corrections: Sequence[Correction], whose: Mapping[tuple[int, int], int]) -> View:
    """The effect of corrections, oldest first, if authorships (paper, name's number) are these people's.

    A correction that holds already, or is about an authorship that is gone, changes nothing.
    """
    leads: dict[int, int] = {}
    moved: dict[tuple[int, int], tuple[int, int]] = {}
    said: dict[int, list[int]] = {}

    def lead(person: int) -> int:
        while person in leads:
            person = leads[person]
        return person

    def now(end: tuple[int, int]) -> int | None:
        person = moved[end][1] if end in moved else whose.get(end)
        return None if person is None else lead(person)

    for correction in corrections:
        end, other = correction.ends
        one, two = now(end), now(other)
        if one is None:
            continue
        if correction.kind == "same":
            if two is not None and two != one:
                leads[two] = one
                said.setdefault(one, []).append(correction.id)
        elif any(now(apart) == one for apart in (other, *correction.everybody) if apart != end):
            new = FIRST_SEEN + correction.id
            moved[end] = (whose[end], new)
            for person in (one, new):
                said.setdefault(person, []).append(correction.id)

    flat = {person: lead(person) for person in leads}
    sources: dict[int, set[int]] = {}
    for person, to in flat.items():
        sources.setdefault(to, {to}).add(person)
    for was, new in moved.values():
        sources.setdefault(flat.get(was, was), {was}).add(was)
        sources.setdefault(flat.get(new, new), set()).add(was)
    reasons: dict[int, list[int]] = {}
    for person, numbers in said.items():
        reasons.setdefault(flat.get(person, person), []).extend(numbers)
    return View(
        flat,
        moved,
        {person: tuple(sorted(p for p in of if p < FIRST_SEEN)) for person, of in sources.items()},
        said={person: tuple(sorted(set(numbers))) for person, numbers in reasons.items()},
    )
