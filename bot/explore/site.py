"""The explorer as routes: each finds what a page shows, and answers with it."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable
from dataclasses import asdict

import orjson
from aiohttp import web

from bot.explore.answer import JSON, Answer, respond
from bot.explore.keys import Key
from bot.explore.pages import Pages, page_number, text
from bot.explore.paper import paper_page
from bot.explore.person import person_page
from bot.explore.search import offers, person_named, results_for
from bot.explore.topic import topic_page
from bot.explore.visitors import PAGES, SEARCHES, STATIC, STEPS, TYPING, Pace, Visitors
from bot.explore.walk import NotYetError, Part, Walk
from commands.kit.limits import SEARCH
from commands.kit.services import Services
from data.database.unavailable import DatabaseUnavailableError

log = logging.getLogger("labmate")
AT_ONCE, WAITING = 4, 60
"""Requests that are worked on at once, and that may wait for their turn."""
SECONDS = 20.0
Ask = Callable[[web.Request], Awaitable[Answer]]


class Explore:
    """Serves the research graph.

    Parameters
    ----------
    url, path
        Its whole address, and the part of that after the host.
    token
        The secret in the address; None where it is public.
    """

    def __init__(
        self,
        services: Services,
        url: str,
        path: str,
        token: str | None = None,
        visitors: Visitors | None = None,
    ) -> None:
        self._services = services
        self._pages = Pages(url, path)
        self._walk = Walk(services)
        self._token = token
        self._visitors = visitors or Visitors()
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Add all routes."""
        root = "/x/{secret:[A-Za-z0-9_-]{20,64}}" if self._token else "/explore"
        routes: list[tuple[str, Ask, Pace]] = [
            ("", self._home, PAGES),
            ("/", self._home, PAGES),
            ("/search", self._search, SEARCHES),
            (r"/person/{number:\d{1,12}}", self._person, PAGES),
            (r"/paper/{number:\d{1,12}}", self._paper, PAGES),
            ("/topic/{phrase:.{1,200}}", self._topic, PAGES),
            ("/path", self._path, PAGES),
            ("/graph.json", self._step, STEPS),
            ("/path.json", self._path_step, STEPS),
            ("/complete.json", self._complete, TYPING),
            ("/static/{version}/{name:.{1,60}}", self._static, STATIC),
            ("/{rest:.*}", self._nothing, PAGES),
        ]
        for below, ask, pace in routes:
            router.add_get(root + below, self._answering(ask, pace))

    # -- around every answer ---------------------------------------------------------------------

    def _answering(self, ask: Ask, pace: Pace) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def answering(request: web.Request) -> web.Response:
            secret = request.match_info.get("secret", "")
            if self._token and not hmac.compare_digest(secret.encode(), self._token.encode()):
                return web.Response(status=404, text="There is nothing here.\n")
            if wait := self._visitors.wait(request, pace):
                later = {"Retry-After": str(wait)}
                answer = self._message("Too many requests", f"Please wait {wait} seconds.", 429, later)
            elif pace is STATIC:
                answer = await ask(request)
            else:
                answer = await self._in_turn(ask, request)
            return respond(request, answer, private=self._token is not None)

        return answering

    async def _in_turn(self, ask: Ask, request: web.Request) -> Answer:
        """The answer, made beside a few others only, so that members in Discord don't wait for visitors."""
        if self._waiting >= WAITING:
            return self._message("Too many visitors", "Please try again soon.", 503, {"Retry-After": "5"})
        self._waiting += 1
        try:
            async with asyncio.timeout(SECONDS), self._turns:
                return await ask(request)
        except LookupError:
            return self._message("Not found", "This page does not exist, or no longer exists.", 404)
        except NotYetError:
            soon = "Authors are still being matched to people. Please try again in a few minutes."
            return self._message("Not yet", soon, 503, {"Retry-After": "60"})
        except (TimeoutError, DatabaseUnavailableError):
            return self._message("Busy", "This took too long. Please try again.", 503, {"Retry-After": "10"})
        except Exception:  # a visitor learns nothing of what went wrong inside
            log.exception("a page of the explorer could not be made")
            return self._message("Error", "This page could not be made. The log of Labmate says why.", 500)
        finally:
            self._waiting -= 1

    def _message(self, title: str, told: str, status: int, headers: dict[str, str] | None = None) -> Answer:
        page = self._pages.render("message.html", title=title, told=told, status=status, unlisted=True)
        page.headers.update(headers or {})
        return page

    async def _nothing(self, _: web.Request) -> Answer:
        raise LookupError

    async def _static(self, request: web.Request) -> Answer:
        file = self._pages.file(request.match_info["name"])
        return file or self._message("Not found", "There is no such file.", 404)

    # -- pages -----------------------------------------------------------------------------------

    async def _home(self, _request: web.Request) -> Answer:
        services = self._services
        _, newest, _ = await services.store.listings.around()
        people = services.insight.people
        return self._pages.render(
            "home.html",
            title="Explore",
            description=f"{services.paper_count:,} papers, the people who wrote them, and their topics.",
            papers=services.paper_count,
            people=len(people) if people else 0,
            topics=len(services.insight.topics) if services.insight.topics else 0,
            newest=newest,
            canonical="/",
        )

    async def _search(self, request: web.Request) -> Answer:
        typed = request.query.get("q", "")
        asking = results_for(self._services, self._walk, typed)
        who = self._visitors.number(request)
        results = await self._services.limits.carry(SEARCH, who, asking)
        return self._pages.render(
            "search.html", title=f"Search: {text(typed, 60)}", results=results, typed=typed, unlisted=True
        )

    async def _person(self, request: web.Request) -> Answer:
        number, page = int(request.match_info["number"]), page_number(request.query.get("page"))
        found = await person_page(self._services, self._walk, number, page)
        return self._pages.render(
            "person.html",
            title=text(found.card.person.name, 120),
            description=text(found.facts, 300),
            picture=f"/picture/{found.key}.png",
            centre=str(found.key),
            canonical=found.key.path,
            page=found,
        )

    async def _paper(self, request: web.Request) -> Answer:
        found = await paper_page(self._services, self._walk, int(request.match_info["number"]))
        return self._pages.render(
            "paper.html",
            title=text(found.paper.title, 200),
            description=text(f"{found.facts} · {found.paper.abstract}", 300),
            picture=f"/picture/{found.key}.png",
            centre=str(found.key),
            canonical=found.key.path,
            page=found,
        )

    async def _topic(self, request: web.Request) -> Answer:
        found = await topic_page(self._services, self._walk, request.match_info["phrase"])
        return self._pages.render(
            "topic.html",
            title=text(found.topic.phrase, 120),
            description=f"{found.topic.papers:,} papers on {text(found.topic.phrase, 120)}",
            centre=str(found.key),
            canonical=found.key.path,
            page=found,
        )

    async def _path(self, request: web.Request) -> Answer:
        typed = request.query.get("from", "")[:200], request.query.get("to", "")[:200]
        ends = [await person_named(self._services, one) if one else None for one in typed]
        people = await self._services.store.people.find_all([end for end in ends if end is not None])
        one, other = (people.get(end) if end is not None else None for end in ends)
        found = await self._walk.between(one.id, other.id) if one and other else None
        steps = found[1] if found else []
        papers = {paper.id: paper for paper in await self._services.store.papers([s.paper for s in steps])}
        return self._pages.render(
            "path.html",
            title="Path between two people",
            asked=typed,
            ends=(one, other),
            steps=[(Key.person(step.person), step.name, papers.get(step.paper)) for step in steps],
            known=found is not None,
            centre=f"p{one.id}~p{other.id}" if found and one and other else "",
            unlisted=True,
        )

    # -- for the script --------------------------------------------------------------------------

    async def _step(self, request: web.Request) -> Answer:
        key = Key.read(request.query.get("key", ""))
        return _json(await self._walk.around(key, page_number(request.query.get("page"))))

    async def _path_step(self, request: web.Request) -> Answer:
        ends = [
            await person_named(self._services, request.query.get(end, "")[:200]) for end in ("from", "to")
        ]
        if ends[0] is None or ends[1] is None:
            return _problem("I don't know one of these people.")
        found = await self._walk.between(ends[0], ends[1])
        return _json(found[0]) if found else _problem("There is no path of six papers or fewer.")

    async def _complete(self, request: web.Request) -> Answer:
        found = await offers(self._services, self._walk, request.query.get("q", ""))
        return Answer(
            orjson.dumps(
                [
                    {
                        "key": str(offer.key),
                        "kind": offer.key.kind,
                        "label": offer.label,
                        "detail": offer.detail,
                        "href": self._pages.at(offer.key),
                    }
                    for offer in found
                ]
            ),
            JSON,
            unlisted=True,
        )


def _json(part: Part) -> Answer:
    nodes = [asdict(node) | {"label": text(node.label, 120)} for node in part.nodes.values()]
    for node in nodes:
        node["path"] = Key.read(node["key"]).path
    lines = [asdict(line) for line in part.lines.values()]
    body = {"centre": part.centre, "more": part.more, "nodes": nodes, "lines": lines}
    return Answer(orjson.dumps(body), JSON, unlisted=True)


def _problem(told: str) -> Answer:
    return Answer(orjson.dumps({"problem": told}), JSON, status=404, unlisted=True)
