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
    sureness,
)
from commands.cards.places import place_link
from commands.cards.search import foreign_line
from commands.cards.text import label, safe, shorten
from commands.kit.links import link
from commands.kit.replies import UserError
from commands.kit.reply import Reply
from commands.kit.services import MODEL_PATIENCE, Services
from commands.kit.spoken import SPOKEN
from commands.kit.which_paper import paper_of
from commands.papers.ask_query import AskQuery, button_to
from commands.papers.found_answer import FoundAnswer, bare, fields_of, heading
from commands.papers.unanswered import of_each, speaks_of_both, unanswered, written_by
from data.keys import hash64
from data.records import Paper
from data.stores.asked_questions import AskedQuestion
from index.answers.answer import Quote
from index.answers.followups import FollowUp, follow_up, subject, system_in
from index.answers.library import NoModelError
from index.answers.questions import asks_who_wrote, whose_writers
from index.answers.rephrase import CitedSentence
from index.search.facets import Where
from index.search.routing import routed

NO_MODEL = (
    "I can't compare sentences with a question: my model doesn't load. Please tell the person who runs me; "
    "`python -m bot doctor` says why. /search still finds papers by their words."
)


_ABOUT_SUBJECTS = ("ask", "help", "search", "similar")
"""Commands that know no more of a question than `/ask` does."""


@dataclass(frozen=True)
class Replied:
    """A reply, and what the next question may refer to."""

    reply: Reply
    kept: AskedQuestion
    meant: str
    """The question as it was taken."""


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
    if asked.paper is None and (named := await _whose_writers(services, asked.question)) is not None:
        kept = asked.kept(asked.question, (named.id,))
        return Replied(Reply(written_by(named, asked.question)), kept, asked.question)
    await services.wait_for_model(MODEL_PATIENCE)
    quoted = await services.store.papers(asked.quoted[:1])
    system = system_in(quoted[0].title) if quoted else ""
    meant = follow_up(asked.question, asked.about, asked.quoted, services.search.rarity, system=system)
    if not asked.about and not asked.quoted:
        meant = FollowUp(asked.question, subject(asked.question, services.search.rarity))
    if meant.changed and not meant.papers and (named := await _whose_writers(services, meant.text)):
        kept = asked.kept(meant.about, (named.id,))
        return Replied(Reply(written_by(named, meant.text)), kept, meant.text)
    try:
        found = await _find(services, asked, meant)
    except NoModelError:
        raise UserError(NO_MODEL) from None
    if found.paper is not None and asks_who_wrote(asked.question):
        kept = asked.kept(found.meant.about, (found.paper.id,))
        return Replied(Reply(written_by(found.paper, asked.question)), kept, found.meant.text)
    shown, answered = None, found.answered.answer.answered
    if not (answered and speaks_of_both(services, found)):
        shown = await of_each(services, found, goes_on_here)
    if shown is None and not answered:
        shown = await unanswered(services, found, goes_on_here)
    if shown is not None:
        return Replied(Reply(shown.view), asked.kept(found.meant.about, shown.papers), found.meant.text)
    kept = asked.kept(found.meant.about, tuple(found.answered.papers))
    return Replied(await _reply(services, found, goes_on_here), kept, found.meant.text)


async def _whose_writers(services: Services, question: str) -> Paper | None:
    """The paper that a question names to ask for its authors; None where it is another question."""
    name = whose_writers(question)
    meant = (await services.search.named(name)).paper if name else None
    papers = await services.store.papers([meant]) if meant is not None else []
    return papers[0] if papers else None


async def _find(services: Services, asked: AskQuery, meant: FollowUp) -> FoundAnswer:
    answers = services.answers
    only = asked.paper or (meant.papers[0] if len(meant.papers) == 1 else None)
    if only is not None:
        paper = await paper_of(services, only)
        text = await services.full_text(paper)
        notes = (safe(text.reason),) if text.reason else ()
        return FoundAnswer(asked, meant, await answers.ask_of(meant.text, text.passages), paper, notes)
    ids = frozenset(meant.papers) or None
    where = Where(asked.category, asked.since, ids=ids)
    found = await answers.ask(meant.text, where if where else None, left_out=asked.left_out)
    return FoundAnswer(asked, meant, found, None, await _other_command(services, asked))


async def _other_command(services: Services, asked: AskQuery) -> tuple[str, ...]:
    """A note on the command for a question that no sentence answers, such as who works on a topic."""
    if asked.about or asked.quoted or asked.left_out:
        return ()
    found = await routed(services.search, asked.question, commands=SPOKEN)
    if found.command in _ABOUT_SUBJECTS:
        return ()
    return (f"{safe(shorten(found.typed, 150))} answers this from what I know of papers and people.",)


# -- an answer ---------------------------------------------------------------------------------------


async def _reply(services: Services, found: FoundAnswer, goes_on_here: bool) -> Reply:
    papers = await _in_order(services, found)
    if not papers:  # they were merged into others just now
        return Reply((await unanswered(services, found, goes_on_here)).view)
    rephraser = services.rephraser
    foreign = await services.search.language_of(found.asked.question)
    spoken = [foreign_line(foreign, fits=True).removeprefix("-# ")] if foreign else []

    async def view(written: Sequence[CitedSentence] = (), says: str = "") -> ui.LayoutView:
        quotes = _quotes(found, papers)
        numbers = [quote.number for quote in quotes]
        prose = [
            CitedText(one.text, tuple(sorted({numbers[place] for place in one.quotes})))
            for one in written
            if all(place < len(numbers) for place in one.quotes)
        ]
        notes = (*spoken, *found.notes, *([safe(says)] if says else []))
        rows = [await _row(services, found, papers, goes_on_here)]
        sure = sureness(found.answered.answer.confidence)
        return answer_card(heading(found), sure, quotes, papers, rows, prose=prose, notes=notes)

    async def rephrased() -> ui.LayoutView | None:
        assert rephraser is not None
        answered = found.answered
        made = await rephraser.rewrite(
            found.meant.text, answered.answer, answered.passages, member=services.place.member
        )
        return await view(made.sentences, made.note) if made.sentences or made.note else None

    return Reply(await view(), later=rephrased if rephraser is not None else None)


async def _in_order(services: Services, found: FoundAnswer) -> list[Paper]:
    """The papers quoted, in the order of their numbers."""
    if found.paper is not None:
        return [found.paper]
    known = {paper.id: paper for paper in await services.store.papers(found.answered.papers)}
    return [known[number] for number in found.answered.papers if number in known]


def _quotes(found: FoundAnswer, papers: Sequence[Paper]) -> list[ShownQuote]:
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


def _context_ids(found: FoundAnswer, quote: Quote) -> dict[str, Any]:
    return {
        "paper": found.answered.passages[quote.passage].paper,
        "start": quote.start,
        "end": quote.end,
        "part": _part(found, quote),
        "mark": mark_of(quote.text),
    }


def _part(found: FoundAnswer, quote: Quote) -> int:
    """The number of a full text's passage, from 1; 0 for an abstract."""
    passage = found.answered.passages[quote.passage]
    return quote.passage + 1 if passage.in_full_text else 0


def mark_of(sentence: str) -> str:
    """Six hexadecimal digits by which a sentence is known again."""
    return f"{hash64(sentence) & 0xFFFFFF:06x}"


async def _row(
    services: Services, found: FoundAnswer, papers: Sequence[Paper], goes_on_here: bool
) -> list[ui.Item[Any]]:
    """More, Similar, and going on."""
    asked, row = found.asked, list[ui.Item[Any]]()
    if found.paper is None and not found.meant.papers:
        row.append(await button_to(services, "ask.more", "More", bare(asked)))
    similar = "Similar papers" if len(papers) == 1 else "Similar to [1]"
    row.append(link("paper.similar", similar, paper=papers[0].id))
    row.append(link("paper.card", label(f"About {papers[0].title}", 40), paper=papers[0].id))
    if goes_on_here:
        row.append(link("ask.follow", "Ask a follow-up"))
    else:
        on = bare(asked) if not asked.about else AskQuery(**fields_of(asked, about=found.meant.about))
        row.append(await button_to(services, "ask.on", "Ask on", on))
    return row
