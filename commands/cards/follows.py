"""How what a member follows is named: people who share a name with their number, which tells them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from commands.cards.text import shown
from data.keys import name_key
from data.stores.members import Follow
from data.stores.people import Person


def names_of(follows: Sequence[Follow], most: int) -> dict[int, str]:
    """What is shown for each follow, by its id; people who share a name have a number: ``Wei Wang ~11``."""
    counts = Counter(name_key(follow.shown) for follow in follows if follow.kind == "person")
    return {
        follow.id: _numbered(follow.shown, follow.target, counts, most)
        if follow.kind == "person"
        else shown(follow.shown, most)
        for follow in follows
    }


def names_of_people(people: Mapping[int, Person], most: int) -> list[str]:
    """The names of watched people, ready to show; of those who share one, with the number."""
    counts = Counter(name_key(person.name) for person in people.values())
    return [_numbered(person.name, str(person.id), counts, most) for person in people.values()]


def sharing_a_name(follows: Sequence[Follow]) -> dict[int, int]:
    """The followed people whose name another followed one has, too: their numbers by those of the follows."""
    people = [follow for follow in follows if follow.kind == "person"]
    counts = Counter(name_key(follow.shown) for follow in people)
    return {follow.id: int(follow.target) for follow in people if counts[name_key(follow.shown)] > 1}


def _numbered(name: str, number: str, counts: Mapping[str, int], most: int) -> str:
    return shown(name, most) + (f" ~{number}" if counts[name_key(name)] > 1 else "")
