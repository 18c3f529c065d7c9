"""Every older database, filled, becomes today's with nothing lost, even if the process is killed.

A migration that is added is tested by being there. One that means to drop or to change what members or papers
have says so in its file: ``meant = {"table", "table.column"}``.
"""

from __future__ import annotations

import multiprocessing
import re
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from data.database.engine import HEAD, StoreError, open_database
from data.tables.papers import Base
from tests.helpers import older_databases as older
from tests.helpers.postgres import new_database
from tests.helpers.upgrade_child import fill_the_log_alone, upgrade

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.helpers.upgrade_child"])
REVISIONS = older.revisions()
OLDER = [script.revision for script in REVISIONS[:-1]]


def _meant(after: str) -> set[str]:
    """What the migrations after a revision say that they change."""
    later = REVISIONS[[script.revision for script in REVISIONS].index(after) + 1 :]
    return {name for script in later for name in getattr(script.module, "meant", ())}


async def _open(database: older.Database) -> list[object]:
    """Open as Labmate does, and close; how the schema then differs from what the code expects."""
    await (await open_database(older.url_of(database))).dispose()
    engine = older.engine_of(database)
    with engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), Base.metadata)
    engine.dispose()
    return list(differences)


_ADDRESS = re.compile(r" at 0x\w+")
"""In the repr of a clause, such as that of a partial index."""


def _lies_by_key(connection: sa.Connection, table: str) -> dict[str, bool]:
    """Whether SQLite keeps a table in the order of its key."""
    if connection.dialect.name != "sqlite":
        return {}
    found = connection.exec_driver_sql("SELECT wr FROM pragma_table_list(?)", (table,)).scalar_one()
    return {"by key": bool(found)}


def _schema(database: older.Database) -> dict[str, list[list[str]]]:
    """Columns, keys and indexes of every table, and how its rows lie."""
    engine = older.engine_of(database)
    with engine.connect() as connection:
        known = sa.inspect(connection)
        parts = (
            known.get_columns,
            known.get_foreign_keys,
            known.get_indexes,
            known.get_unique_constraints,
            lambda name: [known.get_pk_constraint(name)],
            lambda name: [_lies_by_key(connection, name)],
        )
        schema = {
            name: [
                sorted(_ADDRESS.sub("", repr(sorted(one.items(), key=str))) for one in part(name))
                for part in parts
            ]
            for name in known.get_table_names()
        }
    engine.dispose()
    return schema


@pytest.mark.parametrize("revision", OLDER)
async def test_an_older_database_with_rows_in_every_table_loses_nothing(tmp_path, revision):
    await _loses_nothing(older.place(tmp_path / "labmate.db"), older.place(tmp_path / "new.db"), revision)


async def test_the_oldest_database_in_postgresql_loses_nothing(tmp_path):
    await _loses_nothing(new_database(), new_database(), OLDER[0])


async def _loses_nothing(database: older.Database, new: older.Database, revision: str) -> None:
    before = older.make(database, revision)
    assert await _open(database) == []
    after = older.read(database)
    assert after["alembic_version"] == [{"version_num": HEAD}]
    assert older.lost(before, after, _meant(revision)) == []
    assert older.problems(database) == []
    older.begin(new, HEAD)
    assert _schema(database) == _schema(new)


@pytest.mark.sqlite("about the log and the temporary files of a file")
async def test_a_migration_gives_back_its_room_and_sorts_beside_the_file(tmp_path):
    folder = tmp_path / "it's here"
    folder.mkdir()
    older.make(folder / "labmate.db", OLDER[-1])
    with closing(sqlite3.connect(folder / "labmate.db")) as database:
        for number in range(1_000, 9_000):
            database.execute("INSERT INTO authors VALUES (?, ?, ?)", (number, f"k{number}", "x" * 300))
        database.commit()
    engine = await open_database(older.url_of(folder / "labmate.db"))
    try:
        assert (folder / "labmate.db-wal").stat().st_size == 0
        with closing(sqlite3.connect(folder / "labmate.db")) as database:
            assert database.execute("PRAGMA temp_store_directory").fetchone() == (str(folder),)
    finally:
        await engine.dispose()


@pytest.mark.sqlite("only there rows can lie by key")
def test_the_tables_lie_as_the_code_says(tmp_path):
    older.begin(tmp_path / "labmate.db", HEAD)
    engine = older.engine_of(tmp_path / "labmate.db")
    with engine.connect() as connection:
        for table in Base.metadata.tables.values():
            by_key = not table.dialect_options["sqlite"]["with_rowid"]
            assert _lies_by_key(connection, table.name) == {"by key": by_key}, table.name
    engine.dispose()


def test_the_filled_database_of_the_newest_revision_has_rows_in_every_table_of_the_code(tmp_path):
    rows = older.make(tmp_path / "labmate.db", HEAD)
    assert {name for name, found in rows.items() if found} == {*Base.metadata.tables, "alembic_version"}


def _upgrade(path: Path, stop: str | int | None = None) -> object:
    """Open the database in a process that is killed before the step ``stop``; returns its last words."""
    said, tell = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=upgrade, args=(path, stop, tell))
    process.start()
    tell.close()
    last = said.recv()
    if stop is not None:
        process.kill()
    process.join()
    assert process.exitcode == (0 if stop is None else -signal.SIGKILL)
    return last


@pytest.mark.sqlite("kills between a file's copy and its commit; a server's migration is one transaction")
async def test_a_process_killed_anywhere_in_a_migration_loses_nothing(tmp_path):
    filled = tmp_path / "filled.db"
    before = older.make(filled, OLDER[0])
    (tmp_path / "whole").mkdir()
    statements = _upgrade(Path(shutil.copy(filled, tmp_path / "whole" / "labmate.db")))
    assert isinstance(statements, int)
    steps = [
        "copying",
        "copied",
        *sorted({0, 1, statements // 3, 2 * statements // 3, statements - 1}),
        "commit",
    ]
    for step in steps:
        path = tmp_path / str(step) / "labmate.db"
        path.parent.mkdir()
        shutil.copy(filled, path)
        assert _upgrade(path, step) == "here"
        assert await _open(path) == [], step
        assert older.lost(before, older.read(path), _meant(OLDER[0])) == [], step
        assert older.problems(path) == [], step
        kept = path.with_name(f"labmate.before-{OLDER[0]}.db")
        assert older.lost(before, older.read(kept), set()) == [], step
        assert not list(path.parent.glob("*-part*")), step


@pytest.mark.sqlite("about the copy of a file before it is migrated")
async def test_the_copy_before_a_migration_has_what_was_only_in_the_log(tmp_path):
    path, revision = tmp_path / "labmate.db", OLDER[-1]
    process = CONTEXT.Process(target=fill_the_log_alone, args=(path, revision))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    alone = shutil.copy(path, tmp_path / "without-log.db")
    assert older.read(alone) == {}
    await _open(path)
    kept = older.read(tmp_path / f"labmate.before-{revision}.db")
    assert kept["alembic_version"] == [{"version_num": revision}]
    assert {name for name, rows in kept.items() if len(rows) < older.ROWS} == {"alembic_version"}
    assert older.lost(kept, older.read(path), _meant(revision)) == []


@pytest.mark.sqlite("about the copy of a file before it is migrated")
async def test_nothing_is_migrated_where_no_copy_can_be_kept(tmp_path):
    path = tmp_path / "labmate.db"
    before = older.make(path, OLDER[-1])
    (tmp_path / f"labmate.before-{OLDER[-1]}.db").mkdir()
    with pytest.raises(StoreError, match=r"no copy of it can be kept.*Nothing was changed"):
        await _open(path)
    assert older.read(path) == before
