"""Public ORCID records: who owns one, and which of its works were added by somebody other than the owner."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

import orjson
from stdnum.iso7064 import mod_11_2

from data.records import Paper
from data.sources.http import SourceError
from data.sources.public_web import PublicWeb
from index.claims.page_text import flat

NUMBER = re.compile(r"\b(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\b")
CROSSREF, DATACITE = "Crossref", "DataCite"
_CLIENTS = {"0000-0001-9884-1913": CROSSREF, "0000-0001-8099-6984": DATACITE}
"""Clients through which registration agencies add works for which publishers named the iD. Others (Crossref
Metadata Search, Scopus, Europe PMC, OpenAIRE, a university's system) add what the owner clicks on."""
_PUBLISHED = frozenset({"journal-article", "conference-paper", "book-chapter"})
"""Kinds of works that a publisher releases; anybody can post a preprint or a data set of any title."""
_LEAST_TITLE = 20


def orcid_in(text: str) -> str | None:
    """The ORCID in a text, if its check digit is right (ISO 7064, MOD 11-2); None otherwise."""
    match = NUMBER.search(text.upper())
    if not match:
        return None
    return match[1] if mod_11_2.is_valid(match[1].replace("-", "")) else None


class OrcidRecord:
    """A record of ORCID's public API, v3.0.

    Raises
    ------
    SourceError
        If it is not one.
    """

    def __init__(self, body: str, number: str) -> None:
        try:
            record = orjson.loads(body)
            self.person: dict[str, Any] = dict(record["person"])
            self._groups: list[Any] = list(record["activities-summary"]["works"]["group"])
            name = self.person.get("name") or {}
            parts = (name.get("given-names"), name.get("family-name"))
            self.name = " ".join(str(part["value"]) for part in parts if part)
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise SourceError("ORCID's answer is not a record; try again later") from error
        self.number = number

    @classmethod
    async def read(cls, web: PublicWeb, base: str, number: str) -> OrcidRecord:
        """Ask ORCID for it.

        Raises
        ------
        SourceError
            If it can't be read.
        """
        return cls(await web.read(f"{base}/v3.0/{number}/record", accept="application/json"), number)

    def has(self, code: str) -> bool:
        """Whether the owner put a code into the personal part of the record."""
        return code in orjson.dumps(self.person).decode().casefold()

    def vouched(self, papers: Sequence[Paper]) -> Iterator[tuple[str, str]]:
        """(agency, DOI) of papers that a registration agency added; the DOI is empty for a match by title."""
        known = {doi for paper in papers for doi in _dois(paper)}
        titles = {flat(paper.title) for paper in papers}
        for summary in self._summaries():
            agency = added_by(summary)
            if agency is None:
                continue
            for doi in _own_dois(summary):
                if doi in known:
                    yield agency, doi
            title = _title(summary)
            published = agency == CROSSREF and summary.get("type") in _PUBLISHED
            if published and len(title) >= _LEAST_TITLE and title in titles:
                yield agency, ""

    def lists(self, papers: Sequence[Paper]) -> bool:
        """Whether the record lists one of the papers at all, whoever added it."""
        known = {doi for paper in papers for doi in _dois(paper)}
        titles = {flat(paper.title) for paper in papers}
        return any(
            _title(summary) in titles or not known.isdisjoint(_own_dois(summary))
            for summary in self._summaries()
        )

    def _summaries(self) -> Iterator[dict[str, Any]]:
        for group in self._groups:
            summaries = group.get("work-summary") if isinstance(group, dict) else None
            yield from (entry for entry in summaries or () if isinstance(entry, dict))


def added_by(summary: dict[str, Any]) -> str | None:
    """The registration agency that added a work by itself; None if a person or an unknown system did."""
    source = summary.get("source")
    if not isinstance(source, dict) or source.get("source-orcid"):
        return None
    if source.get("assertion-origin-orcid"):
        return None  # the owner clicked; the agency only recorded it
    if source.get("assertion-origin-name") and not source.get("assertion-origin-client-id"):
        return None
    return _CLIENTS.get(str(_at(source, "source-client-id", "path")))


async def datacite_names(web: PublicWeb, base: str, doi: str, number: str) -> bool:
    """Whether DataCite's metadata for a DOI name an ORCID among the creators.

    DataCite uses one client both for depositors' statements and for owners' clicks, so its entries in a
    record need this check.

    Raises
    ------
    SourceError
        If DataCite can't be asked.
    """
    body = await web.read(f"{base}/dois/{quote(doi, safe='/')}", accept="application/vnd.api+json")
    try:
        creators = orjson.loads(body)["data"]["attributes"]["creators"]
        said = [
            entry["nameIdentifier"] for creator in creators for entry in creator.get("nameIdentifiers", ())
        ]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise SourceError("DataCite's answer is not a record; try again later") from error
    return any(orcid_in(str(identifier)) == number for identifier in said)


def _title(summary: dict[str, Any]) -> str:
    return flat(str(_at(summary, "title", "title", "value") or ""))


def _dois(paper: Paper) -> Iterator[str]:
    if paper.doi:
        yield paper.doi.lower()
    if paper.arxiv_id:
        yield f"10.48550/arxiv.{paper.arxiv_id}".lower()


def _own_dois(summary: dict[str, Any]) -> Iterator[str]:
    """The DOIs of the work itself, not of a larger work or another version; an arXiv id counts as its DOI."""
    ids = _at(summary, "external-ids", "external-id")
    for entry in ids if isinstance(ids, list) else ():
        if not isinstance(entry, dict) or entry.get("external-id-relationship") != "self":
            continue
        value = str(entry.get("external-id-value") or "").strip().lower()
        if entry.get("external-id-type") == "doi":
            yield re.sub(r"^(https?://(dx\.)?doi\.org/|doi:)", "", value)
        elif entry.get("external-id-type") == "arxiv":
            yield "10.48550/arxiv." + value.removeprefix("arxiv:")


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
