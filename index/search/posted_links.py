"""The papers that a chat message links to on purpose: arXiv's, the ACL Anthology's, DOIs; none hidden."""

from __future__ import annotations

import re
from dataclasses import dataclass

from index.search.named_papers import LOOKED_AT, NamedPaper, links_in

_HIDDEN = re.compile(r"```.*?(?:```|\Z)|``.*?``|`[^`\n]*`|\|\|.*?\|\||<[^<>\s]{1,2000}>", re.DOTALL)
"""Code, spoilers, and links in angle brackets, which ask for no preview; mentions and emoji go, too."""
_LINK = re.compile(r"https?://[^\s<>]{4,400}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PostedLinks:
    """The papers of a message's links, each once, and whether it has no other links."""

    papers: tuple[NamedPaper, ...] = ()
    alone: bool = True


def posted_links(text: str) -> PostedLinks:
    """What a message links to; links in code, spoilers and angle brackets don't count."""
    papers: dict[tuple[str, str], NamedPaper] = {}
    alone = True
    for link in _LINK.findall(_HIDDEN.sub(" ", text[:LOOKED_AT])):
        named = [one for one in links_in(link) if one.kind in ("arxiv", "acl", "doi")]
        alone = alone and bool(named)
        papers |= {one.key: one for one in named}
    return PostedLinks(tuple(papers.values()), alone)
