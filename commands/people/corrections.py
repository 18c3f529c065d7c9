"""`/person`, and what cards offer: corrections of who is who, for a server or for all."""

from __future__ import annotations

from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.corrections import claim_line, correction_line, reason
from commands.cards.lists import note
from commands.cards.text import label, plural, shown
from commands.kit.authority import (
    MAY_SAY,
    WHERE,
    WHO_MAY,
    by,
    is_operator,
    manages_server,
    may_undo,
    scope_of,
    seen_with,
    wider_scope,
)
from commands.kit.components import Choosable, Pressable, seen_by
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import complete_person, options, whom
from commands.people.author import PersonButton, ask_which
from data.keys import name_key
from data.stores.people import Person
from index.trust.corrections import Refused, join, move_out, promote, take_back

CHOICES = 25


class CorrectButton(Pressable, template=r"k:(?P<what>[np]):(?P<person>\d{1,10})"):
    """Others of the name and what can be corrected (n); the papers, to say which is not theirs (p)."""

    def __init__(self, text: str, *, what: str, person: str) -> None:
        self.what, self.person = what, int(person)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"k:{what}:{self.person}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = show_others if self.what == "n" else show_papers
        await answer(interaction, work(interaction, services, self.person), private=True)


class OthersSelect(Choosable, template=r"ko:(?P<person>\d{1,10})"):
    """Leads to the card of another person of the name."""

    def __init__(self, choices: list[discord.SelectOption], *, person: str) -> None:
        self.person = person
        super().__init__(
            ui.Select(
                custom_id=f"ko:{person}",
                placeholder="Whom you meant",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        from commands.people.author import show_card

        number = int(value) if value.isdigit() and len(value) < 11 else 0
        card = show_card(services, number, interaction.user.id, private=True)
        await answer(interaction, card, private=True)


class SamePersonSelect(Choosable, template=r"ks:(?P<person>\d{1,10})"):
    """Says that another person is the same one."""

    def __init__(self, choices: list[discord.SelectOption], *, person: str) -> None:
        self.person = int(person)
        super().__init__(
            ui.Select(
                custom_id=f"ks:{person}",
                placeholder="The same person as …",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        number = int(value) if value.isdigit() and len(value) < 11 else 0
        await answer(interaction, same(interaction, services, self.person, number), private=True)


class NotTheirsSelect(Choosable, template=r"kp:(?P<person>\d{1,10})"):
    """Says that a paper is somebody else's."""

    def __init__(self, choices: list[discord.SelectOption], *, person: str) -> None:
        self.person = int(person)
        super().__init__(
            ui.Select(
                custom_id=f"kp:{person}",
                placeholder="The paper that is not theirs",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        number = int(value) if value.isdigit() and len(value) < 13 else 0
        await answer(interaction, not_theirs(interaction, services, self.person, number), private=True)


class UndoButton(Pressable, template=r"ku:(?P<correction>\d{1,12})"):
    """Takes a correction back."""

    def __init__(self, text: str, *, correction: str) -> None:
        self.correction = int(correction)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"ku:{self.correction}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, undo(interaction, services, self.correction), private=True)


class PromoteButton(Pressable, template=r"kg:(?P<correction>\d{1,12})"):
    """Lets a server's correction hold for all; only the operator, and whom it is about, see and use it."""

    def __init__(self, text: str, *, correction: str) -> None:
        self.correction = int(correction)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"kg:{self.correction}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(interaction, widen(interaction, services, self.correction), private=True)


async def _person(services: Services, number: int) -> Person:
    person = await services.store.people.find(number)
    if person is None:
        raise UserError("I no longer know this person. Try again with the name.")
    return person


async def _namesakes(services: Services, person: Person) -> list[int]:
    """Other people who print one of the names, or one that could be the same."""
    rows = await services.store.people.memberships(person.id)
    authors = {row.author_id for row in rows}
    near = [name for form in person.forms for name in services.corpus.names.others(form)]
    authors |= set((await services.store.author_names.numbers([name.key for name in near])).values())
    return [number for number, _ in await services.store.people.named(list(authors)) if number != person.id]


async def show_others(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """Who else it could be; for those who may, what can be corrected."""
    person = await _person(services, number)
    scope = await scope_of(interaction, services, person.id)
    others = await _namesakes(services, person)
    name = shown(person.name, 80)
    lines = [
        f"## Not the {name} you meant?",
        f"{plural(len(others), 'other person', 'other people')} could be meant by this name."
        if others
        else "I know nobody else of this name.",
    ]
    rows: list[list[ui.Item[Any]]] = []
    if others:
        lines_of_others = await options(services, others)
        rows.append([OthersSelect(lines_of_others, person=str(person.id))])
    if scope is not None:
        lines.append(MAY_SAY[scope.authority])
        if others:
            rows.append([SamePersonSelect(lines_of_others, person=str(person.id))])
        rows.append([CorrectButton("A paper is not theirs", what="p", person=str(person.id))])
    else:
        lines.append(
            "-# Those who manage a server can correct who is who there; proven people correct their own papers."
        )
    return note("\n".join(lines), rows)


async def show_papers(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """A person's papers, those least surely theirs first, to say which is not."""
    person = await _person(services, number)
    if await scope_of(interaction, services, person.id) is None:
        raise UserError(WHO_MAY)
    rows = sorted(await services.store.people.memberships(person.id), key=lambda row: row.confidence)[
        :CHOICES
    ]
    ids = {row.paper_id for row in rows} | {row.support for row in rows if row.support is not None}
    papers = {paper.id: paper for paper in await services.store.papers(sorted(ids))}
    own = {name_key(form) for form in person.forms}
    choices = [
        discord.SelectOption(
            label=label(papers[row.paper_id].title, 100),
            value=str(row.paper_id),
            description=label(
                f"{row.confidence:.0%} sure · {reason(papers[row.paper_id], papers.get(row.support or 0), own)}",
                100,
            ),
        )
        for row in rows
        if row.paper_id in papers
    ]
    return note(
        f"## Which paper is not {shown(person.name, 80)}'s?\nThose that I am least sure of come first.",
        [[NotTheirsSelect(choices, person=str(person.id))]],
    )


async def same(interaction: discord.Interaction, services: Services, one: int, other: int) -> ui.LayoutView:
    """Join two people."""
    scope = await scope_of(interaction, services, one, other)
    if scope is None:
        raise UserError(WHO_MAY)
    if scope.authority == "holder" and await scope_of(interaction, services, one) != scope:
        one, other = other, one
    store = seen_with(services, scope)
    found = await store.people.find_all([one, other])
    if one not in found or other not in found:
        raise UserError("I no longer know one of these people. Try again with the names.")
    first, second = found[one], found[other]
    try:
        number = await join(store, first, second, scope)
    except Refused as error:
        raise UserError(str(error)) from error
    await services.everywhere.insight.refresh()
    names = f"**{shown(first.name, 80)}** and **{shown(second.name, 80)}**"
    return await _done(
        interaction, services, f"{names} are one person {WHERE[scope.is_local]} now.", number, first.id
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
        raise UserError("I no longer know this person. Try again with the name.")
    try:
        made = await move_out(store, person, paper, scope)
    except Refused as error:
        raise UserError(str(error)) from error
    await services.everywhere.insight.refresh()
    [found] = await services.store.papers([paper])
    said = f"“{shown(found.title, 120)}” is another {shown(person.name, 80)}'s {WHERE[scope.is_local]} now."
    return await _done(interaction, services, said, made, person.id)


async def _done(
    interaction: discord.Interaction, services: Services, text: str, number: int, person: int
) -> ui.LayoutView:
    correction = await services.store.corrections.find(number)
    buttons: list[ui.Item[Any]] = [
        UndoButton("Undo", correction=str(number)),
        PersonButton("Card", what="a", person=str(person)),
    ]
    if correction and await wider_scope(interaction, services, correction) is not None:
        buttons.append(PromoteButton("For everybody", correction=str(number)))
    return note(f"{text} It stays so when papers come in, and can be taken back.", [buttons])


async def undo(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """Take a correction back."""
    correction = await services.store.corrections.find(number)
    if correction is None:
        raise UserError("I know of no such correction.")
    if not await may_undo(interaction, correction):
        if not correction.is_local:
            raise UserError(
                "This holds for everybody; whoever said it, or runs this Labmate, can take it back."
            )
        if not manages_server(interaction):
            raise UserError(WHO_MAY)
        raise UserError("This was said in another server; it can be taken back there.")
    if not await take_back(services.everywhere.store, correction, by=by(interaction)):
        raise UserError("This correction was taken back already.")
    await services.everywhere.insight.refresh()
    return note(f"Taken back: {shown(correction.note, 200)}")


async def widen(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """Let a server's correction hold for all."""
    correction = await services.store.corrections.find(number)
    scope = await wider_scope(interaction, services, correction) if correction else None
    if correction is None or scope is None:
        raise UserError(
            "Only the person who runs this Labmate, or the proven person whom it is about, can let a server's "
            "correction hold for everybody, while it is in force."
        )
    try:
        await promote(services.everywhere.store, correction, scope)
    except Refused as error:
        raise UserError(str(error)) from error
    await services.everywhere.insight.refresh()
    undo_it = [UndoButton("Undo", correction=str(correction.id))]
    return note(f"This holds for everybody now: {shown(correction.note, 200)}", [undo_it])


async def show_history(interaction: discord.Interaction, services: Services, person: Person) -> ui.LayoutView:
    """Who corrected what about a person, and when: for all, and in this server."""
    place, also = services.place, services.store.people.said_of(person.id)
    found = await services.store.corrections.history(person.id, place.guild, place.member, also=also)
    name = shown(person.name, 80)
    claims = [entry for entry in await services.store.claims.history(person.id) if entry.state != "open"]
    if not found and not claims:
        return note(f"## {name}\nNobody has corrected anything about this person here, or claimed them.")
    lines = [f"## {name}"]
    if found:
        lines += ["**Corrections**", *(correction_line(correction) for correction in found[:15])]
    if claims:
        manages = interaction.guild_id if manages_server(interaction) else None
        operator = await is_operator(interaction)
        lines.append("**Claims**")
        for claim in claims[:10]:
            theirs = claim.guild is not None and claim.guild == manages
            lines.append(claim_line(claim, theirs or operator))
    standing = [c for c in found if c.undone is None]
    undoing: list[ui.Item[Any]] = [
        UndoButton(f"Undo {c.id}", correction=str(c.id)) for c in standing if await may_undo(interaction, c)
    ]
    widening: list[ui.Item[Any]] = [
        PromoteButton(f"{c.id} for everybody", correction=str(c.id))
        for c in standing[:10]
        if await wider_scope(interaction, services, c) is not None
    ]
    return note("\n".join(lines), [row for row in (undoing[:5], widening[:5]) if row])


class PersonGroup(commands.GroupCog, group_name="person", group_description="Who is who"):
    """Corrections of who is who."""

    def __init__(self, services: Services) -> None:
        self._services = services
        super().__init__()

    @app_commands.command()
    @app_commands.describe(name="The person's name")
    @app_commands.autocomplete(name=complete_person)
    async def history(self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200]) -> None:
        """Show what was corrected about a person, by whom, and take it back"""
        await answer(interaction, self._history(interaction, name), private=True)

    async def _history(self, interaction: discord.Interaction, name: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        found = await whom(services, name)
        if found.person is None:
            return await ask_which(services, found, "a")
        return await show_history(interaction, services, found.person)

    @app_commands.command()
    @app_commands.describe(name="One person", other="The other, who is the same one")
    @app_commands.autocomplete(name=complete_person, other=complete_person)
    async def same(
        self,
        interaction: discord.Interaction,
        name: app_commands.Range[str, 1, 200],
        other: app_commands.Range[str, 1, 200],
    ) -> None:
        """Say that two people are one"""
        await answer(interaction, self._same(interaction, name, other), private=True)

    async def _same(self, interaction: discord.Interaction, name: str, other: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        people = []
        for typed in (name, other):
            found = await whom(services, typed)
            if found.person is None:
                if found.others:
                    raise UserError(
                        f"Several people print the name “{shown(found.typed, 60)}”. Begin to type it in this "
                        "command and choose one of those that are offered."
                    )
                return await ask_which(services, found, "a")
            people.append(found.person.id)
        return await same(interaction, services, people[0], people[1])

    @app_commands.command()
    @app_commands.describe(name="The person")
    @app_commands.autocomplete(name=complete_person)
    async def split(self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200]) -> None:
        """Say that a paper is not this person's"""
        await answer(interaction, self._split(interaction, name), private=True)

    async def _split(self, interaction: discord.Interaction, name: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        found = await whom(services, name)
        if found.person is None:
            return await ask_which(services, found, "a")
        return await show_papers(interaction, services, found.person.id)


async def setup(bot: commands.Bot) -> None:
    """Add the commands, their buttons and selects."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(
        CorrectButton, OthersSelect, SamePersonSelect, NotTheirsSelect, UndoButton, PromoteButton
    )
    await bot.add_cog(PersonGroup(services))
