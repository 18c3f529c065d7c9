"""Who was found to be a person, without reading everybody."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

INDEXES = {"people_by_merged": "merged_into", "people_by_next_merged": "next_merged"}


def upgrade() -> None:
    for name, column in INDEXES.items():
        given = sa.text(f"{column} IS NOT NULL")
        op.create_index(name, "people", [column], sqlite_where=given, postgresql_where=given)


def downgrade() -> None:
    for name in INDEXES:
        op.drop_index(name, table_name="people")
