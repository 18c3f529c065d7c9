"""Corrections and claims in a person's history, a line each. Records in, text out."""

from __future__ import annotations

from commands.cards.text import moment, readable, shown
from data.records import Paper
from data.stores.claim_lookup import FORGOTTEN
from data.stores.claims import Claim
from data.stores.corrections import Correction


def claim_line(claim: Claim, may: bool) -> str:
    """A claim, past or present; ``may`` says whether the reader may see how it was proven and by whom."""
    text = f"- L{claim.level}, {moment(claim.made)}"
    if claim.member == FORGOTTEN:
        text += ", by a forgotten account"
    elif may:
        text += f", <@{claim.member}> by {claim.proof}" + (
            f" ({shown(claim.where, 100)})" if claim.where else ""
        )
    if claim.ended is not None:
        text += f"\n-# ended {moment(claim.ended)}" + (
            f": {shown(claim.why_ended, 120)}" if may and claim.why_ended else ""
        )
    return text


_WORD = {"holder": "by the person themselves", "operator": "by the operator"}


def correction_line(correction: Correction) -> str:
    """What was corrected, by whom and when, and who undid it."""
    by = _WORD.get(correction.authority) or f"in a server by {shown(correction.made_by_name, 40)}"
    text = f"{correction.id}. {shown(correction.note, 200)} ({by}, {moment(correction.made)})"
    if correction.undone is not None:
        text += f"\n-# undone by {shown(correction.undone_by_name or '?', 40)}, {moment(correction.undone)}"
    return text


def reason(paper: Paper, support: Paper | None, own: set[str]) -> str:
    """Why a paper counts as somebody's: what it has in common with the one that speaks most for it."""
    if support is None:
        return "no other evidence"
    there = {author.key for author in support.authors} - own
    shared = [author.name for author in paper.authors if author.key in there]
    beside = f"“{readable(support.title)}”"
    return f"{', '.join(shared[:2])} also wrote {beside}" if shared else f"similar to {beside}"
