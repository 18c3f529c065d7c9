"""What the buttons of a message say: the ids that they carry."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import discord
from discord import ui

from commands.kit.links import ACTIONS, action
from index.answers.asked_before import Among

_NUMBER = re.compile(r"^(\d{1,4})\. ", re.MULTILINE)
"""The number of a paper in a list."""


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


def listed_on(view: ui.LayoutView) -> Among:
    """The papers of a list that is not sent yet, with the number of the first; or the people of one."""
    papers, people, first = dict[int, None](), dict[int, None](), 0
    for section in _sections(view.children):
        custom_id = getattr(section.accessory, "custom_id", None) or ""
        if match := action("paper.card").pattern.regex.fullmatch(custom_id):
            papers[int(match["paper"])] = None
            first = first or _number(section)
        elif match := action("person.card").pattern.regex.fullmatch(custom_id):
            people[int(match["person"])] = None
    return Among(tuple(papers), first=first or 1) if papers else Among(people=tuple(people))


def papers_on(view: ui.LayoutView) -> list[int]:
    """The store ids of the papers that the buttons of a view that is not sent yet are about."""
    return _papers(view.children)


def people_on(view: ui.LayoutView) -> tuple[int, ...]:
    """The store ids of the people whose cards the buttons of a view that is not sent yet open."""
    regex = action("person.card").pattern.regex
    matches = map(regex.fullmatch, _custom_ids(view.children))
    return tuple(dict.fromkeys(int(match["person"]) for match in matches if match))


def offered_in(components: Iterable[Any], name: str) -> tuple[int, ...]:
    """The store ids that the select of an action offers, in a view or among a message's components."""
    pattern = action(name).pattern
    for component in _all(components):
        if pattern.regex.fullmatch(getattr(component, "custom_id", None) or ""):
            select = getattr(component, "item", component)
            return tuple(int(option.value) for option in getattr(select, "options", ()))
    return ()


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
    return filter(None, (getattr(component, "custom_id", None) for component in _all(components)))


def _all(components: Iterable[Any]) -> Iterator[Any]:
    """Components, and those inside them, from top to bottom."""
    for component in components:
        yield component
        inside = [*(getattr(component, "children", None) or []), getattr(component, "accessory", None)]
        yield from _all(filter(None, inside))


def _sections(components: Iterable[Any]) -> Iterator[Any]:
    return (one for one in _all(components) if getattr(one, "accessory", None) is not None)


def _number(section: Any) -> int:
    """The number that stands before a section's paper; 0 for none."""
    texts = (getattr(part, "content", "") for part in section.children)
    return next((int(match[1]) for text in texts if (match := _NUMBER.search(text))), 0)
