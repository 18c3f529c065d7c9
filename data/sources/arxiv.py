"""arXiv's Atom API: recent papers of some categories, page by page."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, date, datetime, timedelta
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from pydantic import ValidationError

from data.calendar import clock
from data.calendar.arxiv_ids import announcement_day, find_arxiv_id, find_doi
from data.records import PaperRecord, Rejected
from data.sources.forms import is_withdrawn, tex_name
from data.sources.http import PoliteClient, SourceError
from data.stores.refusals import reason_of

# https://info.arxiv.org/help/api/user-manual.html: at most 2,000 a request, 30,000 a query.
PAGE = 2_000
MOST = 30_000
LOOKBACK = timedelta(days=30)
"""Moderation can delay a paper: it is then announced weeks after the submission date that the API knows."""
_EMPTY_TRIES = 4
_COUNT = re.compile(r"[0-9]{1,12}")
_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"


class ArxivApi:
    """Reads the Atom API at ``url`` through a polite client."""

    def __init__(self, client: PoliteClient, url: str, *, page: int = PAGE, most: int = MOST) -> None:
        self._client = client
        self._url = url
        self._page = min(page, PAGE)
        self._most = most
        self.total = 0
        """The number of results that arXiv reports, for progress."""

    async def recent(
        self, categories: Sequence[str], since: date, until: datetime | None = None
    ) -> AsyncIterator[PaperRecord | Rejected]:
        """Everything of these categories that may have been announced on ``since`` or later.

        The API only knows dates of submission, so the query reaches back ``LOOKBACK`` further;
        the caller tells late announcements from the papers it knew before.

        Raises
        ------
        SourceError
            Where arXiv refuses the query, or keeps returning an empty page in the middle.
        """
        start = datetime.combine(since - LOOKBACK, datetime.min.time(), UTC)
        windows = [(start, until or clock.now() + timedelta(days=1))]
        while windows:
            begin, end = windows.pop()
            query = _query(categories, begin, end)
            offset = 0
            while True:
                total, entries = await self._ask(query, offset)
                if total > self._most and end - begin > timedelta(hours=2):
                    middle = begin + (end - begin) / 2
                    windows += [(middle, end), (begin, middle)]
                    break
                if offset == 0:
                    self.total += total
                for entry in entries:
                    yield entry
                offset += len(entries)
                if offset >= min(total, self._most) or not entries:
                    break

    async def _ask(self, query: str, offset: int) -> tuple[int, list[PaperRecord | Rejected]]:
        params = {
            "search_query": query,
            "start": str(offset),
            "max_results": str(self._page),
            "sortBy": "submittedDate",
            "sortOrder": "ascending",
        }
        for _ in range(_EMPTY_TRIES):
            # arXiv explains a refusal in a feed with status 400.
            total, entries = parse_feed(await self._client.get(self._url, params, accept=frozenset({400})))
            if entries or offset >= total:
                return total, entries
        raise SourceError(
            f"arXiv says there are {total:,} results but leaves the page at {offset:,} empty. "
            "What came before is kept; run the same command later to complete it."
        )


def held_in_moderation(record: PaperRecord, read_before: datetime, today: date) -> PaperRecord:
    """The record, dated as announced today, if an earlier run should have found it by its submission date.

    ``read_before`` is when that run began (UTC, naive as in the store).
    """
    if record.announced and record.announced < read_before.date() - timedelta(days=1):
        return record.model_copy(update={"announced": today})
    return record


def parse_feed(body: str) -> tuple[int, list[PaperRecord | Rejected]]:
    """(total results, records) of an Atom answer.

    Raises
    ------
    SourceError
        Where the answer isn't a feed, or is arXiv's error feed.
    """
    try:
        feed = fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException) as error:
        raise SourceError(f"arXiv's answer isn't an Atom feed ({error})") from error
    if feed.tag != f"{_ATOM}feed":
        raise SourceError(f"arXiv's answer isn't an Atom feed (<{feed.tag[:60]}>)")
    entries = feed.findall(f"{_ATOM}entry")
    for entry in entries:
        if "/api/errors" in _of(entry, f"{_ATOM}id"):
            raise SourceError(f"arXiv refuses the question: {_of(entry, f'{_ATOM}summary')}")
    total = _of(feed, f"{_SEARCH}totalResults")
    return int(total) if _COUNT.fullmatch(total) else len(entries), [_record(entry) for entry in entries]


def _record(entry: Element) -> PaperRecord | Rejected:
    url = _of(entry, f"{_ATOM}id")
    try:
        arxiv_id = find_arxiv_id(url)
        if not arxiv_id:
            raise ValueError(f"no arXiv id: {url[:80]!r}")
        published = _moment(_of(entry, f"{_ATOM}published"))
        primary = entry.find(f"{_ARXIV}primary_category")
        categories = [
            c.get("term", "") for c in entry.findall(f"{_ATOM}category") if c.get("scheme") != "msc"
        ]
        doi, comment = _of(entry, f"{_ARXIV}doi") or None, _of(entry, f"{_ARXIV}comment") or None
        abstract, work_doi = _of(entry, f"{_ATOM}summary"), find_doi(doi or "")
        return PaperRecord(
            source="arxiv",
            ids={"arxiv": arxiv_id[0], **({"doi": work_doi} if work_doi else {})},
            version=arxiv_id[1],
            title=_of(entry, f"{_ATOM}title"),
            abstract=abstract,
            authors=[tex_name(_of(a, f"{_ATOM}name")) for a in entry.findall(f"{_ATOM}author")],
            primary_category=primary.get("term") if primary is not None else None,
            # ACM and MSC classes ("68T50; I.2.7") stand among arXiv's own categories.
            categories=[c for c in categories if c and c[0].islower()],
            submitted=published.date() if published else None,
            updated=updated.date() if (updated := _moment(_of(entry, f"{_ATOM}updated"))) else None,
            announced=announcement_day(published) if published else None,
            provisional=True,
            doi=doi,
            journal_ref=_of(entry, f"{_ARXIV}journal_ref") or None,
            comment=comment,
            withdrawn=is_withdrawn(comment, abstract),
        )
    except ValidationError as error:
        return Rejected(url or "an entry without id", reason_of(error), _of(entry, f"{_ATOM}title"))
    except ValueError as error:
        return Rejected(url or "an entry without id", str(error), _of(entry, f"{_ATOM}title"))


def _of(element: Element, tag: str) -> str:
    return (element.findtext(tag) or "").strip()


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _query(categories: Sequence[str], begin: datetime, end: datetime) -> str:
    any_of = " OR ".join(f"cat:{category}" for category in categories)
    return f"({any_of}) AND submittedDate:[{begin:%Y%m%d%H%M} TO {end:%Y%m%d%H%M}]"
