"""Claims in SQL: opening, proving, contesting and ending them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores import audit
from data.stores.claim_lookup import CLAIM, FORGOTTEN, OUTDONE, ClaimLookup
from data.stores.claim_lookup import RELEASED as RELEASED
from data.stores.claim_lookup import Claim as Claim
from data.stores.claim_remains import forget_claims
from data.stores.claim_rules import counts, holds_in_server, rivals_of
from data.stores.holders import Profile as Profile
from data.stores.limits import CLAIMS_BEGUN, VOUCHES_GIVEN, spend
from data.tables.members import ClaimContestRow, ClaimRow, ProfileRow, ServerMemberRow, VouchRow

VOUCHES = 2
PROOF_LEVELS = {"vouch": 1, "domain": 1, "mail": 1, "mailbox": 2, "page": 2, "orcid": 3}
"""``domain``: an address at the institution; ``mailbox``: one that also has the person's name; ``mail``: an
address that an older rule took, for having the family name anywhere in it."""


class ClaimRefused(Exception):
    """A claim that can't be made or settled; its text says why."""


class Claims(ClaimLookup):
    """Records which member is which person; every change is one transaction."""

    async def begin(self, member: int, person: int, guild: int | None, code: str) -> Claim:
        """Open a claim, or return the member's open claim to this person.

        Raises
        ------
        ClaimRefused
            Where the member holds a claim already, or made too many lately.
        """
        now = utc_now()
        async with self._writer.begin() as connection:
            known = await connection.execute(
                select(*CLAIM).where(
                    ClaimRow.member == member, ClaimRow.person_id == person, ClaimRow.state == "open"
                )
            )
            if row := known.first():
                return Claim(*row)
            if await connection.scalar(select(ClaimRow.id).where(ClaimRow.holder == member)):
                raise ClaimRefused("You already hold a claim; /profile release ends it.")
            if not await spend(connection, CLAIMS_BEGUN, member):
                raise ClaimRefused(
                    f"You made {CLAIMS_BEGUN.most} claims within {CLAIMS_BEGUN.within.days} days; "
                    "try again later."
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
            inserted = await connection.execute(insert(ClaimRow).values(**fields, **blank).returning(*CLAIM))
            return Claim(*inserted.one())

    async def prove(self, claim: int, proof: str, where: str) -> Claim:
        """Settle an open claim, or renew a held one with a proof that is as good or better.

        Where somebody else holds the person by a weaker proof, their claim ends.

        Raises
        ------
        ClaimRefused
            Where the claim has ended, the member holds another, or somebody else's proof is as good.
        """
        try:
            async with self._writer.begin() as connection:
                return await self._hold(connection, claim, proof, where)
        except IntegrityError as error:
            raise ClaimRefused("Somebody already holds this claim, or you hold another.") from error

    async def _hold(self, connection: AsyncConnection, claim: int, proof: str, where: str) -> Claim:
        before = (await connection.execute(select(*CLAIM).where(ClaimRow.id == claim))).first()
        if before is None or before.state == "ended":
            raise ClaimRefused("This claim has ended; start again with /claim.")
        rivals = await rivals_of(connection, before)
        vouched = rivals & (ClaimRow.proof == "vouch")
        against = (rivals & ClaimRow.held_person.is_not(None)) | (
            vouched & (ClaimRow.guild == before.guild) if proof == "vouch" else vouched
        )
        others = (
            await connection.execute(
                select(ClaimRow.id, ClaimRow.level, ClaimRow.proof, ClaimRow.where).where(against)
            )
        ).all()
        words = proof != "vouch"
        if any(counts(o) >= PROOF_LEVELS[proof] and not (words and o.proof == "vouch") for o in others):
            raise ClaimRefused(
                "Somebody holds this claim with an equally good proof. "
                "A stronger one (an ORCID record) settles it."
            )
        for other in others:
            await connection.execute(
                update(ClaimRow).where(ClaimRow.id == other.id).values(**_ended(OUTDONE))
            )
        level = max(PROOF_LEVELS[proof], counts(before))
        better = PROOF_LEVELS[proof] >= counts(before)
        values = {"state": "held", "level": level, "checked": utc_now()}
        values |= {"proof": proof, "where": where[:2_000]} if better else {}
        only_here = (proof if better else before.proof) == "vouch"
        values |= {"holder": before.member, "held_person": None if only_here else before.person_id}
        updated = await connection.execute(
            update(ClaimRow).where(ClaimRow.id == claim).values(**values).returning(*CLAIM)
        )
        held = Claim(*updated.one())
        if before.state != "held" or (before.proof, before.level) != (held.proof, held.level):
            proven = f"L{held.level} by {proof}"  # not the place: the member may ask us to forget it
            await audit.note(connection, held.member, "claim.hold", f"claim {claim}", proven, held.guild)
        return held

    async def lower(self, claim: int, proof: str, where: str) -> None:
        """Lower the level of a held claim whose proof shows less than assumed; its date stays."""
        values = {"proof": proof, "where": where[:2_000], "level": PROOF_LEVELS[proof]}
        async with self._writer.begin() as connection:
            held = (ClaimRow.id == claim) & (ClaimRow.state == "held")
            await connection.execute(update(ClaimRow).where(held).values(**values))

    async def vouch(self, claim: int, voucher: int, guild: int) -> tuple[int, Claim]:
        """Record a claimed member's vouch for an open claim; returns how many there are, and the claim.

        Raises
        ------
        ClaimRefused
            Where the voucher holds no claim or vouches for themselves, or the claim was made in another
            server or is not open.
        """
        try:
            async with self._writer.begin() as connection:
                row = (await connection.execute(select(*CLAIM).where(ClaimRow.id == claim))).first()
                if row is None or row.state != "open" or row.guild != guild:
                    raise ClaimRefused("This claim is not open here any more.")
                if row.member == voucher:
                    raise ClaimRefused("You can't vouch for yourself.")
                theirs = select(ClaimRow.id).where(ClaimRow.holder == voucher, holds_in_server(guild))
                if not await connection.scalar(theirs):
                    raise ClaimRefused("Only members who have claimed their own papers can vouch.")
                mine = select(VouchRow.claim_id).where(VouchRow.claim_id == claim, VouchRow.member == voucher)
                if not await connection.scalar(mine):
                    if not await spend(connection, VOUCHES_GIVEN, voucher):
                        raise ClaimRefused(
                            "You have vouched for many people lately; try again in a few weeks."
                        )
                    await connection.execute(
                        insert(VouchRow).values(claim_id=claim, member=voucher, guild=guild, made=utc_now())
                    )
                count = int(
                    await connection.scalar(select(func.count()).where(VouchRow.claim_id == claim)) or 0
                )
                settled = Claim(*row)
                if count >= VOUCHES:
                    settled = await self._hold(connection, claim, "vouch", "")
                return count, settled
        except IntegrityError as error:
            raise ClaimRefused("Somebody already holds this claim, or the member holds another.") from error

    async def end(self, claim: int, why: str, *, by: int = 0) -> bool:
        """End a claim; ``by`` is 0 for Labmate or the command line. False where it had ended."""
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
            Where it was never proven, did not end, or its member or person has another claim by now.
        """
        try:
            async with self._writer.begin() as connection:
                ended = (await connection.execute(select(*CLAIM).where(ClaimRow.id == claim))).first()
                if ended is not None and ended.member == FORGOTTEN:
                    raise ClaimRefused("Its holder asked to be forgotten, so it can't be restored.")
                if ended is None or ended.state != "ended" or not ended.level:
                    raise ClaimRefused("Only a claim that was proven and has ended can be restored.")
                values = {"state": "held", "ended": None, "why_ended": ""}
                only_here = ended.proof == "vouch"
                rivals = await rivals_of(connection, ended)
                if only_here:
                    rivals &= ClaimRow.held_person.is_not(None) | (ClaimRow.guild == ended.guild)
                    if await connection.scalar(select(ClaimRow.id).where(rivals).limit(1)):
                        raise ClaimRefused("Somebody else holds this person now; end that claim first.")
                else:
                    weaker = update(ClaimRow).where(rivals, ClaimRow.proof == "vouch")
                    await connection.execute(weaker.values(**_ended(OUTDONE)))
                values |= {"holder": ended.member, "held_person": None if only_here else ended.person_id}
                updated = await connection.execute(
                    update(ClaimRow).where(ClaimRow.id == claim).values(**values).returning(*CLAIM)
                )
                await audit.note(connection, by, "claim.restore", f"claim {claim}")
                return Claim(*updated.one())
        except IntegrityError as error:
            raise ClaimRefused(
                "Somebody else holds this person now, or the member holds another; end that claim first."
            ) from error

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON."""
        async with self._read() as connection:
            claims = (await connection.execute(select(*CLAIM).where(ClaimRow.member == member))).all()
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
            "contests": [_plain({**row._mapping, "settled_by": None}) for row in contests],
            "servers": [str(guild) for guild in servers],
            "profile": [_plain({n: getattr(profile, n) for n in Profile.__slots__})] if profile else [],
        }

    async def forget(self, member: int) -> int:
        """Delete everything about a member; returns the number of rows.

        Of claims and contests, that they were stays in the history of a person, without the member.
        """
        async with self._writer.begin() as connection:
            gone = await forget_claims(connection, member)
            for statement in (
                delete(ProfileRow).where(ProfileRow.member == member),
                delete(ServerMemberRow).where(ServerMemberRow.member == member),
            ):
                gone += (await connection.execute(statement)).rowcount
        return gone


def _ended(why: str) -> dict[str, Any]:
    return {"state": "ended", "ended": utc_now(), "why_ended": why[:200], "holder": None, "held_person": None}


def _plain(row: Any) -> dict[str, Any]:
    """Values for JSON; ids of members and servers as text, since some readers round large numbers."""
    named = {"member", "guild", "holder", "settled_by"}
    return {
        key: value.isoformat()
        if isinstance(value, datetime)
        else str(value)
        if key in named and value
        else value
        for key, value in dict(row).items()
    }
