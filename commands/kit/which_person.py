"""Which person a name means: one clear best at once, else a select whose lines tell people apart."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands, ui

from commands.cards.lists import note
from commands.cards.people import Outline, outline_option, outlines, sharing_line
from commands.cards.text import label, plural, safe, shorten, shown
from commands.kit.links import choice, link
from commands.kit.options import CHOICES, MAX_OPTION, author_choice
from commands.kit.replies import UserError
from commands.kit.services import Services, seen_by
from data.keys import name_key
from data.stores.people import Person
from index.people.people import PeopleIndex
from index.people.person_match import OtherPerson, PersonMatch, match_person, nothing_in_common, sharing
from index.search.names import Name

SHOWN = 10
OFFERED = 5
CHOOSE_PAPERS = "person.choose_papers"
CHOOSE_PERSON = "Which person do you mean?"
GONE = "I no longer know this person. Try again with the name."
MY_NAME = "Type your own name as your papers print it; I don't know which person you are."
_MYSELF = frozenset(("me", "myself", "i"))


async def whom(services: Services, typed: str) -> PersonMatch:
    """The people that a name, a choice offered while typing (``~12``), or both can mean."""
    if typed.strip().casefold() in _MYSELF:
        raise UserError(MY_NAME)
    await services.wait_for_people()
    try:
        return await match_person(services.store, services.corpus.names, typed)
    except OtherPerson as error:
        raise UserError(
            f"The number {error.person.id} is that of {shown(error.person.name, 80)}, not of "
            f"{shown(error.typed, 80)}. Type the name without a number."
        ) from None
    except LookupError:
        raise UserError(GONE) from None


async def person_of(services: Services, number: int) -> Person:
    """The person with a store id.

    Raises
    ------
    UserError
        Where they do not exist (any more).
    """
    person = await services.store.people.find(number)
    if person is None:
        raise UserError(GONE)
    return person


async def name_of_one(services: Services, person: Person) -> str:
    """A name that means this very person: with their number where the name alone may mean another."""
    match = await match_person(services.store, services.corpus.names, person.name)
    is_meant = match.person is not None and match.person.id == person.id
    return person.name if is_meant else f"{person.name} ~{person.id}"


def refuse_several(match: PersonMatch) -> None:
    """Where a reply can't ask which person is meant, ask for the name anew.

    Raises
    ------
    UserError
        Where several people have the name.
    """
    if match.others and match.person is None:
        raise UserError(
            f"Several authors publish as “{shown(match.typed, 60)}”. Type the name in this command and "
            "choose one from the list that appears."
        )


async def ask_which(
    services: Services, match: PersonMatch, action: str, *, or_paper: bool = False, **ids: Any
) -> ui.LayoutView:
    """Ask which person of a name is meant, or offer the closest names where nobody has it.

    ``action``, such as ``person.choose_card``, is done with the answer, and with ``ids`` if it needs more.
    With ``or_paper`` the name could also be a paper's.
    """
    if match.others:
        return await _choose(services, match, action, **ids)
    if await services.store.author_names.find(match.typed) is not None:
        return note(
            f"I know papers by “{shown(match.typed, 80)}”, but haven't matched them to people yet. That "
            "happens after papers are read in; until then, /papers lists them by name."
        )
    return await unknown_name(services, match.typed, or_paper=or_paper)


async def others_of(services: Services, person: Person, typed: str, where: str) -> str:
    """A line on others who publish under a person's name, or the one typed for them; empty without any.

    ``where`` says what shows them, such as ``the menu lists them``.
    """
    shared = await sharing(services.store, services.corpus.names, person, typed)
    return sharing_line(shared, where) if shared else ""


async def with_others(
    services: Services, view: ui.LayoutView, match: PersonMatch, action: str, **ids: Any
) -> ui.LayoutView:
    """Below a reply about the person who was taken: who else publishes under the name, and a menu of them."""
    if match.person is None or not match.others:
        return view
    line = await others_of(services, match.person, match.typed, "the menu below lists them")
    name = label(f"Or another {' '.join(match.typed.split())}", 150)
    view.add_item(ui.TextDisplay(line))
    view.add_item(
        ui.ActionRow(choice(action, await options(services, match.others), placeholder=name, **ids))
    )
    return view


async def _choose(services: Services, match: PersonMatch, action: str, **ids: Any) -> ui.LayoutView:
    people = await outlined(services, match.others[:CHOICES])
    rows: list[list[ui.Item[Any]]] = [[choice(action, [outline_option(person) for person in people], **ids)]]
    author = await services.store.author_names.find(match.typed)
    view = note(_apart(services, match, people), rows)
    if action == CHOOSE_PAPERS and author is not None:
        view.add_item(ui.ActionRow(papers_under("All papers under this name", author)))
    return view


def _apart(services: Services, match: PersonMatch, people: Sequence[Outline]) -> str:
    """What tells several people of a name apart, as text."""
    name = safe(shorten(" ".join(match.typed.split()), 80))
    lines = [
        f"## Which {name}?",
        f"{_number(len(match.others))} authors publish under this name.{_why_apart(services, match.others)}",
        *outlines(people[:SHOWN]),
    ]
    if (more := len(match.others) - SHOWN) > 0:
        lists = f"the first {CHOICES}" if len(match.others) > CHOICES else "all"
        lines.append(f"-# … and {more:,} more; the menu lists {lists}.")
    return "\n".join(lines)


def _number(count: int) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
    return words[count] if count < len(words) else f"{count:,}"


def _why_apart(services: Services, people: Sequence[int]) -> str:
    """Why the two with most papers are two."""
    missing = nothing_in_common(services.insight, *people[:2]) if len(people) > 1 else []
    if not missing:
        return ""
    who = "They share" if len(people) == 2 else "The first two share"
    return f" {who} no {' and no '.join(missing)}."


def papers_under(text: str, author: int) -> ui.Item[Any]:
    """A button that lists the papers under a name as printed."""
    return link("papers.open", text, author=str(author), page=0, order="n", since="", category="")


async def papers_under_names(services: Services, names: Sequence[Name]) -> list[ui.Item[Any]]:
    """A button for each name, leading to its papers."""
    chosen = names[:OFFERED]
    ids = await services.store.author_names.numbers([name.key for name in chosen]) if chosen else {}
    return [
        link("papers.named", f"{label(name.name, 60)} ({name.papers:,})", author=ids[name.key])
        for name in chosen
        if name.key in ids
    ]


async def unknown_name(services: Services, typed: str, *, or_paper: bool = False) -> ui.LayoutView:
    """Nobody has that name: the closest ones as buttons."""
    name = safe(shorten(" ".join(typed.split()), 80))
    near = services.corpus.names.near(typed, OFFERED)
    said = await services.search.understand(typed) if not near else None
    if said is not None and said.people:  # a name and more: "Chelsea Finn on test-time compute"
        found = map(services.corpus.names.get, said.people[:OFFERED])
        near = [one for one in found if one is not None]
    subject = re.sub(r"^(?:on|about|in)\s+", "", said.text) if said is not None and near else ""
    buttons = await papers_under_names(services, near)
    if or_paper:
        nobody = f"I know no person or paper called “{name}”"
    else:
        nobody = (
            f"Nobody here publishes as {'' if len(typed.split()) > 1 or not buttons else 'just '}“{name}”"
        )
    if buttons:
        meant = shown(near[0].name, 80) if len(buttons) == 1 else "one of these"
        how = f"/search papers by {near[0].name} on {subject}"
        also = f"\n-# For papers on a subject: {shown(how, 160)}" if subject else ""
        return note(f"{nobody}. Did you mean {meant}?{also}", [buttons])
    known = plural(services.paper_count, "paper")
    return note(
        f"{nobody}, and I found no similar name among the authors of the {known} in this library. "
        "Check the spelling, or see /about for how to add papers."
    )


async def outlined(services: Services, people: Sequence[int]) -> list[Outline]:
    """What tells people from others of the name, each in a line."""
    index, topics = services.insight.people, services.insight.topics
    last, facts = await asyncio.gather(services.store.people.last_pass(), services.facts.of_people(people))
    # An index of the last pass knows what the database would have to look up paper by paper.
    indexed = index if index is not None and last is not None and index.number == last.id else None

    def of_those(known: dict[int, Person]) -> list[Outline]:
        told = [number for number in people if number in known]
        papers = [index.papers(number) if index else () for number in told]
        about = topics.of_each(papers, 2) if topics else [[] for _ in told]
        closest = index.closest_coauthors(told) if index else [None for _ in told]
        return [
            Outline(
                known[number],
                tuple(topic.phrase for topic in its),
                coauthor,
                facts[number].affiliation if number in facts else None,
            )
            for number, its, coauthor in zip(told, about, closest, strict=True)
        ]

    def from_index(index: PeopleIndex) -> tuple[dict[int, Person], list[Outline]]:
        known = {number: person for number in people if (person := index.person(number)) is not None}
        return known, of_those(known) if known.keys() >= set(people) else []

    known, told = await asyncio.to_thread(from_index, indexed) if indexed is not None else ({}, [])
    if missing := [number for number in people if number not in known]:
        known |= await services.store.people.find_all(missing)
        return await asyncio.to_thread(of_those, known)
    return told


async def options(services: Services, people: Sequence[int]) -> list[discord.SelectOption]:
    """A line for each person, by which they can be told apart."""
    return [outline_option(line) for line in await outlined(services, people[:CHOICES])]


async def complete_person(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Names while typing; where a name is typed out and is several people's, each of them."""
    services = await seen_by(interaction)
    names = services.corpus.names.complete(current[:MAX_OPTION], CHOICES)
    choices: list[app_commands.Choice[str]] = []
    if names and names[0].key == name_key(current) and services.insight.people is not None:
        choices += await _people_named(services, names[0])
    choices += [author_choice(name) for name in names]
    return choices[:CHOICES]


async def _people_named(services: Services, name: Name) -> list[app_commands.Choice[str]]:
    """The people who share a name, if several do."""
    author = await services.store.author_names.number(name.key)
    people = await services.store.people.named([author]) if author is not None else []
    if len(people) < 2:
        return []
    return [
        app_commands.Choice(name=line.line[:MAX_OPTION], value=f"~{line.person.id}")
        for line in await outlined(services, [number for number, _ in people[:OFFERED]])
    ]
