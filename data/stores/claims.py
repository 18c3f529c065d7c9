"""Claims in SQL: which member is which person, how that was proven, and what they say of themselves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores import audit
from data.stores.claim_rules import counts, holds_in_server, rivals_of
from data.stores.holders import Holders
from data.stores.holders import Profile as Profile
from data.stores.limits import CLAIMS_BEGUN, VOUCHES_GIVEN, spend
from data.stores.people_drafts import MERGED
from data.tables.members import ClaimContestRow, ClaimRow, MailCodeRow, ProfileRow, ServerMemberRow, VouchRow
from data.tables.papers import PersonRow

VOUCHES = 2
RELEASED = "released by the member"
PROOF_LEVELS = {"vouch": 1, "domain": 1, "mail": 1, "mailbox": 2, "page": 2, "orcid": 3}
"""``domain``: an address of the institution; ``mailbox``: one that is named after the person, too; ``mail``: one by an
older rule, which took any address with the family name somewhere in it."""


class ClaimRefused(Exception):
    """A claim that can't be made or settled; its text says why."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A member who says to be a person."""

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
        """Whether it holds there: members' words hold in their server alone, a proof everywhere."""
        return self.proof != "vouch" or (guild is not None and self.guild == guild)

    @property
    def place(self) -> str:
        """The page, ORCID or domain that was shown."""
        return self.where.partition(" ")[0]

    @property
    def how(self) -> str:
        """What ties the place to the person; empty where it was shown by an older rule, which did not ask."""
        return self.where.partition(" ")[2]


_CLAIM = [getattr(ClaimRow, name) for name in Claim.__slots__]


class Claims(Holders):
    """Asks and changes who is who among members; every change is one transaction."""

    async def _one(self, *where: Any) -> Claim | None:
        query = select(*_CLAIM).where(*where).order_by(ClaimRow.made.desc()).limit(1)
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Claim(*row) if row else None

    async def find(self, claim: int) -> Claim | None:
        """A claim by number."""
        return await self._one(ClaimRow.id == claim)

    async def open_of(self, member: int) -> Claim | None:
        """The claim that a member can prove: the one held, else the newest open one."""
        held = await self.of_member(member)
        return held or await self._one(ClaimRow.member == member, ClaimRow.state == "open")

    async def of_member(self, member: int) -> Claim | None:
        """The claim that a member holds."""
        return await self._one(ClaimRow.holder == member)

    async def of_person(self, person: int, guild: int | None = None) -> Claim | None:
        """The claim by which somebody holds a person, under whichever number the person had then.

        In a server also one that its members vouched for, where nobody has a proof.
        """
        now = select(MERGED).where(PersonRow.id == ClaimRow.person_id).scalar_subquery()
        query = (
            select(*_CLAIM)
            .where(holds_in_server(guild), (ClaimRow.person_id == person) | (now == person))
            .order_by(ClaimRow.level.desc(), ClaimRow.held_person.is_(None), ClaimRow.made)
            .limit(1)
        )
        async with self._read() as connection:
            row = (await connection.execute(query)).first()
        return Claim(*row) if row else None

    async def lost_by(self, member: int) -> Claim | None:
        """The claim that a member held last and that ended without their doing."""
        released = ClaimRow.why_ended == RELEASED
        return await self._one(
            ClaimRow.member == member, ClaimRow.state == "ended", ClaimRow.level > 0, ~released
        )

    async def begin(self, member: int, person: int, guild: int | None, code: str) -> Claim:
        """Open a claim, or give the member's open one of this person again.

        Raises
        ------
        ClaimRefused
            Where the member holds somebody, or made too many claims lately.
        """
        now = utc_now()
        async with self._writer.begin() as connection:
            known = await connection.execute(
                select(*_CLAIM).where(
                    ClaimRow.member == member, ClaimRow.person_id == person, ClaimRow.state == "open"
                )
            )
            if row := known.first():
                return Claim(*row)
            if await connection.scalar(select(ClaimRow.id).where(ClaimRow.holder == member)):
                raise ClaimRefused("You hold a claim already; /profile release ends it.")
            if not await spend(connection, CLAIMS_BEGUN, member):
                raise ClaimRefused(
                    f"You made {CLAIMS_BEGUN.most} claims within {CLAIMS_BEGUN.within.days} days; try again later."
                )
            fields = {
                "id": fresh_number(),
                "member": member,
                "person_id": person,
                "guild": guild,
                "code": code,
                "made": now,
            }
            blank = {"state": "open", "level": 0, "proof": "", "where": "", "why_ended": ""}
            made = await connection.execute(insert(ClaimRow).values(**fields, **blank).returning(*_CLAIM))
            return Claim(*made.one())

    async def prove(self, claim: int, proof: str, where: str) -> Claim:
        """Settle an open claim, or renew a held one by a proof as good or better.

        Where somebody else holds the person by a weaker proof, theirs ends: that is how a claim is contested.

        Raises
        ------
        ClaimRefused
            Where the claim has ended, the member holds another, or somebody holds the person as well proven.
        """
        try:
            async with self._writer.begin() as connection:
                return await self._hold(connection, claim, proof, where)
        except IntegrityError as error:
            raise ClaimRefused("Somebody holds this claim already, or you hold another.") from error

    async def _hold(self, connection: AsyncConnection, claim: int, proof: str, where: str) -> Claim:
        found = (await connection.execute(select(*_CLAIM).where(ClaimRow.id == claim))).first()
        if found is None or found.state == "ended":
            raise ClaimRefused("This claim has ended; begin anew with /claim.")
        rivals = await rivals_of(connection, found)
        vouched = rivals & (ClaimRow.proof == "vouch")
        against = (rivals & ClaimRow.held_person.is_not(None)) | (
            vouched & (ClaimRow.guild == found.guild) if proof == "vouch" else vouched
        )
        others = (
            await connection.execute(
                select(ClaimRow.id, ClaimRow.level, ClaimRow.proof, ClaimRow.where).where(against)
            )
        ).all()
        words = proof != "vouch"
        if any(counts(o) >= PROOF_LEVELS[proof] and not (words and o.proof == "vouch") for o in others):
            raise ClaimRefused(
                "Somebody holds this claim by a proof as good. A stronger one (an ORCID record) settles it."
            )
        for other in others:
            await connection.execute(
                update(ClaimRow)
                .where(ClaimRow.id == other.id)
                .values(**_ended("contested by a better proof"))
            )
        level = max(PROOF_LEVELS[proof], counts(found))
        better = PROOF_LEVELS[proof] >= counts(found)
        values = {"state": "held", "level": level, "checked": utc_now()}
        values |= {"proof": proof, "where": where[:2_000]} if better else {}
        only_here = (proof if better else found.proof) == "vouch"
        values |= {"holder": found.member, "held_person": None if only_here else found.person_id}
        made = await connection.execute(
            update(ClaimRow).where(ClaimRow.id == claim).values(**values).returning(*_CLAIM)
        )
        held = Claim(*made.one())
        if found.state != "held" or (found.proof, found.level) != (held.proof, held.level):
            said = f"L{held.level} by {proof}"  # not where: that is the member's to have forgotten
            await audit.note(connection, held.member, "claim.hold", f"claim {claim}", said, held.guild)
        return held

    async def lower(self, claim: int, proof: str, where: str) -> None:
        """Note that a held claim's proof shows less than it was taken for; when it was shown stays."""
        values = {"proof": proof, "where": where[:2_000], "level": PROOF_LEVELS[proof]}
        async with self._writer.begin() as connection:
            held = (ClaimRow.id == claim) & (ClaimRow.state == "held")
            await connection.execute(update(ClaimRow).where(held).values(**values))

    async def vouch(self, claim: int, voucher: int, guild: int) -> tuple[int, Claim]:
        """A claimed member's word for an open claim; returns how many there are, and the claim.

        Raises
        ------
        ClaimRefused
            Where the voucher is not claimed, vouches for themselves, or the claim was made elsewhere or is
            not open.
        """
        try:
            async with self._writer.begin() as connection:
                found = (await connection.execute(select(*_CLAIM).where(ClaimRow.id == claim))).first()
                if found is None or found.state != "open" or found.guild != guild:
                    raise ClaimRefused("This claim is not open here (any more).")
                if found.member == voucher:
                    raise ClaimRefused("Nobody can vouch for themselves.")
                theirs = select(ClaimRow.id).where(ClaimRow.holder == voucher, holds_in_server(guild))
                if not await connection.scalar(theirs):
                    raise ClaimRefused("Only members who have claimed their own papers can vouch.")
                mine = select(VouchRow.claim_id).where(VouchRow.claim_id == claim, VouchRow.member == voucher)
                if not await connection.scalar(mine):
                    if not await spend(connection, VOUCHES_GIVEN, voucher):
                        raise ClaimRefused("You have vouched for many lately; try again in some weeks.")
                    await connection.execute(
                        insert(VouchRow).values(claim_id=claim, member=voucher, guild=guild, made=utc_now())
                    )
                count = int(
                    await connection.scalar(select(func.count()).where(VouchRow.claim_id == claim)) or 0
                )
                settled = Claim(*found)
                if count >= VOUCHES:
                    settled = await self._hold(connection, claim, "vouch", "")
                return count, settled
        except IntegrityError as error:
            raise ClaimRefused("Somebody holds this claim already, or they hold another.") from error

    async def end(self, claim: int, why: str, *, by: int = 0) -> bool:
        """End a claim, on whose word (0: Labmate's own, or the command line's); False where it had ended."""
        async with self._writer.begin() as connection:
            done = await connection.execute(
                update(ClaimRow).where(ClaimRow.id == claim, ClaimRow.state != "ended").values(**_ended(why))
            )
            if done.rowcount:
                await audit.note(connection, by, "claim.end", f"claim {claim}", why)
            return bool(done.rowcount)

    async def restore(self, claim: int, *, by: int = 0) -> Claim:
        """Let a proven claim that ended hold again.

        Raises
        ------
        ClaimRefused
            Where it was never proven, did not end, or its member or person is held otherwise by now.
        """
        try:
            async with self._writer.begin() as connection:
                found = (await connection.execute(select(*_CLAIM).where(ClaimRow.id == claim))).first()
                if found is None or found.state != "ended" or not found.level:
                    raise ClaimRefused("Only a claim that was proven and has ended can hold again.")
                values = {"state": "held", "ended": None, "why_ended": ""}
                only_here = found.proof == "vouch"
                rivals = await rivals_of(connection, found)
                if only_here:
                    rivals &= ClaimRow.held_person.is_not(None) | (ClaimRow.guild == found.guild)
                    if await connection.scalar(select(ClaimRow.id).where(rivals).limit(1)):
                        raise ClaimRefused("Somebody holds this person by now; end that claim first.")
                else:
                    weaker = update(ClaimRow).where(rivals, ClaimRow.proof == "vouch")
                    await connection.execute(weaker.values(**_ended("contested by a better proof")))
                values |= {"holder": found.member, "held_person": None if only_here else found.person_id}
                made = await connection.execute(
                    update(ClaimRow).where(ClaimRow.id == claim).values(**values).returning(*_CLAIM)
                )
                await audit.note(connection, by, "claim.restore", f"claim {claim}")
                return Claim(*made.one())
        except IntegrityError as error:
            raise ClaimRefused(
                "Somebody holds this person by now, or the member holds another; end that claim first."
            ) from error

    async def newest(self, most: int) -> list[Claim]:
        """The latest claims of all servers, newest first."""
        query = select(*_CLAIM).order_by(ClaimRow.made.desc(), ClaimRow.id).limit(most)
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]

    async def history(self, person: int) -> list[Claim]:
        """Every claim of a person, newest first."""
        query = select(*_CLAIM).where(ClaimRow.person_id == person).order_by(ClaimRow.made.desc())
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]

    async def old_mails(self, before: datetime) -> list[Claim]:
        """Held claims whose address was proven before a time: an address can't be looked at again."""
        by_mail = ClaimRow.proof.in_(("mail", "domain", "mailbox"))
        query = select(*_CLAIM).where(ClaimRow.state == "held", by_mail, ClaimRow.checked < before)
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]

    async def due(self, before: datetime, most: int = 100) -> list[Claim]:
        """Held claims whose page or ORCID was looked at last before a time, oldest first.

        With them addresses that were taken by an older rule: that their domain is tied to the person was not shown.
        """
        older = ClaimRow.proof.in_(("mail", "domain")) & ClaimRow.where.not_like("% %")
        again = ClaimRow.proof.in_(("page", "orcid")) | older
        query = (
            select(*_CLAIM)
            .where(ClaimRow.state == "held", again, ClaimRow.checked < before)
            .order_by(ClaimRow.checked)
            .limit(most)
        )
        async with self._read() as connection:
            return [Claim(*row) for row in await connection.execute(query)]

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        async with self._read() as connection:
            claims = (await connection.execute(select(*_CLAIM).where(ClaimRow.member == member))).all()
            vouches = (
                await connection.execute(select(VouchRow.__table__).where(VouchRow.member == member))
            ).all()
            servers = (
                await connection.scalars(
                    select(ServerMemberRow.guild).where(ServerMemberRow.member == member)
                )
            ).all()
            said = select(ClaimContestRow.__table__).where(ClaimContestRow.member == member)
            contests = (await connection.execute(said)).all()
        profile = await self.profile(member)
        return {
            "claims": [_plain(row._mapping) for row in claims],
            "vouches": [_plain(row._mapping) for row in vouches],
            "contests": [_plain(row._mapping) for row in contests],
            "servers": [str(guild) for guild in servers],
            "profile": [_plain({n: getattr(profile, n) for n in Profile.__slots__})] if profile else [],
        }

    async def forget(self, member: int) -> int:
        """Delete everything about a member, the claim included; returns how many rows that was."""
        gone = 0
        mine = select(ClaimRow.id).where(ClaimRow.member == member)
        async with self._writer.begin() as connection:
            for statement in (
                delete(MailCodeRow).where(MailCodeRow.claim_id.in_(mine)),
                delete(ClaimContestRow).where(
                    (ClaimContestRow.member == member) | ClaimContestRow.claim_id.in_(mine)
                ),
                delete(VouchRow).where((VouchRow.member == member) | VouchRow.claim_id.in_(mine)),
                delete(ClaimRow).where(ClaimRow.member == member),
                delete(ProfileRow).where(ProfileRow.member == member),
                delete(ServerMemberRow).where(ServerMemberRow.member == member),
            ):
                gone += (await connection.execute(statement)).rowcount
        return gone


def _ended(why: str) -> dict[str, Any]:
    return {"state": "ended", "ended": utc_now(), "why_ended": why[:200], "holder": None, "held_person": None}


def _plain(row: Any) -> dict[str, Any]:
    """Values as JSON has them; numbers of members and servers as text, since they are too large for some readers."""
    named = {"member", "guild", "holder", "settled_by"}
    return {
        key: value.isoformat()
        if isinstance(value, datetime)
        else str(value)
        if key in named and value
        else value
        for key, value in dict(row).items()
    }
