"""`/search`: papers by what they are about."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import PAGE, Entry, listing, note
from commands.cards.text import day, plural, readable, safe, shorten
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, link
from commands.kit.options import (
    category_name,
    complete_author,
    complete_category,
    complete_since,
    since_day,
)
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import Services
from commands.kit.similar_papers import GUESSES, waiting_note
from data.records import Paper
from index.search.facets import Where
from index.search.passages import best_sentence
from index.search.search import Found

SHOWN = 25
NEEDS = (Need.PAPERS, Need.MEANING)
_INLINE = 50
"""Characters of a query that a button carries itself; longer ones are kept in the store."""


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What `/search` was asked."""

    query: str
    since: date | None = None
    category: str | None = None
    author: str | None = None

    def code(self) -> str:
        """As one line of text."""
        since = self.since.isoformat() if self.since else ""
        return "&".join(
            quote(part, safe=" ") for part in (self.query, since, self.category or "", self.author or "")
        )

    @classmethod
    def from_code(cls, code: str) -> SearchQuery:
        """What a line of text asks; missing parts ask nothing."""
        query, since, category, author = (*map(unquote, code.split("&")), "", "", "", "")[:4]
        try:
            start = date.fromisoformat(since) if since else None
        except ValueError:
            start = None
        return cls(query, start, category or None, author or None)


@button("search.turn", "q:{page:page}:i:{code:text}")
async def turn(press: Press, page: int, code: str) -> None:
    """Turn to a page of results; the query is in the button."""
    work = show(press.services, SearchQuery.from_code(code), page)
    await answer(press.interaction, work, update=True, cost=SEARCH, needs=NEEDS)


@button("search.turn_kept", "q:{page:page}:k:{kept}")
async def turn_kept(press: Press, page: int, kept: int) -> None:
    """Turn to a page of results; the query, too long for a button, is in the store."""
    work = _show_kept(press.services, kept, page)
    await answer(press.interaction, work, update=True, cost=SEARCH, needs=NEEDS)


async def _show_kept(services: Services, kept: int, page: int) -> ui.LayoutView:
    code = await services.store.kept_texts.find(kept)
    if code is None:
        raise UserError("I no longer know what was asked here. Please search again.")
    return await show(services, SearchQuery.from_code(code), page)


async def show(services: Services, asked: SearchQuery, page: int = 0) -> ui.LayoutView:
    """A page of results."""
    await services.wait_for_model()
    where = Where(category=asked.category, since=asked.since)
    query = asked.query + (f' author:"{asked.author}"' if asked.author else "")
    results = await services.search.search(query, SHOWN, where)
    pages = max(1, -(-len(results.hits) // PAGE))
    page = min(page, pages - 1) if results.fits else 0
    hits = results.hits[page * PAGE : (page + 1) * PAGE]
    papers = await services.store.papers([hit.paper_id for hit in (hits if results.fits else hits[:GUESSES])])
    heading = f"## {_shown_query(asked)}"
    if not papers:
        return await _nothing(services, asked, results, heading)

    def entries() -> list[Entry]:
        return [
            Entry(
                paper,
                link("paper.card", "Details", paper=paper.id),
                note=_answer(services, paper, results.query.text),
            )
            for paper in papers
        ]

    made = await asyncio.to_thread(entries)
    ignored = [f"-# I ignored {safe(part[:60])}: I could not read it." for part in results.query.ignored]
    footer = "\n".join([*filter(None, [waiting_note(results)]), *ignored]) or None
    if not results.fits:
        said = f"{_unfitting(await services.store.count(), asked)} These are only the closest guesses."
        return listing(f"{heading}{_narrowed(asked)}\n{said}", made, footer=footer)
    turns = await _turning(services, asked, page, pages)
    return listing(heading + _narrowed(asked), made, start=page * PAGE + 1, footer=footer, rows=[turns])


def _shown_query(asked: SearchQuery) -> str:
    return safe(shorten(" ".join(asked.query.split()), 120)) or "Search"


def _narrowed(asked: SearchQuery) -> str:
    parts = [
        f"in {asked.category}" if asked.category else "",
        f"since {day(asked.since)}" if asked.since else "",
        f"by {safe(shorten(asked.author, 60))}" if asked.author else "",
    ]
    text = ", ".join(filter(None, parts))
    return f"\n-# {text}" if text else ""


async def _nothing(services: Services, asked: SearchQuery, results: Found, heading: str) -> ui.LayoutView:
    text = f"{heading}{_narrowed(asked)}\n{_unfitting(await services.store.count(), asked)}"
    return note("\n".join(filter(None, [text, waiting_note(results)])))


def _unfitting(known: int, asked: SearchQuery) -> str:
    limited = asked.since or asked.category or asked.author
    advice = "Try other words or fewer filters." if limited else "Try other words."
    return f"None of the {plural(known, 'paper')} in this library match. {advice}"


def _answer(services: Services, paper: Paper, query: str) -> str:
    """The sentence of the abstract that answers best."""
    sentence = best_sentence(paper.abstract, query, services.search.rarity)
    return safe(shorten(readable(sentence), 260))


async def _turning(services: Services, asked: SearchQuery, page: int, pages: int) -> list[ui.Item[Any]]:
    if pages == 1:
        return []
    code = asked.code()
    action, query = "search.turn", dict[str, Any](code=code)
    if len(code) > _INLINE:
        action, query = "search.turn_kept", {"kept": await services.store.kept_texts.keep(code)}
    buttons: list[ui.Item[Any]] = []
    if page > 0:
        buttons.append(link(action, "◀ Previous", page=page - 1, **query))
    if page < pages - 1:
        buttons.append(link(action, "Next ▶", page=page + 1, **query))
    return buttons


class SearchCog(commands.Cog, name="Search"):
    """Papers by meaning and words."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        query="What it is about; “quoted phrases”, author:, category:, year: and since: work too",
        since="Only papers since this day, such as 2026-05",
        category="Only papers of this arXiv category, such as cs.DC",
        author="Only papers by this author",
        private="Only you see the answer",
    )
    @app_commands.autocomplete(since=complete_since, category=complete_category, author=complete_author)
    async def search(
        self,
        interaction: discord.Interaction,
        query: app_commands.Range[str, 1, 6000],
        since: app_commands.Range[str, 0, 30] | None = None,
        category: app_commands.Range[str, 0, 40] | None = None,
        author: app_commands.Range[str, 0, 200] | None = None,
        private: bool = False,
    ) -> None:
        """Search papers by what they are about"""
        name = (author or "").replace('"', " ").strip() or None
        asked = SearchQuery(query, since_day(since), category_name(category), name)
        work = show(self._services, asked)
        await answer(interaction, work, private=private, cost=SEARCH, needs=NEEDS)


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(SearchCog(services))
