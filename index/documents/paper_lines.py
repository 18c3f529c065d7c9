"""The lines of a PDF's pages, with where and how each is set: what columns and headings are told by."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_CHARACTERS = 60_000
"""Of one page; a page with more isn't from a paper."""
_GAP = 1.1
"""Between two words, in ems: a wider gap separates columns or cells."""
_UPRIGHT = 0.05
"""Radians that a line may lean."""
_BOLD = re.compile(r"bold|medi$|demi|black|heavy|semib|cmbx|sfbx|ecbx|[a-z]TB$|-B$", re.I)
_ITALIC = re.compile(r"ital|obli|cmti|sfti|ecti|-it$|[a-z]TI$", re.I)
_MONO = re.compile(r"mono|courier|cmtt|sftt|ectt|consol|typewriter|inconsolata|[a-z]TT?\d*$|code", re.I)
_LIGATURES = {
    "\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st",
    "\ufb06": "st", "\u00ad": "-", "\x02": "-", "\ufffe": "-", "\u00a0": " ", "\u2010": "-", "\u2011": "-",
}  # fmt: skip
NOTE_MARK = re.compile(
    r"(?<=[^\W\d_]{4})\^(?:\d{1,2}(?:,\d{1,2})*)(?=\W|$)|(?<=[.,;:!?)’”])\^\d{1,2}(?=\s|$)"
)
"""A raised number after a word or a stop: it leads to a note and isn't an exponent."""


@dataclass(slots=True)
class Line:
    """A run of text on one baseline; lengths in points, from the page's lower left corner.

    Attributes
    ----------
    size
        The size of most of its letters, as printed.
    pieces
        How many runs far from each other it was put together from: cells of a table have several.
    """

    page: int
    text: str
    x0: float
    x1: float
    y: float
    size: float
    bold: bool = False
    italic: bool = False
    mono: bool = False
    pieces: int = 1
    column: int = 0
    """0 over the whole width, 1 and 2 for the left and the right column."""
    band: int = 0
    """Counts the parts of a page that full-width lines divide."""
    words: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.words = self.text.split()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page: its number (from 1), its width and height in points, and its lines as they come."""

    number: int
    width: float
    height: float
    lines: list[Line]


class Letter(NamedTuple):
    """A letter as it stands on a page; ``place`` is its number there, lengths are in points."""

    sign: str
    left: float
    right: float
    y: float
    size: float
    place: int


class PageReader:
    """Reads lines through pdfium's raw interface, which tells where each letter stands."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self._numbers = [ctypes.c_double() for _ in range(6)]
        self._name = ctypes.create_string_buffer(256)
        self._flags = ctypes.c_int()
        self._matrix = raw.FS_MATRIX()

    def sheet(self, page: Any, number: int) -> Sheet:
        """The lines of one page."""
        width, height = page.get_size()
        text_page = page.get_textpage()
        made = [self._line(text_page, letters, number) for letters in self._runs(text_page)]
        return Sheet(number, width, height, [line for line in made if line is not None])

    def _runs(self, text_page: Any) -> list[list[Letter]]:
        """The letters of each run, in the order in which they are drawn."""
        raw, (left, right, low, high, x, y) = self._raw, self._numbers
        runs: list[list[Letter]] = []
        letters: list[Letter] = []
        for place in range(min(text_page.count_chars(), MOST_CHARACTERS)):
            code = raw.FPDFText_GetUnicode(text_page, place)
            if code in (10, 13):
                letters = []
                continue
            sign = chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else " "
            sign = _LIGATURES.get(sign, sign)
            if sign.isspace():
                if letters:
                    last = letters[-1]
                    letters.append(Letter(" ", last.right, last.right, last.y, last.size, last.place))
                continue
            raw.FPDFText_GetCharBox(text_page, place, left, right, low, high)
            raw.FPDFText_GetCharOrigin(text_page, place, x, y)
            size = raw.FPDFText_GetFontSize(text_page, place)
            letter = Letter(sign, left.value, right.value, y.value, size, place)
            if not letters or _far(letters[-1], letter):
                letters = []
                runs.append(letters)
            letters.append(letter)
        return runs

    def _line(self, text_page: Any, letters: list[Letter], number: int) -> Line | None:
        raw, matrix = self._raw, self._matrix
        scale = 1.0
        if raw.FPDFText_GetMatrix(text_page, letters[0].place, matrix):
            if abs(math.atan2(matrix.b, matrix.a)) > _UPRIGHT:
                return None  # arXiv's stamp in the margin, labels of axes
            scale = math.hypot(matrix.c, matrix.d) or 1.0  # microtype stretches letters sideways
        size = most_often(round(letter.size, 1) for letter in letters if letter.sign != " ")
        y = most_often(round(one.y, 1) for one in letters if round(one.size, 1) == size)
        text = NOTE_MARK.sub("", _raised(letters, y, size * scale)).strip()
        if not text:
            return None
        ends = [self._font(text_page, letters[place].place) for place in (0, -1)]
        return Line(
            number,
            " ".join(text.split()),
            min(letter.left for letter in letters),
            max(letter.right for letter in letters),
            y,
            round(size * scale, 1),
            all(_BOLD.search(name) for name in ends),
            all(_ITALIC.search(name) for name in ends),
            all(_MONO.search(name) for name in ends),
        )

    def _font(self, text_page: Any, place: int) -> str:
        self._name.value = b""
        self._raw.FPDFText_GetFontInfo(text_page, place, self._name, 256, self._flags)
        return self._name.value.decode("utf-8", "replace").rpartition("+")[2]


def most_often(values: Iterable[float]) -> float:
    """The value that comes most often. (``most_common(1)`` imports, which a confined process can't.)"""
    counts = Counter(values)
    return max(counts, key=counts.__getitem__)


def _far(last: Letter, letter: Letter) -> bool:
    """Whether a letter begins another run than the last one's."""
    larger = max(last.size, letter.size, 1.0)
    return (
        abs(letter.y - last.y) > 0.7 * larger or not -0.8 * larger < letter.left - last.right < _GAP * larger
    )


def _raised(letters: list[Letter], y: float, size: float) -> str:
    """The text, with ``^`` before small raised digits: ``10^6`` is not 106."""
    out: list[str] = []
    up = False
    for letter in letters:
        above = letter.sign.isdigit() and letter.y - y > 0.2 * size
        if above and not up and out and not out[-1].isspace():
            out.append("^")
        up = above or (up and letter.sign in ",−-–")
        out.append(letter.sign)
    return "".join(out)
