"""The explorer's pages: each finds what it shows, and renders it."""

from __future__ import annotations

import asyncio
from datetime import date
from urllib.parse import quote

from aiohttp import web

from bot.explore.answer import PageAnswer
from bot.explore.day import day_page
from bot.explore.keys import Key, number_of
from bot.explore.pages import page_number, text
from bot.explore.paper import paper_page
from bot.explore.person import person_page
from bot.explore.search import person_named, results_for
from bot.explore.sources import Sources
from bot.explore.topic import topic_page
from commands.kit.dated_by import dated_by
from commands.kit.limits import SEARCH
from data.records import Paper
from index.search.queries import parse_day

BEGINNINGS = 8
"""Papers to begin with."""
ARCHIVED = 300
"""The most papers of an archive."""


class PageViews:
    """Pages for people, which work without scripts."""

    def __init__(self, sources: Sources) -> None:
        self._of = sources

    async def home(self, _request: web.Request) -> PageAnswer:
        """The first page: what there is, and places to begin."""
        services = self._of.services
        _, newest, _ = await services.store.listings.around()
        people, names = services.insight.people, await self._of.walk.topic_names()
        walk, facets = self._of.walk, services.corpus.facets
        latest = await asyncio.to_thread(lambda: walk.newest(facets.held(), BEGINNINGS))
        return await self._of.pages.made(
            "home.html",
            title="Explore",
            description=f"{services.paper_count:,} papers, the people who wrote them, and their topics.",
            papers=services.paper_count,
            people=len(people) if people else 0,
            topics=len(services.insight.topics) if services.insight.topics else 0,
            newest=newest,
            newest_by=await dated_by(self._of.services, newest),
            newest_papers=await services.store.papers(latest),
            largest_topics=await asyncio.to_thread(names.largest, 2 * BEGINNINGS) if names else [],
            canonical="/",
        )

    async def search(self, request: web.Request) -> PageAnswer:
        """People, topics and papers for what a visitor types."""
        typed = request.query.get("q", "")
        asking = results_for(self._of.services, self._of.walk, typed)
        who = self._of.visitors.number(request)
        results = await self._of.services.limits.carry(SEARCH, who, asking)
        return await self._of.pages.made(
            "search.html", title=f"Search: {text(typed, 60)}", results=results, typed=typed, unlisted=True
        )

    async def person(self, request: web.Request) -> PageAnswer:
        """A person's page."""
        number, page = number_of(request.match_info["number"]), page_number(request.query.get("page"))
        found = await person_page(self._of.services, self._of.walk, number, page)
        return await self._of.pages.made(
            "person.html",
            title=text(found.card.person.name, 120),
            description=text(found.facts, 300),
            picture=self._picture_at(found.key),
            centre=str(found.key),
            canonical=found.key.path,
            page=found,
        )

    async def paper(self, request: web.Request) -> PageAnswer:
        """A paper's page."""
        found = await paper_page(self._of.services, self._of.walk, number_of(request.match_info["number"]))
        return await self._of.pages.made(
            "paper.html",
            title=text(found.paper.title, 200),
            description=text(f"{found.facts} · {found.paper.abstract}", 300),
            picture=self._picture_at(found.key),
            centre=str(found.key),
            canonical=found.key.path,
            page=found,
        )

    async def topic(self, request: web.Request) -> PageAnswer:
        """A topic's page."""
        found = await topic_page(self._of.services, self._of.walk, request.match_info["phrase"])
        return await self._of.pages.made(
            "topic.html",
            title=text(found.topic.phrase, 120),
            description=f"{found.topic.papers:,} papers on {text(found.topic.phrase, 120)}",
            picture=self._picture_at(found.key),
            centre=str(found.key),
            canonical=found.key.path,
            page=found,
        )

    def _picture_at(self, key: Key) -> str:
        """Where a link's preview finds its picture; nowhere, where none are drawn."""
        return f"/picture/{quote(str(key), safe='')}.png" if self._of.services.painter.draws else ""

    async def path(self, request: web.Request) -> PageAnswer:
        """The shortest path between two people, and the form that asks for it."""
        typed = request.query.get("from", "")[:200], request.query.get("to", "")[:200]
        ends = [await person_named(self._of.services, one) if one else None for one in typed]
        people = await self._of.services.store.people.find_all([end for end in ends if end is not None])
        one, other = (people.get(end) if end is not None else None for end in ends)
        found = await self._of.walk.between(one.id, other.id) if one and other else None
        steps = found[1] if found else []
        papers = {paper.id: paper for paper in await self._of.services.store.papers([s.paper for s in steps])}
        return await self._of.pages.made(
            "path.html",
            title="Path between two people",
            asked=typed,
            ends=(one, other),
            steps=[(Key.person(step.person), step.name, papers.get(step.paper)) for step in steps],
            known=found is not None,
            centre=f"p{one.id}~p{other.id}" if found and one and other else "",
            unlisted=True,
        )

    async def day(self, request: web.Request) -> PageAnswer:
        """A day's papers, as a map and in words."""
        typed = request.match_info.get("day")
        wanted = parse_day(typed) if typed else None
        if typed and wanted is None:
            raise LookupError(typed)
        found = await self._of.painted(request, day_page(self._of.services, wanted))
        if found is None:
            told = "Labmate has read no listing yet."
            return await self._of.pages.made("message.html", title="The day’s map", told=told, unlisted=True)
        if not found.papers:
            raise LookupError(typed)
        return await self._of.pages.made(
            "day.html",
            title=f"New {found.when}",
            description=f"{len(found.papers):,} papers: {', '.join(found.names[:6])}",
            canonical=f"/day/{found.day}",
            page=found,
        )

    async def archive(self, request: web.Request) -> PageAnswer:
        """What a digest posted or a list holds, for those who have its feed's address."""
        feed = await self._of.feeds.find(request.match_info["token"])
        if feed is None or feed.kind not in ("digest", "list"):
            raise LookupError
        title, entries = await self._of.feeds.entries(feed, ARCHIVED)
        days: dict[date, list[tuple[Paper, str]]] = {}
        for paper, since, why in entries:
            days.setdefault(since.date(), []).append((paper, why))
        return await self._of.pages.made("archive.html", title=text(title, 100), days=days, unlisted=True)
