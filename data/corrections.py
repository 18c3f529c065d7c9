"""What was corrected about whose an authorship is, and by whom, in SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select, update

from data.clock import utc_now
from data.part import Part
from data.people_drafts import HOLDS, MERGED
from data.tables import CorrectionRow, MembershipRow, PersonRow

_MOST_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class Correction:
    """What somebody said about two authorships: one person's (``same``) or two people's (``apart``)."""

    id: int
    kind: str
    paper_id: int
    author_id: int
    other_paper_id: int
    other_author_id: int
    person_id: int
    made: datetime
    made_by: int
    made_by_name: str
    guild: int | None
    note: str
    moved: tuple[tuple[int, int, int], ...] = ()
    """(paper, position, whose it was before) of each authorship that changed hands."""
    everybody: tuple[tuple[int, int], ...] = ()
    """For ``apart``: all authorships (paper, name's number) that the first one is not with."""
    undone: datetime | None = None
    undone_by_name: str | None = None


class Corrections(Part):
    """Keeps and takes back what was said; every change is one transaction."""

    async def make(
        self,
        kind: str,
        one: tuple[int, int],
        other: tuple[int, int],
        person_id: int,
        *,
        by: tuple[int, str],
        guild: int | None,
        note: str,
        moved: Sequence[tuple[int, int, int]] = (),
        everybody: Sequence[tuple[int, int]] = (),
    ) -> int:
        """Keep what somebody said of two authorships (paper and name's number each); returns its number."""
        row = {
            "kind": kind,
            "paper_id": one[0],
            "author_id": one[1],
            "other_paper_id": other[0],
            "other_author_id": other[1],
            "person_id": person_id,
            "made": utc_now(),
            "made_by": by[0],
            "made_by_name": by[1][:100],
            "guild": guild,
            "note": note[:2_000],
            "moved": json.dumps({"moved": list(moved), "everybody": list(everybody)[:_MOST_KEPT]}),
        }
        async with self._writer.begin() as connection:
            made = await connection.execute(insert(CorrectionRow).values(**row).returning(CorrectionRow.id))
            return int(made.scalar_one())

    async def undo(self, correction_id: int, *, by: tuple[int, str]) -> bool:
        """Take a correction back; False where there is none in force."""
        async with self._writer.begin() as connection:
            done = await connection.execute(
                update(CorrectionRow)
                .where(CorrectionRow.id == correction_id, CorrectionRow.undone.is_(None))
                .values(undone=utc_now(), undone_by=by[0], undone_by_name=by[1][:100])
            )
            return bool(done.rowcount)

    async def all(self, *, in_force: bool = False) -> list[Correction]:
        """All corrections, oldest first."""
        query = _CORRECTIONS.order_by(CorrectionRow.id)
        if in_force:
            query = query.where(CorrectionRow.undone.is_(None))
        async with self._read() as connection:
            return [_correction(row) for row in await connection.execute(query)]

    async def history(self, person_id: int, most: int = 25) -> list[Correction]:
        """What was corrected about a person, newest first, under earlier numbers too."""
        async with self._read() as connection:
            merged = (await connection.scalars(select(PersonRow.id).where(MERGED.in_([person_id])))).all()
            mine = select(MembershipRow.paper_id, MembershipRow.author_id).where(
                MembershipRow.person_id == person_id, HOLDS
            )
            pairs = {tuple(row) for row in await connection.execute(mine)}
            rows = await connection.execute(_CORRECTIONS.order_by(CorrectionRow.id.desc()))
            found = [_correction(row) for row in rows]
        ids = {person_id, *merged}
        return [
            c
            for c in found
            if c.person_id in ids
            or (c.paper_id, c.author_id) in pairs
            or (c.other_paper_id, c.other_author_id) in pairs
        ][:most]

    async def find(self, correction_id: int) -> Correction | None:
        """A correction by number."""
        async with self._read() as connection:
            row = (await connection.execute(_CORRECTIONS.where(CorrectionRow.id == correction_id))).first()
        return _correction(row) if row else None

    async def newest_change(self) -> int:
        """Grows with every correction that is made or taken back."""
        async with self._read() as connection:
            made = await connection.scalar(select(func.max(CorrectionRow.id)))
            undone = await connection.scalar(
                select(func.count()).select_from(CorrectionRow).where(CorrectionRow.undone.is_not(None))
            )
        return 1_000_000 * int(undone or 0) + int(made or 0)


_CORRECTIONS = select(
    CorrectionRow.id,
    CorrectionRow.kind,
    CorrectionRow.paper_id,
    CorrectionRow.author_id,
    CorrectionRow.other_paper_id,
    CorrectionRow.other_author_id,
    CorrectionRow.person_id,
    CorrectionRow.made,
    CorrectionRow.made_by,
    CorrectionRow.made_by_name,
    CorrectionRow.guild,
    CorrectionRow.note,
    CorrectionRow.moved,
    CorrectionRow.undone,
    CorrectionRow.undone_by_name,
)


def _correction(row: Any) -> Correction:
    values = row._asdict()
    kept = json.loads(values.pop("moved"))
    return Correction(
        **values,
        moved=tuple(tuple(entry) for entry in kept["moved"]),
        everybody=tuple(tuple(entry) for entry in kept["everybody"]),
    )
