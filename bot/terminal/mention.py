"""Lines that mention Labmate, as its name is typed in Discord."""

from __future__ import annotations

import re

_MENTION = re.compile(r"@labmate\b[,:]?\s*(.*)", re.IGNORECASE | re.DOTALL)


def mention_in(line: str) -> str | None:
    """What a line such as ``@Labmate papers by ChonLam Lao`` says to Labmate; None for any other line."""
    match = _MENTION.fullmatch(line.strip())
    return match[1] if match else None
