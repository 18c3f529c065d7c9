"""The forms of a digest: words and people, name and time."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import discord
from discord import ui

from commands.cards.form_replies import (
    NAMESAKES_SHOWN,
    both_left,
    more_namesakes,
    no_such_time,
    no_such_zone,
    nobody,
    other_numbers,
    several_people,
    too_many_people,
)
from commands.digests.allowed import own_digest
from commands.kit.access import CheckedModal
from commands.kit.limits import ASK, Cost
from commands.kit.replies import UserError, answer, apologise, take
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.kit.which_person import outlined, whom
from data.calendar import zones
from data.calendar.hours import time_named
from data.stores.digest_record import Digest, lines
from data.stores.people import Person
from index.digest.description import LONGEST_DESCRIPTION
from index.people.person_match import LONGEST_NAME

MOST_PEOPLE = 30
MOST_ASKED = 3
"""Names of several people that a reply tells apart; a digest's settings stand beside them."""
LONGEST = 4_000
"""Characters of a form's field, as many as Discord takes."""
_NUMBER = re.compile(r"~(\d{1,10})\s*$")
LONGEST_TIME = 20
LONGEST_OWN_NAME = 80
"""Characters of a digest's name."""


class Then(Protocol):
    """Makes the reply to a form that was kept; ``problem`` says what of it was not."""

    def __call__(self, *, problem: str = "") -> Awaitable[ui.LayoutView | Reply]: ...


@dataclass(frozen=True, slots=True)
class PeopleTyped:
    """The people meant by a form's lines, and what to say of the lines that mean nobody or several."""

    numbers: tuple[int, ...]
    problem: str

    @property
    def stored(self) -> str:
        """As a digest keeps them."""
        return " ".join(map(str, self.numbers))


class DigestForm(CheckedModal):
    """A form whose failures are answered like everything else's."""

    def __init__(self, services: Services, digest: Digest, title: str, kind: str, then: Then) -> None:
        super().__init__(title=title, custom_id=f"{kind}:{digest.id}")
        self._services, self._digest, self._then = services, digest, then
        self.fields: dict[str, ui.TextInput[Any]] = {}

    def ask(self, **fields: ui.TextInput[Any]) -> None:
        """Add fields."""
        self.fields = fields
        for name, field in fields.items():
            field.custom_id = name
            self.add_item(field)

    async def on_submit(self, interaction: discord.Interaction) -> None:
        """Keep it."""
        take(interaction)
        values = {name: field.value.strip() for name, field in self.fields.items()}
        await answer(interaction, self._checked(interaction, values), private=True, cost=self.cost(values))

    def cost(self, values: dict[str, str]) -> Cost:
        """What the answer costs."""
        return ASK

    async def on_error(  # type: ignore[override]  # discord.py calls it without an item for forms
        self, interaction: discord.Interaction, error: Exception
    ) -> None:
        """The one door for failures; the form stays open to be sent once more."""
        await apologise(interaction, error)

    async def _checked(
        self, interaction: discord.Interaction, values: dict[str, str]
    ) -> ui.LayoutView | Reply:
        self._digest = await own_digest(interaction, self._services, self._digest.id)  # as it is by now
        return await self.kept(values)

    async def kept(self, values: dict[str, str]) -> ui.LayoutView | Reply:
        """Use the values."""
        raise AssertionError("a form without a purpose")


class Words(DigestForm):
    """The words and people of a digest."""

    def __init__(self, services: Services, digest: Digest, people: str, then: Then) -> None:
        super().__init__(services, digest, "Which papers?", "dgm", then)
        self.ask(
            query=_long("Description in plain words", digest.query, LONGEST_DESCRIPTION),
            people=_long("Papers by these people (one per line)", people, LONGEST),
            require=_long("Needs one of these words (one per line)", digest.require, 500),
            exclude=_long("None of these words (one per line)", digest.exclude, 500),
        )

    async def kept(self, values: dict[str, str]) -> ui.LayoutView | Reply:
        people = await people_named(self._services, values.pop("people"))
        await self._services.store.digests.change(self._digest.id, **values, people=people.stored)
        return await self._then(problem=people.problem)


def _long(label: str, default: str, most: int) -> ui.TextInput[Any]:
    """An optional field of several lines."""
    return ui.TextInput(
        label=label, default=default[:most], max_length=most, required=False, style=discord.TextStyle.long
    )


class NameAndTime(DigestForm):
    """The name of a digest, and its exact time."""

    def __init__(self, services: Services, digest: Digest, then: Then) -> None:
        super().__init__(services, digest, "Name and time", "dgn", then)
        self.ask(
            name=ui.TextInput(
                label="Name", default=digest.name[:LONGEST_OWN_NAME], max_length=LONGEST_OWN_NAME
            ),
            at=time_field(digest),
            zone=ui.TextInput(
                label="Time zone, such as Europe/Berlin", default=zones.title(digest.zone)[:60], max_length=60
            ),
        )

    async def kept(self, values: dict[str, str]) -> ui.LayoutView | Reply:
        read, problem = time_and_zone(self._digest, values)
        name = values["name"][:LONGEST_OWN_NAME] or "New papers"
        await self._services.store.digests.change(self._digest.id, name=name, **read)
        return await self._then(problem=problem)


def time_field(digest: Digest) -> ui.TextInput[Any]:
    """A form's field for the time of day."""
    return ui.TextInput(label="Time, such as 08:30 or 9:30 pm", default=digest.at, max_length=LONGEST_TIME)


def time_and_zone(digest: Digest, values: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """What a form gives of ``at`` and ``zone`` that can be read, and what to say of the rest.

    One that posts already takes both or neither: a new time in the old zone would be another hour.
    """
    read: dict[str, str] = {}
    problems: list[str] = []
    same = digest.zone and values["zone"].strip() == zones.title(digest.zone)
    for name, typed in (("at", _time_typed), ("zone", zone_typed)):
        try:
            read[name] = digest.zone if name == "zone" and same else typed(values[name])
        except UserError as error:
            problems.append(str(error))
    new = {name: value for name, value in read.items() if value != getattr(digest, name)}
    if problems and new and digest.state != "draft":
        return {}, "\n".join([*problems, both_left(new)])
    return read, "\n".join(problems)


def _time_typed(text: str) -> str:
    """The time of day that somebody typed, as ``HH:MM``.

    Raises
    ------
    UserError
        Where it can't be read.
    """
    at = time_named(text)
    if at is None:
        raise UserError(no_such_time(text))
    return at


def zone_typed(text: str) -> str:
    """The time zone that somebody typed.

    Raises
    ------
    UserError
        Where there is none of that name.
    """
    zone = zones.named(text)
    if zone is None:
        raise UserError(no_such_zone(text))
    return zone


async def written(services: Services, digest: Digest) -> str:
    """A digest's people as a form shows them: name and number, one per line."""
    known = await services.store.people.find_all(digest.person_numbers)
    return "\n".join(dict.fromkeys(map(_written, known.values())))


def _written(person: Person) -> str:
    return f"{person.name[:LONGEST_NAME].strip()} ~{person.id}"


async def people_named(services: Services, text: str) -> PeopleTyped:
    """The people meant by lines of names, or of names with numbers."""
    numbers: list[int] = []
    unknown: list[str] = []
    others: list[str] = []
    several: dict[str, Sequence[int]] = {}
    named: dict[str, None] = {}
    for line in lines(text):
        if len(named) <= MOST_PEOPLE:  # one more tells that there are too many
            named |= dict.fromkeys(await _names(services, line))
    for name in list(named)[:MOST_PEOPLE]:
        if _NUMBER.search(name):
            person = await _numbered(services, name)
            if person is None:
                others.append(_NUMBER.sub("", name).strip())
            else:
                numbers.append(person)
            continue
        meant = await whom(services, name)
        if meant.person is not None:
            numbers.append(meant.person.id)
        elif meant.others:
            several[name] = meant.others
        else:
            unknown.append(name)
    told = [
        several_people(line, await outlined(services, same[:NAMESAKES_SHOWN]), len(same))
        for line, same in list(several.items())[:MOST_ASKED]
    ]
    problems = [
        nobody(unknown) if unknown else "",
        other_numbers(others) if others else "",
        *told,
        more_namesakes(list(several)[MOST_ASKED:]) if len(several) > MOST_ASKED else "",
        too_many_people(MOST_PEOPLE) if len(named) > MOST_PEOPLE else "",
    ]
    return PeopleTyped(tuple(dict.fromkeys(numbers)), "\n".join(filter(None, problems)))


async def _names(services: Services, line: str) -> list[str]:
    """The names of a line: one ("Lin, Jimmy", if that is somebody), or those between its commas."""
    parts = [part for part in map(str.strip, re.split(r"[,;]", line)) if part]
    if len(parts) > 1 and (number := _NUMBER.search(line)):
        known = await services.store.people.find(int(number[1]))
        if known is not None and _written(known) == line.strip():  # "Martin King, Jr., M.D. ~12"
            return [line]
    if len(parts) == 2 and not _NUMBER.search(parts[0]):
        meant = await whom(services, _NUMBER.sub("", line))
        if meant.person is not None or meant.others:
            return [line]
    return parts


async def _numbered(services: Services, name: str) -> int | None:
    """The person of a number, if they publish under a name like the one before it; None for anybody else."""
    try:
        meant = await whom(services, name)
    except UserError:  # the number is nobody's any more, or somebody else's
        return None
    return meant.person.id if meant.person else None
