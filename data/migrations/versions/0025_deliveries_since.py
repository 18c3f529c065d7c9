"""A delivery knows what its digest was looked through for before it: what fails comes with the next."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("deliveries", sa.Column("since", sa.Date, nullable=True))
    op.add_column("deliveries", sa.Column("seen", sa.Integer, nullable=True))


def downgrade() -> None:
    op.drop_column("deliveries", "seen")
    op.drop_column("deliveries", "since")
