"""The papers that a text names: arXiv ids, DOIs, links to paper sites, and whole titles in quotes.

Nothing is guessed: an identifier has to be well-formed, and a title has to be a known paper's own, to the
letter and digit. So Labmate may miss a paper, but never takes it for another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from data.anthology import ACL_ID, SPLIT_ID, acl_forms
from data.calendar.arxiv_ids import SITES, find_arxiv_id, find_doi
from data.keys import title_words
from data.stores.store import Store

LOOKED_AT = 20_000
"""Characters of a text that are looked at."""
MOST = 30
"""Papers of one text that are recognised."""
TITLE_WORDS = 4
"""Fewer words in quotes don't count as a title: they may be a term that happens to be one."""

_MONTH = r"(?:0[1-9]|1[0-2])"
_NUMBER = rf"(?:(?:0[7-9]|1[0-4]){_MONTH}\.\d{{4}}|(?:1[5-9]|[2-9]\d){_MONTH}\.\d{{5}})"
"""Since April 2007: year, month, and four digits until 2014, then five."""
_ARCHIVES = (
    "acc-phys|adap-org|alg-geom|ao-sci|astro-ph|atom-ph|bayes-an|chao-dyn|chem-ph|cmp-lg|comp-gas|cond-mat|"
    "cs|dg-ga|funct-an|gr-qc|hep-ex|hep-lat|hep-ph|hep-th|math-ph|math|mtrl-th|nlin|nucl-ex|nucl-th|patt-sol|"
    "physics|plasm-ph|q-alg|q-bio|q-fin|quant-ph|solv-int|stat|supr-con"
)
"""arXiv's archives before April 2007, whose names began an id: https://info.arxiv.org/help/arxiv_identifier.html"""
_ID = rf"(?:{_NUMBER}|(?:{_ARCHIVES})(?:\.[A-Z]{{2}})?/\d{{7}})(?:v\d{{1,2}})?(?!\d)"
_ARXIV_LINK = re.compile(rf"(?<![\w-]){SITES}/({_ID})(?!\w)", re.IGNORECASE)
_ARXIV_SAID = re.compile(rf"(?<!\w)arxiv[:\s]\s?({_ID})(?!\w)", re.IGNORECASE)
_ARXIV_BARE = re.compile(
    rf"(?<![^\s(\[{{<,;“\"'`*|])({_ID})(?=[\s)\]}}>,;:.!?”\"'`*|]|$)(?!\.\d)", re.IGNORECASE
)
_ACL_SITE = r"(?:aclanthology\.org|aclweb\.org/anthology|aclanthology\.info/papers)/"
_ACL = re.compile(rf"(?<![\w-]){_ACL_SITE}({ACL_ID})(?![\d-])", re.IGNORECASE)
_ACL_ALONE = re.compile(
    rf"<?(?:(?:https?://)?(?:www\.)?{_ACL_SITE})?({ACL_ID}|{SPLIT_ID})"
    r"(?:v\d{1,2})?(?:\.pdf|\.bib)?/?>?",
    re.IGNORECASE,
)
_ACL_DOI = re.compile(r"10\.(?:18653|3115)/v1/(.+)")
_OPENREVIEW = re.compile(
    r"(?<![\w-])openreview\.net/(?:forum|pdf|attachment)\?(?:[\w=&%.;-]{0,200}?&(?:amp;)?)?id=([\w-]{6,20})"
)
_DOI = re.compile(r"(?<![\d.])(10\.\d{4,9}(?:/|%2F)[^\s<>\"“”`|{}\\^]{1,300})", re.IGNORECASE)
_AFTER_DOI = ("/pdf", "/epdf", "/full", "/abstract", "/abs", "/html", "/meta", ".pdf")
"""What publishers' addresses have behind a DOI."""
_QUOTED = re.compile(
    r"“([^“”\n]{12,400})”|„([^„“”\n]{12,400})[“”]|«([^«»\n]{12,400})»|\"([^\"\n]{12,400})\"|‘([^‘’\n]{12,400})’"
)
_LABELLED = re.compile(r"\[([^\[\]\n]{3,400})\]\(<?(https?://[^\s<>()]{1,400})")


@dataclass(frozen=True, slots=True)
class NamedPaper:
    """How a text names a paper.

    Attributes
    ----------
    kind
        ``arxiv``, ``doi``, ``acl``, ``openreview`` or ``title``.
    value
        The id as the site writes it, without a version; the title as the text prints it.
    title
        The title in a link's label or preview, if any.
    """

    kind: str
    value: str
    title: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The same for every way to name the same thing."""
        return self.kind, self.value if self.kind == "openreview" else self.value.lower()


@dataclass(frozen=True, slots=True)
class Recognised:
    """The known papers that a text names, in its order, and what else it names by an identifier."""

    papers: tuple[int, ...] = ()
    unknown: tuple[NamedPaper, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.papers or self.unknown)


def identifier(text: str) -> NamedPaper | None:
    """The paper that a text names if it is nothing but an identifier or a link; None for other text."""
    text = text.strip()
    if arxiv_id := find_arxiv_id(text):
        return NamedPaper("arxiv", arxiv_id[0])
    if doi := find_doi(text):
        return NamedPaper("doi", doi[:300])
    match = _ACL_ALONE.fullmatch(text) or _ACL.search(text)
    return NamedPaper("acl", _acl(match[1])) if match else None


async def known_by_id(store: Store, one: NamedPaper) -> int | None:
    """The store id of the paper with an identifier."""
    for scheme, value in _ids(one):
        if (paper := await store.find_id(scheme, value)) is not None:
            return paper
    return None


def links_in(text: str) -> list[NamedPaper]:
    """The papers that a text links to or names by an identifier, each once, in its order."""
    found = sorted(_identifiers(text[:LOOKED_AT]), key=lambda one: one[2])
    return once(NamedPaper(kind, value) for kind, value, _, _ in found)


def named_in(text: str) -> list[NamedPaper]:
    """The papers that a text names, by identifier or by a title in quotes, each once, in its order."""
    text = text[:LOOKED_AT]
    found = list(_identifiers(text))
    labels = [(match.span(2), match[1]) for match in _LABELLED.finditer(text)]
    named = [(start, NamedPaper(kind, value, _label(labels, start))) for kind, value, start, _ in found]
    for match in _QUOTED.finditer(text):
        title = next(filter(None, match.groups()), "")
        if any(start < match.end() and match.start() < end for _, _, start, end in found):
            continue
        if len(title_words(title)) >= TITLE_WORDS:
            named.append((match.start(), NamedPaper("title", title)))
    return once(one for _, one in sorted(named, key=lambda pair: pair[0]))


async def recognised(store: Store, named: Sequence[NamedPaper]) -> Recognised:
    """Which of these papers the store knows; several of the same title count as none.

    Quoted text that is not the title of a paper is left out.
    """
    papers: dict[int, None] = {}
    unknown: list[NamedPaper] = []
    for one in named[: 2 * MOST]:
        paper = await _known(store, one)
        if paper is not None:
            papers[paper] = None
        elif one.kind != "title":
            unknown.append(one)
    now = [paper.id for paper in await store.papers(papers)]  # merged ones under their present number
    return Recognised(tuple(dict.fromkeys(now))[:MOST], tuple(unknown[:MOST]))


async def _known(store: Store, one: NamedPaper) -> int | None:
    if (paper := await known_by_id(store, one)) is not None:
        return paper
    title = one.value if one.kind == "title" else one.title
    if not title_words(title):
        return None
    titled = await store.find_title(title[:2_000])
    return titled[0] if len(titled) == 1 else None


def _ids(one: NamedPaper) -> Iterator[tuple[str, str]]:
    """The schemes and ids under which the store may have it."""
    if one.kind in ("arxiv", "doi"):
        yield one.kind, one.value
        acl = _ACL_DOI.fullmatch(one.value) if one.kind == "doi" else None
        if acl and (match := _ACL_ALONE.fullmatch(acl[1])):
            yield from (("file", form) for form in acl_forms(_acl(match[1])))
    elif one.kind == "acl":
        forms = acl_forms(one.value)
        for form in forms:
            yield "doi", f"10.18653/v1/{form.lower()}"
            yield "doi", f"10.3115/v1/{form.lower()}"
        yield from (("file", form) for form in forms)


def _identifiers(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Kind, value, start and end of each identifier; if two overlap, only the more certain one."""
    taken: list[tuple[int, int]] = []
    kinds: tuple[tuple[str, re.Pattern[str], Callable[[str], str | None]], ...] = (
        ("arxiv", _ARXIV_LINK, _arxiv),
        ("acl", _ACL, _acl),
        ("openreview", _OPENREVIEW, str),
        ("doi", _DOI, _doi),
        ("arxiv", _ARXIV_SAID, _arxiv),
        ("arxiv", _ARXIV_BARE, _arxiv),
    )
    for kind, pattern, read in kinds:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(start < after and before < end for before, after in taken):
                continue
            value = read(match[1])
            if value is not None:
                taken.append((start, end))
                also = find_arxiv_id(value) if kind == "doi" else None
                yield ("arxiv", also[0], start, end) if also else (kind, value, start, end)


def _arxiv(text: str) -> str | None:
    found = find_arxiv_id(text)
    return found[0] if found else None


def _acl(text: str) -> str:
    return text.upper() if text[0].isalpha() else text.lower()


def _doi(text: str) -> str | None:
    """A DOI in lower case, without the rest of the sentence; None if it has invisible characters."""
    text, before = re.split(r"[?#]", unquote(text).lower(), maxsplit=1)[0], ""
    while text != before:
        before = text
        text = text.rstrip(".,;:!?'’*_~/")
        if text and _unpaired(text):
            text = text[:-1]
        for end in _AFTER_DOI:
            text = text.removesuffix(end)
    number, _, rest = text.partition("/")
    return text if number and rest and text.isprintable() and " " not in text else None


def _unpaired(text: str) -> bool:
    pairs = {")": "(", "]": "[", ">": "<"}
    return text[-1] in pairs and text.count(text[-1]) > text.count(pairs[text[-1]])


def _label(labels: Iterable[tuple[tuple[int, int], str]], start: int) -> str:
    """The label of the link that contains an identifier."""
    return next((label for (begin, end), label in labels if begin <= start < end), "")


def once(named: Iterable[NamedPaper]) -> list[NamedPaper]:
    """Each paper once, with a title where one of its mentions has one."""
    first: dict[tuple[str, str], NamedPaper] = {}
    for one in named:
        known = first.get(one.key)
        if known is None or (one.title and not known.title):
            first[one.key] = one
    return list(first.values())
