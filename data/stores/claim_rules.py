"""How much a claim counts against others, and which others are about the same person."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, false, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from data.stores.generations import MERGED
from data.tables.members import ClaimRow
from data.tables.papers import PersonRow

_OLD_RULE = 1
"""The level of a page, ORCID or address that an older, weaker rule accepted."""


def counts(claim: Any) -> int:
    """A claim's level against others; a proof that an older rule accepted counts less than it says."""
    by_today = claim.proof not in ("page", "orcid", "mail") or " " in claim.where
    return int(claim.level) if by_today else min(int(claim.level), _OLD_RULE)


async def rivals_of(connection: AsyncConnection, claim: Any) -> ColumnElement[bool]:
    """SQL: other held claims of the same person, under any number the person has had."""
    merged = select(MERGED).where(PersonRow.id == claim.person_id)
    now = await connection.scalar(merged) or claim.person_id
    leads_to = select(MERGED).where(PersonRow.id == ClaimRow.person_id).scalar_subquery()
    same = or_(ClaimRow.person_id.in_([claim.person_id, now]), leads_to == now)
    return and_(same, ClaimRow.state == "held", ClaimRow.id != claim.id)


def holds_in_server(guild: int | None) -> ColumnElement[bool]:
    """SQL: claims held everywhere, and those vouched for in this server."""
    here = (ClaimRow.proof == "vouch") & (ClaimRow.guild == guild) if guild is not None else false()
    return (ClaimRow.state == "held") & (ClaimRow.held_person.is_not(None) | here)
