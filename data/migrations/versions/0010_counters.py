"""Counters of what is limited, under keyed hashes, so that limits outlive forgetting; and their key."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "counters",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("until", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_counters_key"), "counters", ["key"])
    op.create_index(op.f("ix_counters_until"), "counters", ["until"])
    keys = op.create_table(
        "counter_keys",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.bulk_insert(keys, [{"id": 1, "key": secrets.token_hex(32)}])


def downgrade() -> None:
    op.drop_table("counter_keys")
    op.drop_table("counters")
