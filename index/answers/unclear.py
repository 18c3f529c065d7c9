"""Messages that clearly go on from something, when it isn't clear from what."""

from __future__ import annotations

from typing import Literal

Unclear = Literal["paper", "other", "next", "person", "compared", "author", "whom", "unknown", "follow"]


class UnclearError(LookupError):
    """A message plainly goes on from what was asked before, and can't be answered as it stands.

    Attributes
    ----------
    what
        What is unclear: which ``paper``, which is the ``other`` or ``next`` one, what to say about a
        ``person``, what is to be ``compared``, which ``author`` of a paper, ``whom`` it is about, what
        something ``unknown`` is, or how to ``follow`` a person.
    about
        Whom or what it is about, if that is known.
    """

    def __init__(self, what: Unclear, about: str = "") -> None:
        super().__init__(f"{what}: {about}")
        self.what = what
        self.about = about
