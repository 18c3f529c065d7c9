"""Places and authors of corrections, places of follows, dates of typed texts, and who settles disputes."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None
meant = {"claims.held_person", "corrections.authority", "kept_texts.kept"}
"""What an upgrade changes on purpose: the test of upgrades expects the rest as it was."""


def upgrade() -> None:
    op.add_column(
        "corrections", sa.Column("authority", sa.String(length=10), nullable=False, server_default="server")
    )
    op.add_column("corrections", sa.Column("claim", sa.BigInteger(), nullable=True))
    op.create_index("corrections_by_guild", "corrections", ["guild", "made"])
    op.create_index("corrections_by_maker", "corrections", ["made_by", "made"])
    op.add_column("follows", sa.Column("guild", sa.BigInteger(), nullable=True))
    op.add_column("kept_texts", sa.Column("kept", sa.DateTime(), nullable=True))
    op.add_column(
        "claim_contests",
        sa.Column("for_operator", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.execute("UPDATE kept_texts SET kept = CURRENT_TIMESTAMP")
    # Until now a correction held everywhere. Who runs this Labmate is known at the first login; until then
    # they count as said in their servers. Passes that took them for certain are judged again.
    op.execute("UPDATE corrections SET authority = 'before'")
    op.execute(
        "UPDATE identity_passes SET kind = 'stale' WHERE kind = 'full' AND EXISTS (SELECT 1 FROM corrections)"
    )
    # Two members' words hold in their server, so they no longer keep others from the person.
    op.execute("UPDATE claims SET held_person = NULL WHERE state = 'held' AND proof = 'vouch'")


def downgrade() -> None:
    op.execute(
        "UPDATE claims SET held_person = person_id WHERE state = 'held' AND proof = 'vouch' AND person_id "
        "NOT IN (SELECT held_person FROM claims WHERE held_person IS NOT NULL) AND id IN "
        "(SELECT MIN(id) FROM claims WHERE state = 'held' AND proof = 'vouch' GROUP BY person_id)"
    )
    op.drop_column("claim_contests", "for_operator")
    op.drop_column("kept_texts", "kept")
    op.drop_column("follows", "guild")
    op.drop_index("corrections_by_maker", "corrections")
    op.drop_index("corrections_by_guild", "corrections")
    op.drop_column("corrections", "claim")
    op.drop_column("corrections", "authority")
