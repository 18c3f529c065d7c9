"""Direct message channels that were opened once."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "direct_channels",
        sa.Column("member", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("channel", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("member"),
    )


def downgrade() -> None:
    op.drop_table("direct_channels")
