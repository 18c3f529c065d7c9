"""arXiv's identifiers and its calendar: the forms of an id, and the announcement of a submission."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_NEW = r"\d{4}\.\d{4,5}"
_OLD = r"[a-z][a-z-]*(?:\.[A-Z]{2})?/\d{7}"
_ID = re.compile(rf"^(?:arxiv:)?({_NEW}|{_OLD})(?:v(\d+))?$", re.IGNORECASE)
SITES = (
    r"(?:arxiv\.org/(?:abs|pdf|html|format|ps|src|e-print|list)|alphaxiv\.org/(?:abs|pdf|html|overview)"
    r"|ar5iv\.org/(?:abs|html)|(?:huggingface|hf)\.co/papers|semanticscholar\.org/arxiv)"
)
"""Where links name a paper by arXiv's id."""
_URL = re.compile(rf"{SITES}/({_NEW}|{_OLD})(?:v(\d+))?", re.IGNORECASE)
_DATACITE = re.compile(rf"10\.48550/arxiv\.({_NEW}|{_OLD})(?:v(\d+))?$", re.IGNORECASE)
_DOI = re.compile(r"(?:^|doi\.org/|doi:\s*)(10\.\d{4,9}/[^\s?#]+)", re.IGNORECASE)
CATEGORY = re.compile(r"^[a-z][a-z-]*(\.[A-Za-z-]{2,20})?$")
_ARCHIVES = frozenset(
    "astro-ph cond-mat cs econ eess gr-qc hep-ex hep-lat hep-ph hep-th math math-ph nlin nucl-ex nucl-th"
    " physics q-bio q-fin quant-ph stat"
    " acc-phys adap-org alg-geom ao-sci atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas dg-ga funct-an"
    " mtrl-th patt-sol plasm-ph q-alg solv-int supr-con".split()
)
"""https://arxiv.org/category_taxonomy, and those that take no more papers."""

EASTERN = ZoneInfo("America/New_York")
SUBMISSION_DEADLINE = time(14, 0)  # https://info.arxiv.org/help/availability.html


def is_category(name: str) -> bool:
    """Whether this is one of arXiv's archives, or looks like a category of one."""
    return CATEGORY.match(name) is not None and name.partition(".")[0] in _ARCHIVES


def split_version(text: str) -> tuple[str, int | None] | None:
    """``"2412.12636v2"`` -> ``("2412.12636", 2)``; None where the text isn't an arXiv id."""
    match = _ID.match(text.strip())
    if not match:
        return None
    return _canonical(match[1]), int(match[2]) if match[2] else None


def find_arxiv_id(text: str) -> tuple[str, int | None] | None:
    """The arXiv id in an id, URL or DataCite DOI that a person pasted; None where there is none."""
    text = text.strip().rstrip("/").removesuffix(".pdf").strip("<>")
    match = _URL.search(text) or _DATACITE.search(text)
    if match:
        return _canonical(match[1]), int(match[2]) if match[2] else None
    return split_version(text)


def find_doi(text: str) -> str | None:
    """The DOI in a DOI or DOI link, in lower case; None where there is none."""
    match = _DOI.search(text.strip().strip("<>"))
    return match[1].rstrip(".,;").lower() if match else None


def _canonical(arxiv_id: str) -> str:
    if "/" not in arxiv_id:
        return arxiv_id
    archive, number = arxiv_id.split("/")
    name, dot, subject = archive.partition(".")
    return f"{name.lower()}{dot}{subject.upper()}/{number}"


def announcement_day(submitted: datetime) -> date:
    """The first listing day on which arXiv can announce a submission (weekends observed, holidays not).

    Submissions until 14:00 US Eastern are announced at 20:00 that evening, Sunday to Thursday,
    and stand in the listing dated the next day (https://info.arxiv.org/help/availability.html).
    """
    local = submitted.astimezone(EASTERN)
    freeze = local.date() if local.time() < SUBMISSION_DEADLINE else local.date() + timedelta(days=1)
    while freeze.weekday() >= 5:  # no freeze on Saturday and Sunday: submissions since Friday wait
        freeze += timedelta(days=1)
    if freeze.weekday() == 4:  # Friday's freeze is announced on Sunday evening and listed on Monday
        return freeze + timedelta(days=3)
    return freeze + timedelta(days=1)


def slips(arxiv_id: str) -> list[str]:
    """Ids that somebody may have meant by this one: one digit differs, or two neighbours are swapped."""
    ids = []
    for place, digit in enumerate(arxiv_id):
        if not digit.isdecimal():
            continue
        head, tail = arxiv_id[:place], arxiv_id[place + 1 :]
        ids += [head + other + tail for other in "0123456789" if other != digit]
        if tail[:1].isdecimal() and tail[0] != digit:
            ids.append(head + tail[0] + digit + tail[1:])
    return ids
