"""Data and files for the explorer's script: steps of the graph, completion, pictures, exports."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import asdict

import orjson
from aiohttp import web

from bot.explore.answer import JSON, PageAnswer
from bot.explore.files import Shown, graphml, links_csv, nodes_csv, opened_by
from bot.explore.keys import Key, number_of
from bot.explore.pages import page_number, text
from bot.explore.part import GraphPart
from bot.explore.picture import picture_of
from bot.explore.search import offers, person_named
from bot.explore.sources import Sources
from commands.cards import citation

HOUR = 3_600


class DataViews:
    """Answers for programs."""

    def __init__(self, sources: Sources) -> None:
        self._of = sources

    async def picture(self, request: web.Request) -> PageAnswer:
        """The picture of a node among others."""
        drawing = picture_of(self._of.services, self._of.walk, Key.read(request.match_info["key"]))
        png = await self._of.painted(request, drawing)
        if png is None:  # it took too long, or none are drawn here
            raise TimeoutError
        return PageAnswer(png, "image/png", age=HOUR)

    async def bibtex(self, request: web.Request) -> PageAnswer:
        """A paper as BibTeX."""
        papers = await self._of.services.store.papers([number_of(request.match_info["number"])])
        if not papers:
            raise LookupError
        name = f"{re.sub('[^A-Za-z0-9]+', '-', citation.key_of(papers[0]))}.bib"
        return _file(citation.bibtex(papers[0]).encode(), "text/plain", name)

    async def graphml(self, request: web.Request) -> PageAnswer:
        """The open part of the graph as GraphML."""
        return _file(await self._written(request, graphml), "application/graphml+xml", "graph.graphml")

    async def nodes(self, request: web.Request) -> PageAnswer:
        """The nodes that are open, as CSV."""
        table = await self._written(request, lambda part: nodes_csv(part, self._of.pages.url))
        return _file(table, "text/csv", "nodes.csv")

    async def links(self, request: web.Request) -> PageAnswer:
        """The lines between them, as CSV."""
        return _file(await self._written(request, links_csv), "text/csv", "links.csv")

    async def _written(self, request: web.Request, write: Callable[[GraphPart], bytes]) -> bytes:
        opened = await opened_by(self._of.walk, request.query.getall("open", []))
        shown = Shown.read(request.query)
        return await asyncio.to_thread(lambda: write(shown.of(opened)))  # 2,000 labels take a second

    # -- for the script --------------------------------------------------------------------------

    async def step(self, request: web.Request) -> PageAnswer:
        """The nodes around a node."""
        key = Key.read(request.query.get("key", ""))
        part = await self._of.walk.around(key, page_number(request.query.get("page")))
        return await asyncio.to_thread(_json, part)

    async def path_step(self, request: web.Request) -> PageAnswer:
        """The shortest path between two people, as a part of the graph."""
        ends = [
            await person_named(self._of.services, request.query.get(end, "")[:200]) for end in ("from", "to")
        ]
        if ends[0] is None or ends[1] is None:
            return _problem("Labmate doesn't know one of these people.")
        found = await self._of.walk.between(ends[0], ends[1])
        return _json(found[0]) if found else _problem("No path of six papers or fewer connects them.")

    async def complete(self, request: web.Request) -> PageAnswer:
        """Names, titles and topics that begin with the typed text."""
        found = await offers(self._of.services, self._of.walk, request.query.get("q", ""))
        return PageAnswer(
            orjson.dumps(
                [
                    {
                        "key": str(offer.key),
                        "kind": offer.key.kind,
                        "label": offer.label,
                        "detail": offer.detail,
                        "href": self._of.pages.at(offer.key),
                    }
                    for offer in found
                ]
            ),
            JSON,
            unlisted=True,
        )


def _json(part: GraphPart) -> PageAnswer:
    nodes = [asdict(node) | {"label": text(node.label, 120)} for node in part.nodes.values()]
    for node in nodes:
        node["path"] = Key.read(node["key"]).path
    lines = [asdict(line) for line in part.lines.values()]
    body = {"centre": part.centre, "more": part.more, "nodes": nodes, "lines": lines}
    return PageAnswer(orjson.dumps(body), JSON, unlisted=True)


def _file(body: bytes, kind: str, name: str) -> PageAnswer:
    headers = {"Content-Disposition": f'attachment; filename="labmate-{name}"'}
    return PageAnswer(body, kind, unlisted=True, headers=headers)


def _problem(told: str) -> PageAnswer:
    return PageAnswer(orjson.dumps({"problem": told}), JSON, status=404, unlisted=True)
