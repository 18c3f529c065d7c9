"""How many new papers a posting left out, since its digest learns from them."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("deliveries", sa.Column("known", sa.Integer, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("deliveries", "known")
