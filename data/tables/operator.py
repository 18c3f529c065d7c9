"""The SQL tables of the operator: bans, allowed servers, and the audit log."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class BanRow(Base):
    """A member or a server that may not use this Labmate."""

    __tablename__ = "bans"

    kind: Mapped[str] = mapped_column(String(8), primary_key=True)
    """``member`` or ``server``."""
    target: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    made_by: Mapped[int] = mapped_column(BigInteger)
    """The operator's Discord id; 0 from the command line."""
    reason: Mapped[str] = mapped_column(String(300))
    made: Mapped[datetime]


class AllowedServerRow(Base):
    """A server that may use this Labmate; without any row, every server may."""

    __tablename__ = "allowed_servers"

    guild: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    made_by: Mapped[int] = mapped_column(BigInteger)
    made: Mapped[datetime]


class AuditRow(Base):
    """One decision about people or about who may use this Labmate; never changed, never deleted."""

    __tablename__ = "audit"

    id: Mapped[int] = mapped_column(primary_key=True)
    made: Mapped[datetime]
    actor: Mapped[int] = mapped_column(BigInteger)
    """A member's Discord id; 0 for the command line, or for Labmate itself."""
    action: Mapped[str] = mapped_column(String(40))
    """Such as ``correction.undo`` or ``ban.server``."""
    subject: Mapped[str] = mapped_column(String(200))
    """Such as ``correction 12``."""
    detail: Mapped[str] = mapped_column(Text)
    guild: Mapped[int | None] = mapped_column(BigInteger)
    """The server where it was decided; None outside of servers."""
