"""Where no sentence answers: the nearest papers, the best sentence on each of two things, the authors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from discord import ui

from commands.cards.answer import no_answer, question_heading
from commands.cards.lists import Entry, listing, note
from commands.cards.places import place_link
from commands.cards.search import foreign_line
from commands.cards.text import author_line, facts_line, readable, safe, shorten, title_link
from commands.kit.links import link
from commands.kit.services import Services
from commands.papers.ask_query import AskQuery, button_to
from commands.papers.found_answer import FoundAnswer, fields_of, heading
from data.records import Paper
from index.answers.questions import compared, compares
from index.search.facets import Where
from index.search.passages import best_sentence

NEAREST = 3
LONGEST_SHOWN = 600
"""Characters of a sentence; anything longer is hardly a sentence, and is cut."""
FEW_WORDS = 8
"""A question of fewer words is short enough."""


@dataclass(frozen=True)
class ShownNearest:
    """A reply, and the store ids of the papers it shows, in their order."""

    view: ui.LayoutView
    papers: tuple[int, ...]


async def unanswered(services: Services, found: FoundAnswer, goes_on_here: bool) -> ShownNearest:
    """The nearest papers, each with the sentence that comes nearest to an answer."""
    asked, question = found.asked, found.meant.text
    ids = await services.search.near_enough(question, found.answered.nearest)
    nearest = [found.paper] if found.paper else await services.store.papers(ids[:NEAREST])
    entries = [_best(services, found, paper) for paper in nearest]
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
    view = no_answer(heading(found), entries, services.paper_count, tries, [row], read=read, notes=notes)
    return ShownNearest(view, tuple(paper.id for paper in nearest))


def _entry(paper: Paper, sentence: str, place: str = "") -> Entry:
    """A paper with one of its sentences, and the place of that sentence, already safe, if it has one."""
    quoted = f"“{safe(shorten(readable(sentence), LONGEST_SHOWN))}”" if sentence else ""
    note = "\n".join(filter(None, [quoted, place and f"-# {place}"]))
    return Entry(paper, link("paper.card", "Details", paper=paper.id), note=note)


def _best(services: Services, found: FoundAnswer, paper: Paper) -> Entry:
    """A paper with its best sentence, or if none was compared, with the one that shares the most words."""
    quote = found.answered.best_of_each.get(paper.id)
    if quote is None:
        return _entry(paper, _nearest(services, paper, found.meant.text))
    passage = found.answered.passages[quote.passage]
    return _entry(paper, quote.text, place_link(paper, passage) if passage.in_full_text else "")


def _nearest(services: Services, paper: Paper, question: str) -> str:
    """The sentence of a paper that shares most with a question."""
    return best_sentence(paper.abstract, question, services.search.rarity)


def _read(found: FoundAnswer) -> str:
    """What of a paper was read."""
    if not found.answered.passages:
        return "title; I have no abstract of it"
    whole = any(passage.in_full_text for passage in found.answered.passages)
    return "full text" if whole else "abstract"


async def of_each(services: Services, found: FoundAnswer, goes_on_here: bool) -> ShownNearest | None:
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
    view = listing(f"{heading(found)}\n{says}", entries, rows=rows)
    return ShownNearest(view, tuple(entry.paper.id for entry in entries))


def speaks_of_both(services: Services, found: FoundAnswer) -> bool:
    """Whether a paper that is quoted speaks of both things that the question compares, if it compares any."""
    things = compared(found.meant.text)
    if things is None or found.paper is not None:
        return True
    quoted = {quote.passage for quote in found.answered.answer.quotes}
    passages = [found.answered.passages[place] for place in quoted]
    texts = [f"{passage.title}. {passage.text}" for passage in passages]
    return compares(things, texts, services.search.rarity)


def written_by(paper: Paper, question: str) -> ui.LayoutView:
    """Who wrote a paper, which its record says."""
    names = author_line(paper, most=40)
    rows: list[list[ui.Item[Any]]] = [[link("paper.card", "About this paper", paper=paper.id)]]
    text = f"{question_heading(question)}\n{title_link(paper)} is by {names}.\n{facts_line(paper)}"
    return note(text, rows)
