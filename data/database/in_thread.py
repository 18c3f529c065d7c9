"""Work in a thread that a cancellation waits for, since a thread can't be stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def finished_in_thread(work: Callable[P, T], *given: P.args, **more: P.kwargs) -> T:
    """What a function returns in a thread; a caller that is cancelled still waits for the function to end.

    So nothing closes the files that the function works on.
    """
    task = asyncio.ensure_future(asyncio.to_thread(work, *given, **more))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # the cancellation goes before
        raise
