"""The explorer of a running Labmate, and a visitor who follows every link."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from selectolax.lexbor import LexborHTMLParser

from bot.client import Labmate
from bot.http_server import serving
from data.records import PaperRecord
from index.identity.passes import identify
from index.people.insight import derive
from tests.helpers.lab import fill

MARKUP = [
    "<script>window.hacked=1</script>",
    '"><img src=x onerror=window.hacked=1>',
    "</title></textarea><svg onload=window.hacked=1>",
    "{{7*7}} {% raw %} ${7*7} <%= 7*7 %>",
    '=HYPERLINK("https://evil.example","x")',
    "javascript:window.hacked=1",
    "]]></graphml><!ENTITY x SYSTEM 'file:///etc/passwd'>",
]
"""Titles and names that are markup in one language or another."""


async def fill_and_judge(bot: Labmate, records: list[PaperRecord]) -> None:
    """Read papers in, and make all that the explorer shows of them."""
    await fill(bot, records)
    corpus = bot.services.corpus
    with corpus.writing():
        await corpus.embed_backlog()
        await identify(corpus)
        await derive(corpus)
    await bot.services.insight.refresh()


@dataclass
class Visitor:
    """Asks the explorer as a browser would, without a name."""

    url: str
    session: aiohttp.ClientSession
    pages: dict[str, str] = field(default_factory=dict)

    async def get(self, below: str, **headers: str) -> tuple[int, Any, str]:
        """The status, the headers and the text of an answer below the explorer's address."""
        plain = {"Accept-Encoding": "identity"} | headers
        async with self.session.get(self.url + below, headers=plain, allow_redirects=False) as answer:
            return answer.status, answer.headers, (await answer.read()).decode("utf-8", "replace")

    async def walk(self, most: int = 60) -> dict[str, str]:
        """Every page that links lead to from the first, and what scripts get there."""
        waiting, seen = [self.url + "/"], set[str]()
        while waiting and len(self.pages) < most:
            address = waiting.pop(0).partition("#")[0]
            if address in seen or not address.startswith(self.url + "/") or "/static/" in address:
                continue
            seen.add(address)
            status, _, page = await self.get(address.removeprefix(self.url))
            assert status == 200, (status, address)
            self.pages[address] = page
            tree = LexborHTMLParser(page)
            waiting += [urljoin(address, link.attributes["href"] or "") for link in tree.css("a[href]")]
            if (walks := tree.css_first("#walk")) is not None:
                key = walks.attributes["data-centre"]
                for below in ("/graph.json?key=", "/export.graphml?open=", "/nodes.csv?open="):
                    status, _, self.pages[f"{below}{key}"] = await self.get(f"{below}{key}")
                    assert status == 200, (status, below, key)
        return self.pages


@asynccontextmanager
async def visiting(lab: Any, settings: Any = None, **more: object) -> AsyncIterator[Visitor]:
    """A visitor of the explorer of a lab, or of whatever has a bot; closed again at the end."""
    settings = (settings or lab.settings).model_copy(
        update={"http_listen": "127.0.0.1:0", "explore": "public"} | more
    )
    try:
        async with (
            serving(lab.bot, lab.scheduler, settings) as where,
            aiohttp.ClientSession(auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()) as session,
        ):
            yield Visitor(str(where) + urlsplit(lab.bot.services.explore_url).path, session)
    finally:
        lab.bot.services.explore_url = None


def only_text(page: str, host: str) -> list[str]:
    """Everything in a page beside text and links within: scripts, handlers, addresses elsewhere."""
    tree = LexborHTMLParser(page)
    wrong = []
    for node in tree.css("*"):
        attributes = {name: value or "" for name, value in node.attributes.items()}
        wrong += [name for name in attributes if name.startswith("on") or name == "style"]
        if node.tag in ("img", "iframe", "object", "embed", "base", "style"):
            wrong.append(node.tag)
        ours = attributes.get("src", "").startswith("/explore/static") and not node.text()
        if node.tag == "script" and not ours:
            wrong.append("script")
        where = attributes.get("href", "")
        known = ("/explore", "#", "https://arxiv.org/", "https://doi.org/", host)
        if where and not where.startswith(known):
            wrong.append(where)
    return wrong
