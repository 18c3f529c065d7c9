"""Which person a name means: one with far more papers than the rest at once, else everybody of that name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from data.keys import name_key
from data.stores.people import Person
from data.stores.store import Store
from index.models.distinct import common
from index.people.insight import Insight
from index.search.names import NameIndex

CLEAR = 4
"""A person with this many times the papers of the next one is meant, unless somebody says otherwise."""
CLEAR_LEAST = 5
_CHOSEN = "~"
"""What stands before the number of a person who was chosen from those offered."""
_DIGITS = 10


@dataclass(frozen=True, slots=True)
class PersonMatch:
    """The people that a name can mean: the one meant, if that is clear, and everybody else of that name."""

    typed: str
    person: Person | None
    others: tuple[int, ...] = ()


async def match_person(store: Store, names: NameIndex, typed: str) -> PersonMatch:
    """The people that a name, a choice offered while typing (``~12``), or both (``Wei Zhang ~12``) can mean.

    Raises
    ------
    LookupError
        Where the number is nobody's any more, or that of a person whose name shares neither its first nor
        its last word with the typed one.
    """
    text = typed.strip()
    name, sign, number = text.rpartition(_CHOSEN)
    if sign and number.isdecimal() and len(number) <= _DIGITS:
        person = await store.people.find(int(number))
        if person is None or not _may_be_called(person, name):
            raise LookupError(text)
        return PersonMatch(person.name, person)
    known = names.get(text)
    author = await (store.author_names.number(known.key) if known else store.author_names.find(text))
    counted = await store.people.named([author]) if author is not None else []
    if not counted:
        return PersonMatch(text, None)
    person = await store.people.find(counted[0][0]) if _is_clear([count for _, count in counted]) else None
    others = tuple(number for number, _ in counted if person is None or number != person.id)
    return PersonMatch(text, person, others)


def _may_be_called(person: Person, name: str) -> bool:
    """Whether a form of a person's name shares its first or last word with a typed name, if any."""
    typed = name_key(name).split()
    known = [name_key(form).split() for form in (person.name, *person.forms)]
    return not typed or any(form[-1:] == typed[-1:] or form[:1] == typed[:1] for form in known)


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
