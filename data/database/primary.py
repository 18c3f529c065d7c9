"""Connections to the PostgreSQL server that takes changes; one that only copies another is never asked."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any

ANSWER = 10.0
"""Seconds until a server that does not answer counts as away."""
OF_SEVERAL = 4.0
"""The same where there are others to ask."""
SILENCE = 20.0
"""Seconds without a sign of life until a connection counts as lost; the system would wait for minutes."""


class StandbyError(ConnectionError):
    """Of the servers in DATABASE_URL, only those answer that copy another one, which may be behind."""


def to_primary() -> Callable[..., Awaitable[Any]]:
    """What connects as :func:`asyncpg.connect` does, but to the one of several hosts that is no copy.

    asyncpg would try several hosts, too. But it gives all of them together one time to answer, and a machine
    that fails answers nothing at all.
    """
    last = 0

    async def connect(*, host: Any = None, port: Any = None, **options: Any) -> Any:
        nonlocal last
        import asyncpg  # lazy: an extra

        several = isinstance(host, list)
        servers = list(zip(host, port, strict=True)) if several else [(host, port)]
        options |= {"target_session_attrs": "primary", "timeout": OF_SEVERAL if several else ANSWER}
        failed: list[Exception] = []
        for place in (*range(last, len(servers)), *range(last)):
            host, port = servers[place]
            try:
                connection = await asyncpg.connect(host=host, port=port, **options)
            # It is away, starts or stops; a proxy before a server that is away takes calls and hangs up.
            except (OSError, asyncpg.PostgresConnectionError, asyncpg.OperatorInterventionError) as error:
                failed.append(error)
            except asyncpg.TargetServerAttributeNotMatched:
                failed.append(StandbyError("only a standby answers, which copies another server"))
            else:
                last = place
                _end_when_silent(connection._transport.get_extra_info("socket"))
                return connection
        raise next((error for error in failed if isinstance(error, StandbyError)), failed[0])

    return connect


def _end_when_silent(connected: socket.socket) -> None:
    """Let the system end a connection whose other machine is gone without a word, as after a power cut."""
    if connected.family not in (socket.AF_INET, socket.AF_INET6):
        return
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    half = max(round(SILENCE / 2), 1)
    for name, value in (
        ("TCP_KEEPIDLE", half),
        ("TCP_KEEPINTVL", max(half // 4, 1)),
        ("TCP_KEEPCNT", 4),
        ("TCP_USER_TIMEOUT", round(1_000 * SILENCE)),
    ):
        if hasattr(socket, name):  # not on every system
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
