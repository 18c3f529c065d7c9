"""`/collaborators` and `/who-knows`: whom to work with, why, and who knows a topic."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.collaborators import head, papers_of, proof, reasons
from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import label, plural, shown, title_link
from commands.kit.components import Choosable, Pressable, seen_by
from commands.kit.limits import SEARCH
from commands.kit.presence import holders_here, those_here
from commands.kit.progress import Need, not_yet
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import complete_person, whom
from commands.papers.search import GUESSES
from commands.people.author import PersonButton, ask_which
from data.stores.people import Person
from index.people.suggest import Experts, Knows, Suggestion, knowing
from index.search.search import Found

SHOWN = 10
READ = 200
"""Papers found for a topic, whose authors are looked at."""


EMPTY_HERE = "Nobody here who has claimed their papers fits; the more members /claim, the better this gets."
NOBODY_NEAR = "I know too few papers around theirs."


@dataclass(frozen=True, slots=True)
class Within:
    """Among whom to look: members of a server, those open to collaborate, or everybody."""

    guild: int | None = None
    in_server: bool = False
    open_only: bool = False

    @property
    def limits(self) -> bool:
        """Whether this is not everybody."""
        return self.in_server or self.open_only


async def among(services: Services, within: Within | None) -> set[int] | None:
    """The people meant, whoever is where; None for everybody."""
    if within is None or not within.limits:
        return None
    if within.in_server:
        raise UserError("This works in a server; here are no members to look among.")
    found = await services.store.claims.open_people(services.place.guild)
    return {services.store.people.lead(person) for person in found}


class WhySelect(Choosable, template=r"cw:(?P<person>\d{1,10})"):
    """Which of the suggested people to be told more about."""

    def __init__(self, choices: list[discord.SelectOption], *, person: str) -> None:
        self.person = int(person)
        super().__init__(
            ui.Select(
                custom_id=f"cw:{self.person}",
                placeholder="Why, follow, or not for me",
                options=choices or [discord.SelectOption(label="?", value="0")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        other = int(value) if value.isdigit() and len(value) < 11 else 0
        await answer(interaction, show_why(services, self.person, other), private=True, needs=(Need.PEOPLE,))


class PairButton(Pressable, template=r"cp:(?P<what>[lwnb]):(?P<person>\d{1,10}):(?P<other>\d{1,10})"):
    """The list for a person (l), why somebody (w), never again for me (n), back again (b)."""

    def __init__(self, text: str, *, what: str, person: str, other: str) -> None:
        self.what, self.person, self.other = what, int(person), int(other)
        super().__init__(
            ui.Button(
                label=text, style=ButtonStyle.secondary, custom_id=f"cp:{what}:{self.person}:{self.other}"
            )
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        private = bool(interaction.message and interaction.message.flags.ephemeral) or self.what != "l"
        member = interaction.user.id
        work = {
            "l": lambda: show_suggestions(services, self.person, member),
            "w": lambda: show_why(services, self.person, self.other),
            "n": lambda: dismiss(services, self.person, self.other, member),
            "b": lambda: bring_back(services, self.person, self.other, member),
        }[self.what]
        needs = (Need.PEOPLE,) if self.what in "lw" else ()
        await answer(interaction, work(), private=private, needs=needs)


async def experts_of(services: Services) -> Experts:
    """The engine, or a kind word where there are no people yet."""
    await services.wait_for_people()
    found = await services.insight.experts()
    if found is None:
        raise UserError(not_yet(services))
    return found


async def _person(services: Services, number: int) -> Person:
    person = await services.store.people.find(number)
    if person is None:
        raise UserError("I no longer know this person. Try again with the name.")
    return person


async def show_suggestions(
    services: Services,
    number: int,
    member: int,
    topic: str | None = None,
    *,
    within: Within | None = None,
    new_only: bool = True,
) -> ui.LayoutView:
    """Ten people for a person, each with its strongest reasons."""
    experts, person = await experts_of(services), await _person(services, number)
    hidden = await services.store.members.dismissed(member)
    knowing_it = {found.person for found in (await _knowing(services, topic, 400))[0]} if topic else None
    about = f" on “{shown(topic, 80)}”" if topic else ""

    async def suggested(only: set[int] | None) -> list[Suggestion]:
        if knowing_it is not None:
            only = knowing_it if only is None else only & knowing_it
        return await asyncio.to_thread(
            experts.suggest, person.id, SHOWN, hidden=hidden, only=only, strangers=new_only
        )

    if within and within.in_server and within.guild is not None:
        holders = await holders_here(services, within.guild, open_only=within.open_only)
        found = await those_here(services, within.guild, holders, suggested, lambda s: s.person)
    else:
        found = await suggested(await among(services, within))
    name = shown(person.name, 80)
    if not found:
        return note(
            f"I find nobody to suggest for **{name}**{about}. "
            + (
                EMPTY_HERE
                if within and within.limits
                else "Try another topic, or leave it out."
                if topic
                else NOBODY_NEAR
            )
        )
    lines: list[tuple[str, ui.Item[Any]]] = [
        (head(s), PairButton("Why", what="w", person=str(person.id), other=str(s.person))) for s in found
    ]
    view = people_list(
        f"## Whom {name} could work with{about}",
        lines,
        "-# From coauthors, texts and activity; a guess, not a judgement of anybody."
        + (" Present coauthors are left out." if new_only else ""),
    )
    options = [
        discord.SelectOption(label=label(s.name, 100), value=str(s.person), description=label(_brief(s), 100))
        for s in found
    ]
    view.add_item(ui.ActionRow(WhySelect(options, person=str(person.id))))
    return view


def _brief(suggestion: Suggestion) -> str:
    if suggestion.between:
        return f"{plural(len(suggestion.between), 'coauthor')} in common"
    return "both write on " + suggestion.shared[0] if suggestion.shared else "close abstracts"


async def show_why(services: Services, number: int, other: int) -> ui.LayoutView:
    """Everything that speaks for two people."""
    experts = await experts_of(services)
    person, them = await _person(services, number), await _person(services, other)
    if person.id == them.id:
        raise UserError("That is one and the same person.")
    found = await asyncio.to_thread(experts.reasons, person.id, them.id)
    papers = {paper.id: paper for paper in await services.store.papers(papers_of(found))}
    pair = {"person": str(person.id), "other": str(them.id)}
    from commands.members.follow import FollowButton
    from commands.members.invite import InviteButton

    rows: list[list[ui.Item[Any]]] = [
        [
            PersonButton("Card", what="a", person=str(them.id)),
            InviteButton("Invite", what="i", number=str(them.id)),
            FollowButton("Follow", kind="p", number=str(them.id)),
            PairButton("Not for me", what="n", **pair),
        ]
    ]
    return note(reasons(person.name, found, papers), rows)


async def dismiss(services: Services, number: int, other: int, member: int) -> ui.LayoutView:
    """Never suggest somebody to this member again."""
    them = await _person(services, other)
    if await services.everywhere.store.people.find(them.id) is None:
        raise UserError(
            f"**{shown(them.name, 80)}** is a person of their own only in this server, by a correction, so I can't "
            "remember that everywhere."
        )
    await services.store.members.dismiss(member, them.id)
    pair = {"person": str(number), "other": str(them.id)}
    return note(
        f"I will not suggest **{shown(them.name, 80)}** to you again.",
        [[PairButton("Undo", what="b", **pair), PairButton("The list anew", what="l", **pair)]],
    )


async def bring_back(services: Services, number: int, other: int, member: int) -> ui.LayoutView:
    """Suggest somebody again."""
    them = await _person(services, other)
    await services.store.members.bring_back(member, them.id)
    return note(
        f"**{shown(them.name, 80)}** can be suggested to you again.",
        [[PairButton("The list anew", what="l", person=str(number), other=str(them.id))]],
    )


async def _knowing(services: Services, topic: str, most: int) -> tuple[list[Knows], Found]:
    """People by the papers that fit a topic, and what was found for it."""
    await services.wait_for_people()
    people = services.insight.people
    if people is None:
        raise UserError(not_yet(services))
    await services.wait_for_model()
    found = await services.search.search(topic, READ, as_text=True, judged=READ)
    return await asyncio.to_thread(knowing, people, found.fitting, most), found


async def show_knowing(services: Services, topic: str, within: Within | None = None) -> ui.LayoutView:
    """People whose papers show a topic, with the papers as proof."""
    limited = within is not None and within.limits
    known, searched = await _knowing(services, topic, 2_000 if limited else SHOWN)

    async def among_these(only: set[int] | None) -> list[Knows]:
        return [entry for entry in known if only is None or entry.person in only][:SHOWN]

    if within and within.in_server and within.guild is not None:
        holders = await holders_here(services, within.guild, open_only=within.open_only)
        found = await those_here(services, within.guild, holders, among_these, lambda entry: entry.person)
    else:
        found = await among_these(await among(services, within))
    name = shown(topic, 100)
    if not searched.fits:
        return await _nobody(services, name, searched)
    if not found and limited:
        return note(EMPTY_HERE)
    if not found:
        return note(f"I know no paper on “{name}” yet, so nobody who knows it.")
    wanted = list(dict.fromkeys(number for entry in found for number in entry.papers[:2]))
    papers = {paper.id: paper for paper in await services.store.papers(wanted)}
    lines: list[tuple[str, ui.Item[Any]]] = [
        (proof(entry, papers), PersonButton("Card", what="a", person=str(entry.person))) for entry in found
    ]
    return people_list(
        f"## Who knows {name}", lines, "-# By the papers that lie closest; several count more than one."
    )


async def _nobody(services: Services, topic: str, searched: Found) -> ui.LayoutView:
    """Nothing fits the topic: say so, and name the nearest papers for what they are."""
    known = plural(await services.store.count(), "paper")
    text = f"Nothing fits “{topic}” among the {known} that I hold, so I know nobody who knows it."
    near = await services.store.papers([hit.paper_id for hit in searched.hits[:GUESSES]])
    if near:
        text += "\nOnly the nearest guesses:\n" + "\n".join(f"- {title_link(paper)}" for paper in near)
    return note(text)


class Collaborators(commands.Cog):
    """Whom to work with."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        who="For whom; yourself once you have claimed your papers",
        topic="What it should be about, or a pasted abstract",
        in_server="Only members of this server who have claimed their papers",
        open_only="Only those who say that they are open to collaborate",
        new_only="Leave out present coauthors (default: yes)",
        private="Only you see the answer",
    )
    @app_commands.autocomplete(who=complete_person)
    async def collaborators(
        self,
        interaction: discord.Interaction,
        who: app_commands.Range[str, 1, 200] | None = None,
        topic: app_commands.Range[str, 1, 3_000] | None = None,
        in_server: bool = False,
        open_only: bool = False,
        new_only: bool = True,
        private: bool = False,
    ) -> None:
        """Suggest whom to work with, and say why"""
        within = Within(interaction.guild_id if in_server else None, in_server, open_only)
        work = self._collaborators(interaction, who, topic, within, new_only)
        await answer(interaction, work, private=private, cost=SEARCH, needs=(Need.PAPERS, Need.PEOPLE))

    async def _collaborators(
        self,
        interaction: discord.Interaction,
        who: str | None,
        topic: str | None,
        within: Within,
        new_only: bool,
    ) -> ui.LayoutView:
        services, member = await seen_by(interaction), interaction.user.id
        mine = await services.store.claims.of_member(member) if who is None else None
        if who is None and mine is None:
            if topic is not None:
                return await show_knowing(services, topic, within)
            raise UserError(
                "Say for whom: /collaborators who:<name>, or give a topic. Once you have claimed your papers with "
                "/claim, it is about you."
            )
        if mine is not None:
            number = mine.person_id
        else:
            found = await whom(services, who or "")
            if found.person is None:
                return await ask_which(services, found, "k")
            number = found.person.id
        return await show_suggestions(services, number, member, topic, within=within, new_only=new_only)

    @app_commands.command(name="who-knows")
    @app_commands.describe(
        topic="A topic, a question or a pasted abstract",
        in_server="Only members of this server who have claimed their papers",
        private="Only you see the answer",
    )
    async def who_knows(
        self,
        interaction: discord.Interaction,
        topic: app_commands.Range[str, 1, 3_000],
        in_server: bool = False,
        private: bool = False,
    ) -> None:
        """Find people whose papers show that they know a topic"""
        within = Within(interaction.guild_id if in_server else None, in_server)
        work = self._who_knows(interaction, topic, within)
        needs = (Need.PAPERS, Need.MEANING, Need.PEOPLE)
        await answer(interaction, work, private=private, cost=SEARCH, needs=needs)

    async def _who_knows(self, interaction: discord.Interaction, topic: str, within: Within) -> ui.LayoutView:
        return await show_knowing(await seen_by(interaction), topic, within)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Nobody is in a server with Labmate that it was taken out of."""
        await self._services.store.claims.left(guild.id)


async def setup(bot: commands.Bot) -> None:
    """Add the commands, the buttons and the select."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(WhySelect, PairButton)
    await bot.add_cog(Collaborators(services))
