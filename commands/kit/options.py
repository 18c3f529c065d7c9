"""Options that several commands share: how they are read, and what they offer as members type."""

from __future__ import annotations

from datetime import date, timedelta

import discord
from discord import app_commands

from commands.cards.text import plural, safe, shorten
from commands.kit.replies import UserError
from commands.kit.services import services_of
from data.calendar import clock
from data.calendar.arxiv_ids import CATEGORY
from index.search.dates_said import day_from
from index.search.names import Name
from index.search.queries import parse_day

PRIVATE = "Only you see the answer"
A_PAPER = "A title or part of one, a system's name, a DOI, or an id or link (arXiv, ACL Anthology)"
A_CATEGORY = "Only papers in this category; I suggest some as you type"
"""What commands say of an option that they share."""
CHOICES = 25
MAX_OPTION = 100


def since_day(text: str | None, newest: date | None = None) -> date | None:
    """The day in a ``since`` option: ``2026-05``, ``May``, ``1w``, ``last week``.

    Parameters
    ----------
    newest
        The newest listing, from which "this week" counts where it is older.

    Raises
    ------
    UserError
        Where it isn't one.
    """
    if not text:
        return None
    day = parse_day(text) or day_from(text, clock.now().date(), newest)
    if day is None:
        raise UserError(
            f"I can't read “{_echo(text)}” as a day. Type it like 2026-05-18, 2026-05, May or last week."
        )
    return day


def category_name(text: str | None) -> str | None:
    """The category in a ``category`` option.

    Raises
    ------
    UserError
        Where it isn't one.
    """
    if not text:
        return None
    name = text.strip()
    if not CATEGORY.match(name) or len(name) > 30:
        raise UserError(
            f"“{_echo(text)}” isn't a category. /about shows which I have. "
            "Those of arXiv look like cs.CL, or cs for all of computer science."
        )
    archive, dot, subject = name.partition(".")
    return f"{archive}{dot}{subject.upper() if len(subject) == 2 else subject}"


def _echo(text: str) -> str:
    """What a person typed, short and harmless, to show it back."""
    return safe(shorten(" ".join(text.split()), 60))


async def complete_author(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Names with their number of papers."""
    names = services_of(interaction).corpus.names.complete(current[:MAX_OPTION], CHOICES)
    return [author_choice(name) for name in names]


def author_choice(name: Name) -> app_commands.Choice[str]:
    """A name as offered while typing."""
    count = f" ({plural(name.papers, 'paper')})"
    return app_commands.Choice(
        name=name.name[: MAX_OPTION - len(count)] + count, value=name.name[:MAX_OPTION]
    )


async def complete_category(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Categories that papers have, those with most papers first."""
    counts = services_of(interaction).corpus.facets.category_counts()
    wanted = current.strip().lower()
    matching = [(name, count) for name, count in counts.items() if wanted in name.lower()]
    matching.sort(key=lambda pair: (not pair[0].lower().startswith(wanted), -pair[1]))
    return [
        app_commands.Choice(name=f"{name} ({plural(count, 'paper')})", value=name)
        for name, count in matching[:CHOICES]
    ]


async def complete_since(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Common choices of a first day."""
    today = clock.now().date()
    offers = [
        ("last week", today - timedelta(days=7)),
        ("last month", today - timedelta(days=30)),
        ("last three months", today - timedelta(days=91)),
        ("this year", date(today.year, 1, 1)),
        ("last year", date(today.year - 1, 1, 1)),
    ]
    typed = parse_day(current) or day_from(current, today)
    if typed:
        return [app_commands.Choice(name=f"since {typed.isoformat()}", value=current.strip())]
    wanted = current.strip().lower()
    return [
        app_commands.Choice(name=f"{name} (since {day.isoformat()})", value=day.isoformat())
        for name, day in offers
        if wanted in name or day.isoformat().startswith(wanted)
    ]


async def complete_paper(interaction: discord.Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Titles that have the words typed so far."""
    services = services_of(interaction)
    ids = await services.search.complete_title(current[:MAX_OPTION], CHOICES)
    choices = []
    for paper in await services.store.papers(ids):
        value = paper.arxiv_id or (paper.title if len(paper.title) <= MAX_OPTION else f"#{paper.id}")
        choices.append(app_commands.Choice(name=paper.title[:MAX_OPTION], value=value))
    return choices
