"""The card of one paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import discord
from discord import ui

from commands.cards.lists import ACCENT, framed
from commands.cards.text import author_line, day, facts_line, readable, safe, shorten, shown, title_link
from data.calendar.arxiv_ids import find_doi
from data.records import Paper

_ABSTRACT = 2_000


def card(
    paper: Paper,
    actions: Sequence[ui.Item[Any]],
    people: Sequence[ui.Item[Any]],
    figures: str | None = None,
    more_links: Sequence[ui.Item[Any]] = (),
) -> ui.LayoutView:
    """Title, authors, facts, figures, abstract, links; buttons for what to do next and for the authors."""
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    head = [f"## {title_link(paper, 250)}", author_line(paper, most=12), facts_line(paper)]
    if figures:
        head.append(f"-# {figures}")
    if paper.withdrawn:
        head.append("⚠️ This paper was withdrawn.")
    box.add_item(ui.TextDisplay("\n".join(head)[:1_700]))
    box.add_item(ui.Separator())
    abstract = safe(shorten(readable(paper.abstract), _ABSTRACT)).strip() or "-# No abstract."
    box.add_item(ui.TextDisplay(abstract[:2_000]))
    if details := _details(paper):
        box.add_item(ui.TextDisplay(details[:280]))
    links = [*_links(paper), *more_links]
    rows = [[*actions, *links]] if len(actions) + len(links) <= 5 else [actions, links]
    return framed(box, [*rows, people])


def _details(paper: Paper) -> str:
    """Versions, earlier titles, where it appeared; small print, each only where known."""
    parts = []
    if paper.version and paper.version > 1:
        parts.append(
            f"version {paper.version}, {day(paper.updated, paper.dated_by)}"
            if paper.updated
            else f"version {paper.version}"
        )
    if paper.submitted and paper.submitted != paper.day:
        parts.append(f"submitted {day(paper.submitted, paper.dated_by)}")
    if len(paper.categories) > 1:
        parts.append(" ".join(paper.categories[:6]))
    if paper.journal_ref:
        parts.append(shown(paper.journal_ref, 80))
    if paper.comment:
        parts.append(shown(paper.comment, 80))
    lines = ["-# " + " · ".join(parts)] if parts else []
    if paper.former_titles:
        lines.append(f"-# Former title: {shown(paper.former_titles[0], 120)}")
    return "\n".join(lines)


def _links(paper: Paper) -> list[ui.Item[Any]]:
    links: list[ui.Item[Any]] = []
    if paper.arxiv_id:
        links.append(ui.Button(label="arXiv", url=f"https://arxiv.org/abs/{paper.arxiv_id}"))
        links.append(ui.Button(label="PDF", url=f"https://arxiv.org/pdf/{paper.arxiv_id}"))
    if paper.acl_url:
        links.append(ui.Button(label="ACL Anthology", url=paper.acl_url))
    if paper.doi and (url := doi_url(paper.doi)):
        links.append(ui.Button(style=discord.ButtonStyle.link, label="DOI", url=url))
    return links


def doi_url(doi: str) -> str | None:
    """The link of a DOI; None for a field that holds something else."""
    number = find_doi(doi)
    url = "https://doi.org/" + quote(number, safe="/:;()._-") if number else ""
    return url if url and len(url) <= 512 else None
