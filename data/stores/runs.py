"""Ingest runs in SQL: when each began and ended, its counts, and the records it refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import insert, select, update

from data.calendar.clock import utc_now
from data.records import Rejected
from data.stores.refusals import refused_row
from data.stores.repository import Repository
from data.stores.slices import slices
from data.tables.papers import RefusedRow, RunRow

_COUNTS = ("read", "added", "updated", "unchanged", "refused")


@dataclass(frozen=True, slots=True)
class IngestRun:
    """One ingest run."""

    id: int
    source: str
    scope: str
    since: date | None
    started: datetime
    finished: datetime | None


class Runs(Repository):
    """Records ingest runs; every change is one transaction."""

    async def start_run(self, source: str, scope: str, since: date | None = None) -> int:
        """Record that an ingest run began; returns its number."""
        async with self._writer.begin() as connection:
            row = {"source": source, "scope": scope[:500], "since": since, "started": utc_now()}
            zero = dict.fromkeys(_COUNTS, 0)
            result = await connection.execute(insert(RunRow).values(**row, **zero).returning(RunRow.id))
            return int(result.scalar_one())

    async def save_run(self, run_id: int, counts: dict[str, int], *, finished: bool) -> None:
        """Save a run's counts; ``finished`` if it reached its end."""
        async with self._writer.begin() as connection:
            values: dict[str, Any] = {**counts, **({"finished": utc_now()} if finished else {})}
            await connection.execute(update(RunRow).where(RunRow.id == run_id).values(**values))

    async def interrupted_run(self, source: str, scope: str) -> tuple[int, dict[str, int]] | None:
        """(number, counts) of the newest run of a source and scope, if it did not reach its end."""
        query = select(RunRow.__table__).where(RunRow.source == source, RunRow.scope == scope[:500])
        async with self._read() as connection:
            row = (await connection.execute(query.order_by(RunRow.id.desc()).limit(1))).first()
        if row is None or row.finished is not None:
            return None
        return row.id, {name: getattr(row, name) for name in _COUNTS}

    async def refuse(self, run_id: int, source: str, rejected: Sequence[Rejected]) -> None:
        """Keep refused records to look at, each once."""
        rows = {row["fingerprint"]: row for row in (refused_row(run_id, source, r) for r in rejected)}
        async with self._writer.begin() as connection:
            for part in slices(rows):
                known = await connection.scalars(
                    select(RefusedRow.fingerprint).where(
                        RefusedRow.source == source, RefusedRow.fingerprint.in_(part)
                    )
                )
                for fingerprint in known.all():
                    rows.pop(fingerprint)
            if rows:
                await connection.execute(insert(RefusedRow), list(rows.values()))

    async def last_run(self, source: str, scope: str | None = None) -> IngestRun | None:
        """The newest finished run of a source (and scope), or None."""
        query = select(RunRow).where(RunRow.source == source, RunRow.finished.is_not(None))
        if scope is not None:
            query = query.where(RunRow.scope == scope)
        async with self._read() as connection:
            row = (await connection.execute(query.order_by(RunRow.id.desc()).limit(1))).first()
        return IngestRun(row.id, row.source, row.scope, row.since, row.started, row.finished) if row else None
