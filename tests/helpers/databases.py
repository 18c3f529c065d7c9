"""Where the stores of tests lie: in SQLite files, or in PostgreSQL.

With LABMATE_TEST_DATABASE=postgresql (`make test-postgres`), a database of a server stands for each file, and
every Labmate of the tests, in this process or another, is told so by DATABASE_URL. New ones are copied from
one that went through all migrations.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy import make_url

from data.database.engine import HEAD, MIGRATIONS, _upgrade
from data.tables.papers import Base
from tests.helpers import postgres

IN_POSTGRES = os.environ.get("LABMATE_TEST_DATABASE") == "postgresql"
_made: dict[str, Path] = {}


def url_of(file: Path) -> str:
    """The URL of the database that a test means by a file; in PostgreSQL, it has its tables already."""
    if not IN_POSTGRES:
        return f"sqlite+aiosqlite:///{file}"
    name = _name(file)
    if name not in _made:
        if not _is_there(name):
            _copy(_empty(), name)
        _made[name] = file
    return postgres.url_of(name)


def setting(folder: Path) -> str | None:
    """The DATABASE_URL of a Labmate over this folder; None where it keeps the default, a file in there."""
    return url_of(folder / "labmate.db") if IN_POSTGRES else None


def environment(folder: Path) -> dict[str, str]:
    """The same for a process of its own."""
    url = setting(folder)
    return {"DATABASE_URL": url} if url else {}


def is_in_use(folder: Path) -> bool:
    """Whether the database of this folder has been made."""
    file = folder / "labmate.db"
    return _is_there(_name(file)) if IN_POSTGRES else file.exists()


def copy(folder: Path, to: Path) -> None:
    """Copy the database of a folder that lies in PostgreSQL to that of another folder."""
    if IN_POSTGRES:
        target = to / "labmate.db"
        _copy(_name(folder / "labmate.db"), _name(target))
        _made[_name(target)] = target


def name_of(url: str) -> str:
    """The name that a server gives this database."""
    return str(make_url(url).database)


def engine_in(folder: Path) -> sa.Engine:
    """An engine of the test's own to look at, or to damage, the database of a folder."""
    if IN_POSTGRES:
        return sa.create_engine(url_of(folder / "labmate.db").replace("+asyncpg", "+psycopg"))
    return sa.create_engine(f"sqlite:///{folder / 'labmate.db'}", connect_args={"timeout": 240})


def rows_in(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table; in PostgreSQL each as one text, since Python does not know all its dates."""
    engine, what = engine_in(folder), "t::text" if IN_POSTGRES else "t.*"
    with engine.connect() as connection:
        rows = {
            name: [tuple(row) for row in connection.exec_driver_sql(f"SELECT {what} FROM {name} t")]  # noqa: S608
            for name in Base.metadata.tables
        }
    engine.dispose()
    return rows


def drop(within: Path) -> None:
    """Remove the databases that stand for files in a folder."""
    for name, file in list(_made.items()):
        if file.is_relative_to(within):
            del _made[name]
            postgres.ask(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _name(file: Path) -> str:
    return f"test_{postgres.RUN}_" + hashlib.sha256(str(file.absolute()).encode()).hexdigest()[:24]


def _is_there(name: str) -> bool:
    return bool(postgres.ask(f"SELECT 1 FROM pg_database WHERE datname = '{name}'"))  # noqa: S608


def _copy(name: str, to: str) -> None:
    postgres.ask(f"CREATE DATABASE {to} TEMPLATE {name}")


@cache
def _empty() -> str:
    """The database with all tables and nothing in them; its name says which migrations made it."""
    migrations = sorted((MIGRATIONS / "versions").glob("*.py"))
    content = hashlib.sha256(b"".join(script.read_bytes() for script in migrations)).hexdigest()[:12]
    name = f"labmate_{HEAD}_{content}"
    with FileLock(postgres.HERE / f"{name}.lock"):
        if not _is_there(name):
            draft = f"{name}_draft"
            postgres.ask(f"DROP DATABASE IF EXISTS {draft} WITH (FORCE)")
            postgres.ask(f"CREATE DATABASE {draft}")
            engine = sa.create_engine(postgres.url_of(draft).replace("+asyncpg", "+psycopg"))
            with engine.begin() as connection:
                _upgrade(connection)
            engine.dispose()
            postgres.ask(f"ALTER DATABASE {draft} RENAME TO {name}")
    return name
