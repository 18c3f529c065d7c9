"""The explorer as routes, and what surrounds every answer: limits, turns, errors, headers."""

from __future__ import annotations

import asyncio
import hmac
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from aiohttp import web

from bot.explore.address import ExploreAddress
from bot.explore.answer import PageAnswer, respond
from bot.explore.data_views import DataViews
from bot.explore.pages import Pages
from bot.explore.sources import Sources
from bot.explore.views import PageViews
from bot.explore.visitors import FILES, PAGES, SEARCHES, STATIC, STEPS, TYPING, Pace, Visitors
from bot.explore.walk import NotYetError, Walk
from bot.feed_server import FeedServer
from commands.cards.text import plural
from commands.kit.services import Services
from data.database.unavailable import DatabaseUnavailableError

log = logging.getLogger("labmate")
AT_ONCE, WAITING = 2, 60
SLOW, SLOW_AT_ONCE = (FILES, SEARCHES), 1
"""Requests that are worked on at once, and that may wait for that; slow ones have turns of their own.

On two cores, a process has six threads for such work; visitors leave half of them to members.
"""
OF_ONE = 15
"""The most that one visitor may have among them, so that nobody keeps all others out."""
SECONDS = 20.0
LARGE = 30_000
"""Bytes that take so long to compress that a thread does it."""
Ask = Callable[[web.Request], Awaitable[PageAnswer]]


class Explore:
    """Serves the research graph at an address.

    Parameters
    ----------
    feeds
        Opens what the archives show.
    discord
        Gives the address that opens Labmate in Discord.
    """

    def __init__(
        self,
        services: Services,
        address: ExploreAddress,
        feeds: FeedServer,
        visitors: Visitors,
        discord: Callable[[], str],
    ) -> None:
        self._pages = Pages(address.url, urlsplit(address.url).path, discord)
        self._visitors = visitors
        sources = Sources(services, Walk(services), self._pages, feeds, visitors)
        self._views, self._data = PageViews(sources), DataViews(sources)
        self._token = address.token
        self._turns, self._slow_turns = asyncio.Semaphore(AT_ONCE), asyncio.Semaphore(SLOW_AT_ONCE)
        self._waiting: Counter[str] = Counter()

    def add_to(self, router: web.UrlDispatcher) -> None:
        """Add all routes."""
        root = "/x/{secret:[A-Za-z0-9_-]{20,64}}" if self._token else "/explore"
        routes: list[tuple[str, Ask, Pace]] = [
            ("", self._views.home, PAGES),
            ("/", self._views.home, PAGES),
            ("/search", self._views.search, SEARCHES),
            ("/person/{number:[0-9]{1,12}}", self._views.person, PAGES),
            ("/paper/{number:[0-9]{1,12}}", self._views.paper, PAGES),
            ("/paper/{number:[0-9]{1,12}}.bib", self._data.bibtex, PAGES),
            ("/topic/{phrase:.{1,200}}", self._views.topic, PAGES),
            ("/path", self._views.path, PAGES),
            ("/day", self._views.day, FILES),
            (r"/day/{day:\d{4}-\d\d-\d\d}", self._views.day, FILES),
            ("/archive/{token:[A-Za-z0-9_-]{20,64}}", self._views.archive, PAGES),
            ("/picture/{key:.{2,210}}.png", self._data.picture, FILES),
            ("/export.graphml", self._data.graphml, FILES),
            ("/nodes.csv", self._data.nodes, FILES),
            ("/links.csv", self._data.links, FILES),
            ("/graph.json", self._data.step, STEPS),
            ("/path.json", self._data.path_step, STEPS),
            ("/complete.json", self._data.complete, TYPING),
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
                answer = self._message(
                    "Too many requests", f"Please wait {plural(wait, 'second')}.", 429, later
                )
            elif pace is STATIC:
                answer = await ask(request)
            else:
                answer = await self._in_turn(ask, request, self._slow_turns if pace in SLOW else self._turns)
            if len(answer.body) < LARGE:
                return respond(request, answer, private=self._token is not None)
            return await asyncio.to_thread(respond, request, answer, private=self._token is not None)

        return answering

    async def _in_turn(self, ask: Ask, request: web.Request, turns: asyncio.Semaphore) -> PageAnswer:
        """The answer, made beside a few others only, so that members in Discord don't wait for visitors."""
        who = self._visitors.address(request)
        if self._waiting[who] >= OF_ONE:
            told = "Please wait until some of your requests are answered."
            return self._message("Too many requests", told, 429, {"Retry-After": "1"})
        if self._waiting.total() >= WAITING:
            return self._message("Too many visitors", "Please try again soon.", 503, {"Retry-After": "5"})
        self._waiting[who] += 1
        try:
            async with asyncio.timeout(SECONDS), turns:
                return await ask(request)
        except LookupError as error:
            if isinstance(error, KeyError | IndexError):  # a mistake of ours, not of who asked
                return self._failed()
            return self._message("Not found", "This page does not exist, or no longer exists.", 404)
        except NotYetError:
            soon = "Labmate is still matching authors and finding topics. Please try again in a few minutes."
            return self._message("Not yet", soon, 503, {"Retry-After": "60"})
        except (TimeoutError, DatabaseUnavailableError):
            return self._message("Busy", "This took too long. Please try again.", 503, {"Retry-After": "10"})
        except Exception:  # one page's error must not end the server; it goes to the log with its traceback
            return self._failed()
        finally:
            self._waiting[who] -= 1
            if not self._waiting[who]:
                del self._waiting[who]

    def _failed(self) -> PageAnswer:
        """The answer while an error is handled; a visitor learns nothing of what went wrong inside."""
        log.exception("a page of the explorer could not be made")
        return self._message("Error", "This page could not be made. Labmate's log says why.", 500)

    def _message(
        self, title: str, told: str, status: int, headers: dict[str, str] | None = None
    ) -> PageAnswer:
        page = self._pages.render("message.html", title=title, told=told, status=status, unlisted=True)
        page.headers.update(headers or {})
        return page

    async def _nothing(self, _: web.Request) -> PageAnswer:
        raise LookupError

    async def _static(self, request: web.Request) -> PageAnswer:
        file = self._pages.file(request.match_info["name"])
        return file or self._message("Not found", "This file does not exist.", 404)
