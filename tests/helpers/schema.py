"""A new SQLite database gets its tables from a copy of one that was migrated, once a process.

Running every migration takes half a second, and hundreds of tests begin with an empty store. The copied one
went through all migrations; databases that exist already, and other processes, migrate as they always do.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

_KEPT = TemporaryDirectory(prefix="labmate-schema-")


def copy_instead_of_migrating(engine: ModuleType) -> None:
    """Let the module that opens databases do so."""
    migrate = engine._migrate

    async def copied(url: str) -> None:
        path, template = engine.sqlite_path(url), Path(_KEPT.name) / "template.db"
        if path is not None and not template.exists():
            with TemporaryDirectory(dir=_KEPT.name) as folder:
                draft = Path(folder) / "draft.db"
                await migrate(f"sqlite+aiosqlite:///{draft}")
                draft.replace(template)
        if path is None or not _is_empty(path):
            return await migrate(url)
        with closing(sqlite3.connect(template)) as source, closing(sqlite3.connect(path)) as target:
            source.backup(target)

    engine._migrate = copied


def _is_empty(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
