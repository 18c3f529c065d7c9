"""The SQL table of what members chose for themselves."""

from __future__ import annotations

from sqlalchemy import BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class MemberSettingsRow(Base):
    """How a member wants Labmate's answers."""

    __tablename__ = "member_settings"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    theme: Mapped[str] = mapped_column(String(10))
    """``dark`` or ``light``: the colours of pictures."""
