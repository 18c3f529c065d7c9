"""Invitations as text: the recipient's message, the first words of a thread for two, and a letter."""

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
    "waiting": "waiting for an answer",
    "accepted": "accepted",
    "not now": "not now",
    "withdrawn": "withdrawn",
    "expired": "ended without an answer",
}


def invited(sender: str, mention: str, server: str, about: str, why: str) -> str:
    """What the recipient reads: who asks, what about and why; and what each answer tells the sender."""
    lines = [f"## {shown(sender, 80)} would like to work with you", f"{mention} in **{shown(server, 80)}**"]
    if about:
        lines.append(f"**About** {shown(about, 500)}")
    tail = (
        "-# Accept opens a private thread for the two of you. If you press “Not now”, they can see only "
        "that. If you press Block, they learn nothing, now or later."
    )
    return "\n".join([*lines, why, tail])


def why_lines(name: str, suggestion: Suggestion | None, papers: Papers) -> str:
    """The reasons for the two, one heading lower than in a reply of their own; empty where none are known."""
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
    tail = "-# Only the two of you and those who manage threads here can read this. I will not write again."
    return "\n".join(part for part in [*lines, why, agenda, clocks, missing, tail] if part)


def agenda(names: tuple[str, str], suggestion: Suggestion | None, papers: Papers) -> str:
    """A plan for a first half hour; ``suggestion`` is for the first of the two."""
    first, second = (shown(name, 60) for name in names)
    lines = [
        "### A first half hour",
        "1. Five minutes each: what are you working on, and where are you stuck?",
    ]
    pair = [papers[n] for n in (suggestion.mine, suggestion.theirs) if n in papers] if suggestion else []
    if len({paper.id for paper in pair}) == 2:
        lines.append(
            f"2. Put {title_link(pair[0], 90)} and {title_link(pair[1], 90)} side by side. What does one "
            "take for granted that the other questions?"
        )
    else:
        lines.append("2. Each of you brings one paper of your own that the other should read first.")
    brings = []
    if suggestion and suggestion.you_add:
        brings.append(f"{first} brings {shown(suggestion.you_add[0], 60)}")
    if suggestion and suggestion.they_add:
        brings.append(f"{second} brings {shown(suggestion.they_add[0], 60)}")
    lines.append(
        f"3. {', '.join(brings)}: which question needs both?"
        if len(brings) == 2
        else "3. Which question could neither of you answer alone?"
    )
    lines.append("4. Agree on one small thing to try, who does it, and when you speak again.")
    return "\n".join(lines)


def clocks(names: tuple[str, str], profiles: tuple[Profile | None, Profile | None], now: datetime) -> str:
    """What time it is for each, where both show their time zone to everybody."""
    zones = [profile.time_zone if profile and profile.public else "" for profile in profiles]
    if not all(zones) or zones[0] == zones[1]:
        return ""
    times = [
        f"{now.astimezone(ZoneInfo(zone)):%H:%M} for {shown(name, 60)}"
        for zone, name in zip(zones, names, strict=True)
    ]
    return f"-# It is now {times[0]} and {times[1]}."


def letter_text(name: str, other: str, suggestion: Suggestion | None, papers: Papers, about: str) -> str:
    """A letter in plain text, in a block of code that nothing in it can end."""
    lines = [f"Dear {_plain(other)},", ""]
    pair = [papers[n] for n in (suggestion.mine, suggestion.theirs) if n in papers] if suggestion else []
    if suggestion and len({paper.id for paper in pair}) == 2:
        mine, theirs = (_plain(paper.title) for paper in pair)
        lines.append(f"I have read your paper “{theirs}”; it is close to our paper “{mine}”.")
    elif pair:
        lines.append(f"We both worked on “{_plain(pair[0].title)}”.")
    if suggestion and suggestion.between:
        lines.append(f"We have both written with {_plain(suggestion.between[0].name)}.")
    if suggestion and suggestion.shared:
        lines.append(f"We both work on {_plain(suggestion.shared[0])}.")
    if about:
        lines.append(f"I would like to talk with you about this: {_plain(about)}")
    lines += ["Would you have half an hour in the coming weeks?", "", f"Kind regards,\n{_plain(name)}"]
    return "```\n" + "\n".join(lines) + "\n```"


def _plain(text: str) -> str:
    return shorten(readable(text).replace("`", "'"), 300)


def line(invitation: Invitation, member: int, name: str) -> str:
    """An invitation in a member's own list."""
    state = STATE_WORDS.get(shown_state(invitation, member), "")
    thread = f" · <#{invitation.thread}>" if invitation.thread and invitation.state == "accepted" else ""
    way = "to" if invitation.sender == member else "from"
    about = f"\n-# {shown(invitation.about, 120)}" if invitation.about else ""
    return f"{way} **{shown(name, 80)}** · {invitation.made:%d %b %Y} · {state}{thread}{about}"
