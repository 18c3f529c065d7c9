"""What is said about one author of the paper before, by place: "who is the last author?"."""

from __future__ import annotations

import re

from index.answers.asked_before import Before
from index.answers.compared_before import one_paper
from index.answers.of_person import ABOUT, MORE, PAPERS
from index.answers.unclear import UnclearError
from index.search.routing import Route, routed
from index.search.search import Search

_AT = r"(?:the|its) (?P<place>(?a:first|second|third|last|senior)) author"
_AUTHOR_AT = re.compile(rf"\b{_AT}\b", re.IGNORECASE)
_ALL_AUTHOR_AT = re.compile(
    r"(?:(?:and|so|ok|any|show(?: me)?|find(?: me)?|list|what about|how about)\s+)*"
    rf"(?:(?:the )?(?:{MORE} )*{PAPERS} (?:by|from|of) {_AT}{ABOUT}?"
    rf"|(?:who(?:['’]?s| is| are| was) )?{_AT.replace('place', 'one')}s?"
    rf"|{_AT.replace('place', 'whose')}['’]?s['’]? (?:{MORE} )*{PAPERS}{ABOUT}?)",
    re.IGNORECASE,
)
"""Which names no paper."""
_SUBJECT = re.compile(ABOUT, re.IGNORECASE)


async def of_author_at(search: Search, said: str, before: Before) -> Route | None:
    """The command for what is asked of one author of the paper before; None for anything else.

    After a list of papers by the authors of a paper, its authors are meant.

    Raises
    ------
    UnclearError
        Where there is no such paper.
    """
    which = asks_of_author_at(said)
    if not which:
        return None
    of = (await search.understand(before.said)).authors_of if before.command == "search" else ""
    if of and which in ("first", "last", "senior") and _SUBJECT.search(said) is None:
        return Route("search", {"query": f"papers by the {which} author of {of}"})
    if named := await with_author_named(search, said, of or await one_paper(search, before)):
        return await routed(search, named)
    raise UnclearError("paper")


def asks_of_author_at(said: str) -> str:
    """The place of the author of whom a text asks that names no paper; "" for none: "the last author?"."""
    match = _ALL_AUTHOR_AT.fullmatch(" ".join(said.split()).strip(" ?!."))
    return (match["place"] or match["one"] or match["whose"]).lower() if match is not None else ""


async def with_author_named(search: Search, said: str, paper: str) -> str | None:
    """A text with the name of the paper's author whom it means by place: "the last author's papers"."""
    match = _AUTHOR_AT.search(said)
    if match is None or not paper:
        return None
    authors = (await search.understand(f"papers by the authors of {paper}")).authors
    place = {"last": -1, "senior": -1, "second": 1, "third": 2}.get(match["place"].lower(), 0)
    if not -1 <= place < len(authors):
        return None
    return f"{said[: match.start()]}{authors[place]}{said[match.end() :]}"
