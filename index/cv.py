"""What a curriculum vitae says, read from its text: publications, education, positions, interests; nothing else.

Reads plain text, Markdown, the text of a PDF, LaTeX and BibTeX. Contact lines are never taken over. What stands among
the publications and can't be understood is given back as it is, so that a person can see what was missed.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

MOST_TEXT = 400_000
MOST_ENTRIES = 600
_MOST_ENTRY = 3_000
_DASH = r"\s*(?:-|–|—|to|until)\s*"
YEAR = re.compile(r"(?<![\d.:/])(19[5-9]\d|20[0-4]\d)(?![\d/]|\.\d)")
_SPAN = re.compile(
    rf"((?:[A-Z][a-z]{{2,8}}\.?\s+)?(?:19|20)\d\d)(?:{_DASH}((?:[A-Z][a-z]{{2,8}}\.?\s+)?(?:19|20)\d\d|present|now|today|current))?",
    re.I,
)
STATUS = (
    ("in submission", r"\b(?:in|under) (?:submission|review|revision)\b|\bsubmitted\b"),
    ("in preparation", r"\bin preparation\b|\bworking paper\b|\bmanuscript\b"),
    ("to appear", r"\bto appear\b|\baccepted\b|\bforthcoming\b|\bin press\b"),
)
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
        r"skill|language|reference|\blinks?\b|contact|hobb|project|software|activit|talks|outreach|data ?sets?",
    ),
    ("education", r"education|academic background|degrees?\b|studies\b"),
    ("positions", r"experience|employment|positions?\b|appointments?\b|career|work history|internships?\b"),
    ("interests", r"interests?\b|research areas?|research focus|keywords"),
    ("other", r"summary|objective|profile|about( me)?$|biograph|vitae|personal"),
)
_MARK = re.compile(r"^\s*(?:[•▪◦‣●○∙·*–—-]|\[\w{1,12}\]|\(?\d{1,3}[.)]|[A-Z]{1,2}\d{1,3}[.:)])\s+(?=\S)")
_QUOTE = '"“”„«'
_QUOTED = re.compile(r"[\"“„«]\s*([^\"“”„«»]{8,400}?)\s*[,.]?\s*[\"”“»]")
_STRONG = re.compile(
    r"\*\*([^*\n]{12,400})\*\*|__([^_\n]{12,400})__|\*([^*\n]{12,400})\*|\[([^\]\n]{12,400})\]\("
)
_ABBREVIATED = re.compile(
    r"(?:\b[A-Z]|\b(?:al|vs|proc|conf|int|intl|trans|j|st|dr|no|vol|pp|ed|eds|jr|sr|symp|univ|dept|etc|phys|rev|lett|appl|math|comput|comp|sci|eng|syst|soc|am|eur|natl|acad|chem|biol|med|res|parallel|distrib|mach|learn|e\.g|i\.e))\.$",
    re.I,
)
_VENUE = re.compile(
    r"^(?:in\b|in:|proc|advances in|journal|transactions|ieee|acm|arxiv|international|annual|conference|workshop|"
    r"nature|science|springer|elsevier|corr\b|phd thesis|technical report|preprint|neurips|icml|iclr|cvpr|acl\b|emnlp)",
    re.I,
)
_NAME = r"(?:[A-ZÀ-ÞŁŚŽČĐ][\w'’.\-]*|[a-zà-ÿ]{2,3})"
_AUTHOR = re.compile(rf"^{_NAME}(?:\s+{_NAME}){{0,4}}\*?[†‡§¹²]*$")
_INSTITUTION = re.compile(
    r"universit|institut|college|school|academy|polytechnic|\beth\b|\bepfl\b|\bmit\b|hochschule|école|facult",
    re.I,
)
_DEGREE = re.compile(
    r"ph\.?\s?d|doctor|d\.?phil|m\.?\s?sc|m\.?s\.?\b|master|m\.?eng|mba|b\.?\s?sc|b\.?s\.?\b|b\.?a\.?\b|bachelor|diplom|licen[cs]",
    re.I,
)
_ROLE = re.compile(
    r"\bintern(?:ship)?\b|research(?:er)?\b|assistant|scholar|engineer|professor|lecturer|fellow|post-?doc|scientist|"
    r"manager|director|head of|lead\b|developer|consultant|analyst|visiting|founder|chair\b|dean|architect|student\b",
    re.I,
)
_INTERESTED = re.compile(
    r"(?:research )?interests?\s+(?:include|are in|are|lie in|:)\s*:?\s*(.{5,400}?)(?:\.(?:\s|$)|\n\s*\n|$)",
    re.I | re.S,
)
_CONTACT = re.compile(
    r"\w@\w|\{\\?\$?at|\(at\)|\[at\]|https?://|www\.|(?:\+|\(|\b0)(?:[ ()/.-]*\d){7,}|linkedin|orcid\.org",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication as a CV prints it; ``status`` is empty, or such as ``in submission``."""

    title: str
    venue: str = ""
    year: int | None = None
    status: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class CV:
    """What was read, each list in the order of the document; ``unread`` are lines among the publications."""

    publications: list[Publication] = field(default_factory=list)
    education: list[str] = field(default_factory=list)
    positions: list[str] = field(default_factory=list)
    interests: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> CV:
        """Back from JSON."""
        return cls(**(plain | {"publications": [Publication(**entry) for entry in plain["publications"]]}))


def flat(text: str) -> str:
    """Letters and digits alone, for comparing titles."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in plain if character.isalnum())


# -- lines -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Line:
    text: str
    heading: bool
    starts: bool
    """Begins with a bullet, a number or a quotation mark."""
    after_blank: bool
    wrapped: bool
    """Goes on with the line before, which is as long as lines get here and does not end a sentence."""
    strong: tuple[str, ...]
    """Spans that Markdown shows in bold, in italics or as a link."""


def _lines(text: str) -> Iterator[_Line]:
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
        shown = _plain(re.sub(r"^#{1,6}\s+", "", stripped))
        capital = shown.isupper() and 3 < len(shown) <= 60 and sum(map(str.isdigit, shown)) < 3
        heading = marked or underlined or capital or (alone and len(shown) < 60)
        starts = bool(_MARK.match(shown)) or shown[:1] in _QUOTE
        if shown:
            wrapped = not blank and len(before) > 0.7 * width and not re.search(r"[.:;!?)\]]$", before)
            yield _Line(shown, heading, starts, blank, wrapped, strong)
        blank, before = False, stripped


def _plain(text: str) -> str:
    """Without Markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(?<!\w)(\*{1,3}|_{1,3}|~~|`)(?=\S)(.+?)(?<=\S)\1(?!\w)", r"\2", text)
    return re.sub(r"\s+", " ", re.sub(r"\\([\\`*_{}\[\]()#+\-.!&%$])", r"\1", text)).strip()


def _section(line: _Line) -> str | None:
    """The kind of section that a line opens; None for a line that opens none."""
    text = _MARK.sub("", line.text).strip(" :#•")
    words = re.findall(r"[^\W\d_]+", text)
    if not words or len(words) > 7 or len(text) > 70 or text[-1:] in ".,;" or _QUOTED.search(line.text):
        return None
    kind = next((kind for kind, pattern in _KINDS if re.search(pattern, text, re.I)), None)
    if kind is None:
        return None
    if line.heading:
        return kind
    # A plain line has to look like a title: capitals, no figures, nothing but such words, and not the end of a
    # sentence that began in the line before.
    if line.wrapped:
        return None
    small = {"and", "of", "in", "the", "for", "or", "with", "to", "a", "&"}
    titled = all(word[0].isupper() or word in small for word in words)
    return kind if titled and len(words) <= 5 and not re.search(r"\d|,|@|[()\[\]]", text) else None


# -- the whole -------------------------------------------------------------------------------------


def read_text(text: str) -> CV:
    """What the text of a CV says."""
    sections: dict[str, list[_Line]] = {"publications": [], "education": [], "positions": [], "interests": []}
    kind = "top"
    for line in _lines(text):
        opened = _section(line)
        if opened is not None and not (kind == "publications" and opened == "positions"):
            kind = opened
            continue
        if kind in sections:
            sections[kind].append(line)
    publications, unread = _publications(sections["publications"])
    return CV(
        publications,
        _education(sections["education"]),
        _positions(sections["positions"]),
        _interests(text, sections["interests"]),
        unread,
    )


def _joined(lines: Iterable[str]) -> str:
    """Lines as one, words that were hyphenated at a line's end put together."""
    out = ""
    for line in lines:
        if re.search(r"[a-z]-$", out) and line[:1].islower():
            before = re.search(r"(\w+)-$", out)
            short = {"in", "on", "non", "pre", "multi", "self", "co", "re", "low", "high", "data", "end", "large", "real",
                     "long", "cross", "semi", "sub", "anti", "inter", "intra", "two", "three", "one", "first", "well",
                     "state", "time", "open", "fine", "few", "zero", "hyper", "meta", "post", "all"}  # fmt: skip
            out = out + line if before and before[1].lower() in short else out[:-1] + line
        else:
            out = f"{out} {line}" if out else line
    return out.strip()


def _publications(lines: list[_Line]) -> tuple[list[Publication], list[str]]:
    found: list[Publication] = []
    unread: list[str] = []
    known: set[str] = set()
    for chunk in list(_entries(lines))[:MOST_ENTRIES]:
        text = _joined(line.text for line in chunk)
        strong = [span for line in chunk for span in line.strong]
        publication = publication_of(text, strong)
        if publication is None:
            if not _is_subheading(text):
                unread.append(text[:300])
        elif flat(publication.title) not in known:
            known.add(flat(publication.title))
            found.append(publication)
    return found, unread[:50]


def _entries(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Lines put together into entries: by their marks where there are such, else by blank lines, else by guess."""
    marks = sum(line.starts for line in lines)
    blanks = sum(line.after_blank for line in lines)
    by_mark = marks >= 2 or (marks == 1 and blanks <= 1)
    by_blank = not by_mark and blanks >= max(2, 0.2 * len(lines))
    chunk: list[_Line] = []
    for line in lines:
        ended = bool(chunk) and bool(re.search(r"(?:[.)\]]|\b(?:19|20)\d\d)$", chunk[-1].text))
        begins = (
            line.heading
            or (bool(chunk) and chunk[-1].heading)
            or (by_mark and line.starts)
            or (by_blank and line.after_blank)
            or (by_mark and line.after_blank and not line.text[:1].islower())
            or (not by_mark and not by_blank and ended and not line.text[:1].islower())
        )
        if begins and chunk:
            yield chunk
            chunk = []
        chunk.append(line)
    if chunk:
        yield chunk


def _is_subheading(text: str) -> bool:
    """A short line without anything that a publication has."""
    text = _MARK.sub("", text)
    words = text.split()
    return len(words) <= 12 and not re.search(r"\d|[\"“”.;]|, ", text.rstrip(":. "))


def publication_of(entry: str, strong: Iterable[str] = ()) -> Publication | None:
    """A publication from its entry; None where no title can be told with reason.

    A title is what is quoted, else what Markdown shows strong or as a link, else what stands where the usual styles
    (APA, ACM, IEEE, Chicago) put it. Without quotation marks an entry has to show a year, a status or a venue, too.
    """
    text = _MARK.sub("", entry[:_MOST_ENTRY]).strip()
    status = next((name for name, pattern in STATUS if re.search(pattern, text, re.I)), "")
    quoted = [found for found in _QUOTED.finditer(text) if len(found[1].split()) >= 2]
    if quoted:
        title, rest = quoted[0][1], text[: quoted[0].start()] + " " + text[quoted[0].end() :]
    else:
        bare = re.sub(
            r"https?://\S+|\bdoi:\s*\S+|\[(?:pdf|code|link|slides|video|arxiv|doi|bib)[^\]]*\]",
            " ",
            text,
            flags=re.I,
        )
        if not (status or YEAR.search(bare) or _VENUE.search(bare)):
            return None
        guess = _strong_title(bare, strong) or _styled_title(bare)
        if guess is None:
            return None
        title, rest = guess
    title = re.sub(r"\s+", " ", title).strip(' ,.;:*_“”"')
    if len(flat(title)) < 8 or len(title) > 400 or len(title.split()) < 2:
        return None
    years = [int(year) for year in YEAR.findall(rest)]
    return Publication(title, _venue(rest), years[-1] if years else None, status, text[:500])


def _strong_title(text: str, strong: Iterable[str]) -> tuple[str, str] | None:
    for span in strong:
        plain = _plain(span).strip(" .,")
        words = plain.split()
        if len(words) >= 4 and not _VENUE.match(plain) and not _are_authors(plain) and plain in text:
            return plain, text.replace(plain, " ", 1)
    return None


def _styled_title(text: str) -> tuple[str, str] | None:
    # Authors (2020). Title. Venue.   Authors. 2020. Title. Venue.
    dated = re.match(
        r"^(.{3,1500}?)[\s,.]*[(\[]?((?:19|20)\d\d)[a-z]?(?:,[^)]{1,20})?[)\]]?[.,:]\s+(.+)$", text
    )
    if dated and _are_authors(dated[1]):
        parts = _sentences(dated[3])
        if parts and len(parts[0].split()) >= 2:
            return parts[0], f"{dated[1]}; {'; '.join(parts[1:])}; {dated[2]}"
    parts = _sentences(text)
    if len(parts) >= 2:
        rest = [part for part in parts if not _are_authors(part)]
        titles = [part for part in rest if len(part.split()) >= 3 and not _VENUE.match(part)]
        if titles and (len(rest) < len(parts) or len(rest) >= 2):
            title = titles[0]
            return title, "; ".join(part for part in parts if part is not title)
    # Authors: Title, Venue 2020   Authors, Title, Venue, 2020
    pieces = [piece.strip() for piece in re.split(r",\s+|:\s+(?=[A-Z])", text) if piece.strip()]
    if not any(_are_authors(piece) and len(piece.split()) > 1 for piece in pieces):
        return None
    for place, piece in enumerate(pieces):
        if not _are_authors(piece) and len(piece.split()) >= 4 and not _VENUE.match(piece):
            return piece, ", ".join(pieces[:place] + pieces[place + 1 :])
    return None


def _sentences(text: str) -> list[str]:
    out: list[str] = []
    for part in re.split(r"(?<=[.?!])\s+", text):
        if out and _ABBREVIATED.search(out[-1]):
            out[-1] += " " + part
        else:
            out.append(part)
    return [part.strip().rstrip(".").strip() for part in out if part.strip(" .")]


def _are_authors(text: str) -> bool:
    """Whether a piece is a list of names."""
    text = re.sub(r"\bet al\.?|\(.{0,40}?\)|[*†‡§]", "", text).strip(" ,.;")
    names = [name.strip(" .") for name in re.split(r",|;|\band\b|&", text) if name.strip(" .")]
    if not names:
        return True
    fitting = sum(bool(_AUTHOR.match(name)) and len(name.split()) <= 5 for name in names)
    return fitting >= 0.8 * len(names) and (len(names) > 1 or len(text.split()) <= 3)


def _venue(rest: str) -> str:
    """The part with the year, or what stands before it, without what is said in brackets behind."""
    rest = re.sub(r"\([^()]{0,80}(?:award|prize|rate|honou?r|acceptance)[^()]{0,80}\)", " ", rest, flags=re.I)
    pieces = [
        sentence.strip(" .()[]*_:")
        for piece in re.split(r",\s+|;\s+", rest)
        for sentence in _sentences(piece)
        if not any(re.search(pattern, sentence, re.I) for _, pattern in STATUS)
    ]
    pieces = [piece for piece in pieces if piece]
    said = ""
    for place, piece in enumerate(pieces):
        bare = bool(re.fullmatch(r"(?:[A-Z][a-z]{2,8}\s+)?\d{4}[a-z]?", piece))
        before = pieces[place - 1] if bare and place else ""
        words = before.split()
        if before and not (1 < len(words) < 5 and _are_authors(before)) and not before[-1].isdigit():
            said = said or before
        elif not bare and re.search(r"[A-Za-z]{3}", piece) and (YEAR.search(piece) or _VENUE.match(piece)):
            said = piece
    return re.sub(r"^in:?\s+", "", said, flags=re.I)[:160]


# -- education, positions, interests ---------------------------------------------------------------


def _span_in(text: str) -> str:
    found = [f for f in _SPAN.finditer(text) if f[2]] or list(_SPAN.finditer(text))
    return f"{found[0][1]}–{found[0][2]}" if found and found[0][2] else found[0][1] if found else ""


def _without_span(text: str) -> str:
    text = re.sub(r"\((?:advised|advisor|supervis|under)[^)]{0,200}\)", " ", text, flags=re.I)
    return re.sub(r"\s+", " ", _SPAN.sub(" ", text)).strip(" ,;:|–-·()")


def _groups(lines: list[_Line], opens: re.Pattern[str]) -> list[list[str]]:
    """Lines from one that opens an entry up to the next."""
    groups: list[list[str]] = []
    for line in lines:
        text = _MARK.sub("", line.text)
        if _CONTACT.search(text):
            continue
        if opens.search(text) and len(text) < 200 and not _QUOTED.search(text) and not text.endswith("."):
            groups.append([text])
        elif groups:
            groups[-1].append(text)
    return groups


def _education(lines: list[_Line]) -> list[str]:
    found = []
    for group in _groups(lines, _INSTITUTION):
        parts = [group[0], *group[1:6]]
        degree = next((_without_span(text) for text in parts[1:] if _DEGREE.search(text)), "")
        place = _without_span(group[0])
        span = next((span for text in parts if (span := _span_in(text))), "")
        found.append(" · ".join(part for part in (degree[:120], place[:120], span) if part))
    if not found:
        lines_with_degree = [line.text for line in lines if _DEGREE.search(line.text)]
        found = [" · ".join(p for p in (_without_span(t)[:160], _span_in(t)) if p) for t in lines_with_degree]
    return list(dict.fromkeys(found))[:20]


def _positions(lines: list[_Line]) -> list[str]:
    found = []
    for group in _groups(lines, _ROLE):
        head = _without_span(group[0])
        if not (re.search(r"@| at |,|\bof\b|–|\|", group[0]) or any(_span_in(text) for text in group[:3])):
            continue
        span = next((span for text in group[:3] if (span := _span_in(text))), "")
        found.append(" · ".join(part for part in (head[:160], span) if part))
    return list(dict.fromkeys(found))[:30]


def _interests(text: str, lines: list[_Line]) -> list[str]:
    named = _INTERESTED.search(_plain_block(text))
    body = named[1] if named else ", ".join(_MARK.sub("", line.text) for line in lines[:15])
    parts = [part.strip(" .:•*-") for part in re.split(r"[,;•|\n]|\band\b(?=[^,;]*$)", body)]
    found = [re.sub(r"^(?:and|the)\s+", "", part) for part in parts]
    return [p for p in dict.fromkeys(found) if 2 < len(p) <= 60 and not _CONTACT.search(p)][:12]


def _plain_block(text: str) -> str:
    return re.sub(r"[ \t]+", " ", re.sub(r"(?<!\n)\n(?!\n)", " ", _strip_marks(text[:MOST_TEXT])))


def _strip_marks(text: str) -> str:
    text = unicodedata.normalize("NFKC", html.unescape(text)).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[*_#`]{1,3}", "", text)
