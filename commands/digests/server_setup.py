"""`/setup`: sets up a server's digest step by step; the greeting's button opens it, too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards import digest as digest_cards
from commands.cards import digest_replies as replies
from commands.cards import setup_pages as cards
from commands.cards.lists import boxed
from commands.cards.text import shorten
from commands.digests.allowed import WHO_MAY
from commands.digests.changes import placed_now
from commands.digests.first_zone import first_zone
from commands.digests.setup_pages import STEPS, page, seen_places
from commands.kit.authority import manages
from commands.kit.installs import in_servers
from commands.kit.links import Press, button, link
from commands.kit.replies import UserError, answer
from commands.kit.reply import Reply
from commands.kit.servers import server_of
from commands.kit.services import Services, seen_by
from data.calendar import clock
from data.stores.digest_record import Digest, DigestRefused
from index.digest.due import next_postings

SHOWN, MOST_SUMMARY = 8, 450
"""Digests on one page, and characters of each; Discord takes four thousand in all."""
ONLY_IN_SERVERS = (
    "Use /setup in the server that you want to set up. For a digest of your own, use /digest mine."
)
_LIKELY = re.compile(r"paper|arxiv|reading|literature|journal|research", re.IGNORECASE)


@button("setup.begin", "su:g:{guild:snowflake}", style=ButtonStyle.primary)
async def begin_pressed(press: Press, guild: int) -> None:
    """Begin, or go on where this manager stopped."""
    await answer(press.interaction, begin(press.services, press.interaction, guild), private=True)


@button("setup.another", "su:a:{guild:snowflake}", style=ButtonStyle.primary)
async def another_pressed(press: Press, guild: int) -> None:
    """Begin another digest beside the existing ones."""
    work = begin(press.services, press.interaction, guild, another=True)
    await answer(press.interaction, work, private=True, update=True)


async def begin(
    services: Services, interaction: discord.Interaction, guild: int, *, another: bool = False
) -> ui.LayoutView | Reply:
    """The first page of a set-up, or what the server has already.

    Raises
    ------
    UserError
        Where the member doesn't manage the server, or it has as many digests as it may.
    """
    if not await manages(interaction, guild):
        raise UserError(WHO_MAY)
    store = services.store.digests
    living = await store.of_guild(guild, drafts=True)
    mine = [one for one in living if one.state == "draft" and one.owner == interaction.user.id]
    if mine:
        return await page(services, interaction, mine[-1], STEPS.index("place"))
    others = [one for one in living if one.state != "draft"]
    if others and not another:
        return await _others(services, others, guild)
    try:
        draft = await store.make(await _draft(services, interaction, guild))
    except DigestRefused as error:
        raise UserError(str(error)) from error
    return await page(services, interaction, draft, STEPS.index("place"))


async def _others(services: Services, digests: Sequence[Digest], guild: int) -> ui.LayoutView:
    now = clock.now()
    shown = digests[:SHOWN]
    ahead = await next_postings(services.store, shown, now)
    rows: list[tuple[str, ui.Item[Any]]] = [
        (
            shorten(digest_cards.summary(one, replies.when_next(ahead[one.id], now)), MOST_SUMMARY),
            link("digest.when", "Settings", digest=one.id),
        )
        for one in shown
    ]
    return boxed(
        cards.others_here(digests), rows, rows=[[link("setup.another", "Set up another", guild=guild)]]
    )


async def _draft(services: Services, interaction: discord.Interaction, guild: int) -> Digest:
    """A draft with a guessed channel and time zone."""
    place = await _likely_place(interaction, guild)
    zone = await first_zone(services, interaction, guild)
    draft = Digest(guild, 0, interaction.user.id, zone=zone)
    return replace(draft, **place) if place else draft


async def _likely_place(interaction: discord.Interaction, guild: int) -> dict[str, Any] | None:
    """A channel with a name about papers, else the command's own, if Labmate may write there."""
    server = await server_of(interaction.client, guild)
    if server is None:
        return None
    places = await seen_places(interaction, server)
    named = [place for place in places if _LIKELY.search(place.name)]
    here = [interaction.channel] if interaction.guild_id == guild else []
    for place in (*named, *here):
        try:
            return placed_now(place)
        except UserError:
            continue
    return None


class Setup(commands.Cog):
    """Setting up a server."""

    @app_commands.command()
    @in_servers
    async def setup(self, interaction: discord.Interaction) -> None:
        """Set up Labmate for this server, step by step (if you manage it)"""
        await answer(interaction, self._begin(interaction), private=True)

    async def _begin(self, interaction: discord.Interaction) -> ui.LayoutView | Reply:
        if interaction.guild_id is None:
            raise UserError(ONLY_IN_SERVERS)
        return await begin(await seen_by(interaction), interaction, interaction.guild_id)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    await bot.add_cog(Setup())
