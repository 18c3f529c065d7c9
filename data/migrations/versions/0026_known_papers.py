"""How many papers a posting left out that its digest learns from; deleted digests keep no words."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

WORDS = ("name", "query", "people", "require", "exclude")
digests = sa.table("digests", *(sa.column(name) for name in ("id", "state", *WORDS)))
deliveries = sa.table("deliveries", sa.column("digest_id"), sa.column("state"))
seeds = sa.table("digest_seeds", sa.column("digest_id"))


def upgrade() -> None:
    op.add_column("deliveries", sa.Column("known", sa.Integer, nullable=False, server_default="0"))
    connection = op.get_bind()
    gone = sa.select(digests.c.id).where(digests.c.state == "deleted")
    unsent = deliveries.c.digest_id.in_(gone), deliveries.c.state == "written"
    connection.execute(sa.delete(deliveries).where(*unsent))
    connection.execute(sa.delete(seeds).where(seeds.c.digest_id.in_(gone)))
    connection.execute(
        sa.update(digests).where(digests.c.state == "deleted").values(dict.fromkeys(WORDS, ""))
    )


def downgrade() -> None:
    op.drop_column("deliveries", "known")
