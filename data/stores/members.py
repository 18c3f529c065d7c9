"""Members in SQL: the things each follows and the people they dismissed, which they may see and delete."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update

from data.calendar.clock import utc_now
from data.stores.generations import MERGED
from data.stores.repository import Repository
from data.tables.members import DismissalRow, FollowRow, ServerMemberRow
from data.tables.papers import PersonRow

MOST_FOLLOWED = 500
"""Follows per member; a digest serves those who want more."""
LONGEST_TARGET = 200
"""Characters by which a topic is known again; folding makes some texts longer."""
KINDS = ("person", "paper", "topic", "category")


class TooManyError(ValueError):
    """A member follows as many things as they may."""


@dataclass(frozen=True, slots=True)
class Follow:
    """Something that a member follows."""

    id: int
    kind: str
    target: str
    shown: str
    made: datetime
    guild: int | None = None
    """The server where it was followed; the person is the one seen there."""


class Members(Repository):
    """Keeps follows and dismissals; every change is one transaction."""

    # -- following -------------------------------------------------------------------------------

    async def follow(self, member: int, kind: str, target: str, shown: str, guild: int | None = None) -> bool:
        """Follow something as a server sees it; False where the member followed it already.

        Raises
        ------
        TooManyError
            Where the member follows :data:`MOST_FOLLOWED` things.
        """
        assert kind in KINDS
        target = target[:LONGEST_TARGET]
        mine = select(FollowRow.id).where(FollowRow.member == member)
        async with self._writer.begin() as connection:
            if await connection.scalar(mine.where(FollowRow.kind == kind, FollowRow.target == target)):
                return False
            count = await connection.scalar(select(func.count()).select_from(mine.subquery()))
            if int(count or 0) >= MOST_FOLLOWED:
                raise TooManyError
            row = {
                "member": member,
                "kind": kind,
                "target": target,
                "shown": shown[:300],
                "guild": guild,
            }
            await connection.execute(insert(FollowRow).values(**row, made=utc_now()))
            return True

    async def reword(self, member: int, follow: int, target: str, shown: str) -> Follow | None:
        """Change the words of a followed topic; None if the member doesn't follow it.

        If the member already follows the new words, one of the two is left.
        """
        own = (FollowRow.member == member, FollowRow.kind == "topic")
        target = target[:LONGEST_TARGET]
        async with self._writer.begin() as connection:
            if not await connection.scalar(select(FollowRow.id).where(FollowRow.id == follow, *own)):
                return None
            same = delete(FollowRow).where(FollowRow.target == target, FollowRow.id != follow, *own)
            await connection.execute(same)
            reworded = update(FollowRow).where(FollowRow.id == follow, *own)
            await connection.execute(reworded.values(target=target, shown=shown[:300]))
            row = (await connection.execute(select(*_FOLLOW).where(FollowRow.id == follow))).first()
        return Follow(*row) if row else None

    async def unfollow(self, member: int, follow: int) -> Follow | None:
        """End one of the member's own follows; None where it isn't theirs."""
        async with self._writer.begin() as connection:
            row = (
                await connection.execute(
                    delete(FollowRow)
                    .where(FollowRow.id == follow, FollowRow.member == member)
                    .returning(*_FOLLOW)
                )
            ).first()
        return Follow(*row) if row else None

    async def following(self, member: int) -> list[Follow]:
        """All that a member follows, newest first; merged people appear under their new number."""
        query = (
            select(*_FOLLOW)
            .where(FollowRow.member == member)
            .order_by(FollowRow.made.desc(), FollowRow.id.desc())
        )
        async with self._read() as connection:
            return [Follow(*row) for row in await connection.execute(query)]

    async def followers(self, kind: str, guild: int) -> list[tuple[str, int]]:
        """The targets of a kind that members seen in a server follow, each with one such member."""
        query = (
            select(FollowRow.target, FollowRow.member)
            .join(ServerMemberRow, ServerMemberRow.member == FollowRow.member)
            .where(FollowRow.kind == kind, ServerMemberRow.guild == guild)
        )
        async with self._read() as connection:
            return [(row[0], row[1]) for row in await connection.execute(query)]

    # -- not for me ------------------------------------------------------------------------------

    async def dismiss(self, member: int, person: int) -> None:
        """Do not suggest somebody to a member again."""
        async with self._writer.begin() as connection:
            await connection.execute(_dismissal(member, person))
            await connection.execute(
                insert(DismissalRow).values(member=member, person_id=person, made=utc_now())
            )

    async def bring_back(self, member: int, person: int) -> None:
        """Suggest somebody again."""
        async with self._writer.begin() as connection:
            await connection.execute(_dismissal(member, person))

    async def dismissed(self, member: int) -> set[int]:
        """The people not to suggest to a member, under their earlier and their present numbers."""
        query = (
            select(DismissalRow.person_id, MERGED)
            .join(PersonRow, PersonRow.id == DismissalRow.person_id)
            .where(DismissalRow.member == member)
        )
        async with self._read() as connection:
            rows = (await connection.execute(query)).all()
        return {number for row in rows for number in row if number is not None}

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        query = select(DismissalRow.person_id, DismissalRow.made).where(DismissalRow.member == member)
        async with self._read() as connection:
            dismissed = (await connection.execute(query)).all()
        return {
            "member": str(member),
            "follows": [
                {"kind": f.kind, "target": f.target, "shown": f.shown, "made": f.made.isoformat()}
                for f in await self.following(member)
            ],
            "not_for_me": [{"person": row.person_id, "made": row.made.isoformat()} for row in dismissed],
        }

    async def forget(self, member: int) -> int:
        """Delete all that is held about a member; returns the number of rows."""
        gone = 0
        async with self._writer.begin() as connection:
            for table in (FollowRow, DismissalRow):
                gone += (await connection.execute(delete(table).where(table.member == member))).rowcount
        return gone


_FOLLOW = (
    FollowRow.id,
    FollowRow.kind,
    FollowRow.target,
    FollowRow.shown,
    FollowRow.made,
    FollowRow.guild,
)


def _dismissal(member: int, person: int) -> Any:
    return delete(DismissalRow).where(DismissalRow.member == member, DismissalRow.person_id == person)
