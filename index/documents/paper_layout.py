"""From lines as they come to lines as they are read: columns in order, without headers and page numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from index.documents.paper_lines import NOTE_MARK, Line, Sheet

_EDGE = 0.12
"""The share of a page's height, at the top and at the bottom, in which headers and footers stand."""
_NUMBER = re.compile(
    r"[\s\-–—|·]*(?:page\s+)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*(?:/|of)\s*\d{1,4})?[\s\-–—|·]*", re.I
)
_DIGITS = re.compile(r"\d{1,4}")
_LINE_NUMBERS = 15
"""That many numbers below each other count the lines of a manuscript."""
_TRIED = 600
"""Places, at most, into which a page's width is divided to look for a gutter."""
_OVERHANG = 15.0
"""Points by which a line reaches into both columns if it belongs to neither."""


def reading_order(sheets: Sequence[Sheet]) -> list[Line]:
    """All lines in the order of reading; what runs along pages, and numbers of pages and lines, left out."""
    lines = [_without_line_numbers(sheet.lines) for sheet in sheets]
    gutters = [_gutter(sheet, page) for sheet, page in zip(sheets, lines, strict=True)]
    usual = sorted(gutter for gutter in gutters if gutter is not None)
    if 2 * len(usual) >= len(sheets) > 0:  # a page with little text on it has the columns of the others
        known = usual[len(usual) // 2]
        gutters = [
            found or _gutter(sheet, page, known)
            for found, sheet, page in zip(gutters, sheets, lines, strict=True)
        ]
    rows = [_rows(page, gutter) for page, gutter in zip(lines, gutters, strict=True)]
    furniture = _furniture(sheets, rows)
    return [line for page in rows for line in page if id(line) not in furniture]


def body_size(lines: Sequence[Line]) -> float:
    """The size in which most of the text is set; 10 points for none."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=sizes.__getitem__) if sizes else 10.0


# -- columns ---------------------------------------------------------------------------------------


def _rows(lines: Sequence[Line], gutter: float | None) -> list[Line]:
    """A page's lines in order, those on one baseline of a column put together."""
    if gutter is None:
        return _together(lines, 0, 0)
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    band = 0

    def flush() -> None:
        nonlocal band
        ordered.extend(_together(left, 1, band))
        ordered.extend(_together(right, 2, band))
        band += bool(left or right)
        left.clear()
        right.clear()

    wide: list[Line] = []
    for line in sorted(lines, key=lambda one: -one.y):
        if line.x0 < gutter - _OVERHANG and line.x1 > gutter + _OVERHANG:
            flush()
            wide.append(line)
            continue
        same_row = wide and abs(wide[-1].y - line.y) < 0.3 * line.size
        if same_row:  # the rest of a line over the whole width
            wide.append(line)
            continue
        if wide:
            ordered.extend(_together(wide, 0, band))
            band += 1
            wide = []
        (left if (line.x0 + line.x1) / 2 < gutter else right).append(line)
    flush()
    ordered.extend(_together(wide, 0, band))
    return ordered


def _gutter(sheet: Sheet, lines: Sequence[Line], known: float | None = None) -> float | None:
    """Where two columns part, in points from the left; None where there is one column.

    With ``known``, whether they part there.
    """
    total = sum(len(line.text) for line in lines)
    if not total:
        return None

    def across(x: float) -> int:
        return sum(len(line.text) for line in lines if line.x0 < x - 1 and line.x1 > x + 1)

    if known is not None:
        return known if across(known) <= 0.45 * total else None
    step = max(2, int(sheet.width / _TRIED))  # a hostile page is as wide as it says
    tried = [float(x) for x in range(int(0.35 * sheet.width), int(0.65 * sheet.width), step)]
    gutter = min(tried, key=lambda x: (across(x), abs(x - sheet.width / 2)), default=sheet.width / 2)
    sides = [
        [line for line in lines if line.x1 <= gutter + 1],
        [line for line in lines if line.x0 >= gutter - 1],
    ]
    shares = [sum(len(line.text) for line in side) / total for side in sides]
    tall = [len({round(line.y / 4) for line in side if len(line.text) > 15}) for side in sides]
    columns = across(gutter) <= 0.45 * total and min(shares) >= 0.12 and min(tall) >= 5
    return gutter if columns else None


def _together(lines: Sequence[Line], column: int, band: int) -> list[Line]:
    """Lines from top to bottom; runs on one baseline joined, small ones with the line that they belong to."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda one: (-one.size, -one.y)):
        row = next((row for row in rows if _on(line, row[0])), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    joined = [_joined(sorted(row, key=lambda one: one.x0), row[0], column, band) for row in rows]
    return sorted(joined, key=lambda one: -one.y)


def _on(line: Line, base: Line) -> bool:
    """Whether a run stands on the line of another, or is a sign above or below it."""
    shift = line.y - base.y
    if abs(shift) <= 0.25 * base.size:
        return True
    small = line.size < 0.85 * base.size and len(line.text) <= 12
    near = base.x0 - 2 * base.size <= line.x0 <= base.x1 + 2 * base.size
    return small and near and -0.4 * base.size <= shift <= 0.6 * base.size


def _joined(row: list[Line], base: Line, column: int, band: int) -> Line:
    parts = [row[0].text]
    pieces = 1
    for before, line in pairwise(row):
        gap = line.x0 - before.x1
        parts.append("" if gap < 0.12 * base.size else " ")
        raised = line.text.isdigit() and line.size < 0.85 * base.size and line.y - base.y > 0.2 * base.size
        parts.append(f"^{line.text}" if raised else line.text)
        pieces += gap > 1.5 * base.size
    return replace(
        base,
        text=NOTE_MARK.sub("", "".join(parts)),
        x0=row[0].x0,
        x1=max(line.x1 for line in row),
        pieces=pieces,
        column=column,
        band=band,
        bold=row[0].bold and base.bold,
    )


# -- what is not text ------------------------------------------------------------------------------


def _without_line_numbers(lines: Sequence[Line]) -> list[Line]:
    numbers = [line for line in lines if _DIGITS.fullmatch(line.text)]
    at = Counter(round(line.x1 / 3) for line in numbers)
    counting = {place for place, count in at.items() if count >= _LINE_NUMBERS}
    near = {place + shift for place in counting for shift in (-1, 0, 1)}
    dropped = {id(line) for line in numbers if round(line.x1 / 3) in near}
    return [line for line in lines if id(line) not in dropped]


def _furniture(sheets: Sequence[Sheet], rows: Sequence[Sequence[Line]]) -> set[int]:
    """The lines (by :func:`id`) that repeat from page to page at an edge, and the numbers of pages."""
    edge: list[tuple[Sheet, Line]] = []
    for sheet, page in zip(sheets, rows, strict=True):
        by_height = sorted(page, key=lambda one: -one.y)
        outermost = {id(line): line for line in [*by_height[:3], *by_height[-3:]]}
        edge += [
            (sheet, line)
            for line in outermost.values()
            if not _EDGE * sheet.height < line.y < (1 - _EDGE) * sheet.height
        ]
    said = Counter(_key(line) for _, line in edge)
    least = max(2, round(0.15 * len(sheets)))
    dropped = {id(line) for _, line in edge if said[_key(line)] >= least or _NUMBER.fullmatch(line.text)}
    # A running title changes with the chapter, but not its place: whatever stands there is no text.
    levels = Counter(round(line.y) for _, line in edge if id(line) in dropped)
    usual = {level for level, count in levels.items() if count >= max(3, 0.4 * len(sheets))}
    dropped |= {id(line) for _, line in edge if round(line.y) in usual}
    return dropped


def _key(line: Line) -> tuple[str, int]:
    """What a line says but for numbers, and how high it stands."""
    return re.sub(r"\d+", "#", line.text.casefold()), round(line.y / 3)
