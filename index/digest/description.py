"""What a digest's description says: its subject, and what to leave out."""

from __future__ import annotations

import re
from dataclasses import dataclass

from data.keys import clean
from index.search.search import Search
from index.search.typos import replaced
from index.search.understood import DATES, LACKING, LIKENESS, PARTS, PEOPLE, TYPOS, Understood

LONGEST_DESCRIPTION = 500
"""Characters that a form takes."""
_AS_TYPED = frozenset((DATES, LACKING, LIKENESS, PEOPLE, TYPOS))
"""Parts of a query that a description has no use for, or that may be wrong where nobody can undo them."""
_ONLY_DECLINES = re.compile(
    r"\s*(?:(?:anything|everything)\s+but|but\s+(?:not|no)(?:\s+about)?|not\s+about|nothing\s+(?:about|on)"
    r"|(?:(?:anything|everything|all(?:\s+papers)?)\s+)?except(?:\s+for)?)\s+(?=\S)",
    re.IGNORECASE,
)
_MAY_DECLINE = re.compile(
    r"\b(?:no(?!-)|not|nothing|without|except|excluding|unless|minus|avoid(?:ing)?|ignore|apart\s+from|leave\s+out"
    r"|don['’]?t)\b|\bw/o\b",
    re.IGNORECASE,
)
"""What may be meant to leave something out."""
_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class CheckedDescription:
    """A description as it was read, and what may be wrong with it.

    Attributes
    ----------
    subject
        What papers are compared with, if that is not all that was typed.
    without
        What papers shall not mention.
    typos
        Words that may be misspelt, as (typed, meant).
    corrected
        The description with these as they may be meant; empty where there are none, or it would be too long.
    people
        Names of authors in it, which a description has no use for.
    foreign
        The language, where it is not English.
    unwanted_people
        Names of authors whose papers it doesn't want, which it can't leave out.
    may_decline
        Words of it that may be meant to leave something out, which they don't; empty for none.
    """

    subject: str
    without: tuple[str, ...]
    typos: tuple[tuple[str, str], ...]
    corrected: str
    people: tuple[str, ...]
    foreign: str | None
    unwanted_people: tuple[str, ...]
    may_decline: str


async def read_description(search: Search, typed: str) -> Understood:
    """A description's subject, and what it declines.

    Of "I'm interested in papers on drones, but not robots", drones are the subject. Names of authors are left
    out of it, since a digest has people of its own; words stay as they were typed, since only who typed them
    can say whether they are misspelt; and "drones without GPS" stays a subject. A line ends a sentence.
    """
    typed = ". ".join(filter(None, (line.strip(" .") for line in typed.splitlines())))
    if begins := _ONLY_DECLINES.match(typed):
        said = await search.understand(f"papers except {typed[begins.end() :]}", undo=_AS_TYPED, as_text=True)
        if said.without and not said.text.strip():
            return said
    said = await search.understand(typed, undo=_AS_TYPED, as_text=True)
    return said if said.text.strip() else await search.understand(typed, undo=PARTS, as_text=True)


async def check_description(search: Search, typed: str) -> CheckedDescription | None:
    """What to tell those who typed a description; None without one."""
    if not typed.strip():
        return None
    read = await read_description(search, typed)
    guessed = await search.understand(typed, undo=_AS_TYPED - {PEOPLE, TYPOS}, as_text=True)
    is_all = _SIGNS.sub(" ", read.text).strip() == _SIGNS.sub(" ", typed).strip()
    declines = _MAY_DECLINE.search(read.text)
    plain = "\n".join(map(clean, typed.splitlines()))
    corrected = replaced(plain, guessed.fixed)
    return CheckedDescription(
        "" if is_all else read.text,
        read.without,
        guessed.fixed,
        corrected if corrected != plain and len(corrected) <= LONGEST_DESCRIPTION else "",
        guessed.people,
        guessed.foreign,
        read.unwanted_people,
        declines[0] if declines else "",
    )
