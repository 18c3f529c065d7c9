"""Limits on invitations: how many may be open, and how often the same two members may meet."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.stores.limits import INVITATIONS, INVITATIONS_OF_SERVER, INVITED, spend
from data.tables.members import InvitationRow

MOST_OPEN = 5
"""The most invitations from one member, or to one member, that may wait for an answer."""
PAIR_DAYS = 30
"""Days until an unanswered invitation ends, and until the same two may be invited again."""
OPEN = ("waiting", "silent")


class InvitationRefused(Exception):
    """An invitation that can't be made or answered; its text says why."""


async def check_pair(connection: AsyncConnection, sender: int, recipient: int, now: datetime) -> None:
    here = (InvitationRow.sender == sender) & (InvitationRow.recipient == recipient)
    back = (InvitationRow.sender == recipient) & (InvitationRow.recipient == sender)
    # The recipient of a blocked invitation doesn't know of it, so they may send one the other way.
    back &= InvitationRow.state != "silent"
    since = InvitationRow.made > now - timedelta(days=PAIR_DAYS)
    last = (
        await connection.execute(
            select(InvitationRow.sender, InvitationRow.state, InvitationRow.made)
            .where(or_(here, back), since)
            .order_by(InvitationRow.made.desc())
            .limit(1)
        )
    ).first()
    if last is None:
        return
    if last.sender == recipient and last.state == "waiting":
        raise InvitationRefused("They have already invited you: see /invitations to accept.")
    if last.state in OPEN:
        raise InvitationRefused("Your invitation to them is still waiting for an answer; see /invitations.")
    again = last.made + timedelta(days=PAIR_DAYS)
    raise InvitationRefused(
        f"There was an invitation between you two recently; you can send the next on {again:%d %B %Y}."
    )


async def check_limits(connection: AsyncConnection, sender: int, recipient: int) -> None:
    async def count(*where: Any) -> int:
        return int(await connection.scalar(select(func.count(InvitationRow.id)).where(*where)) or 0)

    is_open = InvitationRow.state.in_(OPEN)
    if await count(InvitationRow.sender == sender, is_open) >= MOST_OPEN:
        raise InvitationRefused(
            f"{MOST_OPEN} of your invitations wait for an answer; withdraw one with /invitations, or wait."
        )
    if await count(InvitationRow.recipient == recipient, is_open) >= MOST_OPEN:
        raise InvitationRefused("They have many invitations to answer; try again in a few days.")


async def count_sending(connection: AsyncConnection, sender: int, recipient: int, guild: int) -> None:
    """Count an invitation against all its limits, or none; these counts outlive the rows themselves."""
    if not await spend(connection, INVITED, sender, recipient):
        raise InvitationRefused("You invited them within the last month; the next invitation has to wait.")
    if not await spend(connection, INVITATIONS, sender):
        raise InvitationRefused(f"You sent {INVITATIONS.most} invitations within a day; try again tomorrow.")
    if not await spend(connection, INVITATIONS_OF_SERVER, guild):
        raise InvitationRefused(
            f"{INVITATIONS_OF_SERVER.most} invitations were sent in this server within a day; "
            "try again tomorrow."
        )
