"""`/search`: papers by what they are about."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Literal

import discord
from discord import app_commands, ui
from discord.ext import commands

from commands.cards.lists import Entry, note
from commands.cards.search import (
    NO_WORDS,
    TEN,
    citing_line,
    foreign_line,
    meant_instead,
    namesakes_line,
    no_subject,
    page_of_results,
    several_named,
    understood_line,
    unfitting,
    unread_line,
)
from commands.cards.text import bold_matches, label, safe, shorten
from commands.kit.installs import anywhere
from commands.kit.library_kind import lacking_category
from commands.kit.limits import SEARCH
from commands.kit.links import Press, button, choice, link
from commands.kit.noted import noted_list
from commands.kit.options import (
    A_CATEGORY,
    PRIVATE,
    category_name,
    complete_author,
    complete_category,
    complete_since,
    since_day,
)
from commands.kit.progress import Need
from commands.kit.replies import UserError, answer
from commands.kit.services import MODEL_PATIENCE, PATIENCE, Services
from commands.kit.similar_papers import waiting_note
from commands.kit.spoken import Spoken, spoken
from commands.papers.result_order import ordered, papers_at
from commands.papers.search_buttons import MOST_BUTTONS, changes_of, instead_of, rows_of, turning_pages
from commands.papers.search_query import SearchQuery
from data.keys import fold, name_key
from data.records import Paper
from index.people.person_match import match_person
from index.search.facets import Where
from index.search.passages import best_sentence, matched_stems
from index.search.results import Found
from index.search.understood import Understood
from index.search.wishes import Order

SHOWN = 30
NEEDS = (Need.PAPERS, Need.MEANING)
_NAMES = 3
"""Names asked for that are looked up for namesakes, and names offered for one that nobody has."""


@button("search.turn", "q:{page:page}:i:{code:text}")
async def turn(press: Press, page: int, code: str) -> None:
    """Turn to a page of results; the query is in the button."""
    work = _noted(press.services, SearchQuery.from_code(code), press.interaction, page)
    await answer(press.interaction, work, update=True, cost=SEARCH, needs=NEEDS)


@button("search.turn_kept", "q:{page:page}:k:{kept}")
async def turn_kept(press: Press, page: int, kept: int) -> None:
    """Turn to a page of results; the query, too long for a button, is in the store."""
    await answer(press.interaction, _show_kept(press, kept, page), update=True, cost=SEARCH, needs=NEEDS)


@button("search.change", "qc:{how:[A-Za-z]}:i:{code:text}")
async def change(press: Press, how: str, code: str) -> None:
    """Search again with another understanding, order or page; ``how`` only tells the buttons apart."""
    work = _noted(press.services, SearchQuery.from_code(code), press.interaction)
    await answer(press.interaction, work, update=True, cost=SEARCH, needs=NEEDS)


@button("search.change_kept", "qc:{how:[A-Za-z]}:k:{kept}")
async def change_kept(press: Press, how: str, kept: int) -> None:
    """As ``search.change``, for a query in the store."""
    await answer(press.interaction, _show_kept(press, kept, 0), update=True, cost=SEARCH, needs=NEEDS)


async def _show_kept(press: Press, kept: int, page: int) -> ui.LayoutView:
    code = await press.services.store.kept_texts.find(kept)
    if code is None:
        raise UserError("I no longer know what was asked here. Please search again.")
    return await _noted(press.services, SearchQuery.from_code(code), press.interaction, page)


async def show(services: Services, asked: SearchQuery, page: int = 0) -> ui.LayoutView:
    """A page of results."""
    if not any(letter.isalnum() for letter in asked.query):
        return note(NO_WORDS)
    results = await _results(services, asked)
    said = results.understood or Understood(asked.query, results.query)
    if said.lacks_subject and not (asked.author or asked.category or asked.since):
        return note(no_subject(said))
    order = asked.order or said.order
    ids, order, cited = await ordered(services, results, order, SHOWN)
    pages = max(1, -(-len(ids) // asked.page))
    page = min(page, pages - 1) if results.fits else 0
    shown = slice(page * asked.page, (page + 1) * asked.page)
    papers = await papers_at(services, ids, shown, results.papers)
    names = [*said.people, *dict.fromkeys(filter(None, (asked.author, said.query.author)))]
    heading = f"## {_shown_query(asked)}{_limits(asked, said, order, results)}{cited}"
    changes = changes_of(asked, said, order, anywhere=results.anywhere)
    unfit, advice = _unfitting(services, asked, results, said, guesses=bool(papers))
    unread = [unread_line(part) for part in results.query.ignored]
    meant = await _near_author(services, _unknown_author(asked, said))
    changes = [*instead_of(asked, said, meant), *changes][:MOST_BUTTONS]
    if not papers:
        unfit += meant_instead(meant)
        told = [
            heading,
            unfit,
            *unread,
            foreign_line(said.foreign, fits=False),
            waiting_note(results),
            advice,
        ]
        return note("\n".join(filter(None, told)), await rows_of(services, changes) if changes else [])

    def entries() -> list[Entry]:
        return [
            Entry(
                paper,
                link("paper.card", "Details", paper=paper.id),
                note=_answer(services, paper, results.query.text),
                bold=_called(paper, [*names, *said.authors]),
            )
            for paper in papers
        ]

    turning = turning_pages(asked, order, page, pages, len(ids)) if results.fits else []
    made, rows = await asyncio.gather(asyncio.to_thread(entries), rows_of(services, turning, changes))
    notes = [f"-#{meant_instead(meant)}" if meant else None, foreign_line(said.foreign, fits=results.fits)]
    notes += [await _which_like(services, said)]
    notes += [citing_line(said)] if results.fits else []
    notes += [await _namesakes(services, name) for name in names[:_NAMES]]
    notes += [waiting_note(results), *unread, None if results.fits else advice]
    footer = "\n".join(filter(None, notes)) or None
    if not results.fits:
        return page_of_results(f"{heading}\n{unfit}", made, start=1, footer=footer, rows=rows[1:])
    opening = choice("paper.open_card", [_option(paper) for paper in papers])
    return page_of_results(
        heading, made, start=page * asked.page + 1, footer=footer, rows=rows, opening=opening
    )


async def _near_author(services: Services, author: str | None) -> list[str]:
    """The names nearest to an author's whom nobody knows; none for one who is known."""
    names = services.corpus.names
    if not author or names.get(author) is not None or names.having(author, 1):
        return []
    return [name.name for name in await asyncio.to_thread(names.near, author, _NAMES)]


async def _results(services: Services, asked: SearchQuery) -> Found:
    """What is found; only by words while the model is loading, if they find something."""
    where = Where(category=asked.category, since=asked.since)
    query = asked.query + (f' author:"{asked.author}"' if asked.author else "")
    for patience in (PATIENCE, MODEL_PATIENCE):
        await services.wait_for_model(patience)
        found = await services.search.search(query, SHOWN, where, undo=asked.undo, order=asked.order)
        if found.fits or not found.by_words_only or services.model_settled.is_set():
            break
    return found


async def _which_like(services: Services, said: Understood) -> str | None:
    """Which paper was taken for the one that is named, where several papers have that name."""
    papers = said.like_papers or said.authors_papers
    if len(papers) < 2:
        return None
    taken, *others = await services.store.papers(papers)
    return several_named(said, taken, others) if others else None


async def _namesakes(services: Services, name: str) -> str | None:
    """A note if several people publish under the name that was asked for; None otherwise."""
    try:
        match = await match_person(services.store, services.corpus.names, name)
    except LookupError:  # it looks like a choice offered by another command
        return None
    people, known = len(match.others) + (match.person is not None), services.corpus.names.get(name)
    return namesakes_line(known.name if known else name, people) if people > 1 else None


def _called(paper: Paper, names: Sequence[str]) -> frozenset[str]:
    """The keys of a paper's authors who have one of the names asked for, or all words of it."""
    keys, asked = set(map(name_key, names)), defaultdict[str, list[set[str]]](list)
    for words in filter(None, (set(fold(name).split()) for name in names)):
        asked[max(words, key=len)].append(words)  # a paper may have thousands of authors

    def is_called(name: str) -> bool:
        has = set(fold(name).split())
        return any(words <= has for word in has for words in asked.get(word, ()))

    return frozenset(author.key for author in paper.authors if author.key in keys or is_called(author.name))


def _option(paper: Paper) -> discord.SelectOption:
    return discord.SelectOption(label=label(paper.title, 100), value=str(paper.id))


def _shown_query(asked: SearchQuery) -> str:
    return safe(shorten(" ".join(asked.query.split()), 120)) or "Search"


def _limits(asked: SearchQuery, said: Understood, order: Order, found: Found) -> str:
    """What the options limit and what was understood, in small print."""
    since = max((one for one in (asked.since, said.since) if one), default=None)
    options = " ".join(_named(asked, said))
    read = understood_line(
        said,
        order,
        since=since,
        until=said.until,
        anywhere=found.anywhere,
        apart=found.apart,
        none_without=found.none_without,
    )
    lines = [f"-# {options}" if options else "", read]
    return "".join(f"\n{line}" for line in lines if line)


def _named(asked: SearchQuery, said: Understood) -> list[str]:
    """The authors and categories that options or fields of the query name: ``by …``, ``in …``."""
    authors = filter(None, (asked.author, said.query.author))
    categories = filter(None, (asked.category, said.query.category))
    return [
        *(f"by {safe(shorten(author, 60))}" for author in dict.fromkeys(authors)),
        *(f"in {safe(shorten(category, 60))}" for category in dict.fromkeys(categories)),
    ]


def _unfitting(
    services: Services, asked: SearchQuery, found: Found, said: Understood, *, guesses: bool
) -> tuple[str, str]:
    """What to say where nothing fits, and what to try."""
    since = max((one for one in (asked.since, said.since) if one), default=None)
    limited = bool(asked.since or asked.category or asked.author or said.query.author or said.query.category)
    says, advice = unfitting(
        services.paper_count,
        said,
        _named(asked, said),
        since=since,
        until=said.until,
        limited=limited,
        guesses=guesses,
        anywhere=found.anywhere,
        apart=found.apart,
    )
    lacking = lacking_category(services, asked.category or said.query.category)
    return says, f"-# {lacking}" if lacking else advice


def _answer(services: Services, paper: Paper, query: str) -> str:
    """The sentence of the abstract that answers best, with the query's words in bold."""
    sentence = best_sentence(paper.abstract, query, services.search.rarity)
    return bold_matches(sentence, matched_stems(query), 260)


def _unknown_author(asked: SearchQuery, said: Understood) -> str | None:
    """The author asked for who may be unknown."""
    return asked.author or said.query.author or next(iter(said.people_unknown), None)


class SearchCog(commands.Cog, name="Search"):
    """Papers by meaning and words."""

    def __init__(self, services: Services) -> None:
        self._services = services

    @app_commands.command()
    @anywhere
    @app_commands.describe(
        query="In your words; “last week”, “by …”, “like …”, quoted phrases, author: and category: work",
        since="Only papers since this day, such as 2026-05 or last week",
        category=A_CATEGORY,
        author="Only papers by this author",
        sort="Which papers come first (default: best)",
        page="How many papers a page has (default: 5)",
        private=PRIVATE,
    )
    @app_commands.autocomplete(since=complete_since, category=complete_category, author=complete_author)
    async def search(
        self,
        interaction: discord.Interaction,
        query: app_commands.Range[str, 1, 6000],
        since: app_commands.Range[str, 0, 30] | None = None,
        category: app_commands.Range[str, 0, 40] | None = None,
        author: app_commands.Range[str, 0, 200] | None = None,
        sort: Literal["best", "newest", "oldest"] | None = None,
        page: Literal[5, 10] = 5,
        private: bool = False,
    ) -> None:
        """Search papers by what they are about"""
        name = (author or "").replace('"', " ").strip() or None
        start = since_day(since, newest=self._services.search.newest())
        asked = SearchQuery(query, start, category_name(category), name, sort, page == TEN)
        work = _noted(self._services, asked, interaction)
        await answer(interaction, work, private=private, cost=SEARCH, needs=NEEDS)


async def _noted(
    services: Services, asked: SearchQuery, interaction: discord.Interaction, page: int = 0
) -> ui.LayoutView:
    """A page of results; in a direct message, the next message may go on from it."""
    fields = {"author": f'"{asked.author}"' if asked.author else "", "category": asked.category or ""}
    fields["since"] = f"{asked.since:%Y-%m-%d}" if asked.since else ""
    words = " ".join([asked.query, *(f"{name}:{value}" for name, value in fields.items() if value)])
    return await noted_list(services, interaction, await show(services, asked, page), words, "search")


@spoken("search", cost=SEARCH, needs=NEEDS)
async def search_in_words(said: Spoken) -> ui.LayoutView:
    """Search for somebody who asked in words."""
    options = said.options
    since = since_day(options.get("since"), newest=said.services.search.newest())
    category = category_name(options.get("category"))
    name = (options.get("author") or "").replace('"', " ").strip() or None
    return await show(said.services, SearchQuery(options["query"], since, category, name))


async def setup(bot: commands.Bot) -> None:
    """Add the command."""
    services: Services = bot.services  # type: ignore[attr-defined]
    await bot.add_cog(SearchCog(services))
