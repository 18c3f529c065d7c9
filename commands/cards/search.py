"""What a search understood, in a line, and a page of what it found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from discord import ui

from commands.cards.lists import ACCENT, PAGE, Entry, listing
from commands.cards.text import day, label, shorten, shown
from index.search.understanding import DATES, LIKENESS, PEOPLE, TYPOS, WITHOUT, Understood
from index.search.wishes import Order

TEN = 10
_NAMED = 2
"""People named in the line; others are counted."""
_ORDERS: dict[str, str] = {"newest": "newest first", "oldest": "oldest first"}


def understood_line(said: Understood, order: Order, *, since: date | None, until: date | None) -> str:
    """Everything that was understood beside the subject, in small print; "" for nothing.

    Parameters
    ----------
    since, until
        The days that hold, from the query and the options.
    """
    parts = [
        _fixed(said),
        _days(since, until),
        _people(said),
        _like(said),
        " and ".join(f"without {shown(what, 60)}" for what in said.without),
        _ORDERS.get(order, ""),
    ]
    text = " · ".join(filter(None, parts))
    return f"-# {text[0].upper()}{text[1:]}" if text else ""


def _fixed(said: Understood) -> str:
    return f"showing results for **{shown(said.text, 120)}**" if said.fixed else ""


def _days(since: date | None, until: date | None) -> str:
    if since and until:
        return f"on {day(since)}" if since == until else f"{day(since)} to {day(until)}"
    return f"since {day(since)}" if since else f"until {day(until)}" if until else ""


def _people(said: Understood) -> str:
    if not said.people:
        return ""
    names = [shown(name, 60) for name in said.people[:_NAMED]]
    more = len(said.people) - _NAMED
    who = " or ".join(names) + (f" and {more} other forms of the name" if more > 0 else "")
    return f"papers by {who}" if said.people_sure or not said.text else f"papers by {who} first"


def _like(said: Understood) -> str:
    if said.like is None:
        return ""
    return f"{'follow-ups of' if said.follows else 'like'} {shown(said.like, 80)}"


def undo_label(part: str, said: Understood) -> str:
    """What the button says that undoes a part."""
    labels = {
        DATES: "Any time",
        PEOPLE: "By anyone",
        TYPOS: f"Search for “{shorten(_as_typed(said), 40)}” instead",
        LIKENESS: "Search for the words",
        WITHOUT: f"Also with {shorten(', '.join(said.without), 40)}",
    }
    return label(labels[part])


def _as_typed(said: Understood) -> str:
    text = said.text
    for typed, meant in said.fixed:
        text = text.replace(meant, typed)
    return text


def foreign_line(said: Understood, *, fits: bool) -> str:
    """What to tell of a query that is not in English."""
    if said.foreign is None:
        return ""
    name = "another language" if said.foreign == "another language" else said.foreign
    known = "The papers and the model here are in English"
    if fits:
        return f"-# This looks like {name}. {known}, so I went by meaning; English words find more."
    return f"-# This looks like {name}. {known}. Please ask in English."


def page_of_results(
    heading: str,
    entries: Sequence[Entry],
    *,
    start: int,
    footer: str | None,
    rows: Sequence[Sequence[ui.Item[Any]]],
    opening: ui.Item[Any] | None = None,
) -> ui.LayoutView:
    """A page of papers; one of more than five is brief and has a select that opens a paper.

    Discord allows forty parts in a message, and a paper with its button takes three.
    """
    if len(entries) <= PAGE or opening is None:
        return listing(heading, entries, start=start, footer=footer, rows=rows)
    texts = [entry.text(start + place, brief=True) for place, entry in enumerate(entries)]
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(heading))
    for text in texts:
        box.add_item(ui.TextDisplay(text[:380]))
    if footer:
        box.add_item(ui.TextDisplay(footer))
    box.add_item(ui.ActionRow(opening))
    for row in rows:
        if row:
            box.add_item(ui.ActionRow(*row))
    view = ui.LayoutView(timeout=None)
    view.add_item(box)
    return view
