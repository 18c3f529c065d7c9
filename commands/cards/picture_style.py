"""What all pictures share: the colours of both themes, a canvas measured in pixels, and PNG as bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import findfont, get_font
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

DPI = 100
_LOOSE = frozenset(
    "a an the of for in on to with and or by via from as at is are under towards using".split()
)
"""Words that a shortened text never ends with."""
SHAPES = {"person": "o", "paper": "s", "topic": "D", "institution": "^"}
"""The shape of each kind; shape alone tells them apart, too."""

_FONT = "DejaVu Sans"
_EMPTY = re.compile(r"[(\[]\s*[)\]]")
plt.rcParams.update(
    {"font.family": _FONT, "text.parse_math": False, "text.usetex": False, "svg.fonttype": "none"}
)


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours that are legible on the theme's background."""

    paper: str
    ink: str
    quiet: str
    line: str
    strong: str
    """Lines whose thickness has a meaning."""
    person: str
    work: str
    topic: str
    institution: str
    chosen: str
    on_chosen: str
    """What is chosen, and what is written on it."""
    regions: tuple[str, ...]

    def of(self, kind: str) -> str:
        """The colour of a kind of node."""
        return {"person": self.person, "paper": self.work, "topic": self.topic}.get(kind, self.institution)


THEMES = {
    "dark": Theme(
        paper="#1f2126",
        ink="#f2f3f5",
        quiet="#a9aeb8",
        line="#5d6470",
        strong="#7fa8d9",
        person="#79b4f2",
        work="#f5a15a",
        topic="#6fcf8e",
        institution="#c9a1f5",
        chosen="#ffd75e",
        on_chosen="#1f2126",
        regions=(
            "#79b4f2",
            "#f5a15a",
            "#6fcf8e",
            "#c9a1f5",
            "#f58bb4",
            "#5cc9d6",
            "#d9c55f",
            "#a9aeb8",
            "#f2857a",
        ),
    ),
    "light": Theme(
        paper="#ffffff",
        ink="#1c1f26",
        quiet="#5c6370",
        line="#b3bac6",
        strong="#5b86bd",
        person="#1f5fa8",
        work="#b8500b",
        topic="#23703f",
        institution="#6f35a3",
        chosen="#1c1f26",
        on_chosen="#ffffff",
        regions=(
            "#1f5fa8",
            "#c2570c",
            "#23703f",
            "#7c3aad",
            "#b02a5b",
            "#0f7f8a",
            "#806508",
            "#5c6370",
            "#a33b2b",
        ),
    ),
}


def canvas(width: int, height: int, theme: Theme) -> tuple[Figure, Axes]:
    """An empty picture whose coordinates are pixels, from the lower left."""
    figure = plt.figure(figsize=(width / DPI, height / DPI), dpi=DPI, facecolor=theme.paper)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0, width)
    axes.set_ylim(0, height)
    axes.set_axis_off()
    return figure, axes


def points(pixels: float) -> float:
    """Pixels as typographic points."""
    return pixels * 72 / DPI


def written(
    axes: Axes, text: str, pixels: float, theme: Theme, *, colour: str = "", bold: bool = False
) -> Text:
    """Text of the given height, with a halo, at the origin; the caller moves it into place."""
    return axes.text(
        0,
        0,
        text,
        fontsize=points(pixels),
        fontweight="bold" if bold else "normal",
        color=colour or theme.ink,
        ha="center",
        va="center",
        linespacing=1.05,
        zorder=6,
        path_effects=[withStroke(linewidth=points(pixels / 5), foreground=theme.paper)],
    )


def wrapped(text: str, width: int, lines: int = 2) -> str:
    """Text in lines of about ``width`` characters; an ellipsis replaces what does not fit."""
    text = drawable(text)
    rows = wrap(text, width, break_long_words=True, break_on_hyphens=False)
    if len(rows) > lines:
        kept = " ".join(rows[:lines]).split()
        while len(kept) > 2 and (kept[-1].casefold() in _LOOSE or kept[-1].endswith((":", ","))):
            kept.pop()
        rows = wrap(" ".join(kept) + " …", width, break_long_words=True, break_on_hyphens=False)[:lines]
    return "\n".join(rows)


def drawable(text: str) -> str:
    """Text without what the font lacks, such as Chinese: it would stand there as boxes."""
    known = get_font(findfont(_FONT)).get_charmap()
    kept = "".join(letter for letter in text if ord(letter) in known or letter.isspace())
    return " ".join(_EMPTY.sub("", kept).split()) or "…"


def sizes(axes: Axes, texts: Sequence[Text]) -> list[tuple[float, float]]:
    """Width and height of each text, in pixels."""
    boxes = [text.get_window_extent() for text in texts]
    return [(box.width, box.height) for box in boxes]


def png(figure: Figure) -> bytes:
    """The picture as PNG; the figure is closed."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", facecolor=figure.get_facecolor())
    plt.close(figure)
    return stream.getvalue()
