"""A claim on its way: the one that a member can prove now, and what changes when a proof holds."""

from __future__ import annotations

from data.stores.claims import Claim
from data.stores.store import Store
from index.claims.claim_proofs import Claimed, Witnesses, prove_by_orcid, prove_by_page
from index.claims.orcid_records import orcid_in
from index.trust.corrections import retract

ANOTHER_PROOF = (0, "a better proof")
"""In whose name a correction is taken back that the earlier holder of a person made."""


class NoOpenClaim(LookupError):
    """The member has begun no claim; the text says how to begin."""


async def open_claim(store: Store, member: int) -> tuple[Claim, Claimed]:
    """The claim that a member can prove now, and who is claimed.

    Parameters
    ----------
    store
        The store without the corrections of any server: a claim holds everywhere.

    Raises
    ------
    NoOpenClaim
        Where they have begun none, or the person no longer exists.
    """
    claim = await store.claims.open_of(member)
    if claim is None:
        raise NoOpenClaim("You have no open claim. Begin with /claim person:*your name*.")
    person = await store.people.find(claim.person_id)
    if person is None:
        raise NoOpenClaim("I no longer know this person. Start again with /claim person:*your name*.")
    rows = await store.people.memberships(person.id)
    return claim, Claimed.of(person, await store.papers([row.paper_id for row in rows]))


async def proof_by_code(
    witnesses: Witnesses, claim: Claim, claimed: Claimed, page: str, orcid: str | None
) -> tuple[str, str]:
    """Find the claim's code in an ORCID record or else on a page; returns the kind of proof and where it was.

    Raises
    ------
    index.claims.claim_proofs.NotProven, data.sources.http.SourceError
        Where it is not there, or can't be read now.
    """
    if orcid is not None:
        return "orcid", await prove_by_orcid(witnesses, orcid_in(orcid) or "", claim.code, claimed)
    return "page", await prove_by_page(witnesses, page.strip(), claim.code, claimed)


async def settle_proof(store: Store, claim: Claim, proof: str, where: str) -> tuple[Claim, bool]:
    """Let a claim hold.

    Where it ends another member's claim, what that member corrected as the same person is taken back.

    Returns
    -------
    The claim as it is now, and whether corrections changed, so that people have to be read anew.

    Raises
    ------
    data.stores.claims.ClaimRefused
        Where a stronger proof stands against it.
    """
    before = await store.claims.of_person(claim.person_id)
    held = await store.claims.prove(claim.id, proof, where)
    if before is None or before.id == held.id:
        return held, False
    now = await store.claims.find(before.id)
    ended = now is not None and now.state == "ended"
    return held, ended and await retract(store, before.id, by=ANOTHER_PROOF) > 0
