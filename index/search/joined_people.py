"""How people are named together in a query: "A and B" wrote papers both, "A or B" either, "A with B" both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from index.search.names import Name

PAPERS = r"(?:papers?|articles?|works?|publications?)"
_WITH = (
    r"(?:(?:wrote|write|writes|written|co-?authored|collaborat(?:ed|es?)|publish(?:ed)?|work(?:s|ed)?)\s+)?"
    r"(?:together\s+)?with"
)
JOINS = re.compile(
    rf"(?P<owns>['’]s)?\s*(?:,?\s*(?:(?P<and>and|&|\+)|or|nor|(?P<with>{_WITH}))\s+(?P<by>(?:papers\s+)?by\s+)?|,\s*)",
    re.IGNORECASE,
)
WROTE_IT = re.compile(
    r"\s+(?:(?:have|has|had)\s+)?(?:(?:both|jointly)\s+)?(?:(?:co-?)?wrote|(?:co-?)?(?:written|authored)|published)"
    r"\b(?:\s+(?:together|jointly)\b)?",
    re.IGNORECASE,
)
THAT = re.compile(rf"\b{PAPERS}\s+(?P<that>(?:(?:that|which)\s+)?(?:both\s+)?)$", re.IGNORECASE)
JOINTLY = re.compile(r"\s+(?:together|jointly)\b", re.IGNORECASE)
JOINT = re.compile(rf"\b(?:joint|common|shared|co-?authored)\s+(?={PAPERS}\b)", re.IGNORECASE)
"""What says again that people wrote together."""
EITHER = re.compile(r"(?:(?P<both>both)|either(?:\s+of)?|(?:one|any)\s+of)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A place of a text that names somebody."""

    names: tuple[Name, ...]
    """Empty where nobody here has the name."""
    start: int
    end: int


def joints(text: str, found: Sequence[Mentioned]) -> list[re.Match[str] | None]:
    """What stands between each of some people and the next."""
    return [JOINS.fullmatch(text, one.end, other.start) for one, other in pairwise(found)]


def are_joined(text: str, found: Sequence[Mentioned]) -> bool:
    """Whether people are named together: "A and B", "A, B and C", "A with B"; not "A or B", "A's and B's"."""
    between = joints(text, found)
    if any(joint is not None and joint["with"] for joint in between):
        return True
    said = [joint for joint in between if joint is None or joint[0].strip() != ","]
    return bool(said) and all(
        joint is not None and joint["and"] and not joint["by"] and not joint["owns"] for joint in said
    )


def is_either(text: str, start: int) -> bool:
    """Whether names from a place on are a choice: "either A or B", "any of A, B and C"."""
    either = EITHER.match(text, start)
    return either is not None and not either["both"]
