"""What a member asks of their library: words, a tag, and how far they have read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Self

from data.stores.library import STATES


@dataclass(frozen=True, slots=True)
class LibraryQuery:
    """What a member asks of their library; an empty text stands for no limit."""

    search: str = ""
    tag: str = ""
    state: str = ""

    @classmethod
    def of(cls, search: str | None = None, tag: str | None = None, state: str | None = None) -> Self:
        """A query from what was typed, cut to what is of use."""
        return cls((search or "")[:200], (tag or "")[:60], state if state in STATES else "")

    def packed(self) -> str:
        """The query as text, for :meth:`unpacked`."""
        return json.dumps({"search": self.search, "tag": self.tag, "state": self.state})

    @classmethod
    def unpacked(cls, text: str) -> Self:
        """The query of a packed text."""
        return cls.of(**json.loads(text))
