"""The tests' PostgreSQL server starts even if a killed run left its data folder broken."""

import tempfile
from pathlib import Path

import pytest

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
