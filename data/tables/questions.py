"""The SQL table of questions asked in a thread or a direct message whose subject is kept."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class AskedQuestionRow(Base):
    """A question that somebody asked where the next one may refer to it."""

    __tablename__ = "asked_questions"

    id: Mapped[int] = mapped_column(primary_key=True)
    place: Mapped[int] = mapped_column(BigInteger, index=True)
    """The thread or direct message where it was asked."""
    member: Mapped[int] = mapped_column(BigInteger, index=True)
    """Who asked."""
    question: Mapped[str] = mapped_column(Text)
    """As it was typed."""
    about: Mapped[str] = mapped_column(String(400))
    """The words of its subject, which ``it`` and ``they`` of the next question mean."""
    limits: Mapped[str] = mapped_column(String(200))
    """The paper, first day and category that the answer was limited to, as JSON."""
    papers: Mapped[str] = mapped_column(String(200))
    """The numbers of the papers quoted, in the reply's order, as JSON."""
    made: Mapped[datetime]
