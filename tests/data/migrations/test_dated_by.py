"""Papers of the ACL Anthology that older Labmates read from files are known to the month from 0023 on."""

import importlib

import sqlalchemy as sa

from data.database.engine import open_database
from tests.helpers import older_databases as older

BATCH = importlib.import_module("data.migrations.versions.0023_dated_by").BATCH
OTHERS = [
    ("file", "file", "2105.0001", "day"),
    ("file", "file", "my-paper-7", "day"),
    ("arxiv", "file", "2020.acl-main.5", "day"),  # arXiv has since told its day
    ("file", "doi", "2020.acl-main.6", "day"),
    ("file", "file", "P19-1001", "month"),
    ("file", "file", "W15-5901", "month"),
]


async def test_papers_with_ids_of_the_anthology_get_months_in_a_full_database(tmp_path):
    database = older.place(tmp_path / "labmate.db")
    older.make(database, "0022")
    many = [("file", "file", f"2021.emnlp-main.{n}", "month") for n in range(2 * BATCH + 3)]
    known = OTHERS + many
    engine, schema = older.engine_of(database), sa.MetaData()
    schema.reflect(engine)
    papers, ids = schema.tables["papers"], schema.tables["paper_ids"]
    with engine.begin() as connection:
        row = dict(connection.execute(sa.select(papers)).mappings().first())
        connection.execute(
            papers.insert(),
            [row | {"id": 1_000 + n, "source": one[0], "arxiv_id": None} for n, one in enumerate(known)],
        )
        connection.execute(
            ids.insert(),
            [{"scheme": one[1], "value": one[2], "paper_id": 1_000 + n} for n, one in enumerate(known)],
        )
    engine.dispose()
    await (await open_database(older.url_of(database))).dispose()
    after = {row["id"]: row["dated_by"] for row in older.read(database)["papers"]}
    assert [after[1_000 + n] for n in range(len(known))] == [one[3] for one in known]
    assert set(after.values()) == {"day", "month"}
