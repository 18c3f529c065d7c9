"""What the language model cost today, in tokens, time and money: in all, and by member as a keyed hash."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from sqlalchemy import BigInteger, String, delete, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.orm import Mapped, mapped_column

from data.stores.limits import hashed
from data.stores.repository import Repository
from data.tables.papers import Base

Full = Literal["member", "all"]
"""Whose limit is reached."""
_INSERT: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_ALL = "all"


class LlmSpendingRow(Base):
    """One day's cost; rows of earlier days are deleted when the next day's first is written."""

    __tablename__ = "llm_spending"

    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    """``all``, or the keyed hash of a member and the day: it outlives forgetting, and names nobody."""
    day: Mapped[date] = mapped_column(primary_key=True, index=True)
    tokens: Mapped[int] = mapped_column(BigInteger)
    milliseconds: Mapped[int] = mapped_column(BigInteger)
    microdollars: Mapped[int] = mapped_column(BigInteger)


@dataclass(frozen=True, slots=True)
class Spent:
    """An amount in the three units that are limited."""

    tokens: int = 0
    milliseconds: int = 0
    microdollars: int = 0
    """Millionths of a dollar."""

    def __sub__(self, other: Spent) -> Spent:
        return Spent(
            self.tokens - other.tokens,
            self.milliseconds - other.milliseconds,
            self.microdollars - other.microdollars,
        )

    def within(self, most: Spent) -> bool:
        """Whether no unit is over its limit."""
        return (
            self.tokens <= most.tokens
            and self.milliseconds <= most.milliseconds
            and self.microdollars <= most.microdollars
        )


class _FullError(Exception):
    """Rolls the transaction back."""

    def __init__(self, whose: Full) -> None:
        self.whose: Full = whose


class LlmSpending(Repository):
    """Reserves what an answer may cost before it is asked for, and settles what it did cost after."""

    async def reserve(
        self, member: int, day: date, amount: Spent, member_most: Spent, all_most: Spent
    ) -> Full | None:
        """Count an amount for a member and for all; where a limit is reached, say whose, and count nothing.

        A process that dies before it settles leaves the reserve counted.
        """
        try:
            async with self._writer.begin() as connection:
                await connection.execute(delete(LlmSpendingRow).where(LlmSpendingRow.day < day))
                if not (await _add(connection, _ALL, day, amount)).within(all_most):
                    raise _FullError("all")
                if not (await _add(connection, await _key(connection, member, day), day, amount)).within(
                    member_most
                ):
                    raise _FullError("member")
        except _FullError as full:
            return full.whose
        return None

    async def settle(self, member: int, day: date, reserved: Spent, cost: Spent) -> None:
        """Replace what was reserved by what it cost."""
        change = cost - reserved
        async with self._writer.begin() as connection:
            await _add(connection, _ALL, day, change)
            await _add(connection, await _key(connection, member, day), day, change)

    async def of_all(self, day: date) -> Spent:
        """What a day's answers cost together."""
        async with self._read() as connection:
            return await _get(connection, _ALL, day)

    async def of_member(self, member: int, day: date) -> Spent:
        """What a day's answers for one member cost."""
        async with self._read() as connection:
            return await _get(connection, await _key(connection, member, day), day)


async def _key(connection: AsyncConnection, member: int, day: date) -> str:
    return await hashed(connection, "llm", member, day.isoformat())


async def _add(connection: AsyncConnection, key: str, day: date, amount: Spent) -> Spent:
    """One statement, so that two writers at once both count."""
    row = LlmSpendingRow
    values = {
        "tokens": amount.tokens,
        "milliseconds": amount.milliseconds,
        "microdollars": amount.microdollars,
    }
    insert = _INSERT[connection.dialect.name](row).values(key=key, day=day, **values)
    changed = insert.on_conflict_do_update(
        index_elements=[row.key, row.day],
        set_={name: getattr(row, name) + value for name, value in values.items()},
    ).returning(row.tokens, row.milliseconds, row.microdollars)
    return Spent(*(await connection.execute(changed)).one())


async def _get(connection: AsyncConnection, key: str, day: date) -> Spent:
    query = select(LlmSpendingRow.tokens, LlmSpendingRow.milliseconds, LlmSpendingRow.microdollars).where(
        LlmSpendingRow.key == key, LlmSpendingRow.day == day
    )
    found = (await connection.execute(query)).one_or_none()
    return Spent(*found) if found else Spent()
