"""`/collaborators`: possible collaborators for a person, and why."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.collaborators import brief, head
from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import label, shown
from commands.kit.installs import with_labmate
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, choice, link, select
from commands.kit.options import PRIVATE
from commands.kit.pair_reasons import experts_of, pair_reasons
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.which_person import CHOOSE_PERSON, ask_which, complete_person, person_of, whom
from commands.people.who_knows import people_knowing, show_knowing
from commands.people.within import EMPTY_HERE, EVERYBODY, Within
from data.records import Paper
from index.people.suggest import Suggestion

SHOWN = 10
KNOWING = 400
"""People who know a topic among whom collaborators are looked for."""
CHOOSE = "person.choose_collaborators"
NEEDS = (Need.MEANING, Need.PEOPLE)


@select(CHOOSE, "who:k", CHOOSE_PERSON, value=int)
async def choose_person(press: Press, person: int) -> None:
    """Suggest collaborators for the person that was meant."""
    work = show_suggestions(press.services, person, press.member)
    await answer(press.interaction, work, private=press.private, needs=NEEDS)


@button("pair.list", "cp:l:{person}:{other}")
async def open_list(press: Press, person: int, other: int) -> None:
    """Suggest collaborators for a person as a new reply."""
    work = show_suggestions(press.services, person, press.member)
    await answer(press.interaction, work, private=press.private, needs=NEEDS)


@button("pair.why", "cp:w:{person}:{other}")
async def open_why(press: Press, person: int, other: int) -> None:
    """Tell whoever pressed why somebody was suggested."""
    await answer(press.interaction, pair_reasons(press.services, person, other), private=True, needs=NEEDS)


@select("pair.choose_why", "cw:{person}", "Why, follow, or not for me", value=int)
async def choose_why(press: Press, other: int, person: int) -> None:
    """Tell whoever chose why somebody was suggested."""
    await answer(press.interaction, pair_reasons(press.services, person, other), private=True, needs=NEEDS)


@button("pair.dismiss", "cp:n:{person}:{other}")
async def open_dismiss(press: Press, person: int, other: int) -> None:
    """Never suggest somebody to whoever pressed again."""
    await answer(press.interaction, dismiss(press.services, person, other, press.member), private=True)


@button("pair.bring_back", "cp:b:{person}:{other}")
async def open_bring_back(press: Press, person: int, other: int) -> None:
    """Suggest somebody again to whoever pressed."""
    await answer(press.interaction, bring_back(press.services, person, other, press.member), private=True)


async def show_suggestions(
    services: Services,
    number: int,
    member: int,
    topic: str | None = None,
    *,
    within: Within = EVERYBODY,
    new_only: bool = True,
) -> ui.LayoutView:
    """Ten people for a person, each with its strongest reasons."""
    experts, person = await experts_of(services), await person_of(services, number)
    hidden = await services.store.members.dismissed(member)
    known = (
        {expert.person for expert in (await people_knowing(services, topic, KNOWING, everybody=False))[0]}
        if topic
        else None
    )

    async def suggest(only: set[int] | None) -> list[Suggestion]:
        if known is not None:
            only = known if only is None else only & known
        return await asyncio.to_thread(
            experts.suggest, person.id, SHOWN, hidden=hidden, only=only, strangers=new_only
        )

    suggestions = await within.find(services, suggest, lambda suggestion: suggestion.person)
    name = shown(person.name, 80) + (f" on “{shown(topic, 80)}”" if topic else "")
    if not suggestions:
        return note(f"I found no possible collaborators for {name}. {_advice(topic, within)}")
    closest = await services.store.papers([suggestion.theirs for suggestion in suggestions])
    papers = {paper.id: paper for paper in closest}
    return _suggested(person.id, name, suggestions, papers, new_only=new_only)


def _advice(topic: str | None, within: Within) -> str:
    if within.limits:
        return EMPTY_HERE
    return "Try another topic, or leave it out." if topic else "I know too few papers close to theirs."


def _suggested(
    person: int, name: str, suggestions: list[Suggestion], papers: Mapping[int, Paper], *, new_only: bool
) -> ui.LayoutView:
    lines: list[tuple[str, ui.Item[Any]]] = [
        (head(entry, papers), link("pair.why", "Why", person=person, other=entry.person))
        for entry in suggestions
    ]
    view = people_list(
        f"## Possible collaborators for {name}",
        lines,
        "-# Estimated from coauthors, texts and activity; not a judgement of anybody."
        + (" Current coauthors are left out." if new_only else ""),
    )
    options = [
        discord.SelectOption(
            label=label(entry.name, 100), value=str(entry.person), description=label(brief(entry), 100)
        )
        for entry in suggestions
    ]
    view.add_item(ui.ActionRow(choice("pair.choose_why", options, person=person)))
    return view


async def dismiss(services: Services, number: int, other: int, member: int) -> ui.LayoutView:
    """Never suggest somebody to this member again."""
    them = await person_of(services, other)
    if await services.everywhere.store.people.find(them.id) is None:
        raise UserError(
            f"**{shown(them.name, 80)}** is a separate person only in this server, by a correction, so I "
            "can't remember this everywhere."
        )
    await services.store.members.dismiss(member, them.id)
    buttons = [
        link("pair.bring_back", "Undo", person=number, other=them.id),
        link("pair.list", "New suggestions", person=number, other=them.id),
    ]
    return note(f"I won't suggest **{shown(them.name, 80)}** to you again.", [buttons])


async def bring_back(services: Services, number: int, other: int, member: int) -> ui.LayoutView:
    """Suggest somebody again."""
    them = await person_of(services, other)
    await services.store.members.bring_back(member, them.id)
    again = link("pair.list", "New suggestions", person=number, other=them.id)
    return note(f"I may suggest **{shown(them.name, 80)}** to you again.", [[again]])


class Collaborators(commands.Cog):
    """Possible collaborators."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @with_labmate
    @app_commands.describe(
        who="Suggest collaborators for this person (default: you, once you have claimed your papers)",
        topic="What it should be about, or a pasted abstract",
        in_server="Only members of this server who have claimed their papers",
        open_only="Only people who say they are open to collaboration",
        new_only="Leave out current coauthors (default: yes)",
        private=PRIVATE,
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
        """Suggest possible collaborators, and say why"""
        # Else a channel would see whose papers the member has claimed. Without a claim, too: if those
        # replies were public, their absence would give a claim away.
        private = private or who is None
        within = Within(interaction.guild_id if in_server else None, in_server, open_only)
        work = self._collaborators(interaction, who, topic, within, new_only)
        await answer(interaction, work, private=private, cost=SEARCH, needs=(Need.PAPERS, *NEEDS))

    async def _collaborators(
        self,
        interaction: discord.Interaction,
        who: str | None,
        topic: str | None,
        within: Within,
        new_only: bool,
    ) -> ui.LayoutView:
        services, member = await seen_by(interaction), interaction.user.id
        if who is not None:
            match = await whom(services, who)
            if match.person is None:
                return await ask_which(services, match, CHOOSE)
            number = match.person.id
        elif mine := await services.store.claims.of_member(member):
            number = mine.person_id
        elif topic is not None:
            return await show_knowing(services, topic, within)
        else:
            raise UserError(
                "Name somebody: /collaborators who:<name>, or give a topic. Once you have claimed your "
                "papers with /claim, it is about you."
            )
        return await show_suggestions(services, number, member, topic, within=within, new_only=new_only)

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Forget who was in a server once Labmate is removed from it."""
        await self._services.store.claims.left(guild.id)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Collaborators(services))
