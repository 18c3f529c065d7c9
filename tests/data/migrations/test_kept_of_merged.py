"""What members kept of papers that were merged before 0027 leads to the present one, and nothing is lost."""

from datetime import datetime

import pytest
import sqlalchemy as sa

from data.database.engine import open_database
from data.stores.store import Store
from tests.helpers import older_databases as older
from tests.helpers.postgres import new_database

OLD, OLDER, NOW, SELF = 1_001, 1_002, 1_003, 1_004
ADA, BO = 501, 502


def at(day):
    return datetime(2026, 3, day)


def work(number, member, paper, day, state="unread", note="", tags=(), gone=None):
    what = {"record": "", "state": state, "note": note, "tags": "\n".join(tags)}
    return {
        "id": number,
        "member": member,
        "paper_id": paper,
        **what,
        "made": at(day),
        "changed": at(day),
    } | {"gone": gone}


def opinion(member, paper, kind, day):
    return {"guild": 1, "member": member, "paper_id": paper, "kind": kind, "channel": day, "made": at(day)}


def follow(number, member, target, day):
    said = {"kind": "paper", "target": str(target), "shown": f"title of {target}"}
    return {"id": number, "member": member, **said, "guild": None, "made": at(day)}


def entry(paper, day, **more):
    return {"paper_id": paper, "made": at(day), **more}


@pytest.fixture(params=["here", "in PostgreSQL"])
def filled(request, tmp_path):
    """A full database of 0026, in which members kept a paper under three numbers."""
    database = older.place(tmp_path / "labmate.db") if request.param == "here" else new_database()
    older.make(database, "0026")
    engine, schema = older.engine_of(database), sa.MetaData()
    schema.reflect(engine)
    tables = schema.tables
    with engine.begin() as connection:
        paper = dict(connection.execute(sa.select(tables["papers"])).mappings().first())
        for number, into in ((NOW, None), (OLD, NOW), (OLDER, NOW), (SELF, SELF)):
            row = paper | {"id": number, "arxiv_id": None, "merged_into": into}
            connection.execute(tables["papers"].insert(), [row])
        put = {
            "shelf": [
                work(901, ADA, OLD, 2, "read", "first", ("gpu", "mine")),
                work(902, ADA, OLDER, 1, note="second"),
                work(903, ADA, NOW, 3, "reading", "third", ("gpu",)),
                work(904, BO, OLDER, 4, note="only"),
                work(905, 503, OLD, 5, note="there"),
                work(906, 503, NOW, 6, note="removed", gone=at(7)),
                work(907, 504, OLD, 5, note="removed", gone=at(7)),
                work(908, 504, NOW, 6, note="there"),
                work(909, 505, SELF, 6, note="itself"),
            ],
            "list_papers": [
                entry(OLD, 2, list_id=71, member=ADA),
                entry(NOW, 5, list_id=71, member=BO),
                entry(OLDER, 5, list_id=72, member=BO),
            ],
            "digest_seeds": [
                entry(OLD, 2, digest_id=71, kind="text"),
                entry(OLDER, 1, digest_id=71, kind="file"),
            ],
            "opinions": [
                opinion(ADA, OLD, "dislike", 9),
                opinion(ADA, NOW, "like", 3),
                opinion(BO, OLDER, "like", 3),
                opinion(BO, NOW, "skip", 9),
            ],
            "shown_papers": [
                {"place": 61, "paper_id": OLD, "text_hash": 1, "day": at(2).date()},
                {"place": 61, "paper_id": NOW, "text_hash": 2, "day": at(5).date()},
                {"place": 62, "paper_id": OLDER, "text_hash": 3, "day": at(5).date()},
            ],
            "follows": [follow(801, ADA, OLD, 2), follow(802, ADA, NOW, 4), follow(803, BO, OLDER, 4)],
        }
        for name, rows in put.items():
            connection.execute(tables[name].insert(), rows)
        first = tables["corrections"].select()
        correction = dict(connection.execute(first).mappings().first()) | {"id": 999}
        correction |= {"paper_id": OLD, "other_paper_id": OLDER}
        connection.execute(tables["corrections"].insert(), [correction])
    engine.dispose()
    return database


def _of(rows, *columns, **where):
    chosen = [row for row in rows if all(row[name] == value for name, value in where.items())]
    return sorted(tuple(row[name] for name in columns) for row in chosen)


async def test_a_paper_that_was_kept_under_several_numbers_is_kept_once(filled):
    engine = await open_database(older.url_of(filled))
    store = Store(engine, engine)
    [work] = await store.library.of(ADA)
    assert (work.paper_id, work.state, work.made) == (NOW, "read", at(1))
    assert set(work.note.split("\n")) == {"first", "second", "third"}
    assert set(work.tags) == {"gpu", "mine"}
    for member, note in ((BO, "only"), (503, "there"), (504, "there")):
        assert [(one.paper_id, one.note) for one in await store.library.of(member)] == [(NOW, note)]
    said = await store.digests.opinions(guild=1)
    assert sorted(one[:3] for one in said if one[0] in (ADA, BO)) == [
        (ADA, NOW, "dislike"),
        (BO, NOW, "like"),
    ]
    assert [(one.paper, one.member) for one in await store.lists.papers(71) if one.paper == NOW] == [
        (NOW, ADA)
    ]
    assert await store.digests.shown(61, [NOW]) == {NOW: 2}
    assert await store.digests.shown(62, [NOW]) == {NOW: 3}
    assert [f.target for f in await store.members.following(ADA)] == [str(NOW)]
    assert [f.target for f in await store.members.following(BO)] == [str(NOW)]
    await engine.dispose()


async def test_no_row_of_what_is_kept_names_a_merged_paper_any_more(filled):
    await (await open_database(older.url_of(filled))).dispose()
    after = older.read(filled)
    for table in ("shelf", "list_papers", "digest_seeds", "opinions", "shown_papers"):
        assert not {OLD, OLDER} & {row["paper_id"] for row in after[table]}, table
    assert _of(after["shelf"], "id", "paper_id", member=505) == [(909, SELF)]
    assert _of(after["digest_seeds"], "paper_id", "kind", digest_id=71)[-1:] == [(NOW, "file")]
    assert _of(after["corrections"], "paper_id", "other_paper_id", id=999) == [(NOW, NOW)]
    assert older.problems(filled) == []
