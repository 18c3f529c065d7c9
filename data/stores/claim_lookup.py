"""Claims in SQL, as they are read: by number, by member, by person, and those due for a check."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from data.stores.claim_rules import holds_in_server
from data.stores.generations import MERGED
from data.stores.holders import Holders
from data.tables.members import ClaimRow
from data.tables.papers import PersonRow

RELEASED = "released by the member"
OUTDONE = "contested by a better proof"
FOUND_WRONG = "contested, and found wrong"
"""How it begins why a claim ended; after a colon, what was said against it."""
FORGOTTEN = 0
"""The member of a claim or a contest whose account asked to be forgotten."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A member's claim to be a person."""

    id: int
    member: int
    person_id: int
    guild: int | None
    code: str
    made: datetime
    state: str
    level: int
    proof: str
    where: str
    checked: datetime | None
    ended: datetime | None
    why_ended: str

    def holds_in(self, guild: int | None) -> bool:
        """Whether it holds there: vouches hold in their own server only, a proof holds everywhere."""
        return self.proof != "vouch" or (guild is not None and self.guild == guild)

    @property
    def place(self) -> str:
        """The page, ORCID or domain that was shown."""
        return self.where.partition(" ")[0]

    @property
    def how(self) -> str:
        """The tie between place and person; empty where an older rule, which did not ask, took the proof."""
        return self.where.partition(" ")[2]


CLAIM = [getattr(ClaimRow, name) for name in Claim.__slots__]
"""The columns of a claim."""


class ClaimLookup(Holders):
    """Looks claims up."""

    async def _one(self, *where: Any) -> Claim | None:
        query = select(*CLAIM).where(*where).order_by(ClaimRow.made.desc()).limit(1)
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Claim(*row) if row else None

    async def find(self, claim: int) -> Claim | None:
        """A claim by number."""
        return await self._one(ClaimRow.id == claim)

    async def open_of(self, member: int) -> Claim | None:
        """The claim that a member can prove: the one they hold, else the newest open one."""
        held = await self.of_member(member)
        return held or await self._one(ClaimRow.member == member, ClaimRow.state == "open")

    async def of_member(self, member: int) -> Claim | None:
        """The claim that a member holds."""
        return await self._one(ClaimRow.holder == member)

    async def of_person(self, person: int, guild: int | None = None) -> Claim | None:
        """The claim that holds a person, under any number the person has had.

        In a server, a claim that its members vouched for counts, too, unless somebody has a proof.
        """
        now = select(MERGED).where(PersonRow.id == ClaimRow.person_id).scalar_subquery()
        query = (
            select(*CLAIM)
            .where(holds_in_server(guild), (ClaimRow.person_id == person) | (now == person))
            .order_by(ClaimRow.level.desc(), ClaimRow.held_person.is_(None), ClaimRow.made)
            .limit(1)
        )
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Claim(*row) if row else None

    async def lost_by(self, member: int) -> Claim | None:
        """The last claim that a member held and lost without releasing it."""
        released = ClaimRow.why_ended == RELEASED
        return await self._one(
            ClaimRow.member == member, ClaimRow.state == "ended", ClaimRow.level > 0, ~released
        )

    async def newest(self, most: int) -> list[Claim]:
        """The latest claims of all servers, newest first."""
        query = select(*CLAIM).order_by(ClaimRow.made.desc(), ClaimRow.id).limit(most)
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]

    async def history(self, person: int) -> list[Claim]:
        """Every claim of a person, newest first."""
        query = select(*CLAIM).where(ClaimRow.person_id == person).order_by(ClaimRow.made.desc())
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]

    async def old_mails(self, before: datetime) -> list[Claim]:
        """Held claims whose address was proven before a time: an address can't be checked again."""
        by_mail = ClaimRow.proof.in_(("mail", "domain", "mailbox"))
        query = select(*CLAIM).where(ClaimRow.state == "held", by_mail, ClaimRow.checked < before)
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]

    async def due(self, before: datetime, most: int = 100) -> list[Claim]:
        """Held claims whose page or ORCID was last checked before a time, oldest first.

        This includes addresses that an older rule took without asking what ties their domain to the person.
        """
        older = ClaimRow.proof.in_(("mail", "domain")) & ClaimRow.where.not_like("% %")
        again = ClaimRow.proof.in_(("page", "orcid")) | older
        query = (
            select(*CLAIM)
            .where(ClaimRow.state == "held", again, ClaimRow.checked < before)
            .order_by(ClaimRow.checked)
            .limit(most)
        )
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]
