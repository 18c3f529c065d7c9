"""The SQL tables of members: what they follow, claim, say of themselves, and whom they invite."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class FollowRow(Base):
    """What a member wants news of."""

    __tablename__ = "follows"
    __table_args__ = (UniqueConstraint("member", "kind", "target"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(String(10))
    """``person``, ``paper``, ``topic`` or ``category``."""
    target: Mapped[str] = mapped_column(String(200), index=True)
    """A person's or paper's number, a topic in lower case, or a category."""
    shown: Mapped[str] = mapped_column(String(300))
    """How the member knows it."""
    guild: Mapped[int | None] = mapped_column(BigInteger)
    """The server from which it was followed: a person is who they are there."""
    made: Mapped[datetime]


class DismissalRow(Base):
    """Somebody who is not to be suggested to a member again."""

    __tablename__ = "dismissals"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), primary_key=True)
    made: Mapped[datetime]


class ClaimRow(Base):
    """A member who says to be a person; held once proven."""

    __tablename__ = "claims"

    id: Mapped[int] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger, index=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    guild: Mapped[int | None] = mapped_column(BigInteger)
    """Where it was made."""
    code: Mapped[str] = mapped_column(String(40))
    made: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(10))
    """``open``, ``held`` or ``ended``."""
    level: Mapped[int]
    proof: Mapped[str] = mapped_column(String(10))
    """``page``, ``orcid`` or ``vouch``; empty while open."""
    where: Mapped[str] = mapped_column(Text)
    """The page or ORCID that holds the code."""
    checked: Mapped[datetime | None]
    ended: Mapped[datetime | None]
    why_ended: Mapped[str] = mapped_column(String(200))
    holder: Mapped[int | None] = mapped_column(BigInteger, unique=True)
    """The member while the claim is held: a member holds one person."""
    held_person: Mapped[int | None] = mapped_column(unique=True)
    """The person while the claim is held: a person is held by one member. Empty for a claim that members vouched
    for, which holds in its server alone."""


class VouchRow(Base):
    """A claimed member's word for an open claim."""

    __tablename__ = "vouches"

    claim_id: Mapped[int] = mapped_column(ForeignKey("claims.id"), primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    guild: Mapped[int] = mapped_column(BigInteger)
    made: Mapped[datetime]


class ProfileRow(Base):
    """What a claimed member says of themselves."""

    __tablename__ = "profiles"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    status: Mapped[str] = mapped_column(String(20))
    """``open``, ``busy``, ``hiring``, ``looking`` or empty."""
    seeking: Mapped[str] = mapped_column(Text)
    offering: Mapped[str] = mapped_column(Text)
    link: Mapped[str] = mapped_column(Text)
    time_zone: Mapped[str] = mapped_column(String(60))
    public: Mapped[bool]
    """Shown to everybody, or to claimed members alone."""
    changed: Mapped[datetime]


class ServerMemberRow(Base):
    """A member who has a claim, or follows something, and used Labmate in a server."""

    __tablename__ = "server_members"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    guild: Mapped[int] = mapped_column(BigInteger, primary_key=True)


class InvitationRow(Base):
    """One member's wish to work with another, and how far it came."""

    __tablename__ = "invitations"
    __table_args__ = (Index("ix_invitations_guild", "guild", "made"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    sender: Mapped[int] = mapped_column(BigInteger, index=True)
    recipient: Mapped[int] = mapped_column(BigInteger, index=True)
    sender_person: Mapped[int] = mapped_column(ForeignKey("people.id"))
    recipient_person: Mapped[int] = mapped_column(ForeignKey("people.id"))
    guild: Mapped[int] = mapped_column(BigInteger)
    channel: Mapped[int] = mapped_column(BigInteger)
    """Where it was made; its thread is made there."""
    about: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(10))
    open_pair: Mapped[str | None] = mapped_column(String(50), unique=True)
    """The two members while it is open: there is one between two."""
    told: Mapped[str] = mapped_column(String(10))
    told_channel: Mapped[int | None] = mapped_column(BigInteger)
    told_message: Mapped[int | None] = mapped_column(BigInteger)
    answered: Mapped[datetime | None]
    thread: Mapped[int | None] = mapped_column(BigInteger)
    opened: Mapped[bool]


class BlockRow(Base):
    """Somebody of whom a member wants no invitations."""

    __tablename__ = "blocks"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    other: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    made: Mapped[datetime]


class OwnWorkRow(Base):
    """What a member took over from a CV: a publication that is not among the papers, a position, an interest."""

    __tablename__ = "own_works"

    id: Mapped[int] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger, index=True)
    kind: Mapped[str] = mapped_column(String(12))
    """``work``, ``education``, ``position`` or ``interest``."""
    state: Mapped[str] = mapped_column(String(10))
    """``read`` until the member confirms it, then ``kept``."""
    text: Mapped[str] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(Text)
    """Venue, year and whether it is in submission, as JSON."""
    paper_id: Mapped[int | None]
    """The known paper that it is, if it is one."""
    made: Mapped[datetime]


class MailCodeRow(Base):
    """A one-time code that was mailed for a claim; neither code nor address is kept."""

    __tablename__ = "mail_codes"

    claim_id: Mapped[int] = mapped_column(ForeignKey("claims.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the claim's number and the code."""
    domain: Mapped[str] = mapped_column(String(255))
    made: Mapped[datetime]
    tries: Mapped[int]
    sent: Mapped[int]
    """Codes sent since ``since``, which is when a day of them began."""
    since: Mapped[datetime]


class ClaimContestRow(Base):
    """A member's word that a held claim is wrong, until a manager settles it."""

    __tablename__ = "claim_contests"

    id: Mapped[int] = mapped_column(primary_key=True)
    claim_id: Mapped[int] = mapped_column(ForeignKey("claims.id"), index=True)
    member: Mapped[int] = mapped_column(BigInteger)
    guild: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(10))
    """``open``, ``upheld`` (the claim ended) or ``dismissed``."""
    settled_by: Mapped[int | None] = mapped_column(BigInteger)
    settled: Mapped[datetime | None]
    for_operator: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether only the operator settles it, since a party manages the server, or it was dismissed there before."""
