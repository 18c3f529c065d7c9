"""Pages from templates: everything from outside is text, never markup."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable
from functools import cached_property
from importlib import resources
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.explore.answer import PageAnswer
from bot.explore.keys import Key
from commands.cards.people import span
from commands.cards.text import day, paper_day, plural, readable, shorten
from data.keys import visible

_STATIC = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".txt": "text/plain"}
_WEEK = 604_800
BARS = (640, 120)
"""Width and height of the bars of a person's years."""


def text(value: str, most: int = 5_000) -> str:
    """Text from outside, readable: LaTeX as Unicode, without control characters, cut."""
    return shorten(readable(visible(value[: 12 * most])), most)


def bars(years: dict[int, int]) -> list[dict[str, Any]]:
    """The bars of a chart of papers by year: where each stands, and how high, on a field of :data:`BARS`."""
    wide, high = BARS
    most = max(years.values(), default=1) or 1
    step = wide / max(len(years), 1)
    return [
        {
            "year": year,
            "count": count,
            "x": round(place * step + 0.1 * step, 2),
            "y": round(high - high * count / most, 2),
            "width": round(min(0.8 * step, 60), 2),
            "height": round(high * count / most, 2),
            "labelled": place % max(1, -(-len(years) // 12)) == 0,
        }
        for place, (year, count) in enumerate(years.items())
    ]


class Pages:
    """Renders pages and knows the files beside them.

    Parameters
    ----------
    url
        The explorer's whole address, without a slash at its end.
    path
        The part of it after the host.
    discord
        Gives the address that opens Labmate in Discord; nothing where that isn't known.
    """

    def __init__(self, url: str, path: str, discord: Callable[[], str]) -> None:
        self.url, self.path = url, path
        self._environment = Environment(
            loader=PackageLoader("bot.explore"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters |= {"text": text, "day": day, "paper_day": paper_day, "bars": bars}
        self._environment.globals |= {
            "at": self.at,
            "static": f"{path}/static/{self.version}",
            "url": url,
            "path": path,
            "discord": discord,
            "plural": plural,
            "span": span,
            "BARS": BARS,
        }

    def at(self, where: Key | str, **query: str | int) -> str:
        """The address of a page, as links on this host name it."""
        below = where.path if isinstance(where, Key) else where
        return f"{self.path}{below}" + (f"?{urlencode(query)}" if query else "")

    async def made(self, template: str, **values: Any) -> PageAnswer:
        """A page, as :meth:`render` makes it, in a thread: one with hundreds of papers takes a second."""
        return await asyncio.to_thread(self.render, template, **values)

    def render(
        self, template: str, *, status: int = 200, age: int = 300, unlisted: bool = False, **values: Any
    ) -> PageAnswer:
        """A page."""
        values = {"description": "", "picture": "", "centre": "", "canonical": "", "typed": ""} | values
        made = self._environment.get_template(template).render(values)
        return PageAnswer(made.encode(), status=status, age=age, unlisted=unlisted)

    @cached_property
    def files(self) -> dict[str, bytes]:
        """The scripts and styles, by their name below ``static``."""
        root = resources.files("bot.explore") / "static"
        found = {entry.name: entry for entry in root.iterdir() if entry.is_file()}
        found |= {f"vendor/{entry.name}": entry for entry in (root / "vendor").iterdir()}
        return {
            name: entry.read_bytes()
            for name, entry in sorted(found.items())
            if _ending(name) in _STATIC and not name.endswith(".entry.js")
        }

    @cached_property
    def version(self) -> str:
        """A checksum of all files, so that a new release is never mixed with what a browser kept."""
        return hashlib.sha256(b"".join(self.files.values())).hexdigest()[:12]

    def file(self, name: str) -> PageAnswer | None:
        """A script or a style; None where there is none of this name."""
        body = self.files.get(name)
        return None if body is None else PageAnswer(body, _STATIC[_ending(name)], age=_WEEK)


def _ending(name: str) -> str:
    return "." + name.rpartition(".")[2]


def page_number(typed: str | None) -> int:
    """A page from an address, from 0; what is not a number is the first."""
    return int(typed) if typed and re.fullmatch(r"[0-9]{1,5}", typed) else 0
