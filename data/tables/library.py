"""The SQL tables of members' libraries, servers' lists, and feeds."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class LibraryRow(Base):
    """A work in a member's library: a paper of the store, or another one from an imported file."""

    __tablename__ = "shelf"  # as databases have called it since 0006
    __table_args__ = (
        UniqueConstraint("member", "paper_id"),
        Index("ix_shelf_member", "member", "made"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger)
    paper_id: Mapped[int | None] = mapped_column(ForeignKey("papers.id"))
    record: Mapped[str] = mapped_column(Text)
    """CSL-JSON, where the store does not have the paper."""
    state: Mapped[str] = mapped_column(String(8))
    """``unread``, ``reading`` or ``read``."""
    note: Mapped[str] = mapped_column(Text)
    tags: Mapped[str] = mapped_column(Text)
    """One per line, in order."""
    made: Mapped[datetime]
    changed: Mapped[datetime]
    gone: Mapped[datetime | None]
    """When it was removed; it can be put back for a day."""


class ListRow(Base):
    """A server's shared list."""

    __tablename__ = "lists"
    __table_args__ = (UniqueConstraint("guild", "key"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    guild: Mapped[int] = mapped_column(BigInteger)
    key: Mapped[str] = mapped_column(String(80))
    """The folded name, for look-ups."""
    name: Mapped[str] = mapped_column(String(80))
    owner: Mapped[int] = mapped_column(BigInteger, index=True)
    made: Mapped[datetime]


class ListPaperRow(Base):
    """A paper on a shared list."""

    __tablename__ = "list_papers"

    list_id: Mapped[int] = mapped_column(ForeignKey("lists.id"), primary_key=True)
    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger, index=True)
    """Who put it there."""
    made: Mapped[datetime]


class FeedRow(Base):
    """A secret address that serves a digest, a list or a library as Atom."""

    __tablename__ = "feeds"
    __table_args__ = (UniqueConstraint("kind", "target"),)

    token: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))
    """``digest``, ``list`` or ``library``."""
    target: Mapped[int] = mapped_column(BigInteger)
    """The digest's or list's number, or the member's."""
    member: Mapped[int] = mapped_column(BigInteger, index=True)
    """The member who asked for it."""
    made: Mapped[datetime]
