"""HTTP on HTTP_LISTEN: feeds, the explorer, /healthz for a supervisor, /metrics for a monitor.

A proxy may make the feeds public on the same port. So anyone may see whether Labmate is healthy, but the
details are only for requests from this machine that did not come through a proxy, and for those with
METRICS_TOKEN.
"""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST

from bot.client import Labmate
from bot.explore.opening import explorer
from bot.feed_server import FeedServer
from bot.health import Health, as_json, as_text
from bot.listening import NOTHING_SERVED, split, trouble
from bot.scheduler import Say, Scheduler
from bot.settings import Settings
from commands.kit.services import Services
from commands.kit.supervise import ended

log = logging.getLogger("labmate")
SETTING = "HTTP_LISTEN"
AGAIN = 30.0
"""Seconds between two tries to listen."""
_PROXIED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")


class HealthServer:
    """Answers /healthz and /metrics."""

    def __init__(self, bot: Labmate, scheduler: Scheduler, settings: Settings) -> None:
        self._bot = bot
        self._health = Health(bot, scheduler, settings)
        token = settings.metrics_token
        self._token = token.get_secret_value() if token else None

    def close(self) -> None:
        """Stop reporting."""
        self._health.close()

    async def healthz(self, request: web.Request) -> web.Response:
        """200 or 503, with reasons and figures for those who may see them."""
        look = await self._health.look()
        body = as_json(look) if self._may_see(request) else {"status": "failing" if look.wrong else "ok"}
        return web.json_response(
            body, status=503 if look.wrong else 200, headers={"Cache-Control": "no-store"}
        )

    async def metrics(self, request: web.Request) -> web.Response:
        """All figures, in Prometheus' text format."""
        if not self._may_see(request):
            return web.Response(status=403, text="This needs METRICS_TOKEN; see docs/operate.md\n")
        await self._health.look()
        return web.Response(body=as_text(self._bot), headers={"Content-Type": CONTENT_TYPE_LATEST})

    def _may_see(self, request: web.Request) -> bool:
        kind, _, given = request.headers.get("Authorization", "").partition(" ")
        if self._token and kind.lower() == "bearer":
            return hmac.compare_digest(given.strip().encode(), self._token.encode())
        if any(name in request.headers for name in _PROXIED):
            return False
        try:
            return ipaddress.ip_address(request.remote or "").is_loopback
        except ValueError:
            return False


@asynccontextmanager
async def serving(
    bot: Labmate, scheduler: Scheduler, settings: Settings, say: Say | None = None
) -> AsyncIterator[str | None]:
    """Serve while this is open; yields the address, or None if HTTP is off or can't be served yet.

    Labmate answers in Discord even so, says what is wrong, and tries again.
    """
    listen = settings.http_listen
    if listen is None:
        yield None
        return
    services = bot.services
    health = HealthServer(bot, scheduler, settings)
    feeds = FeedServer(services, services.feed_url or f"http://{listen}")
    app = web.Application(client_max_size=1024)
    app.router.add_get("/feeds/{token:[A-Za-z0-9_-]{20,64}}.xml", feeds.answer)
    app.router.add_get("/healthz", health.healthz)
    app.router.add_get("/metrics", health.metrics)
    explore = await explorer(bot, settings, feeds)
    if explore is not None:
        explore.add_to(app.router)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)  # feed addresses are secret
    await runner.setup()
    where: str | None = None
    again: asyncio.Task[None] | None = None
    try:
        try:
            where = await _listening(runner, listen)
        except (OSError, UnicodeError) as error:
            addresses = services.feed_url, services.explore_url
            again = asyncio.create_task(_listening_later(runner, listen, services, addresses))
            services.troubles[SETTING] = f"{trouble(listen, error)} {NOTHING_SERVED}"
            services.feed_url = services.explore_url = None
            log.error("%s I'll try again every %.0f s.", services.troubles[SETTING], AGAIN)
            if say is not None:
                say(services.troubles[SETTING])
        yield where
    finally:
        if again is not None:
            await ended(again)
        await runner.cleanup()
        health.close()


async def _listening(runner: web.AppRunner, listen: str) -> str:
    """Begin to listen; returns the address."""
    host, port = split(listen)
    site = web.TCPSite(runner, host, port)
    try:
        await site.start()
    except BaseException:
        with suppress(RuntimeError):  # it never began
            await site.stop()
        raise
    assert site._server is not None
    where = f"http://{listen.rpartition(':')[0]}:{site._server.sockets[0].getsockname()[1]}"  # type: ignore[attr-defined]
    log.info("serving feeds, /healthz and /metrics on %s", where)
    return where


async def _listening_later(
    runner: web.AppRunner, listen: str, services: Services, addresses: tuple[str | None, str | None]
) -> None:
    """Listen as soon as the address can be used; from then on, cards name the addresses again."""
    while True:
        await asyncio.sleep(AGAIN)
        with suppress(OSError, UnicodeError):
            await _listening(runner, listen)
            break
    services.feed_url, services.explore_url = addresses
    del services.troubles[SETTING]
