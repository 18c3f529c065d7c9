"""Ids of the ACL Anthology: their forms, and what an id says of where its paper appeared."""

from __future__ import annotations

import re
from typing import NamedTuple

ACL_ID = r"\d{4}\.[a-z0-9]{2,30}-[a-z0-9]{1,20}\.\d{1,4}|[A-Z]\d{2}-\d{4,5}"
"""An id as the site writes it: of the present form (``2021.acl-short.116``) or the old one (``P19-1531``)."""
SPLIT_ID = r"[A-Z]\d{2}-\d{1,2}\.\d{1,4}"
"""An old id as some files write it: ``P19-1.531``."""
JOURNALS = {
    "CL": "Computational Linguistics",
    "TACL": "Transactions of the Association for Computational Linguistics",
    "TAL": "Traitement Automatique des Langues",
    "LILT": "Linguistic Issues in Language Technology",
}
_ANY = re.compile(rf"{ACL_ID}|{SPLIT_ID}")
_OLD = re.compile(r"([A-Z]\d{2})-(?:(\d{1,2})\.(\d{1,4})|(\d{4}))")
_PLACE = re.compile(
    r"(?P<year>(?:19|20)\d\d)\.(?:findings-(?P<findings>[a-z]+)|(?P<venue>[a-z]+)-(?:main|long|short|[1-9]))\.\d+"
    r"|(?P<letter>[A-Z])(?P<short>\d\d)-(?P<volume>\d)[\d.]+"
)
_LETTERS = {
    "P": "ACL",
    "D": "EMNLP",
    "N": "NAACL",
    "E": "EACL",
    "C": "COLING",
    "K": "CoNLL",
    "L": "LREC",
    "J": "CL",
    "Q": "TACL",
    "A": "ANLP",
    "H": "HLT",
    "I": "IJCNLP",
    "M": "MUC",
    "O": "ROCLING",
    "R": "RANLP",
    "U": "ALTA",
    "Y": "PACLIC",
}
"""The series of conferences and journals in old ids; W has all workshops."""
_SHORT_PAPERS, _STUDENTS_SINCE = "PNE", 19
"""Conferences with a second volume of short papers, and the year since which it is the students'."""
_CENTURY = 60
"""Two digits from here on are years of the last century."""


class Appeared(NamedTuple):
    """Where a paper appeared: a name as printed or in lower case, and the year."""

    name: str
    year: int
    findings: bool = False


def is_acl_id(text: str) -> bool:
    """Whether this is an id of the Anthology, in any of its forms."""
    return bool(_ANY.fullmatch(text))


def acl_forms(value: str) -> list[str]:
    """How files write an Anthology id: as it is, or an old one (``P19-1531``) as ``P19-1.531``, and back."""
    match = _OLD.fullmatch(value)
    if match is None:
        return [value]
    event, volume, number, both = match.groups()
    if both:  # the volume has one digit, or two in a workshop's id
        split = [(both[:1], both[1:]), (both[:2], both[2:])]
        return [value, *(f"{event}-{int(part)}.{int(rest)}" for part, rest in split)]
    return [value, f"{event}-{volume}{int(number):0{4 - len(volume)}d}"]


def acl_page(value: str) -> str:
    """An id as its page's address ends: ``P19-1.531`` is ``P19-1531`` there."""
    return acl_forms(value)[-1] if re.fullmatch(SPLIT_ID, value) else value


def place_of(identifier: str) -> Appeared | None:
    """What an id of the Anthology says of where its paper appeared; None for most workshops.

    Of a volume with a number, only the first of a conference is its main one; a journal's are its issues.
    """
    found = _PLACE.fullmatch(identifier)
    if found is None:
        return None
    if not found["letter"]:
        name, findings = found["findings"] or found["venue"], found["findings"] is not None
        issue = not findings and name.upper() in JOURNALS
        if not issue and re.search(r"-[2-9]\.\d+$", identifier):
            return None
        return Appeared(name.upper() if issue else name, int(found["year"]), findings)
    name, year, volume = _LETTERS.get(found["letter"], ""), int(found["short"]), found["volume"]
    seconds = found["letter"] in _SHORT_PAPERS and not _STUDENTS_SINCE <= year < _CENTURY
    if not name or (name not in JOURNALS and volume != "1" and not (volume == "2" and seconds)):
        return None
    return Appeared(name, full_year(year))


def full_year(short: int) -> int:
    """The year of two digits: 1960 to 2059."""
    return short + (1900 if short >= _CENTURY else 2000)
