"""`/top`: the papers that people here saved and liked most, beside their place in the ranking alone."""

from __future__ import annotations

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards import taste as cards
from commands.cards.lists import PAGE, Entry, listing, note
from commands.kit.installs import in_servers
from commands.kit.links import link
from commands.kit.options import A_CATEGORY, category_name, complete_category
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from index.digest.favourites import favourites

SHOWN = 2 * PAGE
MOST_DAYS = 60
ONLY_HERE = "I count what the members of a server saved and liked. Ask me in a server."
NOT_EVERYWHERE = (
    "The person who runs me has not allowed looking beyond this server "
    "(TOP_EVERYWHERE, see docs/configure.md)."
)


async def show(
    services: Services, guild: int | None, days: int, category: str | None, *, everywhere: bool = False
) -> ui.LayoutView:
    """The papers that most members saved or liked, each with its place in the ranking alone.

    Raises
    ------
    UserError
        Outside servers, and everywhere if that is not allowed.
    """
    if everywhere and not services.top_everywhere:
        raise UserError(NOT_EVERYWHERE)
    if guild is None and not everywhere:
        raise UserError(ONLY_HERE)
    place = "in all servers" if everywhere else "here"
    top = await favourites(services, None if everywhere else guild, days, category, SHOWN)
    if not top.papers:
        return note(cards.no_favourites(place, days, category))
    entries = [
        Entry(
            one.paper,
            link("paper.card", "Details", paper=one.paper.id),
            note=cards.favourite_line(one, top.ranked),
        )
        for one in top.papers
    ]
    return listing(cards.favourites_heading(place, days, category), entries)


class Top(commands.Cog):
    """The papers that people saved and liked most."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @in_servers
    @app_commands.describe(
        days="How many days back",
        category=A_CATEGORY,
        everywhere="In all servers, if that is allowed",
    )
    @app_commands.autocomplete(category=complete_category)
    async def top(
        self,
        interaction: discord.Interaction,
        days: app_commands.Range[int, 1, MOST_DAYS] = 7,
        category: app_commands.Range[str, 1, 40] | None = None,
        everywhere: bool = False,
    ) -> None:
        """Show the papers that people here saved and liked most"""
        work = show(
            self._services, interaction.guild_id, days, category_name(category), everywhere=everywhere
        )
        await answer(interaction, work)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Top(services))
