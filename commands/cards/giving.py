"""Replies about the papers that a digest was given to learn from."""

from __future__ import annotations

from collections.abc import Sequence

from commands.cards.digest_replies import name_of
from commands.cards.setup_pages import learned_from
from commands.cards.text import plural, shown
from data.records import Paper
from data.stores.digest_record import Digest
from data.stores.seeds import MOST_SEEDS, Seed

UNKNOWN_SHOWN = 3
NOTHING_GIVEN = "Give me something to learn from: papers, a file, an ORCID iD or a person."
NOT_AN_ORCID = "That is not an ORCID iD. It should look like 0000-0002-1825-0097."
PAGES_SPENT = "I have opened as many pages for you today as I may. Please try again tomorrow."
TAKEN_BACK_ALREADY = "These were taken back already."
NO_DIGEST = "You have no digest that could learn from these papers. /digest mine sets up your own."


def given(
    digest: Digest, new: int, seeds: Sequence[Seed], papers: Sequence[Paper], unknown: Sequence[str]
) -> str:
    """What a digest now learns from."""
    head = (
        f"{name_of(digest)} now learns from {plural(new, 'more paper')}."
        if new
        else f"{name_of(digest)} learns from all of these already."
    )
    if len(seeds) >= MOST_SEEDS:
        head += f" A digest learns from up to {MOST_SEEDS} papers; I left out any beyond that."
    lines = [head, learned_from(seeds, papers)]
    if unknown:
        lines.append(unknown_line(unknown))
    return "\n".join(lines)


def unknown_line(unknown: Sequence[str]) -> str:
    """What a member gave that is not a paper of this library."""
    names = ", ".join(f"“{shown(text, 60)}”" for text in unknown[:UNKNOWN_SHOWN])
    more = f" and {len(unknown) - UNKNOWN_SHOWN} more" if len(unknown) > UNKNOWN_SHOWN else ""
    return f"I don't know {names}{more}: I can only learn from papers that I have."


def none_known(unknown: Sequence[str]) -> str:
    """None of what a member gave is a paper of this library."""
    return (
        f"{unknown_line(unknown)} I changed nothing."
        if unknown
        else "I found no papers there, so I changed nothing. Try links, ids, titles or a reference file."
    )


def nobody(typed: str) -> str:
    """Nobody has this name."""
    return f"I know nobody called “{shown(typed, 60)}”. Check the spelling. I changed nothing."


def unreadable(why: str) -> str:
    """Why something can't be read."""
    return f"I couldn't read that: {shown(why.rstrip('.'), 300)}. I changed nothing."


def taken_back(digest: Digest, papers: int) -> str:
    """Papers were taken away again."""
    return f"Taken back: {name_of(digest)} no longer learns from {plural(papers, 'paper')}."


def which_learns(name: str) -> str:
    """Asks which digest should learn from somebody's papers."""
    return f"Which digest should learn from the papers of {shown(name, 60)}?"
