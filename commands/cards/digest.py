"""A digest's post: a heading, a few papers with reasons, and buttons for each. Records in, a view out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import discord
from discord import ui

from commands.cards import reasons
from commands.cards.fields import fields_line
from commands.cards.lists import ACCENT, framed, note
from commands.cards.text import abstract, author_line, day, gist, label, plural, shorten, shown, title_link
from data.calendar.partial_days import DatedBy
from data.calendar.zones import title
from data.records import Paper
from data.stores.delivery_record import Chosen, Delivery
from data.stores.digest_record import Digest

PAGE = 5
"""Papers with buttons on one message; Discord takes forty components."""
PICTURE = "day.png"
REGIONS_TOLD = 10
_TEXT_LIMIT = 3_900
_FRESH = timedelta(days=4)
"""A weekend with a holiday: where the newest listing is older, a digest says its day."""
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True)
class Picture:
    """A day's map: the PNG, and what it shows in words."""

    png: bytes
    alt: str
    told: str = ""
    """The same in a line of the post, for people who can't see the picture."""


Buttons = Callable[[int], Sequence[ui.Item[Any]]]


def heading(digest: Digest, delivery: Delivery, upto_by: DatedBy = "day") -> str:
    """The day, and how many new papers these were chosen from.

    Parameters
    ----------
    upto_by
        How much is known of the newest day that the delivery covers.
    """
    read = plural(delivery.read, "new paper")
    chosen = f"{len(delivery.papers)} of {read}" if delivery.papers else f"none of {read} match"
    if delivery.read == 1 and not delivery.papers:
        chosen = "the 1 new paper does not match"
    elif not delivery.read and left_out(digest, delivery):
        chosen = left_out(digest, delivery)
    elif not delivery.read:
        chosen = f"nothing new in {', '.join(sorted(digest.category_set)) or 'the categories that I read'}"
    late = " · posted late" if delivery.late else ""
    newest, newest_one = delivery.upto, "listing" if upto_by == "day" else "papers"
    listed = (
        f" · newest {newest_one}: {day(newest, upto_by)}"
        if newest and delivery.slot - newest > _FRESH
        else ""
    )
    return (
        f"## {shown(digest.name, 80)} · {delivery.slot:%A}, {day(delivery.slot)}\n-# {chosen}{listed}{late}"
    )


def left_out(digest: Digest, delivery: Delivery) -> str:
    """How many new papers are left out because they are known, and why; empty for none."""
    told: list[str] = []
    for count, why in ((delivery.known, _learned), (delivery.passed, _passed)):
        if count:
            new = f"{count:,} more" if delivery.read or told else plural(count, "new paper")
            verb = "is" if count == 1 else "are"
            told.append(f"{new} {verb} left out because {why(digest, count == 1)}")
    return ". ".join(told)


def _learned(digest: Digest, is_one: bool) -> str:
    them = "it" if is_one else "them"
    if digest.is_own:
        return f"you follow {them} or have already saved, liked, written or given {them} to me"
    return f"this digest already learns from {them}"


def _passed(digest: Digest, is_one: bool) -> str:
    they = "it was" if is_one else "they were"
    return f"{they} shown here before or marked *Not for us*"


def thread_name(digest: Digest, delivery: Delivery) -> str:
    """The name of a day's thread or forum post, which is not markdown."""
    return label(f"{digest.name} · {day(delivery.slot)}", 100)


def entry(number: int, paper: Paper, chosen: Chosen, style: str) -> str:
    """A paper: title, authors, its gist, and the reason for it."""
    lines = [f"{number}. {title_link(paper, 160)}"]
    lines.append(author_line(paper, frozenset(chosen.marked), 4 if style == "compact" else 8))
    if told := gist(paper, 180) if style == "compact" else abstract(paper, 700):
        lines.append(told)
    close = f" · similarity {chosen.closeness:.2f}" if chosen.closeness else ""
    crossed = f"cross-listed, first {day(chosen.first)}" if chosen.cross_listed else ""
    states = ["**withdrawn**" if paper.withdrawn else "", crossed, _revised(paper)]
    said = " · ".join([*filter(None, states), reasons.markdown(chosen.why)])
    lines.append(f"-# {said}{close}")
    return "\n".join(lines)


def _revised(paper: Paper) -> str:
    if (paper.version or 1) > 1:
        return f"version {paper.version}"
    return ""


def post(
    digest: Digest,
    delivery: Delivery,
    papers: Mapping[int, Paper],
    buttons: Buttons,
    *,
    start: int = 0,
    more: Sequence[ui.Item[Any]] = (),
    picture: Picture | None = None,
    upto_by: DatedBy = "day",
) -> ui.LayoutView:
    """A page of a delivery, from its ``start``-th paper on; ``more`` are buttons below."""
    chosen = [one for one in delivery.papers if one.paper in papers][start : start + PAGE]
    head = heading(digest, delivery, upto_by)
    if picture is not None and picture.told:
        head += f"\n-# {picture.told}"
    room = (_TEXT_LIMIT - max(300, len(head))) // max(len(chosen), 1)
    texts = []
    for number, one in enumerate(chosen, start + 1):
        text = entry(number, papers[one.paper], one, digest.style)
        if len(text) > room:
            text = entry(number, papers[one.paper], one, "compact")
        texts.append(text[:room])
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(head))
    if picture is not None:
        shown_picture = ui.MediaGallery[ui.LayoutView]()
        shown_picture.add_item(media=f"attachment://{PICTURE}", description=picture.alt)
        box.add_item(shown_picture)
    for one, text in zip(chosen, texts, strict=True):
        box.add_item(ui.TextDisplay(text))
        row = buttons(one.paper)
        if row:
            box.add_item(ui.ActionRow(*row))
    return framed(box, [more])


def contents(
    digest: Digest,
    delivery: Delivery,
    papers: Mapping[int, Paper],
    more: Sequence[ui.Item[Any]],
    upto_by: DatedBy = "day",
) -> ui.LayoutView:
    """The papers' titles, for the channel whose thread holds the papers themselves."""
    lines = [heading(digest, delivery, upto_by)]
    for number, one in enumerate(delivery.papers, 1):
        if one.paper in papers:
            lines.append(f"{number}. {title_link(papers[one.paper], 110)}")
    text = lines[0]
    for line in lines[1:]:
        if len(text) + len(line) < _TEXT_LIMIT:
            text += f"\n{line}"
    return note(text, [more] if more else [])


Region = tuple[str, int, Sequence[int]]
"""A region of a day's map: its topic, its papers, and the numbers of the chosen ones."""


def picture_alt(listed: date, regions: Sequence[Region], dated_by: DatedBy = "day") -> str:
    """The picture in words: the day, its topics by size, and where the chosen papers lie."""
    told = [
        f"{name}: {plural(papers, 'paper')}" + (f", with {_numbers(chosen)}" if chosen else "")
        for name, papers, chosen in _largest(regions)
    ]
    papers = plural(sum(papers for _, papers, _ in regions), "new paper")
    return shorten(f"{papers} of {day(listed, dated_by)} by topic: {'; '.join(told)}.", 1_000)


def picture_told(regions: Sequence[Region]) -> str:
    """The picture in a line: the day's topics by size, and the numbers of the chosen papers in each."""
    told = [
        f"{shown(name, 60)} {papers}" + (f" ({', '.join(map(str, chosen))})" if chosen else "")
        for name, papers, chosen in _largest(regions)
    ]
    return f"The day by topic, chosen papers in brackets: {' · '.join(told[:REGIONS_TOLD])}"


def _largest(regions: Sequence[Region]) -> list[Region]:
    return sorted(regions, key=lambda region: -region[1])


def _numbers(chosen: Sequence[int]) -> str:
    *most, last = map(str, chosen)
    return f"chosen papers {', '.join(most)} and {last}" if most else f"chosen paper {last}"


def summary(digest: Digest, now: str = "") -> str:
    """A digest in a list of them."""
    where = "by direct message" if digest.is_own else place(digest)
    days = week(digest.days)
    form = {"thread": ", one thread a day", "forum": ", one post a day"}.get(digest.form, "")
    source = fields_line(sorted(digest.category_set)) or "all fields"
    if digest.news:
        source = "followed authors and close follow-ups of kept papers"
    watched = digest.person_numbers
    parts = [f"**{shown(digest.name, 80)}** · {where}{form} · {days} at {digest.at} {zone(digest)}"]
    parts.append(
        f"-# up to {plural(digest.most, 'paper')} from {source}"
        + (f" · “{shown(digest.query, 80)}”" if digest.query else "")
        + (f" · watches {plural(len(watched), 'person', 'people')}" if watched else "")
    )
    if digest.state == "draft" and now:
        parts.append("-# not started yet")
    elif digest.state == "paused":
        parts.append("-# paused")
    elif digest.state == "broken":
        parts.append(f"-# stopped: {shown(digest.why, 160)}")
    elif now:
        parts.append(f"-# {now}")
    return "\n".join(parts)


def place(digest: Digest) -> str:
    """The channel as a mention, or a note that none is chosen yet."""
    return f"<#{digest.channel}>" if digest.channel else "no channel chosen yet"


def zone(digest: Digest) -> str:
    """The time zone, or a note that none is chosen yet."""
    return shown(title(digest.zone), 60) if digest.zone else "(time zone not chosen yet)"


def week(days: str) -> str:
    """``Mon–Fri``, ``every day``, or the days."""
    if days == "1111111":
        return "every day"
    if days == "1111100":
        return "Mon to Fri"
    return ", ".join(name for name, on in zip(WEEKDAYS, days, strict=True) if on == "1")


def select_options(names: Sequence[str], chosen: frozenset[str]) -> list[discord.SelectOption]:
    """Options with those chosen already marked."""
    return [discord.SelectOption(label=name, value=name, default=name in chosen) for name in names[:25]]
