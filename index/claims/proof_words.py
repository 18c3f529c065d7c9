"""Describing what the proof of a claim has shown, and nothing beyond that."""

from __future__ import annotations

from urllib.parse import urlsplit

from data.stores.claims import Claim
from index.claims.claim_domains import INSTITUTION

_TIED = {
    True: "the domain is their institution's, according to OpenAlex",
    False: "the domain is printed in one of the papers",
}


def proof_words(claim: Claim) -> str:
    """A sentence about the holder without its subject: ``has a mailbox at harvard.edu …``; plain text."""
    tied = _TIED[claim.how == INSTITUTION]
    if claim.proof == "vouch":
        return (
            "is vouched for by two members of this server who have claimed their own papers; "
            "it counts in this server only"
        )
    if claim.proof == "mailbox":
        return f"has a mailbox at {claim.place} whose name is theirs; {tied}"
    if claim.proof == "domain" and claim.how:
        return f"reads mail at {claim.place}, at a mailbox that does not have their name; {tied}"
    if claim.proof == "page" and claim.how:
        host = urlsplit(claim.place).hostname or "a page"
        return f"can change a page at {host} that has their name and one of the papers; {tied}"
    if claim.proof == "orcid" and claim.how == "by OpenAlex":
        return f"owns the ORCID record {claim.place}, which OpenAlex ties to the papers"
    if claim.proof == "orcid" and claim.how:
        agency = claim.how.removeprefix("by ")
        return f"owns the ORCID record {claim.place}, to which {agency} added one of the papers"
    older = {
        "mail": f"reads mail at {claim.place}",
        "domain": f"reads mail at {claim.place}",
        "page": "can change a page that has their name and one of the papers",
        "orcid": f"owns the ORCID record {claim.place}",
    }
    return older.get(claim.proof, claim.proof) + "; shown by an older, weaker rule, and checked again soon"
