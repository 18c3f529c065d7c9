"""Texts too long for a button, in SQL."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from sqlalchemy import Executable, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from data.calendar.clock import utc_now
from data.keys import hash64
from data.stores.repository import Repository
from data.tables.papers import KeptTextRow

KEPT_FOR = timedelta(days=30)
"""How long a text is kept after somebody last typed it, and so how long its buttons work."""
_KEPT_AGAIN = timedelta(days=1)
"""A text that is typed again within this time is not written again."""
_NUMBERS = select(KeptTextRow.fingerprint, KeptTextRow.id)


def _keeping(insert: Any) -> Executable:
    """The statement that keeps a text, also one that is kept already; it returns the number."""
    row = insert(KeptTextRow)
    kept: Executable = row.on_conflict_do_update(
        index_elements=[KeptTextRow.fingerprint], set_={"kept": row.excluded.kept}
    ).returning(KeptTextRow.fingerprint, KeptTextRow.id)
    return kept


_KEEP = {"sqlite": _keeping(sqlite.insert), "postgresql": _keeping(postgresql.insert)}


class KeptTexts(Repository):
    """Keeps texts under numbers, for a while."""

    async def keep(self, text: str) -> int:
        """Keep a text; returns its number, which is the same for the same text."""
        return (await self.keep_all([text]))[text]

    async def keep_all(self, texts: Iterable[str]) -> dict[str, int]:
        """Keep texts, all of them or none; returns their numbers."""
        wanted, now = set(texts), utc_now()
        numbers = await self.numbers(wanted, _KEPT_AGAIN)
        if missing := {hash64(text): text for text in wanted - numbers.keys()}:
            rows = [{"fingerprint": one, "text": text, "kept": now} for one, text in sorted(missing.items())]
            async with self._writer.begin() as connection:
                kept = await connection.execute(_KEEP[connection.dialect.name], rows)
                numbers |= {missing[row.fingerprint]: row.id for row in kept}
        return numbers

    async def numbers(self, texts: Iterable[str], within: timedelta = KEPT_FOR) -> dict[str, int]:
        """The numbers of those texts that were kept within this time."""
        wanted = {hash64(text): text for text in texts}
        query = _NUMBERS.where(
            KeptTextRow.fingerprint.in_(list(wanted)), KeptTextRow.kept > utc_now() - within
        )
        rows = await self._read_in_thread(lambda connection: connection.execute(query).all())
        return {wanted[row.fingerprint]: row.id for row in rows}

    async def find(self, number: int) -> str | None:
        """A kept text by its number; None once it is older than :data:`KEPT_FOR`."""
        fresh = KeptTextRow.kept > utc_now() - KEPT_FOR
        async with self._read() as connection:
            return await connection.scalar(select(KeptTextRow.text).where(KeptTextRow.id == number, fresh))

    async def forget_old(self) -> int:
        """Delete texts older than :data:`KEPT_FOR`; returns how many."""
        old = KeptTextRow.kept.is_(None) | (KeptTextRow.kept <= utc_now() - KEPT_FOR)
        async with self._writer.begin() as connection:
            return int((await connection.execute(delete(KeptTextRow).where(old))).rowcount)
