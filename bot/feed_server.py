"""Atom feeds over HTTP, each at an address that nobody can guess."""

from __future__ import annotations

import hashlib
import math
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, tostring

from aiohttp import web

from commands.cards.reasons import plain
from commands.kit.limits import HOUR, Counters
from commands.kit.services import Services
from data.keys import visible
from data.records import Paper
from data.stores.feeds import Feed

MOST = 50
"""The most entries in a feed."""
READINGS = 60
"""How often each feed is read in an hour; a reader that asks every minute is one that was set up wrong."""
_ATOM = "http://www.w3.org/2005/Atom"
_HEADERS = {
    "X-Robots-Tag": "noindex",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "private, max-age=900",
}


class FeedServer:
    """Serves Atom feeds (https://www.rfc-editor.org/rfc/rfc4287)."""

    def __init__(self, services: Services, url: str) -> None:
        self._services = services
        self._url = url
        self._readings = Counters()

    async def answer(self, request: web.Request) -> web.Response:
        """The feed, 304 if the reader already has it, or 429 if it is read too often."""
        feed = await self.find(request.match_info["token"])
        if feed is None:
            return web.Response(status=404, text="This feed does not exist, or no longer exists.\n")
        if wait := self._readings.wait((feed.token,), READINGS, HOUR):
            return web.Response(
                status=429,
                headers={"Retry-After": str(math.ceil(wait))},
                text="This feed is being read too often. Once every fifteen minutes is enough.\n",
            )
        self._readings.count((feed.token,), HOUR)
        title, entries = await self.entries(feed)
        body = atom(f"{self._url}/feeds/{feed.token}.xml", feed, title, entries)
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = _HEADERS | {"ETag": tag}
        if tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        return web.Response(body=body, content_type="application/atom+xml", charset="utf-8", headers=headers)

    async def find(self, token: str) -> Feed | None:
        """The feed at a secret address; None where there is none, or its member or server is banned."""
        feed = await self._services.store.feeds.find(token)
        refused = feed is None or feed.kind == "explore" or await self._is_refused(feed)
        return None if refused else feed

    async def _is_refused(self, feed: Feed) -> bool:
        """Whether its member or its server is banned."""
        store = self._services.store
        server: int | None = None
        if feed.kind == "digest" and (digest := await store.digests.find(feed.target)):
            server = digest.guild
        elif feed.kind == "list" and (shared := await store.lists.find(feed.target)):
            server = shared.guild
        return await store.bans.is_banned(feed.member, server)

    async def entries(self, feed: Feed, most: int = MOST) -> tuple[str, list[tuple[Paper, datetime, str]]]:
        """The title and the entries (paper, since when, why), newest first."""
        store = self._services.store
        listed: list[tuple[int, datetime, str]] = []
        if feed.kind == "digest":
            digest = await store.digests.find(feed.target)
            title = digest.name if digest else "Deleted digest"
            for delivery in await store.digests.history(feed.target, 30):
                if delivery.posted is not None:
                    listed += [(entry.paper, delivery.posted, plain(entry.why)) for entry in delivery.papers]
        elif feed.kind == "list":
            shared = await store.lists.find(feed.target)
            title = shared.name if shared else "Deleted list"
            listed = [(entry.paper, entry.made, "") for entry in await store.lists.papers(feed.target)]
        else:
            title = "My library in Labmate"
            listed = [
                (saved.paper_id, saved.made, "")
                for saved in await store.library.of(feed.target)
                if saved.paper_id
            ]
        newest = listed[:most]
        papers = await store.papers_by_number(number for number, _, _ in newest)
        return title, [(papers[number], since, why) for number, since, why in newest if number in papers]


def atom(address: str, feed: Feed, title: str, entries: list[tuple[Paper, datetime, str]]) -> bytes:
    """A feed as an XML document; text from outside stays text and never becomes markup."""
    root = Element("feed", xmlns=_ATOM)
    _text(root, "id", f"urn:labmate:{hashlib.sha256(feed.token.encode()).hexdigest()[:32]}")
    _text(root, "title", title)
    _text(root, "updated", _instant(max((since for _, since, _ in entries), default=feed.made)))
    SubElement(root, "link", rel="self", href=address)
    _text(root, "generator", "Labmate")
    for paper, since, why in entries:
        entry = SubElement(root, "entry")
        _text(entry, "id", paper.url or f"urn:labmate:paper:{paper.id}")
        _text(entry, "title", paper.title)
        _text(entry, "updated", _instant(since))
        for author in paper.authors[:50]:
            _text(SubElement(entry, "author"), "name", author.name)
        if not paper.authors:
            _text(SubElement(entry, "author"), "name", "unknown authors")
        if paper.url:
            SubElement(entry, "link", rel="alternate", href=paper.url)
        for category in paper.categories[:10]:
            SubElement(entry, "category", term=category)
        _text(entry, "summary", f"{why}\n\n{paper.abstract}".strip())
    document: bytes = tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + document


def _text(parent: Element, name: str, text: str) -> None:
    SubElement(parent, name).text = visible(text)


def _instant(moment: datetime) -> str:
    return moment.replace(tzinfo=UTC, microsecond=0).isoformat().replace("+00:00", "Z")
