"""Invitations between members in SQL: their states, their threads, and blocks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, exists, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from data.calendar.clock import utc_now
from data.keys import fresh_number
from data.stores.bans import refused_server
from data.stores.invitation_limits import (
    OPEN,
    PAIR_DAYS,
    InvitationRefused,
    check_limits,
    check_pair,
    count_sending,
)
from data.stores.repository import Repository
from data.tables.members import BlockRow, InvitationRow
from data.tables.operator import BanRow

ENDED_BY_SENDER, ENDED_BY_TIME = "withdrawn", "expired"


@dataclass(frozen=True, slots=True)
class Invitation:
    """One member's invitation to work together.

    Attributes
    ----------
    state
        ``waiting``, ``silent`` (hidden from the recipient, who blocked the sender), ``accepted``,
        ``declined``, ``withdrawn`` or ``expired``.
    told
        How the recipient was told: empty (not yet), ``dm``, ``server``, or ``failed``.
    thread
        The private thread of an accepted invitation, once made; ``opened`` once it has its first message.
    """

    id: int
    sender: int
    recipient: int
    sender_person: int
    recipient_person: int
    guild: int
    channel: int
    about: str
    made: datetime
    state: str
    told: str
    told_channel: int | None
    told_message: int | None
    answered: datetime | None
    thread: int | None
    opened: bool


_INVITATION = [getattr(InvitationRow, name) for name in Invitation.__slots__]


class Invitations(Repository):
    """Keeps invitations; every change is one transaction."""

    async def find(self, number: int) -> Invitation | None:
        """An invitation by number."""
        async with self._read() as connection:
            row = (await connection.execute(select(*_INVITATION).where(InvitationRow.id == number))).first()
        return Invitation(*row) if row else None

    async def of(self, member: int) -> list[Invitation]:
        """All that a member sent or received (and may see), newest first."""
        sent, got = InvitationRow.sender == member, InvitationRow.recipient == member
        query = (
            select(*_INVITATION)
            .where(or_(sent, got & (InvitationRow.state != "silent")))
            .order_by(InvitationRow.made.desc())
            .limit(200)
        )
        async with self._read() as connection:
            return [Invitation(*row) for row in await connection.execute(query)]

    async def unfinished(self) -> list[Invitation]:
        """Those whose recipient must be told, or whose thread must be opened; none of the banned.

        A thread that could not be opened for :data:`PAIR_DAYS` is no longer tried.
        """
        told = (InvitationRow.state == "waiting") & (InvitationRow.told == "")
        lately = InvitationRow.answered > utc_now() - timedelta(days=PAIR_DAYS)
        accepted = (InvitationRow.state == "accepted") & InvitationRow.opened.is_(False) & lately
        banned = exists().where(BanRow.kind == "member", BanRow.target == InvitationRow.sender)
        admitted = ~banned & ~refused_server(InvitationRow.guild)
        query = (
            select(*_INVITATION).where(or_(told, accepted), admitted).order_by(InvitationRow.made).limit(500)
        )
        async with self._read() as connection:
            return [Invitation(*row) for row in await connection.execute(query)]

    async def send(self, invitation: dict[str, Any]) -> Invitation:
        """Keep an invitation before anybody is told of it.

        Parameters
        ----------
        invitation
            sender, recipient, sender_person, recipient_person, guild, channel, about.

        Raises
        ------
        InvitationRefused
            Where a limit is reached, or there was a recent invitation between the two.
        """
        sender, recipient = int(invitation["sender"]), int(invitation["recipient"])
        now = utc_now()
        try:
            async with self._writer.begin() as connection:
                await check_pair(connection, sender, recipient, now)
                await check_limits(connection, sender, recipient)
                await count_sending(connection, sender, recipient, int(invitation["guild"]))
                blocked = await connection.scalar(
                    select(BlockRow.member).where(BlockRow.member == recipient, BlockRow.other == sender)
                )
                row = invitation | {
                    "id": fresh_number(),
                    "about": str(invitation["about"])[:500],
                    "made": now,
                    "state": "silent" if blocked else "waiting",
                    "open_pair": _pair(sender, recipient),
                    "told": "",
                    "opened": False,
                }
                inserted = await connection.execute(
                    insert(InvitationRow).values(**row).returning(*_INVITATION)
                )
                return Invitation(*inserted.one())
        except IntegrityError as error:
            raise InvitationRefused(
                "An invitation between you two is already open; see /invitations."
            ) from error

    async def told(
        self, number: int, how: str, channel: int | None = None, message: int | None = None
    ) -> None:
        """Record how the recipient was told, or that it failed."""
        async with self._writer.begin() as connection:
            await connection.execute(
                update(InvitationRow)
                .where(InvitationRow.id == number)
                .values(told=how, told_channel=channel, told_message=message)
            )

    async def answer(self, number: int, member: int, state: str) -> Invitation:
        """Accept or decline as the recipient, or withdraw as the sender.

        Raises
        ------
        InvitationRefused
            Where it is somebody else's, or has been answered.
        """
        who = InvitationRow.sender if state == ENDED_BY_SENDER else InvitationRow.recipient
        shown = OPEN if state == ENDED_BY_SENDER else ("waiting",)
        async with self._writer.begin() as connection:
            done = (
                await connection.execute(
                    update(InvitationRow)
                    .where(InvitationRow.id == number, who == member, InvitationRow.state.in_(shown))
                    .values(state=state, answered=utc_now(), open_pair=None)
                    .returning(*_INVITATION)
                )
            ).first()
            if done:
                return Invitation(*done)
            invitation = (
                await connection.execute(select(*_INVITATION).where(InvitationRow.id == number))
            ).first()
        mine = invitation is not None and member == (
            invitation.sender if state == ENDED_BY_SENDER else invitation.recipient
        )
        if not mine or invitation is None or invitation.state == "silent":
            raise InvitationRefused("This invitation is not yours to answer.")
        words = {
            "accepted": "You have already accepted it.",
            "declined": "You have already said “not now”.",
            "withdrawn": "It was withdrawn.",
            "expired": "It expired: nobody answered for a month.",
        }
        raise InvitationRefused(words.get(invitation.state, "It has been answered."))

    async def made_thread(self, number: int, thread: int) -> None:
        """Record the private thread."""
        await self._set(number, thread=thread)

    async def opened_thread(self, number: int) -> None:
        """Record that the thread has its first message; nothing is left to do."""
        await self._set(number, opened=True)

    async def _set(self, number: int, **values: Any) -> None:
        async with self._writer.begin() as connection:
            await connection.execute(update(InvitationRow).where(InvitationRow.id == number).values(**values))

    async def expire(self) -> list[Invitation]:
        """End invitations that nobody answered within :data:`PAIR_DAYS`; returns them."""
        async with self._writer.begin() as connection:
            ended = await connection.execute(
                update(InvitationRow)
                .where(
                    InvitationRow.state.in_(OPEN), InvitationRow.made < utc_now() - timedelta(days=PAIR_DAYS)
                )
                .values(state=ENDED_BY_TIME, open_pair=None)
                .returning(*_INVITATION)
            )
            return [Invitation(*row) for row in ended.all()]

    # -- blocks ----------------------------------------------------------------------------------

    async def block(self, member: int, other: int) -> None:
        """Keep somebody's invitations from a member; nobody is told."""
        async with self._writer.begin() as connection:
            await connection.execute(_block(member, other))
            await connection.execute(insert(BlockRow).values(member=member, other=other, made=utc_now()))

    async def unblock(self, member: int, other: int) -> bool:
        """Lift a block; False where there was none."""
        async with self._writer.begin() as connection:
            return bool((await connection.execute(_block(member, other))).rowcount)

    async def blocked(self, member: int) -> list[int]:
        """The members that a member blocked, newest first."""
        query = select(BlockRow.other).where(BlockRow.member == member).order_by(BlockRow.made.desc())
        async with self._read() as connection:
            return list((await connection.scalars(query)).all())

    # -- everything about a member ---------------------------------------------------------------

    async def held(self, member: int) -> dict[str, Any]:
        """All that is held about a member, ready for JSON; it never shows who blocked them."""
        return {
            "invitations": [
                {
                    "from_me": entry.sender == member,
                    "member": str(entry.recipient if entry.sender == member else entry.sender),
                    "server": str(entry.guild),
                    "about": entry.about,
                    "made": entry.made.isoformat(),
                    "state": shown_state(entry, member),
                }
                for entry in await self.of(member)
            ],
            "blocked": [str(other) for other in await self.blocked(member)],
        }

    async def forget(self, member: int) -> int:
        """Delete a member's invitations and blocks; other members' blocks stay."""
        async with self._writer.begin() as connection:
            mine = or_(InvitationRow.sender == member, InvitationRow.recipient == member)
            gone = (await connection.execute(delete(InvitationRow).where(mine))).rowcount
            gone += (await connection.execute(delete(BlockRow).where(BlockRow.member == member))).rowcount
            return gone


def shown_state(invitation: Invitation, member: int) -> str:
    """The state as this member may see it: a blocked sender sees a waiting invitation."""
    if invitation.state == "silent" and invitation.sender == member:
        return "waiting"
    return "not now" if invitation.state == "declined" else invitation.state


def _pair(one: int, other: int) -> str:
    return f"{min(one, other)}-{max(one, other)}"


def _block(member: int, other: int) -> Any:
    return delete(BlockRow).where(BlockRow.member == member, BlockRow.other == other)
