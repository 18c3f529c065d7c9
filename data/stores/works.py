"""When two records are one work, and what the merged work then says.

A record meets its work by a shared id; else by its title with authors in common; else, where a
revision changed the title, by authors in order, day and what of the title stayed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from data.calendar.partial_days import finer
from data.keys import name_key, text_hash, title_words
from data.records import PaperRecord

LISTING = "arxiv-daily"
"""The source that prints papers as they were announced: in their first version."""

SAMPLE = "sample"
"""The source of papers that documents describe: undated, so it never replaces arXiv's own text."""

REVISION_DAYS = 7
"""Sources may date a work by submission or by announcement."""
_KEPT_WORDS = 0.5
_SMALL = frozenset(
    """a an and as at by can do does for from how in is it its of on or the their to towards toward
    using via we what when with without""".split()
)
_FACTS = ("doi", "journal_ref", "comment", "venue")


@dataclass(slots=True, eq=False)
class Work:
    """A work while a batch is applied to it: its row, names, authors and listings."""

    row: dict[str, Any]
    ids: dict[tuple[str, str], None] = field(default_factory=dict)
    authors: list[tuple[str, bool]] = field(default_factory=list)
    """(name as printed, listed), in order; unlisted ones last."""
    listings: dict[tuple[str, date], None] = field(default_factory=dict)
    former: dict[int, str] = field(default_factory=dict)
    is_new: bool = False
    joined: Work | None = None
    """The work that this one was merged into, in this batch."""

    @property
    def listed(self) -> list[str]:
        """Keys of the authors with a known position, in order."""
        return [name_key(name) for name, listed in self.authors if listed]

    @property
    def days(self) -> list[date]:
        """Every day that a source gives for the work's first appearance."""
        return [day for day in (self.row["submitted"], self.row["announced"]) if day]


def new_work(record: PaperRecord) -> Work:
    """A work that only this record knows so far."""
    row = {
        "source": record.source,
        "version": record.version,
        "authors_complete": record.authors_complete,
        "primary_category": record.primary_category,
        "categories": _categories([], record.categories, record.primary_category),
        "submitted": record.submitted,
        "updated": record.updated,
        "announced": record.announced,
        "dated_by": record.dated_by,
        "provisional": record.provisional and record.announced is not None,
        "withdrawn": record.withdrawn,
        "arxiv_id": record.ids.get("arxiv"),
        "merged_into": None,
        **{fact: getattr(record, fact) for fact in _FACTS},
        **_printed(record, record.abstract),
    }
    work = Work(row, ids=dict.fromkeys(record.ids.items()), is_new=True)
    work.authors = _with_also([(name, True) for name in record.authors], record.authors_also)
    work.listings = dict.fromkeys(record.listings)
    row["first_author"] = record.first_author
    return work


def apply(work: Work, record: PaperRecord) -> None:
    """Improve a work by a record; a record that adds nothing changes nothing."""
    row = work.row
    takes_over = _is_newer(record, work)
    if takes_over:
        _retitle(work, record)
        row.update(_printed(record, record.abstract or row["abstract"]))
        row["source"] = record.source
        row["withdrawn"] = record.withdrawn
    elif record.title_key != row["title_key"]:
        work.former.setdefault(record.title_key, record.title)
    if (known := [v for v in (row["version"], record.version) if v]) and (
        takes_over or row["version"] is None or record.version is not None
    ):
        row["version"] = max(known)
    _take_authors(work, record, takes_over)
    row["primary_category"] = (
        record.primary_category if takes_over and record.primary_category else row["primary_category"]
    ) or record.primary_category
    row["categories"] = _categories(row["categories"].split(), record.categories, row["primary_category"])
    for fact in _FACTS:
        theirs = getattr(record, fact)
        row[fact] = theirs if theirs and (takes_over or not row[fact]) else row[fact]
    _take_days(row, record)
    for scheme, value in record.ids.items():
        if scheme != "arxiv":
            work.ids.setdefault((scheme, value))
        elif row["arxiv_id"] is None:
            row["arxiv_id"] = value
            work.ids.setdefault((scheme, value))
    _take_listings(work, record)


def _take_listings(work: Work, record: PaperRecord) -> None:
    """A category lists a paper once: later days of the same category are revisions, not news."""
    first: dict[str, date] = {}
    for name, day in [*work.listings, *record.listings]:
        first[name] = min(day, first.get(name, day))
    known = dict(work.listings)
    work.listings = known | {(name, day): None for name, day in record.listings if day == first[name]}


def _printed(record: PaperRecord, abstract: str) -> dict[str, Any]:
    same_abstract = abstract == record.abstract
    return {
        "title": record.title,
        "title_key": record.title_key,
        "abstract": abstract,
        "text_hash": record.text_hash if same_abstract else text_hash(record.title, abstract),
    }


def _retitle(work: Work, record: PaperRecord) -> None:
    if record.title_key != work.row["title_key"]:
        work.former[work.row["title_key"]] = work.row["title"]
        work.former.pop(record.title_key, None)


def _is_newer(record: PaperRecord, work: Work) -> bool:
    """Whether the record prints a later state of the paper than the work shows."""
    row = work.row
    theirs = record.version or (1 if record.source == LISTING else None)
    ours = row["version"] or (1 if row["source"] == LISTING else None)
    if theirs and ours and theirs != ours:
        return bool(theirs > ours)
    if record.updated and row["updated"] and record.updated != row["updated"]:
        return bool(record.updated > row["updated"])
    if record.source == row["source"]:
        return (record.announced or date.max) >= (row["announced"] or date.min)
    # One is known to be the first version and the titles differ, so the other, undated, is later.
    one_is_first = (theirs is None) != (ours is None) and (theirs or ours) == 1
    if one_is_first and record.title_key != row["title_key"]:
        return theirs is None
    return "arxiv" in record.ids and (
        not any(scheme == "arxiv" for scheme, _ in work.ids)
        or row["source"] == SAMPLE
        or (record.source not in (LISTING, SAMPLE) and ours is None)
    )


def _take_authors(work: Work, record: PaperRecord, takes_over: bool) -> None:
    row = work.row
    more_complete = record.authors_complete and not row["authors_complete"]
    as_complete = record.authors_complete == row["authors_complete"]
    also = [name for name, listed in work.authors if not listed] + record.authors_also
    if more_complete or (takes_over and as_complete):
        listed = [(name, True) for name in record.authors]
        row["authors_complete"] = record.authors_complete
        row["first_author"] = record.first_author
    else:
        listed = [(name, True) for name, is_listed in work.authors if is_listed]
    work.authors = _with_also(listed, also)


def _with_also(listed: list[tuple[str, bool]], also: Iterable[str]) -> list[tuple[str, bool]]:
    authors = list(listed)
    also = list(also)
    if not also:
        return authors
    keys = {name_key(name) for name, _ in listed}
    for name in also:
        if name_key(name) not in keys:
            keys.add(name_key(name))
            authors.append((name, False))
    return authors


def _take_days(row: dict[str, Any], record: PaperRecord) -> None:
    """Add the record's days; where one source says more of them, its days alone count."""
    theirs = record.submitted, record.updated, record.announced
    if not any(theirs):
        return
    ours = row["submitted"], row["updated"], row["announced"]
    if not any(ours) or finer(record.dated_by, row["dated_by"]):
        row["submitted"], row["updated"], row["announced"] = theirs
        row["dated_by"] = record.dated_by
        row["provisional"] = record.provisional and record.announced is not None
    elif not finer(row["dated_by"], record.dated_by):
        row["submitted"] = min((d for d in (row["submitted"], record.submitted) if d), default=None)
        row["updated"] = max((d for d in (row["updated"], record.updated) if d), default=None)
        _take_announcement(row, record)


def _take_announcement(row: dict[str, Any], record: PaperRecord) -> None:
    """The earliest day read from a listing, or an estimate until there is one."""
    if record.announced is None:
        return
    if row["announced"] is None or (row["provisional"] and not record.provisional):
        row["announced"], row["provisional"] = record.announced, record.provisional
    elif row["provisional"] == record.provisional:
        row["announced"] = min(row["announced"], record.announced)


def _categories(ours: list[str], theirs: list[str], primary: str | None) -> str:
    return " ".join(dict.fromkeys([*([primary] if primary else []), *ours, *theirs]))


def same_title(work: Work, record: PaperRecord) -> bool:
    """Whether a work with the record's title also shares an author (never across two arXiv ids)."""
    if (work.row["arxiv_id"] and "arxiv" in record.ids) or "file" in record.ids:
        return False
    ours = [name_key(name) for name, _ in work.authors]
    theirs = [name_key(name) for name in record.authors + record.authors_also]
    return any(_may_be_one(a, b) for a in ours for b in theirs)


def _may_be_one(a: str, b: str) -> bool:
    """Whether names are equal, or one has the other's first name as an initial."""
    if a == b:
        return True
    first_a, _, last_a = a.rpartition(" ")
    first_b, _, last_b = b.rpartition(" ")
    if last_a != last_b or not first_a or not first_b or first_a[0] != first_b[0]:
        return False
    return len(first_a.split()[0]) == 1 or len(first_b.split()[0]) == 1


def revised_title(work: Work, record: PaperRecord) -> bool:
    """Whether record and work are one paper that changed its title in a revision.

    Their sources differ, at most one has an arXiv id, their authors agree in order as far as both
    print them, their days are within a week, and the title kept the system's name or half its words. Where
    only one author is known, the name must stand before a colon. Papers with ids of a file are never one.
    """
    if record.source == work.row["source"] or (work.row["arxiv_id"] and "arxiv" in record.ids):
        return False
    if "file" in record.ids or any(scheme == "file" for scheme, _ in work.ids):
        return False
    theirs = [name_key(name) for name in record.authors]
    if not _agree_in_order(work, theirs, record):
        return False
    days = [day for day in (record.submitted, record.announced) if day]
    if not any(abs((a - b).days) <= REVISION_DAYS for a in days for b in work.days):
        return False
    one, other = record.title, work.row["title"]
    if min(len(theirs), len(work.listed)) < 2:  # one name in common says little: "... on ChatGPT" by Wei Wang
        return bool(_heads(one) & _heads(other))
    return bool(_system_names(one) & _system_names(other)) or _overlap(one, other) >= _KEPT_WORDS


def _agree_in_order(work: Work, theirs: list[str], record: PaperRecord) -> bool:
    ours = work.listed
    if work.row["authors_complete"] and record.authors_complete:
        return ours == theirs
    shared = min(len(ours), len(theirs))
    if ours[:shared] != theirs[:shared]:
        return False
    if work.row["authors_complete"] and len(theirs) > len(ours):
        return False
    if record.authors_complete and len(ours) > len(theirs):
        return False
    complete = set(ours) if work.row["authors_complete"] else set(theirs) if record.authors_complete else None
    also = {name_key(n) for n, listed in work.authors if not listed} | set(map(name_key, record.authors_also))
    return complete is None or also <= complete


def _system_names(title: str) -> set[str]:
    """Names of systems in a title: the head before a colon, and words in mixed case such as PrismLLM."""
    names = {
        word.casefold()
        for word in re.findall(r"[\w+-]+", title)
        if len(word) > 3 and re.search(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}", word)
    }
    return names | _heads(title)


def _heads(title: str) -> set[str]:
    """The name before a title's colon, if there is one of at most two words."""
    head, colon, _ = title.partition(":")
    return {head.strip().casefold()} if colon and len(head.split()) <= 2 else set()


def _overlap(a: str, b: str) -> float:
    """Shared content words over all content words (Jaccard)."""
    words_a, words_b = set(title_words(a)) - _SMALL, set(title_words(b)) - _SMALL
    return len(words_a & words_b) / max(1, len(words_a | words_b))
