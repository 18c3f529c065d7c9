"""Digests that were deleted before 0026 keep no words, nor what they had not posted."""

import sqlalchemy as sa

from data.database.engine import open_database
from tests.helpers import older_databases as older


async def test_of_digests_deleted_before_no_words_stay_in_a_full_database(tmp_path):
    database = older.place(tmp_path / "labmate.db")
    older.make(database, "0023")
    engine, schema = older.engine_of(database), sa.MetaData()
    schema.reflect(engine)
    digests = schema.tables["digests"]
    with engine.begin() as connection:
        number = connection.execute(sa.select(digests.c.id)).scalars().first()
        gone = digests.update().where(digests.c.id == number)
        connection.execute(gone.values(state="deleted", query="my secret", exclude="theirs"))
    engine.dispose()
    await (await open_database(older.url_of(database))).dispose()
    after = older.read(database)
    [deleted] = [row for row in after["digests"] if row["id"] == number]
    assert {deleted[name] for name in ("name", "query", "people", "require", "exclude")} == {""}
    assert number not in {row["digest_id"] for row in after["digest_seeds"]}
    assert number not in {row["digest_id"] for row in after["deliveries"] if row["state"] == "written"}
