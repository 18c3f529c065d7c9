"""Cards below posted links, by server and channel; who may see which papers are an account's."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "link_servers",
        sa.Column("guild", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("guild"),
    )
    op.create_table(
        "link_cards",
        sa.Column("channel", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("paper_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("channel", "paper_id", "day"),
    )
    op.create_index("ix_link_cards_day", "link_cards", ["day"])
    op.add_column("profiles", sa.Column("account", sa.String(length=10), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("profiles", "account")
    op.drop_table("link_cards")
    op.drop_table("link_servers")
