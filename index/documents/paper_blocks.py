"""From a PDF's lines to paragraphs and captions under section titles; references and code are left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from index.documents.paper_lines import Line
from index.documents.paper_text import CAPTION, FORMULA, LONGEST, NOTE, TEXT, Joiner, TextBlock, stops
from index.documents.paper_titles import REFERENCES, WORDS, Titles

_CAPTION = re.compile(
    r"(?P<what>Figure|Fig|FIGURE|FIG|Table|TABLE|Tab|Algorithm|Listing|Scheme|Box)\.?\s*"
    r"(?P<number>[A-Z]?\.?\d{1,3}(?:\.\d{1,2})?|[IVX]{1,5})\s*(?:[.:|–—]|$)"
)
_ABSTRACT = re.compile(r"a\s?bstract\b\s*[.:—–-]*\s*", re.I)
_KEYWORDS = re.compile(r"(?:key\s?words|index terms|ccs concepts|acm reference format)\b", re.I)
MOST_BLOCKS = 5_000


def blocks_of(lines: Sequence[Line], titles: Collection[str] = ()) -> list[TextBlock]:
    """The paragraphs and captions of a paper.

    Parameters
    ----------
    lines
        In the order of reading.
    titles
        What the PDF's own table of contents names; a line with these words is a section's title.
    """
    return _Reader(lines, titles).read()


class _Reader:
    """Goes through the lines once; what it knows of the last ones decides what the next is."""

    def __init__(self, lines: Sequence[Line], titles: Collection[str]) -> None:
        self._lines = lines
        self._titles = Titles(lines, titles)
        self._body, self._pitch = self._titles.body, self._titles.pitch
        self._join = Joiner(line.text for line in lines)
        self._section, self._in_references = "", False
        self._open: TextBlock | None = None
        self._small: TextBlock | None = None
        self._before: Line | None = None
        self._formula = False
        self._left = 0.0
        self._out: list[TextBlock] = []
        self._front = 0
        """How many blocks stand before the first section's title."""

    def read(self) -> list[TextBlock]:
        """All blocks; what stands before the abstract is authors and addresses."""
        place = 0
        while place < len(self._lines) and len(self._out) < MOST_BLOCKS:
            place += self._take(place)
        self._close()
        kept = [
            block
            for number, block in enumerate(self._out)
            if number >= self._front or len(WORDS.findall(block.text)) >= 40
        ]
        return [
            block for block in kept if len(WORDS.findall(block.text)) >= 3 and not _KEYWORDS.match(block.text)
        ]

    def _take(self, place: int) -> int:
        """Read on from a line; returns how many lines were read."""
        line = self._lines[place]
        if (caption := _CAPTION.match(line.text)) and (taken := self._caption(place, caption)):
            return taken
        if taken := self._title(place):
            return taken
        self._text(line)
        self._before = line
        return 1

    # -- titles --------------------------------------------------------------------------------

    def _title(self, place: int) -> int:
        line = self._lines[place]
        after = self._lines[place + 1] if place + 1 < len(self._lines) else None
        if not self._titles.is_title(line, self._before, after):
            return self._run_in(line)
        if not self._section and line.page == 1 and line.size > 1.4 * self._body:
            return 1  # the title of the paper itself
        text, taken = line.text, 1
        while taken < 3 and place + taken < len(self._lines):
            last, further = self._lines[place + taken - 1], self._lines[place + taken]
            if not self._titles.goes_on(last, further) or self._titles.says_so(further, last):
                break
            text, taken = f"{text} {further.text}", taken + 1
        self._begin(text)
        self._before = self._lines[place + taken - 1]
        return taken

    def _run_in(self, line: Line) -> int:
        """An abstract whose title begins its first line."""
        match = _ABSTRACT.match(line.text)
        if not match or line.page > 2 or len(match[0]) == len(line.text) or not (line.bold or line.italic):
            return 0
        self._begin("Abstract")
        line.text = line.text[match.end() :]
        self._text(line)
        self._before = line
        return 1

    def _begin(self, title: str) -> None:
        self._close()
        if not self._front and not self._section:
            self._front = len(self._out)
        title = re.sub(r"\s+", " ", title).strip(" .:")
        self._in_references = bool(REFERENCES.fullmatch(title))
        self._section = title[:1].upper() + title[1:] if title.islower() else title

    # -- captions ------------------------------------------------------------------------------

    def _caption(self, place: int, caption: re.Match[str]) -> int:
        """A caption, from its first line to where its type or the distance of its lines changes."""
        first = self._lines[place]
        if (
            self._open is not None
            and not self._titles.gap_above(first, self._before)
            and abs(first.size - self._body) < 0.3
        ):
            return 0  # a sentence that speaks of a figure
        what = _NAMES.get(caption["what"].casefold(), caption["what"].title())
        block = TextBlock(CAPTION, f"{what} {caption['number'].strip('.')}", "")
        rest = first.text[caption.end() :].strip()
        self._join.join(block, rest or first.text, first.page)
        taken, pitch = 1, 0.0
        while place + taken < len(self._lines) and taken < 30:
            before, line = self._lines[place + taken - 1], self._lines[place + taken]
            step = before.y - line.y
            if line.page != first.page or line.column != first.column or abs(line.size - first.size) > 0.4:
                break
            if step <= 0 or step > 1.6 * first.size or (pitch and step > pitch + 1.5) or line.pieces > 2:
                break
            if _CAPTION.match(line.text) or line.mono:
                break
            pitch = step
            self._join.join(block, line.text, line.page)
            taken += 1
        self._out.append(block)
        self._before = self._lines[place + taken - 1]
        return taken

    # -- paragraphs ----------------------------------------------------------------------------

    def _text(self, line: Line) -> None:
        if self._in_references:
            return
        if line.size < self._body - 0.9:
            self._small_print(line)
            return
        if not self._is_prose(line):
            self._formula = self._formula or (
                line.size < self._body + 1 and line.pieces <= 3 and not line.mono
            )
            return
        if self._open is not None and self._begins_paragraph(line):
            self._close()
        if self._open is None:
            self._open = TextBlock(TEXT, self._section, "")
        elif self._formula and not stops(self._open.text.rstrip(":")) and self._same_page(line):
            self._open.text += f" {FORMULA}"
        self._formula = False
        self._left = (
            line.x0
            if self._before is None or self._before.column != line.column
            else min(line.x0, self._left)
        )
        self._join.join(self._open, line.text, line.page)

    def _same_page(self, line: Line) -> bool:
        assert self._open is not None
        return self._open.pages[-1][1] == line.page

    def _is_prose(self, line: Line) -> bool:
        """Whether a line is made of words: not a formula, a row of a table or a label of a figure."""
        words = WORDS.findall(line.text)
        signs = sum(not letter.isspace() for letter in line.text)
        if line.size > self._body + 1.5 or line.pieces > 3:
            return False
        if line.mono:
            return False
        letters = sum(len(word) for word in words)
        if len(words) >= 4 and letters >= 0.5 * signs:
            return True
        return self._goes_on_in(line)

    def _goes_on_in(self, line: Line) -> bool:
        """Whether a line of few words is the rest of a sentence: right below it and at its left edge."""
        before = self._before
        if self._open is None or before is None or stops(self._open.text):
            return False
        below = before.column == line.column and 0 < before.y - line.y < 1.3 * self._pitch
        return below and abs(line.x0 - self._left) < 0.6 * line.size and line.pieces == 1

    def _begins_paragraph(self, line: Line) -> bool:
        """Whether a line begins a paragraph; one whose sentence goes on never does."""
        before = self._before
        assert self._open is not None
        if len(self._open.text) > LONGEST or _KEYWORDS.match(line.text):
            return True
        if not stops(self._open.text):
            return False
        if before is None or before.page != line.page or before.column != line.column:
            return not line.text[:1].islower()
        indented = line.x0 - before.x0 > 0.6 * line.size
        return indented or before.y - line.y > 1.3 * self._pitch

    def _small_print(self, line: Line) -> None:
        """Footnotes and text in small type: a block of its own, so that no sentence is interrupted."""
        if self._small is not None and not self._goes_on(line):
            self._end_small()
        if self._small is None:
            if len(WORDS.findall(line.text)) < 4:
                return
            self._small = TextBlock(NOTE, self._section, "")
        self._join.join(self._small, re.sub(r"^[\^*†‡\d]{1,3}\s?(?=[A-Z])", "", line.text), line.page)

    def _goes_on(self, line: Line) -> bool:
        before = self._before
        if before is None or before.page != line.page or before.column != line.column:
            return False
        close = 0 < before.y - line.y < 1.9 * max(line.size, before.size)
        return (
            close
            and abs(before.size - line.size) < 0.9
            and not re.match(r"[\^*†‡\d]{1,3}\s?[A-Z]", line.text)
        )

    def _end_small(self) -> None:
        small, self._small = self._small, None
        if small is not None and len(WORDS.findall(small.text)) >= 8:
            self._out.append(small)

    def _close(self) -> None:
        self._end_small()
        if self._open is not None:
            self._out.append(self._open)
        self._open, self._formula = None, False


_NAMES = {"fig": "Figure", "figure": "Figure", "tab": "Table", "table": "Table"}
