"""Invitations between members, blocks, and works that members report themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "invitations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("sender", sa.BigInteger(), nullable=False),
        sa.Column("recipient", sa.BigInteger(), nullable=False),
        sa.Column("sender_person", sa.Integer(), nullable=False),
        sa.Column("recipient_person", sa.Integer(), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("open_pair", sa.String(length=50), nullable=True),
        sa.Column("told", sa.String(length=10), nullable=False),
        sa.Column("told_channel", sa.BigInteger(), nullable=True),
        sa.Column("told_message", sa.BigInteger(), nullable=True),
        sa.Column("answered", sa.DateTime(), nullable=True),
        sa.Column("thread", sa.BigInteger(), nullable=True),
        sa.Column("opened", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["sender_person"], ["people.id"]),
        sa.ForeignKeyConstraint(["recipient_person"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("open_pair"),
    )
    op.create_index("ix_invitations_sender", "invitations", ["sender"])
    op.create_index("ix_invitations_recipient", "invitations", ["recipient"])
    op.create_index("ix_invitations_guild", "invitations", ["guild", "made"])
    op.create_table(
        "blocks",
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("other", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("member", "other"),
    )
    op.create_table(
        "own_works",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=True),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_own_works_member", "own_works", ["member"])
    op.create_table(
        "mail_codes",
        sa.Column("claim_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("domain", sa.String(length=255), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("sent", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["claim_id"], ["claims.id"]),
        sa.PrimaryKeyConstraint("claim_id"),
    )
    op.create_table(
        "claim_contests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("claim_id", sa.Integer(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("settled_by", sa.BigInteger(), nullable=True),
        sa.Column("settled", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["claim_id"], ["claims.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_claim_contests_claim_id", "claim_contests", ["claim_id"])


def downgrade() -> None:
    op.drop_index("ix_claim_contests_claim_id", "claim_contests")
    for name in ("claim_contests", "mail_codes"):
        op.drop_table(name)
    op.drop_index("ix_own_works_member", "own_works")
    for name in ("own_works", "blocks"):
        op.drop_table(name)
    for name in ("guild", "recipient", "sender"):
        op.drop_index(f"ix_invitations_{name}", "invitations")
    op.drop_table("invitations")
