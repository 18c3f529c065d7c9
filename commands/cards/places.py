"""Where in a paper a quotation stands: its section and page, in words and as a link."""

from __future__ import annotations

import re

from commands.cards.text import linked, shown
from data.records import Paper
from index.answers.passage import Passage

_NUMBERED = re.compile(r"(?:[A-Z]\.)?\d{1,2}(?:\.\d{1,2})*\.?\s")


def place_of(passage: Passage) -> str:
    """Where a quote stands, safe to show: ``§ 3.2 Setup, p. 5``, or ``abstract`` outside a full text."""
    if not passage.in_full_text:
        return "abstract"
    section = shown(passage.section, 80)
    if _NUMBERED.match(passage.section):
        section = f"§ {section}"
    page = f"p. {passage.page}" if passage.page is not None else ""
    return ", ".join(part for part in (section, page) if part)


def place_url(paper: Paper, passage: Passage) -> str | None:
    """The address of the page that it stands on, or of the paper; None where the paper has none."""
    if paper.arxiv_id and passage.page is not None:
        return f"https://arxiv.org/pdf/{paper.arxiv_id}#page={passage.page}"
    return paper.url


def place_link(paper: Paper, passage: Passage) -> str:
    """The place as a link where the paper can be read."""
    url, place = place_url(paper, passage), place_of(passage)
    return linked(place, url) if url else place
