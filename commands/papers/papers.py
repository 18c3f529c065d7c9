"""`/papers`: what somebody has written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import discord
from discord import ButtonStyle, app_commands, ui
from discord.ext import commands

from commands.cards.lists import PAGE, Entry, listing, note
from commands.cards.text import day, label, plural, safe, shorten
from commands.kit.components import Pressable, seen_by
from commands.kit.options import (
    category_name,
    complete_category,
    complete_since,
    since_day,
)
from commands.kit.progress import Need
from commands.kit.replies import answer
from commands.kit.services import Services
from commands.kit.which_person import complete_person, whom
from commands.papers.paper import PaperButton
from data.keys import name_key
from index.search.names import Name

OFFERED = 5
_ARGS = r"(?P<author>~?\d{1,12}):(?P<page>\d{1,5}):(?P<order>[no]):(?P<since>\d{0,8}):(?P<category>[A-Za-z.-]{0,30})"


@dataclass(frozen=True, slots=True)
class PapersQuery:
    """What `/papers` was asked; it fits a ``custom_id``."""

    author: str
    """A name's number, or ``~`` and a person's."""
    page: int = 0
    oldest_first: bool = False
    since: date | None = None
    category: str | None = None

    def code(self, page: int) -> str:
        """The part of a ``custom_id`` that asks for a page of this."""
        order, since = "o" if self.oldest_first else "n", f"{self.since:%Y%m%d}" if self.since else ""
        return f"{self.author}:{page}:{order}:{since}:{self.category or ''}"


class PapersButton(Pressable, template=rf"p:(?P<how>[eur]):{_ARGS}"):
    """Leads to a page of somebody's papers: turned in place (u) or as a new reply (e)."""

    def __init__(
        self, text: str, *, how: str, author: str, page: str, order: str, since: str, category: str
    ) -> None:
        self.how = how
        self.asked = PapersQuery(author, int(page), order == "o", _date(since), category or None)
        super().__init__(
            ui.Button(
                label=text,
                style=ButtonStyle.secondary,
                custom_id=f"p:{how}:{self.asked.code(self.asked.page)}",
            )
        )

    async def pressed(self, interaction: discord.Interaction, services: Services) -> None:
        turning = self.how == "u"
        private = bool(interaction.message and interaction.message.flags.ephemeral)
        work = show(services, self.asked)
        await answer(interaction, work, update=turning, private=private, needs=(Need.PAPERS, Need.PEOPLE))


def _date(digits: str) -> date | None:
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:8])) if len(digits) == 8 else None
    except ValueError:
        return None


def papers_button(text: str, asked: PapersQuery, page: int, how: str = "u") -> PapersButton:
    """A button to a page of what was asked."""
    author, at, order, since, category = asked.code(page).split(":")
    return PapersButton(text, how=how, author=author, page=at, order=order, since=since, category=category)


async def author_buttons(services: Services, names: list[Name]) -> list[ui.Item[Any]]:
    """A button for each name, leading to its papers."""
    chosen = names[:OFFERED]
    ids = await services.store.author_names.numbers([name.key for name in chosen]) if chosen else {}
    return [
        papers_button(f"{label(name.name, 60)} ({name.papers:,})", PapersQuery(str(ids[name.key])), 0, "e")
        for name in chosen
        if name.key in ids
    ]


async def show(services: Services, asked: PapersQuery) -> ui.LayoutView:
    """A page of papers: a person's, or those under a name."""
    if asked.author.startswith("~"):
        return await _of_person(services, asked)
    key = await services.store.author_names.key_of(int(asked.author))
    found = await services.store.author_names.printed(key) if key else None
    if key is None or found is None:
        return note("I no longer know this author. Try /papers with the name.")
    ids = await services.store.papers_of(
        key, oldest_first=asked.oldest_first, since=asked.since, category=asked.category
    )
    others = await author_buttons(services, services.corpus.names.others(found[0]))
    return await _page(services, asked, found[0], found[1], ids, frozenset({key}), others)


async def _of_person(services: Services, asked: PapersQuery) -> ui.LayoutView:
    """The papers of somebody told apart from others of the name."""
    person = await services.store.people.find(int(asked.author[1:]))
    if person is None:
        return note("I no longer know this person. Try /papers with the name.")
    rows = await services.store.people.memberships(person.id)
    chosen = await services.store.narrowed(
        list(dict.fromkeys(row.paper_id for row in rows)),
        oldest_first=asked.oldest_first,
        since=asked.since,
        category=asked.category,
    )
    from commands.people.author import PersonButton
    from commands.people.corrections import CorrectButton

    number = str(person.id)
    beside: list[ui.Item[Any]] = [
        PersonButton("Card", what="a", person=number),
        CorrectButton("Not who you meant?", what="n", person=number),
    ]
    keys = frozenset(name_key(form) for form in person.forms)
    return await _page(services, asked, person.name, person.papers, chosen, keys, beside)


async def _page(
    services: Services,
    asked: PapersQuery,
    printed: str,
    total: int,
    ids: list[int],
    keys: frozenset[str],
    beside: list[ui.Item[Any]],
) -> ui.LayoutView:
    name = safe(shorten(printed, 80))
    pages = max(1, -(-len(ids) // PAGE))
    page = min(asked.page, pages - 1)
    papers = await services.store.papers(ids[page * PAGE : (page + 1) * PAGE])
    narrowed = _narrowed(asked)
    if not papers:
        return note(
            f"## {name}\nNone of {plural(total, 'paper')} {narrowed.strip()}.",
            [[papers_button("Show all", PapersQuery(asked.author), 0)]],
        )
    entries = [Entry(paper, PaperButton("Details", paper=str(paper.id)), bold=keys) for paper in papers]
    rows: list[list[ui.Item[Any]]] = []
    if pages > 1:
        rows.append(_turning(asked, page, pages))
    footer = f"-# Page {page + 1} of {pages}" if pages > 1 else None
    if beside and page == 0:
        rows.append(beside)
        if not asked.author.startswith("~"):
            close = "-# Not who you meant, or printed differently? These names are close:"
            footer = "\n".join(filter(None, [footer, close]))
    return listing(
        f"## {name}\n{plural(len(ids), 'paper')}{narrowed}, {'oldest' if asked.oldest_first else 'newest'} first",
        entries,
        start=page * PAGE + 1,
        footer=footer,
        rows=rows,
    )


def _narrowed(asked: PapersQuery) -> str:
    since = f" since {day(asked.since)}" if asked.since else ""
    return (f" in {asked.category}" if asked.category else "") + since


def _turning(asked: PapersQuery, page: int, pages: int) -> list[ui.Item[Any]]:
    back = papers_button("◀ Previous", asked, max(0, page - 1))
    onward = papers_button("Next ▶", asked, min(pages - 1, page + 1), how="u")
    flip = PapersQuery(asked.author, 0, not asked.oldest_first, asked.since, asked.category)
    turn = papers_button("Oldest first" if flip.oldest_first else "Newest first", flip, 0)
    buttons: list[ui.Item[Any]] = []
    if page > 0:
        buttons.append(back)
    if page < pages - 1:
        buttons.append(onward)
    return [*buttons, turn]


async def unknown(services: Services, typed: str) -> ui.LayoutView:
    """Nobody has that name: the nearest ones as buttons."""
    shown = safe(shorten(" ".join(typed.split()), 80))
    near = services.corpus.names.near(typed, OFFERED)
    buttons = await author_buttons(services, near)
    if buttons:
        return note(f"I know no paper by “{shown}”. Did you mean one of these?", [buttons])
    known = plural(await services.store.count(), "paper")
    return note(
        f"I know no paper by “{shown}”, and no name like it among the authors of the {known} that I hold. "
        "Check the spelling, or see /about for how to add papers."
    )


class Papers(commands.Cog):
    """Somebody's papers."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @app_commands.describe(
        author="The author's name; any of its printed forms",
        sort="Which papers come first (default: newest)",
        since="Only papers since this day, such as 2026-05",
        category="Only papers of this arXiv category, such as cs.DC",
        private="Only you see the answer",
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
        start, wanted = since_day(since), category_name(category)
        work = self._papers(interaction, author, sort == "oldest", start, wanted)
        await answer(interaction, work, private=private, needs=(Need.PAPERS, Need.PEOPLE))

    async def _papers(
        self,
        interaction: discord.Interaction,
        author: str,
        oldest_first: bool,
        since: date | None,
        category: str | None,
    ) -> ui.LayoutView:
        services = await seen_by(interaction)
        found = await whom(services, author)
        if found.person is not None:
            asked = PapersQuery(f"~{found.person.id}", 0, oldest_first, since, category)
            return await show(services, asked)
        if found.others:
            from commands.people.author import ask_which

            return await ask_which(services, found, "p")
        author_id = await services.store.author_names.find(author)
        if author_id is None:
            return await unknown(services, author)
        return await show(services, PapersQuery(str(author_id), 0, oldest_first, since, category))


async def setup(bot: commands.Bot) -> None:
    """Add the command and its buttons."""
    services: Services = bot.services  # type: ignore[attr-defined]
    bot.add_dynamic_items(PapersButton)
    await bot.add_cog(Papers(services))
