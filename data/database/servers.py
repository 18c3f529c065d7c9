"""PostgreSQL, where it differs from SQLite: what it refuses, and what to do about its errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import BigInteger, Dialect, Integer, String, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

_ADVICE = {
    "28": "Check the user name and password in DATABASE_URL, and which users the server accepts "
    "(pg_hba.conf).",
    "3D": "Create the database first: createdb NAME",
    "42501": "Let the user of DATABASE_URL own the database: ALTER DATABASE NAME OWNER TO USER",
    "53300": "Close other programs that use the server, or allow more connections (max_connections).",
    "53100": "Make room on its disk.",
    "25006": "The database needs an upgrade, but the server is read-only (default_transaction_read_only).",
    "57P03": "The server is starting or stopping; start Labmate again in a moment.",
}
"""What to do, by the first characters of PostgreSQL's SQLSTATE (appendix A of its manual)."""


def advice(error: DBAPIError) -> str:
    """What to do about an error, as the rest of a line; empty where nothing is known."""
    state = str(getattr(error.orig, "sqlstate", None) or "")
    return next((f". {said}" for code, said in _ADVICE.items() if state.startswith(code)), "")


def serve(engine: AsyncEngine, *, tables: bool = False) -> None:
    """Let a server take what SQLite takes, and its errors show no values.

    Every whole number is sent as a BIGINT: a number that a person made up is not found, and no error. Not
    where ``tables`` are made, since their numbers would have another type than on SQLite. Texts are sent
    without the character NUL, which PostgreSQL refuses.
    """
    dialect = engine.sync_engine.dialect
    own: Any = dialect.colspecs.get(String, String)

    class WithoutNul(own):  # type: ignore[misc]
        """A text as a server can keep it."""

        def bind_processor(self, dialect: Dialect) -> Callable[[str | None], str | None]:
            return _without_nul

    types: dict[Any, Any] = {**dialect.colspecs, String: WithoutNul}
    if not tables:
        types[Integer] = types[BigInteger]
    dialect.colspecs = types
    event.listen(engine.sync_engine, "handle_error", _hide_values)


def _without_nul(text: str | None) -> str | None:
    return text.replace("\0", "") if text else text


def _hide_values(context: ExceptionContext) -> None:
    """Take the rest of a message away, such as "Failing row contains (...)"."""
    error: BaseException | None = context.original_exception
    while error is not None:
        for name in ("detail", "hint", "where"):
            if getattr(error, name, None):
                setattr(error, name, None)
        error = error.__cause__
