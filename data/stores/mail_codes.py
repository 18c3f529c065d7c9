"""One-time codes mailed for claims: only their digests are kept, neither code nor address."""

from __future__ import annotations

import hashlib
import hmac
from datetime import timedelta

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data.calendar.clock import utc_now
from data.stores.claims import ClaimRefused
from data.stores.limits import (
    GUESSES,
    MAILS_OF_ALL,
    MAILS_OF_MEMBER,
    MAILS_TO_ADDRESS,
    MAILS_TO_ADDRESS_A_MONTH,
    spend,
)
from data.stores.repository import Repository
from data.tables.members import MailCodeRow

MOST_MAILS, MOST_TRIES, CODE_MINUTES = 3, 5, 30
"""Codes mailed for a claim within a day, guesses at a code, and how long a code is valid."""


class NoValidCode(ClaimRefused):
    """There is no code that a claim could be settled with."""


class MailCodes(Repository):
    """Keeps and settles mailed codes; every change is one transaction."""

    async def keep(self, claim: int, member: int, address: str, code: str, domain: str) -> None:
        """Keep the digest of a mailed code; an earlier code is no longer valid.

        Raises
        ------
        ClaimRefused
            Where a limit is reached: for the claim, the member, the address, or this Labmate.
        """
        now = utc_now()
        async with self._writer.begin() as connection:
            await _count(connection, member, address)
            mine = MailCodeRow.claim_id == claim
            known = (
                await connection.execute(select(MailCodeRow.sent, MailCodeRow.since).where(mine))
            ).first()
            sent, since = known if known and known.since > now - timedelta(days=1) else (0, now)
            if sent >= MOST_MAILS:
                raise ClaimRefused(
                    f"{MOST_MAILS} codes were mailed for this claim today; try again tomorrow."
                )
            await connection.execute(delete(MailCodeRow).where(mine))
            row = {"claim_id": claim, "digest": _digest(claim, code), "domain": domain[:255], "made": now}
            await connection.execute(insert(MailCodeRow).values(**row, tries=0, sent=sent + 1, since=since))

    async def settle(self, claim: int, member: int, code: str) -> str:
        """The domain that a mailed code was sent to; a code is valid once.

        Raises
        ------
        ClaimRefused
            Where it is wrong, or there were too many guesses.
        NoValidCode
            Where none is valid now.
        """
        if not await self._guesses(member):
            raise ClaimRefused("You typed many codes today; try again tomorrow.")
        async with self._writer.begin() as connection:
            mine = MailCodeRow.claim_id == claim
            mailed = (await connection.execute(select(MailCodeRow.__table__).where(mine))).first()
            old = mailed is None or mailed.made < utc_now() - timedelta(minutes=CODE_MINUTES)
            if mailed is None or old or mailed.tries >= MOST_TRIES or not mailed.digest:
                raise NoValidCode("You have no valid code.")
            right = hmac.compare_digest(mailed.digest, _digest(claim, code))
            values = {"tries": mailed.tries + 1} | ({"digest": ""} if right else {})
            await connection.execute(update(MailCodeRow).where(mine).values(**values))
        if not right:
            raise ClaimRefused("This is not the code that I mailed.")
        return str(mailed.domain)

    async def _guesses(self, member: int) -> bool:
        """Count a guess in its own transaction, so that a refused one stays counted."""
        async with self._writer.begin() as connection:
            return await spend(connection, GUESSES, member)


async def _count(connection: AsyncConnection, member: int, address: str) -> None:
    """Count a mail against all its limits, or none; addresses with a plus share one mailbox."""
    local, _, domain = address.lower().rpartition("@")
    mailbox = f"{local.partition('+')[0]}@{domain}"
    if not await spend(connection, MAILS_OF_MEMBER, member):
        raise ClaimRefused("I mailed you many codes today; try again tomorrow.")
    if not await spend(connection, MAILS_TO_ADDRESS, mailbox):
        raise ClaimRefused(
            f"{MAILS_TO_ADDRESS.most} codes were mailed to this address today; try again tomorrow."
        )
    if not await spend(connection, MAILS_TO_ADDRESS_A_MONTH, mailbox):
        raise ClaimRefused("Many codes were mailed to this address lately; try again in a few weeks.")
    if not await spend(connection, MAILS_OF_ALL):
        raise ClaimRefused("I have mailed as many codes as I may today; try again tomorrow.")


def _digest(claim: int, code: str) -> str:
    return hashlib.sha256(f"{claim}:{code.strip().upper()}".encode()).hexdigest()
