"""`/person`: what was corrected about a person, by whom, undoing it, and letting it hold for everybody."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.corrections import claim_line, correction_line
from commands.cards.lists import note
from commands.cards.text import shown
from commands.kit.authority import (
    WHO_MAY,
    by,
    is_operator,
    manages_server,
    may_correct_somebody,
    may_undo,
    wider_scope,
)
from commands.kit.installs import with_labmate
from commands.kit.links import Press, button, link
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.which_person import ask_which, complete_person, refuse_several, whom
from commands.people.corrections import same, show_papers, take_typed
from data.stores.corrections import Correction
from data.stores.people import Person
from index.trust.corrections import Refused, promote, take_back

CHOOSE = "person.choose_card"


@button("correction.undo", "ku:{correction}")
async def open_undo(press: Press, correction: int) -> None:
    """Take a correction back."""
    await answer(press.interaction, undo(press.interaction, press.services, correction), private=True)


@button("correction.widen", "kg:{correction}")
async def open_widen(press: Press, correction: int) -> None:
    """Let a server's correction hold for everybody; for the operator and the person it is about."""
    await answer(press.interaction, widen(press.interaction, press.services, correction), private=True)


async def undo(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """Take a correction back."""
    correction = await services.store.corrections.find(number)
    if correction is None:
        raise UserError("I don't know this correction.")
    if not await may_undo(interaction, correction):
        if not correction.is_local:
            raise UserError(
                "This holds for everybody; only its author or the person who runs this Labmate can undo it."
            )
        if not manages_server(interaction):
            raise UserError(WHO_MAY)
        raise UserError("This was corrected in another server; it can be undone there.")
    if not await take_back(services.everywhere.store, correction, by=by(interaction)):
        raise UserError("This correction was undone already.")
    await services.everywhere.insight.refresh()
    return note(await _undone(services.everywhere, correction))


async def _undone(services: Services, correction: Correction) -> str:
    """What holds again after a correction was taken back."""
    papers = await services.store.papers([correction.paper_id]) if correction.kind == "apart" else []
    if not papers:
        return f"Undone: {shown(correction.note, 200)}"
    whose = await services.store.people.whose(correction.ends[:1])
    person = await services.store.people.find(whose.get(correction.ends[0], 0))
    again = f"this {shown(person.name, 80)}'s" if person else "the same person's"
    return f"Undone. “{shown(papers[0].title, 120)}” counts as {again} again."


async def widen(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """Let a server's correction hold for all."""
    correction = await services.store.corrections.find(number)
    scope = await wider_scope(interaction, services, correction) if correction else None
    if correction is None or scope is None:
        raise UserError(
            "Only the person who runs this Labmate, or the person it is about once they have proven who they "
            "are, can let a server's correction hold for everybody, while it is in force."
        )
    try:
        await promote(services.everywhere.store, correction, scope)
    except Refused as error:
        raise UserError(str(error)) from error
    await services.everywhere.insight.refresh()
    undo_it = [link("correction.undo", "Undo", correction=correction.id)]
    return note(f"This now holds for everybody: {shown(correction.note, 200)}", [undo_it])


async def show_history(interaction: discord.Interaction, services: Services, person: Person) -> ui.LayoutView:
    """Who corrected what about a person, and when: for everybody, and in this server."""
    place, also = services.place, services.store.people.said_of(person.id)
    history = await services.store.corrections.history(person.id, place.guild, place.member, also=also)
    name = shown(person.name, 80)
    claims = [entry for entry in await services.store.claims.history(person.id) if entry.state != "open"]
    if not history and not claims:
        return note(f"## {name}\nNobody here has corrected anything about this person or claimed them.")
    lines = [f"## {name}"]
    if history:
        lines += ["**Corrections**", *(correction_line(correction) for correction in history[:15])]
    if claims:
        manages = interaction.guild_id if manages_server(interaction) else None
        operator = await is_operator(interaction)
        lines.append("**Claims**")
        for claim in claims[:10]:
            theirs = claim.guild is not None and claim.guild == manages
            lines.append(claim_line(claim, theirs or operator))
    standing = [c for c in history if c.undone is None]
    undoing: list[ui.Item[Any]] = [
        link("correction.undo", f"Undo {c.id}", correction=c.id)
        for c in standing
        if await may_undo(interaction, c)
    ]
    widening: list[ui.Item[Any]] = [
        link("correction.widen", f"{c.id} for everybody", correction=c.id)
        for c in standing[:10]
        if await wider_scope(interaction, services, c) is not None
    ]
    return note("\n".join(lines), [row for row in (undoing[:5], widening[:5]) if row])


@with_labmate
class PersonGroup(commands.GroupCog, group_name="person", group_description="Who is who"):
    """Corrections of who is who."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    @app_commands.command()
    @app_commands.describe(name="The person's name")
    @app_commands.autocomplete(name=complete_person)
    async def history(self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200]) -> None:
        """Show what was corrected about a person and by whom, and undo it"""
        await answer(interaction, self._history(interaction, name), private=True)

    async def _history(self, interaction: discord.Interaction, name: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        match = await whom(services, name)
        if match.person is None:
            return await ask_which(services, match, CHOOSE)
        return await show_history(interaction, services, match.person)

    @app_commands.command()
    @app_commands.describe(name="One entry of the person", other="The other entry of the same person")
    @app_commands.autocomplete(name=complete_person, other=complete_person)
    async def same(
        self,
        interaction: discord.Interaction,
        name: app_commands.Range[str, 1, 200],
        other: app_commands.Range[str, 1, 200],
    ) -> None:
        """Say that two entries are the same person"""
        await answer(interaction, self._same(interaction, name, other), private=True)

    async def _same(self, interaction: discord.Interaction, name: str, other: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        if not await may_correct_somebody(interaction, services):
            raise UserError(WHO_MAY)
        people = []
        for typed in (name, other):
            match = await whom(services, typed)
            if match.person is None:
                refuse_several(match)
                return await ask_which(services, match, CHOOSE)
            people.append(match.person.id)
        return await same(interaction, services, people[0], people[1])

    @app_commands.command()
    @app_commands.describe(
        name="The person", paper="The paper that isn't theirs: a title or part of one, an id or a link"
    )
    @app_commands.autocomplete(name=complete_person)
    async def split(
        self,
        interaction: discord.Interaction,
        name: app_commands.Range[str, 1, 200],
        paper: app_commands.Range[str, 1, 500] | None = None,
    ) -> None:
        """Say that a paper is not this person's"""
        await answer(interaction, self._split(interaction, name, paper), private=True)

    async def _split(self, interaction: discord.Interaction, name: str, paper: str | None) -> ui.LayoutView:
        services = await seen_by(interaction)
        if not await may_correct_somebody(interaction, services):
            raise UserError(WHO_MAY)
        match = await whom(services, name)
        if match.person is None:
            return await ask_which(services, match, CHOOSE)
        if paper is not None:
            return await take_typed(interaction, services, match.person.id, paper)
        return await show_papers(interaction, services, match.person.id)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(PersonGroup(services))
