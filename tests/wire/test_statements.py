"""Replies at three million papers: no statement of a reply reads a table that grows with the papers whole."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from bot.local_discord.typed import TypingError, parse
from data.tables.papers import Base
from tests.helpers.printed_examples import examples

_GROWING = {"papers", "paper_ids", "former_titles", "authors", "authorships", "people", "memberships"}
_SCAN = re.compile(r"^SCAN (\w+)")
_ALIAS = re.compile(r"\b(?:FROM|JOIN|,)\s+(\w+)(?:\s+AS\s+(\w+))?", re.IGNORECASE)
MORE = ("/search xyzzy plugh", "/papers author:Nobody Atall", "/who-knows topic:xyzzy", "/about", "/new")


@pytest.fixture
def statements():
    """Every statement that is run, with parameters of one run."""
    seen: dict[str, object] = {}

    def note(_connection, _cursor, statement, parameters, _context, executemany):
        if not executemany and statement.lstrip().upper().startswith(("SELECT", "WITH")):
            seen.setdefault(statement, parameters)

    event.listen(Engine, "before_cursor_execute", note)
    yield seen
    event.remove(Engine, "before_cursor_execute", note)


@pytest.mark.sqlite("reads SQLite's query plans")
async def test_no_reply_reads_a_growing_table_whole(place, tmp_path, statements):
    _, _, user = place
    commands = await user.commands()
    statements.clear()
    for text in (*examples(), *MORE):
        try:
            typed = parse(text, commands)
        except TypingError:
            continue
        await user.run(typed)
        await user.complete(f"/papers author:{text[1:4]}")
    assert len(statements) > 50
    assert set(Base.metadata.tables) >= _GROWING
    found_whole = []
    with closing(sqlite3.connect(next(tmp_path.rglob("labmate.db")))) as database:
        for statement, parameters in statements.items():
            names = {alias or table: table for table, alias in _ALIAS.findall(statement)}
            plan = [row[-1] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            ends_early = "LIMIT" in statement and not any("TEMP B-TREE" in step for step in plan)
            scans = [found[1] for step in plan if (found := _SCAN.match(step))]
            if not ends_early and any(names.get(scan, scan) in _GROWING for scan in scans):
                found_whole.append(f"{plan}: {' '.join(statement.split())}")
    assert not found_whole, "\n".join(found_whole)


@pytest.mark.sqlite("reads SQLite's query plans")
@pytest.mark.parametrize("authors", [(1,), (1, 2), tuple(range(1, 30))])
async def test_who_bears_a_name_is_looked_up_in_the_index_of_names(store, tmp_path, statements, authors):
    await store.people.named(authors)
    await store.people.papers_of(1)
    await store.people.memberships(1)
    judged = {one: given for one, given in statements.items() if "JOIN authorships" in one}
    assert len(judged) == 3
    counted = 0
    with closing(sqlite3.connect(next(tmp_path.rglob("labmate.db")))) as database:
        for statement, parameters in judged.items():
            plan = [row[-1] for row in database.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            by_name = "USING COVERING INDEX authorships_by_author (author_id=? AND paper_id=?)"
            assert f"SEARCH authorships {by_name}" in plan
            counted += "SEARCH memberships USING COVERING INDEX memberships_by_author (author_id=?)" in plan
    assert counted == 1, "who bears the name is counted without a row of a table"
