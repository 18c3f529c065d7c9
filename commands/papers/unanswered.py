"""Where no sentence answers: the nearest papers, the best sentence on each of two things, the authors."""

from __future__ import annotations

from typing import Any

from discord import ui

from commands.cards.answer import no_answer, question_heading
from commands.cards.lists import Entry, listing, note
from commands.cards.search import foreign_line
from commands.cards.text import author_line, facts_line, readable, safe, shorten, title_link
from commands.kit.links import link
from commands.kit.services import Services
from commands.papers.ask_query import AskQuery, button_to
from commands.papers.found_answer import FoundAnswer, fields_of, heading
from data.records import Paper
from index.answers.questions import compared
from index.search.facets import Where
from index.search.passages import best_sentence

NEAREST = 3
FEW_WORDS = 8
"""A question of fewer words is short enough."""


async def unanswered(services: Services, found: FoundAnswer, goes_on_here: bool) -> ui.LayoutView:
    """The nearest papers, each with the sentence that comes nearest to an answer."""
    asked, question = found.asked, found.meant.text
    ids = await services.search.near_enough(question, found.answered.nearest)
    nearest = [found.paper] if found.paper else await services.store.papers(ids[:NEAREST])
    best = found.answered.best_of_each
    entries = [_entry(paper, best.get(paper.id) or _nearest(services, paper, question)) for paper in nearest]
    foreign = await services.search.language_of(asked.question)
    tries = []
    if asked.since or asked.category:
        tries.append("the same question without since and category")
    if found.paper is not None:
        tries.append("the same question without paper, which asks the whole library")
    if asked.left_out:
        tries.append("another question: these papers were not quoted above because they answer less well")
    if foreign:
        tries.append("the question in English")
    if entries and len(question.split()) >= FEW_WORDS:
        tries.append("fewer words, or words that an abstract would use")
    tries.append("/search, which lists papers instead of answering")
    notes = [foreign_line(foreign, fits=False)] if foreign else []
    row: list[ui.Item[Any]] = []
    if goes_on_here:
        row.append(link("ask.follow", "Ask a follow-up"))
    elif asked.about:  # the next try may go on from the same question
        on = AskQuery(**fields_of(asked, about=found.meant.about))
        row.append(await button_to(services, "ask.on", "Ask on", on))
    notes += found.notes
    read = _read(found) if found.paper is not None else ""
    return no_answer(heading(found), entries, services.paper_count, tries, [row], read=read, notes=notes)


def _entry(paper: Paper, sentence: str) -> Entry:
    note = safe(shorten(readable(sentence), 260))
    return Entry(paper, link("paper.card", "Details", paper=paper.id), note=note)


def _nearest(services: Services, paper: Paper, question: str) -> str:
    """The sentence of a paper that shares most with a question."""
    return best_sentence(paper.abstract, question, services.search.rarity)


def _read(found: FoundAnswer) -> str:
    """What of a paper was read."""
    if not found.answered.passages:
        return "title; I have no abstract of it"
    whole = any(passage.section or passage.page is not None for passage in found.answered.passages)
    return "full text" if whole else "abstract"


async def of_each(services: Services, found: FoundAnswer, goes_on_here: bool) -> ui.LayoutView | None:
    """For a question that compares two things, the best sentence on each; None where one is unknown."""
    things = compared(found.meant.text)
    if things is None or found.paper is not None or found.asked.left_out:
        return None
    where = Where(found.asked.category, found.asked.since)
    entries: list[Entry] = []
    for thing in things:
        hits = await services.search.search(thing, 2, where if where else None, as_text=True)
        before = {entry.paper.id for entry in entries}
        best = next(
            (
                hit.paper_id
                for hit in hits.hits
                if hit.paper_id in hits.fitting and hit.paper_id not in before
            ),
            None,
        )
        papers = await services.store.papers([best] if best is not None else [])
        entries += [_entry(paper, _nearest(services, paper, thing)) for paper in papers]
    if len(entries) < len(things):
        return None
    rows = [[link("ask.follow", "Ask a follow-up")]] if goes_on_here else []
    one, other = (safe(shorten(thing, 60)) for thing in things)
    says = f"**I found no sentence that compares them.** The best sentence on {one}, and on {other}:"
    return listing(f"{heading(found)}\n{says}", entries, rows=rows)


def written_by(paper: Paper, question: str) -> ui.LayoutView:
    """Who wrote a paper, which its record says."""
    names = author_line(paper, most=40)
    rows: list[list[ui.Item[Any]]] = [[link("paper.card", "About this paper", paper=paper.id)]]
    text = f"{question_heading(question)}\n{title_link(paper)} is by {names}.\n{facts_line(paper)}"
    return note(text, rows)
