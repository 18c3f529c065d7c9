"""Several processes: who holds which shard, and who took an event that reached two of them."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shards",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("of", sa.Integer, nullable=False),
        sa.Column("holder", sa.String(40), nullable=False),
        sa.Column("until", sa.DateTime, nullable=False),
        sa.Column("follower", sa.String(40), nullable=False, server_default=""),
        sa.Column("follower_until", sa.DateTime, nullable=True),
        sa.Column("shared", sa.Boolean, nullable=False),
    )
    op.create_table(
        "taken_events",
        sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("made", sa.DateTime, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("taken_events")
    op.drop_table("shards")
