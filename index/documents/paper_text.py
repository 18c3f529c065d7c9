"""A paper as text: blocks with section and page, and how its lines are joined into them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

TEXT, NOTE, CAPTION = "text", "note", "caption"
"""Kinds of blocks; a note is a footnote or other small print."""
MOST_TEXT = 2_000_000
"""Characters of one paper."""
FORMULA = "[formula]"
"""What stands for a formula that was set on lines of its own."""
LONGEST = 20_000
"""Characters of a block; what goes on further becomes another block."""
_STOP = re.compile(r"[.!?:;][\"'”’)\]]{0,4}$")
_TAIL = 80
"""The last characters of a text, which tell how it ends."""
_WORD = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})*")
_LAST = re.compile(r"([^\W\d_]{2,})-$")
_FIRST = re.compile(r"([^\W\d_]{2,})")


class NoPaper(Exception):
    """The file can't be read as a paper; the message says why, as ``it has no text`` does."""


@dataclass(slots=True)
class TextBlock:
    """A paragraph, a list's entry or a caption.

    Attributes
    ----------
    kind
        One of :data:`TEXT`, :data:`NOTE` and :data:`CAPTION`.
    section
        The title of its section with its number, such as ``3.2 Setup``; of a caption, ``Figure 3``.
    pages
        (first character, page) for each page that it stands on; empty where there are no pages.
    """

    kind: str
    section: str
    text: str
    pages: list[tuple[int, int]] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of(cls, plain: Any) -> TextBlock:
        """Back from JSON that the confined process wrote.

        Raises
        ------
        ValueError, TypeError, KeyError
            If it is no block: a file may have taken that process over.
        """
        kind, section, text = str(plain["kind"]), str(plain["section"]), str(plain["text"])
        pages = [(int(start), int(page)) for start, page in plain["pages"]]
        if len(pages) > LONGEST or any(not 0 < page < 100_000 for _, page in pages):
            raise ValueError("not the pages of a block")
        if kind not in (TEXT, NOTE, CAPTION):
            raise ValueError("not a block")
        return cls(kind, section[:300], text, pages)


def stops(text: str) -> bool:
    """Whether a text ends with a sentence's end, or a colon."""
    return bool(_STOP.search(text[-_TAIL:].rstrip()))


class Joiner:
    """Joins lines into running text; a word divided at a line's end becomes one again.

    Whether ``multi-`` and ``agent`` are ``multiagent`` or ``multi-agent`` is told by which of the two stands
    elsewhere in the paper; where neither does, a hyphen at a line's end is the typesetter's.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._known: Counter[str] = Counter()
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._prefixes: Counter[str] = Counter()
        for text in texts:
            for word in _WORD.findall(text):
                parts = word.casefold().split("-")
                self._known[word.casefold()] += 1
                self._pairs.update(pairwise(parts))
                self._prefixes.update(parts[:-1])

    def join(self, block: TextBlock, line: str, page: int | None = None) -> None:
        """Add a line to a block's text."""
        before = block.text
        last, first = _LAST.search(before[-_TAIL:]), _FIRST.match(line)
        if last and first:
            block.text = (before if self._keeps(last[1], first[1]) else before[:-1]) + line
        elif before.endswith(("-", "–", "—", "/")) and not before.endswith((" -", " –")):
            block.text = before + line
        else:
            block.text = f"{before} {line}" if before else line
        if page is not None and (not block.pages or block.pages[-1][1] != page):
            # A word that goes over two pages counts as standing on the first.
            start = len(block.text) - len(line)
            block.pages.append((start if start else 0, page))

    def _keeps(self, last: str, first: str) -> bool:
        """Whether the hyphen between two parts belongs to the word."""
        whole = self._known[f"{last}{first}".casefold()]
        divided = self._pairs[last.casefold(), first.casefold()]
        if whole != divided:
            return divided > whole
        # A part that often stands before a hyphen in this paper, as ``multi`` and ``self`` do, keeps it.
        return first[0].isupper() or last.isupper() or self._prefixes[last.casefold()] >= 3
