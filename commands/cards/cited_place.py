"""Where a paper appeared, as a citation says it: as far as its record does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from data.anthology import JOURNALS, place_of
from data.records import Paper
from index.search.venues import appeared

_JOURNAL = re.compile(
    r"\b(?:journal|transactions|letters|annals|magazine|reviews?|bulletin|quarterly)\b"
    r"|^(?:(?:JMLR|PNAS|TACL|TMLR|TPAMI|Nature|Science|Cell)\b)",
    re.IGNORECASE,
)
_PREPRINTS = re.compile(r"^\W*(?:arxiv|biorxiv|medrxiv|ssrn|zenodo|osf|corr)\b", re.IGNORECASE)
"""Servers, where a paper was posted and not published."""
_ANTHOLOGY = "ACL Anthology"
_SPELLED = {
    "blackboxnlp": "BlackboxNLP",
    "clicit": "CLiC-it",
    "jeptalnrecital": "JEP/TALN/RECITAL",
    "mtsummit": "MT Summit",
    "semeval": "SemEval",
    "starsem": "*SEM",
    "wnut": "W-NUT",
}
"""Conferences whose name in the Anthology's ids is not all capitals."""


@dataclass(frozen=True, slots=True)
class CitedPlace:
    """The kind of a publication, and the name of the journal, the proceedings or the server."""

    kind: Literal["article", "inproceedings", "misc"]
    name: str | None = None


def cited_place(paper: Paper) -> CitedPlace:
    """Where a paper appeared: by its journal reference, its venue or its id in the ACL Anthology."""
    if paper.journal_ref:
        return CitedPlace("article", paper.journal_ref)
    if paper.venue:
        if _PREPRINTS.search(paper.venue):
            return CitedPlace("misc", paper.venue)
        return CitedPlace("article" if _JOURNAL.search(paper.venue) else "inproceedings", paper.venue)
    return _in_anthology(paper.acl_id) if paper.acl_id else CitedPlace("misc")


def _in_anthology(identifier: str) -> CitedPlace:
    place, venue = place_of(identifier), appeared(identifier)
    if place and place.name in JOURNALS:
        return CitedPlace("article", JOURNALS[place.name])
    if place is None:
        return CitedPlace("misc", _ANTHOLOGY)
    name = str(venue) if venue else f"{_SPELLED.get(place.name, place.name.upper())} {place.year}"
    if place.findings:
        name = f"Findings of the Association for Computational Linguistics: {name}"
        return CitedPlace("inproceedings", name)
    return CitedPlace("inproceedings", f"Proceedings of {name}")
