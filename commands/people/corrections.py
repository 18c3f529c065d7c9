"""Corrections of who is who, offered on cards: who else it could be, one person, not their paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.corrections import reason
from commands.cards.lists import note
from commands.cards.text import label, plural, shown
from commands.kit.authority import MAY_SAY, WHERE, WHO_MAY, scope_of, seen_with, wider_scope
from commands.kit.links import Press, button, choice, link, select
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import GONE, options, person_of
from commands.people.author import show_card
from data.keys import fold, name_key
from data.stores.people import Person
from data.stores.person_passes import Membership
from index.people.person_match import namesakes
from index.trust.corrections import Refused, join, move_out

CHOICES = 25


@button("correction.others", "k:n:{person}")
async def open_others(press: Press, person: int) -> None:
    """Show who else it could be, and what can be corrected."""
    work = show_others(press.interaction, press.services, person)
    await answer(press.interaction, work, private=True)


@select("correction.choose_other", "ko:{person}", "The person you meant", value=int)
async def choose_other(press: Press, other: int, person: int) -> None:
    """Show the card of another person of the name."""
    work = show_card(press.services, other, press.member, private=True)
    await answer(press.interaction, work, private=True)


@select("correction.choose_same", "ks:{person}", "The same person as …", value=int)
async def choose_same(press: Press, other: int, person: int) -> None:
    """Say that another person is the same one."""
    await answer(press.interaction, same(press.interaction, press.services, person, other), private=True)


@button("correction.papers", "k:p:{person}{page:page?}")
async def open_papers(press: Press, person: int, page: int | None) -> None:
    """Show a page of a person's papers, to say which is somebody else's."""
    work = show_papers(press.interaction, press.services, person, page or 0)
    await answer(press.interaction, work, private=True, update=page is not None)


@select("correction.choose_paper", "kp:{person}", "The paper that is not theirs", value=int)
async def choose_paper(press: Press, paper: int, person: int) -> None:
    """Say that a paper is somebody else's."""
    work = not_theirs(press.interaction, press.services, person, paper)
    await answer(press.interaction, work, private=True)


async def show_others(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """Who else it could be; for those who may, what can be corrected."""
    person = await person_of(services, number)
    scope = await scope_of(interaction, services, person.id)
    others = await namesakes(services.store, services.corpus.names, person)
    name = shown(person.name, 80)
    lines = [
        f"## Not the {name} you meant?",
        f"{plural(len(others), 'other author publishes', 'other authors publish')} under this name."
        if others
        else "I know no other author with this name.",
    ]
    rows: list[list[ui.Item[Any]]] = []
    if others:
        lines_of_others = await options(services, others)
        rows.append([choice("correction.choose_other", lines_of_others, person=person.id)])
    if scope is not None:
        lines.append(MAY_SAY[scope.authority])
        if others:
            rows.append([choice("correction.choose_same", lines_of_others, person=person.id)])
        rows.append([link("correction.papers", "A paper is not theirs", person=person.id)])
    else:
        lines.append(
            "-# Members who manage a server can correct who is who there; people who have proven who they "
            "are can correct their own papers."
        )
    return note("\n".join(lines), rows)


async def show_papers(
    interaction: discord.Interaction, services: Services, number: int, page: int = 0
) -> ui.LayoutView:
    """A page of a person's papers, the least certain first, to say which is somebody else's."""
    person, rows = await _to_split(interaction, services, number)
    page = min(page, max(len(rows) - 1, 0) // CHOICES)
    start = page * CHOICES
    here = rows[start : start + CHOICES]
    turns: list[ui.Item[Any]] = []
    if page:
        turns.append(link("correction.papers", "Back", person=person.id, page=page - 1))
    if start + CHOICES < len(rows):
        turns.append(link("correction.papers", "Next", person=person.id, page=page + 1))
    place = f"\n-# {start + 1} to {start + len(here)} of {len(rows)}" if turns else ""
    told = f"The ones I'm least sure of come first.{place}"
    return note(
        f"## Which paper isn't {shown(person.name, 80)}'s?\n{told}",
        [[await _choice_of(services, person, here)], turns],
    )


async def take_typed(
    interaction: discord.Interaction, services: Services, number: int, typed: str
) -> ui.LayoutView:
    """Take the paper that was typed from a person; of several that are meant, offer which."""
    person, rows = await _to_split(interaction, services, number)
    papers = await services.store.papers([row.paper_id for row in rows])
    wanted = fold(typed)
    meant = {paper.id for paper in papers if fold(paper.title) == wanted}
    if not meant:
        meant = {paper.id for paper in papers if wanted in fold(paper.title)}
        meant |= set(await services.search.resolve(typed)) & {paper.id for paper in papers}
    if not meant:
        raise UserError(
            f"{shown(person.name, 80)} has no paper like “{shown(typed, 80)}” here. Leave out paper: "
            "to see all of them."
        )
    if len(meant) == 1:
        return await not_theirs(interaction, services, person.id, meant.pop())
    length = {paper.id: len(paper.title) for paper in papers}
    chosen = sorted((row for row in rows if row.paper_id in meant), key=lambda row: length[row.paper_id])
    more = len(chosen) - CHOICES
    rest = f"\n-# {more} more match; type more of the title." if more > 0 else ""
    return note(
        f"## Which paper isn't {shown(person.name, 80)}'s?\nSeveral match what you typed.{rest}",
        [[await _choice_of(services, person, chosen[:CHOICES])]],
    )


async def _to_split(
    interaction: discord.Interaction, services: Services, number: int
) -> tuple[Person, list[Membership]]:
    """A person that the member may correct, with their papers, least certain first."""
    person = await person_of(services, number)
    if await scope_of(interaction, services, person.id) is None:
        raise UserError(WHO_MAY)
    memberships = await services.store.people.memberships(person.id)
    return person, sorted(memberships, key=lambda row: row.confidence)


async def _choice_of(services: Services, person: Person, rows: Sequence[Membership]) -> ui.Item[Any]:
    """A menu of papers, each with why it counts as the person's."""
    ids = {row.paper_id for row in rows} | {row.support for row in rows if row.support is not None}
    papers = {paper.id: paper for paper in await services.store.papers(sorted(ids))}
    own = {name_key(form) for form in person.forms}
    choices = [
        discord.SelectOption(
            label=label(papers[row.paper_id].title, 100),
            value=str(row.paper_id),
            description=label(
                f"{row.confidence:.0%} sure · "
                f"{reason(papers[row.paper_id], papers.get(row.support or 0), own)}",
                100,
            ),
        )
        for row in rows
        if row.paper_id in papers
    ]
    return choice("correction.choose_paper", choices, person=person.id)


async def same(interaction: discord.Interaction, services: Services, one: int, other: int) -> ui.LayoutView:
    """Join two people."""
    scope = await scope_of(interaction, services, one, other)
    if scope is None:
        raise UserError(WHO_MAY)
    if scope.authority == "holder" and await scope_of(interaction, services, one) != scope:
        one, other = other, one
    store = seen_with(services, scope)
    people = await store.people.find_all([one, other])
    if one not in people or other not in people:
        raise UserError("I no longer know one of these people. Try again with the names.")
    first, second = people[one], people[other]
    try:
        number = await join(store, first, second, scope)
    except Refused as error:
        raise UserError(str(error)) from error
    await services.everywhere.insight.refresh()
    names = f"**{shown(first.name, 80)}** and **{shown(second.name, 80)}**"
    return await done(
        interaction, services, f"{names} are now one person {WHERE[scope.is_local]}.", number, first.id
    )


async def not_theirs(
    interaction: discord.Interaction, services: Services, number: int, paper: int
) -> ui.LayoutView:
    """Take a paper from a person."""
    scope = await scope_of(interaction, services, number)
    if scope is None:
        raise UserError(WHO_MAY)
    store = seen_with(services, scope)
    person = await store.people.find(number)
    if person is None:
        raise UserError(GONE)
    try:
        made = await move_out(store, person, paper, scope)
    except Refused as error:
        raise UserError(str(error)) from error
    await services.everywhere.insight.refresh()
    [found] = await services.store.papers([paper])
    where = "In this server" if scope.is_local else "In every server"
    name = shown(person.name, 80)
    said = f"{where}, “{shown(found.title, 120)}” now counts as the work of a different {name}."
    return await done(interaction, services, said, made, person.id)


async def done(
    interaction: discord.Interaction, services: Services, text: str, number: int, person: int
) -> ui.LayoutView:
    """Say what was corrected, and offer to undo it."""
    correction = await services.store.corrections.find(number)
    buttons: list[ui.Item[Any]] = [
        link("correction.undo", "Undo", correction=number),
        link("person.card", "Card", person=person),
    ]
    if correction and await wider_scope(interaction, services, correction) is not None:
        buttons.append(link("correction.widen", "Apply in every server", correction=number))
    return note(f"{text} New papers won't change this; you can undo it.", [buttons])
