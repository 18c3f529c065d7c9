"""`/contest` and `/contests`: a claim that is wrong, said by a member, settled by somebody who is no party."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import day, shown
from commands.kit.authority import is_operator, manages_server, operators
from commands.kit.components import Pressable, seen_by
from commands.kit.links import link
from commands.kit.replies import NO_PINGS, UserError, answer
from commands.kit.services import Services
from commands.kit.which_person import ask_which, complete_person, whom
from data.stores.claims import Claim, ClaimRefused
from data.stores.contests import Contest
from index.claims.proof_words import proof_words
from index.trust.corrections import retract

SHOWN = 8
WHO_MAY = (
    "Only somebody who is no party to it settles this: those who manage the server in which the claim was made, or the "
    "person who runs this Labmate."
)
log = logging.getLogger("labmate")


async def parties(services: Services, found: Contest, claim: Claim) -> set[int]:
    """The holder, and everybody who says that the claim is wrong."""
    return {claim.member, found.member, *(c.member for c in await services.store.contests.open_of(claim.id))}


async def manages(client: discord.Client, guild: int, members: Iterable[int]) -> bool:
    """Whether one of these members owns or manages a server, or Labmate can't tell."""
    server = client.get_guild(guild)
    if server is None:
        return True
    for member in members:
        if member == server.owner_id:
            return True
        try:
            if (await server.fetch_member(member)).guild_permissions.manage_guild:
                return True
        except discord.NotFound:
            continue
        except discord.HTTPException:
            return True
    return False


async def may_settle(
    interaction: discord.Interaction, services: Services, found: Contest, claim: Claim
) -> bool:
    """Whether this member may settle: never a party; a server's managers only where no party is one of them."""
    sides = await parties(services, found, claim)
    if interaction.user.id in sides:
        return False
    if await is_operator(interaction):
        return True
    if found.for_operator or interaction.guild_id != found.guild or not manages_server(interaction):
        return False
    if not await manages(interaction.client, found.guild, sides):
        return True
    await to_operator(interaction.client, services, found)
    return False


async def to_operator(client: discord.Client, services: Services, found: Contest) -> None:
    """Take a contest from its server, and tell who runs this Labmate."""
    await services.store.contests.to_operator(found.id)
    view = await show_contest(services, found)
    for number in await operators(client):
        try:
            user = await client.fetch_user(number)
            await user.send(view=view, allowed_mentions=NO_PINGS)
        except discord.HTTPException as error:
            log.warning("who runs this Labmate could not be told of contest %d: %s", found.id, error)


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
        claim = await services.store.claims.find(found.claim_id) if found else None
        if found is None or claim is None:
            raise UserError("I no longer know of this contest.")
        if not await may_settle(interaction, services, found, claim):
            raise UserError(WHO_MAY)
        return found

    async def _look(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        return await show_contest(services, await self._found(interaction, services))

    async def _settle(self, interaction: discord.Interaction, services: Services) -> ui.LayoutView:
        found = await self._found(interaction, services)
        try:
            await services.store.contests.settle(found.id, interaction.user.id, upheld=self.what == "u")
        except ClaimRefused as error:
            raise UserError(str(error)) from error
        if self.what != "u":
            return note(
                "The claim stays. If it is contested again, the person who runs this Labmate settles it."
            )
        everywhere = services.everywhere
        if await retract(everywhere.store, found.claim_id, by=(0, "a contest")):
            await everywhere.insight.refresh()
        return note("The claim has ended; they can claim again, with a better proof.")


async def contest(
    interaction: discord.Interaction, services: Services, person_id: int, reason: str
) -> ui.LayoutView:
    """Say that the claim of a person is wrong."""
    person = await services.store.people.find(person_id)
    claim = await services.store.claims.of_person(person_id, interaction.guild_id) if person else None
    if person is None or claim is None:
        raise UserError("Nobody has claimed this person. If it is you: /claim person:*your name*.")
    before = await services.store.contests.dismissed_before(claim.id)
    try:
        made = await services.store.contests.contest(claim.id, interaction.user.id, reason)
    except ClaimRefused as error:
        raise UserError(str(error)) from error
    client, sides = interaction.client, await parties(services, made, claim)
    if before or not made.guild or await manages(client, made.guild, sides):
        await to_operator(client, services, made)
        who = "whoever runs this Labmate settles it"
    else:
        who = "those who manage the server where it was made settle it (/contests)"
    return note(
        f"Kept: the claim of **{shown(person.name, 80)}** is contested, and says so on the card until {who}. "
        "If they are you, a stronger proof than theirs settles it at once: /claim."
    )


async def show_contest(services: Services, found: Contest) -> ui.LayoutView:
    """What is said against a claim, beside how it was proven."""
    claim = await services.store.claims.find(found.claim_id)
    person = await services.store.people.find(claim.person_id) if claim else None
    if claim is None or person is None:
        raise UserError("The claim is gone.")
    where = f"\n-# {shown(claim.place, 200)}" if claim.place else ""
    return note(
        f"## The claim of {shown(person.name, 80)}\nHeld by <@{claim.member}> since {day(claim.made.date())}: "
        f"L{claim.level}, by somebody who {shown(proof_words(claim), 300)}{where}\n**Against it**, by <@{found.member}>: "
        f"{shown(found.reason, 500)}",
        [
            [
                SettleButton("End the claim", what="u", contest=str(found.id)),
                SettleButton("The claim stays", what="d", contest=str(found.id)),
                link("person.card", "Card", person=person.id),
            ]
        ],
    )


async def show_contests(
    interaction: discord.Interaction, services: Services, found: Sequence[Contest]
) -> ui.LayoutView:
    """What waits for this member to be settled; those that only they can settle first."""
    lines: list[tuple[str, ui.Item[Any]]] = []
    more = 0
    for entry in sorted(found, key=lambda entry: (not entry.for_operator, entry.made)):
        claim = await services.store.claims.find(entry.claim_id)
        if claim is None or not await may_settle(interaction, services, entry, claim):
            continue
        if len(lines) == SHOWN:
            more += 1
            continue
        person = await services.store.people.find(claim.person_id)
        name = shown(person.name, 80) if person else "?"
        text = f"**{name}** · {day(entry.made.date())}\n-# {shown(entry.reason, 200)}"
        lines.append((text, SettleButton("Look", what="l", contest=str(entry.id))))
    if not lines:
        return note("No contested claim waits for you here.")
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
        await answer(interaction, self._contest(interaction, person, reason), private=True)

    async def _contest(self, interaction: discord.Interaction, person: str, reason: str) -> ui.LayoutView:
        services = await seen_by(interaction)
        found = await whom(services, person)
        if found.person is None:
            return await ask_which(services, found, "person.choose_card")
        return await contest(interaction, services.everywhere, found.person.id, reason)

    @app_commands.command()
    @app_commands.default_permissions(manage_guild=True)
    async def contests(self, interaction: discord.Interaction) -> None:
        """Settle contested claims (for those who manage the server, and who runs Labmate)"""
        await answer(interaction, self._contests(interaction), private=True)

    async def _contests(self, interaction: discord.Interaction) -> ui.LayoutView:
        contests = self._services.store.contests
        if await is_operator(interaction):
            return await show_contests(interaction, self._services, await contests.open_anywhere())
        if not manages_server(interaction):
            raise UserError(WHO_MAY)
        found = await contests.open_in(interaction.guild_id or 0)
        return await show_contests(interaction, self._services, found)


async def setup(bot: commands.Bot) -> None:
    """Add the commands and the button."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(SettleButton)
    await bot.add_cog(ContestCommands(services))
