"""People written as a draft: what readers see meanwhile, after a kill, and from an older database."""

import asyncio
import signal
import sqlite3
import sys

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from data.database.engine import MIGRATIONS
from data.stores import people_drafts
from data.stores.store import Store
from tests.helpers import databases
from tests.helpers.drafts import COUNT, persons, rows
from tests.helpers.paths import ROOT
from tests.helpers.records import record


@pytest.fixture
def few(monkeypatch):
    """So few rows in a transaction that a small draft takes many."""
    monkeypatch.setattr(people_drafts, "AT_ONCE", 3)


@pytest.fixture
async def judged(store):
    """A store whose papers are two people's, 1 and 2."""
    await store.upsert([record(n) for n in range(COUNT)])
    await store.people.replace("full", 1, 0, rows([1, 2]), [], persons([1, 2], "Old"), [], (COUNT, 2))
    return store


async def seen(store):
    """All that readers can see of people: whose each paper is, names, and whom a number leads to."""
    memberships = {row.paper_id: row.person_id for row in await store.people.all_memberships()}
    found = await store.people.find_all([1, 2, 3, 4])
    leads = {number: (person.id, person.papers) for number, person in found.items()}
    names = await store.people.names([1, 2, 3, 4])
    packed = [row async for row in store.people.all_names()]
    return memberships, leads, names, packed, await store.people.named([1])


async def during(work, look):
    """What is seen while some work is going on, as often as the loop comes round."""
    task, looks = asyncio.create_task(work), []
    while not task.done():
        looks.append(await look())
    return await task, looks


async def draft(store):
    """The second judgement: 1 keeps a part under another name, 2 is no more, 3 is new."""
    return await store.people.draft(rows([1, 3]), [], persons([1, 3], "New"), [(2, 3)])


async def test_readers_see_all_of_the_old_and_then_all_of_the_new(judged, few):
    old = await seen(judged)
    number, looks = await during(draft(judged), lambda: seen(judged))
    assert len(looks) > 3
    assert all(look == old for look in looks)
    assert await judged.people.publish(number, "full", 2, 0, (COUNT, 2), after=1) == 2
    new = await seen(judged)
    assert new[0] == {row["paper_id"]: row["person_id"] for row in rows([1, 3])}
    assert new[1] == {1: (1, COUNT // 2), 2: (3, COUNT // 2), 3: (3, COUNT // 2)}
    assert new[2][1] == "New 1"
    _, looks = await during(judged.people.settle(), lambda: seen(judged))
    assert len(looks) > 3
    assert all(look == new for look in looks)
    assert await seen(judged) == new


async def test_others_write_while_a_draft_is_written(judged, few):
    async def write():
        return await judged.kept_texts.keep("something that a button carries")

    _, written = await during(draft(judged), write)
    assert len(written) > 3


async def remains(store):
    """What a draft leaves behind: rows to come, rows that are over, and rows that point nowhere."""
    questions = [
        "SELECT count(*) FROM memberships, people_generation WHERE since > current",
        "SELECT count(*) FROM memberships WHERE until < 2147483647",
        "SELECT count(*) FROM people, people_generation WHERE since > current",
        "SELECT count(*) FROM people WHERE next_since IS NOT NULL",
    ]
    async with store._engine.connect() as connection:
        if connection.dialect.name == "sqlite":  # PostgreSQL never lets a row point nowhere
            questions.append("SELECT count(*) FROM pragma_foreign_key_check")
        return [await connection.scalar(text(question)) for question in questions]


CHILD = """
import asyncio, sys
from data.stores import people_drafts
from data.stores.store import Store
from tests.helpers.drafts import persons, rows

people_drafts.AT_ONCE = 3

async def main():
    store = await Store.open(sys.argv[1])
    write = store.people.redraft

    async def half(draft, changed, gone):
        await write(draft, changed[:20], gone)
        print("half", flush=True)
        await asyncio.Event().wait()

    store.people.redraft = half
    await store.people.draft(rows([1, 3]), [], persons([1, 3], "New"), [(2, 3)])

asyncio.run(main())
"""


async def test_a_draft_killed_half_way_was_never_there_and_is_cleared_away(judged, tmp_path, few):
    path, old = tmp_path / "labmate.db", await seen(judged)
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", CHILD, databases.url_of(path)),
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    assert await child.stdout.readline() == b"half\n"
    child.send_signal(signal.SIGKILL)
    await child.wait()
    assert (await remains(judged))[:4] == [20, 20, 1, 2], "it was half way"
    assert await seen(judged) == old
    await judged.people.settle()
    assert not any(await remains(judged))
    assert await seen(judged) == old
    number = await draft(judged)
    assert await judged.people.publish(number, "full", 2, 0, (COUNT, 2), after=1) == 2
    await judged.people.settle()
    assert not any(await remains(judged))


async def test_a_draft_that_does_not_know_the_newest_correction_is_not_published(judged, few):
    number = await draft(judged)
    await judged.people.replace("word", 1, 0, rows([4])[:1], [], persons([4], "Said"), [], (COUNT, 3))
    before = await seen(judged)
    assert await judged.people.publish(number, "full", 2, 0, (COUNT, 2), after=1) is None
    assert await seen(judged) == before


async def test_numbers_are_given_once(judged):
    given = await asyncio.gather(*(judged.people.next_id() for _ in range(5)), judged.people.reserve(10))
    assert sorted(given[:5]) == sorted(set(given[:5]))
    assert not set(given[:5]) & set(range(given[5], given[5] + 10))
    assert min(given) == 3


def at_0006(path):
    """A database of the schema before, with two papers judged by a full pass and two placed after it."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0006")
    engine.dispose()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA foreign_keys=ON")
        for n in range(1, 5):
            connection.execute(
                "INSERT INTO papers (id, source, title, title_key, abstract, text_hash, authors_complete, "
                "first_author, categories, provisional, withdrawn, changed) "
                "VALUES (?, 'x', 'T', ?, '', 0, 1, 0, 'cs.CL', 0, 0, ?)",
                (n, n, n),
            )
            connection.execute("INSERT INTO authors VALUES (?, ?, ?)", (n, f"k{n}", f"N {n}"))
            connection.execute("INSERT INTO authorships VALUES (?, 0, ?, ?, 1)", (n, n, f"N {n}"))
            connection.execute("INSERT INTO people VALUES (?, ?, 1, NULL)", (n, f"N {n}"))
            connection.execute("INSERT INTO memberships VALUES (?, 0, ?, 0.5, NULL, ?)", (n, n, n))
        connection.execute("UPDATE people SET merged_into = 1 WHERE id = 4")
        for kind, upto in (("full", 2), ("new", 4)):
            connection.execute(
                "INSERT INTO identity_passes (kind, finished, upto, corrections, authorships, people) "
                "VALUES (?, '2026-01-01 00:00:00', ?, 0, 4, 4)",
                (kind, upto),
            )


@pytest.mark.sqlite("makes an older database with sqlite3")
async def test_memberships_of_an_older_database_come_along_with_what_was_judged(tmp_path):
    path = tmp_path / "labmate.db"
    at_0006(path)
    store = await Store.open(f"sqlite+aiosqlite:///{path}")
    try:
        found = await store.people.all_memberships()
        assert [(row.paper_id, row.person_id, row.judged) for row in found] == [
            (1, 1, True),
            (2, 2, True),
            (3, 3, False),
            (4, 4, False),
        ]
        assert await store.people.standing() == (4, 2)
        assert (await store.people.find(4)).id == 1
        assert await store.people.next_id() == 5
        assert not any(await remains(store))
    finally:
        await store.close()
