"""Proving a claim: by a page or an ORCID record that has its code, or by a code sent to an address."""

from __future__ import annotations

from discord import ui

from commands.cards.lists import note
from commands.cards.text import shown
from commands.kit.links import link
from commands.kit.replies import UserError
from commands.kit.services import Services
from data.sources.http import SourceError
from data.stores.claims import Claim, ClaimRefused
from data.stores.limits import PAGES
from data.stores.mail_codes import NoValidCode
from index.claims.claim_proofs import Claimed, NotProven, mailbox_of, make_mail_code
from index.claims.claiming import NoOpenClaim, open_claim, proof_by_code, settle_proof
from index.claims.orcid_records import orcid_in
from index.claims.proof_words import proof_words

NOT_AN_ORCID = "This is not an ORCID. An ORCID looks like 0000-0002-1825-0097."
PAGES_SPENT = "I have opened as many pages for you today as I may. Please try again tomorrow."
NO_MAIL_SERVER = (
    "No mail server is set up here. "
    "Prove your claim with an ORCID record, a page, or the word of two members."
)


def proof_line(claim: Claim) -> str:
    """The level of a claim, and how it was proven."""
    return f"L{claim.level}: {shown(proof_words(claim), 300)}"


async def prove(services: Services, member: int, page: str | None, orcid: str | None) -> ui.LayoutView:
    """Look for the code of the member's newest open claim, or of the claim that they hold and renew."""
    claim, claimed = await claim_to_prove(services, member)
    if not await services.store.limits.spend(PAGES, member):
        raise UserError(PAGES_SPENT)
    if orcid is not None and orcid_in(orcid) is None:
        raise UserError(NOT_AN_ORCID)
    try:
        proof, where = await proof_by_code(services.witnesses, claim, claimed, page or "", orcid)
        claim = await _hold(services, claim, proof, where)
    except (NotProven, SourceError, ClaimRefused) as error:
        raise UserError(f"Not proven: {shown(str(error), 500)}") from error
    return await _held(services, claim, claimed)


async def mail_code(services: Services, member: int, typed: str) -> ui.LayoutView:
    """Send a one-time code to an address that belongs to the claimed person."""
    if services.mailer is None:
        raise UserError(NO_MAIL_SERVER)
    claim, claimed = await claim_to_prove(services, member)
    try:
        address, proof, where = await mailbox_of(services.witnesses, typed, claimed)
        code = make_mail_code()
        await services.store.mail_codes.keep(claim.id, member, address, code, f"{proof} {where}")
        await services.mailer.send(
            address,
            "Your code for Labmate",
            f"Somebody on Discord says they are {' '.join(claimed.names[0].split())[:100]} and read mail at "
            "this address.\n\nIf that is you, type this in Discord within half an hour:\n\n"
            f"    /claim code:{code}\n\n"
            "If it is not you, ignore this mail: without the code nothing happens, and I do not keep this "
            "address.\n",
        )
    except (NotProven, SourceError, ClaimRefused) as error:
        raise UserError(f"Not sent: {shown(str(error), 500)}") from error
    return note(
        f"A code is on its way to an address at **{shown(where.partition(' ')[0], 100)}**. Type it within "
        "half an hour: `/claim code:<the code>`."
    )


async def settle_mail(services: Services, member: int, code: str) -> ui.LayoutView:
    """Take a mailed code."""
    claim, claimed = await claim_to_prove(services, member)
    try:
        proof, _, where = (await services.store.mail_codes.settle(claim.id, member, code)).partition(" ")
        claim = await _hold(services, claim, proof, where)
    except NoValidCode as error:
        told = NO_MAIL_SERVER if services.mailer is None else "/claim mail:<address> sends another."
        raise UserError(f"Not proven: {error} {told}") from error
    except ClaimRefused as error:
        raise UserError(f"Not proven: {shown(str(error), 300)}") from error
    return await _held(services, claim, claimed)


async def claim_to_prove(services: Services, member: int) -> tuple[Claim, Claimed]:
    """The member's open claim, and who is claimed, without the corrections of any server."""
    try:
        return await open_claim(services.everywhere.store, member)
    except NoOpenClaim as error:
        raise UserError(str(error)) from error


async def _hold(services: Services, claim: Claim, proof: str, where: str) -> Claim:
    held, changed = await settle_proof(services.everywhere.store, claim, proof, where)
    if changed:
        await services.everywhere.insight.refresh()
    return held


async def _held(services: Services, claim: Claim, claimed: Claimed) -> ui.LayoutView:
    if claim.guild is not None:
        await services.store.claims.seen(claim.member, claim.guild)
    return note(
        f"You are **{shown(claimed.names[0], 80)}** now ({proof_line(claim)}). /collaborators without a name "
        "is about you; with /profile edit you can say what you seek and offer.",
        [[link("person.card", "Card", person=claim.person_id)]],
    )
