"""Makes text from outside readable and harmless: it never pings, formats or overflows."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import lru_cache

import discord
from pylatexenc.latex2text import LatexNodes2Text

from data.anthology import place_of
from data.calendar.partial_days import DatedBy
from data.keys import fold, visible
from data.records import Author, Paper
from data.tex import unicode_of
from index.search import passages
from index.search.venues import appeared

logging.getLogger("pylatexenc").setLevel(logging.ERROR)  # broken LaTeX is no news
_TEX = LatexNodes2Text(math_mode="text", keep_comments=True, strict_latex_spaces=True)
_MATH = re.compile(r"(?<!\\)\$\$?([^$]{1,300}?)(?<!\\)\$\$?(?!\d)")
"""A formula; dollar signs before digits may be sums of money."""
_TIES = re.compile(r"(?<=[^\s~])~(?=[^\s~])")
"""TeX's spaces that end no line; a tilde before a number alone says about how much."""
_DASHES = re.compile(r"(?<=[^\s-])---?(?=[^\s-])|(?<=\s)---?(?=\s)")
"""What TeX prints as dashes, between words or numbers; not the beginning of an option, or the end of C--."""
_COMMANDS = re.compile(
    r"\\(?:emph|text(?:it|bf|tt|sc|rm|sf|sl|md|up|normal)?|underline|mbox|math(?:rm|bf|sf|tt|it))"
    r"\s*\{([^{}]*)\}"
)
_GONE = re.compile(r"\s*\(\s*\)|\s*,\s*,|\s+,(?=\s)|\s+(?=[.;:?!](?:\s|$))")
"""What is left around a macro that nobody knows: empty brackets, a comma for nothing."""
_LINKS = re.compile(r"\\(?:url|href)\s*\{([^{}]*)\}(?:\{([^{}]*)\})?")
_SCRIPT = re.compile(r"([_^])(?:\{([-+\dn]{1,6})\}|([-+]?\d+|n))")
_UPPER = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_LOWER = str.maketrans("0123456789+-n", "₀₁₂₃₄₅₆₇₈₉₊₋ₙ")
_MARKS = re.compile(
    r"[`_\[\]]"  # code, emphasis, links: what begins in one text could end in another
    r"|(?<!\s)\*|\*(?!\s)"
    r"|~(?=~)|\|(?=\|)"
    r"|\\(?![0-9A-Za-z\s])"  # before a letter, digit or space Discord shows a backslash as it is
    r"|(?<=<)(?:[@#:+](?=[^<>]*>)|/)"  # mentions, emoji, numbers to call, commands
    r"|<(?=[^\s<>:@]+[:@][^<>]*>)"  # timestamps, links
    r"|:(?=[A-Za-z0-9+-]+:)"  # emoji by name
    r"|(?<=[A-Za-z]:)/(?=/)"  # links
)
_LINE_START = re.compile(
    r"^([^\S\n]*)(?:(>>>|(?:-#|#{1,3}|[-+*]|>)(?=\s|$))|([0-9]+)\.(?=\s|$))", re.MULTILINE
)
_AT = re.compile(r"@(?=everyone|here)")
_PAIRED = re.compile(r"(?:[^\[\]]|\[[^\[\]]*\])*")
_LINE_ENDS = re.compile(r"\r\n?")
_MATCHED = re.compile(r"(?<![\w\\*<:@/#&-])[^\W_]+(?:-[^\W_]+)*(?![\w*>/@-])")
_PARTIAL = {"month": "%b %Y", "year": "%Y"}
SHOWN_AUTHORS = 6
_ROOM = 12
"""Characters of LaTeX that one readable character takes at most."""
_READ = 10_000
"""Characters that are made readable: each formula takes time, and an abstract of arXiv has at most 1,920."""


@lru_cache(maxsize=4_096)
def readable(text: str) -> str:
    """LaTeX as Unicode, as far as a reader needs it; text without LaTeX as it is.

    Of more than :data:`_READ` characters with LaTeX, the rest is left out, as by :func:`shorten`.
    """
    if "\\" in text or "$" in text:
        text = shorten(" ".join(text.split()), _READ)  # what stands before a comma may be long white space
        text = _MATH.sub(lambda match: _math(match[1]), text)
        text = _LINKS.sub(lambda match: match[2] or match[1], text)
        for _ in range(3):
            text = _COMMANDS.sub(r"\1", text)
        if "\\" in text:
            bare = "()" in text
            text = _to_unicode(re.sub(r"(?<!\\)([%#&])", r"\\\1", text))
            text = text if bare else _GONE.sub("", text)
    text = _TIES.sub(" ", text)
    text = _DASHES.sub(lambda match: "–" if len(match[0]) == 2 else "—", text)
    return " ".join(text.replace("``", "“").replace("''", "”").split())


def _math(formula: str) -> str:
    return " ".join(_to_unicode(_SCRIPT.sub(_script, formula.replace("%", r"\%"))).split())


def _script(match: re.Match[str]) -> str:
    return (match[2] or match[3]).translate(_UPPER if match[1] == "^" else _LOWER)


def _to_unicode(tex: str) -> str:
    return unicode_of(tex, _TEX).replace("{", "").replace("}", "")


def safe(text: str) -> str:
    """Text that Discord shows as it is: no markdown, mentions, links, emoji, headings, lists or timestamps.

    It stays so inside bold text or a link, and beside other texts that went through here. A backslash stands
    only where Discord takes it away; control and invisible characters go, and @everyone is broken by one.
    """
    text = _MARKS.sub(r"\\\g<0>", _LINE_ENDS.sub("\n", visible(text)))
    return _LINE_START.sub(_inert, _AT.sub("@\u200b", text))


def _inert(match: re.Match[str]) -> str:
    """A line's beginning that begins no list, heading or quote: of ``1.`` only the dot can be escaped."""
    space, mark, number = match.groups()
    return f"{space}\\{mark}" if mark else f"{space}{number}\\."


def linked(text: str, address: str) -> str:
    """Safe text as a link. Brackets that do not pair would end or undo it, so those become wide ones."""
    if not _PAIRED.fullmatch(text):
        text = text.replace("\\[", "［").replace("\\]", "］")
    return f"[{text}]({address})"


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


def day(value: date | None, dated_by: DatedBy = "day") -> str:
    """``18 May 2026``: a day as such, of a paper, a listing or a digest; ``May 2026`` if only that is known.

    It stays text: no instant falls on the same day in every time zone (they span 26 hours), so a timestamp
    would show somebody the day before or after. For an instant, see :func:`moment`.
    """
    if value is None:
        return "undated"
    return f"{value.day} {value:%b %Y}" if dated_by == "day" else f"{value:{_PARTIAL[dated_by]}}"


def paper_day(paper: Paper) -> str:
    """A paper's day, month or year, as much as is known."""
    return day(paper.day, paper.dated_by)


def moment(instant: datetime, form: str = "D") -> str:
    """An instant as each reader's own Discord shows it, in their zone and language.

    Parameters
    ----------
    instant
        In UTC, as the store keeps it, or with a zone.
    form
        One of Discord's: ``t`` the time, ``D`` the day, ``f`` both, ``F`` with the weekday, ``R`` how long
        until or since.
    """
    aware = instant if instant.tzinfo is not None else instant.replace(tzinfo=UTC)
    return f"<t:{int(aware.timestamp())}:{form}>"


def title_link(paper: Paper, most: int = 200) -> str:
    """The title in bold, linked where the paper can be read."""
    title = shown(paper.title, most)
    return f"**{linked(title, paper.url)}**" if paper.url else f"**{title}**"


def author_line(paper: Paper, bold: frozenset[str] = frozenset(), most: int = SHOWN_AUTHORS) -> str:
    """Names in order, those asked for in bold, long lists folded around it."""
    listed = [author for author in paper.authors if author.listed]
    others = [author for author in paper.authors if not author.listed]
    if not listed and not others:
        return "authors unknown"
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
    if not also or not line:
        return line or ", ".join(also)
    return f"{line}, {'also' if paper.authors_complete else 'including'} {', '.join(also)}"


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
    parts = [paper_day(paper)]
    category = paper.primary_category or (paper.categories[0] if paper.categories else None)
    if category:
        parts.append(category)
    if paper.arxiv_id:
        parts.append(f"arXiv:{paper.arxiv_id}")
    if paper.venue:
        parts.append(shown(paper.venue, 60))
    elif paper.acl_id and (venue := appeared(paper.acl_id)):
        place = place_of(paper.acl_id)
        parts.append(f"Findings of {venue}" if place and place.findings else str(venue))
    if paper.withdrawn:
        parts.append("**withdrawn**")
    return "-# " + " · ".join(parts)


def gist(paper: Paper, most: int = 220) -> str:
    """The sentence of the abstract that says what was done, where one does; else its first."""
    return shown(passages.gist(paper.abstract[: 20 * most]), most)


def bold_matches(text: str, stems: frozenset[str], most: int) -> str:
    """Outside text readable, cut and safe, with the words of these stems in bold.

    A word is left alone where the sign before or after it belongs to an escape or to bold text.
    """
    return _MATCHED.sub(
        lambda match: (
            f"**{match[0]}**" if not stems.isdisjoint(passages.word_stems(fold(match[0]))) else match[0]
        ),
        shown(text, most),
    ).replace("** **", " ")


def abstract(paper: Paper, most: int) -> str:
    """The abstract from its beginning."""
    return shown(paper.abstract, most)


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 paper``, ``1,200 papers``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """``one``, ``one and two``, ``one, two and three``; empty for none."""
    *most, final = parts or [""]
    return f"{', '.join(most)} {last} {final}" if most else final


def label(text: str, most: int = 80) -> str:
    """Text for a button or an option: not markdown, so only readable and cut; never empty."""
    return discord.utils.remove_markdown(shorten(readable(visible(text)), most)).strip()[:most] or "?"
