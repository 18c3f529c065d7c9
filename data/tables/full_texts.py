"""The SQL tables of papers' full texts, which can be read again from arXiv when they are gone."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class FullTextRow(Base):
    """A paper whose full text was read, or could not be."""

    __tablename__ = "full_texts"

    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    version: Mapped[int | None]
    """arXiv's version; NULL where the paper's newest version was not known."""
    form: Mapped[str] = mapped_column(String(10))
    """``pdf`` or ``html``; empty where it could not be read."""
    refused: Mapped[str] = mapped_column(Text)
    """Why it could not be read; empty where it was."""
    pages: Mapped[int]
    """0 where it has none."""
    model: Mapped[str] = mapped_column(String(64))
    """The checksum of the model that made the vectors; empty where there are none."""
    fetched: Mapped[datetime]
    used: Mapped[datetime] = mapped_column(index=True)
    """When somebody last asked about it; the texts that were longest unused go first."""


class PassageRow(Base):
    """A passage of a full text."""

    __tablename__ = "passages"

    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 0, in the order of reading."""
    section: Mapped[str] = mapped_column(String(300))
    """The title of its section, or ``Figure 3`` for a caption; empty where it has none."""
    page: Mapped[int | None]
    text: Mapped[str] = mapped_column(Text)
    vector: Mapped[bytes | None] = mapped_column(LargeBinary)
    """float16, of unit length; NULL where the model could not be loaded."""
