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
from commands.kit.dated_by import dated_by
from commands.kit.installs import anywhere
from commands.kit.library_kind import lacking_category
from commands.kit.limits import PICTURE
from commands.kit.links import Press, choice, link, select
from commands.kit.options import A_CATEGORY, PRIVATE, category_name, complete_category
from commands.kit.painter import attached
from commands.kit.progress import Need
from commands.kit.replies import answer
from commands.kit.reply import Reply
from commands.kit.services import Services, seen_by
from commands.kit.spoken import Spoken, spoken
from commands.kit.theme import painted
from index.people.topics import LEAST_NOW, MOST_FALSE, Trend
from index.search.facets import Where

SHOWN = 8
DAYS, MOST_DAYS = 90, 365
NEEDS = (Need.PAPERS, Need.TOPICS)


@select("trend.papers", "tr:{days:page}:{on}:{category:category}", "The papers behind a topic")
async def show_topic(press: Press, phrase: str, days: int, on: int, category: str) -> None:
    """Show the papers behind a growing topic."""
    work = _papers(press.services, phrase, days, on, category or None)
    await answer(press.interaction, work, private=press.private, needs=(Need.TOPICS,))


async def _papers(services: Services, phrase: str, days: int, on: int, category: str | None) -> ui.LayoutView:
    day = date.fromordinal(on) if 1 <= on <= date.max.toordinal() else date.max
    trends, _, _ = await find(services, days, category, day)
    trend = next((trend for trend in trends if trend.phrase == phrase), None)
    if trend is None:
        return note("This topic no longer counts as growing. Ask /trending again.")
    papers = await services.store.papers(trend.papers[:PAGE])
    entries = [Entry(paper, link("paper.card", "Details", paper=paper.id)) for paper in papers]
    return listing(
        f"## {shown(phrase, 80)}\n{plural(trend.now, 'paper')} in {days} days, "
        f"{trend.before} in the {days} days before. The newest:",
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


async def _seen(interaction: discord.Interaction, days: int, category: str | None) -> ui.LayoutView | Reply:
    return await show(await seen_by(interaction), days, category)


async def show(services: Services, days: int, category: str | None) -> ui.LayoutView | Reply:
    """The growing topics with counts and a picture."""
    await services.wait_for_people()
    if services.insight.topics is None:
        return note("I haven't found topics yet. That happens after papers are read in.")
    on = newest_day(services)
    upto = day(on, await dated_by(services, on))
    trends, now, before = await find(services, days, category, on)
    where = f" in {category}" if category else ""
    head = (
        f"## Growing topics{where}, {days} days up to {upto}\n"
        f"{plural(now, 'paper')}, {before:,} in the {days} days before"
    )
    if lacking := lacking_category(services, category):
        return note(f"{head}\n{lacking}")
    if not trends:
        return note(f"{head}\nNo topic grew significantly. {_what_else(days, category)}")
    lines = [
        f"{place}. **{shown(trend.phrase, 60)}** {trend.now} papers, {trend.before} before"
        f" · share up {trend.growth:.1f}× ({probability(trend.q)})"
        for place, trend in enumerate(trends, 1)
    ]
    bars = [(t.phrase, 100 * t.before / before, 100 * t.now / now) for t in trends]
    names = f"{days} days before", f"last {days} days"
    png = await painted(services, trends_png, (tuple(bars), days), bars, *names)
    options = [
        discord.SelectOption(label=label(t.phrase, 100), value=t.phrase[:100], description=f"{t.now} papers")
        for t in trends
    ]
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay("\n".join([head, *lines])))
    if png:
        alt = f"Topics that grew in the {days} days up to {upto}, by their share of all papers: " + "; ".join(
            f"{phrase} {old:.1f} to {new:.1f} %" for phrase, old, new in bars
        )
        item = discord.MediaGalleryItem("attachment://trending.png", description=alt[:1_000])
        box.add_item(ui.MediaGallery(item))
    box.add_item(
        ui.TextDisplay(
            f"-# Topics of {LEAST_NOW} papers or more whose share grew significantly; p is adjusted for the "
            f"number of topics tested (false discovery rate {MOST_FALSE:.0%})."
        )
    )
    box.add_item(
        ui.ActionRow(choice("trend.papers", options, days=days, on=on.toordinal(), category=category or ""))
    )
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return Reply(view, attached(png, "trending.png"))


def _what_else(days: int, category: str | None) -> str:
    """What to try where no topic grew."""
    if days < MOST_DAYS:
        other = "another category" if category else "name a category"
        return f"Try a longer period, such as /trending days:{min(MOST_DAYS, days * 3)}, or {other}."
    other = "another category, or none" if category else "a category"
    return f"No longer period can be compared. Try a shorter one, such as /trending days:90, or {other}."


def probability(q: float) -> str:
    """The p value of a trend, adjusted for the number of topics tested (Benjamini-Hochberg)."""
    return "p < 0.001" if q < 0.001 else f"p = {q:.3f}"


class Trending(commands.Cog):
    """Growing topics."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        days=f"Length of the period (default: {DAYS})",
        category=A_CATEGORY,
        private=PRIVATE,
    )
    @app_commands.autocomplete(category=complete_category)
    async def trending(
        self,
        interaction: discord.Interaction,
        days: app_commands.Range[int, 3, MOST_DAYS] = DAYS,
        category: app_commands.Range[str, 0, 40] | None = None,
        private: bool = False,
    ) -> None:
        """Show growing topics"""
        work = _seen(interaction, days, category_name(category))
        await answer(interaction, work, private=private, cost=PICTURE, needs=NEEDS)


@spoken("trending", cost=PICTURE, needs=NEEDS)
async def trending_in_words(said: Spoken) -> ui.LayoutView | Reply:
    """Show growing topics to somebody who asked in words."""
    return await show(said.services, DAYS, category_name(said.options.get("category")))


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(Trending(services))
