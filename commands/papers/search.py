"""`/search`: papers by what they are about."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import PAGE, Entry, listing, note
from commands.cards.text import day, plural, readable, safe, shorten
from commands.kit.components import Pressable
from commands.kit.limits import SEARCH
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
from commands.papers.paper import PaperButton
from data.records import Paper
from index.search.facets import Where
from index.search.passages import best_sentence
from index.search.search import Found

SHOWN = 25
GUESSES = 3
"""Papers shown where none fits."""
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


class SearchPage(Pressable, template=r"q:(?P<page>\d{1,2}):(?P<kept>[ik]):(?P<code>.{0,90})"):
    """Turns a page of results; the query is in the button (i) or kept in the store (k)."""

    def __init__(self, text: str, *, page: str, kept: str, code: str) -> None:
        self.page, self.kept, self.code = int(page), kept, code
        super().__init__(ui.Button(label=text, custom_id=f"q:{page}:{kept}:{code}"))

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        await answer(
            interaction, self._turned(services), update=True, cost=SEARCH, needs=(Need.PAPERS, Need.MEANING)
        )

    async def _turned(self, services: Services) -> ui.LayoutView:
        code: str | None = self.code
        if self.kept == "k":
            number = int(self.code) if re.fullmatch(r"\d{1,12}", self.code) else 0
            code = await services.store.kept_texts.find(number)
        if code is None:
            raise UserError("I no longer know what was asked here. Please search again.")
        return await show(services, SearchQuery.from_code(code), self.page)


async def show(services: Services, asked: SearchQuery, page: int = 0) -> ui.LayoutView:
    """A page of results."""
    await services.wait_for_model()
    where = Where(category=asked.category, since=asked.since)
    query = asked.query + (f' author:"{asked.author}"' if asked.author else "")
    found = await services.search.search(query, SHOWN, where)
    pages = max(1, -(-len(found.hits) // PAGE))
    page = min(page, pages - 1) if found.fits else 0
    hits = found.hits[page * PAGE : (page + 1) * PAGE]
    papers = await services.store.papers([hit.paper_id for hit in (hits if found.fits else hits[:GUESSES])])
    heading = f"## {_shown_query(asked)}"
    if not papers:
        return await _nothing(services, asked, found, heading)

    def entries() -> list[Entry]:
        return [
            Entry(
                paper,
                PaperButton("Details", paper=str(paper.id)),
                note=_answer(services, paper, found.query.text),
            )
            for paper in papers
        ]

    made = await asyncio.to_thread(entries)
    ignored = [f"-# I ignored {safe(part[:60])}: it makes no sense to me." for part in found.query.ignored]
    footer = "\n".join([*filter(None, [waiting_note(services, found)]), *ignored]) or None
    if not found.fits:
        said = f"{_unfitting(await services.store.count(), asked)} These are only the nearest guesses."
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


async def _nothing(services: Services, asked: SearchQuery, found: Found, heading: str) -> ui.LayoutView:
    text = f"{heading}{_narrowed(asked)}\n{_unfitting(await services.store.count(), asked)}"
    return note("\n".join(filter(None, [text, waiting_note(services, found)])))


def _unfitting(known: int, asked: SearchQuery) -> str:
    limited = asked.since or asked.category or asked.author
    advice = "Try other words, or fewer limits." if limited else "Try other words."
    return f"Nothing fits among the {plural(known, 'paper')} that I hold. {advice}"


def _answer(services: Services, paper: Paper, query: str) -> str:
    """The sentence of the abstract that answers best."""
    sentence = best_sentence(paper.abstract, query, services.search.rarity)
    return safe(shorten(readable(sentence), 260))


def waiting_note(services: Services, found: Found) -> str | None:
    """What is still missing from an answer, in small print."""
    if found.by_words_only:
        return "-# Found by words only: the model is still loading. Ask again in a few seconds for more."
    return None


async def _turning(services: Services, asked: SearchQuery, page: int, pages: int) -> list[ui.Item[Any]]:
    if pages == 1:
        return []
    code, kept = asked.code(), "i"
    if len(code) > _INLINE:
        code, kept = str(await services.store.kept_texts.keep(code)), "k"
    buttons: list[ui.Item[Any]] = []
    if page > 0:
        buttons.append(SearchPage("◀ Previous", page=str(page - 1), kept=kept, code=code))
    if page < pages - 1:
        buttons.append(SearchPage("Next ▶", page=str(page + 1), kept=kept, code=code))
    return buttons


class SearchCog(commands.Cog, name="Search"):
    """Papers by meaning and words."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        query="What it is about; “quoted phrases” and author: category: year: since: work, too",
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
        await answer(interaction, work, private=private, cost=SEARCH, needs=(Need.PAPERS, Need.MEANING))


async def setup(bot: commands.Bot) -> None:
    """Add the command and its buttons."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(SearchPage)
    await bot.add_cog(SearchCog(services))
