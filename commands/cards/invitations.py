"""Invitations as text: what the invited reads, what opens the thread of two, what one can send oneself."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from commands.cards.collaborators import reasons
from commands.cards.text import readable, shorten, shown, title_link
from data.records import Paper
from data.stores.claims import Profile
from data.stores.invitations import Invitation, shown_state
from index.people.suggest import Suggestion

Papers = Mapping[int, Paper]
STATE_WORDS = {
    "waiting": "waits for an answer",
    "accepted": "accepted",
    "not now": "not now",
    "withdrawn": "withdrawn",
    "expired": "ended without an answer",
}


def invited(sender: str, mention: str, server: str, about: str, why: str) -> str:
    """What the invited reads: who, about what, why; and what each answer tells the other."""
    lines = [f"## {shown(sender, 80)} would like to work with you", f"{mention} in **{shown(server, 80)}**"]
    if about:
        lines.append(f"**About** {shown(about, 500)}")
    tail = (
        "-# Accept opens a private thread for the two of you. “Not now” tells them only that. Block tells them "
        "nothing, now or later."
    )
    return "\n".join([*lines, why, tail])


def why_lines(name: str, suggestion: Suggestion | None, papers: Papers) -> str:
    """The shared reasons, one heading lower than in their own reply; nothing where none are known."""
    if suggestion is None:
        return ""
    return reasons(name, suggestion, papers).replace("## Why", "### Why", 1)


def opening(
    invitation: Invitation, names: tuple[str, str], why: str, agenda: str, clocks: str, missing: str
) -> str:
    """The first message of the private thread."""
    first, second = (shown(name, 80) for name in names)
    lines = [f"## {first} and {second}", f"<@{invitation.sender}> <@{invitation.recipient}>"]
    if invitation.about:
        lines.append(f"**About** {shown(invitation.about, 500)}")
    tail = "-# Nobody else reads this, but those who manage threads here. I will not write again."
    return "\n".join(part for part in [*lines, why, agenda, clocks, missing, tail] if part)


def agenda(names: tuple[str, str], suggestion: Suggestion | None, papers: Papers) -> str:
    """Half an hour to begin with; ``suggestion`` is from the first's side."""
    first, second = (shown(name, 60) for name in names)
    lines = [
        "### A first half hour",
        "1. Each in five minutes: what you work on now, and where it is stuck.",
    ]
    pair = [papers[n] for n in (suggestion.mine, suggestion.theirs) if n in papers] if suggestion else []
    if len({paper.id for paper in pair}) == 2:
        lines.append(
            f"2. Side by side: {title_link(pair[0], 90)} and {title_link(pair[1], 90)}. What does one take for "
            "given that the other questions?"
        )
    else:
        lines.append("2. Each brings one paper of their own that the other should read first.")
    brings = []
    if suggestion and suggestion.you_add:
        brings.append(f"{first} brings {shown(suggestion.you_add[0], 60)}")
    if suggestion and suggestion.they_add:
        brings.append(f"{second} brings {shown(suggestion.they_add[0], 60)}")
    lines.append(
        f"3. {', '.join(brings)}: which question needs both?"
        if len(brings) == 2
        else "3. Which question would neither of you answer alone?"
    )
    lines.append("4. One small thing to try, who does it, and when you speak again.")
    return "\n".join(lines)


def clocks(names: tuple[str, str], profiles: tuple[Profile | None, Profile | None], now: datetime) -> str:
    """What time it is for each, where both say so to everybody."""
    zones = [profile.time_zone if profile and profile.public else "" for profile in profiles]
    if not all(zones) or zones[0] == zones[1]:
        return ""
    times = [
        f"{now.astimezone(ZoneInfo(zone)):%H:%M} for {shown(name, 60)}"
        for zone, name in zip(zones, names, strict=True)
    ]
    return f"-# Now it is {times[0]} and {times[1]}."


def to_send_oneself(name: str, other: str, suggestion: Suggestion | None, papers: Papers, about: str) -> str:
    """A letter in plain text; nothing in it can end the block that it is shown in."""
    lines = [f"Dear {_plain(other)},", ""]
    pair = [papers[n] for n in (suggestion.mine, suggestion.theirs) if n in papers] if suggestion else []
    if suggestion and len({paper.id for paper in pair}) == 2:
        mine, theirs = (_plain(paper.title) for paper in pair)
        lines.append(f"I have read your paper “{theirs}”; it lies close to ours, “{mine}”.")
    elif pair:
        lines.append(f"We both worked on “{_plain(pair[0].title)}”.")
    if suggestion and suggestion.between:
        lines.append(f"We have both written with {_plain(suggestion.between[0].name)}.")
    if suggestion and suggestion.shared:
        lines.append(f"We both work on {_plain(suggestion.shared[0])}.")
    if about:
        lines.append(f"I would like to talk with you about this: {_plain(about)}")
    lines += ["Would you have half an hour in the next weeks?", "", f"With kind regards,\n{_plain(name)}"]
    return "```\n" + "\n".join(lines) + "\n```"


def _plain(text: str) -> str:
    return shorten(readable(text).replace("`", "'"), 300)


def line(invitation: Invitation, member: int, name: str) -> str:
    """An invitation in one's own list."""
    state = STATE_WORDS.get(shown_state(invitation, member), "")
    thread = f" · <#{invitation.thread}>" if invitation.thread and invitation.state == "accepted" else ""
    way = "to" if invitation.sender == member else "from"
    about = f"\n-# {shown(invitation.about, 120)}" if invitation.about else ""
    return f"{way} **{shown(name, 80)}** · {invitation.made:%d %b %Y} · {state}{thread}{about}"
