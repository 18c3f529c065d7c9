"""Text from outside, made readable and harmless: it never pings, never formats, never overflows."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache

import discord
from pylatexenc.latex2text import LatexNodes2Text

from data.keys import visible
from data.models import Author, Paper
from index.passages import sentences

logging.getLogger("pylatexenc").setLevel(logging.ERROR)  # broken LaTeX is no news
_TEX = LatexNodes2Text(math_mode="text", keep_comments=True, strict_latex_spaces=True)
_MATH = re.compile(r"\$\$?([^$]{1,300}?)\$\$?")
_COMMANDS = re.compile(
    r"\\(?:emph|textit|textbf|texttt|textsc|textrm|text|underline|mathrm|mathbf)\s*\{([^{}]*)\}"
)
_LINKS = re.compile(r"\\(?:url|href)\s*\{([^{}]*)\}(?:\{([^{}]*)\})?")
_SCRIPT = re.compile(r"([_^])(?:\{([-+\dn]{1,6})\}|([-+]?\d+|n))")
_UPPER = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_LOWER = str.maketrans("0123456789+-n", "₀₁₂₃₄₅₆₇₈₉₊₋ₙ")
_LINE_START = re.compile(r"^(\s*)([#>\-+]|\d+\.)", re.MULTILINE)
_SPECIAL = re.compile(r"([\\`*_~|\[\]()<>])")
_AT = re.compile(r"@(?=\S)")
_DOES = re.compile(
    r"\b(?:(?:we|this (?:paper|work|article|study|letter|thesis|survey)|the (?:paper|authors?))\s+(?:\w+ly\s+|\w+,\s+)?"
    r"(?:propos|introduc|present|develop|describ|design|stud(?:y|ies)|show|prov|investigat|address|examin|explor|build|"
    r"analy[sz]|report|survey|review|argu|demonstrat|evaluat|compar|deriv|establish|formulat|releas|find|ask|revisit|"
    r"extend|offer|provid|creat|construct|consider|identif|giv|tak|implement|systematiz))",
    re.IGNORECASE,
)
"""A sentence that says what was done."""
SHOWN_AUTHORS = 6
_ROOM = 12
"""Characters of LaTeX that one readable character takes at most."""


@lru_cache(maxsize=4_096)
def readable(text: str) -> str:
    """LaTeX as Unicode, as far as a reader needs it; text without LaTeX as it is."""
    if "\\" in text or "$" in text:
        text = _MATH.sub(lambda found: _math(found[1]), text)
        text = _LINKS.sub(lambda found: found[2] or found[1], text)
        for _ in range(3):
            text = _COMMANDS.sub(r"\1", text)
        if "\\" in text:
            text = _to_unicode(re.sub(r"(?<!\\)([%#&])", r"\\\1", text))
    return " ".join(text.replace("``", "“").replace("''", "”").replace("~", " ").split())


def _math(formula: str) -> str:
    return " ".join(_to_unicode(_SCRIPT.sub(_script, formula.replace("%", r"\%"))).split())


def _script(found: re.Match[str]) -> str:
    return (found[2] or found[3]).translate(_UPPER if found[1] == "^" else _LOWER)


def _to_unicode(tex: str) -> str:
    try:
        return str(_TEX.latex_to_text(tex)).replace("{", "").replace("}", "")
    except (ValueError, RecursionError, AttributeError, IndexError):
        return tex


def safe(text: str) -> str:
    """Text that Discord shows as it is: no markdown, mentions, headings or timestamps."""
    text = _SPECIAL.sub(r"\\\1", visible(text))
    text = _AT.sub("@\u200b", text)
    return _LINE_START.sub(r"\1\\\2", text)


def shorten(text: str, most: int) -> str:
    """At most ``most`` characters, cut between words where one is near."""
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    space = cut.rfind(" ")
    return (cut[:space] if space > most * 0.6 else cut).rstrip(" ,;:.") + "…"


def shown(text: str, most: int) -> str:
    """Outside text readable, cut, and safe; what escaping adds does not count.

    Only as much is made readable as can be shown: LaTeX that never ends would take a second.
    """
    return safe(shorten(readable(text[: most * _ROOM]), most))


def day(value: date | None) -> str:
    """``18 May 2026``."""
    return f"{value.day} {value:%b %Y}" if value else "undated"


def title_link(paper: Paper, most: int = 200) -> str:
    """The title in bold, linked where the paper can be read."""
    title = shown(paper.title, most)
    return f"**[{title}]({paper.url})**" if paper.url else f"**{title}**"


def author_line(paper: Paper, bold: frozenset[str] = frozenset(), most: int = SHOWN_AUTHORS) -> str:
    """Names in order, those asked for in bold, long lists folded around it."""
    listed = [author for author in paper.authors if author.listed]
    others = [author for author in paper.authors if not author.listed]
    if not listed and not others:
        return "authors not known"
    places = _chosen(listed, bold, most)
    parts, last = [], -1
    for place in places:
        if place != last + 1:
            parts.append("…")
        parts.append(_name(listed[place], bold))
        last = place
    rest = len(listed) - 1 - last
    if rest > 0:
        parts.append(f"… and {rest} more")
    if not paper.authors_complete and listed:
        parts.append("et al.")
    line = ", ".join(parts)
    also = [_name(author, bold) for author in others[:most]]
    return f"{line} — also {', '.join(also)}" if also and line else line or ", ".join(also)


def _chosen(listed: Sequence[Author], bold: frozenset[str], most: int) -> list[int]:
    places = list(range(min(most, len(listed))))
    asked = next((place for place, author in enumerate(listed) if author.key in bold), None)
    if asked is not None and asked not in places:
        places[-1] = asked
    return sorted(places)


def _name(author: Author, bold: frozenset[str]) -> str:
    name = shown(author.name, 60)
    return f"**{name}**" if author.key in bold else name


def facts_line(paper: Paper) -> str:
    """Day, category, identifier and state, in small print."""
    parts = [day(paper.day)]
    category = paper.primary_category or (paper.categories[0] if paper.categories else None)
    if category:
        parts.append(category)
    if paper.arxiv_id:
        parts.append(f"arXiv:{paper.arxiv_id}")
    if paper.venue:
        parts.append(shown(paper.venue, 60))
    if paper.withdrawn:
        parts.append("**withdrawn**")
    return "-# " + " · ".join(parts)


def first_sentence(paper: Paper, most: int = 220) -> str:
    """The abstract's first sentence."""
    parts = sentences(paper.abstract[: most * _ROOM])
    return shown(parts[0], most) if parts else ""


def gist(paper: Paper, most: int = 220) -> str:
    """The sentence of the abstract that says what was done, where one does; else its first."""
    parts = sentences(paper.abstract[: 20 * most])
    does = next((part for part in parts if _DOES.search(part)), parts[0] if parts else "")
    return shown(does, most)


def abstract(paper: Paper, most: int) -> str:
    """The abstract from its beginning."""
    return shown(paper.abstract, most)


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 paper``, ``1,200 papers``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def label(text: str, most: int = 80) -> str:
    """Text for a button or an option: not markdown, so only readable and cut; never empty."""
    return discord.utils.remove_markdown(shorten(readable(visible(text)), most)).strip()[:most] or "?"
