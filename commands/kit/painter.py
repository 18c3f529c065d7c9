"""Drawing off the loop: pictures are made in a process of their own, so that no reply waits for another's."""

from __future__ import annotations

import asyncio
import io
import logging
import multiprocessing
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import discord

log = logging.getLogger("labmate")
PATIENCE = 8.0
KEPT = 64


class Painter:
    """One drawing process, started with the first picture; the newest pictures are kept.

    With ``draws`` false there are no pictures: cards do without.
    """

    def __init__(self, *, draws: bool = True) -> None:
        self._draws = draws
        self._pool: ProcessPoolExecutor | None = None
        self._kept: OrderedDict[tuple[str, Any], bytes] = OrderedDict()

    @property
    def draws(self) -> bool:
        """Whether pictures are made at all."""
        return self._draws

    async def paint(self, draw: Callable[..., bytes], key: Any, *args: Any) -> bytes | None:
        """The PNG that ``draw(*args)`` makes, or None if it takes too long; ``key`` names it for later."""
        if not self._draws:
            return None
        known = self._kept.get((draw.__name__, key))
        if known is not None:
            self._kept.move_to_end((draw.__name__, key))
            return known
        try:
            made = await asyncio.wait_for(
                asyncio.get_running_loop().run_in_executor(self._process(), draw, *args), PATIENCE
            )
        except TimeoutError:
            log.warning("a picture took longer than %g s", PATIENCE)
            return None
        except BrokenProcessPool:
            log.warning("the drawing process ended; the next picture starts another")
            self._pool = None
            return None
        except Exception:  # a card without its picture is better than none
            log.exception("a picture could not be drawn")
            return None
        self._kept[draw.__name__, key] = made
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return made

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        return self._pool

    def close(self) -> None:
        """End the drawing process."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def attached(png: bytes | None, name: str) -> list[discord.File]:
    """The picture as an attachment, if there is one."""
    return [discord.File(io.BytesIO(png), name)] if png else []
