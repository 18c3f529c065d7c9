"""People: who is who, corrections, facts of outside sources and their budgets."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "budgets",
        sa.Column("source", sa.String(length=20), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("spent", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("source", "day"),
    )
    op.create_table(
        "facts",
        sa.Column("subject", sa.String(length=10), nullable=False),
        sa.Column("subject_id", sa.String(length=40), nullable=False),
        sa.Column("source", sa.String(length=20), nullable=False),
        sa.Column("fetched", sa.DateTime(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("subject", "subject_id", "source"),
    )
    op.create_table(
        "identity_passes",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("finished", sa.DateTime(), nullable=False),
        sa.Column("upto", sa.BigInteger(), nullable=False),
        sa.Column("corrections", sa.Integer(), nullable=False),
        sa.Column("authorships", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=300), nullable=False),
        sa.Column("papers", sa.Integer(), nullable=False),
        sa.Column("merged_into", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["merged_into"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "corrections",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("other_paper_id", sa.Integer(), nullable=False),
        sa.Column("other_author_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("made_by", sa.BigInteger(), nullable=False),
        sa.Column("made_by_name", sa.String(length=100), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("moved", sa.Text(), nullable=False),
        sa.Column("undone", sa.DateTime(), nullable=True),
        sa.Column("undone_by", sa.BigInteger(), nullable=True),
        sa.Column("undone_by_name", sa.String(length=100), nullable=True),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["authors.id"],
        ),
        sa.ForeignKeyConstraint(
            ["other_author_id"],
            ["authors.id"],
        ),
        sa.ForeignKeyConstraint(
            ["other_paper_id"],
            ["papers.id"],
        ),
        sa.ForeignKeyConstraint(
            ["paper_id"],
            ["papers.id"],
        ),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_corrections_person_id"), "corrections", ["person_id"], unique=False)
    op.create_table(
        "memberships",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("support", sa.Integer(), nullable=True),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["authors.id"],
        ),
        sa.ForeignKeyConstraint(
            ["paper_id"],
            ["papers.id"],
        ),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
        ),
        sa.PrimaryKeyConstraint("paper_id", "position"),
    )
    op.create_index("memberships_by_author", "memberships", ["author_id", "person_id"], unique=False)
    op.create_index("memberships_by_person", "memberships", ["person_id", "paper_id"], unique=False)


def downgrade() -> None:
    for table in ["memberships", "corrections", "people", "identity_passes", "facts", "budgets"]:
        op.drop_table(table)
