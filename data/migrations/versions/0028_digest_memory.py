"""What digests left out for one another, how long postings are tried, and what owners have to be told."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("digests", sa.Column("left_out", sa.Text, nullable=False, server_default=""))
    op.add_column("deliveries", sa.Column("left_out", sa.Text, nullable=True))
    op.add_column("deliveries", sa.Column("passed", sa.Integer, nullable=False, server_default="0"))
    op.add_column("deliveries", sa.Column("tried", sa.DateTime, nullable=True))
    op.add_column("deliveries", sa.Column("not_before", sa.DateTime, nullable=True))
    op.create_table(
        "digest_notices",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("digest_id", sa.Integer, sa.ForeignKey("digests.id"), nullable=False),
        sa.Column("member", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("why", sa.String(300), nullable=False),
        sa.Column("made", sa.DateTime, nullable=False),
        sa.Column("tried", sa.DateTime, nullable=True),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_digest_notices_digest_id", "digest_notices", ["digest_id"])


def downgrade() -> None:
    op.drop_table("digest_notices")
    for column in ("not_before", "tried", "passed", "left_out"):
        op.drop_column("deliveries", column)
    op.drop_column("digests", "left_out")
