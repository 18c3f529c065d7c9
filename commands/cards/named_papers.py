"""Papers that a message names and the library lacks, as text."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from commands.cards.paper import doi_url
from commands.cards.text import linked, plural, safe, shorten
from index.search.named_papers import NamedPaper

_SHOWN = 8
_LONGEST = 160
"""Characters of an address that is linked; eight of them have to fit below a list."""
_PAGES = {
    "arxiv": "https://arxiv.org/abs/",
    "acl": "https://aclanthology.org/",
    "openreview": "https://openreview.net/forum?id=",
}
_NAMES = {"arxiv": "arXiv:", "acl": "ACL Anthology ", "openreview": "OpenReview ", "doi": "doi:"}


def named(paper: NamedPaper) -> str:
    """A paper by its identifier, with a link to its page."""
    text = safe(_NAMES.get(paper.kind, "") + shorten(paper.value, 80))
    page = _PAGES.get(paper.kind)
    address = doi_url(paper.value) if page is None else page + quote(paper.value, safe="/.-_")
    return linked(text, address) if address and len(address) <= _LONGEST else text


def unknown_line(papers: Sequence[NamedPaper], known: int) -> str:
    """Which papers the library of ``known`` papers lacks; empty if there are none."""
    if not papers:
        return ""
    names = ", ".join(named(paper) for paper in papers[:_SHOWN])
    more = f" and {len(papers) - _SHOWN} more" if len(papers) > _SHOWN else ""
    return f"Not among the {plural(known, 'paper')} that I have read: {names}{more}."
