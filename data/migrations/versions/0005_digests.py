"""Digests, their deliveries, what members think of papers, and who may post."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "digests",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("why", sa.String(length=300), nullable=False),
        sa.Column("form", sa.String(length=10), nullable=False),
        sa.Column("style", sa.String(length=10), nullable=False),
        sa.Column("picture", sa.Boolean(), nullable=False),
        sa.Column("categories", sa.Text(), nullable=False),
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("people", sa.Text(), nullable=False),
        sa.Column("followed", sa.Boolean(), nullable=False),
        sa.Column("require", sa.Text(), nullable=False),
        sa.Column("exclude", sa.Text(), nullable=False),
        sa.Column("most", sa.Integer(), nullable=False),
        sa.Column("days", sa.String(length=7), nullable=False),
        sa.Column("at", sa.String(length=5), nullable=False),
        sa.Column("zone", sa.String(length=60), nullable=False),
        sa.Column("quiet", sa.Boolean(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("changed", sa.DateTime(), nullable=False),
        sa.Column("upto", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_digests_guild", "digests", ["guild"])
    op.create_index("ix_digests_owner", "digests", ["owner"])
    op.create_table(
        "deliveries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest_id", sa.Integer(), nullable=False),
        sa.Column("slot", sa.Date(), nullable=False),
        sa.Column("due", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("upto", sa.Date(), nullable=True),
        sa.Column("read", sa.Integer(), nullable=False),
        sa.Column("papers", sa.Text(), nullable=False),
        sa.Column("late", sa.Boolean(), nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.BigInteger(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("why", sa.String(length=300), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("posted", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["digest_id"], ["digests.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("digest_id", "slot"),
    )
    op.create_index("ix_deliveries_state", "deliveries", ["state"])
    op.create_table(
        "shown_papers",
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("text_hash", sa.BigInteger(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"]),
        sa.PrimaryKeyConstraint("place", "paper_id"),
    )
    op.create_table(
        "opinions",
        sa.Column("guild", sa.BigInteger(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"]),
        sa.PrimaryKeyConstraint("guild", "member", "paper_id"),
    )
    op.create_index("ix_opinions_guild", "opinions", ["guild", "made"])
    op.create_table(
        "leases",
        sa.Column("name", sa.String(length=20), nullable=False),
        sa.Column("holder", sa.String(length=40), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def downgrade() -> None:
    op.drop_table("leases")
    op.drop_index("ix_opinions_guild", "opinions")
    op.drop_table("opinions")
    op.drop_table("shown_papers")
    op.drop_index("ix_deliveries_state", "deliveries")
    op.drop_table("deliveries")
    for name in ("owner", "guild"):
        op.drop_index(f"ix_digests_{name}", "digests")
    op.drop_table("digests")
