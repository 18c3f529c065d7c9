"""LaTeX as Unicode, at once whatever it is.

Where LaTeX is broken, the library's parser guesses; for each command without its end it goes on twice, and
twenty of those, which fit into a title, take longer than anybody waits.
"""

from __future__ import annotations

import logging
import re

from pylatexenc.latex2text import LatexNodes2Text

log = logging.getLogger("labmate")
_GUESSED = 8
"""Commands, at most, of broken LaTeX that the library may guess at."""
_ESCAPED = re.compile(r"\\.|[{}]", re.DOTALL)
_SIGNS = re.compile(r"[\\{}]")


def unicode_of(tex: str, reader: LatexNodes2Text) -> str:
    """A text without its LaTeX, as a reader of the library makes it; never fails.

    Broken LaTeX is guessed at where that is quick; else only its backslashes and braces go.
    """
    tex = _paired(tex)
    for tolerant in (False, True):
        if tolerant and tex.count("\\") > _GUESSED:
            break
        try:
            return str(reader.latex_to_text(tex, tolerant_parsing=tolerant))
        except Exception as error:  # hostile LaTeX can make the parser raise anything; the text is kept
            log.debug("LaTeX that can't be parsed: %s", error)
    return _SIGNS.sub("", tex)


def _paired(tex: str) -> str:
    """A text with spaces for the braces that have no partner."""
    opened: list[int] = []
    alone: set[int] = set()
    for match in _ESCAPED.finditer(tex):
        if match[0] == "{":
            opened.append(match.start())
        elif match[0] == "}" and opened:
            opened.pop()
        elif match[0] == "}":
            alone.add(match.start())
    alone.update(opened)
    return "".join(" " if place in alone else sign for place, sign in enumerate(tex)) if alone else tex
