"""The questions asked in a thread or direct message whose subject is kept, in SQL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, insert, select

from data.calendar.clock import utc_now
from data.stores.repository import Repository
from data.tables.questions import AskedQuestionRow

KEPT_FOR = timedelta(days=90)
"""How long a question is kept, and so how long a thread remembers its subject."""
MOST_IN_PLACE = 20
MAX_QUESTION, MAX_ABOUT, MAX_PAPERS = 1_000, 400, 8


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question that the next one in the same place may refer to."""

    question: str
    about: str
    """The words of its subject."""
    limits: dict[str, Any] = field(default_factory=dict)
    """The paper, first day and category that its answer was limited to, ready for JSON."""
    papers: tuple[int, ...] = ()
    """The papers quoted, in the reply's order."""


class AskedQuestions(Repository):
    """Keeps what was asked in a place; every change is one transaction."""

    async def keep(self, place: int, member: int, asked: AskedQuestion) -> None:
        """Keep a question; of a place, the newest :data:`MOST_IN_PLACE` stay."""
        row = {
            "place": place,
            "member": member,
            "question": asked.question[:MAX_QUESTION],
            "about": asked.about[:MAX_ABOUT],
            "limits": json.dumps(asked.limits),
            "papers": json.dumps(list(asked.papers[:MAX_PAPERS])),
        }
        newest = (
            select(AskedQuestionRow.id)
            .where(AskedQuestionRow.place == place)
            .order_by(AskedQuestionRow.id.desc())
            .limit(MOST_IN_PLACE)
        )
        async with self._writer.begin() as connection:
            await connection.execute(insert(AskedQuestionRow).values(**row, made=utc_now()))
            kept = list(await connection.scalars(newest))
            await connection.execute(
                delete(AskedQuestionRow).where(
                    AskedQuestionRow.place == place, AskedQuestionRow.id.not_in(kept)
                )
            )

    async def last(self, place: int) -> AskedQuestion | None:
        """The newest question of a place; None where none is kept any more."""
        query = (
            select(*_ASKED)
            .where(AskedQuestionRow.place == place, AskedQuestionRow.made > utc_now() - KEPT_FOR)
            .order_by(AskedQuestionRow.id.desc())
            .limit(1)
        )
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return _asked(row) if row else None

    async def forget_old(self) -> int:
        """Delete what is older than :data:`KEPT_FOR`; returns how many questions."""
        old = AskedQuestionRow.made <= utc_now() - KEPT_FOR
        async with self._writer.begin() as connection:
            return int((await connection.execute(delete(AskedQuestionRow).where(old))).rowcount)

    async def held(self, member: int) -> dict[str, Any]:
        """The questions of a member, ready for JSON."""
        query = (
            select(AskedQuestionRow.place, AskedQuestionRow.made, *_ASKED)
            .where(AskedQuestionRow.member == member)
            .order_by(AskedQuestionRow.id)
        )
        async with self._read() as connection:
            rows = (await connection.execute(query)).all()
        return {
            "questions": [
                {"place": str(row.place), "question": row.question, "made": row.made.isoformat()}
                for row in rows
            ]
        }

    async def forget(self, member: int) -> int:
        """Delete the questions of a member; returns how many."""
        mine = AskedQuestionRow.member == member
        async with self._writer.begin() as connection:
            return int((await connection.execute(delete(AskedQuestionRow).where(mine))).rowcount)


_ASKED = (
    AskedQuestionRow.question,
    AskedQuestionRow.about,
    AskedQuestionRow.limits,
    AskedQuestionRow.papers,
)


def _asked(row: Sequence[Any]) -> AskedQuestion:
    question, about, limits, papers = row
    return AskedQuestion(question, about, json.loads(limits), tuple(json.loads(papers)))
