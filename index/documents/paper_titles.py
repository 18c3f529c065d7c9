"""Which lines of a paper are titles of its sections: told by type, room, number, and the PDF's contents."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from index.documents.paper_layout import body_size
from index.documents.paper_lines import Line

NUMBERED = re.compile(
    r"(?:(?:[1-9]\d?|[A-Z])(?:\.\d{1,2}){1,3}\.?|(?:[1-9]\d?|[A-Z]|[IVX]{1,5})[.)]?|Appendix\s+[A-Z]\b[.:]?)"
    r"\s+(?=[A-Z“\"])"
)
REFERENCES = re.compile(
    r"(?:\W*\d*\.?\s*)?(?:references(?: cited| and notes)?|bibliography|works cited|literature cited)\W*",
    re.I,
)
WORDS = re.compile(r"(?<![\w@./])[A-Za-zÀ-ž][a-zà-ž]{2,}(?![\w@/])")
"""Plain words: no number, no sign of a formula, no part of an address."""


class Titles:
    """Knows what a paper's usual text looks like, and so what a title is.

    Attributes
    ----------
    body
        The size of the usual text, in points.
    pitch
        The usual distance between two of its lines, in points.
    """

    def __init__(self, lines: Sequence[Line], contents: Collection[str]) -> None:
        self._contents = {_plain(title) for title in contents} - {""}
        self.body = body_size([line for line in lines if not line.mono])
        self.pitch = _pitch(lines, self.body)

    def is_title(self, line: Line, before: Line | None, after: Line | None) -> bool:
        """Whether a line is a title, by itself and by its neighbours in the order of reading."""
        text = line.text
        if not 2 < len(text) <= 120 or len(line.words) > 14 or line.pieces > 2 or line.mono:
            return False
        if self.says_so(line, before):
            return True
        if text.endswith((".", ",", ";", ":", "-")) or line.size < self.body - 0.6:
            return False
        letters = [letter for letter in text if letter.isalpha()]
        if len(letters) < 0.6 * len(text.replace(" ", "")):
            return False
        capitals = all(letter.isupper() for letter in letters) and len(letters) > 4
        larger = line.size > 1.08 * self.body
        gap = self.gap_above(line, before)
        if NUMBERED.match(text):
            return line.bold or larger or capitals or (line.italic and gap)
        marked = (line.bold or capitals or larger) and text[0].isupper()
        return marked and gap and after is not None and self._heads(line, after)

    def says_so(self, line: Line, before: Line | None) -> bool:
        """Whether the words tell: the PDF's own contents, or the titles that end or begin every paper."""
        plain = _plain(line.text)
        if plain in self._contents and len(plain) > 3:
            return True
        marked = line.bold or line.text.isupper() or line.size > 1.05 * self.body
        usual = plain == "abstract" or bool(REFERENCES.fullmatch(line.text))
        return usual and (marked or self.gap_above(line, before))

    def gap_above(self, line: Line, before: Line | None) -> bool:
        """Whether there is more room above a line than between two lines of a paragraph."""
        if before is None or before.page != line.page or before.column != line.column:
            return True
        return not 0 < before.y - line.y < 1.25 * self.pitch

    def goes_on(self, line: Line, further: Line) -> bool:
        """Whether a title goes on in the next line."""
        if line.page != further.page or line.column != further.column or NUMBERED.match(further.text):
            return False
        close = 0 < line.y - further.y < 1.6 * line.size
        alike = further.bold == line.bold and abs(further.size - line.size) < 0.3
        return close and alike and (line.bold or line.size > self.body + 0.6)

    def _heads(self, line: Line, after: Line) -> bool:
        """Whether a line stands above text, as a title does: at its left edge or in its middle."""
        if after.page != line.page or after.column != line.column:
            return False
        aligned = abs(line.x0 - after.x0) < 2 * self.body
        centred = abs(line.x0 + line.x1 - after.x0 - after.x1) < self.body
        below = 0 < line.y - after.y < 4 * self.pitch
        wordy = len(WORDS.findall(after.text)) >= 4
        return below and (aligned or centred) and (wordy or after.bold == line.bold)


def _plain(title: str) -> str:
    """A title without its number, case and signs."""
    return re.sub(r"[\W\d_]+", " ", NUMBERED.sub("", title + " ", count=1)).strip().casefold()


def _pitch(lines: Sequence[Line], body: float) -> float:
    """The usual distance between two lines of text, in points."""
    steps = sorted(
        one.y - other.y
        for one, other in pairwise(lines)
        if one.page == other.page
        and one.column == other.column
        and abs(one.size - body) < 0.6
        and abs(other.size - body) < 0.6
        and 0.9 * body < one.y - other.y < 2.5 * body
    )
    return steps[len(steps) // 2] if steps else 1.2 * body
