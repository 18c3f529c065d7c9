"""`/top`: what people here saved and liked most, against what the ranking alone says."""

from __future__ import annotations

from datetime import timedelta

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import PAGE, Entry, listing, note
from commands.cards.text import plural
from commands.digests.choosing import MOST_CANDIDATES, daily
from commands.kit.links import link
from commands.kit.options import category_name, complete_category
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from data.calendar.clock import utc_now
from index.digest.chooser import Taste
from index.search.facets import in_category

SHOWN = 2 * PAGE
MOST_DAYS = 60
ONLY_HERE = "Here I can only say what a server saved and liked; ask in one."
NOT_EVERYWHERE = "The person who runs me has not allowed looking beyond this server (TOP_EVERYWHERE, see docs/configure.md)."


async def show(
    services: Services, guild: int | None, days: int, category: str | None, *, everywhere: bool = False
) -> ui.LayoutView:
    """The papers that most members saved or liked, each with its place in the ranking alone."""
    if everywhere and not services.top_everywhere:
        raise UserError(NOT_EVERYWHERE)
    if guild is None and not everywhere:
        raise UserError(ONLY_HERE)
    since = utc_now() - timedelta(days=days)
    where = {} if everywhere else {"guild": guild or 0}
    counts: dict[int, list[int]] = {}
    said = await services.store.digests.opinions(**where, since=since)
    # A member counts once for a paper, in however many servers of theirs they say it.
    last = {(member, paper): kind for member, paper, kind, _ in said}
    for (_, paper), kind in last.items():
        if kind != "skip":
            counts.setdefault(paper, [0, 0, 0])[("save", "like", "dislike").index(kind)] += 1
    papers = {paper.id: paper for paper in await services.store.papers(counts)}
    wanted = [
        number
        for number, (saves, likes, away) in counts.items()
        if number in papers
        and saves + likes
        and 2 * saves + likes > away
        and (not category or in_category(" ".join(papers[number].categories), category))
    ]
    wanted.sort(
        key=lambda number: (2 * counts[number][2] - 2 * counts[number][0] - counts[number][1], -number)
    )
    period = plural(days, "day")
    place = "in all servers" if everywhere else "here"
    of = f" in {category}" if category else ""
    if not wanted:
        return note(
            f"Nobody {place} saved or liked a paper{of} in the last {period}. Save and Like stand on the papers of "
            "digests; /digest create sets one up, /new shows what was announced."
        )
    query = " ".join(digest.query for digest in await services.store.digests.of_guild(guild or 0)).strip()
    ranks, total = await _ranks(services, wanted[:SHOWN], days, category, "" if everywhere else query)
    entries = []
    for number in wanted[:SHOWN]:
        saves, likes, _ = counts[number]
        said = " · ".join(
            filter(None, [plural(saves, "save") if saves else "", plural(likes, "like") if likes else ""])
        )
        rank = (
            f"ranking alone: {ranks[number]:,} of {total:,}" if number in ranks else "announced before that"
        )
        entries.append(
            Entry(papers[number], link("paper.card", "Details", paper=number), note=f"**{said}** · {rank}")
        )
    return listing(
        f"## Most saved and liked {place}{of}\n-# the last {period}; the ranking alone knows what the digests here ask for, not who saved what",
        entries,
    )


async def _ranks(
    services: Services, wanted: list[int], days: int, category: str | None, query: str
) -> tuple[dict[int, int], int]:
    """(places of some papers in the ranking that knows no opinions, how many were ranked)."""
    today = utc_now().date()
    pool: list[int] = []
    _, on, _ = await services.store.listings.around()
    while on is not None and on > today - timedelta(days=days) and len(pool) < MOST_CANDIDATES:
        for entry in await services.store.listings.entries(on):
            if entry.new and (not category or in_category(" ".join(entry.categories), category)):
                pool.append(entry.paper)
        on, _, _ = await services.store.listings.around(on)
    pool = list(dict.fromkeys(pool))[:MOST_CANDIDATES]
    if not pool:
        return {}, 0
    order = await (await daily(services)).ranked(pool, Taste(query=query[:1_000]))
    places = {paper: place for place, paper in enumerate(order, 1)}
    return {paper: places[paper] for paper in wanted if paper in places}, len(pool)


class Top(commands.Cog):
    """What was saved and liked most."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        days="How far back", category="One arXiv category", everywhere="In all servers, where that is allowed"
    )
    @app_commands.autocomplete(category=complete_category)
    async def top(
        self,
        interaction: discord.Interaction,
        days: app_commands.Range[int, 1, MOST_DAYS] = 7,
        category: app_commands.Range[str, 1, 40] | None = None,
        everywhere: bool = False,
    ) -> None:
        """Show what people here saved and liked most"""
        work = show(
            self._services, interaction.guild_id, days, category_name(category), everywhere=everywhere
        )
        await answer(interaction, work)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Top(services))
