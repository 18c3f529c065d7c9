"""Papers that were merged, into one that was merged later, lead straight to the present one from 0024 on."""

import sqlalchemy as sa

from data.database.engine import open_database
from tests.helpers import older_databases as older

BEFORE = {1_001: 1_002, 1_002: 1_003, 1_003: None, 1_004: 1_001, 1_005: None, 1_006: 1_005}
AFTER = {1_001: 1_003, 1_002: 1_003, 1_003: None, 1_004: 1_003, 1_005: None, 1_006: 1_005}


async def test_chains_of_merged_papers_end_at_the_present_one_in_a_full_database(tmp_path):
    database = older.place(tmp_path / "labmate.db")
    older.make(database, "0023")
    engine, schema = older.engine_of(database), sa.MetaData()
    schema.reflect(engine)
    papers = schema.tables["papers"]
    with engine.begin() as connection:
        row = dict(connection.execute(sa.select(papers)).mappings().first())
        rows = [row | {"id": number, "arxiv_id": None, "merged_into": None} for number in BEFORE]
        connection.execute(papers.insert(), rows)
        for number, into in BEFORE.items():
            connection.execute(papers.update().where(papers.c.id == number).values(merged_into=into))
    engine.dispose()
    await (await open_database(older.url_of(database))).dispose()
    after = {row["id"]: row["merged_into"] for row in older.read(database)["papers"]}
    assert {number: after[number] for number in BEFORE} == AFTER
