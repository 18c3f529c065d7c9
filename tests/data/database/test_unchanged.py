"""A question is not asked again until somebody writes, here or in another process."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing

import pytest

from data.database.engine import make_reader
from data.database.unchanged import MOST, Unchanged, unchanged
from data.stores.store import Store


class Question:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def __call__(self) -> int:
        self.asked += 1
        return self.asked


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE things (n)")
        database.commit()
        yield path


def write(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO things VALUES (1)")
        database.commit()


async def test_an_answer_is_kept_until_somebody_writes(file):
    kept, question = Unchanged(str(file)), Question()
    assert [await kept.ask("q", question), await kept.ask("q", question)] == [1, 1]
    assert await kept.ask("another", question) == 2
    write(file)
    assert await kept.ask("q", question) == 3
    kept.close()


@pytest.mark.parametrize("let_go", [False, True])
async def test_an_answer_from_before_a_commit_is_not_kept_after_it(file, let_go):
    """Nor where the file was let go after an error: a new connection counts from the start again."""
    kept, reading, written = Unchanged(str(file)), asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        reading.set()
        await written.wait()
        return "before"

    async def quick() -> str:
        return "after"

    old = asyncio.create_task(kept.ask("q", slow))
    await reading.wait()
    write(file)
    if let_go:
        kept.close()
    assert await kept.ask("another", quick) == "after"
    written.set()
    assert await old == "before"
    assert await kept.ask("q", quick) == "after"
    kept.close()


async def test_a_failed_question_is_asked_again_and_too_many_answers_are_let_go(file):
    kept, question = Unchanged(str(file)), Question()

    async def fails() -> int:
        raise ValueError("away")

    with pytest.raises(ValueError, match="away"):
        await kept.ask("q", fails)
    assert await kept.ask("q", question) == 1
    for number in range(MOST):
        await kept.ask(number, question)
    assert len(kept._kept) <= MOST
    kept.close()


async def test_a_file_that_cannot_be_read_keeps_nothing(tmp_path):
    (tmp_path / "torn.db").write_bytes(b"not a database" * 100)
    for kept in (Unchanged(str(tmp_path / "torn.db")), Unchanged(str(tmp_path)), Unchanged(None)):
        question = Question()
        assert [await kept.ask("q", question), await kept.ask("q", question)] == [1, 2]


@pytest.mark.sqlite("other databases keep nothing")
async def test_a_ban_holds_at_once_also_one_of_another_process(tmp_path):
    url = f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}"
    here, there = await Store.open(url), await Store.open(url)
    assert not await here.bans.is_banned(7, None)
    await there.bans.ban("member", 7, by=1, reason="spam")
    assert await here.bans.is_banned(7, None)
    await there.close()
    await here.close()


async def test_all_parts_of_a_store_share_what_is_kept(tmp_path):
    reader = make_reader(f"sqlite+aiosqlite:///{tmp_path / 'labmate.db'}")
    assert unchanged(reader) is unchanged(reader)
    await reader.dispose()
