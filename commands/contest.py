"""`/contest` and `/contests`: a claim that is wrong, said by a member, settled by those who manage the server."""

from __future__ import annotations

from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import day, shown
from commands.corrections import may_correct
from commands.people import PersonButton, ask_which
from commands.pressing import Pressable
from commands.replies import Kindly, answer
from commands.services import Services
from commands.whom import complete_person, whom
from data.claims import ClaimRefused
from data.contests import Contest

SHOWN = 8
WHO_MAY = "Only those who manage the server in which the claim was made settle this."


async def may_settle(interaction: discord.Interaction, contest_guild: int) -> bool:
    """Whether this member may settle: whoever manages the server of the claim, and whoever runs this Labmate."""
    if may_correct(interaction) and interaction.guild_id == contest_guild:
        return True
    bot: Any = interaction.client
    return bool(await bot.is_owner(interaction.user))


class SettleButton(Pressable, template=r"cc:(?P<what>[lud]):(?P<contest>\d{1,12})"):
    """Look at a contest (l), end the claim (u), or leave it (d)."""

    def __init__(self, text: str, *, what: str, contest: str) -> None:
        self.what, self.contest = what, int(contest)
        style = ButtonStyle.danger if what == "u" else ButtonStyle.secondary
        super().__init__(ui.Button(label=text, style=style, custom_id=f"cc:{what}:{self.contest}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        work = self._look if self.what == "l" else self._settle
        await answer(interaction, work(interaction, services), private=True)

    async def _found(self, interaction: discord.Interaction, services: Services) -> Contest:
        found = await services.store.contests.find(self.contest)
        if found is None:
            raise Kindly("I no longer know of this contest.")
        if not await may_settle(interaction, found.guild):
            raise Kindly(WHO_MAY)
        return found

    async def _look(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        return await show_contest(services, await self._found(interaction, services))

    async def _settle(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        found = await self._found(interaction, services)
        if found.member == interaction.user.id:
            raise Kindly("You said this yourself; somebody else has to settle it.")
        try:
            await services.store.contests.settle(found.id, interaction.user.id, upheld=self.what == "u")
        except ClaimRefused as error:
            raise Kindly(str(error)) from error
        ended = "The claim has ended; they can claim again, with a better proof."
        return note(ended if self.what == "u" else "The claim stays.")


async def contest(services: Services, person_id: int, member: int, reason: str) -> ui.LayoutView:
    """Say that the claim of a person is wrong."""
    person = await services.store.people.find(person_id)
    claim = await services.store.claims.of_person(person_id) if person else None
    if person is None or claim is None:
        raise Kindly("Nobody has claimed this person. If it is you: /claim person:*your name*.")
    try:
        made = await services.store.contests.contest(claim.id, member, reason)
    except ClaimRefused as error:
        raise Kindly(str(error)) from error
    who = "those who manage the server where it was made" if made.guild else "whoever runs this Labmate"
    return note(
        f"Kept: the claim of **{shown(person.name, 80)}** is contested, and says so on the card until {who} settle it "
        "(/contests). If they are you, a stronger proof than theirs settles it at once: /claim."
    )


async def show_contest(services: Services, found: Contest) -> ui.LayoutView:
    """What is said against a claim, beside how it was proven."""
    claim = await services.store.claims.find(found.claim_id)
    person = await services.store.people.find(claim.person_id) if claim else None
    if claim is None or person is None:
        raise Kindly("The claim is gone.")
    from commands.claim import PROVEN

    where = f" ({shown(claim.where, 200)})" if claim.where else ""
    return note(
        f"## The claim of {shown(person.name, 80)}\nHeld by <@{claim.member}> since {day(claim.made.date())}: "
        f"{PROVEN.get(claim.proof, claim.proof)}{where}\n**Against it**, by <@{found.member}>: "
        f"{shown(found.reason, 500)}",
        [
            [
                SettleButton("End the claim", what="u", contest=str(found.id)),
                SettleButton("The claim stays", what="d", contest=str(found.id)),
                PersonButton("Card", what="a", person=str(person.id)),
            ]
        ],
    )


async def show_contests(services: Services, guild: int) -> ui.LayoutView:
    """What waits to be settled here."""
    found = await services.store.contests.open_in(guild)
    lines: list[tuple[str, ui.Item[Any]]] = []
    for entry in found[:SHOWN]:
        claim = await services.store.claims.find(entry.claim_id)
        person = await services.store.people.find(claim.person_id) if claim else None
        name = shown(person.name, 80) if person else "?"
        text = f"**{name}** · {day(entry.made.date())}\n-# {shown(entry.reason, 200)}"
        lines.append((text, SettleButton("Look", what="l", contest=str(entry.id))))
    if not lines:
        return note("No claim is contested here.")
    more = len(found) - SHOWN
    return people_list("## Contested claims", lines, f"-# and {more} more" if more > 0 else None)


class ContestCommands(commands.Cog, name="Contests"):
    """Claims that are wrong."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(person="Whose claim", reason="Why it is wrong")
    @app_commands.autocomplete(person=complete_person)
    async def contest(
        self,
        interaction: discord.Interaction,
        person: app_commands.Range[str, 1, 200],
        reason: app_commands.Range[str, 3, 500],
    ) -> None:
        """Say that somebody has claimed papers that are not theirs"""
        await answer(interaction, self._contest(interaction.user.id, person, reason), private=True)

    async def _contest(self, member: int, person: str, reason: str) -> ui.LayoutView:
        found = await whom(self._services, person)
        if found.person is None:
            return await ask_which(self._services, found, "a")
        return await contest(self._services, found.person.id, member, reason)

    @app_commands.command()
    @app_commands.default_permissions(manage_guild=True)
    async def contests(self, interaction: discord.Interaction) -> None:
        """Settle contested claims (for those who manage the server)"""
        await answer(interaction, self._contests(interaction), private=True)

    async def _contests(self, interaction: discord.Interaction) -> ui.LayoutView:
        guild = interaction.guild_id or 0
        if not await may_settle(interaction, guild):
            raise Kindly(WHO_MAY)
        return await show_contests(self._services, guild)


async def setup(bot: commands.Bot) -> None:
    """Add the commands and the button."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(SettleButton)
    await bot.add_cog(ContestCommands(services))
