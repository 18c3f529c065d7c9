"""What was found for a question of `/ask`, and how the question was taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from commands.cards.answer import question_heading
from commands.cards.text import day, safe, shorten
from commands.papers.ask_query import AskQuery
from data.records import Paper
from index.answers.followups import FollowUp
from index.answers.library import Answered


@dataclass(frozen=True)
class FoundAnswer:
    """What was found, and how the question was taken."""

    asked: AskQuery
    meant: FollowUp
    answered: Answered
    paper: Paper | None
    notes: tuple[str, ...]
    """Lines for the end of the reply, already safe."""


def heading(found: FoundAnswer) -> str:
    """The question, and how it was taken."""
    asked, notes = found.asked, list[str]()
    if found.meant.papers:
        several = len(found.meant.papers) > 1
        notes.append("asked of the papers quoted before" if several else "asked of the paper quoted before")
    elif found.meant.changed:
        notes.append(f"taken as: {safe(shorten(found.meant.text, 200))}")
    limits = [
        f"in {asked.category}" if asked.category else "",
        f"since {day(asked.since)}" if asked.since else "",
        "more papers" if asked.left_out else "",
    ]
    if any(limits):
        notes.append(", ".join(filter(None, limits)))
    return question_heading(asked.question, notes)


def bare(asked: AskQuery) -> AskQuery:
    """Without the papers quoted, which the message's own buttons name."""
    return AskQuery(**fields_of(asked, quoted=()))


def fields_of(asked: AskQuery, **more: Any) -> dict[str, Any]:
    """What a query asks, with some of it changed."""
    return {name: getattr(asked, name) for name in AskQuery.__slots__} | more
