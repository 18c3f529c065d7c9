"""Why a paper stands in a digest, as facts; cards and feeds put them into words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownWriter:
    """An author whose papers a digest's readers want."""

    name: str
    is_member: bool = False
    """Whether the author is a member of the server."""
    is_watched: bool = False
    """Whether the digest itself names them; one who is neither is followed by readers."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a paper was chosen; without any of these, it is typical of its day's papers.

    Attributes
    ----------
    by
        Authors whom the digest watches or readers follow, or who are members.
    near
        The title of a similar paper that readers saved or liked: the most similar that no reason of the same
        digest names yet, if there is one.
    near_count
        How many such papers it is similar to.
    words
        Phrases that it has in common with that paper, or else with the description that it matches.
    own
        Whether one member saved or liked them; otherwise, the server's members did.
    given
        Whether the similar paper is one that the digest was given to learn from.
    followed
        Whether it is one that the reader follows.
    wrote
        Whether it is one that the reader wrote.
    query
        The description in plain words that it matches.
    printed
        Whether it matches that only by printing it.
    category
        The category that its reader follows, where nothing else speaks for it.
    text
        A reason in words, kept from before reasons were facts.
    """

    by: tuple[KnownWriter, ...] = ()
    near: str = ""
    near_count: int = 0
    own: bool = False
    query: str = ""
    text: str = ""
    words: tuple[str, ...] = ()
    given: bool = False
    printed: bool = False
    followed: bool = False
    wrote: bool = False
    category: str = ""


TYPICAL = Reason()
"""Nothing is known of its readers: the paper is typical of its day."""
