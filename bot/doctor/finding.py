"""A finding of the doctor: how things are, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["good", "note", "bad"]
"""``note``: Labmate works, but something could be better."""


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's report; the advice says what to do."""

    state: State
    text: str
    advice: str = ""


def good(text: str) -> list[Finding]:
    """Nothing to do."""
    return [Finding("good", text)]


def note(text: str, advice: str) -> list[Finding]:
    """It works, but it could be better."""
    return [Finding("note", text, advice)]


def bad(text: str, advice: str = "") -> list[Finding]:
    """It does not work."""
    return [Finding("bad", text, advice)]
