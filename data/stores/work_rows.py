"""Works as rows of SQL: loading them, writing new ones and writing what changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, cast

from sqlalchemy import Table, delete, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.keys import name_key
from data.stores import sequences
from data.stores.bulk import among, insert_rows
from data.stores.full_texts import forget_texts
from data.stores.merged_papers import follow
from data.stores.slices import slices
from data.stores.works import Work
from data.tables.papers import AuthorRow, AuthorshipRow, FormerTitleRow, ListingRow, PaperIdRow, PaperRow

_PAPERS = cast(Table, PaperRow.__table__)
_IDS = cast(Table, PaperIdRow.__table__)
_LISTINGS = cast(Table, ListingRow.__table__)
_FORMER = cast(Table, FormerTitleRow.__table__)
_AUTHORS = cast(Table, AuthorRow.__table__)
_AUTHORSHIPS = cast(Table, AuthorshipRow.__table__)
_AUTHORSHIP_COLUMNS = ("paper_id", "position", "author_id", "name", "listed")
_PAPER_COLUMNS = [column.name for column in _PAPERS.columns if column.name not in ("id", "changed")]
Snapshot = tuple[Any, ...]
"""Row, ids, authors, listings and former titles of a work."""


class NameKeys(dict[str, str]):
    """The keys of names as printed (:func:`data.keys.name_key`); those of a batch's records are put in."""

    def __missing__(self, name: str) -> str:
        key = self[name] = name_key(name)
        return key


async def load_works(connection: AsyncConnection, ids: Sequence[int]) -> dict[int, Work]:
    """The works of these store ids (one slice of them), with all that belongs to them."""
    rows = (await connection.execute(select(_PAPERS).where(_PAPERS.c.id.in_(ids)))).mappings().all()
    works = {row["id"]: Work(dict(row)) for row in rows}
    names = await connection.execute(
        select(AuthorshipRow.paper_id, AuthorshipRow.name, AuthorshipRow.listed)
        .where(AuthorshipRow.paper_id.in_(ids))
        .order_by(AuthorshipRow.paper_id, AuthorshipRow.position)
    )
    for paper_id, name, listed in names:
        works[paper_id].authors.append((name, listed))
    for id_row in await connection.execute(select(PaperIdRow.__table__).where(PaperIdRow.paper_id.in_(ids))):
        works[id_row.paper_id].ids[id_row.scheme, id_row.value] = None
    for listed_row in await connection.execute(
        select(ListingRow.__table__).where(ListingRow.paper_id.in_(ids))
    ):
        works[listed_row.paper_id].listings[listed_row.list, listed_row.day] = None
    titles = select(FormerTitleRow.__table__).where(FormerTitleRow.paper_id.in_(ids))
    for title_row in await connection.execute(titles):
        works[title_row.paper_id].former[title_row.title_key] = title_row.title
    return works


def snapshot(work: Work) -> Snapshot:
    """The state to compare with after the batch."""
    return (
        {column: work.row[column] for column in _PAPER_COLUMNS},
        tuple(work.ids),
        tuple(work.authors),
        tuple(work.listings),
        tuple(work.former.items()),
    )


async def insert_works(connection: AsyncConnection, new: Sequence[Work], keys: NameKeys, stamp: int) -> None:
    """Write works that the store does not have yet."""
    if not new:
        return
    values = itemgetter("id", *_PAPER_COLUMNS)
    await insert_rows(
        connection, _PAPERS, ("id", *_PAPER_COLUMNS, "changed"), [(*values(work.row), stamp) for work in new]
    )
    await _insert_parts(connection, ((w, w.ids, w.listings, w.former) for w in new))
    await _insert_authorships(connection, new, keys)


async def update_works(
    connection: AsyncConnection,
    changed: Sequence[tuple[int, Work]],
    before: Mapping[int, Snapshot],
    keys: NameKeys,
    stamp: int,
) -> None:
    """Write what differs from the snapshots, and delete the rows of works that were merged."""
    gone = [paper_id for paper_id, work in changed if work.row["merged_into"]]
    await forget_texts(connection, [*gone, *(number for number, work in changed if work.row["withdrawn"])])
    for paper_id in gone:
        for table in (PaperIdRow, ListingRow, FormerTitleRow, AuthorshipRow):
            await connection.execute(delete(table).where(table.paper_id == paper_id))
    # Freed ids first: arxiv_id is unique.
    for paper_id, work in sorted(changed, key=lambda pair: pair[1].row["merged_into"] is None):
        values = {column: work.row[column] for column in _PAPER_COLUMNS}
        await connection.execute(
            update(_PAPERS).where(_PAPERS.c.id == paper_id).values(**values, changed=stamp)
        )
        if values["merged_into"]:  # what was merged into it before leads straight to its present row
            before_it = update(_PAPERS).where(_PAPERS.c.merged_into == paper_id)
            await connection.execute(before_it.values(merged_into=values["merged_into"]))
    if gone:
        await follow(
            connection, {n: work.row["merged_into"] for n, work in changed if work.row["merged_into"]}
        )
    parts, rewritten = [], []
    for paper_id, work in changed:
        if paper_id in gone:
            continue
        _, ids, authors, listings, former = before[paper_id]
        parts.append(
            (
                work,
                [name for name in work.ids if name not in ids],
                [listing for listing in work.listings if listing not in listings],
                {key: title for key, title in work.former.items() if (key, title) not in former},
            )
        )
        if tuple(work.authors) != authors:
            rewritten.append(work)
            await connection.execute(delete(AuthorshipRow).where(AuthorshipRow.paper_id == paper_id))
        dropped = [key for key, title in former if work.former.get(key) != title]  # or printed otherwise
        if dropped:
            await connection.execute(
                delete(FormerTitleRow).where(
                    FormerTitleRow.paper_id == paper_id, FormerTitleRow.title_key.in_(dropped)
                )
            )
    await _insert_parts(connection, parts)
    await _insert_authorships(connection, rewritten, keys)


async def _insert_parts(connection: AsyncConnection, parts: Iterable[tuple[Work, Any, Any, Any]]) -> None:
    ids, listings, former = [], [], []
    for work, new_ids, new_listings, new_former in parts:
        paper_id = work.row["id"]
        ids += [(scheme, value, paper_id) for scheme, value in new_ids]
        listings += [(paper_id, name, day) for name, day in new_listings]
        former += [(paper_id, key, title) for key, title in new_former.items()]
    await insert_rows(connection, _IDS, ("scheme", "value", "paper_id"), ids)
    await insert_rows(connection, _FORMER, ("paper_id", "title_key", "title"), former)
    await insert_rows(connection, _LISTINGS, ("paper_id", "list", "day"), listings)


async def _insert_authorships(connection: AsyncConnection, works: Sequence[Work], keys: NameKeys) -> None:
    names = {keys[name]: name for work in works for name, _ in work.authors}
    known: dict[str, int] = {}
    for part in slices(names):
        same = among(connection, AuthorRow.key, part)
        rows = await connection.execute(select(AuthorRow.key, AuthorRow.id).where(same))
        known.update((key, author_id) for key, author_id in rows)
    missing = sorted(names.keys() - known.keys())  # neighbours in the index of keys, too
    if missing:
        next_id = await sequences.take(connection, "authors", len(missing))
        known.update((key, next_id + offset) for offset, key in enumerate(missing))
        new = [(known[key], key, names[key]) for key in missing]
        await insert_rows(connection, _AUTHORS, ("id", "key", "name"), new)
    written = [
        (work.row["id"], position, known[keys[name]], name, listed)
        for work in works
        for position, (name, listed) in enumerate(work.authors)
    ]
    await insert_rows(connection, _AUTHORSHIPS, _AUTHORSHIP_COLUMNS, written)
