"""A loopback arXiv for the simulated month: OAI-PMH over the real listings, each visible once announced."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Self
from xml.sax.saxutils import escape

import zstandard
from aiohttp import web

from data.calendar.announcements import announced_at
from index.identity.person_names import parse_name

PAGE = 150
APPEARS = timedelta(minutes=10)
"""The delay until an announced listing can be read, as with the real arXiv."""
_OAI = 'xmlns="http://www.openarchives.org/OAI/2.0/"'
_ARXIV = 'xmlns="http://arxiv.org/OAI/arXiv/"'


def listings(path: Path, first: date, last: date) -> dict[date, list[dict[str, Any]]]:
    """The days' papers of a file of listings, by day."""
    days: dict[date, list[dict[str, Any]]] = {}
    with zstandard.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            paper = json.loads(line)
            day = date.fromisoformat(paper["announced"])
            if first <= day <= last:
                days.setdefault(day, []).append(paper)
    return dict(sorted(days.items()))


def visible_at(day: date) -> datetime:
    """When a day's listing can be read."""
    return announced_at(day) + APPEARS


class MonthArxiv:
    """Serves the listings visible at the clock's time; ``down`` makes it answer 503."""

    def __init__(self, days: dict[date, list[dict[str, Any]]], now: Callable[[], datetime]) -> None:
        self._records = [(day, _record(paper, day)) for day, papers in days.items() for paper in papers]
        self._now = now
        self._lists: dict[str, list[str]] = {}
        self._runner: web.AppRunner | None = None
        self.down = False
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/oai", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        assert site._server is not None
        self.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/oai"  # type: ignore[attr-defined]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        if self.down:
            return web.Response(status=503, headers={"Retry-After": "1"})
        query = request.query
        if token := query.get("resumptionToken"):
            name, _, start = token.partition("!")
            records, place = self._lists.get(name, []), int(start or 0)
        else:
            since, now = date.fromisoformat(query["from"]), self._now()
            records = [text for day, text in self._records if day >= since and visible_at(day) <= now]
            name, place = f"l{len(self._lists)}", 0
            self._lists[name] = records
        if not records:
            return _xml('<error code="noRecordsMatch"/>')
        page = records[place : place + PAGE]
        more = f"{name}!{place + PAGE}" if place + PAGE < len(records) else ""
        token = f'<resumptionToken completeListSize="{len(records)}">{more}</resumptionToken>'
        return _xml(f"<ListRecords>{''.join(page)}{token}</ListRecords>")


def _xml(inside: str) -> web.Response:
    return web.Response(text=f"<OAI-PMH {_OAI}>{inside}</OAI-PMH>", content_type="text/xml")


def _record(paper: dict[str, Any], day: date) -> str:
    authors = "".join(map(_author, paper["authors"]))
    fields = {
        "id": paper["id"],
        "created": (day - timedelta(days=2)).isoformat(),
        "title": paper["title"],
        "categories": " ".join(paper["lists"]),
        "abstract": paper["abstract"],
    }
    inside = "".join(f"<{name}>{escape(value)}</{name}>" for name, value in fields.items())
    return (
        f"<record><header><identifier>oai:arXiv.org:{paper['id']}</identifier><datestamp>{day}</datestamp></header>"
        f"<metadata><arXiv {_ARXIV}>{inside}<authors>{authors}</authors></arXiv></metadata></record>"
    )


def _author(name: str) -> str:
    given, _, family = name.rpartition(" ")
    assert parse_name(name) is not None
    forenames = f"<forenames>{escape(given)}</forenames>" if given else ""
    return f"<author><keyname>{escape(family)}</keyname>{forenames}</author>"
