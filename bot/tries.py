"""Watches the requests to Discord, for whoever must know what became of each try."""

from __future__ import annotations

from types import SimpleNamespace

import aiohttp

from commands.kit.tries import note_try


def watch(trace: aiohttp.TraceConfig) -> None:
    """Look at what becomes of each request of a session."""
    trace.on_request_end.append(_ended)
    trace.on_request_exception.append(_failed)


async def _ended(
    _: aiohttp.ClientSession, __: SimpleNamespace, request: aiohttp.TraceRequestEndParams
) -> None:
    note_try(request.method, request.response.status)


async def _failed(
    _: aiohttp.ClientSession, __: SimpleNamespace, request: aiohttp.TraceRequestExceptionParams
) -> None:
    note_try(request.method, request.exception)
