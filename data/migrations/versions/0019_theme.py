"""The colours of pictures: what members chose, and what digests were set to."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "member_settings",
        sa.Column("member", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("theme", sa.String(length=10), nullable=False),
        sa.PrimaryKeyConstraint("member"),
    )
    op.add_column("digests", sa.Column("theme", sa.String(length=10), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("digests", "theme")
    op.drop_table("member_settings")
