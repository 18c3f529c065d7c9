"""Papers that were merged lead straight to their present row, however often that was merged again."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

papers = sa.table("papers", sa.column("id", sa.Integer), sa.column("merged_into", sa.Integer))


def upgrade() -> None:
    given = sa.text("merged_into IS NOT NULL")
    op.create_index("papers_by_merged", "papers", ["merged_into"], sqlite_where=given, postgresql_where=given)
    connection = op.get_bind()
    query = sa.select(papers.c.id, papers.c.merged_into).where(papers.c.merged_into.is_not(None))
    into: dict[int, int] = {row.id: row.merged_into for row in connection.execute(query)}
    for number, first in into.items():
        present, seen = first, {number}
        while present in into and present not in seen:
            seen.add(present)
            present = into[present]
        if present != first:
            connection.execute(sa.update(papers).where(papers.c.id == number).values(merged_into=present))


def downgrade() -> None:
    op.drop_index("papers_by_merged", table_name="papers")
