"""Which paper a text means: one clear best at once, else a select of those that it could mean."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import discord
from discord import ui

from commands.cards.lists import note
from commands.cards.text import label, plural, safe, shorten
from commands.kit.library_kind import has_arxiv
from commands.kit.links import choice
from commands.kit.replies import UserError
from commands.kit.services import Services
from commands.kit.waiting import late_papers
from data.keys import title_words
from data.records import Paper
from index.search.named_papers import identifier

CHOICES = 25
WHOLE = 4
"""From this many words on, what was typed is taken for a whole title."""


async def paper_of(services: Services, paper_id: int) -> Paper:
    """The paper with a store id.

    Raises
    ------
    UserError
        Where it does not exist (any more).
    """
    papers = await services.store.papers([paper_id])
    if not papers:
        raise UserError("I no longer know this paper. Try /search with words from its title.")
    return papers[0]


def _sites(services: Services) -> str:
    """The places whose ids and links are understood, as far as the library has papers from there."""
    return "arXiv or the ACL Anthology" if has_arxiv(services) else "the ACL Anthology"


def unknown_paper(services: Services) -> str:
    """What to say of a text that means no paper."""
    return f"I don't know that paper. Give its title, or its id or link at {_sites(services)}."


async def which_paper(services: Services, typed: str) -> int:
    """The store id of the one paper that a text means.

    Raises
    ------
    UserError
        Where it means none, or several.
    """
    ids = await services.search.resolve(typed)
    if len(ids) != 1:
        raise UserError(
            "Several papers match. Choose one from the list that appears while you type."
            if ids
            else unknown_paper(services)
        )
    return ids[0]


async def shown(
    services: Services, typed: str, action: str, show: Callable[[Services, int], Awaitable[ui.LayoutView]]
) -> ui.LayoutView:
    """What ``show`` makes of the paper that a text means, or a question which one is meant.

    ``action`` is the one that shows the paper that is chosen then.
    """
    meant = await services.search.meant(typed)
    if meant.paper is not None:
        return await offer_others(services, await show(services, meant.paper), meant.others, typed, action)
    if meant.others:
        return await ask_which_paper(services, meant.others, typed, action)
    return await no_such_paper(services, typed, action)


async def ask_which_paper(
    services: Services, ids: Sequence[int], typed: str, action: str, **more: Any
) -> ui.LayoutView:
    """Ask which of several papers is meant, and do ``action``, such as ``paper.choose_card``, with it.

    ``more`` are ids that the action needs besides.
    """
    options = await _options(services, ids)
    closest = f"; the {CHOICES} closest titles are below" if len(ids) > CHOICES else ""
    words = {*title_words(typed)}
    titles = [{*title_words(paper.title)} for paper in await services.store.papers(ids[:CHOICES])]
    if await services.store.find_title(typed):
        said = f"Several papers match “{_echo(typed)}”{closest}."
    elif not any(words <= title for title in titles):
        said = f"I know no paper called “{_echo(typed)}”. The closest titles are below."
    elif len(words) >= WHOLE:
        several = f"several whose titles have these words{closest}"
        said = f"I know no paper called just “{_echo(typed)}”, but {several}."
    else:
        said = f"Several papers match “{_echo(typed)}”{closest}."
    return note(said, [[choice(action, options, **more)]])


async def offer_others(
    services: Services, view: ui.LayoutView, others: Sequence[int], typed: str, action: str
) -> ui.LayoutView:
    """Below what is shown of the paper meant, offer the others that the text could mean."""
    if others:
        options = await _options(services, others)
        placeholder = label(f"Or another paper with “{' '.join(typed.split())}” in its title", 150)
        view.add_item(ui.ActionRow(choice(action, options, placeholder=placeholder)))
    return view


async def no_such_paper(services: Services, typed: str, action: str, **more: Any) -> ui.LayoutView:
    """No paper matches: say what would, and offer the closest titles as guesses."""
    if identifier(typed):
        count = plural(services.paper_count, "paper")
        text = (
            f"“{_echo(typed)}” is not among the {count} I know. /search finds papers by what they are about."
        )
    else:
        text = (
            f"No paper matches “{_echo(typed)}”. Give an id or link of {_sites(services)}, a DOI, a "
            "title or part of one, or the name of a system; /search finds papers by what they are about."
        )
    if late := await late_papers(services):
        text += f"\n{late}"
    return note(text, await guessed(services, typed, action, **more))


async def guessed(services: Services, typed: str, action: str, **more: Any) -> list[list[ui.Item[Any]]]:
    """A row with guesses for a text that matches no known paper; no row without guesses."""
    options = await _options(services, await services.search.guesses(typed))
    placeholder = "Closest guesses; none of them matches"
    return [[choice(action, options, placeholder=placeholder, **more)]] if options else []


async def _options(services: Services, ids: Sequence[int]) -> list[discord.SelectOption]:
    options = []
    for paper in await services.store.papers(ids[:CHOICES]):
        names = ", ".join(author.name for author in paper.authors[:3])
        form = "%Y" if paper.dated_by == "year" else "%Y-%m"
        when = f"{paper.day:{form}} · " if paper.day else ""
        options.append(
            discord.SelectOption(
                label=label(paper.title, 100), value=str(paper.id), description=label(when + names, 100)
            )
        )
    return options


def _echo(typed: str) -> str:
    return safe(shorten(" ".join(typed.split()), 100))
