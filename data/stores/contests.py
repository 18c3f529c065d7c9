"""Contests in SQL: members who say that a held claim is wrong, and how a third person settled it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, insert, select, update

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores import audit
from data.stores.claim_lookup import FOUND_WRONG
from data.stores.claims import ClaimRefused
from data.stores.limits import CONTESTED, CONTESTS, spend
from data.stores.repository import Repository
from data.tables.members import ClaimContestRow, ClaimRow

MOST_OPEN = 3
"""Contests of one member that wait to be settled."""


@dataclass(frozen=True, slots=True)
class Contest:
    """A member's objection to a claim.

    Attributes
    ----------
    guild
        The server where the claim was made, and so is settled; 0 for direct messages.
    state
        ``open``, ``upheld`` (the claim ended), ``dismissed``, or ``dropped`` (a party was forgotten before).
    for_operator
        Whether only the person who runs this Labmate may settle it, not the server.
    """

    id: int
    claim_id: int
    member: int
    guild: int
    reason: str
    made: datetime
    state: str
    for_operator: bool = False


_CONTEST = [getattr(ClaimContestRow, name) for name in Contest.__slots__]


class Contests(Repository):
    """Asks and changes contests; every change is one transaction."""

    async def find(self, number: int) -> Contest | None:
        """A contest by number."""
        async with self._read() as connection:
            row = (await connection.execute(select(*_CONTEST).where(ClaimContestRow.id == number))).first()
        return Contest(*row) if row else None

    async def open_of(self, claim: int) -> list[Contest]:
        """The open contests of a claim."""
        return await self._list(ClaimContestRow.claim_id == claim)

    async def open_anywhere(self) -> list[Contest]:
        """The open contests of all servers."""
        return await self._list(ClaimContestRow.id.is_not(None))

    async def dismissed_before(self, claim: int) -> bool:
        """Whether a contest of this claim was dismissed before."""
        query = select(ClaimContestRow.id).where(
            ClaimContestRow.claim_id == claim, ClaimContestRow.state == "dismissed"
        )
        async with self._read() as connection:
            return await connection.scalar(query.limit(1)) is not None

    async def to_operator(self, number: int) -> None:
        """Take a contest from its server: only the person who runs this Labmate settles it."""
        async with self._writer.begin() as connection:
            await connection.execute(
                update(ClaimContestRow).where(ClaimContestRow.id == number).values(for_operator=True)
            )

    async def open_in(self, guild: int) -> list[Contest]:
        """The open contests of a server (0: claims made in direct messages)."""
        return await self._list(ClaimContestRow.guild == guild)

    async def newest(self, most: int) -> list[Contest]:
        """The latest contests of all servers, settled ones too, newest first."""
        query = select(*_CONTEST).order_by(ClaimContestRow.made.desc(), ClaimContestRow.id).limit(most)
        async with self._read() as connection:
            return [Contest(*row) for row in await connection.execute(query)]

    async def reopen(self, number: int, *, by: int = 0) -> None:
        """Reopen a settled contest."""
        async with self._writer.begin() as connection:
            await connection.execute(
                update(ClaimContestRow)
                .where(ClaimContestRow.id == number)
                .values(state="open", settled_by=None, settled=None)
            )
            await audit.note(connection, by, "contest.reopen", f"contest {number}")

    async def _list(self, where: object) -> list[Contest]:
        query = (
            select(*_CONTEST)
            .where(where, ClaimContestRow.state == "open")  # type: ignore[arg-type]
            .order_by(ClaimContestRow.made)
            .limit(100)
        )
        async with self._read() as connection:
            return [Contest(*row) for row in await connection.execute(query)]

    async def contest(self, claim: int, member: int, reason: str) -> Contest:
        """Say that a held claim is wrong.

        Raises
        ------
        ClaimRefused
            Where the claim is their own or not held, or they contested it before or have too many open.
        """
        async with self._writer.begin() as connection:
            claimed = (
                await connection.execute(
                    select(ClaimRow.member, ClaimRow.guild, ClaimRow.state).where(ClaimRow.id == claim)
                )
            ).first()
            if claimed is None or claimed.state != "held":
                raise ClaimRefused("Nobody holds this claim now.")
            if claimed.member == member:
                raise ClaimRefused("This is your own claim; /profile release ends it.")
            mine = (ClaimContestRow.member == member) & (ClaimContestRow.state == "open")
            if await connection.scalar(
                select(ClaimContestRow.id).where(mine, ClaimContestRow.claim_id == claim)
            ):
                raise ClaimRefused("You have already contested this; it is waiting to be settled.")
            settled = (ClaimContestRow.member == member) & (ClaimContestRow.claim_id == claim)
            settled &= (ClaimContestRow.state == "dismissed") & ClaimContestRow.for_operator
            if await connection.scalar(select(ClaimContestRow.id).where(settled)):
                raise ClaimRefused(
                    "You contested this before, and the person who runs this Labmate let the claim stand."
                )
            if int(await connection.scalar(select(func.count()).where(mine)) or 0) >= MOST_OPEN:
                raise ClaimRefused(f"{MOST_OPEN} of your contests are still waiting to be settled.")
            if not await spend(connection, CONTESTED, member, claim):
                raise ClaimRefused("You contested this claim within the last month, and it was reviewed.")
            if not await spend(connection, CONTESTS, member):
                raise ClaimRefused(
                    f"You contested {CONTESTS.most} claims within {CONTESTS.within.days} days; "
                    "try again later."
                )
            row = {"id": fresh_number(), "claim_id": claim, "member": member, "guild": claimed.guild or 0}
            more = {"reason": reason[:500], "made": utc_now(), "state": "open"}
            inserted = await connection.execute(
                insert(ClaimContestRow).values(**row, **more).returning(*_CONTEST)
            )
            contest = Contest(*inserted.one())
            what, subject = "contest.open", f"contest {contest.id}"
            await audit.note(connection, member, what, subject, f"claim {claim}", contest.guild or None)
            return contest

    async def settle(self, number: int, by: int, *, upheld: bool) -> Contest:
        """Settle a contest. An upheld one ends the claim and settles all other contests of it.

        Raises
        ------
        ClaimRefused
            Where it has been settled.
        """
        async with self._writer.begin() as connection:
            state = "upheld" if upheld else "dismissed"
            values = {"state": state, "settled_by": by, "settled": utc_now()}
            is_open = ClaimContestRow.state == "open"
            done = (
                await connection.execute(
                    update(ClaimContestRow)
                    .where(ClaimContestRow.id == number, is_open)
                    .values(**values)
                    .returning(*_CONTEST)
                )
            ).first()
            if done is None:
                raise ClaimRefused("This has already been settled.")
            if upheld:
                ended = {"state": "ended", "ended": utc_now(), "holder": None, "held_person": None}
                await connection.execute(
                    update(ClaimRow)
                    .where(ClaimRow.id == done.claim_id, ClaimRow.state == "held")
                    .values(**ended, why_ended=f"{FOUND_WRONG}: {done.reason}"[:200])
                )
                same = ClaimContestRow.claim_id == done.claim_id
                await connection.execute(update(ClaimContestRow).where(same, is_open).values(**values))
            subject, said = f"contest {number}", f"claim {done.claim_id}: {state}"
            await audit.note(connection, by, "contest.settle", subject, said, done.guild or None)
            return Contest(*done)
