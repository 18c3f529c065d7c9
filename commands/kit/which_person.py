"""Which person a name means: one clear best at once, else a select whose lines tell people apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import discord
from discord import app_commands, ui

from commands.cards.lists import note
from commands.cards.people import Outline, outline_option, outlines
from commands.cards.text import plural, safe, shorten
from commands.kit.components import seen_by
from commands.kit.options import CHOICES, MAX_OPTION
from commands.kit.replies import UserError
from commands.kit.services import Services
from data.keys import name_key
from data.stores.people import Person

CLEAR = 4
"""A person with this many times the papers of the next one is meant, unless somebody says otherwise."""
CLEAR_LEAST = 5
SHOWN = 10


@dataclass(frozen=True, slots=True)
class Whom:
    """Who was found for a name: the person meant, if that is clear, and everybody else of that name."""

    typed: str
    person: Person | None
    others: tuple[int, ...] = ()


async def whom(services: Services, typed: str) -> Whom:
    """The people that a name, or a choice offered while typing (``~12``), can mean."""
    await services.wait_for_people()
    text = typed.strip()
    if text.startswith("~") and text[1:].isdigit() and len(text) < 12:
        person = await services.store.people.find(int(text[1:]))
        if person is None:
            raise UserError("I no longer know this person. Try again with the name.")
        return Whom(person.name, person)
    known = services.corpus.names.get(text)
    author = (
        await services.store.author_names.number(known.key)
        if known
        else await services.store.author_names.find(text)
    )
    if author is None:
        return Whom(text, None)
    found = await services.store.people.named([author])
    if not found:
        return Whom(text, None)
    clear = len(found) == 1 or (found[0][1] >= CLEAR_LEAST and found[0][1] >= CLEAR * found[1][1])
    person = await services.store.people.find(found[0][0]) if clear else None
    return Whom(text, person, tuple(number for number, _ in found if person is None or number != person.id))


async def outlined(services: Services, people: Sequence[int]) -> list[Outline]:
    """What tells people from others of the name, each in a line."""
    known = await services.store.people.find_all(people)
    facts = await services.facts.of_people(people)
    insight = services.insight
    lines = []
    for number in people:
        if number not in known:
            continue
        papers = insight.people.papers(number) if insight.people else ()
        topics = insight.topics.of(papers, 2) if insight.topics else []
        closest = insight.people.coauthors(number, 1) if insight.people else []
        lines.append(
            Outline(
                known[number],
                tuple(topic.phrase for topic in topics),
                closest[0].name if closest else None,
                facts[number].affiliation if number in facts else None,
            )
        )
    return lines


def choice(
    services: Services, found: Whom, people: Sequence[Outline], select: ui.Item[ui.LayoutView] | None = None
) -> ui.LayoutView:
    """Ask which of several people is meant; ``select`` offers them all."""
    shown = people[:SHOWN]
    name = safe(shorten(" ".join(found.typed.split()), 80))
    why = _why_apart(services, found.others)
    more = len(found.others) - len(shown)
    lines = [
        f"## Which {name}?",
        f"{plural(len(found.others), 'person', 'people')} print this name.{why}",
        *outlines(shown),
        *([f"-# … and {more:,} more with fewer papers; the select offers {CHOICES}."] if more > 0 else []),
    ]
    return note("\n".join(lines), [[select]] if select else [])


def _why_apart(services: Services, people: Sequence[int]) -> str:
    """Why the two with most papers are two."""
    insight = services.insight
    if insight.people is None or len(people) < 2:
        return ""
    first, second = people[:2]
    mine = {coauthor.person for coauthor in insight.people.coauthors(first)}
    theirs = {coauthor.person for coauthor in insight.people.coauthors(second)}
    topics = (
        insight.topics.shared(insight.people.papers(first).tolist(), insight.people.papers(second).tolist())
        if insight.topics
        else []
    )
    said = [] if mine & theirs else ["no coauthor"]
    said += [] if topics else ["no topic"]
    if not said:
        return ""
    subject = "The two have" if len(people) == 2 else "The first two have"
    return f" {subject} {' and '.join(said)} in common."


async def options(services: Services, people: Sequence[int]) -> list[discord.SelectOption]:
    """A line for each person, by which they can be told apart."""
    return [outline_option(line) for line in await outlined(services, people[:CHOICES])]


async def complete_person(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Names while typing; where a name is typed out and is several people's, each of them."""
    services = await seen_by(interaction)
    names = services.corpus.names.complete(current[:MAX_OPTION], CHOICES)
    choices: list[app_commands.Choice[str]] = []
    for place, name in enumerate(names):
        if place == 0 and services.insight.people is not None and name.key == name_key(current):
            author = await services.store.author_names.number(name.key)
            people = await services.store.people.named([author]) if author is not None else []
            if len(people) > 1:
                for shown in await outlined(services, [number for number, _ in people[:5]]):
                    choices.append(
                        app_commands.Choice(name=shown.line[:MAX_OPTION], value=f"~{shown.person.id}")
                    )
        count = f" ({plural(name.papers, 'paper')})"
        choices.append(
            app_commands.Choice(
                name=name.name[: MAX_OPTION - len(count)] + count, value=name.name[:MAX_OPTION]
            )
        )
    return choices[:CHOICES]
