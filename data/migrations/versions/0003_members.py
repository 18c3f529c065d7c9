"""Members: claims, profiles, what they follow, and whom they do not want suggested."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "follows",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("target", sa.String(length=200), nullable=False),
        sa.Column("shown", sa.String(length=300), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("member", "kind", "target"),
    )
    op.create_index("ix_follows_target", "follows", ["target"])
    op.create_table(
        "dismissals",
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("member", "person_id"),
    )
    op.create_table(
        "claims",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=True),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("proof", sa.String(length=10), nullable=False),
        sa.Column("where", sa.Text(), nullable=False),
        sa.Column("checked", sa.DateTime(), nullable=True),
        sa.Column("ended", sa.DateTime(), nullable=True),
        sa.Column("why_ended", sa.String(length=200), nullable=False),
        sa.Column("holder", sa.BigInteger(), nullable=True),
        sa.Column("held_person", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("holder"),
        sa.UniqueConstraint("held_person"),
    )
    op.create_index("ix_claims_member", "claims", ["member"])
    op.create_index("ix_claims_person_id", "claims", ["person_id"])
    op.create_table(
        "vouches",
        sa.Column("claim_id", sa.Integer(), nullable=False),
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=False),
        sa.Column("made", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["claim_id"], ["claims.id"]),
        sa.PrimaryKeyConstraint("claim_id", "member"),
    )
    op.create_table(
        "profiles",
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("seeking", sa.Text(), nullable=False),
        sa.Column("offering", sa.Text(), nullable=False),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("time_zone", sa.String(length=60), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("changed", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("member"),
    )
    op.create_table(
        "server_members",
        sa.Column("member", sa.BigInteger(), nullable=False),
        sa.Column("guild", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("member", "guild"),
    )


def downgrade() -> None:
    for name in ("server_members", "profiles", "vouches"):
        op.drop_table(name)
    op.drop_index("ix_claims_person_id", "claims")
    op.drop_index("ix_claims_member", "claims")
    op.drop_table("claims")
    op.drop_table("dismissals")
    op.drop_index("ix_follows_target", "follows")
    op.drop_table("follows")
