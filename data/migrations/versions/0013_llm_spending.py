"""What the language model cost today, in all and under each member's keyed hash."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "llm_spending",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("milliseconds", sa.BigInteger(), nullable=False),
        sa.Column("microdollars", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", "day"),
    )
    op.create_index(op.f("ix_llm_spending_day"), "llm_spending", ["day"])


def downgrade() -> None:
    op.drop_table("llm_spending")
