"""The SQL tables of cards below posted links: which servers want them, and which were posted lately."""

from __future__ import annotations

from datetime import date

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class LinkServerRow(Base):
    """A server whose managers switched the cards on."""

    __tablename__ = "link_servers"

    guild: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)


class LinkCardRow(Base):
    """A paper whose card a channel had on a day. Who posted the link, and its message, are not kept."""

    __tablename__ = "link_cards"

    channel: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    paper_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(primary_key=True, index=True)
    """In UTC."""
