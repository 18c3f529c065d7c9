"""The buttons below results of `/search`: undo what was understood, turn pages, ask for another author."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from discord import ui

from commands.cards.lists import PAGE
from commands.cards.search import undo_label
from commands.cards.text import label
from commands.kit.kept import kept_link, kept_numbers
from commands.kit.links import Link, link
from commands.kit.services import Services
from commands.papers.search_query import SearchQuery
from index.search.understood import ORDER, VENUE, Understood
from index.search.wishes import Order

MOST_BUTTONS = 5
"""Discord's most in a row."""
_INLINE = 50
"""Characters of a query that a button carries itself; longer ones are kept in the store."""


@dataclass(frozen=True, slots=True)
class Again:
    """A button that searches again."""

    action: str
    label: str
    asked: SearchQuery
    ids: dict[str, Any]


def changes_of(asked: SearchQuery, said: Understood, order: Order, *, anywhere: bool) -> list[Again]:
    """Buttons that undo parts of the understanding, where that changes anything."""
    idle = {ORDER, VENUE} if anywhere else {ORDER}
    return [
        Again(
            "search.change",
            undo_label(part, said),
            replace(asked, undo=asked.undo | {part}, order=order),
            {"how": part},
        )
        for part in sorted(said.parts - idle)[:MOST_BUTTONS]
    ]


def instead_of(asked: SearchQuery, said: Understood, names: Sequence[str]) -> list[Again]:
    """Buttons that ask for another author instead of one that nobody knows."""
    buttons = []
    for number, name in enumerate(names):
        if asked.author:
            other = replace(asked, author=name)
        elif said.people_unknown:
            query = _renamed(asked.query, said, name)
            if query == asked.query:
                return []
            other = replace(asked, query=query)
        else:  # a field is not easily replaced
            return []
        buttons.append(Again("search.change", label(f"By {name}", 80), other, {"how": "ABC"[number]}))
    return buttons


def _renamed(query: str, said: Understood, name: str) -> str:
    """A query with another name in place of the first one that nobody has."""
    unknown = r"\s+".join(map(re.escape, said.people_unknown[0].split()))
    return re.sub(rf"(?<!\w){unknown}(?!\w)", lambda _: name, query, count=1)


def turning_pages(asked: SearchQuery, order: Order, page: int, pages: int, found: int) -> list[Again]:
    """Buttons to other pages, and to another order or length of them."""
    buttons: list[Again] = []
    if page > 0:
        buttons.append(Again("search.turn", "◀ Previous", asked, {"page": page - 1}))
    if page < pages - 1:
        buttons.append(Again("search.turn", "Next ▶", asked, {"page": page + 1}))
    if found > 1:
        turned: Order = "newest" if order == "best" else "best"
        text = "Newest first" if turned == "newest" else "Best first"
        buttons.append(Again("search.change", text, replace(asked, order=turned), {"how": "S"}))
    if found > PAGE:
        text = "Five a page" if asked.many else "Ten a page"
        buttons.append(Again("search.change", text, replace(asked, many=not asked.many), {"how": "X"}))
    return buttons


async def rows_of(services: Services, *rows: list[Again]) -> list[list[ui.Item[Any]]]:
    """Rows of buttons; queries too long for them are kept in the store."""
    coded = [[(again, again.asked.code()) for again in row] for row in rows]
    numbers = await kept_numbers(services, [code for row in coded for _, code in row if len(code) > _INLINE])

    def made(again: Again, code: str) -> Link:
        if len(code) <= _INLINE:
            return link(again.action, again.label, code=code, **again.ids)
        return kept_link(numbers, f"{again.action}_kept", again.label, code, **again.ids)

    return [[made(*one) for one in row] for row in coded]
