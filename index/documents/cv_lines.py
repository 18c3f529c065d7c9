"""The lines of a curriculum vitae: their text, and which of them open a section."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_TEXT = 400_000
_KINDS = (
    (
        "other",
        r"award|honou?r|achievement|prize|scholarship|grant|funding|fellowship|patent|talk|presentation|invited",
    ),
    (
        "other",
        r"service|review|committee|teach|supervis|mentor|press|media|membership|certificat|course|volunteer",
    ),
    (
        "publications",
        r"publication|papers?\b|articles?\b|preprint|proceedings|book chapter|manuscript|bibliography",
    ),
    (
        "other",
        r"skill|language|reference|\blinks?\b|contact|hobb|project|software|activit|talks|outreach|"
        r"data ?sets?",
    ),
    ("education", r"education|academic background|degrees?\b|studies\b"),
    ("positions", r"experience|employment|positions?\b|appointments?\b|career|work history|internships?\b"),
    ("interests", r"interests?\b|research areas?|research focus|keywords"),
    ("other", r"summary|objective|profile|about( me)?$|biograph|vitae|personal"),
)
MARK = re.compile(r"^\s*(?:[•▪◦‣●○∙·*–—-]|\[\w{1,12}\]|\(?\d{1,3}[.)]|[A-Z]{1,2}\d{1,3}[.:)])\s+(?=\S)")
_QUOTE = '"“”„«'
QUOTED = re.compile(r"[\"“„«]\s*([^\"“”„«»]{8,400}?)\s*[,.]?\s*[\"”“»]")
_STRONG = re.compile(
    r"\*\*([^*\n]{12,400})\*\*|__([^_\n]{12,400})__|\*([^*\n]{12,400})\*|\[([^\]\n]{12,400})\]\("
)


@dataclass(slots=True)
class CvLine:
    """A line without Markdown, and what its formatting says."""

    text: str
    heading: bool
    starts: bool
    """Begins with a bullet, a number or a quotation mark."""
    after_blank: bool
    wrapped: bool
    """Continues the line before, which has full length and does not end a sentence."""
    strong: tuple[str, ...]
    """Spans that Markdown shows in bold, in italics or as a link."""


def lines_of(text: str) -> Iterator[CvLine]:
    """The lines with content; rules, page numbers and tags are left out."""
    text = (
        unicodedata.normalize("NFKC", html.unescape(text[:MOST_TEXT]))
        .replace("\r\n", "\n")
        .replace("\r", "\n")
    )
    text = re.sub(r"<(script|style)\b.{0,20000}?</\1\s*>", " ", text, flags=re.S | re.I)
    text = re.sub(
        r"</?(?:u|b|i|em|strong|span|br|p|div|li|sup|sub|a|font|small|h\d)\b[^<>]{0,200}/?>", " ", text
    )
    blank, before = True, ""
    raw = text.replace("``", "“").replace("''", "”").split("\n")
    lengths = sorted(len(line.strip()) for line in raw if line.strip())
    width = min(lengths[int(0.9 * len(lengths))], 130) if lengths else 0
    for place, line in enumerate(raw):
        stripped = line.strip()
        if not stripped or re.fullmatch(r"[-=_*\s.]{3,}|\d{1,3}(?:\s*(?:/|of)\s*\d{1,3})?", stripped):
            blank = True
            continue
        strong = tuple(next(filter(None, found)) for found in _STRONG.findall(stripped))
        marked = bool(re.match(r"#{1,6}\s", stripped))
        underlined = place + 1 < len(raw) and bool(re.fullmatch(r"(?:=|-){4,}\s*", raw[place + 1].strip()))
        alone = len(strong) == 1 and len(stripped) - len(strong[0]) <= 5
        shown = without_markdown(re.sub(r"^#{1,6}\s+", "", stripped))
        capital = shown.isupper() and 3 < len(shown) <= 60 and sum(map(str.isdigit, shown)) < 3
        heading = marked or underlined or capital or (alone and len(shown) < 60)
        starts = bool(MARK.match(shown)) or shown[:1] in _QUOTE
        if shown:
            wrapped = not blank and len(before) > 0.7 * width and not re.search(r"[.:;!?)\]]$", before)
            yield CvLine(shown, heading, starts, blank, wrapped, strong)
        blank, before = False, stripped


def without_markdown(text: str) -> str:
    """Without Markdown."""
    text = re.sub(r"!?\[([^\[\]]*)\]\([^)]{0,2000}\)", r"\1", text)
    text = re.sub(r"(?<!\w)(\*{1,3}|_{1,3}|~~|`)(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", text)
    return re.sub(r"\s+", " ", re.sub(r"\\([\\`*_{}\[\]()#+\-.!&%$])", r"\1", text)).strip()


def section_of(line: CvLine) -> str | None:
    """The kind of section that a line opens; None for a line that opens none."""
    text = MARK.sub("", line.text).strip(" :#•")
    words = re.findall(r"[^\W\d_]+", text)
    if not words or len(words) > 7 or len(text) > 70 or text[-1:] in ".,;" or QUOTED.search(line.text):
        return None
    kind = next((kind for kind, pattern in _KINDS if re.search(pattern, text, re.I)), None)
    if kind is None:
        return None
    if line.heading:
        return kind
    # A plain line has to look like a title: capitals, no figures, only such words, and not the end of a
    # sentence that began on the line before.
    if line.wrapped:
        return None
    small = {"and", "of", "in", "the", "for", "or", "with", "to", "a", "&"}
    titled = all(word[0].isupper() or word in small for word in words)
    return kind if titled and len(words) <= 5 and not re.search(r"\d|,|@|[()\[\]]", text) else None


_KEEPS_HYPHEN = frozenset(
    "all anti co cross data end few fine first high hyper in inter intra large long low meta multi non on "
    "one open post pre re real self semi state sub three time two well zero".split()
)
"""First parts of compounds that keep their hyphen when a line breaks after it (``multi-agent``)."""


def joined(lines: Iterable[str]) -> str:
    """Lines joined into one, with words rejoined that were hyphenated at a line's end."""
    out = ""
    for line in lines:
        if re.search(r"[a-z]-$", out) and line[:1].islower():
            before = re.search(r"(\w+)-$", out)
            out = out + line if before and before[1].lower() in _KEEPS_HYPHEN else out[:-1] + line
        else:
            out = f"{out} {line}" if out else line
    return out.strip()
