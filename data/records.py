"""The records that sources, store, index and commands exchange."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Self
from urllib.parse import quote

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from data.calendar.arxiv_ids import CATEGORY, split_version
from data.calendar.partial_days import DatedBy
from data.keys import author_hash, clean, name_key, text_hash, title_key

MAX_NAME = 300
MAX_ID = 300
MAX_SHORT = 40
"""Of a source, a category or a listing, which the store's columns hold."""
MAX_TITLE = 5_000
MAX_ABSTRACT = 50_000
MAX_AUTHORS = 10_000
EARLIEST = date(1900, 1, 1)
LATEST = date(2200, 1, 1)

_DEGREES = re.compile(
    r"(?:(?:ph\.?\s?d|m\.?d|[mb]\.?\s?sc?|m\.?p\.?h|m\.?b\.?a|dr|prof|[js]r|i{2,3}|iv|esq)\b\.?[,\s]*)+",
    re.IGNORECASE,
)
"""What remains of "Ada Lovelace, Ph.D." where a source splits names at commas."""
Text = Annotated[str, AfterValidator(clean)]
Short = Annotated[str, Field(max_length=MAX_SHORT)]


class PaperRecord(BaseModel):
    """One paper as one source prints it, validated.

    Raises
    ------
    pydantic.ValidationError
        Where the record is not a paper: no title, no author, impossible dates, or text of absurd length.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: Short
    ids: dict[Annotated[str, Field(max_length=20)], Annotated[str, Field(max_length=MAX_ID)]]
    version: int | None = Field(default=None, ge=1, le=1_000)
    title: Annotated[Text, Field(max_length=MAX_TITLE)]
    abstract: Annotated[Text, Field(max_length=MAX_ABSTRACT)] = ""
    authors: list[str]
    authors_complete: bool = True
    """False where "et al." follows, or where the source lost the authors."""
    authors_also: list[str] = Field(default_factory=list)
    author_ids: list[str | None] = Field(default_factory=list)
    """An id or None for each of ``authors``, where a file has ids; for evaluations."""
    primary_category: Short | None = None
    categories: list[Short] = Field(default_factory=list)
    submitted: date | None = None
    updated: date | None = None
    announced: date | None = None
    dated_by: DatedBy = "day"
    """How much of these days is known."""
    listings: list[tuple[Short, date]] = Field(default_factory=list)
    doi: str | None = None
    journal_ref: Text | None = None
    comment: Text | None = None
    venue: Text | None = None
    withdrawn: bool = False
    provisional: bool = False
    """True while the announcement day is an estimate, which a listing overrules."""

    @field_validator("title")
    @classmethod
    def _title_says_something(cls, title: str) -> str:
        if not title:
            raise ValueError("the title is empty")
        return title

    @field_validator("authors", "authors_also")
    @classmethod
    def _names(cls, names: list[str]) -> list[str]:
        if len(names) > MAX_AUTHORS:
            raise ValueError(f"{len(names)} authors")
        cleaned = [name for name in map(clean, names) if name and not _DEGREES.fullmatch(name)]
        for name in cleaned:
            if len(name) > MAX_NAME:
                raise ValueError(f"an author's name of {len(name)} characters")
        return cleaned

    @field_validator("ids")
    @classmethod
    def _ids(cls, ids: dict[str, str]) -> dict[str, str]:
        return {scheme: value.replace("\0", "") for scheme, value in ids.items()}  # PostgreSQL takes none

    @field_validator("doi")
    @classmethod
    def _doi(cls, doi: str | None) -> str | None:
        return doi.replace("\0", "") if doi else doi

    @field_validator("categories")
    @classmethod
    def _categories(cls, categories: list[str]) -> list[str]:
        for category in categories:
            if not CATEGORY.match(category):
                raise ValueError(f"no category: {category[:40]!r}")
        return list(dict.fromkeys(categories))

    @field_validator("submitted", "updated", "announced")
    @classmethod
    def _plausible(cls, day: date | None) -> date | None:
        if day is not None and not EARLIEST <= day <= LATEST:
            raise ValueError(f"no plausible date: {day}")
        return day

    @model_validator(mode="after")
    def _whole(self) -> PaperRecord:
        arxiv = self.ids.get("arxiv")
        # A listing may lack the authors; with an arXiv id, another source will supply them.
        if not self.authors and arxiv is None and "file" not in self.ids:
            raise ValueError("no author")
        if arxiv is not None and split_version(arxiv) != (arxiv, None):
            raise ValueError(f"no arXiv id: {arxiv[:40]!r}")
        return self

    # -- keys that a batch is matched by ----------------------------------------------------------

    @cached_property
    def title_key(self) -> int:
        """:func:`data.keys.title_key` of the title."""
        return title_key(self.title)

    @cached_property
    def first_author(self) -> int:
        """:func:`data.keys.author_hash` of the first author."""
        return author_hash(*self.authors[:1])

    @cached_property
    def text_hash(self) -> int:
        """:func:`data.keys.text_hash` of title and abstract."""
        return text_hash(self.title, self.abstract)

    @cached_property
    def author_keys(self) -> list[str]:
        """:func:`data.keys.name_key` of each author."""
        return list(map(name_key, self.authors))

    def compute_keys(self) -> None:
        """Compute the keys now; they are kept, also where the record is pickled."""
        self.title_key, self.first_author, self.text_hash, self.author_keys  # noqa: B018

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with other values, and so with keys of its own."""
        copied = super().model_copy(update=update, deep=deep)
        for key in ("title_key", "first_author", "text_hash", "author_keys"):
            copied.__dict__.pop(key, None)
        return copied


@dataclass(frozen=True, slots=True)
class Deletion:
    """A source says that a paper is gone (OAI-PMH's deleted record)."""

    scheme: str
    value: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """An entry of a source that could not become a record."""

    where: str
    reason: str
    excerpt: str


class WorkText(NamedTuple):
    """What the word index reads of a work."""

    id: int
    title: str
    abstract: str
    former_titles: tuple[str, ...]
    names: tuple[str, ...]
    """The authors' names as printed."""


@dataclass(frozen=True, slots=True)
class Author:
    """An author's name as printed on one paper."""

    key: str
    name: str
    listed: bool = True
    """False where the source names this person as an author without giving the position."""


@dataclass(frozen=True, slots=True)
class Paper:
    """One work as the store holds it."""

    id: int
    title: str
    abstract: str
    authors: tuple[Author, ...]
    authors_complete: bool
    version: int | None
    primary_category: str | None
    categories: tuple[str, ...]
    submitted: date | None
    updated: date | None
    announced: date | None
    doi: str | None
    journal_ref: str | None
    comment: str | None
    venue: str | None
    withdrawn: bool
    arxiv_id: str | None
    dated_by: DatedBy = "day"
    former_titles: tuple[str, ...] = ()
    acl_id: str | None = None
    """Its id in the ACL Anthology, as the site writes it, where it has no arXiv id."""

    @property
    def names(self) -> tuple[str, ...]:
        """The authors' names as printed."""
        return tuple(author.name for author in self.authors)

    @property
    def day(self) -> date | None:
        """The day to show and sort by: announced, else submitted, else updated."""
        return self.announced or self.submitted or self.updated

    @property
    def url(self) -> str | None:
        """Where the paper can be read, or None where no identifier is known."""
        if self.arxiv_id:
            return f"https://arxiv.org/abs/{self.arxiv_id}"
        if self.doi:
            return f"https://doi.org/{quote(self.doi, safe='/:;')}"
        return self.acl_url

    @property
    def acl_url(self) -> str | None:
        """Its page in the ACL Anthology, where it has no arXiv id."""
        return f"https://aclanthology.org/{self.acl_id}/" if self.acl_id else None


def paper_of(
    row: Mapping[str, Any], authors: Iterable[Author], former: Iterable[str], acl_id: str | None = None
) -> Paper:
    """Make a paper from its row in the store, its authors in order and its former titles."""
    return Paper(
        **{name: row[name] for name in _ROW_FIELDS},
        authors=tuple(authors),
        categories=tuple(row["categories"].split()),
        former_titles=tuple(former),
        acl_id=acl_id,
    )


_NOT_IN_ROW = ("authors", "categories", "former_titles", "acl_id")
_ROW_FIELDS = [f.name for f in fields(Paper) if f.name not in _NOT_IN_ROW]


@dataclass(slots=True)
class Changes:
    """The effect of one batch on the store."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    touched: list[WorkText] = field(default_factory=list)
    """The works whose row changed, in their new state."""
    gone: list[int] = field(default_factory=list)
    """Store ids of works that were merged into another."""
    stamp: int = 0
    """The number of this batch, where it changed anything."""
    ids: list[int] = field(default_factory=list)
    """The store id of each item of the batch, in order (0 where it has none)."""
