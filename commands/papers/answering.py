"""An answer from the library or from one paper, as `/ask` and everything that goes on from it show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discord import ui

from commands.cards.answer import (
    CitedText,
    ShownQuote,
    answer_card,
    no_answer,
    question_heading,
    sureness,
)
from commands.cards.lists import Entry
from commands.cards.places import place_link
from commands.cards.text import day, label, readable, safe, shorten
from commands.kit.limits import aside
from commands.kit.links import link
from commands.kit.replies import UserError
from commands.kit.reply import Reply
from commands.kit.services import Services
from commands.kit.which_paper import paper_of
from commands.papers.ask_query import AskQuery, button_to
from data.keys import hash64
from data.records import Paper
from data.stores.asked_questions import AskedQuestion
from index.answers.answer import Quote
from index.answers.followups import FollowUp, follow_up, subject
from index.answers.library import Answered, NoModelError
from index.answers.passage import Passage
from index.answers.rephrase import CitedSentence
from index.search.facets import Where
from index.search.passages import best_sentence

NEAREST = 5
ABSTRACT_ONLY = "Full texts are switched off here, so this is from the abstract alone."
NO_MODEL = (
    "I can't compare sentences with a question yet: my model is still loading. Ask again in a few seconds."
)


@dataclass(frozen=True)
class Replied:
    """A reply, and what the next question may refer to."""

    reply: Reply
    kept: AskedQuestion


@dataclass(frozen=True)
class _Found:
    """What was found, and how the question was taken."""

    asked: AskQuery
    meant: FollowUp
    answered: Answered
    paper: Paper | None
    notes: tuple[str, ...]
    """Lines for the end of the reply, already safe."""


async def replied(services: Services, asked: AskQuery, *, goes_on_here: bool = False) -> Replied:
    """Answer a question.

    Parameters
    ----------
    goes_on_here
        Whether the next question can be asked in the same place: then that is what the reply offers.

    Raises
    ------
    UserError
        Where there is no question, no such paper, or no model.
    """
    if not asked.question.strip():
        raise UserError("Type a question after /ask, such as: /ask what causes loss spikes?")
    await services.wait_for_model()
    meant = follow_up(asked.question, asked.about, asked.quoted, services.search.rarity)
    if not asked.about and not asked.quoted:
        meant = FollowUp(asked.question, subject(asked.question, services.search.rarity))
    try:
        found = await _find(services, asked, meant)
    except NoModelError:
        raise UserError(NO_MODEL) from None
    papers = tuple(found.answered.papers if found.answered.answer.answered else found.answered.nearest)
    kept = asked.kept(found.meant.about, papers)
    if not found.answered.answer.answered:
        return Replied(Reply(await _no_answer(services, found, goes_on_here)), kept)
    return Replied(await _reply(services, found, goes_on_here), kept)


async def _find(services: Services, asked: AskQuery, meant: FollowUp) -> _Found:
    answers = services.answers
    only = asked.paper or (meant.papers[0] if len(meant.papers) == 1 else None)
    if only is not None:
        paper = await paper_of(services, only)
        passages, notes = await _passages(services, paper)
        return _Found(asked, meant, await answers.ask_of(meant.text, passages), paper, notes)
    ids = frozenset(meant.papers) or None
    where = Where(asked.category, asked.since, ids=ids)
    found = await answers.ask(meant.text, where if where else None, left_out=asked.left_out)
    return _Found(asked, meant, found, None, ())


async def _passages(services: Services, paper: Paper) -> tuple[Sequence[Passage], tuple[str, ...]]:
    """A paper's full text, or its abstract with a line that says so."""
    if services.full_texts is not None:
        async with aside():
            text = await services.full_texts.of(paper)
        return text.passages, ((safe(text.reason),) if text.reason else ())
    abstract = [Passage(paper.id, paper.abstract, paper.title)] if paper.abstract.strip() else []
    return abstract, (ABSTRACT_ONLY,)


# -- an answer ---------------------------------------------------------------------------------------


async def _reply(services: Services, found: _Found, goes_on_here: bool) -> Reply:
    papers = await _in_order(services, found)
    if not papers:  # they were merged into others just now
        return Reply(await _no_answer(services, found, goes_on_here))
    rephraser = services.rephraser

    async def view(written: Sequence[CitedSentence] = (), says: str = "") -> ui.LayoutView:
        quotes = _quotes(found, papers)
        numbers = [quote.number for quote in quotes]
        prose = [
            CitedText(one.text, tuple(sorted({numbers[place] for place in one.quotes})))
            for one in written
            if all(place < len(numbers) for place in one.quotes)
        ]
        notes = (*found.notes, *([safe(says)] if says else []))
        rows = [await _row(services, found, papers, goes_on_here)]
        sure = sureness(found.answered.answer.confidence)
        return answer_card(_heading(found), sure, quotes, papers, rows, prose=prose, notes=notes)

    async def rephrased() -> ui.LayoutView | None:
        assert rephraser is not None
        answered = found.answered
        made = await rephraser.rewrite(
            found.meant.text, answered.answer, answered.passages, member=services.place.member
        )
        return await view(made.sentences, made.note) if made.sentences or made.note else None

    return Reply(await view(), later=rephrased if rephraser is not None else None)


async def _in_order(services: Services, found: _Found) -> list[Paper]:
    """The papers quoted, in the order of their numbers."""
    if found.paper is not None:
        return [found.paper]
    known = {paper.id: paper for paper in await services.store.papers(found.answered.papers)}
    return [known[number] for number in found.answered.papers if number in known]


def _quotes(found: _Found, papers: Sequence[Paper]) -> list[ShownQuote]:
    answer, passages = found.answered.answer, found.answered.passages
    number_of = {paper.id: number for number, paper in enumerate(papers, 1)}
    shown_quotes = []
    for place, quote in enumerate(answer.quotes):
        passage = passages[quote.passage]
        number = number_of.get(passage.paper)
        if number is None:  # the paper was merged into another meanwhile
            continue
        above = [one for one, other in answer.contradicting if other == place]
        against = [number_of.get(passages[answer.quotes[one].passage].paper) for one in above]
        shown_quotes.append(
            ShownQuote(
                number,
                quote.text,
                link("ask.context", "Show in context", **_context_ids(found, quote)),
                place_link(papers[number - 1], passage) if _part(found, quote) else "",
                tuple(dict.fromkeys(number for number in against if number)),
            )
        )
    return shown_quotes


def _context_ids(found: _Found, quote: Quote) -> dict[str, Any]:
    return {
        "paper": found.answered.passages[quote.passage].paper,
        "start": quote.start,
        "end": quote.end,
        "part": _part(found, quote),
        "mark": mark_of(quote.text),
    }


def _part(found: _Found, quote: Quote) -> int:
    """The number of a full text's passage, from 1; 0 for an abstract."""
    passage = found.answered.passages[quote.passage]
    return quote.passage + 1 if passage.section or passage.page is not None else 0


def mark_of(sentence: str) -> str:
    """Six hexadecimal digits by which a sentence is known again."""
    return f"{hash64(sentence) & 0xFFFFFF:06x}"


async def _row(
    services: Services, found: _Found, papers: Sequence[Paper], goes_on_here: bool
) -> list[ui.Item[Any]]:
    """More, Similar, and going on."""
    asked, row = found.asked, list[ui.Item[Any]]()
    if found.paper is None and not found.meant.papers:
        row.append(await button_to(services, "ask.more", "More", _bare(asked)))
    similar = "Similar papers" if len(papers) == 1 else "Similar to [1]"
    row.append(link("paper.similar", similar, paper=papers[0].id))
    row.append(link("paper.card", label(f"About {papers[0].title}", 40), paper=papers[0].id))
    if goes_on_here:
        row.append(link("ask.follow", "Ask a follow-up"))
    else:
        on = _bare(asked) if not asked.about else AskQuery(**_fields(asked, about=found.meant.about))
        row.append(await button_to(services, "ask.on", "Ask on", on))
    return row


def _bare(asked: AskQuery) -> AskQuery:
    """Without the papers quoted, which the message's own buttons name."""
    return AskQuery(**_fields(asked, quoted=()))


def _fields(asked: AskQuery, **more: Any) -> dict[str, Any]:
    return {name: getattr(asked, name) for name in AskQuery.__slots__} | more


def _heading(found: _Found) -> str:
    asked, notes = found.asked, list[str]()
    if found.meant.papers:
        several = len(found.meant.papers) > 1
        notes.append("asked of the papers quoted before" if several else "asked of the paper quoted before")
    elif found.meant.changed:
        notes.append(f"taken as: {safe(shorten(found.meant.text, 200))}")
    limits = [
        f"in {asked.category}" if asked.category else "",
        f"since {day(asked.since)}" if asked.since else "",
        "more papers" if asked.left_out else "",
    ]
    if any(limits):
        notes.append(", ".join(filter(None, limits)))
    return question_heading(asked.question, notes)


# -- no answer ---------------------------------------------------------------------------------------


async def _no_answer(services: Services, found: _Found, goes_on_here: bool) -> ui.LayoutView:
    """The nearest papers, each with the sentence that comes nearest."""
    nearest = [found.paper] if found.paper else await services.store.papers(found.answered.nearest[:NEAREST])
    entries = [
        Entry(
            paper,
            link("paper.card", "Details", paper=paper.id),
            note=safe(
                shorten(
                    readable(best_sentence(paper.abstract, found.meant.text, services.search.rarity)), 260
                )
            ),
        )
        for paper in nearest
    ]
    asked = found.asked
    tries = []
    if asked.since or asked.category:
        tries.append("the same question without since and category")
    if found.paper is not None:
        tries.append("the same question without paper, which asks the whole library")
        if found.notes:
            tries.append(f"asking again later. {found.notes[0]}")
    if asked.left_out:
        tries.append("another question: these papers were not quoted above because they answer less well")
    tries.append("fewer words, or those that an abstract would use")
    tries.append("/search, which lists papers instead of answering")
    row: list[ui.Item[Any]] = []
    if goes_on_here:
        row.append(link("ask.follow", "Ask a follow-up"))
    elif asked.about:  # the next try may go on from the same question
        on = AskQuery(**_fields(asked, about=found.meant.about))
        row.append(await button_to(services, "ask.on", "Ask on", on))
    return no_answer(_heading(found), entries, await services.store.count(), tries, [row])
