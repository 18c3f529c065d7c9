"""The first schema: papers, their names, authors, listings, runs and refusals."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "authors",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=300), nullable=False),
        sa.Column("name", sa.String(length=300), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_table(
        "ingest_runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=40), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("since", sa.Date(), nullable=True),
        sa.Column("started", sa.DateTime(), nullable=False),
        sa.Column("finished", sa.DateTime(), nullable=True),
        sa.Column("read", sa.Integer(), nullable=False),
        sa.Column("added", sa.Integer(), nullable=False),
        sa.Column("updated", sa.Integer(), nullable=False),
        sa.Column("unchanged", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "papers",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_key", sa.BigInteger(), nullable=False),
        sa.Column("abstract", sa.Text(), nullable=False),
        sa.Column("text_hash", sa.BigInteger(), nullable=False),
        sa.Column("authors_complete", sa.Boolean(), nullable=False),
        sa.Column("first_author", sa.BigInteger(), nullable=False),
        sa.Column("primary_category", sa.String(length=40), nullable=True),
        sa.Column("categories", sa.Text(), nullable=False),
        sa.Column("submitted", sa.Date(), nullable=True),
        sa.Column("updated", sa.Date(), nullable=True),
        sa.Column("announced", sa.Date(), nullable=True),
        sa.Column("provisional", sa.Boolean(), nullable=False),
        sa.Column("doi", sa.Text(), nullable=True),
        sa.Column("journal_ref", sa.Text(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("venue", sa.Text(), nullable=True),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("arxiv_id", sa.String(length=40), nullable=True),
        sa.Column("merged_into", sa.Integer(), nullable=True),
        sa.Column("changed", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["merged_into"],
            ["papers.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("arxiv_id"),
    )
    op.create_index(op.f("ix_papers_announced"), "papers", ["announced"], unique=False)
    op.create_index(op.f("ix_papers_changed"), "papers", ["changed"], unique=False)
    op.create_index("papers_by_first_author", "papers", ["first_author", "arxiv_id"], unique=False)
    op.create_index("papers_by_title", "papers", ["title_key", "arxiv_id"], unique=False)
    op.create_table(
        "authorships",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=300), nullable=False),
        sa.Column("listed", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["author_id"],
            ["authors.id"],
        ),
        sa.ForeignKeyConstraint(
            ["paper_id"],
            ["papers.id"],
        ),
        sa.PrimaryKeyConstraint("paper_id", "position"),
    )
    op.create_index("authorships_by_author", "authorships", ["author_id", "paper_id"], unique=False)
    op.create_table(
        "former_titles",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("title_key", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["paper_id"],
            ["papers.id"],
        ),
        sa.PrimaryKeyConstraint("paper_id", "title_key"),
    )
    op.create_index(op.f("ix_former_titles_title_key"), "former_titles", ["title_key"], unique=False)
    op.create_table(
        "listings",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("list", sa.String(length=40), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(
            ["paper_id"],
            ["papers.id"],
        ),
        sa.PrimaryKeyConstraint("paper_id", "list", "day"),
    )
    op.create_index("listings_by_day", "listings", ["day", "list"], unique=False)
    op.create_table(
        "paper_ids",
        sa.Column("scheme", sa.String(length=20), nullable=False),
        sa.Column("value", sa.String(length=300), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["paper_id"],
            ["papers.id"],
        ),
        sa.PrimaryKeyConstraint("scheme", "value"),
    )
    op.create_index(op.f("ix_paper_ids_paper_id"), "paper_ids", ["paper_id"], unique=False)
    op.create_table(
        "refused_records",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(length=40), nullable=False),
        sa.Column("fingerprint", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("excerpt", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["ingest_runs.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("source", "fingerprint"),
    )
    op.create_table(
        "kept_texts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("fingerprint"),
    )


def downgrade() -> None:
    for table in [
        "kept_texts",
        "listings",
        "former_titles",
        "authorships",
        "authors",
        "paper_ids",
        "refused_records",
        "ingest_runs",
        "papers",
    ]:
        op.drop_table(table)
