"""Backups are whole while others write, replace the last one only when they are good, and go back safely."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from data.database import backups, sqlite_files
from data.database.engine import HEAD, NewerDatabaseError, StoreError
from data.stores.store import Store
from tests.helpers import backup_child as child
from tests.helpers import older_databases as older
from tests.helpers.records import record

pytestmark = pytest.mark.sqlite("Labmate backs up files; a server is backed up with its own tools")

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.helpers.backup_child", "tests.helpers.upgrade_child"])


def _start(target: Any, *arguments: object) -> tuple[Any, Connection]:
    said, tell = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=target, args=(*arguments, tell))
    process.start()
    tell.close()
    return process, said


async def _filled(path: Path, papers: int) -> Path:
    store = await Store.open(f"sqlite+aiosqlite:///{path}")
    await store.upsert([record(number) for number in range(papers)])
    await store.close()
    return path


@pytest_asyncio.fixture
async def database(tmp_path):
    (tmp_path / "lab").mkdir()
    return await _filled(tmp_path / "lab" / "labmate.db", 30)


def _texts(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[0] for row in connection.execute("SELECT text FROM kept_texts ORDER BY id")]


async def test_a_backup_is_one_moment_of_a_database_that_is_written_to_all_the_while(
    tmp_path, database, monkeypatch
):
    monkeypatch.setattr(sqlite_files, "PAGES_AT_ONCE", 10)
    writer, said = _start(child.write, database)
    before = [said.recv() for _ in range(5)][-1]
    steps = []

    def meanwhile(step: str, done: int, total: int) -> None:
        """Let five more writes come between two parts of the copy, which may not begin again for them."""
        if step == "copying":
            assert (done, total) > max(steps, default=(0, 0)), "the copy began again"
            steps.append((done, total))
            for _ in range(5):
                said.recv()

    made = backups.back_up(database, tmp_path / "backup.db", meanwhile)
    after = said.recv()
    said.close()
    writer.join()
    assert len(steps) >= 4
    assert len({total for _, total in steps}) == 1
    texts = _texts(made.path)
    assert texts == [f"text {number}" for number in range(1, len(texts) + 1)]
    # The writer may be a few texts ahead of what was read from the pipe, but not of the first part of the
    # copy.
    assert before <= len(texts) < after
    assert made.rows["kept_texts"] == len(texts)
    assert made.rows["papers"] - 30 <= len(texts)
    assert backups.verify(made.path) == made
    assert {path.name for path in tmp_path.iterdir()} == {"lab", "backup.db"}


async def test_a_backup_has_every_row_of_every_table_and_of_an_older_schema_too(tmp_path):
    for revision in {script.revision for script in older.revisions()}:
        path = tmp_path / f"{revision}.db"
        rows = older.make(path, revision)
        made = backups.back_up(path, tmp_path / "backup.db")
        assert made.schema == revision
        assert _rows(made.path) == rows | {"sequences": rows.get("sequences", [])}


def _torn(path: Path) -> Path:
    with path.open("r+b") as stream:
        stream.truncate(path.stat().st_size // 2)
    return path


def _scribbled(path: Path) -> Path:
    with path.open("r+b") as stream:
        for page in range(2, path.stat().st_size // 4096):
            stream.seek(page * 4096)
            stream.write(b"\xff" * 64)
    return path


def _sql(path: Path, statement: str) -> Path:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    return path


def _text_file(path: Path) -> Path:
    path.write_text("This is no database. " * 300)
    return path


def _emptied(path: Path) -> Path:
    path.write_bytes(b"")
    return path


def _folder(path: Path) -> Path:
    path.unlink()
    path.mkdir()
    return path


def _absent(path: Path) -> Path:
    path.unlink()
    return path


def _another_programs(path: Path) -> Path:
    return _sql(_absent(path), "CREATE TABLE notes (text)")


def _hollow(path: Path) -> Path:
    _sql(_absent(path), "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
    return _sql(path, f"INSERT INTO alembic_version VALUES ('{HEAD}')")  # noqa: S608


BAD = [
    (_absent, "there is no such file"),
    (_folder, "is a folder. Name a file"),
    (_emptied, "is empty"),
    (_text_file, "is not a database"),
    (_another_programs, "not one of Labmate's"),
    (_torn, "is damaged"),
    (_scribbled, "is damaged"),
    (
        lambda path: _sql(path, "UPDATE alembic_version SET version_num = '9999'"),
        "was written by a newer Labmate",
    ),
    (lambda path: _sql(path, "DELETE FROM alembic_version"), "doesn't say which schema it has"),
    (_hollow, "lacks tables that every database of Labmate has: authors, papers"),
    (
        lambda path: _sql(path, "DELETE FROM papers WHERE id = 3"),
        "points to a row of papers that is not there",
    ),
]


@pytest.mark.parametrize(("spoil", "said"), BAD)
async def test_what_is_no_good_backup_is_said_in_one_line_and_replaces_nothing(
    tmp_path, database, spoil, said
):
    good = backups.back_up(database, tmp_path / "good.db").path
    bad = spoil(Path(shutil.copy(good, tmp_path / "bad.db")))
    before = _rows(database)
    for attempt in (
        lambda: backups.verify(bad),
        lambda: backups.restore(bad, database, child.NOW),
        lambda: backups.back_up(bad, good),
    ):
        with pytest.raises(StoreError, match=said) as error:
            attempt()
        assert "\n" not in str(error.value)
        assert str(bad) in str(error.value)
    assert _rows(database) == before == _rows(good)
    assert {path.name for path in tmp_path.iterdir()} <= {"lab", "good.db", "bad.db"}
    assert {path.name for path in database.parent.iterdir()} <= {"labmate.db", "labmate.db.lock"}


@pytest.mark.parametrize("spoil", [_emptied, _text_file, _another_programs, _torn, _scribbled, _hollow])
async def test_a_bad_backup_is_refused_with_what_to_do(tmp_path, database, spoil):
    bad = spoil(backups.back_up(database, tmp_path / "bad.db").path)
    with pytest.raises(StoreError, match=r"\. Use another backup\.$"):
        backups.restore(bad, database, child.NOW)
    with pytest.raises(StoreError, match=r"\. Use another backup\.$"):
        backups.verify(bad)


async def test_a_single_bit_that_flipped_anywhere_is_noticed_and_the_database_stays(tmp_path, database):
    made = backups.back_up(database, tmp_path / "good.db")
    assert made.sealed
    good, before = made.path.read_bytes(), _rows(database)
    chosen = random.Random(5)
    places = [*range(100), *chosen.sample(range(100, len(good)), 150)]
    bad = tmp_path / "bad.db"
    for place in places:
        bad.write_bytes(good[:place] + bytes([good[place] ^ 1 << chosen.randrange(8)]) + good[place + 1 :])
        with pytest.raises(StoreError, match=re.escape(str(bad))):
            backups.verify(bad)
    with pytest.raises(StoreError, match="its checksum does not match"):
        backups.restore(_flipped_text(bad, good), database, child.NOW)
    assert _rows(database) == before
    assert {path.name for path in database.parent.iterdir()} <= {"labmate.db", "labmate.db.lock"}
    backups.restore(bad, database, child.NOW, altered=True)
    assert _texts(database) == _texts(bad)


def _flipped_text(path: Path, good: bytes) -> Path:
    """A letter of a title is another; SQLite itself can't see that."""
    at = good.index(b"Paper ")
    path.write_bytes(good[:at] + b"Q" + good[at + 1 :])
    with closing(sqlite_files.readable(path)) as connection:
        assert sqlite_files.damage(connection) == ""
    return path


async def test_a_backup_without_its_end_is_noticed_wherever_it_was_cut(tmp_path, database):
    good = backups.back_up(database, tmp_path / "good.db").path.read_bytes()
    cut = tmp_path / "cut.db"
    for size in (len(good) - 1, len(good) - 4096, len(good) // 2, 4096, 100, 1):
        cut.write_bytes(good[:size])
        with pytest.raises(StoreError, match=re.escape(str(cut))):
            backups.verify(cut)
    cut.write_bytes(good + b"x")
    with pytest.raises(StoreError, match="checksum"):
        backups.verify(cut)


async def test_an_older_labmates_backup_has_no_checksum_and_a_restored_database_needs_none(
    tmp_path, database
):
    made = backups.back_up(database, tmp_path / "backup.db")
    backups.restore(made.path, database, child.NOW)
    await _filled(database, 40)
    assert not backups.verify(database).sealed
    shutil.copy(made.path, database)  # put in its place by hand
    await _filled(database, 50)
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("VACUUM INTO ?", (str(tmp_path / "copied.db"),))
    assert not backups.verify(tmp_path / "copied.db").sealed
    aside = backups.restore(made.path, database, child.NOW + timedelta(days=1)).aside
    assert aside is not None
    assert not backups.verify(aside).sealed
    again = backups.back_up(database, tmp_path / "again.db")
    assert again.sealed
    assert backups.verify(again.path) == again


async def test_a_newer_backup_is_told_apart(tmp_path, database):
    _sql(database, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(NewerDatabaseError):
        backups.verify(database)


async def test_a_backup_takes_the_place_of_no_device_and_no_pipe(tmp_path, database):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(StoreError, match="is not a file, but a device or a pipe"):
        backups.back_up(database, pipe)
    assert pipe.is_fifo()


async def test_a_backup_replaces_no_file_that_is_none(tmp_path, database):
    papers = tmp_path / "papers.json"
    papers.write_text('{"id": "2601.00001"}')
    with pytest.raises(StoreError, match="is not a backup, so it is not replaced"):
        backups.back_up(database, papers)
    assert papers.read_text() == '{"id": "2601.00001"}'
    empty = tmp_path / "empty.db"
    empty.touch()
    for _ in range(2):
        assert backups.back_up(database, empty).rows["papers"] == 30


@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.parametrize("linked", [False, True])
async def test_another_labmates_database_is_no_backup(tmp_path, database, linked, stopped):
    theirs, opened = tmp_path / "theirs.db", tmp_path / "link.db"
    if linked:
        opened.symlink_to(theirs)
    store = await Store.open(f"sqlite+aiosqlite:///{opened if linked else theirs}")
    await store.upsert([record(1)])
    if stopped:
        await store.close()
    with pytest.raises(StoreError, match=r"theirs\.db is the database of a Labmate, so it is not replaced"):
        backups.back_up(database, theirs)
    assert len(_rows(theirs)["papers"]) == 1
    await store.close()


def test_a_backup_is_replaced_beside_the_lock_of_a_database_that_was_moved_away(tmp_path, database):
    (tmp_path / "kept.db.lock").touch()
    for _ in range(2):
        assert backups.back_up(database, tmp_path / "kept.db").rows["papers"] == 30


def test_another_programs_database_is_no_backup_even_while_it_is_locked(tmp_path, database):
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as theirs:
        theirs.execute("PRAGMA journal_mode=WAL")
        theirs.execute("CREATE TABLE things (name)")
        theirs.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for locking in ("normal", "exclusive"):
            theirs.execute(f"PRAGMA locking_mode={locking}")
            theirs.execute("INSERT INTO things VALUES ('theirs')")
            with pytest.raises(StoreError, match="is not a backup"):
                backups.back_up(database, path)
        assert theirs.execute("SELECT count(*) FROM things").fetchone() == (2,)


async def test_the_database_is_neither_its_backup_nor_restored_from_itself(tmp_path, database):
    second = tmp_path / "link.db"
    second.symlink_to(database)
    for name in (database, second):
        with pytest.raises(StoreError, match="is the database itself"):
            backups.back_up(database, name)
        with pytest.raises(StoreError, match="is the database itself"):
            backups.restore(name, database, child.NOW)
    with pytest.raises(StoreError, match="is a folder"):
        backups.back_up(database, tmp_path)


def _asked(*arguments: object) -> str:
    process, said = _start(child.back_up, *arguments)
    answer = said.recv()
    process.join()
    return str(answer)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to act as another user")
async def test_a_place_that_may_not_be_written_or_read_is_said(tmp_path, database):
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents:
        if not folder.stat().st_mode & 0o001:
            folder.chmod(folder.stat().st_mode | 0o011)
    (tmp_path / "theirs").mkdir(mode=0o777)
    (tmp_path / "theirs").chmod(0o777)
    database.parent.chmod(0o755)
    unread = _asked(database, tmp_path / "theirs" / "backup.db", None, 65_534)
    assert unread == f"{database} can't be used: you may not read it."
    unwritten = _asked(database, tmp_path / "backup.db", None, None)
    assert unwritten == "done"
    database.chmod(0o666)
    database.parent.chmod(0o777)
    assert "backup.db can't be used: Permission denied." in _asked(
        database, tmp_path / "backup.db", None, 65_534
    )


async def test_a_full_disk_leaves_the_last_backup(tmp_path, database):
    target = tmp_path / "backup.db"
    last = backups.back_up(database, target)
    content = target.read_bytes()
    await _filled(database, 60)
    said = _asked(database, target, last.size // 2, None)
    assert "backup.db can't be used" in said
    assert target.read_bytes() == content
    assert {path.name for path in tmp_path.iterdir()} == {"lab", "backup.db"}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount a small disk")
def test_a_disk_too_small_is_told_before_it_is_filled(tmp_path):
    older.make(tmp_path / "labmate.db", HEAD)
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "labmate-test", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        with pytest.raises(
            StoreError,
            match=r"The disk of .*small is full: 0\.\d MB are needed, 0\.\d MB are free\. Make room",
        ):
            backups.back_up(tmp_path / "labmate.db", small / "backup.db")
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", str(small)], check=True)


def _rows(path):
    """Every row except the database's own number: each backup and each restore gets a new one."""
    rows = older.read(path)
    numbered = [row for row in rows.pop("sequences", []) if row["name"] != backups.DATABASE]
    return rows | {"sequences": numbered}


def _number(path):
    numbers = [row["last"] for row in older.read(path)["sequences"] if row["name"] == backups.DATABASE]
    return numbers[0] if numbers else None


# -- restoring -----------------------------------------------------------------------------------


async def test_a_restore_brings_the_moment_back_and_keeps_what_was_there(tmp_path, database):
    then = _rows(database)
    made = backups.back_up(database, tmp_path / "backup.db")
    await _filled(database, 60)
    later = _rows(database)
    done = backups.restore(made.path, database, child.NOW)
    assert done.aside == database.with_name("labmate.replaced-2026-01-05T06-07-08Z.db")
    assert _rows(database) == then
    assert _rows(done.aside) == later
    numbers = [_number(path) for path in (made.path, done.aside, database)]
    assert numbers[2] not in (None, *numbers[:2]), "so that files of the old one are told from its own"
    store = await Store.open(f"sqlite+aiosqlite:///{database}")
    assert await store.count() == 30
    await store.close()


async def test_a_restore_is_refused_while_a_labmate_has_the_database_open(tmp_path, database):
    made = backups.back_up(database, tmp_path / "backup.db")
    store = await Store.open(f"sqlite+aiosqlite:///{database}")
    with pytest.raises(StoreError, match="is in use"):
        backups.restore(made.path, database, child.NOW)
    await store.close()
    with closing(sqlite3.connect(database)) as other:  # a program that knows nothing of Labmate's lock
        other.execute("SELECT * FROM papers").fetchone()
        with pytest.raises(StoreError, match="is in use"):
            backups.restore(made.path, database, child.NOW)
    backups.restore(made.path, database, child.NOW)


async def test_no_labmate_starts_while_a_backup_is_restored(tmp_path, database):
    made = backups.back_up(database, tmp_path / "backup.db")
    process, said = _start(child.restore, made.path, database, "renamed")
    assert said.recv() == "here"
    with pytest.raises(StoreError, match="A backup is being restored"):
        await Store.open(f"sqlite+aiosqlite:///{database}")
    process.kill()
    process.join()
    await (await Store.open(f"sqlite+aiosqlite:///{database}")).close()


async def test_a_log_that_a_killed_process_left_is_not_read_as_the_restored_ones(tmp_path, database):
    made = backups.back_up(database, tmp_path / "backup.db")
    then = _rows(made.path)
    writer, said = _start(child.write, database)
    written = [said.recv() for _ in range(9)][-1]
    writer.kill()
    writer.join()
    assert database.with_name("labmate.db-wal").stat().st_size
    done = backups.restore(made.path, database, child.NOW)
    assert not database.with_name("labmate.db-wal").exists()
    assert _rows(database) == then
    assert len(_texts(done.aside)) >= written


@pytest.mark.parametrize("spoil", [_torn, _scribbled, _text_file, _absent])
async def test_a_damaged_database_is_replaced_and_kept_with_its_log(tmp_path, database, spoil):
    made = backups.back_up(database, tmp_path / "backup.db")
    then = _rows(database)
    spoil(database)
    damaged = database.read_bytes() if database.exists() else None
    database.with_name("labmate.db-wal").write_bytes(b"what was left of it")
    done = backups.restore(made.path, database, child.NOW)
    assert _rows(database) == then
    assert older.problems(database) == []
    if damaged is None:
        assert done.aside is None
    else:
        assert len(done.aside.read_bytes()) == len(damaged)
    store = await Store.open(f"sqlite+aiosqlite:///{database}")
    assert await store.count() == 30
    await store.close()


@pytest.mark.parametrize("step", ["linked", "renamed", "synced"])
async def test_a_restore_killed_anywhere_leaves_a_whole_database(tmp_path, database, step):
    then = _rows(database)
    made = backups.back_up(database, tmp_path / "backup.db")
    await _filled(database, 60)
    later = _rows(database)
    process, said = _start(child.restore, made.path, database, step)
    assert said.recv() == "here"
    process.kill()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert _rows(database) == (then if step == "synced" else later)
    backups.restore(made.path, database, child.NOW + timedelta(seconds=1))
    assert _rows(database) == then
    assert not list(database.parent.glob(f"*{sqlite_files.UNFINISHED}"))


def test_the_newest_backups_stay_and_other_files_are_left_alone(tmp_path):
    days = [datetime(2026, 1, day, tzinfo=UTC) for day in (9, 3, 30)]
    for day in days:
        (tmp_path / backups.folder_name(day)).touch()
    (tmp_path / "labmate-before-the-move.db").touch()
    gone = backups.remove_oldest(tmp_path, 2, days[2])
    assert [path.name for path in gone] == ["labmate-2026-01-03T00-00-00Z.db"]
    assert list(backups.kept_in(tmp_path, days[2]).values()) == [days[0], days[2]]
    assert (tmp_path / "labmate-before-the-move.db").exists()


def test_backups_that_were_made_while_the_clock_was_ahead_go_before_all_others(tmp_path):
    before, now = datetime(2026, 1, 3, tzinfo=UTC), datetime(2026, 1, 4, tzinfo=UTC)
    ahead = [datetime(2031, 1, day, tzinfo=UTC) for day in (1, 2)]
    for day in (*ahead, before, now):
        (tmp_path / backups.folder_name(day)).touch()
    assert list(backups.kept_in(tmp_path, now).values()) == [*ahead, before, now]
    backups.remove_oldest(tmp_path, 3, now)
    assert list(backups.kept_in(tmp_path, now).values()) == [ahead[1], before, now]
