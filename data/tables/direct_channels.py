"""The SQL table of direct message channels: Discord counts how often one is opened."""

from __future__ import annotations

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class DirectChannelRow(Base):
    """The channel of direct messages with a member, which stays the same for good."""

    __tablename__ = "direct_channels"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    channel: Mapped[int] = mapped_column(BigInteger)
