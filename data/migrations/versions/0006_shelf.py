"""Members' libraries, servers' lists, feeds; what a digest has seen, and whether it brings news alone."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Added in place: a rebuilt table would have to be dropped while deliveries point to it.
    op.add_column("digests", sa.Column("seen", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("digests", sa.Column("news", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "shelf",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=True),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("changed", sa.DateTime(), nullable=False),
        sa.Column("gone", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("member", "paper_id"),
    )
    op.create_index("ix_shelf_member", "shelf", ["member", "made"])
    op.create_table(
        "lists",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("owner", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("guild", "key"),
    )
    op.create_index(op.f("ix_lists_owner"), "lists", ["owner"])
    op.create_table(
        "list_papers",
        sa.Column("list_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["list_id"], ["lists.id"]),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"]),
        sa.PrimaryKeyConstraint("list_id", "paper_id"),
    )
    op.create_index(op.f("ix_list_papers_member"), "list_papers", ["member"])
    op.create_table(
        "feeds",
        sa.Column("token", sa.String(length=64), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("target", sa.BigInteger(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("token"),
        sa.UniqueConstraint("kind", "target"),
    )
    op.create_index(op.f("ix_feeds_member"), "feeds", ["member"])


def downgrade() -> None:
    for table in ("feeds", "list_papers", "lists", "shelf"):
        op.drop_table(table)
    op.drop_column("digests", "news")
    op.drop_column("digests", "seen")
