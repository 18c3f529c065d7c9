"""Which person a name means: one with far more papers than the rest at once, else everybody of that name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data.stores.people import Person
from data.stores.store import Store
from index.identity.person_names import may_be_form, parse_name
from index.models.distinct import common
from index.people.insight import Insight
from index.search.names import NameIndex

CLEAR = 4
"""A person with this many times the papers of the next one is meant, unless somebody says otherwise."""
CLEAR_LEAST = 5
LONGEST_NAME = 100
"""Characters of a name before such a number, where the name is cut."""
_CHOSEN = "~"
"""What stands before the number of a person who was chosen from those offered."""
_DIGITS = 10
_TITLES = re.compile(r"^(?:(?:prof|professor|dr|doctor|sir|mr|mrs|ms)\b\.?\s+)+(?=\S)", re.IGNORECASE)


class OtherPerson(LookupError):
    """A number after a name is that of somebody with another name."""

    def __init__(self, typed: str, person: Person) -> None:
        super().__init__(f"{person.id} is {person.name}, not {typed}")
        self.typed = typed
        self.person = person


@dataclass(frozen=True, slots=True)
class PersonMatch:
    """The people that a name can mean: the one meant, if that is clear, and everybody else of that name."""

    typed: str
    person: Person | None
    others: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sharing:
    """The other people who publish under a person's name: how many, and their papers under it."""

    name: str
    people: int
    papers: int


async def match_person(store: Store, names: NameIndex, typed: str) -> PersonMatch:
    """The people that a name, a choice offered while typing (``~12``), or both (``Wei Zhang ~12``) can mean.

    Raises
    ------
    OtherPerson
        Where the number is that of a person who can't have the typed name.
    LookupError
        Where the number is nobody's (any more).
    """
    text = _TITLES.sub("", typed.strip())
    name, sign, number = text.rpartition(_CHOSEN)
    if sign and number.isdecimal() and len(number) <= _DIGITS:
        person = await store.people.find(int(number))
        if person is None:
            raise LookupError(text)
        if not _may_be_called(person, name.strip()):
            raise OtherPerson(name.strip(), person)
        return PersonMatch(person.name, person)
    counted = await _named(store, names, text)
    if not counted:
        return PersonMatch(text, None)
    person = await store.people.find(counted[0][0]) if _is_clear([count for _, count in counted]) else None
    others = tuple(number for number, _ in counted if person is None or number != person.id)
    return PersonMatch(text, person, others)


async def _named(store: Store, names: NameIndex, text: str) -> list[tuple[int, int]]:
    """(person, papers) of everybody who publishes under a name, most papers first."""
    known = names.get(text)
    author = await (store.author_names.number(known.key) if known else store.author_names.find(text))
    return await store.people.named([author]) if author is not None else []


async def sharing(store: Store, names: NameIndex, person: Person, typed: str = "") -> Sharing | None:
    """Who else publishes under the name that was typed for a person, else under their usual one."""
    for name in filter(None, dict.fromkeys((typed, person.name))):
        others = [papers for number, papers in await _named(store, names, name) if number != person.id]
        if others:
            known = names.get(name)
            return Sharing(known.name if known else name, len(others), sum(others))
    return None


def _may_be_called(person: Person, name: str) -> bool:
    """Whether a typed name, if any, can be a form of a person's name.

    Some of its words can, in any order, and so can a name that was cut.
    """
    if not any(map(str.isalnum, name)):
        return True
    typed, is_cut = parse_name(name), name.endswith("…") or len(name) >= LONGEST_NAME - 1
    return any(
        may_be_form(typed, known)
        or {*typed.key.split()} <= {*known.key.split()}
        or (is_cut and known.key.startswith(typed.key))
        for known in map(parse_name, (person.name, *person.forms))
    )


def _is_clear(papers: Sequence[int]) -> bool:
    """Whether the first of several people, by their numbers of papers, is the one meant."""
    return len(papers) == 1 or (papers[0] >= CLEAR_LEAST and papers[0] >= CLEAR * papers[1])


def nothing_in_common(insight: Insight, first: int, second: int) -> list[str]:
    """What two people of a name do not share: ``coauthor``, ``topic``; nothing where no pass was made."""
    people, topics = insight.people, insight.topics
    if people is None:
        return []
    both = common(people.ties(first).people, people.ties(second).people)
    papers = people.papers(first).tolist(), people.papers(second).tolist()
    shared = topics.shared(*papers) if topics else []
    return [*([] if len(both) else ["coauthor"]), *([] if shared else ["topic"])]


async def namesakes(store: Store, names: NameIndex, person: Person) -> list[int]:
    """Other people who publish under one of a person's names, or under one that could be the same."""
    rows = await store.people.memberships(person.id)
    near = [name for form in person.forms for name in names.others(form)]
    authors = {row.author_id for row in rows}
    authors |= set((await store.author_names.numbers([name.key for name in near])).values())
    return [number for number, _ in await store.people.named(list(authors)) if number != person.id]
