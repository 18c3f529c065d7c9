"""The SQL tables of papers and people. SQL is the truth: both indexes can be rebuilt from it."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, Float, ForeignKey, Index, String, Text, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """All tables of Labmate."""


_BY_KEY: dict[str, object] = {"sqlite_with_rowid": False}
"""SQLite stores the rows in key order (``WITHOUT ROWID``), and every index entry ends with the key."""


def _present(name: str, column: str) -> Index:
    """An index of the few rows that have a value in this column."""
    given = text(f"{column} IS NOT NULL")
    return Index(name, column, sqlite_where=given, postgresql_where=given)


class PaperRow(Base):
    """A work, in the form its best source prints it."""

    __tablename__ = "papers"
    __table_args__ = (
        Index("papers_by_title", "title_key", "arxiv_id"),
        Index("papers_by_first_author", "first_author", "arxiv_id"),
        _present("papers_by_merged", "merged_into"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(String(40))
    version: Mapped[int | None]
    title: Mapped[str] = mapped_column(Text)
    title_key: Mapped[int] = mapped_column(BigInteger)
    abstract: Mapped[str] = mapped_column(Text)
    text_hash: Mapped[int] = mapped_column(BigInteger)
    authors_complete: Mapped[bool]
    first_author: Mapped[int] = mapped_column(BigInteger)
    primary_category: Mapped[str | None] = mapped_column(String(40))
    categories: Mapped[str] = mapped_column(Text)
    """Separated by spaces, primary first where it is known."""
    submitted: Mapped[date | None]
    updated: Mapped[date | None]
    announced: Mapped[date | None] = mapped_column(index=True)
    dated_by: Mapped[str] = mapped_column(String(5), default="day", server_default="day")
    """How much of these days is known: ``day``, ``month`` or ``year``."""
    provisional: Mapped[bool]
    """True while the announcement day is an estimate."""
    doi: Mapped[str | None] = mapped_column(Text)
    journal_ref: Mapped[str | None] = mapped_column(Text)
    comment: Mapped[str | None] = mapped_column(Text)
    venue: Mapped[str | None] = mapped_column(Text)
    withdrawn: Mapped[bool]
    arxiv_id: Mapped[str | None] = mapped_column(String(40), unique=True)
    merged_into: Mapped[int | None] = mapped_column(ForeignKey("papers.id"))
    """Set where two rows turned out to be one work, so that old buttons still find it.

    It is the work's present row, never one that was merged itself."""
    changed: Mapped[int] = mapped_column(BigInteger, index=True)
    """The number of the batch that last changed this row; the word index follows it."""


class PaperIdRow(Base):
    """An identifier of a work in some scheme (arxiv, doi, openalex, ...)."""

    __tablename__ = "paper_ids"
    __table_args__ = _BY_KEY

    scheme: Mapped[str] = mapped_column(String(20), primary_key=True)
    value: Mapped[str] = mapped_column(String(300), primary_key=True)
    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), index=True)


class FormerTitleRow(Base):
    """A title that a work had in another version or source."""

    __tablename__ = "former_titles"

    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    title_key: Mapped[int] = mapped_column(BigInteger, primary_key=True, index=True)
    title: Mapped[str] = mapped_column(Text)


class AuthorRow(Base):
    """A name's key and one printed form of it."""

    __tablename__ = "authors"

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(String(300), unique=True)
    name: Mapped[str] = mapped_column(String(300))


class AuthorshipRow(Base):
    """An author's place on a paper, with the name as printed there."""

    __tablename__ = "authorships"
    __table_args__ = (Index("authorships_by_author", "author_id", "paper_id"), _BY_KEY)

    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    author_id: Mapped[int] = mapped_column(ForeignKey("authors.id"))
    name: Mapped[str] = mapped_column(String(300))
    listed: Mapped[bool]
    """False for someone known to be an author at an unknown position."""


class ListingRow(Base):
    """A paper's appearance in a day's listing of a category."""

    __tablename__ = "listings"
    __table_args__ = (Index("listings_by_day", "day", "list"), _BY_KEY)

    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    list: Mapped[str] = mapped_column(String(40), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)


class RunRow(Base):
    """One ingest run and its counts."""

    __tablename__ = "ingest_runs"

    id: Mapped[int] = mapped_column(primary_key=True)
    source: Mapped[str] = mapped_column(String(40))
    scope: Mapped[str] = mapped_column(Text)
    """The scope of the run: a file's name, or category and dates."""
    since: Mapped[date | None]
    started: Mapped[datetime]
    finished: Mapped[datetime | None]
    read: Mapped[int] = mapped_column(default=0)
    added: Mapped[int] = mapped_column(default=0)
    updated: Mapped[int] = mapped_column(default=0)
    unchanged: Mapped[int] = mapped_column(default=0)
    refused: Mapped[int] = mapped_column(default=0)


class RefusedRow(Base):
    """A refused record: the reason, and enough of it to look at."""

    __tablename__ = "refused_records"
    __table_args__ = (UniqueConstraint("source", "fingerprint"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("ingest_runs.id"))
    source: Mapped[str] = mapped_column(String(40))
    fingerprint: Mapped[int] = mapped_column(BigInteger)
    place: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(Text)
    excerpt: Mapped[str] = mapped_column(Text)


class KeptTextRow(Base):
    """A text too long for a button, under the number that the button carries."""

    __tablename__ = "kept_texts"

    id: Mapped[int] = mapped_column(primary_key=True)
    fingerprint: Mapped[int] = mapped_column(BigInteger, unique=True)
    text: Mapped[str] = mapped_column(Text)
    kept: Mapped[datetime | None]
    """When somebody last typed it."""


class PersonRow(Base):
    """A person, as told apart by evidence; the id survives later passes."""

    __tablename__ = "people"
    __table_args__ = (
        _present("people_by_merged", "merged_into"),
        _present("people_by_next_merged", "next_merged"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(300))
    """The most frequent form."""
    papers: Mapped[int]
    merged_into: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    """Set where a later pass found this to be another person, so that old buttons still work."""
    since: Mapped[int] = mapped_column(default=0, server_default="0")
    """The first generation with this person."""
    next_since: Mapped[int | None]
    """The first generation in which the next two fields hold; NULL where nothing will change."""
    next_name: Mapped[str | None] = mapped_column(String(300))
    next_merged: Mapped[int | None]


class SequenceRow(Base):
    """The last number taken from a sequence."""

    __tablename__ = "sequences"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    last: Mapped[int]


class GenerationRow(Base):
    """One row: the generation of people and memberships that readers see."""

    __tablename__ = "people_generation"

    id: Mapped[int] = mapped_column(primary_key=True)
    current: Mapped[int]
    unsettled: Mapped[bool]
    """Whether rows of an earlier generation or a draft may be left to clear away."""
    numbered: Mapped[int]
    """The highest number given to a person, written or not."""


class MembershipRow(Base):
    """The person behind an authorship, the confidence, and their paper that supports it most.

    A row holds in the generations from ``since`` on, before ``until``.
    """

    __tablename__ = "memberships"
    __table_args__ = (
        Index("memberships_by_person", "person_id", "paper_id"),
        Index("memberships_by_author", "author_id", "person_id", "until"),
        _BY_KEY,
    )

    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    since: Mapped[int] = mapped_column(primary_key=True)
    until: Mapped[int]
    judged: Mapped[bool]
    """Whether a full pass (or a person) judged it; False while a new paper is only placed among people."""
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    confidence: Mapped[float] = mapped_column(Float)
    support: Mapped[int | None]
    """The store id of the paper that supports it most."""
    author_id: Mapped[int] = mapped_column(ForeignKey("authors.id"))
    """The judged name; if the paper prints another one by now, it needs a new judgement."""


class IdentityPassRow(Base):
    """A finished pass over who is who."""

    __tablename__ = "identity_passes"

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    """``full``, ``new`` for the names of new papers only, ``word`` for a correction, or ``stale`` for a full
    pass that applied every server's corrections for everybody."""
    finished: Mapped[datetime]
    upto: Mapped[int] = mapped_column(BigInteger)
    """The last batch of papers that it knew."""
    corrections: Mapped[int]
    """The newest correction that it knew."""
    authorships: Mapped[int]
    people: Mapped[int]


class CorrectionRow(Base):
    """A correction of two authorships by somebody who knows better than the evidence; it outlives passes."""

    __tablename__ = "corrections"
    __table_args__ = (
        Index("corrections_by_guild", "guild", "made"),
        Index("corrections_by_maker", "made_by", "made"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    """``same`` or ``apart``: one person's authorships, or two people's."""
    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"))
    author_id: Mapped[int] = mapped_column(ForeignKey("authors.id"))
    other_paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"))
    other_author_id: Mapped[int] = mapped_column(ForeignKey("authors.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    """The person it is about."""
    made: Mapped[datetime]
    made_by: Mapped[int] = mapped_column(BigInteger)
    made_by_name: Mapped[str] = mapped_column(String(100))
    guild: Mapped[int | None] = mapped_column(BigInteger)
    note: Mapped[str] = mapped_column(Text)
    """The correction in words."""
    moved: Mapped[str] = mapped_column(Text)
    """JSON: the authorships that changed hands, and those they were told apart from."""
    undone: Mapped[datetime | None]
    undone_by: Mapped[int | None] = mapped_column(BigInteger)
    undone_by_name: Mapped[str | None] = mapped_column(String(100))
    authority: Mapped[str] = mapped_column(String(10), default="server", server_default="server")
    """The authority: ``server`` (it holds only in ``guild``), ``holder`` or ``operator`` (it holds for all);
    ``before`` for older corrections, which count as a server's until the operator is known."""
    claim: Mapped[int | None] = mapped_column(BigInteger)
    """The claim of the holder who made it."""


class FactRow(Base):
    """A source's facts about a paper or person, with their date."""

    __tablename__ = "facts"

    subject: Mapped[str] = mapped_column(String(10), primary_key=True)
    """``paper``, ``person`` or ``author`` (an authorship, as ``paper:position``)."""
    subject_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    source: Mapped[str] = mapped_column(String(20), primary_key=True)
    fetched: Mapped[datetime]
    value: Mapped[str] = mapped_column(Text)
    """JSON; an empty object where the source knows nothing."""


class BudgetRow(Base):
    """The cost of a day's requests to a source with a daily budget."""

    __tablename__ = "budgets"

    source: Mapped[str] = mapped_column(String(20), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    spent: Mapped[int]
    """In units of the source's own account; ten-thousandths of a dollar for OpenAlex."""
