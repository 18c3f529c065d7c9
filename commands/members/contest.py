"""`/contest` and `/contests`: a member says that a claim is wrong; somebody who is not a party settles it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import note
from commands.cards.people import people_list
from commands.cards.text import moment, shown
from commands.kit.accounts import account_of
from commands.kit.authority import is_operator, manages_server, operators
from commands.kit.direct import in_direct
from commands.kit.installs import with_labmate
from commands.kit.links import Press, button, link
from commands.kit.replies import NO_PINGS, UserError, answer
from commands.kit.servers import server_of
from commands.kit.services import Services, seen_by
from commands.kit.which_person import ask_which, complete_person, whom
from data.stores.claims import Claim, ClaimRefused
from data.stores.contests import Contest
from index.claims.proof_words import proof_words
from index.trust.contests import Right, parties, right_to_settle, settle

SHOWN = 8
WHO_MAY = (
    "Only somebody who is not a party to it can settle this: those who manage the server where the claim was "
    "made, or the person who runs this Labmate."
)
MANAGERS_SETTLE = (
    "Those who manage a server settle the claims contested there, with /contests in that server. To contest "
    "a claim yourself, use /contest."
)
log = logging.getLogger("labmate")


async def any_manages(client: discord.Client, guild: int, members: Iterable[int]) -> bool:
    """Whether one of these members owns or manages a server; True where I can't tell."""
    try:
        server = await server_of(client, guild)
    except discord.HTTPException:
        return True
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
    interaction: discord.Interaction, services: Services, contest: Contest, claim: Claim
) -> bool:
    """Whether this member may settle a contest; one whose parties manage the server goes to the operator."""
    sides = await parties(services.store, contest, claim)
    right = right_to_settle(
        contest,
        sides,
        interaction.user.id,
        operator=await is_operator(interaction),
        manages=interaction.guild_id if manages_server(interaction) else None,
    )
    if right is Right.IF_NO_PARTY_MANAGES:
        if not await any_manages(interaction.client, contest.guild, sides):
            return True
        await to_operator(interaction.client, services, contest)
    return right is Right.YES


async def to_operator(client: discord.Client, services: Services, contest: Contest) -> None:
    """Take a contest from its server, and tell the person who runs this Labmate."""
    await services.store.contests.to_operator(contest.id)
    view = await show_contest(client, services, contest)

    async def told(place: Any) -> None:
        await place.send(view=view, allowed_mentions=NO_PINGS)

    for number in await operators(client):
        try:
            await in_direct(client, services.store.direct_channels, number, told)
        except discord.HTTPException as error:
            log.warning("the operator could not be told of contest %d: %s", contest.id, error)


# -- buttons -----------------------------------------------------------------------------------------


@button("contest.look", "cc:l:{contest}")
async def look(press: Press, contest: int) -> None:
    """Show a contest to somebody who may settle it."""
    await answer(press.interaction, _looked(press, contest), private=True)


@button("contest.end_claim", "cc:u:{contest}", style=ButtonStyle.danger)
async def end_claim(press: Press, contest: int) -> None:
    """Settle a contest: the claim ends."""
    await answer(press.interaction, _settled(press, contest, upheld=True), private=True)


@button("contest.keep_claim", "cc:d:{contest}")
async def keep_claim(press: Press, contest: int) -> None:
    """Settle a contest: the claim stays."""
    await answer(press.interaction, _settled(press, contest, upheld=False), private=True)


async def _to_settle(press: Press, number: int) -> Contest:
    """A contest that the presser may settle."""
    contest = await press.services.store.contests.find(number)
    claim = await press.services.store.claims.find(contest.claim_id) if contest else None
    if contest is None or claim is None:
        raise UserError("I no longer know this contest.")
    if not await may_settle(press.interaction, press.services, contest, claim):
        raise UserError(WHO_MAY)
    return contest


async def _looked(press: Press, number: int) -> ui.LayoutView:
    contest = await _to_settle(press, number)
    return await show_contest(press.interaction.client, press.services, contest)


async def _settled(press: Press, number: int, *, upheld: bool) -> ui.LayoutView:
    contest = await _to_settle(press, number)
    everywhere = press.services.everywhere
    try:
        changed = await settle(everywhere.store, contest, press.member, upheld=upheld)
    except ClaimRefused as error:
        raise UserError(str(error)) from error
    if changed:
        await everywhere.insight.refresh()
    if upheld:
        return note("The claim has ended. The member can claim again with a better proof.")
    return note("The claim stays. If it is contested again, the person who runs this Labmate settles it.")


# -- what is shown and done --------------------------------------------------------------------------


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
    client, sides = interaction.client, await parties(services.store, made, claim)
    if before or not made.guild or await any_manages(client, made.guild, sides):
        await to_operator(client, services, made)
        who = "the person who runs this Labmate settles it"
    else:
        who = "those who manage the server where it was made settle it (/contests)"
    return note(
        f"Noted. The card of **{shown(person.name, 80)}** says that the claim is contested until {who}. "
        "If this is you, a stronger proof than theirs settles it at once: /claim."
    )


async def show_contest(client: discord.Client, services: Services, contest: Contest) -> ui.LayoutView:
    """A contested claim: whose it is and how it was proven, and who says what against it."""
    claim = await services.store.claims.find(contest.claim_id)
    person = await services.store.people.find(claim.person_id) if claim else None
    if claim is None or person is None:
        raise UserError("This claim no longer exists.")
    where = f"\n-# {shown(claim.place, 200)}" if claim.place else ""
    holder, challenger = await asyncio.gather(
        *(account_of(client, member, contest.guild) for member in (claim.member, contest.member))
    )
    return note(
        f"## The claim of {shown(person.name, 80)}\nHeld by {holder}.\nClaimed {moment(claim.made)}: "
        f"L{claim.level}; the holder {shown(proof_words(claim), 300)}{where}\n"
        f"**Against it**, by {challenger}: {shown(contest.reason, 500)}",
        [
            [
                link("contest.end_claim", "End the claim", contest=contest.id),
                link("contest.keep_claim", "The claim stays", contest=contest.id),
                link("person.card", "Card", person=person.id),
            ]
        ],
    )


async def show_contests(
    interaction: discord.Interaction, services: Services, open_contests: Sequence[Contest]
) -> ui.LayoutView:
    """The contests that this member may settle; those that only the operator can settle come first."""
    lines: list[tuple[str, ui.Item[Any]]] = []
    more = 0
    for entry in sorted(open_contests, key=lambda entry: (not entry.for_operator, entry.made)):
        claim = await services.store.claims.find(entry.claim_id)
        if claim is None or not await may_settle(interaction, services, entry, claim):
            continue
        if len(lines) == SHOWN:
            more += 1
            continue
        person = await services.store.people.find(claim.person_id)
        name = shown(person.name, 80) if person else "?"
        text = f"**{name}** · {moment(entry.made)}\n-# {shown(entry.reason, 200)}"
        lines.append((text, link("contest.look", "Look", contest=entry.id)))
    if not lines:
        return note("No contested claims are waiting for you here.")
    return people_list("## Contested claims", lines, f"-# and {more} more" if more > 0 else None)


class ContestCommands(commands.Cog, name="Contests"):
    """Contesting claims."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @with_labmate
    @app_commands.describe(person="Whose claim is wrong", reason="Why it is wrong")
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
        match = await whom(services, person)
        if match.person is None:
            return await ask_which(services, match, "person.choose_card")
        return await contest(interaction, services.everywhere, match.person.id, reason)

    @app_commands.command()
    @with_labmate
    @app_commands.default_permissions(manage_guild=True)
    async def contests(self, interaction: discord.Interaction) -> None:
        """Settle contested claims (for server managers and the person who runs Labmate)"""
        await answer(interaction, self._contests(interaction), private=True)

    async def _contests(self, interaction: discord.Interaction) -> ui.LayoutView:
        contests = self._services.store.contests
        if await is_operator(interaction):
            return await show_contests(interaction, self._services, await contests.open_anywhere())
        if not manages_server(interaction):
            raise UserError(MANAGERS_SETTLE)
        open_contests = await contests.open_in(interaction.guild_id or 0)
        return await show_contests(interaction, self._services, open_contests)


async def setup(bot: commands.Bot) -> None:
    """Add the commands."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(ContestCommands(services))
