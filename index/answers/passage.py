"""A stretch of one paper's text that answers may be quoted from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Passage:
    """An abstract, or a passage of a full text.

    Attributes
    ----------
    paper
        The paper's id in the store, or any number of the caller's choice.
    section
        The heading above the passage; empty for an abstract.
    closeness
        Cosine of the question with the paper's stored vector; None if it isn't known.
    """

    paper: int
    text: str
    title: str = ""
    section: str = ""
    page: int | None = None
    closeness: float | None = None

    @property
    def in_full_text(self) -> bool:
        """Whether it is part of a full text, and not an abstract."""
        return bool(self.section) or self.page is not None
