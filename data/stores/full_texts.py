"""Full texts in SQL: passages with their vectors, for as many papers as are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.full_texts import FullTextRow, PassageRow
from data.tables.papers import PaperRow

_USED_AGAIN = timedelta(hours=1)
"""A text that is used again within this time is not marked again."""


@dataclass(frozen=True, slots=True)
class KeptPassage:
    """A passage as the store has it; ``vector`` is float16, or None."""

    section: str
    page: int | None
    text: str
    vector: bytes | None = None


@dataclass(frozen=True, slots=True)
class KeptText:
    """A full text, or why there is none (``refused``); fields as in the table."""

    version: int | None
    form: str
    refused: str
    pages: int
    model: str
    fetched: datetime
    used: datetime
    passages: tuple[KeptPassage, ...] = ()


class KeptFullTexts(Repository):
    """Keeps papers' full texts, and lets those go that were longest unused."""

    async def find(self, paper_id: int) -> KeptText | None:
        """What is kept of a paper's full text."""
        async with self._read() as connection:
            row = (
                await connection.execute(
                    select(FullTextRow.__table__).where(FullTextRow.paper_id == paper_id)
                )
            ).one_or_none()
            if row is None:
                return None
            query = (
                select(PassageRow.section, PassageRow.page, PassageRow.text, PassageRow.vector)
                .where(PassageRow.paper_id == paper_id)
                .order_by(PassageRow.number)
            )
            passages = tuple(KeptPassage(*found) for found in await connection.execute(query))
        facts = {name: value for name, value in row._mapping.items() if name != "paper_id"}
        return KeptText(**facts, passages=passages)

    async def passage(self, paper_id: int, number: int) -> KeptPassage | None:
        """One passage by its number; None where the text is kept no more."""
        query = select(PassageRow.section, PassageRow.page, PassageRow.text).where(
            PassageRow.paper_id == paper_id, PassageRow.number == number
        )
        async with self._read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return KeptPassage(*row) if row else None

    async def keep(
        self,
        paper_id: int,
        passages: Sequence[KeptPassage],
        *,
        version: int | None,
        form: str,
        pages: int,
        most: int,
    ) -> bool:
        """Replace a paper's text, and keep those of ``most`` papers; False where the paper itself is gone."""
        facts = {"version": version, "form": form, "refused": "", "pages": pages, "model": ""}
        async with self._writer.begin() as connection:
            if not await self._replace(connection, paper_id, facts):
                return False
            rows = [
                {
                    "paper_id": paper_id,
                    "number": number,
                    "section": passage.section[:300],
                    "page": passage.page,
                    "text": passage.text,
                    "vector": None,
                }
                for number, passage in enumerate(passages)
            ]
            if rows:
                await connection.execute(insert(PassageRow), rows)
            await self._let_go(connection, most)
        return True

    async def add_vectors(
        self, paper_id: int, fetched: datetime, vectors: Sequence[bytes], model: str
    ) -> None:
        """Add the vectors of a text's passages, in order, if it is still the one that was fetched then."""
        change = (
            update(FullTextRow)
            .where(FullTextRow.paper_id == paper_id, FullTextRow.fetched == fetched)
            .values(model=model)
        )
        rows = [{"b_number": number, "b_vector": vector} for number, vector in enumerate(vectors)]
        each = (
            update(PassageRow.__table__)  # type: ignore[arg-type]
            .where(PassageRow.paper_id == paper_id, PassageRow.number == bindparam("b_number"))
            .values(vector=bindparam("b_vector"))
        )
        async with self._writer.begin() as connection:
            if (await connection.execute(change)).rowcount:
                await connection.execute(each, rows)

    async def refuse(self, paper_id: int, version: int | None, reason: str) -> None:
        """Note why a paper's text can't be read."""
        facts = {"version": version, "form": "", "refused": reason, "pages": 0, "model": ""}
        async with self._writer.begin() as connection:
            await self._replace(connection, paper_id, facts)

    async def touch(self, paper_id: int, used: datetime) -> None:
        """Note that a text is used, where that was last noted (``used``) some time ago."""
        now = utc_now()
        if now - used < _USED_AGAIN:
            return
        change = update(FullTextRow).where(FullTextRow.paper_id == paper_id).values(used=now)
        async with self._writer.begin() as connection:
            await connection.execute(change)

    async def count(self) -> int:
        """How many papers' texts are kept."""
        query = select(func.count()).select_from(FullTextRow).where(FullTextRow.refused == "")
        async with self._read() as connection:
            return int(await connection.scalar(query) or 0)

    @staticmethod
    async def _replace(connection: AsyncConnection, paper_id: int, facts: Mapping[str, object]) -> bool:
        there = select(PaperRow.id).where(
            PaperRow.id == paper_id, PaperRow.merged_into.is_(None), PaperRow.withdrawn.is_(False)
        )
        # Locked, so that two processes that read the same paper write one after the other.
        if await connection.scalar(there.with_for_update()) is None:
            return False
        await forget_texts(connection, [paper_id])
        now = utc_now()
        row = {"paper_id": paper_id, "fetched": now, "used": now, **facts}
        await connection.execute(insert(FullTextRow).values(**row))
        return True

    @staticmethod
    async def _let_go(connection: AsyncConnection, most: int) -> None:
        """Drop the texts that were longest unused, but for ``most``, and as many notes of refusals."""
        for has_text in (FullTextRow.refused == "", FullTextRow.refused != ""):
            query = select(FullTextRow.paper_id).where(has_text)
            old = query.order_by(FullTextRow.used.desc(), FullTextRow.paper_id.desc()).offset(most)
            await forget_texts(connection, list((await connection.scalars(old)).all()))


async def forget_texts(connection: AsyncConnection, papers: Sequence[int]) -> None:
    """Delete the full texts of papers, within a transaction."""
    for part in slices(papers):
        await connection.execute(delete(PassageRow).where(PassageRow.paper_id.in_(part)))
        await connection.execute(delete(FullTextRow).where(FullTextRow.paper_id.in_(part)))
