"""What the forms of a digest could not read: people's names, a time, a time zone."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from commands.cards.people import Outline
from commands.cards.text import listed, shown
from data.calendar import zones
from data.calendar.hours import EXAMPLES

NAMESAKES_SHOWN = 3
NAMES_SHOWN = 10


def several_people(line: str, people: Sequence[Outline], count: int) -> str:
    """Several people share a name typed in a form: how many, and some of them."""
    told = [f"- {shown(line, 60)} ~{who.person.id}: {shown(who.facts, 120)}" for who in people]
    if count > len(people):
        told.append(f"- and {count - len(people):,} more; /papers {shown(line, 60)} lists them")
    head = (
        f"Several people publish as {shown(line, 60)}, so I left that name out. To add one, type the name "
        "with its number:"
    )
    return "\n".join([head, *told])


def more_namesakes(names: Sequence[str]) -> str:
    """More names that several people share."""
    told = _named(names)
    return f"Several people publish as {told}, too; /papers tells them apart. I left these names out."


def nobody(names: Sequence[str]) -> str:
    """Nobody has these names."""
    told = _named(names, "or")
    return f"I don't know anyone called {told}, so I left {_that(names)} out. Check the spelling."


def both_left(new: Collection[str]) -> str:
    """Says that a new time or zone was not kept either, since the other couldn't be read."""
    return f"I left the {'time' if 'at' in new else 'time zone'} as it was, too."


def no_such_zone(typed: str) -> str:
    """Says that a typed text can't be read as a time zone, and what to write instead."""
    if city := zones.city_for(typed):
        return (
            f"“{shown(typed, 20)}” can mean several time zones, so I left it as it was. Name a large city in "
            f"yours, such as {city}."
        )
    if zones.is_offset(typed):
        return (
            f"I can't use “{shown(typed, 20)}”, so I left the time zone as it was. I take only whole hours "
            "from UTC-12 to UTC+14, such as UTC+8; otherwise, name a large city in your time zone, such as "
            "Kolkata."
        )
    return (
        "I don't know this time zone, so I left it as it was. Write it like Europe/Berlin, or name a large "
        "city."
    )


def no_such_time(typed: str) -> str:
    """Says that a typed text can't be read as a time of day."""
    return f"I can't read “{shown(typed, 20)}” as a time, so I left it as it was. Write it like {EXAMPLES}."


def _named(names: Sequence[str], last: str = "and") -> str:
    told = [f"“{shown(name, 60)}”" for name in names[:NAMES_SHOWN]]
    return listed([*told, f"{len(names) - NAMES_SHOWN} more"] if len(names) > NAMES_SHOWN else told, last)


def _that(names: Sequence[str]) -> str:
    return "that name" if len(names) == 1 else "those names"


def other_numbers(names: Sequence[str]) -> str:
    """The numbers behind these names belong to somebody else, or to nobody any more."""
    told = _named(names)
    return f"The number behind {told} belongs to nobody of that name, so I left {_that(names)} out."


def too_many_people(most: int) -> str:
    """A form has more names than a digest can watch."""
    return f"A digest can watch up to {most} people, so I left out the names after the first {most}."
