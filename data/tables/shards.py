"""The SQL tables of a Labmate in several processes: who holds which shard, and who answers what."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class ShardRow(Base):
    """A shard of the gateway, the process that is connected for it, and the one that follows."""

    __tablename__ = "shards"

    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    of: Mapped[int]
    """How many shards there are."""
    holder: Mapped[str] = mapped_column(String(40))
    until: Mapped[datetime]
    """When the holder counts as gone, by the database's clock; it renews this while it lives."""
    follower: Mapped[str] = mapped_column(String(40), default="", server_default="")
    """A process that is about to take the shard over; empty where there is none."""
    follower_until: Mapped[datetime | None]
    shared: Mapped[bool] = mapped_column(default=False)
    """The holder knows of its follower, and takes no event before asking whether the other did."""


class TakenEventRow(Base):
    """An event that reached two processes while a shard was handed over: one of them took it."""

    __tablename__ = "taken_events"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Discord's id of the interaction or the message."""
    made: Mapped[datetime]
