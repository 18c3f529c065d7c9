"""How much of a paper's days is known; of those with an id of the ACL Anthology, the month."""

import re

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

BATCH = 500
ACL_ID = re.compile(r"\d{4}\.[a-z0-9]{2,30}-[a-z0-9]{1,20}\.\d{1,4}|[A-Z]\d{2}-(?:\d{4,5}|\d{1,2}\.\d{1,4})")
papers = sa.table(
    "papers", sa.column("id", sa.Integer), sa.column("source", sa.String), sa.column("dated_by", sa.String)
)
ids = sa.table(
    "paper_ids",
    sa.column("scheme", sa.String),
    sa.column("value", sa.String),
    sa.column("paper_id", sa.Integer),
)


def upgrade() -> None:
    op.add_column("papers", sa.Column("dated_by", sa.String(5), nullable=False, server_default="day"))
    connection = op.get_bind()
    found = [
        paper
        for value, paper in connection.execute(
            sa.select(ids.c.value, ids.c.paper_id).where(ids.c.scheme == "file")
        )
        if ACL_ID.fullmatch(value)
    ]
    for start in range(0, len(found), BATCH):
        connection.execute(
            sa.update(papers)
            .where(papers.c.id.in_(found[start : start + BATCH]), papers.c.source == "file")
            .values(dated_by="month")
        )


def downgrade() -> None:
    op.drop_column("papers", "dated_by")
