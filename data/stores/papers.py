"""Papers in SQL: records by id, by author and by title."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, func, literal, or_, select, union_all

from data.anthology import acl_page, is_acl_id
from data.keys import title_key
from data.records import Author, Paper, paper_of
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import AuthorRow, AuthorshipRow, FormerTitleRow, PaperIdRow, PaperRow

_PAPERS = PaperRow.__table__
DAY = func.coalesce(PaperRow.announced, PaperRow.submitted, PaperRow.updated)
"""SQL: the day a paper counts as from."""
OLDEST, NEWEST = DAY.asc().nulls_first(), DAY.desc().nulls_last()
"""SQL: the order of days, the same in every database: one that isn't known is the oldest."""
CURRENT = PaperRow.merged_into.is_(None)
"""SQL: the row is a paper, not a redirect to another one."""
_IDS: BindParameter[Any] = bindparam("ids", expanding=True)
# Statements that each reply asks several times, put together once.
_ROWS = select(_PAPERS).where(_PAPERS.c.id.in_(_IDS))
_AUTHORS = (
    select(AuthorshipRow.paper_id, AuthorRow.key, AuthorshipRow.name, AuthorshipRow.listed)
    .join(AuthorRow, AuthorRow.id == AuthorshipRow.author_id)
    .where(AuthorshipRow.paper_id.in_(_IDS))
    .order_by(AuthorshipRow.paper_id, AuthorshipRow.position)
)
_FORMER_TITLES = select(FormerTitleRow.paper_id, FormerTitleRow.title).where(
    FormerTitleRow.paper_id.in_(_IDS)
)
_FILE_IDS = select(PaperIdRow.paper_id, PaperIdRow.value).where(
    PaperIdRow.paper_id.in_(_IDS), PaperIdRow.scheme == "file"
)
_FIND_ID = select(PaperIdRow.paper_id).where(
    PaperIdRow.scheme == bindparam("scheme"), PaperIdRow.value == bindparam("value")
)
_KEY: BindParameter[Any] = bindparam("key")
_FIND_TITLE = union_all(
    select(PaperRow.id, literal(0).label("former")).where(PaperRow.title_key == _KEY, CURRENT),
    select(FormerTitleRow.paper_id, literal(1)).where(FormerTitleRow.title_key == _KEY),
).order_by("former")


def has_category(category: str) -> Any:
    """SQL: the paper is in this category, or in any category of this archive (such as ``cs``)."""
    spaced = " " + PaperRow.categories + " "
    if "." in category or "-" in category:
        return spaced.contains(f" {category} ", autoescape=True)
    return or_(
        spaced.contains(f" {category} ", autoescape=True), spaced.contains(f" {category}.", autoescape=True)
    )


def within(
    query: Select[Any], *, oldest_first: bool, since: date | None, category: str | None
) -> Select[Any]:
    """A query for current papers within limits, in the order of their days."""
    query = query.where(CURRENT)
    if since:
        query = query.where(since <= DAY)
    if category:
        query = query.where(has_category(category))
    order = (OLDEST, PaperRow.id.asc()) if oldest_first else (NEWEST, PaperRow.id.desc())
    return query.order_by(*order)


@lru_cache
def _under_name(oldest_first: bool, since: date | None, category: str | None) -> Select[Any]:
    """The papers of an author's key."""
    query = (
        select(PaperRow.id)
        .join(AuthorshipRow, AuthorshipRow.paper_id == PaperRow.id)
        .join(AuthorRow, AuthorRow.id == AuthorshipRow.author_id)
        .where(AuthorRow.key == _KEY)
        .group_by(PaperRow.id)
    )
    return within(query, oldest_first=oldest_first, since=since, category=category)


class Papers(Repository):
    """Looks papers up."""

    async def papers(self, ids: Iterable[int]) -> list[Paper]:
        """The papers of these store ids, in this order; merged ones are followed, unknown ones left out."""
        wanted = list(ids)
        found = await self.papers_by_number(wanted)
        return [found[number] for number in wanted if number in found]

    async def papers_by_number(self, ids: Iterable[int]) -> dict[int, Paper]:
        """As :meth:`papers`, by the numbers asked for; a merged paper's own is another one."""
        wanted = list(ids)
        return await self._read_in_thread(lambda connection: _papers(connection, wanted))

    async def find_id(self, scheme: str, value: str) -> int | None:
        """The store id of the paper with this identifier."""
        asked = {"scheme": scheme, "value": value}
        return await self._read_in_thread(lambda connection: connection.scalar(_FIND_ID, asked))

    async def ids_of(self, scheme: str) -> dict[str, int]:
        """Every identifier of a scheme with its store id."""
        async with self._read() as connection:
            query = select(PaperIdRow.value, PaperIdRow.paper_id).where(PaperIdRow.scheme == scheme)
            return {row[0]: row[1] for row in await connection.execute(query)}

    async def find_title(self, title: str) -> list[int]:
        """Store ids of the papers with exactly this title, now or formerly."""
        key = title_key(title)
        return list(await self._unchanged.ask(("title", key), lambda: self._find_title(key)))

    async def _find_title(self, key: int) -> list[int]:
        found = await self._read_in_thread(
            lambda connection: connection.scalars(_FIND_TITLE, {"key": key}).all()
        )
        return list(dict.fromkeys(found))

    async def papers_of(
        self,
        author_key: str,
        *,
        oldest_first: bool = False,
        since: date | None = None,
        category: str | None = None,
    ) -> list[int]:
        """Store ids of an author's papers, newest first by default."""
        query, asked = _under_name(oldest_first, since, category), {"key": author_key}
        return await self._read_in_thread(lambda connection: list(connection.scalars(query, asked)))

    async def count(self) -> int:
        """The number of papers."""
        async with self._read() as connection:
            return await connection.scalar(select(func.count()).select_from(PaperRow).where(CURRENT)) or 0

    async def is_empty(self) -> bool:
        """Whether the store has no papers yet."""
        async with self._read() as connection:
            return await connection.scalar(select(PaperRow.id).where(CURRENT).limit(1)) is None

    async def known_arxiv_ids(self, ids: Sequence[str]) -> set[str]:
        """The arXiv ids among these that the store has."""
        known: set[str] = set()
        async with self._read() as connection:
            for part in slices(ids):
                query = select(PaperRow.arxiv_id).where(PaperRow.arxiv_id.in_(part))
                known.update(value for value in (await connection.scalars(query)).all() if value)
        return known

    async def _ids(self, query: Select[Any]) -> list[int]:
        async with self._read() as connection:
            return list((await connection.scalars(query)).all())


def _papers(connection: Connection, wanted: Sequence[int]) -> dict[int, Paper]:
    rows = _rows(connection, wanted)
    while moved := {row.merged_into for row in rows.values() if row.merged_into} - rows.keys():
        rows |= _rows(connection, moved)
    current = [row.id for row in rows.values() if not row.merged_into]
    authors, former = _authors(connection, current), _former_titles(connection, current)
    filed = [row.id for row in rows.values() if not (row.arxiv_id or row.merged_into)]
    acl = _acl_ids(connection, filed)
    papers: dict[int, Paper] = {}
    for paper_id in wanted:
        row = rows.get(paper_id)
        while row is not None and row.merged_into:
            row = rows.get(row.merged_into)
        if row is not None:
            known = authors.get(row.id, []), former.get(row.id, []), acl.get(row.id)
            papers[paper_id] = paper_of(row._mapping, *known)
    return papers


def _rows(connection: Connection, ids: Iterable[int]) -> dict[int, Any]:
    rows: dict[int, Any] = {}
    for part in slices(ids):
        rows.update((row.id, row) for row in connection.execute(_ROWS, {"ids": part}))
    return rows


def _authors(connection: Connection, papers: Sequence[int]) -> dict[int, list[Author]]:
    authors: dict[int, list[Author]] = {}
    for part in slices(papers):
        for paper_id, key, name, listed in connection.execute(_AUTHORS, {"ids": part}):
            authors.setdefault(paper_id, []).append(Author(key, name, listed))
    return authors


def _acl_ids(connection: Connection, papers: Sequence[int]) -> dict[int, str]:
    """Ids of the ACL Anthology, as its pages have them."""
    ids: dict[int, str] = {}
    for part in slices(papers):
        for paper_id, value in connection.execute(_FILE_IDS, {"ids": part}):
            if is_acl_id(value):
                ids[paper_id] = acl_page(value)
    return ids


def _former_titles(connection: Connection, papers: Sequence[int]) -> dict[int, list[str]]:
    former: dict[int, list[str]] = {}
    for part in slices(papers):
        for paper_id, title in connection.execute(_FORMER_TITLES, {"ids": part}):
            former.setdefault(paper_id, []).append(title)
    return former
