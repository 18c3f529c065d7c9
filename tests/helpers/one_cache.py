"""Statements of SQLite's engines are compiled once a process: each store would compile the same ones again.

Tests open hundreds of stores, and a fifth of the time of a short one went into compiling. What is compiled
depends on the statement and on the kind of database, which all of these have in common.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from sqlalchemy import URL, Engine
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.util import LRUCache


class CompiledStatements:
    """A cache whose keys name a dialect's class where SQLAlchemy's name an engine's own dialect."""

    def __init__(self) -> None:
        self._held: LRUCache[Any, Any] = LRUCache(5_000)

    def get(self, key: tuple[Any, ...]) -> Any:
        return self._held.get((type(key[0]), *key[1:]))

    def __setitem__(self, key: tuple[Any, ...], compiled: Any) -> None:
        self._held[(type(key[0]), *key[1:])] = compiled


_COMPILED = CompiledStatements()


def share(engine: ModuleType) -> None:
    """Let the engines that the module makes for SQLite share what they compile."""
    create, create_in_threads = engine.create_async_engine, engine.create_engine

    def sharing(url: str, **options: Any) -> AsyncEngine:
        made: AsyncEngine = create(url, **options)
        if made.dialect.name == "sqlite":
            made.sync_engine.update_execution_options(compiled_cache=_COMPILED)
        return made

    def sharing_in_threads(url: URL, **options: Any) -> Engine:
        made: Engine = create_in_threads(url, **options)
        made.update_execution_options(compiled_cache=_COMPILED)
        return made

    engine.create_async_engine, engine.create_engine = sharing, sharing_in_threads
