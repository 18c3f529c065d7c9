"""What another Labmate can know a paper and its text by: its arXiv id and the hash of its text."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from data.stores.papers import CURRENT
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import PaperRow


class PaperKeys(Repository):
    """Translates between store ids, which differ between stores, and arXiv ids, which don't."""

    async def arxiv_ids(self, papers: Sequence[int]) -> dict[int, str]:
        """The arXiv ids of these papers; those without one are left out."""
        ids: dict[int, str] = {}
        async with self._read() as connection:
            for part in slices(papers):
                query = select(PaperRow.id, PaperRow.arxiv_id).where(PaperRow.id.in_(part), CURRENT)
                ids.update((row[0], row[1]) for row in await connection.execute(query) if row[1])
        return ids

    async def by_arxiv_id(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """The store id and text hash of each of these that the store has."""
        known: dict[str, tuple[int, int]] = {}
        async with self._read() as connection:
            for part in slices(ids):
                query = select(PaperRow.arxiv_id, PaperRow.id, PaperRow.text_hash)
                rows = await connection.execute(query.where(PaperRow.arxiv_id.in_(part), CURRENT))
                known.update((row[0], (row[1], row[2])) for row in rows if row[0])
        return known
