"""Which person a name means: one clear best at once, else a select whose lines tell people apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import discord
from discord import app_commands, ui

from commands.cards.lists import note
from commands.cards.people import Outline, outline_option, outlines
from commands.cards.text import plural, safe, shorten
from commands.options import CHOICES, MAX_OPTION
from commands.pressing import services_of
from commands.replies import Kindly
from commands.services import Services
from data.people import Person

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
            raise Kindly("I no longer know this person. Try again with the name.")
        return Whom(person.name, person)
    known = services.library.names.get(text)
    author = await services.store.author_id(known.key) if known else await services.store.find_author(text)
    if author is None:
        return Whom(text, None)
    found = await services.store.people.named([author])
    if not found:
        return Whom(text, None)
    clear = len(found) == 1 or (found[0][1] >= CLEAR_LEAST and found[0][1] >= CLEAR * found[1][1])
    person = await services.store.people.find(found[0][0]) if clear else None
    return Whom(text, person, tuple(number for number, _ in found if person is None or number != person.id))


async def outline(services: Services, number: int) -> Outline | None:
    """What tells a person from others of the name, in a line."""
    person = await services.store.people.find(number)
    if person is None:
        return None
    insight = services.insight
    papers = insight.people.papers(number) if insight.people else ()
    topics = insight.topics.of(papers, 2) if insight.topics else []
    closest = insight.people.coauthors(number, 1) if insight.people else []
    facts = await services.facts.of_person(number)
    return Outline(
        person,
        tuple(topic.phrase for topic in topics),
        closest[0].name if closest else None,
        facts.affiliation if facts else None,
    )


async def choice(
    services: Services, found: Whom, select: ui.Item[ui.LayoutView] | None = None
) -> ui.LayoutView:
    """Ask which of several people is meant; ``select`` holds the options of :func:`options`."""
    shown = [o for number in found.others[:SHOWN] if (o := await outline(services, number))]
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
    found = [o for number in people[:CHOICES] if (o := await outline(services, number))]
    return [outline_option(o) for o in found]


async def complete_person(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Names while typing; where one name is several people, each of them."""
    services = services_of(interaction)
    names = services.library.names.complete(current[:MAX_OPTION], CHOICES)
    choices: list[app_commands.Choice[str]] = []
    for place, name in enumerate(names):
        if place == 0 and services.insight.people is not None:
            author = await services.store.author_id(name.key)
            people = await services.store.people.named([author]) if author is not None else []
            if len(people) > 1:
                for number, _ in people[:5]:
                    shown = await outline(services, number)
                    if shown:
                        choices.append(app_commands.Choice(name=shown.line[:MAX_OPTION], value=f"~{number}"))
        count = f" ({plural(name.papers, 'paper')})"
        choices.append(
            app_commands.Choice(
                name=name.name[: MAX_OPTION - len(count)] + count, value=name.name[:MAX_OPTION]
            )
        )
    return choices[:CHOICES]
