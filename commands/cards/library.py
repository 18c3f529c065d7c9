"""Libraries and shared lists: works with their reading state, tags and notes. Records in, a view out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.lists import boxed
from commands.cards.text import author_line, facts_line, linked, plural, shown, title_link
from data.records import Paper
from data.stores.library import MOST_TAGS, Kept
from index.library.query import LibraryQuery

PAGE = 5
EMPTY = (
    "Your library is empty. /save adds a paper, and so does *Save* below the papers of a digest; /library "
    "import reads a file."
)
STATE_WORDS = {"unread": "to read", "reading": "reading", "read": "read"}
_TEXT_LIMIT = 3_600
_NOTE_LINES = 8


def work_lines(paper: Paper | None, item: dict[str, Any], most: int = 160) -> list[str]:
    """A work's title, authors and facts, whether we know it as a paper or only as CSL-JSON."""
    if paper is not None:
        return [title_link(paper, most), author_line(paper, most=4), facts_line(paper)]
    title = shown(str(item.get("title", "")), most)
    url = str(item.get("URL", ""))
    people = [
        " ".join(filter(None, (person.get("given"), person.get("family") or person.get("literal"))))
        for person in item.get("author", [])
    ]
    names = ", ".join(shown(name, 60) for name in people[:4]) + (
        f" … and {len(people) - 4} more" if len(people) > 4 else ""
    )
    parts = (item.get("issued") or {}).get("date-parts") or [[]]
    facts = [
        str(parts[0][0]) if parts[0] else "",
        shown(str(item.get("container-title", "")), 80),
        "as imported",
    ]
    safe_url = url if url.startswith("https://") and not set(url) & set("()<>[] `*_~|\\") else ""
    head = f"**{linked(title, safe_url)}**" if safe_url else f"**{title}**"
    return [head, names or "authors unknown", "-# " + " · ".join(filter(None, facts))]


def kept_lines(kept: Kept, paper: Paper | None, note: int = 140) -> str:
    """A work in a library: what it is, how far the member has read it, tags and note."""
    lines = work_lines(paper, kept.record)
    said = [STATE_WORDS.get(kept.state, kept.state), *(f"#{shown(tag, 40)}" for tag in kept.tags[:MOST_TAGS])]
    if len(kept.tags) > MOST_TAGS:  # of papers that became one
        said.append(f"and {plural(len(kept.tags) - MOST_TAGS, 'more tag')}")
    lines.append("-# " + " · ".join(said))
    if kept.note:
        written = [line for line in kept.note.splitlines() if line.strip()]
        # A note of a few lines that is shown whole keeps them; any other is one run of text.
        whole = len(kept.note) <= note and len(written) <= _NOTE_LINES
        lines += [f"> {shown(line, note)}" for line in (written if whole else [kept.note])]
    return "\n".join(lines)


def page(
    heading: str,
    entries: Sequence[tuple[str, ui.Item[Any]]],
    *,
    start: int = 0,
    footer: str = "",
    rows: Sequence[Sequence[ui.Item[Any]]] = (),
) -> ui.LayoutView:
    """A page of works, each with a button beside it."""
    room = _TEXT_LIMIT // max(len(entries), 1)
    numbered = [
        (f"{number}. {text}"[:room], button) for number, (text, button) in enumerate(entries, start + 1)
    ]
    return boxed(heading, numbered, footer=footer, rows=rows)


def state_options(state: str) -> list[discord.SelectOption]:
    """How far a work has been read, with the present state chosen."""
    return [
        discord.SelectOption(label=text.capitalize(), value=value, default=value == state)
        for value, text in STATE_WORDS.items()
    ]


def heading(total: int, found: int, query: LibraryQuery) -> str:
    """``Your library``, how large it is, and how much of it matches."""
    head = f"## Your library\n{plural(total, 'work')}"
    words = query_words(query)
    return head + (f", {found:,} with {words}" if words else "")


def no_match(query: LibraryQuery) -> str:
    """No work of a library matches."""
    said = [
        f"has “{shown(query.search, 60)}”" if query.search else "",
        f"has the tag #{shown(query.tag, 40)}" if query.tag else "",
        f"is marked “{STATE_WORDS[query.state]}”" if query.state in STATE_WORDS else "",
    ]
    return f"Nothing in your library {' and '.join(filter(None, said))}."


def query_words(query: LibraryQuery) -> str:
    """What was asked of a library, such as ``“gradient” and #thesis and to read``."""
    said = [
        f"“{shown(query.search, 60)}”" if query.search else "",
        f"#{shown(query.tag, 40)}" if query.tag else "",
        STATE_WORDS.get(query.state, ""),
    ]
    return " and ".join(filter(None, said))
