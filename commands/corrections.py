"""Corrections of who is who: by admins now, by verified people later; logged, kept over passes, undone."""

from __future__ import annotations

from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.text import day, label, plural, readable, shown
from commands.people import PersonButton, ask_which
from commands.pressing import Choosable, Pressable
from commands.replies import Kindly, answer
from commands.services import Services
from commands.whom import complete_person, options, whom
from data.claims import Claim
from data.corrections import Correction
from data.keys import name_key
from data.models import Paper
from data.people import Person
from index.corrections import Refused, join, move_out, take_back

CHOICES = 25
WHO_MAY = "Only those who manage this server can correct who is who here."


def may_correct(interaction: discord.Interaction) -> bool:
    """Whether this member may correct: whoever manages the server."""
    return interaction.guild_id is not None and interaction.permissions.manage_guild


class CorrectButton(Pressable, template=r"k:(?P<what>[np]):(?P<person>\d{1,10})"):
    """Others of the name and what can be corrected (n); the papers, to say which is not theirs (p)."""

    def __init__(self, text: str, *, what: str, person: str) -> None:
        self.what, self.person = what, int(person)
        super().__init__(
            ui.Button(label=text, style=ButtonStyle.secondary, custom_id=f"k:{what}:{self.person}")
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = show_others if self.what == "n" else show_papers
        await answer(interaction, work(services, self.person, may_correct(interaction)), private=True)


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
        from commands.people import show_card

        number = int(value) if value.isdigit() and len(value) < 11 else 0
        await answer(interaction, show_card(services, number), private=True)


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


async def _person(services: Services, number: int) -> Person:
    person = await services.store.people.find(number)
    if person is None:
        raise Kindly("I no longer know this person. Try again with the name.")
    return person


async def _namesakes(services: Services, person: Person) -> list[int]:
    """Other people who print one of the names, or one that could be the same."""
    rows = await services.store.people.memberships(person.id)
    authors = {row.author_id for row in rows}
    near = [name for form in person.forms for name in services.library.names.others(form)]
    authors |= set((await services.store.author_names.numbers([name.key for name in near])).values())
    return [number for number, _ in await services.store.people.named(list(authors)) if number != person.id]


async def show_others(services: Services, number: int, may: bool) -> ui.LayoutView:
    """Who else it could be; for those who may, what can be corrected."""
    person = await _person(services, number)
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
    if may:
        lines.append("You manage this server, so you can correct me; everybody here then sees it so.")
        if others:
            rows.append([SamePersonSelect(lines_of_others, person=str(person.id))])
        rows.append([CorrectButton("A paper is not theirs", what="p", person=str(person.id))])
    else:
        lines.append("-# Those who manage a server can correct who is who.")
    return note("\n".join(lines), rows)


async def show_papers(services: Services, number: int, may: bool) -> ui.LayoutView:
    """A person's papers, those least surely theirs first, to say which is not."""
    if not may:
        raise Kindly(WHO_MAY)
    person = await _person(services, number)
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


def reason(paper: Paper, support: Paper | None, own: set[str]) -> str:
    """Why a paper counts as somebody's: what it has in common with the one that speaks most for it."""
    if support is None:
        return "nothing else speaks for it"
    there = {author.key for author in support.authors} - own
    shared = [author.name for author in paper.authors if author.key in there]
    beside = f"“{readable(support.title)}”"
    return f"{', '.join(shared[:2])} also on {beside}" if shared else f"work and circle close to {beside}"


async def same(interaction: discord.Interaction, services: Services, one: int, other: int) -> ui.LayoutView:
    """Join two people."""
    if not may_correct(interaction):
        raise Kindly(WHO_MAY)
    first, second = await _person(services, one), await _person(services, other)
    try:
        number = await join(services.store, first, second, by=_by(interaction), guild=interaction.guild_id)
    except Refused as error:
        raise Kindly(str(error)) from error
    await services.insight.refresh()
    return _done(
        f"**{shown(first.name, 80)}** and **{shown(second.name, 80)}** are one person now.", number, first.id
    )


async def not_theirs(
    interaction: discord.Interaction, services: Services, number: int, paper: int
) -> ui.LayoutView:
    """Take a paper from a person."""
    if not may_correct(interaction):
        raise Kindly(WHO_MAY)
    person = await _person(services, number)
    try:
        made = await move_out(services.store, person, paper, by=_by(interaction), guild=interaction.guild_id)
    except Refused as error:
        raise Kindly(str(error)) from error
    await services.insight.refresh()
    [found] = await services.store.papers([paper])
    return _done(f"“{shown(found.title, 120)}” is another {shown(person.name, 80)}'s now.", made, person.id)


def _by(interaction: discord.Interaction) -> tuple[int, str]:
    return interaction.user.id, interaction.user.display_name


def _done(text: str, correction: int, person: int) -> ui.LayoutView:
    return note(
        f"{text} It stays so when papers come in, and can be taken back.",
        [
            [
                UndoButton("Undo", correction=str(correction)),
                PersonButton("Card", what="a", person=str(person)),
            ]
        ],
    )


async def undo(interaction: discord.Interaction, services: Services, number: int) -> ui.LayoutView:
    """Take a correction back."""
    if not may_correct(interaction):
        raise Kindly(WHO_MAY)
    correction = await services.store.corrections.find(number)
    if correction is None or correction.undone is not None:
        raise Kindly("This correction was taken back already.")
    if correction.guild != interaction.guild_id:
        raise Kindly("This was said in another server; it can be taken back there.")
    if not await take_back(services.store, correction, by=_by(interaction)):
        raise Kindly("This correction was taken back already.")
    await services.insight.refresh()
    return note(f"Taken back: {shown(correction.note, 200)}")


async def show_history(services: Services, person: Person, may: bool) -> ui.LayoutView:
    """Who corrected what about a person, and when."""
    found = await services.store.corrections.history(person.id)
    name = shown(person.name, 80)
    claims = [entry for entry in await services.store.claims.history(person.id) if entry.state != "open"]
    if not found and not claims:
        return note(f"## {name}\nNobody has corrected anything about this person, or claimed them.")
    lines = [f"## {name}"]
    if found:
        lines += ["**Corrections**", *(_line(correction) for correction in found[:15])]
    if claims:
        lines += ["**Claims**", *(_claim_line(claim, may) for claim in claims[:10])]
    buttons: list[ui.Item[Any]] = [
        UndoButton(f"Undo {c.id}", correction=str(c.id)) for c in found if may and c.undone is None
    ][:5]
    return note("\n".join(lines), [buttons] if buttons else [])


def _claim_line(claim: Claim, may: bool) -> str:
    """A claim, past or present; by whom and where, only for those who manage the server."""
    text = f"- L{claim.level} by {claim.proof}, {day(claim.made.date())}"
    if may:
        text += f", <@{claim.member}>" + (f" ({shown(claim.where, 100)})" if claim.where else "")
    if claim.ended is not None:
        text += f"\n-# ended {day(claim.ended.date())}: {shown(claim.why_ended, 120)}"
    return text


def _line(correction: Correction) -> str:
    by = f"{shown(correction.made_by_name, 40)}, {day(correction.made.date())}"
    text = f"{correction.id}. {shown(correction.note, 200)} ({by})"
    if correction.undone is not None:
        text += f"\n-# taken back by {shown(correction.undone_by_name or '?', 40)}, {day(correction.undone.date())}"
    return text


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
        await answer(interaction, self._history(name, may_correct(interaction)), private=True)

    async def _history(self, name: str, may: bool) -> ui.LayoutView:
        found = await whom(self._services, name)
        if found.person is None:
            return await ask_which(self._services, found, "a")
        return await show_history(self._services, found.person, may)

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
        if not may_correct(interaction):
            raise Kindly(WHO_MAY)
        people = []
        for typed in (name, other):
            found = await whom(self._services, typed)
            if found.person is None:
                if found.others:
                    raise Kindly(
                        f"Several people print the name “{shown(found.typed, 60)}”. Begin to type it in this "
                        "command and choose one of those that are offered."
                    )
                return await ask_which(self._services, found, "a")
            people.append(found.person.id)
        return await same(interaction, self._services, people[0], people[1])

    @app_commands.command()
    @app_commands.describe(name="The person")
    @app_commands.autocomplete(name=complete_person)
    async def split(self, interaction: discord.Interaction, name: app_commands.Range[str, 1, 200]) -> None:
        """Say that a paper is not this person's"""
        await answer(interaction, self._split(interaction, name), private=True)

    async def _split(self, interaction: discord.Interaction, name: str) -> ui.LayoutView:
        if not may_correct(interaction):
            raise Kindly(WHO_MAY)
        found = await whom(self._services, name)
        if found.person is None:
            return await ask_which(self._services, found, "a")
        return await show_papers(self._services, found.person.id, True)


async def setup(bot: commands.Bot) -> None:
    """Add the commands, their buttons and selects."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(CorrectButton, OthersSelect, SamePersonSelect, NotTheirsSelect, UndoButton)
    await bot.add_cog(PersonGroup(services))
