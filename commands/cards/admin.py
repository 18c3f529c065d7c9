"""What the operator sees in Discord: corrections, claims, contests, bans, servers and the audit log."""

from __future__ import annotations

from collections.abc import Sequence

from discord import ui

from commands.cards.lists import note
from commands.cards.text import moment, shown
from data.stores.audit import AuditEntry
from data.stores.bans import Ban
from index.trust.operator import AuditLine

_ROOM = 3_600
"""Characters of lines; Discord takes 4,000 in all."""


def lines_card(subject: str, lines: Sequence[AuditLine]) -> ui.LayoutView:
    """Corrections, claims or contests, newest first."""
    rows = [
        f"**{line.number}** · {line.state} · {moment(line.made)}"
        + (f" · server {line.guild}" if line.guild else "")
        + f"\n-# {shown(line.text, 300)}"
        for line in lines
    ]
    return _listed(
        f"## Newest {subject}s",
        rows,
        f"There are no {subject}s yet.",
        f"-# /admin undo what:{subject} number:…",
    )


def troubles_card(troubles: Sequence[str]) -> ui.LayoutView:
    """What needs the operator's attention."""
    more = "-# python -m bot doctor looks at everything else"
    return _listed(
        "## Needs your attention",
        [shown(text, 600) for text in troubles],
        "As far as I know, nothing is wrong.",
        more,
    )


def bans_card(bans: Sequence[Ban]) -> ui.LayoutView:
    """Who is banned."""
    rows = [f"**{ban.kind} {ban.target}** · {moment(ban.made)}\n-# {shown(ban.reason, 300)}" for ban in bans]
    return _listed("## Banned", rows, "Nobody is banned.", "-# /admin unban lifts a ban")


def servers_card(here: Sequence[tuple[int, str]], allowed: Sequence[int]) -> ui.LayoutView:
    """The servers that Labmate is in (id and name), and which of them may use it."""
    on_list = set(allowed)
    rows = [
        f"**{shown(name, 100)}** · {guild}"
        + (
            ""
            if not on_list
            else " · on the list"
            if guild in on_list
            else " · not on the list, so it can't use me"
        )
        for guild, name in here
    ]
    absent = on_list - {guild for guild, _ in here}
    rows += [f"{guild} · on the list, but I am not there" for guild in sorted(absent)]
    rule = (
        "Only servers on the list may use me." if on_list else "There is no list, so every server may use me."
    )
    return _listed(
        "## Servers",
        rows,
        "I am not in any server.",
        f"-# {rule} /admin allow and /admin disallow change the list.",
    )


def audit_card(entries: Sequence[AuditEntry]) -> ui.LayoutView:
    """Who decided what."""
    rows = [
        f"{moment(entry.made)} · **{entry.action}** · {shown(entry.subject, 100)} · "
        + (f"by {entry.actor}" if entry.actor else "by Labmate, or from the command line")
        + (f"\n-# {shown(entry.detail, 200)}" if entry.detail else "")
        for entry in entries
    ]
    return _listed("## Audit log", rows, "No decisions yet.", "")


def _listed(heading: str, rows: Sequence[str], empty: str, footer: str) -> ui.LayoutView:
    """As many rows as fit in a message; the command line shows all of them."""
    if not rows:
        return note(f"{heading}\n{empty}")
    shown_rows: list[str] = []
    length = 0
    for row in rows:
        length += len(row) + 1
        if length > _ROOM:
            break
        shown_rows.append(row)
    left = len(rows) - len(shown_rows)
    more = f"-# and {left} more; see python -m bot admin" if left else ""
    return note("\n".join(filter(None, [heading, *shown_rows, more, footer])))
