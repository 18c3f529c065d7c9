"""Questions asked in a thread or a direct message, so that the next one there keeps their subject."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "asked_questions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("about", sa.String(length=400), nullable=False),
        sa.Column("limits", sa.String(length=200), nullable=False),
        sa.Column("papers", sa.String(length=200), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_asked_questions_place"), "asked_questions", ["place"])
    op.create_index(op.f("ix_asked_questions_member"), "asked_questions", ["member"])


def downgrade() -> None:
    op.drop_table("asked_questions")
