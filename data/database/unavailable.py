"""A database that can do nothing for a while, which is no fault of Labmate's; who asked is told so."""

from __future__ import annotations

import errno
import re
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from enum import StrEnum

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.database.primary import StandbyError


class Why(StrEnum):
    """Why the database can't do it now."""

    AWAY = "away"
    """Its server gives no answer, or lets nobody in."""
    BUSY = "busy"
    """Others kept it, or all its connections, for too long."""
    READ_ONLY = "read-only"
    COPY = "only a copy"
    """Of several servers, only those answer that copy another one."""
    FULL = "full"
    """Its disk has no room left."""


FULL = (
    "The disk of the database is full. What was done so far is kept; make room, then run the command again."
)


class DatabaseUnavailableError(RuntimeError):
    """The database can't do it now; a later try may succeed."""

    def __init__(self, why: Why, said: object) -> None:
        super().__init__(f"the database is {why} ({said})")
        self.why = why


_STATES = {"25006": Why.READ_ONLY, "53100": Why.FULL, "53200": Why.BUSY, "53300": Why.BUSY, "55P03": Why.BUSY}
"""PostgreSQL's SQLSTATE, by its first five or two characters (its manual's appendix A lists them)."""
_CLASSES = {"08": Why.AWAY, "28": Why.AWAY, "3D": Why.AWAY, "57": Why.AWAY, "58": Why.AWAY}
_OF_SQLITE = {
    "SQLITE_BUSY": Why.BUSY,
    "SQLITE_FULL": Why.FULL,
    "SQLITE_READONLY": Why.READ_ONLY,
    "SQLITE_IOERR": Why.AWAY,
    "SQLITE_CANTOPEN": Why.AWAY,
}


_SHORT_WRITE = re.compile(r"\d+ requested and \d+ written")
"""How numpy says that a file took only a part; its error has no number."""


def why(error: BaseException) -> Why | None:
    """Why the database can't do it now; None where an error says something else."""
    if isinstance(error, PoolTimeoutError):
        return Why.BUSY
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(error)
    if not isinstance(error, DBAPIError):
        return None
    state = str(getattr(error.orig, "sqlstate", None) or "")
    if found := _STATES.get(state) or _CLASSES.get(state[:2]) or _of_sqlite(error.orig):
        return found
    return Why.AWAY if error.connection_invalidated else None


def _of_sqlite(error: BaseException | None) -> Why | None:
    name = str(getattr(error, "sqlite_errorname", ""))
    return next((found for beginning, found in _OF_SQLITE.items() if name.startswith(beginning)), None)


def is_full_disk(error: OSError) -> bool:
    """Whether a file can't be written because its disk is full."""
    if error.errno is None:
        return _SHORT_WRITE.match(str(error)) is not None
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@asynccontextmanager
async def available(opening: AbstractAsyncContextManager[AsyncConnection]) -> AsyncIterator[AsyncConnection]:
    """A connection whose errors say where the database can do nothing now.

    Raises
    ------
    DatabaseUnavailableError
        Where it can't be reached, or refuses for a reason that passes.
    """
    try:
        async with AsyncExitStack() as stack:
            try:
                connection = await stack.enter_async_context(opening)
            except StandbyError as error:
                raise DatabaseUnavailableError(Why.COPY, error) from error
            except OSError as error:  # the server's address gives no answer
                raise DatabaseUnavailableError(Why.AWAY, error) from error
            yield connection
    except (DBAPIError, PoolTimeoutError) as error:
        raise_unavailable(error)
        raise


def raise_unavailable(error: DBAPIError | PoolTimeoutError) -> None:
    """Raise :class:`DatabaseUnavailableError` for an error that says so."""
    reason = why(error)
    if reason is not None:
        raise DatabaseUnavailableError(reason, getattr(error, "orig", error)) from error
