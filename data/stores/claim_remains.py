"""What stays of claims and contests when a member is forgotten: that they were, and nothing of the account.

Others decided about them, and go by it: whoever contests a claim again, and whoever settles that.
What stays has new numbers, so that the audit log, which names accounts, leads to none of it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores.claim_lookup import CLAIM, FORGOTTEN, FOUND_WRONG, OUTDONE, RELEASED, Claim
from data.tables.members import ClaimContestRow, ClaimRow, MailCodeRow, VouchRow

_WHY = "forgotten with its holder"
_CONTEST = ClaimContestRow.__table__


async def forget_claims(connection: AsyncConnection, member: int) -> int:
    """Take a member out of claims and contests, and delete their vouches; returns how many there were."""
    claims = [
        Claim(*row) for row in await connection.execute(select(*CLAIM).where(ClaimRow.member == member))
    ]
    for claim in claims:
        if claim.level:
            await _without_holder(connection, claim)
        await connection.execute(delete(MailCodeRow).where(MailCodeRow.claim_id == claim.id))
        await connection.execute(delete(ClaimContestRow).where(ClaimContestRow.claim_id == claim.id))
    numbers = [claim.id for claim in claims]
    vouches = delete(VouchRow).where((VouchRow.member == member) | VouchRow.claim_id.in_(numbers))
    gone = (await connection.execute(vouches)).rowcount
    await connection.execute(delete(ClaimRow).where(ClaimRow.member == member))
    return gone + len(claims) + await _without_challenger(connection, member)


async def _without_holder(connection: AsyncConnection, claim: Claim) -> None:
    """Write a claim that was proven, and its contests, once more without its holder, to the day."""
    number = fresh_number()
    kept = {"id": number, "member": FORGOTTEN, "person_id": claim.person_id, "state": "ended"}
    kept |= {"level": claim.level, "made": _day(claim.made), "ended": _day(claim.ended or utc_now())}
    blank = {"guild": None, "code": "", "proof": "", "where": "", "checked": None}
    blank |= {"holder": None, "held_person": None, "why_ended": _plain(claim)}
    await connection.execute(insert(ClaimRow).values(**kept, **blank))
    contests = select(_CONTEST).where(ClaimContestRow.claim_id == claim.id)
    for row in (await connection.execute(contests)).all():
        said: dict[str, Any] = {**row._mapping, "id": fresh_number(), "claim_id": number, "guild": 0}
        said |= {"reason": "", "made": _day(row.made), "settled": _day(row.settled or utc_now())}
        said |= {"state": "dropped"} if row.state == "open" else {}
        await connection.execute(insert(ClaimContestRow).values(**said))


async def _without_challenger(connection: AsyncConnection, member: int) -> int:
    """Take a member and their words out of the contests of others' claims; an open one is dropped."""
    mine = ClaimContestRow.member == member
    upheld = select(ClaimContestRow.claim_id).where(mine, ClaimContestRow.state == "upheld")
    quoted = ClaimRow.id.in_(upheld) & ClaimRow.why_ended.startswith(FOUND_WRONG)
    await connection.execute(update(ClaimRow).where(quoted).values(why_ended=FOUND_WRONG))
    waiting = update(ClaimContestRow).where(mine, ClaimContestRow.state == "open")
    await connection.execute(waiting.values(state="dropped", settled=utc_now()))
    words = update(ClaimContestRow).where(mine).values(member=FORGOTTEN, reason="")
    return (await connection.execute(words)).rowcount


def _plain(claim: Claim) -> str:
    """Why a claim ended, without what somebody wrote about its holder."""
    if claim.state != "ended":
        return _WHY
    return next((why for why in (FOUND_WRONG, OUTDONE, RELEASED) if claim.why_ended.startswith(why)), "")


def _day(instant: datetime) -> datetime:
    """The noon of a day: exact times would tell which line of the log a claim belongs to."""
    return instant.replace(hour=12, minute=0, second=0, microsecond=0)
