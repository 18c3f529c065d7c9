"""Keywords that authors themselves put at the end of an abstract."""

from __future__ import annotations

import re
from collections.abc import Iterable

from index.search.phrase_text import phrase_key

_LIST = re.compile(
    r"(?:^|[\s.*_{(])(?:key[- ]?words?(?: and phrases)?|index terms|key[- ]?phrases)\s*[}*_]*\s*[:：—–-]+"
    r"[\s*_}]*([^\n]{10,400})\s*$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[;,·•|]| \. | - | – ")
_ASIDE = re.compile(r"\([^)]*\)")
LEAST_ABSTRACT = 200
"""Characters before the list; a shorter text is not an abstract with keywords."""
FEWEST, MOST, MOST_WORDS = 3, 15, 6


def split_keywords(abstract: str) -> tuple[str, list[str]] | None:
    """(the abstract without its list, the keywords) of an abstract that ends in ``Keywords: a, b, c``."""
    abstract = abstract.strip()
    found = _LIST.search(abstract)
    if found is None or found.start() < LEAST_ABSTRACT:
        return None
    parts = [part.strip(" .*_{}\\") for part in _BETWEEN.split(found[1])]
    keywords = [part for part in parts if part]
    if not FEWEST <= len(keywords) <= MOST or any(len(word.split()) > MOST_WORDS for word in keywords):
        return None
    return abstract[: found.start()].strip(), keywords


def keyword_keys(keywords: Iterable[str]) -> set[int]:
    """Keys of keywords, without what stands in parentheses."""
    return {phrase_key(_ASIDE.sub("", keyword)) for keyword in keywords} - {0}
