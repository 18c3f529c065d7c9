"""The papers that a digest was given to learn from, in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, insert, select

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.digests import SeedRow
from data.tables.papers import PaperRow

MOST_SEEDS = 300
"""The most papers that a digest is given."""
KINDS = ("text", "file", "orcid", "person")


@dataclass(frozen=True, slots=True)
class Seed:
    """A paper that a digest learns from, and where it came from: one of :data:`KINDS`."""

    paper: int
    kind: str
    made: datetime


class Seeds(Repository):
    """Asks and changes what digests were given."""

    async def seeds(self, digest: int) -> list[Seed]:
        """What a digest was given, the newest first; merged papers under their present number, each once."""
        present = func.coalesce(PaperRow.merged_into, PaperRow.id)
        query = select(present, SeedRow.kind, SeedRow.made).join(PaperRow, PaperRow.id == SeedRow.paper_id)
        query = query.where(SeedRow.digest_id == digest)
        seeds: dict[int, Seed] = {}
        async with self._read() as connection:
            rows = await connection.execute(query.order_by(SeedRow.made.desc(), SeedRow.paper_id.desc()))
            for row in rows:
                seeds.setdefault(row[0], Seed(*row))
        return list(seeds.values())

    async def plant(self, digest: int, kind: str, papers: Sequence[int]) -> tuple[int, datetime]:
        """Let a digest learn from papers; returns how many are new to it, and when they were added.

        Beyond :data:`MOST_SEEDS`, papers are left out.
        """
        assert kind in KINDS
        now = utc_now()
        async with self._writer.begin() as connection:
            query = select(SeedRow.paper_id).where(SeedRow.digest_id == digest)
            known = set((await connection.scalars(query)).all())
            new = [paper for paper in dict.fromkeys(papers) if paper not in known]
            rows = [
                {"digest_id": digest, "paper_id": paper, "kind": kind, "made": now}
                for paper in new[: MOST_SEEDS - len(known)]
            ]
            if rows:
                await connection.execute(insert(SeedRow), rows)
        return len(rows), now

    async def uproot(self, digest: int, made: datetime | None = None) -> int:
        """Take away what was given at a moment, or everything; returns how many papers that were."""
        where = SeedRow.digest_id == digest
        if made is not None:
            where &= SeedRow.made == made
        async with self._writer.begin() as connection:
            return (await connection.execute(delete(SeedRow).where(where))).rowcount
