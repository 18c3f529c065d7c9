"""How a digest looks: a heading, a few papers with their reasons, what one can do about each. Records in, a view out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.lists import ACCENT
from commands.cards.text import author_line, day, first_sentence, plural, shown, title_link
from data.digests import Chosen, Delivery, Digest
from data.models import Paper

PAGE = 5
"""Papers with buttons on one message; Discord takes forty components."""
_TEXT_LIMIT = 3_900
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
Buttons = Callable[[int], Sequence[ui.Item[Any]]]


def heading(digest: Digest, delivery: Delivery) -> str:
    """The day, and how many were read to choose these."""
    read = plural(delivery.read, "new paper")
    chosen = f"{len(delivery.papers)} of {read}" if delivery.papers else f"none of {read} fits"
    late = " · late: I was away" if delivery.late else ""
    return f"## {shown(digest.name, 80)} · {delivery.slot:%A}, {day(delivery.slot)}\n-# {chosen}{late}"


def entry(paper: Paper, chosen: Chosen, style: str, bold: frozenset[str] = frozenset()) -> str:
    """A paper: title, authors, what it does in a sentence, why it is here."""
    lines = [title_link(paper, 160), author_line(paper, bold, 4 if style == "compact" else 8)]
    if gist := first_sentence(paper, 160 if style == "compact" else 360):
        lines.append(gist)
    close = f" · closeness {chosen.closeness:.2f}" if chosen.closeness else ""
    marks = "withdrawn · " if paper.withdrawn else ""
    lines.append(f"-# {marks}{chosen.why}{close}")
    return "\n".join(lines)


def post(
    digest: Digest,
    delivery: Delivery,
    papers: Mapping[int, Paper],
    buttons: Buttons,
    *,
    start: int = 0,
    more: Sequence[ui.Item[Any]] = (),
    bold: frozenset[str] = frozenset(),
) -> ui.LayoutView:
    """A page of a delivery, from its ``start``-th paper on; ``more`` are buttons below."""
    chosen = [one for one in delivery.papers if one.paper in papers][start : start + PAGE]
    texts = [entry(papers[one.paper], one, digest.style, bold) for one in chosen]
    if sum(map(len, texts)) > _TEXT_LIMIT - 300:
        texts = [entry(papers[one.paper], one, "compact", bold)[:700] for one in chosen]
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(heading(digest, delivery)))
    for one, text in zip(chosen, texts, strict=True):
        box.add_item(ui.TextDisplay(text))
        row = buttons(one.paper)
        if row:
            box.add_item(ui.ActionRow(*row))
    if more:
        box.add_item(ui.ActionRow(*more))
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return view


def summary(digest: Digest, now: str = "") -> str:
    """A digest in a list of them."""
    where = "by direct message" if digest.is_own else f"<#{digest.channel}>"
    days = week(digest.days)
    what = ", ".join(sorted(digest.category_set)) or "all categories"
    parts = [f"**{shown(digest.name, 80)}** · {where} · {days} at {digest.at} {shown(digest.zone, 60)}"]
    parts.append(
        f"-# {plural(digest.most, 'paper')} of {what}"
        + (f" · “{shown(digest.query, 80)}”" if digest.query else "")
    )
    if digest.state == "paused":
        parts.append("-# paused")
    elif digest.state == "broken":
        parts.append(f"-# stopped: {shown(digest.why, 160)}")
    elif now:
        parts.append(f"-# {now}")
    return "\n".join(parts)


def week(days: str) -> str:
    """``Mon–Fri``, ``every day``, or the days."""
    if days == "1111111":
        return "every day"
    if days == "1111100":
        return "Mon to Fri"
    return ", ".join(name for name, on in zip(WEEKDAYS, days, strict=True) if on == "1")


def reason(near: Sequence[Paper], by: Sequence[str], query: str, on_query: bool, own: str) -> str:
    """Why a paper is here, in a line; ``own`` is what its near papers were: saved here, liked by you."""
    parts = []
    if by:
        names = ", ".join(shown(name, 40) for name in by[:2])
        parts.append(f"by {names}, followed")
    if near:
        first = shown(near[0].title, 70)
        count = f"{len(near)} papers {own}, first “{first}”" if len(near) > 1 else f"“{first}”, {own}"
        parts.append(f"close to {count}")
    if on_query:
        parts.append(f"close to “{shown(query, 60)}”")
    return " · ".join(parts) or "central among the day's papers; Save and Like teach what is wanted"


def select_options(names: Sequence[str], chosen: frozenset[str]) -> list[discord.SelectOption]:
    """Options with those chosen already marked."""
    return [discord.SelectOption(label=name, value=name, default=name in chosen) for name in names[:25]]
