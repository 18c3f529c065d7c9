"""Changes to papers in SQL, as the indexes read them: what changed after a batch, and what to index."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection, bindparam, func, select

from data.stores.papers import CURRENT, DAY
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import PaperIdRow, PaperRow


@dataclass(frozen=True, slots=True)
class IndexFact:
    """The facts that the indexes keep with a paper."""

    paper_id: int
    text_hash: int
    day: date | None
    categories: str
    described: bool = True
    """Whether it has an abstract."""


_PART = 20_000
_FACTS = select(
    PaperRow.id,
    PaperRow.text_hash,
    DAY.label("day"),
    PaperRow.categories,
    (PaperRow.abstract != "").label("described"),
).where(CURRENT)
_TEXTS = select(PaperRow.id, PaperRow.title, PaperRow.abstract, PaperRow.text_hash).where(
    PaperRow.id.in_(bindparam("ids", expanding=True))
)
_APPEARED = select(PaperRow.id, PaperRow.comment, PaperRow.journal_ref, PaperRow.venue).where(
    PaperRow.id.in_(bindparam("ids", expanding=True))
)
_FILE_IDS = select(PaperIdRow.paper_id, PaperIdRow.value).where(
    PaperIdRow.paper_id.in_(bindparam("ids", expanding=True)), PaperIdRow.scheme == "file"
)


class ChangedPapers(Repository):
    """Tells an index what to add, replace and drop."""

    async def index_facts(self, after: int = -1) -> list[IndexFact]:
        """Facts of all current papers whose row changed after this batch number."""
        return [fact async for part in self.index_fact_parts(after) for fact in part]

    async def index_fact_parts(self, after: int = -1) -> AsyncIterator[list[IndexFact]]:
        """The same, :data:`_PART` papers at a time: a large store's facts never stand in memory at once."""
        query = _FACTS if after < 0 else _FACTS.where(PaperRow.changed > after)
        async with self._read_as_it_comes() as connection:
            result = await connection.stream(query)
            async for part in result.partitions(_PART):
                yield [IndexFact(*row) for row in part]

    async def index_facts_of(self, ids: Sequence[int]) -> list[tuple[int, IndexFact]]:
        """The batch number and facts of these papers; none for papers merged into others."""
        async with self._read() as connection:
            rows = await connection.execute(_FACTS.add_columns(PaperRow.changed).where(PaperRow.id.in_(ids)))
            return [(row.changed, IndexFact(*row[:-1])) for row in rows]

    async def changed_ids(self, after: int, limit: int) -> tuple[list[int], int]:
        """Store ids of rows changed after a batch number, oldest change first, and the last one's number."""
        query = (
            select(PaperRow.id, PaperRow.changed)
            .where(PaperRow.changed > after)
            .order_by(PaperRow.changed, PaperRow.id)
        )
        async with self._read() as connection:
            rows = (await connection.execute(query.limit(limit))).all()
            if not rows:
                return [], after
            last = rows[-1].changed
            # Take the last batch whole: its number then says that nothing of it is missing.
            rest = await connection.scalars(
                select(PaperRow.id).where(PaperRow.changed == last, PaperRow.id > rows[-1].id)
            )
            return [row.id for row in rows] + list(rest.all()), last

    async def changed_count(self, after: int, most: int) -> int:
        """How many papers changed after a batch number, counted up to ``most``."""
        changed = select(PaperRow.id).where(PaperRow.changed > after).limit(most)
        async with self._read() as connection:
            return await connection.scalar(select(func.count()).select_from(changed.subquery())) or 0

    async def gone_since(self, after: int) -> list[int]:
        """Store ids of papers that were merged into another after this batch."""
        query = select(PaperRow.id).where(PaperRow.merged_into.is_not(None), PaperRow.changed > after)
        async with self._read() as connection:
            return list((await connection.scalars(query)).all())

    async def merged(self, ids: Iterable[int]) -> set[int]:
        """The store ids among these whose paper was merged into another."""
        merged: set[int] = set()
        async with self._read() as connection:
            for part in slices(ids):
                query = select(PaperRow.id).where(PaperRow.id.in_(part), PaperRow.merged_into.is_not(None))
                merged.update((await connection.scalars(query)).all())
        return merged

    async def last_change(self) -> int:
        """The number of the newest batch; 0 for an empty store."""
        return await self._unchanged.ask("last change", self._last_change)

    async def _last_change(self) -> int:
        async with self._read() as connection:
            return await connection.scalar(select(func.max(PaperRow.changed))) or 0

    async def texts(self, ids: Sequence[int]) -> dict[int, tuple[str, str, int]]:
        """Title, abstract and text hash of these papers."""
        return await self._read_in_thread(lambda connection: _texts(connection, ids))

    async def appeared(self, ids: Sequence[int]) -> dict[int, tuple[list[str], list[str]]]:
        """What the records of these papers say of where they appeared.

        Comment, journal reference and venue; and ids in files, since those of the ACL Anthology say it.
        """
        return await self._read_in_thread(lambda connection: _appeared(connection, ids))


def _appeared(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[list[str], list[str]]]:
    facts: dict[int, tuple[list[str], list[str]]] = {}
    for part in slices(ids):
        for row in connection.execute(_APPEARED, {"ids": part}):
            facts[row[0]] = (list(filter(None, row[1:])), [])
        for paper, identifier in connection.execute(_FILE_IDS, {"ids": part}):
            if paper in facts:
                facts[paper][1].append(identifier)
    return facts


def _texts(connection: Connection, ids: Sequence[int]) -> dict[int, tuple[str, str, int]]:
    texts: dict[int, tuple[str, str, int]] = {}
    for part in slices(ids):
        for row in connection.execute(_TEXTS, {"ids": part}):
            texts[row[0]] = (row[1], row[2], row[3])
    return texts
