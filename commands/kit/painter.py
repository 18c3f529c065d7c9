"""Drawing off the loop: pictures are made in a process of their own, so that no reply waits for another's."""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import multiprocessing
import os
import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta
from importlib.metadata import version
from typing import Any

import discord

from commands.cards.pictures import activity_png
from data.shared_files import SharedFiles, Shelf

log = logging.getLogger("labmate")
PATIENCE = 8.0
FIRST_PATIENCE = 60.0
"""Seconds for the first picture, which no member waits for: the process that draws it loads what it needs."""
KEPT = 64
PICTURES = Shelf("pictures", largest=4_000_000, most=2_000, life=timedelta(days=1))
"""One day, so that someone who asks to be forgotten soon disappears from pictures."""
_PNG = b"\x89PNG\r\n\x1a\n"


class Painter:
    """One drawing process, started with the first picture; the newest pictures are kept.

    Parameters
    ----------
    draws
        False: there are no pictures, and cards do without.
    files
        Where processes leave pictures for each other, and for themselves after a start.
    """

    def __init__(self, *, draws: bool = True, files: SharedFiles | None = None) -> None:
        self._draws = draws
        self._files = files
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
        name = _file_name(draw.__name__, args)
        made = await self._files.read(PICTURES, name) if self._files else None
        if made is None or not made.startswith(_PNG):
            made = await self._drawn(draw, *args)
            if made is None:
                return None
            if self._files:
                await self._files.write(PICTURES, name, made)
        self._kept[draw.__name__, key] = made
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return made

    async def warm(self) -> None:
        """Start the drawing process, so that the first picture doesn't wait for it."""
        if self._draws:
            await self._drawn(activity_png, {2025: 1, 2026: 2}, within=FIRST_PATIENCE)

    async def _drawn(
        self, draw: Callable[..., bytes], *args: Any, within: float | None = None
    ) -> bytes | None:
        most = PATIENCE if within is None else within
        try:
            async with asyncio.timeout(most):
                return await asyncio.get_running_loop().run_in_executor(self._process(), draw, *args)
        except TimeoutError:
            log.warning("a picture took longer than %g s", most)
            return None
        except BrokenProcessPool:
            log.warning("the drawing process ended; the next picture starts another")
            self._pool = None
            return None
        except Exception:  # a card without its picture is better than none
            log.exception("a picture could not be drawn")
            return None

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=end_with_parent)
        return self._pool

    def close(self) -> None:
        """End the drawing process."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _file_name(draws: str, args: tuple[Any, ...]) -> str:
    """The name of a picture's file: all that is drawn, and by which release."""
    drawn = hashlib.sha256(pickle.dumps((version("labmate"), draws, args)))
    return f"{drawn.hexdigest()}.png.zst"


def end_with_parent() -> None:
    """End this process when the one that started it does, even where that is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(0)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def attached(png: bytes | None, name: str) -> list[discord.File]:
    """The picture as an attachment, if there is one."""
    return [discord.File(io.BytesIO(png), name)] if png else []
