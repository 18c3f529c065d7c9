"""The sources of the explorer's answers."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TypeVar

from aiohttp import web

from bot.explore.pages import Pages
from bot.explore.visitors import Visitors
from bot.explore.walk import Walk
from bot.feed_server import FeedServer
from commands.kit.limits import PICTURE
from commands.kit.services import Services

T = TypeVar("T")


@dataclass(frozen=True)
class Sources:
    """Labmate's services, the graph over them, templates, and who visits; ``feeds`` opens archives."""

    services: Services
    walk: Walk
    pages: Pages
    feeds: FeedServer
    visitors: Visitors

    async def painted(self, request: web.Request, work: Awaitable[T]) -> T:
        """Do slow work in this visitor's turn among those who want pictures."""
        return await self.services.limits.carry(PICTURE, self.visitors.number(request), work)
