"""What members kept of papers that were merged before leads to the present paper, and is kept once."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

Values = dict[str, Any]
STATES = ("unread", "reading", "read")
MAX_NOTE, MOST_TAGS = 2_000, 12
MOST_ASKED = 1_000
NUMBER = re.compile(r"[0-9]{1,9}")
WORK = ("note", "tags", "state", "made", "changed", "gone")
SAID = ("kind", "channel", "made")

papers = sa.table("papers", sa.column("id", sa.Integer), sa.column("merged_into", sa.Integer))
merged = papers.c.merged_into.is_not(None) & (papers.c.merged_into != papers.c.id)


def both_works(old: Values, new: Values) -> Values:
    """The notes and tags of both, and the state that is further; what was removed counts for nothing."""
    there = [row for row in (new, old) if row["gone"] is None] or [new]
    notes = dict.fromkeys(row["note"] for row in there if row["note"])
    tags = dict.fromkeys(tag for row in there for tag in row["tags"].split("\n") if tag)
    known = [row["state"] for row in there if row["state"] in STATES]
    return {
        "note": "\n".join(notes)[:MAX_NOTE],
        "tags": "\n".join(list(tags)[:MOST_TAGS]),
        "state": max(known, key=STATES.index, default=there[0]["state"]),
        "made": min(row["made"] for row in there),
        "changed": max(row["changed"] for row in there),
        "gone": there[0]["gone"],
    }


def later_opinion(old: Values, new: Values) -> Values:
    """The later one, but for a question that was not answered."""
    return max((new, old), key=lambda row: (row["kind"] != "skip", row["made"]))


def earlier(old: Values, new: Values) -> Values:
    """The earlier one."""
    return min((new, old), key=lambda row: row["made"])


def later_day(old: Values, new: Values) -> Values:
    """The one that was shown last."""
    return max((new, old), key=lambda row: row["day"])


Join = Callable[[Values, Values], Values]
KEPT: tuple[tuple[str, Sequence[str], Sequence[str], Join], ...] = (
    ("shelf", ("member",), WORK, both_works),
    ("opinions", ("guild", "member"), SAID, later_opinion),
    ("list_papers", ("list_id",), ("member", "made"), earlier),
    ("digest_seeds", ("digest_id",), ("kind", "made"), earlier),
    ("shown_papers", ("place",), ("text_hash", "day"), later_day),
)
"""The tables, what may have each paper only once, the other columns, and which of two rows' values stay."""
follows = sa.table("follows", *(sa.column(name) for name in ("id", "member", "kind", "target", "made")))
LINKS = (("corrections", "paper_id"), ("corrections", "other_paper_id"), ("own_works", "paper_id"))

meant = {
    *(f"{name}.paper_id" for name, *_ in KEPT),
    *(f"{name}.{column}" for name, column in LINKS),
}
"""What this migration changes."""


def upgrade() -> None:
    connection = op.get_bind()
    for name, keys, rest, join in KEPT:
        table = sa.table(name, *(sa.column(column) for column in ("paper_id", *keys, *rest)))
        query = sa.select(table, papers.c.merged_into).join(papers, papers.c.id == table.c.paper_id)
        for row in connection.execute(query.where(merged)).mappings().all():
            mine = sa.and_(*(table.c[key] == row[key] for key in keys))
            old, present = mine & (table.c.paper_id == row["paper_id"]), row["merged_into"]
            new = mine & (table.c.paper_id == present)
            other = connection.execute(sa.select(table).where(new)).mappings().first()
            if other is None:
                connection.execute(sa.update(table).where(old).values(paper_id=present))
                continue
            stays = join(dict(row), dict(other))
            connection.execute(sa.update(table).where(new).values({part: stays[part] for part in rest}))
            connection.execute(sa.delete(table).where(old))
    for name, column in LINKS:
        table = sa.table(name, sa.column(column))
        link = table.c[column]
        present = sa.select(papers.c.merged_into).where(papers.c.id == link).scalar_subquery()
        lead = sa.update(table).where(link.in_(sa.select(papers.c.id).where(merged)))
        connection.execute(lead.values({column: present}))
    follow_present_papers(connection)


def follow_present_papers(connection: sa.Connection) -> None:
    """Let who follows a merged paper follow the present one, once and since the earlier day."""
    query = sa.select(follows).where(follows.c.kind == "paper")
    rows = [row for row in connection.execute(query).mappings() if NUMBER.fullmatch(row["target"])]
    numbers = sorted({int(row["target"]) for row in rows})
    into: dict[str, str] = {}
    for start in range(0, len(numbers), MOST_ASKED):
        part = papers.c.id.in_(numbers[start : start + MOST_ASKED])
        found = connection.execute(sa.select(papers.c.id, papers.c.merged_into).where(part, merged))
        into.update((str(row.id), str(row.merged_into)) for row in found)
    for row in rows:
        if row["target"] not in into:
            continue
        old = follows.c.id == row["id"]
        of_present = (follows.c.member == row["member"]) & (follows.c.kind == "paper")
        of_present &= follows.c.target == into[row["target"]]
        other = connection.execute(sa.select(follows).where(of_present)).mappings().first()
        if other is None:
            connection.execute(sa.update(follows).where(old).values(target=into[row["target"]]))
            continue
        connection.execute(sa.delete(follows).where(old))
        connection.execute(sa.update(follows).where(of_present).values(made=min(row["made"], other["made"])))


def downgrade() -> None:
    """What is kept once stays so."""
