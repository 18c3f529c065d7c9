"""The card of `/summary`: four quoted sentences, each with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discord import ui

from commands.cards.lists import note
from commands.cards.places import place_link
from commands.cards.text import author_line, facts_line, readable, safe, title_link
from data.records import Paper
from index.documents.full_texts import PaperText
from index.documents.paper_summary import Said

_NAMES = {"problem": "Problem", "method": "Method", "result": "Result", "limits": "Limits"}


def summary_card(
    paper: Paper, said: Mapping[str, Said | None], text: PaperText, actions: Sequence[ui.Item[Any]]
) -> ui.LayoutView:
    """The parts in their order; a part that the text does not state is named as missing."""
    missing = (
        "I find no sentence in the paper that states this." if text.whole else "The abstract doesn't say."
    )
    lines = [f"## Summary\n{title_link(paper, 200)}", author_line(paper, most=4), facts_line(paper)]
    for name, one in said.items():
        if one is None:
            lines.append(f"**{_NAMES[name]}**\n-# {missing}")
        else:
            quoted = safe(readable(one.sentence))
            lines.append(f"**{_NAMES[name]}** · {place_link(paper, one.passage)}\n“{quoted}”")
    lines.append(f"-# {safe(text.reason)}" if text.reason else f"-# {_read(text)}")
    return note("\n".join(lines), [list(actions)])


def _read(text: PaperText) -> str:
    """What was read, and that nothing was rephrased."""
    pages = f"all {text.pages} pages" if text.pages > 1 else "the whole paper"
    return f"I read {pages}. Each sentence is quoted as it stands there."
