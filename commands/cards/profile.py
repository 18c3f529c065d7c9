"""What a claimed member says of themselves."""

from __future__ import annotations

from commands.cards.text import shown
from data.claims import Profile

STATUS_WORDS = {
    "open": "open to collaborate",
    "busy": "busy",
    "hiring": "hiring",
    "looking": "looking for a position",
}


def profile_lines(profile: Profile) -> str:
    """Status, seeking, offering, link and time zone; what was not said is left out."""
    lines = []
    head = [
        STATUS_WORDS.get(profile.status, ""),
        profile.time_zone and f"time zone {shown(profile.time_zone, 60)}",
    ]
    if any(head):
        lines.append("**In their own words** " + " · ".join(part for part in head if part))
    if profile.seeking:
        lines.append(f"**Seeks** {shown(profile.seeking, 300)}")
    if profile.offering:
        lines.append(f"**Offers** {shown(profile.offering, 300)}")
    if profile.link:
        lines.append(f"<{profile.link}>")
    return "\n".join(lines)
