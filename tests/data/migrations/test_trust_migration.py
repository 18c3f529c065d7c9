"""A database from before servers' corrections were their own."""

import sqlite3

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from data.database.engine import MIGRATIONS
from data.stores.store import Store

pytestmark = pytest.mark.sqlite("makes an older database with sqlite3")

OWNER, MANAGER = 1, 5
CORRECTION = (
    "INSERT INTO corrections (kind, paper_id, author_id, other_paper_id, other_author_id, person_id, made, "
    "made_by, made_by_name, guild, note, moved) VALUES ('same', 1, 1, 2, 1, 1, '2026-07-01 00:00:00', ?, "
    "'x', ?, 'said',"
    """ '{"moved": [], "everybody": []}')"""
)


@pytest.fixture
async def old(tmp_path):
    """A store of the earlier schema: two papers by one name, two corrections, vouches and a text."""
    path = tmp_path / "labmate.db"
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0006")
    engine.dispose()
    database = sqlite3.connect(path)
    columns = {row[1]: row[2] for row in database.execute("PRAGMA table_info(papers)")}
    for number in (1, 2):
        row = {
            name: number if kind in ("INTEGER", "BIGINT") else f"{name} {number}"
            for name, kind in columns.items()
        }
        row |= dict.fromkeys(("submitted", "updated", "announced", "merged_into"))
        row |= {"authors_complete": 1, "provisional": 0, "withdrawn": 0}
        marks = ", ".join("?" * len(row))
        statement = f"INSERT INTO papers ({', '.join(row)}) VALUES ({marks})"  # noqa: S608 - our own columns
        database.execute(statement, list(row.values()))
    database.execute("INSERT INTO authors VALUES (1, 'wei wang', 'Wei Wang')")
    database.execute("INSERT INTO people VALUES (1, 'Wei Wang', 2, NULL)")
    database.execute("INSERT INTO identity_passes VALUES (1, 'full', '2026-07-01 00:00:00', 1, 2, 2, 1)")
    database.execute(CORRECTION, (OWNER, 11))
    database.execute(CORRECTION, (MANAGER, 22))
    database.execute(
        "INSERT INTO claims VALUES (1, 7, 1, 22, 'c', '2026-07-01 00:00:00', 'held', 1, 'vouch', '',"
        " '2026-07-01 00:00:00', NULL, '', 7, 1)"
    )
    database.execute("INSERT INTO kept_texts VALUES (1, 5, 'typed')")
    database.commit()
    database.close()
    return f"sqlite+aiosqlite:///{path}"


async def test_old_corrections_hold_in_their_servers_and_the_operator_s_for_all(old):
    store = await Store.open(old)
    assert [len(await store.corrections.only_in(guild)) for guild in (11, 22)] == [1, 1]
    assert await store.corrections.for_all() == [], "whose they are is not known yet"
    assert await store.corrections.settle_before({OWNER}) == 2
    assert await store.corrections.settle_before({OWNER}) == 0
    assert [c.made_by for c in await store.corrections.for_all()] == [OWNER]
    assert [c.made_by for c in await store.corrections.only_in(22)] == [MANAGER]
    assert await store.corrections.only_in(11) == []
    await store.close()


async def test_people_who_were_judged_by_them_are_judged_again(old):
    store = await Store.open(old)
    assert await store.people.last_pass() is not None
    assert await store.people.last_pass("full") is None, "so that the scheduler makes a full pass"
    await store.close()


async def test_words_for_a_claim_hold_in_their_server_after_the_upgrade_and_texts_for_thirty_days(old):
    store = await Store.open(old)
    assert await store.claims.of_person(1) is None
    assert (await store.claims.of_person(1, 22)).member == 7
    assert await store.kept_texts.find(1) == "typed"
    await store.close()
