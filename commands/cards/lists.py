"""Lists of papers: one entry a section, pages below. Records in, a view out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.text import author_line, facts_line, gist, title_link
from data.records import Paper

PAGE = 5
ACCENT = discord.Colour(0x2F6F8F)
_TEXT_LIMIT = 3_900


class Entry:
    """A paper in a list, with a note on it, and a line above it where a group of papers begins."""

    def __init__(
        self,
        paper: Paper,
        details: ui.Item[Any],
        *,
        note: str | None = None,
        bold: frozenset[str] = frozenset(),
        above: str | None = None,
    ) -> None:
        self.paper = paper
        self.details = details
        self.note = note
        self.bold = bold
        self.above = above

    def text(self, number: int, *, brief: bool = False) -> str:
        """Title, authors, facts and a line about it: what the paper does, where nothing else is said."""
        lines = [
            f"{number}. {title_link(self.paper, 120 if brief else 200)}",
            author_line(self.paper, self.bold, 3 if brief else 6),
            facts_line(self.paper),
        ]
        note = self.note if self.note is not None else gist(self.paper, 120 if brief else 220)
        above = [self.above] if self.above else []
        return "\n".join([*above, *lines, *([note] if note and not brief else [])])


def listing(
    heading: str,
    entries: Sequence[Entry],
    *,
    start: int = 1,
    footer: str | None = None,
    rows: Sequence[Sequence[ui.Item[Any]]] = (),
) -> ui.LayoutView:
    """A page of papers.

    Parameters
    ----------
    heading
        Markdown; outside text in it is already safe.
    rows
        Rows of buttons or selects below, each of at most five.
    """
    texts = [entry.text(start + place) for place, entry in enumerate(entries)]
    if len(heading) + sum(map(len, texts)) + len(footer or "") > _TEXT_LIMIT:
        texts = [entry.text(start + place, brief=True) for place, entry in enumerate(entries)]
    sections = [(text[:1_500], entry.details) for entry, text in zip(entries, texts, strict=True)]
    return boxed(heading, sections, footer=footer, rows=rows)


def boxed(
    heading: str,
    sections: Sequence[tuple[str, ui.Item[Any]]],
    *,
    footer: str | None = None,
    rows: Sequence[Sequence[ui.Item[Any]]] = (),
) -> ui.LayoutView:
    """A heading, texts each with a button beside it, a footer, and rows below, in one frame."""
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(heading))
    for text, button in sections:
        box.add_item(ui.Section(ui.TextDisplay(text), accessory=button))
    if footer:
        box.add_item(ui.TextDisplay(footer))
    return framed(box, rows)


def framed(box: ui.Container[ui.LayoutView], rows: Sequence[Sequence[ui.Item[Any]]] = ()) -> ui.LayoutView:
    """A frame as a message, with rows of buttons or selects at its end; empty rows are left out."""
    for row in rows:
        if row:
            box.add_item(ui.ActionRow(*row))
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return view


def note(text: str, rows: Sequence[Sequence[ui.Item[Any]]] = ()) -> ui.LayoutView:
    """A short message with buttons or a select below."""
    return listing(text[:3_900], [], rows=rows)
