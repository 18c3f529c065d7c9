"""Why a paper was chosen is kept as facts, no longer as a sentence in Discord's markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None
meant = {"deliveries.papers"}
"""What an upgrade changes on purpose: the test of upgrades expects the rest as it was."""

BATCH = 500
Entry = dict[str, Any]
deliveries = sa.table("deliveries", sa.column("id", sa.Integer), sa.column("papers", sa.Text))
OWN = {"that you saved or liked": True, "saved or liked here": False}
CENTRAL = "central among the day's papers; Save and Like teach what is wanted"
_BY = re.compile(r"(?P<name>.+?), (?P<role>followed|a member here)(?: and |$)")
_ONE = re.compile(rf"close to “(?P<title>.*)”, (?P<own>{'|'.join(OWN)})")
_SEVERAL = re.compile(rf"close to (?P<count>\d+) papers (?P<own>{'|'.join(OWN)}), first “(?P<title>.*)”")
_QUERY = re.compile(r"close to “(?P<query>.*)”")
_PARTS = re.compile(r" · (?=close to (?:“|\d+ papers ))")
_STATE = re.compile(r"cross-listed, first (?P<day>\d{1,2} \w{3} \d{4}|undated)")


def upgrade() -> None:
    _rewrite(_as_facts)


def downgrade() -> None:
    _rewrite(_as_sentence)


def _rewrite(entry_of: Callable[[Entry], Entry]) -> None:
    connection = op.get_bind()
    last: int | None = None
    while True:
        page = sa.select(deliveries.c.id, deliveries.c.papers).order_by(deliveries.c.id).limit(BATCH)
        rows = connection.execute(page if last is None else page.where(deliveries.c.id > last)).all()
        if not rows:
            return
        for number, text in rows:
            last = number
            entries = _read(text)
            if entries and any(isinstance(entry, dict) for entry in entries):
                papers = [entry_of(entry) if isinstance(entry, dict) else entry for entry in entries]
                connection.execute(
                    sa.update(deliveries).where(deliveries.c.id == number).values(papers=json.dumps(papers))
                )


def _read(text: str) -> list[Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, list) else None


def _as_facts(entry: Entry) -> Entry:
    made = {name: value for name, value in entry.items() if name not in ("why", "state")}
    why, state = entry.get("why", ""), entry.get("state", "")
    made["why"] = reason_of(why) if isinstance(why, str) else why
    found = _STATE.fullmatch(state)
    if found and (found["day"] == "undated" or _day(found["day"])):
        made |= {"cross_listed": True, "first": _day(found["day"])}
    elif state:
        made["why"] = {"text": " · ".join(filter(None, (unescaped(state), unescaped(str(why)))))}
    return made


def reason_of(sentence: str) -> Entry:
    """The facts of a stored sentence; what can't be read as facts is kept as plain text."""
    if not sentence or sentence == CENTRAL:
        return {}
    reason: Entry = {}
    for part in _PARTS.split(sentence):
        facts = _facts(part)
        if facts is None or reason.keys() & facts.keys():
            return {"text": unescaped(sentence)}
        reason |= facts
    return reason


def _facts(part: str) -> Entry | None:
    if found := _SEVERAL.fullmatch(part):
        return {
            "near": unescaped(found["title"]),
            "near_count": int(found["count"]),
            "own": OWN[found["own"]],
        }
    if found := _ONE.fullmatch(part):
        return {"near": unescaped(found["title"]), "near_count": 1, "own": OWN[found["own"]]}
    if found := _QUERY.fullmatch(part):
        return {"query": unescaped(found["query"])}
    if part.startswith("by "):
        writers = list(_BY.finditer(part, 3))
        if writers and "".join(one[0] for one in writers) == part[3:]:
            return {
                "by": [
                    {"name": unescaped(one["name"]), "is_member": one["role"] == "a member here"}
                    for one in writers
                ]
            }
    return None


def unescaped(markdown: str) -> str:
    """Text without the backslashes and the breaks of @everyone that made it harmless in Discord.

    A backslash before a letter, a digit or a space was in the text itself.
    """
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", markdown).replace("@\u200b", "@")


def _day(text: str) -> str | None:
    try:
        return datetime.strptime(text, "%d %b %Y").date().isoformat()
    except ValueError:
        return None


def _as_sentence(entry: Entry) -> Entry:
    made = {name: value for name, value in entry.items() if name not in ("why", "cross_listed", "first")}
    why = entry.get("why") or {}
    made["why"] = _sentence(why) if isinstance(why, dict) else why
    first = datetime.fromisoformat(entry["first"]) if entry.get("first") else None
    day = f"{first.day} {first:%b %Y}" if first else "undated"
    made["state"] = f"cross-listed, first {day}" if entry.get("cross_listed") else ""
    return made


def _sentence(why: Entry) -> str:
    if why.get("text"):
        return _escaped(why["text"])
    parts = []
    if by := why.get("by"):
        roles = [(one["name"], "a member here" if one.get("is_member") else "followed") for one in by[:2]]
        parts.append("by " + " and ".join(f"{_escaped(name)}, {role}" for name, role in roles))
    if why.get("near"):
        title = _escaped(why["near"])
        [own] = [words for words, own in OWN.items() if own == bool(why.get("own"))]
        count = why.get("near_count", 1)
        parts.append(
            f"close to {count} papers {own}, first “{title}”" if count > 1 else f"close to “{title}”, {own}"
        )
    if why.get("query"):
        parts.append(f"close to “{_escaped(why['query'])}”")
    return " · ".join(parts) or CENTRAL


def _escaped(text: str) -> str:
    return re.sub(r"[\\`*_~|\[\]<>:#]", r"\\\g<0>", text).replace("@", "@\u200b")
