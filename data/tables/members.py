"""The SQL tables of members: follows, claims, profiles, entries from CVs, and invitations."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, String, Text, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from data.tables.papers import Base


class FollowRow(Base):
    """Something that a member follows."""

    __tablename__ = "follows"
    __table_args__ = (UniqueConstraint("member", "kind", "target"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger)
    kind: Mapped[str] = mapped_column(String(10))
    """``person``, ``paper``, ``topic`` or ``category``."""
    target: Mapped[str] = mapped_column(String(200), index=True)
    """A person's or paper's number, a topic in lower case, or a category."""
    shown: Mapped[str] = mapped_column(String(300))
    """The name that the member knows it by."""
    guild: Mapped[int | None] = mapped_column(BigInteger)
    """The server where it was followed; the person is the one seen there."""
    made: Mapped[datetime]


class DismissalRow(Base):
    """A person not to suggest to a member again."""

    __tablename__ = "dismissals"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), primary_key=True)
    made: Mapped[datetime]


class ClaimRow(Base):
    """A member's claim to be a person; held once proven."""

    __tablename__ = "claims"

    id: Mapped[int] = mapped_column(primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger, index=True)
    """0 once the account is forgotten; its contests have such members, too."""
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    guild: Mapped[int | None] = mapped_column(BigInteger)
    """The server where it was made."""
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
    """The person while the claim is held: only one member holds a person. Empty for a claim that members
    vouched for, which holds only in its server."""


class VouchRow(Base):
    """A claimed member's vouch for an open claim."""

    __tablename__ = "vouches"

    claim_id: Mapped[int] = mapped_column(ForeignKey("claims.id"), primary_key=True)
    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    guild: Mapped[int] = mapped_column(BigInteger)
    made: Mapped[datetime]


class ProfileRow(Base):
    """A claimed member's profile."""

    __tablename__ = "profiles"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    status: Mapped[str] = mapped_column(String(20))
    """``open``, ``busy``, ``hiring``, ``looking`` or empty."""
    seeking: Mapped[str] = mapped_column(Text)
    offering: Mapped[str] = mapped_column(Text)
    link: Mapped[str] = mapped_column(Text)
    time_zone: Mapped[str] = mapped_column(String(60))
    public: Mapped[bool]
    """Whether everybody may see it, or only claimed members."""
    account: Mapped[str] = mapped_column(String(10), default="", server_default="")
    """Who may see from the member's Discord account which person they are: ``all``, ``claimed`` members in
    private replies, or empty for nobody."""
    changed: Mapped[datetime]


class ServerMemberRow(Base):
    """A server where a member with a claim or a follow has used Labmate."""

    __tablename__ = "server_members"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    guild: Mapped[int] = mapped_column(BigInteger, primary_key=True)


class InvitationRow(Base):
    """One member's invitation to work with another, and its state."""

    __tablename__ = "invitations"
    __table_args__ = (Index("ix_invitations_guild", "guild", "made"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    sender: Mapped[int] = mapped_column(BigInteger, index=True)
    recipient: Mapped[int] = mapped_column(BigInteger, index=True)
    sender_person: Mapped[int] = mapped_column(ForeignKey("people.id"))
    recipient_person: Mapped[int] = mapped_column(ForeignKey("people.id"))
    guild: Mapped[int] = mapped_column(BigInteger)
    channel: Mapped[int] = mapped_column(BigInteger)
    """The channel where it was made, and where its thread goes."""
    about: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(10))
    open_pair: Mapped[str | None] = mapped_column(String(50), unique=True)
    """The two members while it is open: only one may be open between two."""
    told: Mapped[str] = mapped_column(String(10))
    told_channel: Mapped[int | None] = mapped_column(BigInteger)
    told_message: Mapped[int | None] = mapped_column(BigInteger)
    answered: Mapped[datetime | None]
    thread: Mapped[int | None] = mapped_column(BigInteger)
    opened: Mapped[bool]


class BlockRow(Base):
    """Somebody from whom a member wants no invitations."""

    __tablename__ = "blocks"

    member: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    other: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    made: Mapped[datetime]


class OwnWorkRow(Base):
    """An entry that a member took over from a CV: a publication, position, degree or interest."""

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
    """The paper of the store that it is, if any."""
    made: Mapped[datetime]


class MailCodeRow(Base):
    """A one-time code mailed for a claim; neither code nor address is kept."""

    __tablename__ = "mail_codes"

    claim_id: Mapped[int] = mapped_column(ForeignKey("claims.id"), primary_key=True)
    digest: Mapped[str] = mapped_column(String(64))
    """SHA-256 of the claim's number and the code."""
    domain: Mapped[str] = mapped_column(String(255))
    made: Mapped[datetime]
    tries: Mapped[int]
    sent: Mapped[int]
    """Codes sent since ``since``, when the current day of codes began."""
    since: Mapped[datetime]


class ClaimContestRow(Base):
    """A member's objection to a held claim, until a manager settles it."""

    __tablename__ = "claim_contests"

    id: Mapped[int] = mapped_column(primary_key=True)
    claim_id: Mapped[int] = mapped_column(ForeignKey("claims.id"), index=True)
    member: Mapped[int] = mapped_column(BigInteger)
    guild: Mapped[int] = mapped_column(BigInteger)
    reason: Mapped[str] = mapped_column(Text)
    made: Mapped[datetime]
    state: Mapped[str] = mapped_column(String(10))
    """``open``, ``upheld`` (the claim ended), ``dismissed``, or ``dropped``, as a party was forgotten."""
    settled_by: Mapped[int | None] = mapped_column(BigInteger)
    settled: Mapped[datetime | None]
    for_operator: Mapped[bool] = mapped_column(default=False, server_default=false())
    """Whether only the operator settles it: a party manages the server, or dismissed it before."""
