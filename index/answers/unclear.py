"""What goes on from something before, but not clearly from what."""

from __future__ import annotations

from typing import Literal

Unclear = Literal["paper", "other", "person", "compared", "author", "whom", "unknown"]


class UnclearError(LookupError):
    """A message plainly goes on from what was asked before, and can't be answered as it stands.

    Attributes
    ----------
    what
        What is unclear: which ``paper``, which is the ``other`` one, what to say about a ``person``, what is
        to be ``compared``, which ``author`` of a paper, ``whom`` it is about, or what something ``unknown``
        is.
    about
        Whom or what it is about, if that is known.
    """

    def __init__(self, what: Unclear, about: str = "") -> None:
        super().__init__(f"{what}: {about}")
        self.what = what
        self.about = about
