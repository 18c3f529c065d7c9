"""How far people are judged. It imports nothing, since the running bot asks it."""

from __future__ import annotations


def outnumbered(authorships: int, judged: int) -> bool:
    """Whether authorships that no full pass has judged outnumber those that one has."""
    return authorships - judged > judged
