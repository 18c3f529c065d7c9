"""The SQL tables of digests: what is posted where and when, what was, and what members thought of it."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class DigestRow(Base):
    """A digest: for a channel, or for a member by direct message."""

    __tablename__ = "digests"

    id: Mapped[int] = mapped_column(primary_key=True)
    guild: Mapped[int] = mapped_column(BigInteger, index=True)
    """0 for one by direct message."""
    channel: Mapped[int] = mapped_column(BigInteger)
    """The channel, or the member for one by direct message."""
    owner: Mapped[int] = mapped_column(BigInteger, index=True)
    """Who set it up, and is told where it fails."""
    name: Mapped[str] = mapped_column(String(80))
    state: Mapped[str] = mapped_column(String(10))
    """``draft``, ``active``, ``paused``, ``broken`` or ``deleted``."""
    why: Mapped[str] = mapped_column(String(300))
    form: Mapped[str] = mapped_column(String(10))
    """``message``, ``thread`` or ``forum``."""
    style: Mapped[str] = mapped_column(String(10))
    """``compact`` or ``full``."""
    picture: Mapped[bool]
    theme: Mapped[str] = mapped_column(String(10), default="", server_default="")
    """``light``; or empty: its owner's theme by direct message, dark in a channel."""
    categories: Mapped[str] = mapped_column(Text)
    query: Mapped[str] = mapped_column(Text)
    people: Mapped[str] = mapped_column(Text)
    """Person numbers with spaces between."""
    followed: Mapped[bool]
    """Whom the server's members follow count as well."""
    require: Mapped[str] = mapped_column(Text)
    exclude: Mapped[str] = mapped_column(Text)
    """Words or phrases, one a line."""
    most: Mapped[int]
    days: Mapped[str] = mapped_column(String(7))
    """``1111100``: Monday to Sunday."""
    at: Mapped[str] = mapped_column(String(5))
    zone: Mapped[str] = mapped_column(String(60))
    """An IANA name; empty in a draft until somebody chooses it."""
    quiet: Mapped[bool]
    """Nothing is posted on a day without papers that fit."""
    made: Mapped[datetime]
    changed: Mapped[datetime]
    """When its state or times were last changed: what was due before counts as done."""
    upto: Mapped[date]
    """The last listing day that was looked through for it."""
    seen: Mapped[int] = mapped_column(default=0)
    """The newest paper's number then: what came in later under an earlier day is looked at, too."""
    left_out: Mapped[str] = mapped_column(Text, default="", server_default="")
    """JSON: papers that it left out since another digest of its place has chosen them; empty for none."""
    news: Mapped[bool] = mapped_column(default=False)
    """Only papers by followed people, on followed topics, and close follow-ups of kept papers."""


class DeliveryRow(Base):
    """One posting of a digest, written before it is posted and marked after."""

    __tablename__ = "deliveries"
    __table_args__ = (UniqueConstraint("digest_id", "slot"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    digest_id: Mapped[int] = mapped_column(ForeignKey("digests.id"))
    slot: Mapped[date]
    """The local day that it is for."""
    due: Mapped[datetime]
    """In UTC."""
    state: Mapped[str] = mapped_column(String(10), index=True)
    """``written``, ``posted``, ``empty`` (nothing fitted, and nothing was said), ``missed`` or ``failed``."""
    upto: Mapped[date | None]
    """The last listing day that it covers."""
    since: Mapped[date | None]
    seen: Mapped[int | None]
    left_out: Mapped[str | None] = mapped_column(Text)
    """What its digest was looked through for before it; None for one of an earlier version, and where
    the next posting covers it instead."""
    read: Mapped[int]
    """Papers looked at, but for those that are known."""
    known: Mapped[int] = mapped_column(default=0, server_default="0")
    """New papers that it learns from, which are not shown again."""
    passed: Mapped[int] = mapped_column(default=0, server_default="0")
    """New papers by people who count that were shown there before, or are not wanted."""
    papers: Mapped[str] = mapped_column(Text)
    """JSON: what is shown, in order."""
    late: Mapped[bool]
    channel: Mapped[int] = mapped_column(BigInteger)
    message: Mapped[int | None] = mapped_column(BigInteger)
    """What was posted; 0 while it isn't known whether Discord took it."""
    tries: Mapped[int]
    tried: Mapped[datetime | None]
    """When Discord first did not take it, since its digest last went on."""
    not_before: Mapped[datetime | None]
    """When it is tried again."""
    why: Mapped[str] = mapped_column(String(300))
    made: Mapped[datetime]
    posted: Mapped[datetime | None]


class NoticeRow(Base):
    """What somebody has yet to be told of a digest; it goes once they are told."""

    __tablename__ = "digest_notices"

    id: Mapped[int] = mapped_column(primary_key=True)
    digest_id: Mapped[int] = mapped_column(ForeignKey("digests.id"), index=True)
    member: Mapped[int] = mapped_column(BigInteger)
    """The digest's owner, or in their stead the server's."""
    kind: Mapped[str] = mapped_column(String(10))
    """``stopped``, ``missed`` (no listing came), ``failed`` (what was given up comes with the next) or
    ``lost`` (it does not)."""
    why: Mapped[str] = mapped_column(String(300))
    made: Mapped[datetime]
    tried: Mapped[datetime | None]
    """When they were first written to, if they were: the message may stand."""
    tries: Mapped[int]


class ShownRow(Base):
    """A paper that was shown in a place, and is not shown there again."""

    __tablename__ = "shown_papers"

    place: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    """The channel, or the member."""
    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    text_hash: Mapped[int] = mapped_column(BigInteger)
    """Of the title and abstract as they were then."""
    day: Mapped[date]


class OpinionRow(Base):
    """What a member thinks of a paper, in a server (0: in direct messages)."""

    __tablename__ = "opinions"
    __table_args__ = (Index("ix_opinions_guild", "guild", "made"),)

    guild: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(8))
    """``like``, ``save``, ``dislike``, or ``skip``: asked, and not answered."""
    channel: Mapped[int] = mapped_column(BigInteger)
    made: Mapped[datetime]


class SeedRow(Base):
    """A paper that a digest was given to learn from."""

    __tablename__ = "digest_seeds"

    digest_id: Mapped[int] = mapped_column(ForeignKey("digests.id"), primary_key=True)
    paper_id: Mapped[int] = mapped_column(ForeignKey("papers.id"), primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    """Where it came from: ``text``, ``file``, ``orcid`` or ``person``."""
    made: Mapped[datetime]


class GreetingRow(Base):
    """A server that Labmate has met, so that it is greeted only once."""

    __tablename__ = "greetings"

    guild: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    state: Mapped[str] = mapped_column(String(10))
    """``begun``, ``sent``, ``refused`` (no way to write) or ``known`` (met before greetings)."""
    place: Mapped[int] = mapped_column(BigInteger)
    """The channel where it is said; 0 for a direct message, and where nothing was said yet."""
    made: Mapped[datetime]


class LeaseRow(Base):
    """Which process may do what only one may do."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    holder: Mapped[str] = mapped_column(String(40))
    until: Mapped[datetime]
