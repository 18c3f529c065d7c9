"""arXiv's OAI-PMH interface: records by the day of their announcement or last change."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from pydantic import ValidationError

from data.calendar.arxiv_ids import announcement_day, find_doi, split_version
from data.records import Deletion, PaperRecord, Rejected
from data.sources.forms import is_withdrawn, tex_name
from data.sources.http import PoliteClient, SourceError
from data.stores.refusals import reason_of

LONGEST_HOLD = timedelta(days=90)
"""The datestamp of a record older than this is not its announcement: arXiv touched it later."""
_RESTARTS = 2
_COUNT = re.compile(r"[0-9]{1,12}")
_OAI = "{http://www.openarchives.org/OAI/2.0/}"
_ARXIV = "{http://arxiv.org/OAI/arXiv/}"
_PHYSICS = frozenset(
    """astro-ph cond-mat gr-qc hep-ex hep-lat hep-ph hep-th math-ph nlin nucl-ex nucl-th physics quant-
    ph""".split()
)


class _BadToken(Exception):
    """The server no longer knows the resumption token."""


def sets_of(categories: Sequence[str]) -> list[str]:
    """The OAI sets that hold these categories, each once."""
    archives = dict.fromkeys(category.partition(".")[0] for category in categories)
    return [f"physics:{archive}" if archive in _PHYSICS else archive for archive in archives]


class ArxivOai:
    """Reads the OAI-PMH interface at ``url`` through a polite client."""

    def __init__(self, client: PoliteClient, url: str) -> None:
        self._client = client
        self._url = url
        self.total = 0
        """The number of records that arXiv reports (0 where it reports none)."""

    async def records(
        self, oai_set: str, since: date, until: date | None = None
    ) -> AsyncIterator[PaperRecord | Deletion | Rejected]:
        """All records of a set announced, changed or deleted from ``since`` on.

        Raises
        ------
        SourceError
            Where arXiv refuses, repeatedly forgets its resumption token, or repeats one.
        """
        first = {"verb": "ListRecords", "metadataPrefix": "arXiv", "set": oai_set, "from": since.isoformat()}
        if until:
            first["until"] = until.isoformat()
        restarts, params, followed = 0, first, set[str]()
        while True:
            try:
                records, token, total = parse_records(await self._client.get(self._url, params))
            except _BadToken as error:
                if restarts == _RESTARTS:
                    raise SourceError(
                        "arXiv keeps forgetting its resumption tokens; run the same command later."
                    ) from error
                restarts, params = restarts + 1, first
                followed.clear()
                continue
            self.total = total or self.total
            for record in records:
                yield record
            if not token:
                return
            if token in followed:
                raise SourceError(
                    "arXiv's list leads back to a page already read. What arrived is kept; run the same "
                    "command later to complete it."
                )
            followed.add(token)
            params = {"verb": "ListRecords", "resumptionToken": token}


def parse_records(body: str) -> tuple[list[PaperRecord | Deletion | Rejected], str | None, int]:
    """(records, resumption token or None, size of the whole list or 0) of a ListRecords answer."""
    try:
        root = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException) as error:
        raise SourceError(f"arXiv's answer isn't OAI-PMH ({error})") from error
    if root.tag != f"{_OAI}OAI-PMH":
        raise SourceError(f"arXiv's answer isn't OAI-PMH (<{root.tag[:60]}>)")
    error_element = root.find(f"{_OAI}error")
    if error_element is not None:
        code = error_element.get("code")
        if code == "noRecordsMatch":
            return [], None, 0
        if code == "badResumptionToken":
            raise _BadToken
        raise SourceError(f"arXiv refuses the question: {code} {(error_element.text or '').strip()}")
    token = root.find(f".//{_OAI}resumptionToken")
    size = token.get("completeListSize", "") if token is not None else ""
    records = [_record(record) for record in root.iter(f"{_OAI}record")]
    return (
        records,
        (token.text or "").strip() or None if token is not None else None,
        (int(size) if _COUNT.fullmatch(size) else 0),
    )


def _record(record: Element) -> PaperRecord | Deletion | Rejected:
    identifier = record.findtext(f"{_OAI}header/{_OAI}identifier") or "a record without identifier"
    try:
        header = record.find(f"{_OAI}header")
        if header is None:
            raise ValueError("no header")
        arxiv_id = split_version(identifier.rpartition(":")[2])
        if not arxiv_id:
            raise ValueError(f"no arXiv id: {identifier[:80]!r}")
        if header.get("status") == "deleted":
            return Deletion("arxiv", arxiv_id[0])
        paper = record.find(f"{_OAI}metadata/{_ARXIV}arXiv")
        if paper is None:
            raise ValueError("no arXiv metadata")
        datestamp = header.findtext(f"{_OAI}datestamp") or ""
        return _paper(paper, arxiv_id[0], date.fromisoformat(datestamp[:10]))
    except ValidationError as error:
        return Rejected(identifier, reason_of(error), "")
    except ValueError as error:
        return Rejected(identifier, str(error), "")


def _paper(paper: Element, arxiv_id: str, datestamp: date) -> PaperRecord:
    created, updated = _day(paper, "created"), _day(paper, "updated")
    comment, abstract = _of(paper, "comments"), _of(paper, "abstract") or ""
    doi, categories = _of(paper, "doi"), (_of(paper, "categories") or "").split()
    is_new = updated is None and created is not None and datestamp - created <= LONGEST_HOLD
    announced = datestamp if is_new else _estimate(created)
    work_doi = find_doi(doi or "")
    return PaperRecord(
        source="arxiv-oai",
        ids={"arxiv": arxiv_id, **({"doi": work_doi} if work_doi else {})},
        version=1 if is_new else None,
        title=_of(paper, "title") or "",
        abstract=abstract,
        authors=[_name(author) for author in paper.iterfind(f"{_ARXIV}authors/{_ARXIV}author")],
        primary_category=categories[0] if categories else None,
        categories=categories,
        submitted=created,
        updated=updated or created,
        announced=announced,
        provisional=not is_new,
        listings=[(category, datestamp) for category in categories] if is_new else [],
        doi=doi,
        journal_ref=_of(paper, "journal-ref"),
        comment=comment,
        withdrawn=is_withdrawn(comment, abstract),
    )


def _estimate(created: date | None) -> date | None:
    """The most likely listing for a submission of that day, at an unknown hour."""
    return announcement_day(datetime.combine(created, time(12), UTC)) if created else None


def _name(author: Element) -> str:
    parts = (_of(author, "forenames"), _of(author, "keyname"), _of(author, "suffix"))
    return tex_name(" ".join(part for part in parts if part))


def _of(element: Element, tag: str) -> str | None:
    return (element.findtext(f"{_ARXIV}{tag}") or "").strip() or None


def _day(element: Element, tag: str) -> date | None:
    text = _of(element, tag)
    return date.fromisoformat(text[:10]) if text else None
