"""What `/search` was asked, as one line of text that a button carries."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from urllib.parse import quote, unquote

from commands.cards.lists import PAGE
from commands.cards.search import TEN
from index.search.understood import PARTS
from index.search.wishes import Order

_LETTERS: dict[Order, str] = {"best": "B", "newest": "N", "oldest": "O", "cited": "C"}
_TEN = "X"


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What `/search` was asked."""

    query: str
    since: date | None = None
    category: str | None = None
    author: str | None = None
    order: Order | None = None
    """The order that a member chose; None where the query decides."""
    many: bool = False
    """Ten papers a page instead of five."""
    undo: frozenset[str] = frozenset()
    """Parts of the understanding that a member undid."""

    def code(self) -> str:
        """As one line of text."""
        since = self.since.isoformat() if self.since else ""
        how = (_LETTERS[self.order] if self.order else "") + _TEN * self.many + "".join(sorted(self.undo))
        parts = (self.query, since, self.category or "", self.author or "", how)
        return "&".join(quote(part, safe=" ") for part in parts)

    @classmethod
    def from_code(cls, code: str) -> SearchQuery:
        """What a line of text asks; missing parts ask nothing."""
        query, since, category, author, how = (*map(unquote, code.split("&")), "", "", "", "", "")[:5]
        try:
            start = date.fromisoformat(since) if since else None
        except ValueError:
            start = None
        order = next((order for order, letter in _LETTERS.items() if letter in how), None)
        undo = PARTS & frozenset(how)
        return cls(query, start, category or None, author or None, order, _TEN in how, undo)

    @property
    def page(self) -> int:
        """Papers on a page."""
        return TEN if self.many else PAGE
