"""How a reply to a search names people: those it asks for, and a paper's authors."""

from __future__ import annotations

from collections.abc import Sequence

from commands.cards.text import listed, shown
from index.search.understood import Understood

_MOST = 3
"""People named in a line; others are counted."""


def people_line(said: Understood, *, apart: bool = False) -> str:
    """Whose papers they are; "" where that is open. ``apart`` if they wrote nothing together."""
    if not said.people:
        return ""
    strict = said.people_sure or not said.text
    together = said.people_together and (strict or not apart)
    who = people_named(_each(said), "and") if together else people_named(said.people)
    return f"papers by {who}" if strict else f"papers by {who} first"


def other_papers(said: Understood) -> str:
    """Whose papers they are, where the query names a paper: which of its authors, and their names."""
    if not said.authors_of:
        return ""
    paper = shown(said.authors_of, 80)
    return f"other papers by {which_authors(said)} of {paper}: {people_named(said.authors, 'and')}"


def which_authors(said: Understood) -> str:
    """Which of a paper's authors are meant."""
    return f"the {said.authors_which} author" if said.authors_which else "the authors"


def the_name(said: Understood) -> str:
    """The name of the one author who is meant."""
    return f", {people_named(said.authors)}" if said.authors_which else ""


def _each(said: Understood) -> list[str]:
    """Each of the people who wrote together, as printed, or as typed where that is open."""
    named = zip(said.people_together, said.each_said, strict=True)
    return [typed if len(names) > 1 else names[0] for names, typed in named]


def all_of(said: Understood) -> str:
    """Who wrote nothing together."""
    return f"{'both' if len(said.people_together) == 2 else 'all of'} {people_named(_each(said), 'and')}"


def nobody(names: Sequence[str]) -> str:
    """That nobody here has some names; "" for none."""
    return f"nobody here publishes as {people_named([f'“{name}”' for name in names])}" if names else ""


def people_named(people: Sequence[str], joint: str = "or") -> str:
    """Some people's names: the first ones, and how many more there are."""
    more = len(people) - _MOST
    named = [shown(name, 60) for name in people[:_MOST]]
    return listed([*named, *([f"{more} more"] if more > 0 else [])], joint)
