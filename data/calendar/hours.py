"""What a typed time of day means: 08:30, 9am, 9:30 pm, noon, 21h, 21h30, 9 Uhr."""

from __future__ import annotations

import re
import unicodedata

EXAMPLES = "08:30, 9am, 9:30 pm, noon or 21h"
_NAMED = {"noon": "12:00", "12 noon": "12:00", "midday": "12:00", "midnight": "00:00"}
_TIME = re.compile(
    r"(?:at )?(?P<hour>[0-9]{1,2})(?: ?(?:[:.h]|uhr)? ?(?P<minute>[0-5][0-9])(?::00)?)?"
    r"(?: ?(?:h|uhr|o'clock))?(?: ?(?P<half>[ap])m?)?"
)


def time_named(text: str) -> str | None:
    """The time that a text means, as ``HH:MM``; None where it means none.

    Hours up to 12 without *am* or *pm* are those of a 24-hour clock. 12am is midnight, and 12pm noon.
    """
    typed = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())
    if typed in _NAMED:
        return _NAMED[typed]
    match = _TIME.fullmatch(re.sub(r"(?<![a-z])([ap])\. ?m\.?", r"\1m", typed))
    if match is None:
        return None
    hour, minute, half = int(match["hour"]), match["minute"] or "00", match["half"]
    if hour > 23 or (half == "a" and hour > 12) or (half == "p" and hour == 0):
        return None
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02d}:{minute}"
