"""SQLite stores the largest tables in key order, and counts the people who share a name from indexes alone.

Until now, it kept their keys twice: in the table and in a separate index.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import CreateTable

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

TABLES = ("authorships", "memberships", "paper_ids", "listings")
INDEX = "memberships_by_author"


def _rebuild(name: str, *, by_key: bool) -> None:
    """Rebuild a table. No other table references it, so the old one can be dropped."""
    connection = op.get_bind()
    old = sa.Table(name, sa.MetaData(), autoload_with=connection)
    new = old.to_metadata(old.metadata, name=f"{name}_new")
    new.dialect_options["sqlite"]["with_rowid"] = not by_key
    connection.execute(CreateTable(new))
    columns = [column.name for column in old.columns]
    connection.execute(new.insert().from_select(columns, sa.select(old).order_by(*old.primary_key.columns)))
    op.drop_table(name)
    op.rename_table(new.name, name)
    for index in old.indexes:
        op.create_index(index.name, name, [column.name for column in index.columns])


def _rebuild_all(columns: list[str], *, by_key: bool) -> None:
    op.drop_index(INDEX, "memberships")
    if op.get_bind().dialect.name == "sqlite":
        for name in TABLES:
            _rebuild(name, by_key=by_key)
    op.create_index(INDEX, "memberships", columns)


def upgrade() -> None:
    _rebuild_all(["author_id", "person_id", "until"], by_key=True)


def downgrade() -> None:
    _rebuild_all(["author_id", "person_id"], by_key=False)
