"""`/new`: what was announced on a day."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any, Literal

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import PAGE, Entry, listing, note
from commands.cards.text import day as day_text
from commands.cards.text import plural, shown
from commands.kit.installs import anywhere
from commands.kit.library_kind import lacking_category
from commands.kit.links import Link, Press, button, choice, link, select
from commands.kit.options import A_CATEGORY, PRIVATE, category_name, complete_category
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import Services, seen_by
from commands.kit.spoken import Spoken, spoken
from data.calendar import clock
from data.calendar.partial_days import DatedBy
from index.digest.day_order import by_topic, for_channel
from index.search.dates_said import days_from
from index.search.facets import in_category
from index.search.queries import parse_day

COUNTED = 12
ALL = "all"
TOPIC, CHANNEL = "t", "c"
"""Orders of a listing, as letters of a button: grouped by topic, ranked for the channel; else as listed."""
_ORDERS = {"topic": TOPIC, "channel": CHANNEL}
"""Orders by the names that members type."""
_A_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|today|yesterday", re.IGNORECASE)
_FEW = "\n-# There are too few papers to group them by topic."
_NO_DIGEST = "\n-# This channel has no digest to rank for. /digest create makes one."


@button("listing.turn", "n:{on:day}:{page:page}:{category:category}:{key:[a-z]}")
async def turn(press: Press, on: str, page: int, category: str, key: str) -> None:
    """Show a page of a day's listing in place; ``key`` only tells buttons of one message apart."""
    work = show(press.services, _day(on), category or None, page)
    await answer(press.interaction, work, update=True, needs=(Need.PAPERS,))


@button("listing.turn_by", "nb:{by:[tc]}:{on:day}:{page:page}:{category:category}:{key:[a-z]}")
async def turn_by(press: Press, by: str, on: str, page: int, category: str, key: str) -> None:
    """As ``listing.turn``, for a listing grouped by topic or ranked for the channel."""
    work = _seen(press.interaction, _day(on), category or None, page, by)
    await answer(press.interaction, work, update=True, needs=(Need.PAPERS,))


async def _seen(
    interaction: discord.Interaction,
    on: date | str | None,
    category: str | None,
    page: int = 0,
    by: str = "",
) -> ui.LayoutView:
    """A page of the listing of a day, or of a time that a member typed."""
    services = await seen_by(interaction)
    on = await _typed(services, on) if isinstance(on, str) else on
    place = (interaction.guild_id or 0, interaction.channel_id or 0)
    return await show(services, on, category, page, by, place)


@select("listing.choose_category", "nc:{on:day}", "One category only")
async def choose_category(press: Press, value: str, on: str) -> None:
    """Narrow a day's listing to a category."""
    work = show(press.services, _day(on), None if value == ALL else category_name(value))
    await answer(press.interaction, work, update=True, needs=(Need.PAPERS,))


def _day(digits: str) -> date | None:
    return parse_day(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}")


def typed_day(text: str) -> date | None:
    """The day that a member typed: ``2026-05-18``, ``today`` or ``yesterday`` (UTC); else None."""
    today = clock.now().date()
    named = {"today": today, "yesterday": today - timedelta(days=1)}
    return named.get(text.strip().casefold()) or parse_day(text)


async def _typed(services: Services, text: str | None) -> date | None:
    """The day that a member typed, or the newest listing day of a month, year or week; None for no text.

    Raises
    ------
    UserError
        If it is none of these, or there was no listing in that time.
    """
    if not text:
        return None
    if day := typed_day(text) if _A_DAY.fullmatch(text.strip()) else None:
        return day
    days = days_from(text, clock.now().date())
    if days is None:
        raise UserError("I can't read that as a day or a month. Type it like 2026-05-18 or 2026-05.")
    newest, _, _ = await services.store.listings.around(days[1] + timedelta(days=1))
    if newest is None or (newest < days[0] and days[0] != days[1]):
        raise UserError(f"I know of no paper announced from {day_text(days[0])} to {day_text(days[1])}.")
    return newest if newest >= days[0] else days[0]


async def show(
    services: Services,
    wanted: date | None,
    category: str | None,
    page: int = 0,
    by: str = "",
    place: tuple[int, int] = (0, 0),
) -> ui.LayoutView:
    """A page of a day's listing; of a month's, where no day is known.

    Parameters
    ----------
    by
        ``TOPIC``, ``CHANNEL`` or "" for the order of the listing.
    place
        The server and the channel that it is ranked for.
    """
    before, on, after = await services.store.listings.around(wanted)
    if on is None:
        return await _no_listing(services)
    ids = await services.store.listings.on(on)
    categories = await services.store.listings.categories(ids, on)
    counts = Counter(name for names in categories.values() for name in names)
    if category:
        ids = [paper for paper in ids if in_category(" ".join(categories[paper]), category)]
    ids, topics, missing = await _in_order(services, ids, by, place)
    pages = max(1, -(-len(ids) // PAGE))
    page = min(page, pages - 1)
    chosen = ids[page * PAGE : (page + 1) * PAGE]
    papers = await services.store.papers(chosen)
    entries = [
        Entry(paper, link("paper.card", "Details", paper=paper.id), above=_above(chosen, place, topics))
        for place, paper in enumerate(papers)
    ]
    known = await services.store.listings.dated_by(filter(None, (before, on, after)))
    by_day = known.get(on, "day") == "day"
    when = f"on {on:%A}, {day_text(on)}" if by_day else f"in {day_text(on, known[on])}"
    heading = f"## New {when}\n{plural(len(ids), 'paper')}" + (f" in {category}" if category else "")
    shown_counts = " · ".join(f"{name} {count:,}" for name, count in counts.most_common(COUNTED))
    footer = f"-# {shown_counts}" if shown_counts else None
    if not counts:
        heading = f"## New {when}\nI have read no listing for that day."
    elif not entries and (lacking := lacking_category(services, category)):
        heading += f"\n{lacking}"
    elif not entries:
        heading += f"\nI know of nothing announced {'that day' if by_day else 'then'} in this category."
    if pages > 1:
        footer = f"{footer or ''}\n-# Page {page + 1} of {pages}"
    heading += missing
    rows: list[list[ui.Item[Any]]] = [_turning(on, page, pages, category, before, after, by, known)]
    rows.append(_orders(on, category, by, bool(place[0])) if len(ids) > 1 else [])
    if len(counts) > 1:
        rows.append([_select(counts, len(categories), on, category)])
    return listing(heading, entries, start=page * PAGE + 1, footer=footer, rows=rows)


async def _in_order(
    services: Services, ids: list[int], by: str, place: tuple[int, int]
) -> tuple[list[int], dict[int, str], str]:
    """The papers in an order, their topics if they are grouped, and what to say of the order."""
    if by == TOPIC:
        grouped = await by_topic(services, ids)
        if grouped is None:
            return ids, {}, _FEW
        return [paper for _, paper in grouped], {paper: topic for topic, paper in grouped}, ""
    if by == CHANNEL:
        ranked = await for_channel(services, *place, ids)
        return (ids, {}, _NO_DIGEST) if ranked is None else (ranked, {}, "\n-# Ranked for this channel")
    return ids, {}, ""


def _above(chosen: list[int], place: int, topics: dict[int, str]) -> str | None:
    """The topic, above the first paper of a group on a page."""
    topic = topics.get(chosen[place])
    if topic is None or (place and topics.get(chosen[place - 1]) == topic):
        return None
    return f"### {shown(topic, 60)}"


def _orders(on: date, category: str | None, by: str, here: bool) -> list[ui.Item[Any]]:
    """Buttons to the other orders."""
    ids: dict[str, Any] = {"on": f"{on:%Y%m%d}", "page": 0, "category": category or ""}
    buttons: list[ui.Item[Any]] = []
    if by:
        buttons.append(link("listing.turn", "As listed", key="l", **ids))
    if by != TOPIC:
        buttons.append(link("listing.turn_by", "By topic", by=TOPIC, key="t", **ids))
    if by != CHANNEL and here:
        buttons.append(link("listing.turn_by", "For this channel", by=CHANNEL, key="c", **ids))
    return buttons


def _select(counts: Counter[str], total: int, on: date, chosen: str | None) -> Link:
    options = [discord.SelectOption(label=f"All ({total:,})", value=ALL, default=chosen is None)]
    for name, count in counts.most_common(24):
        options.append(discord.SelectOption(label=f"{name} ({count:,})", value=name, default=name == chosen))
    return choice("listing.choose_category", options, on=f"{on:%Y%m%d}")


def _turning(
    on: date,
    page: int,
    pages: int,
    category: str | None,
    before: date | None,
    after: date | None,
    by: str,
    known: Mapping[date, DatedBy],
) -> list[ui.Item[Any]]:
    def to_page(text: str, day: date, at: int, key: str) -> Link:
        ids: dict[str, Any] = {"on": f"{day:%Y%m%d}", "page": at, "category": category or "", "key": key}
        return link("listing.turn_by", text, by=by, **ids) if by else link("listing.turn", text, **ids)

    buttons: list[ui.Item[Any]] = []
    if before:
        buttons.append(to_page(f"◀◀ {day_text(before, known.get(before, 'day'))}", before, 0, "b"))
    if page > 0:
        buttons.append(to_page("◀ Previous", on, page - 1, "p"))
    if page < pages - 1:
        buttons.append(to_page("Next ▶", on, page + 1, "n"))
    if after:
        buttons.append(to_page(f"{day_text(after, known.get(after, 'day'))} ▶▶", after, 0, "a"))
    return buttons


async def _no_listing(services: Services) -> ui.LayoutView:
    known = plural(services.paper_count, "paper")
    soon = "I'll fetch the last week from arXiv as soon as I can reach it. " if services.reads_arxiv else ""
    return note(
        f"I haven't read any listing yet; there are {known} in this library. {soon}"
        "/about says where papers come from."
    )


class New(commands.Cog):
    """A day's listing."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        category=A_CATEGORY,
        day="A day or month, such as 2026-05-18, 2026-05 or today (default: the newest)",
        order="As listed (the default), grouped by topic, or ranked for this channel",
        private=PRIVATE,
    )
    @app_commands.autocomplete(category=complete_category)
    async def new(
        self,
        interaction: discord.Interaction,
        category: app_commands.Range[str, 0, 40] | None = None,
        day: app_commands.Range[str, 0, 30] | None = None,
        order: Literal["listed", "topic", "channel"] = "listed",
        private: bool = False,
    ) -> None:
        """Show what was announced on a day"""
        if category and typed_day(category):
            raise UserError(f"For a day, type /new day:{category.strip()}.")
        by = _ORDERS.get(order, "")
        work = _seen(interaction, day, category_name(category), 0, by)
        await answer(interaction, work, private=private, needs=(Need.PAPERS,))


@spoken("new", needs=(Need.PAPERS,))
async def new_in_words(said: Spoken) -> ui.LayoutView:
    """Show a day's listing to somebody who asked in words."""
    day = said.options.get("day")
    wanted = await _typed(said.services, day)
    by = _ORDERS.get(said.options.get("order", "").casefold(), "")
    place = (said.services.place.guild or 0, said.place)
    return await show(said.services, wanted, category_name(said.options.get("category")), 0, by, place)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(New(services))
