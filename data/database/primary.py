"""Connections to the PostgreSQL server that takes changes; one that only copies another is never asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

ANSWER = 10.0
"""Seconds until a server that does not answer counts as away."""
_OF_SEVERAL = 4.0
"""The same where there are others to ask."""


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
        options |= {"target_session_attrs": "primary", "timeout": _OF_SEVERAL if several else ANSWER}
        failed: list[Exception] = []
        for place in (*range(last, len(servers)), *range(last)):
            host, port = servers[place]
            try:
                connection = await asyncpg.connect(host=host, port=port, **options)
            except (OSError, asyncpg.CannotConnectNowError) as error:  # it is away, starts or stops
                failed.append(error)
            except asyncpg.TargetServerAttributeNotMatched:
                failed.append(StandbyError("only a server answers that copies another one"))
            else:
                last = place
                return connection
        raise next((error for error in failed if isinstance(error, StandbyError)), failed[0])

    return connect
