"""A server that is away, refuses or is read-only: what is said, what is shown, and that it all goes on."""

import asyncio
import traceback

import pytest
from sqlalchemy import insert
from sqlalchemy.exc import IntegrityError

from data.database.engine import StoreError
from data.database.unavailable import DatabaseUnavailableError, Why
from data.stores.store import Store
from data.tables.members import FollowRow
from data.tables.papers import KeptTextRow
from tests.helpers.own_postgres import own_server
from tests.helpers.postgres import new_database
from tests.helpers.records import record

SECRET = "only-the-member-knows"


@pytest.fixture(scope="module")
def server():
    with own_server() as running:
        yield running


@pytest.fixture
async def store(server):
    opened = await Store.open(server.url())
    yield opened
    await opened.close()


@pytest.fixture
async def elsewhere():
    """A store on the server that other tests use, too."""
    opened = await Store.open(new_database())
    yield opened
    await opened.close()


@pytest.mark.parametrize(
    ("where", "prepared", "said"),
    [
        ({"user": "nobody"}, "SELECT 1", r"\"nobody\" does not exist\. Check the user name and password"),
        ({"database": "none"}, "SELECT 1", r"\"none\" does not exist\. Create the database first"),
        ({"user": "guest"}, "CREATE ROLE guest LOGIN", r"permission denied .*OWNER TO USER"),
        (
            {"user": "one", "database": "crowded"},
            "CREATE ROLE one LOGIN CONNECTION LIMIT 0",
            r"too many connections .*max_connections",
        ),
    ],
)
async def test_a_server_that_lets_nobody_in_is_an_error_with_what_to_do(server, where, prepared, said):
    server.ask(prepared)
    if where.get("database") == "crowded":
        server.ask("CREATE DATABASE crowded")
    with pytest.raises(StoreError, match=said):
        await Store.open(server.url(**where))


async def test_a_server_that_stops_is_said_and_comes_back_without_a_hand(server, store):
    await store.upsert([record(1)])
    before = await store.count()
    server.stop()
    for work in (store.count(), store.upsert([record(2)]), store.leases.take("digests", "me", 60)):
        with pytest.raises(DatabaseUnavailableError) as said:
            await work
        assert said.value.why is Why.AWAY
    with pytest.raises(StoreError, match="can't be reached"):
        await Store.open(server.url())
    server.start()
    assert await store.count() == before
    assert (await store.upsert([record(2)])).added == 1


async def test_what_is_cut_in_the_middle_is_said_and_done_wholly_or_not_at_all(server, store):
    before = await store.count()

    async def write():
        async with store._writer.begin() as connection:
            await connection.execute(insert(KeptTextRow).values(fingerprint=1, text="half"))
            assert await asyncio.to_thread(server.cut)
            await connection.execute(insert(KeptTextRow).values(fingerprint=2, text="more"))

    with pytest.raises(DatabaseUnavailableError):
        await write()
    assert await store.count() == before
    assert await store.kept_texts.find(1) is None


async def test_a_server_that_takes_no_changes_is_still_read(server, store):
    await store.upsert([record(3)])
    before = await store.count()
    server.set(default_transaction_read_only="on")
    try:
        again = await Store.open(server.url())
        for opened in (store, again):
            assert await opened.count() == before
            with pytest.raises(DatabaseUnavailableError) as said:
                await opened.members.follow(7, "topic", "gossip", "gossip")
            assert said.value.why is Why.READ_ONLY
        await again.close()
    finally:
        server.set(default_transaction_read_only="off")
    assert await store.members.follow(7, "topic", "gossip", "gossip")


@pytest.mark.parametrize(
    ("code", "why"),
    [("disk_full", Why.FULL), ("too_many_connections", Why.BUSY), ("admin_shutdown", Why.AWAY)],
)
async def test_what_a_server_says_about_itself_is_told_apart_from_faults(server, store, code, why):
    server.ask(
        "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$"
    )
    server.ask("CREATE TRIGGER refuse BEFORE INSERT ON follows FOR EACH ROW EXECUTE FUNCTION refuse()")
    try:
        with pytest.raises(DatabaseUnavailableError) as said:
            await store.members.follow(8, "topic", code, code)
        assert said.value.why is why
    finally:
        server.ask("DROP TRIGGER refuse ON follows")
    assert await store.members.follow(8, "topic", code, code)


@pytest.mark.parametrize(
    ("table", "row"),
    [
        (KeptTextRow, {"fingerprint": 5, "text": SECRET, "id": 1}),
        (FollowRow, {"member": 7, "kind": "topic", "target": SECRET, "shown": SECRET}),
        (KeptTextRow, {"fingerprint": 6, "text": SECRET, "kept": None, "id": 2**40}),
    ],
    ids=["unique", "not null", "out of range"],
)
async def test_an_error_shows_no_values(elsewhere, table, row):
    await elsewhere.kept_texts.keep("something")
    with pytest.raises(Exception) as refused:  # noqa: PT011 - which one is not the point
        async with elsewhere._writer.begin() as connection:
            await connection.execute(insert(table).values(**row))
    said = "".join(traceback.format_exception(refused.value))
    assert "INSERT INTO" in said
    assert SECRET not in said
    assert "=(" not in said
    assert "Failing row" not in said


async def test_what_is_there_already_is_an_integrity_error_as_ever(elsewhere):
    await elsewhere.kept_texts.keep("something")
    with pytest.raises(IntegrityError):
        async with elsewhere._writer.begin() as connection:
            await connection.execute(insert(KeptTextRow).values(fingerprint=5, text="other", id=1))


async def test_a_text_loses_what_a_server_refuses(elsewhere):
    number = await elsewhere.kept_texts.keep("a\0b\N{SNOWMAN}")
    assert await elsewhere.kept_texts.find(number) == "ab\N{SNOWMAN}"
    assert await elsewhere.members.follow(7, "topic", "go\0ssip", "x" * 1_000)
    assert [follow.target for follow in await elsewhere.members.following(7)] == ["gossip"]
