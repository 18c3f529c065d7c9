"""What a member with a claim says about themselves."""

from __future__ import annotations

from collections.abc import Sequence

from commands.cards.text import plural, shown
from data.calendar.zones import title
from data.stores.claims import Profile
from data.stores.own_works import OwnEntry

STATUS_WORDS = {
    "open": "open to collaborate",
    "busy": "busy",
    "hiring": "hiring",
    "looking": "looking for a position",
}


def profile_lines(profile: Profile, entries: Sequence[OwnEntry] = ()) -> str:
    """What a member said about themselves: status, seeks and offers, links, time zone, and CV entries."""
    lines = []
    head = [
        STATUS_WORDS.get(profile.status, ""),
        profile.time_zone and f"time zone {shown(title(profile.time_zone), 60)}",
    ]
    if any(head):
        lines.append("**In their own words** " + " · ".join(part for part in head if part))
    if profile.seeking:
        lines.append(f"**Looking for** {shown(profile.seeking, 300)}")
    if profile.offering:
        lines.append(f"**Offers** {shown(profile.offering, 300)}")
    if profile.link:
        lines.append(" · ".join(f"<{link}>" for link in profile.link.split()))
    for kind, heading in (("interest", "Interests"), ("position", "Positions"), ("education", "Education")):
        said = [shown(entry.text, 70) for entry in entries if entry.kind == kind][
            : 6 if kind == "interest" else 2
        ]
        if said:
            lines.append(f"**{heading}** " + (", " if kind == "interest" else " · ").join(said))
    if works := [entry for entry in entries if entry.kind == "work" and entry.paper_id is None]:
        lines.append(_self_reported(works))
    return "\n".join(lines)


def _self_reported(works: Sequence[OwnEntry]) -> str:
    """Works that only the member vouches for, marked as such."""
    waiting = sum(work.status == "in submission" for work in works)
    titles = "; ".join(f"“{shown(work.text, 60)}”" for work in works[:3])
    more = f" and {len(works) - 3} more" if len(works) > 3 else ""
    counted = plural(len(works), "self-reported work") + (f", {waiting} in submission" if waiting else "")
    return f"**{counted}** {titles}{more}"
