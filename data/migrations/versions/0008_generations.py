"""People are written as a draft that readers switch to: since when and until when each membership holds."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def _memberships(name: str, *more: sa.Column[Any]) -> None:
    op.create_table(
        name,
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        *more,
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("support", sa.Integer(), nullable=True),
        sa.Column("author_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["author_id"], ["authors.id"]),
        sa.ForeignKeyConstraint(["paper_id"], ["papers.id"]),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("paper_id", "position", *(["since"] if more else [])),
    )


def _take_over(name: str) -> None:
    """Nothing refers to memberships, so that the old table can go."""
    op.drop_table("memberships")
    op.rename_table(name, "memberships")
    op.create_index("memberships_by_author", "memberships", ["author_id", "person_id"])
    op.create_index("memberships_by_person", "memberships", ["person_id", "paper_id"])


def upgrade() -> None:
    op.create_table(
        "people_generation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("current", sa.Integer(), nullable=False),
        sa.Column("unsettled", sa.Boolean(), nullable=False),
        sa.Column("numbered", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute(
        "INSERT INTO people_generation (id, current, unsettled, numbered) "
        "SELECT 1, 0, false, coalesce(max(id), 0) FROM people"
    )
    op.add_column("people", sa.Column("since", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("people", sa.Column("next_since", sa.Integer(), nullable=True))
    op.add_column("people", sa.Column("next_name", sa.String(length=300), nullable=True))
    op.add_column("people", sa.Column("next_merged", sa.Integer(), nullable=True))
    _memberships(
        "memberships_new",
        sa.Column("since", sa.Integer(), nullable=False),
        sa.Column("until", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Boolean(), nullable=False),
    )
    # What a full pass judged, it has seen: papers that changed after the last one were only placed.
    op.execute(
        """
        INSERT INTO memberships_new
            (paper_id, position, since, until, judged, person_id, confidence, support, author_id)
        SELECT m.paper_id, m.position, 0, 2147483647,
            p.changed <= coalesce(
                (SELECT upto FROM identity_passes WHERE kind = 'full' ORDER BY id DESC LIMIT 1), -1
            ),
            m.person_id, m.confidence, m.support, m.author_id
        FROM memberships m JOIN papers p ON p.id = m.paper_id
        ORDER BY m.paper_id, m.position
        """
    )
    _take_over("memberships_new")


def downgrade() -> None:
    _memberships("memberships_before")
    op.execute(
        """
        INSERT INTO memberships_before (paper_id, position, person_id, confidence, support, author_id)
        SELECT m.paper_id, m.position, m.person_id, m.confidence, m.support, m.author_id
        FROM memberships m JOIN people_generation g ON m.since <= g.current AND m.until > g.current
        """
    )
    _take_over("memberships_before")
    for column in ("next_merged", "next_name", "next_since", "since"):
        op.drop_column("people", column)
    op.drop_table("people_generation")
