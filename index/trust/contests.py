"""Contested claims: who is a party to one, and who may settle it."""

from __future__ import annotations

from enum import Enum, auto

from data.stores.claim_lookup import FORGOTTEN
from data.stores.claims import Claim
from data.stores.contests import Contest
from data.stores.store import Store
from index.trust.corrections import retract

CONTESTED = (0, "a contest")
"""In whose name a correction is taken back when the claim behind it ends."""


class Right(Enum):
    """Whether somebody may settle a contest."""

    NO = auto()
    YES = auto()
    IF_NO_PARTY_MANAGES = auto()
    """Only if no party owns or manages the server; else the contest goes to the operator."""


async def parties(store: Store, contest: Contest, claim: Claim) -> set[int]:
    """The member who holds the claim, and everybody who contests it."""
    others = [one.member for one in await store.contests.open_of(claim.id)]
    return {claim.member, contest.member, *others} - {FORGOTTEN}


def right_to_settle(
    contest: Contest, sides: set[int], member: int, *, operator: bool, manages: int | None
) -> Right:
    """Whether a member may settle a contest: a party never may.

    Parameters
    ----------
    sides
        The :func:`parties`.
    operator
        Whether the member runs this Labmate.
    manages
        The server where they ask, if they manage it.
    """
    if member in sides:
        return Right.NO
    if operator:
        return Right.YES
    if contest.for_operator or manages is None or manages != contest.guild:
        return Right.NO
    return Right.IF_NO_PARTY_MANAGES


async def settle(store: Store, contest: Contest, member: int, *, upheld: bool) -> bool:
    """Settle a contest; where it is upheld, the claim ends with all that its holder corrected.

    Returns whether corrections changed, so that people have to be read anew.

    Raises
    ------
    data.stores.claims.ClaimRefused
        Where it was settled already.
    """
    await store.contests.settle(contest.id, member, upheld=upheld)
    return upheld and await retract(store, contest.claim_id, by=CONTESTED) > 0
