"""What stands around a command's answer to a message: how to type it, and what it was read with."""

from __future__ import annotations

from collections.abc import Callable

from discord import ui

from commands.cards.text import safe, shorten
from commands.kit.links import Link
from commands.kit.reply import Reply
from index.search.routing import Route

_SHOWN = 300
_TEXT_LIMIT, _PARTS_LIMIT = 4_000, 40
_ROW = 2
"""Parts of a row with one button."""


def saying(
    found: Route, reply: Reply, *, read_with: str = "", alone: Callable[[], Link] | None = None
) -> Reply:
    """A reply that says which command gave it, also once it is replaced.

    Parameters
    ----------
    read_with
        What was asked before, if it was read with that.
    alone
        Makes the button that asks without it.
    """
    later = reply.later
    line = f"-# {safe(shorten(' '.join(found.typed.split()), _SHOWN))}"
    if read_with:
        before = safe(shorten(" ".join(read_with.split()), _SHOWN))
        line += f"\n-# I took this as a follow-up to “{before}”"

    def around(view: ui.LayoutView) -> ui.LayoutView:
        return headed(view, line, alone() if alone is not None else None)

    async def better() -> ui.LayoutView | None:
        view = await later() if later is not None else None
        return around(view) if view is not None else None

    return Reply(around(reply.view), reply.files, reply.more, better if later is not None else None)


def headed(view: ui.LayoutView, line: str, item: Link | None = None) -> ui.LayoutView:
    """A view below a line, and above a button if there is one, where Discord takes both."""
    room = _TEXT_LIMIT - view.content_length()
    if view.total_children_count >= _PARTS_LIMIT or len(line) > room:
        return view
    items = list(view.children)
    view.clear_items()
    for one in (ui.TextDisplay(line), *items):
        view.add_item(one)
    if item is not None and view.total_children_count + _ROW <= _PARTS_LIMIT:
        view.add_item(ui.ActionRow(item))
    return view
