"""What the buttons of a message say: the ids that they carry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import discord
from discord import ui

from commands.kit.links import ACTIONS, action


def ids_in(message: discord.Message | None, name: str) -> list[dict[str, Any]]:
    """The ids of each button of a message that does an action, from top to bottom.

    Raises
    ------
    LookupError
        Where no imported file handles the action.
    """
    pattern = action(name).pattern
    custom_ids = _custom_ids(message.components) if message is not None else ()
    matches = (pattern.regex.fullmatch(custom_id) for custom_id in custom_ids)
    return [pattern.read(match) for match in matches if match]


def papers_shown(message: discord.Message) -> list[int]:
    """The store ids of the papers that the buttons of one of our messages are about, from top to bottom."""
    return _papers(message.components)


def papers_on(view: ui.LayoutView) -> list[int]:
    """The same of a view that is not sent yet."""
    return _papers(view.children)


def _papers(components: Iterable[Any]) -> list[int]:
    about = [one.pattern for one in ACTIONS.values() if one.pattern.kinds.get("paper") == "id"]
    papers: dict[int, None] = {}
    for custom_id in _custom_ids(components):
        for pattern in about:
            if match := pattern.regex.fullmatch(custom_id):
                papers[int(match["paper"])] = None
    return list(papers)


def _custom_ids(components: Iterable[Any]) -> Iterator[str]:
    """Those of all buttons, also of those inside containers, sections and rows."""
    for component in components:
        if custom_id := getattr(component, "custom_id", None):
            yield custom_id
        inside = [*(getattr(component, "children", None) or []), getattr(component, "accessory", None)]
        yield from _custom_ids(filter(None, inside))
