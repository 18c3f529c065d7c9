"""`/papers`: what an author has written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import PAGE, Entry, listing, note
from commands.cards.text import day, plural, safe, shorten
from commands.kit.installs import anywhere
from commands.kit.last_asked import direct_place
from commands.kit.links import Link, Press, button, link, select
from commands.kit.noted import noted_list
from commands.kit.options import (
    A_CATEGORY,
    PRIVATE,
    category_name,
    complete_category,
    complete_since,
    since_day,
)
from commands.kit.progress import Need
from commands.kit.replies import answer
from commands.kit.services import Services, seen_by
from commands.kit.spoken import Spoken, spoken
from commands.kit.which_person import (
    CHOOSE_PAPERS,
    CHOOSE_PERSON,
    ask_which,
    complete_person,
    name_of_one,
    others_of,
    papers_under_names,
    whom,
)
from commands.papers.search import show as search_papers
from commands.papers.search_query import SearchQuery
from data.keys import name_key
from index.search.routing import routed, speaks_of_papers
from index.search.wishes import Order

NEEDS = (Need.PAPERS, Need.PEOPLE)
NOT_RIGHT = "Not the right person?"


@dataclass(frozen=True, slots=True)
class PapersQuery:
    """What `/papers` was asked; it fits a ``custom_id``."""

    author: str
    """A name's number, or ``~`` and a person's."""
    page: int = 0
    oldest_first: bool = False
    since: date | None = None
    category: str | None = None

    def link(self, action: str, text: str, page: int = 0) -> Link:
        """A button to a page of this."""
        return link(action, text, **self.ids(page))

    def ids(self, page: int) -> dict[str, Any]:
        """The ids that ask for a page of this."""
        return {
            "author": self.author,
            "page": page,
            "order": "o" if self.oldest_first else "n",
            "since": f"{self.since:%Y%m%d}" if self.since else "",
            "category": self.category or "",
        }

    @classmethod
    def from_ids(cls, author: str, page: int, order: str, since: str, category: str) -> PapersQuery:
        """What the ids of a button ask."""
        return cls(author, page, order == "o", _date(since), category or None)


_IDS = "{author:author}:{page:page}:{order:[no]}:{since:day_or_none}:{category:category}"


@button("papers.open", f"p:e:{_IDS}")
@button("papers.open_old", f"p:r:{_IDS}")
async def open_papers(press: Press, author: str, page: int, order: str, since: str, category: str) -> None:
    """Show a page of somebody's papers as a new reply; older messages have it under two ids."""
    work = _noted(press, PapersQuery.from_ids(author, page, order, since, category))
    await answer(press.interaction, work, private=press.private, needs=NEEDS)


@button("papers.turn", f"p:u:{_IDS}")
async def turn(press: Press, author: str, page: int, order: str, since: str, category: str) -> None:
    """Turn to a page of somebody's papers in place."""
    work = _noted(press, PapersQuery.from_ids(author, page, order, since, category))
    await answer(press.interaction, work, update=True, needs=NEEDS)


@button("papers.named", "pn:{author}")
async def named(press: Press, author: int) -> None:
    """List the papers of whoever publishes under a name; if several people do, ask which."""
    await answer(press.interaction, _named_noted(press, author), private=press.private, needs=NEEDS)


@select(CHOOSE_PAPERS, "who:p", CHOOSE_PERSON, value=int)
async def choose_papers(press: Press, person: int) -> None:
    """List the papers of the person that was meant."""
    work = _noted(press, PapersQuery(f"~{person}"))
    await answer(press.interaction, work, private=press.private, needs=NEEDS[1:])


async def _named_noted(press: Press, author: int) -> ui.LayoutView:
    view, name = await _named(press.services, author), await _called(press.services, PapersQuery(str(author)))
    return await noted_list(
        press.services, press.interaction, view, f"papers by {name}", "papers", person=name
    )


async def _noted(press: Press, asked: PapersQuery) -> ui.LayoutView:
    """A page of papers; in a direct message, the next message may go on from it."""
    await press.services.wait_for_people()
    view, name = await show(press.services, asked), await _called(press.services, asked)
    return await noted_list(
        press.services, press.interaction, view, _said(name, asked), "papers", person=name
    )


def _said(name: str, asked: PapersQuery) -> str:
    """The words that ask for somebody's papers."""
    since = f" since {asked.since:%Y-%m-%d}" if asked.since else ""
    return f"papers by {name.partition(' ~')[0]}{since}"


async def _called(services: Services, asked: PapersQuery) -> str:
    """The name by which /papers finds whose papers are asked for; empty where they are unknown by now."""
    if asked.author.startswith("~"):
        person = await services.store.people.find(int(asked.author[1:]))
        return await name_of_one(services, person) if person is not None else ""
    key = await services.store.author_names.key_of(int(asked.author))
    printed = await services.store.author_names.printed(key) if key else None
    return printed[0] if printed is not None else ""


def _date(digits: str) -> date | None:
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:8])) if len(digits) == 8 else None
    except ValueError:
        return None


async def _named(services: Services, author: int) -> ui.LayoutView:
    key = await services.store.author_names.key_of(author)
    printed = await services.store.author_names.printed(key) if key else None
    if printed is not None:
        match = await whom(services, printed[0])
        if match.person is not None:
            return await _show_person(services, match.person.id, match.typed)
        if match.others:
            return await ask_which(services, match, CHOOSE_PAPERS)
    return await show(services, PapersQuery(str(author)))


async def _show_person(services: Services, person: int, typed: str = "") -> ui.LayoutView:
    await services.wait_for_people()
    return await show(services, PapersQuery(f"~{person}"), typed)


async def show(services: Services, asked: PapersQuery, typed: str = "") -> ui.LayoutView:
    """A page of papers: a person's, or those under a name; ``typed`` is the name typed for the person."""
    if asked.author.startswith("~"):
        return await _of_person(services, asked, typed)
    key = await services.store.author_names.key_of(int(asked.author))
    printed = await services.store.author_names.printed(key) if key else None
    if key is None or printed is None:
        return note("I no longer know this author. Try /papers with the name.")
    ids = await services.store.papers_of(
        key, oldest_first=asked.oldest_first, since=asked.since, category=asked.category
    )
    others = await papers_under_names(services, services.corpus.names.others(printed[0]))
    close = "-# Looking for someone else, or for another spelling? Similar names:"
    beside = _Beside(others, close if others else "")
    return await _page(services, asked, printed[0], printed[1], ids, frozenset({key}), beside)


async def _of_person(services: Services, asked: PapersQuery, typed: str) -> ui.LayoutView:
    """The papers of one person, apart from others of the same name."""
    person = await services.store.people.find(int(asked.author[1:]))
    if person is None:
        return note("I no longer know this person. Try /papers with the name.")
    chosen = await services.store.people.papers_of(
        person.id,
        oldest_first=asked.oldest_first,
        since=asked.since,
        category=asked.category,
    )
    others = link("correction.others", NOT_RIGHT, person=person.id)
    beside = _Beside(
        [link("person.card", "Card", person=person.id), others],
        await others_of(services, person, typed, f"*{NOT_RIGHT}* shows them") if asked.page == 0 else "",
    )
    keys = frozenset(name_key(form) for form in person.forms)
    return await _page(services, asked, person.name, person.papers, chosen, keys, beside)


@dataclass(frozen=True, slots=True)
class _Beside:
    """Who else may be meant: buttons, and a line above them; both only on the first page."""

    buttons: Sequence[ui.Item[Any]]
    line: str


async def _page(
    services: Services,
    asked: PapersQuery,
    printed: str,
    total: int,
    ids: list[int],
    keys: frozenset[str],
    beside: _Beside,
) -> ui.LayoutView:
    name = safe(shorten(printed, 80))
    pages = max(1, -(-len(ids) // PAGE))
    page = min(asked.page, pages - 1)
    papers = await services.store.papers(ids[page * PAGE : (page + 1) * PAGE])
    narrowed = _narrowed(asked)
    if not papers:
        told = [f"## {name}", f"{plural(total, 'paper')}, none{narrowed}.", beside.line]
        everything = PapersQuery(asked.author).link("papers.turn", "Show all")
        return note("\n".join(filter(None, told)), [[everything], beside.buttons if beside.line else []])
    entries = [Entry(paper, link("paper.card", "Details", paper=paper.id), bold=keys) for paper in papers]
    rows: list[list[ui.Item[Any]]] = []
    if pages > 1:
        rows.append(_turning(asked, page, pages))
    footer = f"-# Page {page + 1} of {pages}" if pages > 1 else ""
    if beside.buttons and page == 0:
        rows.append([*beside.buttons])
        footer = "\n".join(filter(None, [footer, beside.line]))
    return listing(
        f"## {name}\n{plural(len(ids), 'paper')}{narrowed}, "
        f"{'oldest' if asked.oldest_first else 'newest'} first",
        entries,
        start=page * PAGE + 1,
        footer=footer or None,
        rows=rows,
    )


def _narrowed(asked: PapersQuery) -> str:
    since = f" since {day(asked.since)}" if asked.since else ""
    return (f" in {asked.category}" if asked.category else "") + since


def _turning(asked: PapersQuery, page: int, pages: int) -> list[ui.Item[Any]]:
    flip = PapersQuery(asked.author, 0, not asked.oldest_first, asked.since, asked.category)
    flipped = flip.link("papers.turn", "Oldest first" if flip.oldest_first else "Newest first")
    buttons: list[ui.Item[Any]] = []
    if page > 0:
        buttons.append(asked.link("papers.turn", "◀ Previous", page - 1))
    if page < pages - 1:
        buttons.append(asked.link("papers.turn", "Next ▶", page + 1))
    return [*buttons, flipped]


class PapersCommands(commands.Cog):
    """One author's papers."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        author="The author's name; any spelling of it",
        sort="Which papers come first (default: newest)",
        since="Only papers since this day, such as 2026-05",
        category=A_CATEGORY,
        private=PRIVATE,
    )
    @app_commands.autocomplete(author=complete_person, since=complete_since, category=complete_category)
    async def papers(
        self,
        interaction: discord.Interaction,
        author: app_commands.Range[str, 1, 200],
        sort: Literal["newest", "oldest"] = "newest",
        since: app_commands.Range[str, 0, 30] | None = None,
        category: app_commands.Range[str, 0, 40] | None = None,
        private: bool = False,
    ) -> None:
        """List an author's papers"""
        start = since_day(since, newest=self._services.search.newest())
        asked = PapersQuery("", 0, sort == "oldest", start, category_name(category))
        work = self._papers(interaction, author, asked)
        await answer(interaction, work, private=private, needs=NEEDS)

    async def _papers(
        self, interaction: discord.Interaction, author: str, asked: PapersQuery
    ) -> ui.LayoutView:
        services = await seen_by(interaction)
        view = await papers_of(services, author, asked)
        if direct_place(interaction) is None:
            return view
        name = await _whose(services, author)
        if not name:
            return await noted_list(services, interaction, view, author, "search")
        return await noted_list(services, interaction, view, _said(name, asked), "papers", person=name)


async def papers_of(services: Services, author: str, asked: PapersQuery) -> ui.LayoutView:
    """The papers of whoever a typed name means, narrowed as ``asked``."""
    match = await whom(services, author)
    if match.person is not None:
        return await show(services, replace(asked, author=f"~{match.person.id}"), match.typed)
    author_id = await services.store.author_names.find(author)
    if not match.others and author_id is None and speaks_of_papers(author):
        return await _in_words(services, author, asked)
    if match.others or author_id is None:
        return await ask_which(services, match, CHOOSE_PAPERS)
    return await show(services, replace(asked, author=str(author_id)))


async def _whose(services: Services, author: str) -> str:
    """The name by which /papers finds the person whom a typed text means; empty where it means nobody."""
    match = await whom(services, author)
    if match.person is not None:
        return await name_of_one(services, match.person)
    known = match.others or await services.store.author_names.find(author) is not None
    if known or not speaks_of_papers(author):
        return author
    found = await routed(services.search, author, commands=("papers", "search"))
    name = found.options.get("author")
    return await _whose(services, name) if name is not None and name != author else ""


async def _in_words(services: Services, said: str, asked: PapersQuery) -> ui.LayoutView:
    """What was typed for an author is a sentence: somebody's papers, or a search that understands it."""
    found = await routed(services.search, said, commands=("papers", "search"))
    name = found.options.get("author")
    if name is None or name == said:
        order: Order = "oldest" if asked.oldest_first else "newest"
        return await search_papers(services, SearchQuery(said, asked.since, asked.category, order=order))
    since = since_day(found.options.get("since"), newest=services.search.newest())
    return await papers_of(services, name, replace(asked, since=asked.since or since))


@spoken("papers", needs=NEEDS)
async def papers_in_words(said: Spoken) -> ui.LayoutView:
    """List an author's papers for somebody who asked in words."""
    options = said.options
    oldest = options.get("sort") == "oldest"
    since = since_day(options.get("since"), newest=said.services.search.newest())
    category = category_name(options.get("category"))
    return await papers_of(said.services, options["author"], PapersQuery("", 0, oldest, since, category))


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(PapersCommands(services))
