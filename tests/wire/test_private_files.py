"""Nobody but Labmate's own user reads what it keeps, whatever the umask was and whoever made the files."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from data.stores.store import Store
from tests.helpers import databases
from tests.helpers.process import run
from tests.helpers.records import papers_file, record

pytestmark = pytest.mark.hostile


def _open_to_others(folder: Path) -> dict[str, str]:
    """Files and folders that others may read or write, with their modes."""
    found = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.rglob("*"))}
    return {str(path.relative_to(folder)): oct(mode) for path, mode in found.items() if mode & 0o077}


def test_what_processes_make_under_a_lax_umask_is_private(tmp_path):
    folder = tmp_path / "lab"
    file = papers_file(tmp_path / "p.jsonl", 8)
    done = run("ingest", "file", str(file), folder=folder, umask=0o022, fresh=True)
    assert done.returncode == 0, done.stderr
    assert run("run", folder=folder, stdin="exit\n", umask=0o022, fresh=True).returncode == 0
    made = {path.name for path in folder.rglob("*")}
    assert databases.IN_POSTGRES or "labmate.db" in made
    assert {"labmate.log", "vectors", "word-index", "manifest.json", "write.lock"} <= made
    assert _open_to_others(folder) == {}


def test_what_an_earlier_labmate_left_open_is_closed(tmp_path):
    folder = tmp_path / "lab"
    assert run("ask", "/about", folder=folder, fresh=True).returncode == 0
    (folder / "backups").mkdir()
    (folder / "backups" / "labmate-2026-01-05T00-00-00Z.db").touch()
    (folder / "labmate.before-0005.db").touch()
    (folder / "labmate.log.1").touch()
    theirs = folder / "notes.txt"
    for path in [folder, theirs, *folder.rglob("*")]:
        path.touch() if path == theirs else None
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert run("ask", "/about", folder=folder, umask=0o022, fresh=True).returncode == 0
    assert _open_to_others(folder) == {"notes.txt": "0o644"}  # not one of Labmate's


@pytest.mark.sqlite("reads the modes of the database's files")
async def test_the_database_and_its_log_are_private_while_they_are_open(tmp_path):
    store = await Store.open(f"sqlite+aiosqlite:///{tmp_path / 'elsewhere.db'}")
    await store.upsert([record(1)])
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    await store.close()
    names = ("", "-wal", "-shm", ".lock")
    assert modes == {f"elsewhere.db{rest}": 0o600 for rest in names}
