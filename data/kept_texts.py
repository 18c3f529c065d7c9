"""Texts that do not fit a button, in SQL."""

from __future__ import annotations

from sqlalchemy import insert, select

from data.keys import hash64
from data.part import Part
from data.tables import KeptTextRow


class KeptTexts(Part):
    """Keeps texts under numbers."""

    async def keep(self, text: str) -> int:
        """Keep a text that does not fit a button; returns its number, the same for the same text."""
        fingerprint = hash64(text)
        async with self._read() as connection:
            known = await connection.scalar(
                select(KeptTextRow.id).where(KeptTextRow.fingerprint == fingerprint)
            )
        if known is not None:
            return int(known)
        async with self._writer.begin() as connection:
            values = {"fingerprint": fingerprint, "text": text}
            result = await connection.execute(insert(KeptTextRow).values(**values).returning(KeptTextRow.id))
            return int(result.scalar_one())

    async def find(self, number: int) -> str | None:
        """A kept text by its number."""
        async with self._read() as connection:
            return await connection.scalar(select(KeptTextRow.text).where(KeptTextRow.id == number))
