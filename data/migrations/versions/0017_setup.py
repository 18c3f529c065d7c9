"""Which servers were greeted, and the papers that a digest was given to learn from."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "greetings",
        sa.Column("guild", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("guild"),
    )
    op.create_table(
        "digest_seeds",
        sa.Column("digest_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["digest_id"], ["digests.id"]),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"]),
        sa.PrimaryKeyConstraint("digest_id", "paper_id"),
    )


def downgrade() -> None:
    op.drop_table("digest_seeds")
    op.drop_table("greetings")
