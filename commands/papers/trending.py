"""`/trending`: topics that grow against the period before, with the papers behind each."""

from __future__ import annotations

import asyncio
from datetime import date

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import ACCENT, PAGE, Entry, listing, note
from commands.cards.pictures import trends_png
from commands.cards.text import day, label, plural, shown
from commands.kit.components import Choosable
from commands.kit.limits import PICTURE
from commands.kit.options import category_name, complete_category
from commands.kit.painter import attached
from commands.kit.progress import Need
from commands.kit.replies import Reply, answer
from commands.kit.services import Services
from commands.papers.paper import PaperButton
from index.people.topics import LEAST_NOW, MOST_FALSE, Trend
from index.search.facets import Where

SHOWN = 8


class TrendSelect(Choosable, template=r"tr:(?P<days>\d{1,3}):(?P<on>\d{1,7}):(?P<category>[A-Za-z.-]{0,30})"):
    """The papers behind a growing topic."""

    def __init__(self, choices: list[discord.SelectOption], *, days: str, on: str, category: str) -> None:
        self.days, self.on, self.category = int(days), int(on), category
        super().__init__(
            ui.Select(
                custom_id=f"tr:{days}:{on}:{category}",
                placeholder="The papers behind a topic",
                options=choices or [discord.SelectOption(label="?", value="?")],
            )
        )

    async def chosen(self, interaction: discord.Interaction, services: Services, value: str) -> None:
        private = bool(interaction.message and interaction.message.flags.ephemeral)
        await answer(interaction, self._papers(services, value), private=private, needs=(Need.TOPICS,))

    async def _papers(self, services: Services, phrase: str) -> ui.LayoutView:
        on = date.fromordinal(self.on) if 1 <= self.on <= date.max.toordinal() else date.max
        trends, _, _ = await find(services, self.days, self.category or None, on)
        trend = next((t for t in trends if t.phrase == phrase), None)
        if trend is None:
            return note("This topic no longer counts as growing. Ask /trending again.")
        papers = await services.store.papers(trend.papers[:PAGE])
        entries = [Entry(paper, PaperButton("Details", paper=str(paper.id))) for paper in papers]
        return listing(
            f"## {shown(phrase, 80)}\n{plural(trend.now, 'paper')} in {self.days} days, {trend.before} in the "
            f"{self.days} before; the newest:",
            entries,
        )


async def find(
    services: Services, days: int, category: str | None, on: date | None = None
) -> tuple[list[Trend], int, int]:
    """Growing topics up to a day (the newest that papers have), with papers now and before."""
    facets, topics = services.corpus.facets, services.insight.topics
    if topics is None or not len(facets):
        return [], 0, 0
    on = on or newest_day(services)
    allowed = facets.allowed(Where(category=category)) if category else None
    return await asyncio.to_thread(topics.trending, facets.days, on, days, allowed, SHOWN)


def newest_day(services: Services) -> date:
    """The newest day that papers have."""
    return date.fromordinal(max(1, int(services.corpus.facets.days.max(initial=1))))


async def show(services: Services, days: int, category: str | None) -> ui.LayoutView | Reply:
    """The growing topics with counts and a picture."""
    await services.wait_for_people()
    if services.insight.topics is None:
        return note("I have not found topics yet; that is done after papers are read in.")
    on = newest_day(services)
    trends, now, before = await find(services, days, category, on)
    where = f" in {category}" if category else ""
    head = f"## Growing{where}, {days} days up to {day(on)}\n{now:,} papers, {before:,} in the {days} days before"
    if not trends:
        return note(
            f"{head}\nNo topic has grown so clearly that it can't be chance. A longer period, such as "
            f"/trending days:{min(365, days * 3)}, or another category may show more."
        )
    lines = [
        f"{place}. **{shown(trend.phrase, 60)}** {trend.now} papers, {trend.before} before"
        f" · {trend.growth:.1f} times its share · {chance(trend.q)}"
        for place, trend in enumerate(trends, 1)
    ]
    bars = [(t.phrase, 100 * t.before / before, 100 * t.now / now) for t in trends]
    names = f"{days} days before", f"last {days} days"
    png = await services.painter.paint(trends_png, (tuple(bars), days), bars, *names)
    options = [
        discord.SelectOption(label=label(t.phrase, 100), value=t.phrase[:100], description=f"{t.now} papers")
        for t in trends
    ]
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay("\n".join([head, *lines])))
    if png:
        alt = "Shares of all papers, before and now: " + "; ".join(
            f"{phrase} {old:.1f} to {new:.1f} %" for phrase, old, new in bars
        )
        item = discord.MediaGalleryItem("attachment://trending.png", description=alt[:1_000])
        box.add_item(ui.MediaGallery(item))
    box.add_item(
        ui.TextDisplay(
            f"-# Topics of {LEAST_NOW} papers or more whose share grew more than chance explains, at a false discovery rate of "
            f"{MOST_FALSE:.0%}."
        )
    )
    box.add_item(
        ui.ActionRow(TrendSelect(options, days=str(days), on=str(on.toordinal()), category=category or ""))
    )
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return Reply(view, attached(png, "trending.png"))


def chance(q: float) -> str:
    """The false discovery rate in words."""
    return "chance under 1 in 1,000" if q < 0.001 else f"chance {q:.1%}"


class Trending(commands.Cog):
    """Growing topics."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        days="Length of the period (default: 90)",
        category="Only papers of this arXiv category, such as cs.CL",
        private="Only you see the answer",
    )
    @app_commands.autocomplete(category=complete_category)
    async def trending(
        self,
        interaction: discord.Interaction,
        days: app_commands.Range[int, 3, 365] = 90,
        category: app_commands.Range[str, 0, 40] | None = None,
        private: bool = False,
    ) -> None:
        """Show topics that grow"""
        work = show(self._services, days, category_name(category))
        await answer(interaction, work, private=private, cost=PICTURE, needs=(Need.PAPERS, Need.TOPICS))


async def setup(bot: commands.Bot) -> None:
    """Add the command and its select."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(TrendSelect)
    await bot.add_cog(Trending(services))
