"""Work in a thread that a cancellation waits for, since a thread can't be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def begun_in_thread(work: Callable[P, T], *given: P.args, **more: P.kwargs) -> asyncio.Future[T]:
    """A future of what a function returns in a thread. It isn't a task: the end of a loop cancels tasks."""
    called = partial(copy_context().run, work, *given, **more)
    return asyncio.get_running_loop().run_in_executor(None, called)


async def finished(work: asyncio.Future[T]) -> T:
    """The result of work that goes on whatever happens.

    A caller that is cancelled, however often, still waits until the work has ended, so that nothing closes
    the files that it uses. Its cancellation then hides an error of the work.
    """
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([work])
        if not work.cancelled():
            work.exception()  # else asyncio reports that nobody looked at it
        raise


async def finished_in_thread(work: Callable[P, T], *given: P.args, **more: P.kwargs) -> T:
    """What a function returns in a thread, :func:`finished` even if the caller is cancelled."""
    return await finished(begun_in_thread(work, *given, **more))
