"""OpenAlex: citations, venues, affiliations, ORCIDs and h-indices, batched by ids, within a daily budget.

https://developers.openalex.org: a key is required; looking one record up is free, a page of a list costs
$0.0001; at most 100 requests a second; 429 where the day's allowance is spent.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import quote

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from data.sources.http import PoliteClient, SourceError

LIST_COST = 1
"""Ten-thousandths of a dollar."""
BATCH = 50
PAGE = 100
MOST_PAGES = 20
INTERVAL = 0.011
PATIENCE = 30.0
"""Seconds for a request: members wait for it when they prove a claim, and Discord waits for 15 minutes."""
_ARXIV_DOI = "10.48550/arxiv."
_WORK_FIELDS = "id,doi,title,cited_by_count,authorships,primary_location,concepts,topics"
Spend = Callable[[int], Awaitable[None]]
"""Called with the cost before a paid request; raises :class:`BudgetSpentError` where the budget is spent."""


class BudgetSpentError(SourceError):
    """The day's budget does not allow the request, so none was sent."""


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class WorkAuthor(_Lenient):
    """An author as OpenAlex has them on a work."""

    name: str
    id: str | None = None
    orcid: str | None = None
    affiliations: list[str] = []
    rors: list[str] = []


class WorkFacts(_Lenient):
    """OpenAlex's facts about a work."""

    id: str
    doi: str | None = None
    title: str = ""
    cited_by: int | None = None
    venue: str | None = None
    concepts: list[str] = []
    authors: list[WorkAuthor] = []


class AuthorFacts(_Lenient):
    """OpenAlex's facts about an author."""

    id: str
    name: str
    orcid: str | None = None
    works: int | None = None
    cited_by: int | None = None
    h_index: int | None = None
    affiliation: str | None = None
    ror: str | None = None
    concepts: list[str] = []


class OpenAlex:
    """A client for OpenAlex.

    Parameters
    ----------
    spend
        Accounts for the cost of lists; looking up one record is free.

    Raises
    ------
    SourceError
        From every method, where OpenAlex can't be reached or refuses; the key is never in the message.
    """

    def __init__(self, url: str, key: str, spend: Spend, client: PoliteClient | None = None) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._spend = spend
        self._client = client or PoliteClient(interval=INTERVAL, attempts=4, patience=PATIENCE)

    async def close(self) -> None:
        """Close the connection."""
        await self._client.close()

    async def works(self, arxiv_ids: Sequence[str]) -> AsyncIterator[tuple[str, WorkFacts]]:
        """(arXiv id, facts) of the works, batch by batch; ids that OpenAlex does not know are left out."""
        for start in range(0, len(arxiv_ids), BATCH):
            part = arxiv_ids[start : start + BATCH]
            wanted = {_ARXIV_DOI + arxiv_id.lower(): arxiv_id for arxiv_id in part}
            filter_ = "doi:" + "|".join(wanted)
            async for item in self._list("works", {"filter": filter_, "select": _WORK_FIELDS}):
                facts = _work(item)
                arxiv_id = (
                    wanted.get((facts.doi or "").lower().removeprefix("https://doi.org/")) if facts else None
                )
                if facts is not None and arxiv_id is not None:
                    yield arxiv_id, facts

    async def author(self, author_id: str) -> AuthorFacts | None:
        """One author by OpenAlex id (``A5012345678``); None where it does not exist."""
        return _author(await self._one(f"authors/{quote(author_id, safe='')}"))

    async def work(self, arxiv_id: str) -> WorkFacts | None:
        """One work by arXiv id, free of charge; None where OpenAlex does not know it."""
        doi = quote(_ARXIV_DOI + arxiv_id.lower(), safe="/.:")
        return _work(await self._one(f"works/doi:{doi}", {"select": _WORK_FIELDS}))

    async def institution(self, ror: str) -> str | None:
        """The home page of an institution by its ROR, free of charge; None where there is none."""
        record = await self._one(f"institutions/ror:{quote(ror.rstrip('/').rpartition('/')[2], safe='')}")
        page = record.get("homepage_url") if record else None
        return page if isinstance(page, str) else None

    async def _one(self, path: str, params: dict[str, str] | None = None) -> Any:
        body = await self._get(path, params or {}, frozenset({404}))
        record = _json(body)
        return record if isinstance(record, dict) and "id" in record else None

    async def _list(self, path: str, params: dict[str, str]) -> AsyncIterator[Any]:
        cursor: str | None = "*"
        for _ in range(MOST_PAGES):
            if not cursor:
                return
            await self._spend(LIST_COST)
            answer = _json(await self._get(path, {**params, "per_page": str(PAGE), "cursor": cursor}))
            results = answer.get("results") if isinstance(answer, dict) else None
            if not isinstance(results, list):
                raise SourceError(f"{self._url}/{path} answered without results")
            for item in results:
                yield item
            meta = answer.get("meta")
            following = meta.get("next_cursor") if isinstance(meta, dict) else None
            cursor = following if results and following != cursor else None

    async def _get(self, path: str, params: dict[str, str], accept: frozenset[int] = frozenset()) -> str:
        return await self._client.get(f"{self._url}/{path}", {**params, "api_key": self._key}, accept=accept)


def _json(body: str) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _work(item: Any) -> WorkFacts | None:
    """The facts of a work from the API; None where it isn't a work."""
    if not isinstance(item, dict):
        return None
    authors = []
    for authorship in _dicts(item.get("authorships")):
        author = authorship.get("author")
        author = author if isinstance(author, dict) else {}
        institutions = _dicts(authorship.get("institutions"))
        authors.append(
            {
                "name": author.get("display_name") or authorship.get("raw_author_name") or "?",
                "id": _short(author.get("id")),
                "orcid": _short(author.get("orcid")),
                "affiliations": [
                    i["display_name"] for i in institutions if isinstance(i.get("display_name"), str)
                ],
                "rors": [i["ror"] for i in institutions if isinstance(i.get("ror"), str)],
            }
        )
    location = item.get("primary_location")
    source = location.get("source") if isinstance(location, dict) else None
    values = {
        "id": _short(item.get("id")),
        "doi": item.get("doi"),
        "title": item.get("title") or "",
        "cited_by": item.get("cited_by_count"),
        "venue": source.get("display_name") if isinstance(source, dict) else None,
        "concepts": _named(item.get("topics")) or _named(item.get("concepts")),
        "authors": authors,
    }
    try:
        return WorkFacts.model_validate(values)
    except ValidationError:
        return None


def _author(item: Any) -> AuthorFacts | None:
    if not isinstance(item, dict):
        return None
    stats = item.get("summary_stats")
    places = _dicts(item.get("last_known_institutions"))
    values = {
        "id": _short(item.get("id")),
        "name": item.get("display_name"),
        "orcid": _short(item.get("orcid")),
        "works": item.get("works_count"),
        "cited_by": item.get("cited_by_count"),
        "h_index": stats.get("h_index") if isinstance(stats, dict) else None,
        "affiliation": places[0].get("display_name") if places else None,
        "ror": places[0].get("ror") if places else None,
        "concepts": _named(item.get("topics")) or _named(item.get("x_concepts")),
    }
    try:
        return AuthorFacts.model_validate(values)
    except ValidationError:
        return None


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _named(value: Any) -> list[str]:
    return [e["display_name"] for e in _dicts(value)[:5] if isinstance(e.get("display_name"), str)]


def _short(value: Any) -> str | None:
    """The last part of an id that OpenAlex gives as a URL."""
    return value.rstrip("/").rpartition("/")[2] or None if isinstance(value, str) else None
