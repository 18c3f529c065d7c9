"""Replies that depend on what the worker still does say so, with the time left."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable

from discord import ui

from commands.cards.text import plural
from commands.kit.progress import Need, doing
from commands.kit.reply import Reply
from commands.kit.services import Services
from data.stores.repository import DATABASE_ERRORS
from index.search.following import Lag

_TEXT_LIMIT, _PARTS_LIMIT = 4_000, 40
_WAITING = {
    Need.MEANING: "I haven't compared {} by meaning yet",
    Need.PEOPLE: "I haven't matched the authors of the newest papers yet",
    Need.TOPICS: "I haven't sorted the newest papers into topics yet",
}
STARTING = "I've just started and am still loading what I know about people. Ask again in a few seconds."


def missing(services: Services, *needs: Need) -> str | None:
    """What the reply still lacks, in a short line of small print; None where it lacks nothing."""
    lacking = [need for need in sorted(needs) if _lacks(services, need)]
    if not lacking:
        return None
    need, progress = lacking[0], services.progress
    if services.is_starting and need in (Need.PEOPLE, Need.TOPICS):
        return f"-# {STARTING}"
    lack = "so this may be incomplete"
    if need is Need.PEOPLE:
        lack += ", and people of one name may be mixed"
    if work := doing(progress, need):
        return f"-# {work}, {lack}."
    if need is Need.PAPERS:
        return f"-# {behind(services.corpus.following.lag)}, {lack}."
    waiting = services.corpus.waiting()
    papers = f"{'this' if waiting == 1 else 'these'} {plural(waiting, 'paper')}"
    return f"-# {_WAITING[need].format(papers)}, {lack}."


def behind(lag: Lag) -> str:
    """A sentence about papers that are in the store but can't be found on this machine yet."""
    return f"I haven't taken in {lag.count} yet"


async def late_papers(services: Services) -> str | None:
    """The line for a reply that knows no such paper, where there are papers that this machine can't find."""
    await _look(services)
    return missing(services, Need.PAPERS)


async def _look(services: Services) -> None:
    with contextlib.suppress(*DATABASE_ERRORS):  # the reply itself says what is wrong
        await services.corpus.following.look()


def _lacks(services: Services, need: Need) -> bool:
    if need is Need.PAPERS:
        reading = services.progress.makes is Need.PAPERS and services.progress.done > 0
        return reading or services.corpus.following.lag.is_worth_telling
    if need is Need.MEANING:
        return services.corpus.waiting() > 0
    if need is Need.PEOPLE:
        return services.is_starting or services.insight.people_lag
    return services.is_starting or services.insight.topics_lag


def not_yet(services: Services) -> str:
    """Why I can't say anything about people yet, and when I can."""
    if services.is_starting:
        return STARTING
    if work := doing(services.progress, Need.PEOPLE):
        return f"{work}. Please ask again later."
    return "I haven't matched authors to papers yet. That happens after papers are read in."


async def told(
    services: Services, work: Awaitable[ui.LayoutView | Reply], *needs: Need
) -> ui.LayoutView | Reply:
    """A reply, with a line about what it lacked when it was asked for and still lacks."""
    if services.is_starting:  # a reply waits for what is starting
        needs = tuple(need for need in needs if need is Need.PAPERS)
    if Need.PAPERS in needs:
        await _look(services)
    line = missing(services, *needs)
    made = await work
    if line is not None:  # what was made meanwhile may be in the reply already
        if Need.PAPERS in needs:
            await _look(services)
        line = missing(services, *needs)
    if line is None:
        return made
    view = made if isinstance(made, ui.LayoutView) else made.view
    if view.total_children_count < _PARTS_LIMIT and view.content_length() + len(line) <= _TEXT_LIMIT:
        view.add_item(ui.TextDisplay(line))
    return made
