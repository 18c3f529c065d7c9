"""What a search understood, in a line, and a page of what it found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Any

from discord import ui

from commands.cards.lists import ACCENT, PAGE, Entry, framed, listing
from commands.cards.search_people import (
    all_of,
    nobody,
    other_papers,
    people_line,
    people_named,
    the_name,
    which_authors,
)
from commands.cards.text import day, label, listed, plural, shorten, shown
from data.records import Paper
from index.search.understood import (
    AUTHORS,
    CONFERENCE,
    DATES,
    LIKENESS,
    PEOPLE,
    TOGETHER,
    TYPOS,
    VENUE,
    WITHOUT,
    WORKPLACE,
    Understood,
)
from index.search.wishes import Order

TEN = 10
_NAMED = 2
"""Papers named in a line; others are counted."""
_WHICH = {"last": "up to", "past": "up to", "previous": "up to", "this": "of", "current": "of"}
_UNIT = re.compile(r"\b(day|week|fortnight|month|quarter|year|decade)s?\b", re.IGNORECASE)
_CITING = re.compile(r"\bcit(?:e|es|ed|ing)\b", re.IGNORECASE)
_WRITTEN = {"year": "2024", "since": "2024-05", "category": "cs.CL"}
"""How a field of a query is written, by its name."""
_ORDERS: dict[str, str] = {"newest": "newest first", "oldest": "oldest first"}


NO_WORDS = (
    "I find no words in that. Type what the papers should be about, such as: fault tolerance of GPU training."
)


def no_subject(said: Understood) -> str:
    """That a query only says what to leave out, and how to say what to look for."""
    people = [f"papers by {people_named(said.unwanted_people)}"] if said.unwanted_people else []
    what = listed([*(shown(one, 60) for one in said.without), *people], "or")
    return (
        f"I know what to leave out ({what}), but not what to look for. "
        f"Say both, such as: time series, but not {what.replace('papers by', 'by', 1)}."
    )


def understood_line(
    said: Understood,
    order: Order,
    *,
    since: date | None,
    until: date | None,
    anywhere: bool = False,
    apart: bool = False,
    none_without: bool = False,
) -> str:
    """What was understood beside the subject, and what was not, in small print; "" for nothing.

    Parameters
    ----------
    anywhere
        Whether no record says anything of the venue asked for.
    apart
        Whether there is no paper by all the people asked for together.
    none_without
        Whether no paper says that it does without what was asked for.
    since, until
        The days that hold, from the query and the options.
    """
    parts = [
        _fixed(said),
        _days(since, until) + (_counted(said) if since == said.since else ""),
        f"I can't leave out days in between (“{shown(said.days_kept, 60)}”)" if said.days_kept else "",
        nobody(said.people_unknown) if said.people else "",
        people_line(said, apart=apart),
        other_papers(said),
        _venue(said, anywhere=anywhere),
        _like(said),
        f"without {listed([shown(what, 60) for what in said.without], 'or')}" if said.without else "",
        _without_first(said, order, none=none_without),
        f"not by {people_named(said.unwanted_people)}" if said.unwanted_people else "",
        _ORDERS.get(order, ""),
    ]
    text = " · ".join(filter(None, parts))
    lines = [f"-# {text[0].upper()}{text[1:]}" if text else "", _unread_days(said), _workplace(said)]
    return "\n".join(filter(None, [*lines, _unknown_paper(said)]))


def _without_first(said: Understood, order: Order, *, none: bool) -> str:
    """Which papers do without something and where they come, or that none says so."""
    if said.done_without is None:
        return ""
    what = shown(said.done_without.said, 60)
    if said.done_without.is_free:
        first = "" if order != "best" else " first"
        return f"I found no “{what}-free” paper" if none else f"“{what}-free” papers{first}"
    if none:
        last = "" if order != "best" else "; those that name it come last"
        return f"I found no paper that says it does without {what}{last}"
    if order != "best":
        return f"papers that say they do without {what}"
    return f"papers that say they do without {what} come first, those that only name it last"


def _unknown_paper(said: Understood) -> str:
    """That the paper whose authors were asked for isn't known, so that its name was searched for."""
    if not said.paper_unknown:
        return ""
    return f"-# I don't know a paper called “{shown(said.paper_unknown, 80)}”, so I searched for these words."


def _unread_days(said: Understood) -> str:
    """That days said by a conference were left out, and how to say them."""
    if not said.days_unread:
        return ""
    return (
        f"-# I don't know when conferences take place, so I left out “{shown(said.days_unread, 60)}”. "
        "Say it with a month, such as “before May 2025” or “since May 2025”."
    )


def _workplace(said: Understood) -> str:
    """That it isn't known where authors work."""
    if not said.workplace:
        return ""
    if said.is_workplace_signed:
        signed = people_named(said.people)
        return f"-# I don't know where authors work: these are only papers that {signed} signed."
    if said.is_workplace_sought:
        return f"-# I don't know where authors work, so I searched for “{shown(said.text, 60)}”."
    return workplace_left_out(said.workplace)


def workplace_left_out(place: str) -> str:
    """That it isn't known where authors work, so that words that say so were left out; "" for none."""
    return f"-# I don't know where authors work, so I left out “{shown(place, 60)}”." if place else ""


def _fixed(said: Understood) -> str:
    return f"showing results for **{shown(said.text, 120)}**" if said.fixed else ""


def _days(since: date | None, until: date | None) -> str:
    if since and until:
        return f"on {day(since)}" if since == until else f"{day(since)} to {day(until)}"
    return f"since {day(since)}" if since else f"until {day(until)}" if until else ""


def _counted(said: Understood) -> str:
    """Where days count from the newest listing and not from today: that they do."""
    if not said.from_listing:
        return ""
    words = said.dates_said.lower().split()
    if words[-1].strip("'’s") in ("today", "yesterday"):
        return ", the newest listing"
    which, unit = _WHICH.get(words[-2] if len(words) > 1 else ""), _UNIT.search(said.dates_said)
    if said.until is None and which and unit:
        return f", the {unit[1].lower()} {which} the newest listing"
    return ", counted from the newest listing"


def unfitting(
    known: int,
    said: Understood,
    named: Sequence[str],
    *,
    since: date | None,
    until: date | None,
    limited: bool,
    guesses: bool,
    anywhere: bool = False,
    apart: bool = False,
) -> tuple[str, str]:
    """What to say where nothing fits, and for the end, in small print, what to try.

    Parameters
    ----------
    named
        The author and the category that papers must have, as ``by …`` and ``in …``.
    since, until
        The days that hold, from the query and the options.
    limited
        Whether options leave papers out.
    guesses
        Whether papers follow that come near.
    anywhere
        Whether no record says anything of the venue asked for.
    apart
        Whether there is no paper by all the people asked for together.
    """
    whose = people_line(said) if said.people_sure or not said.text else ""
    place = f"from {said.venue}" if said.venue and not anywhere else ""
    if said.people_unknown and not said.people:
        unknown = nobody(said.people_unknown)
        says = f"{unknown[0].upper()}{unknown[1:]}."
    elif apart and whose:
        says = f"I know no paper by {all_of(said)}."
    elif said.authors_of and not (said.text or named or since or until or place):
        paper = shown(said.authors_of, 80)
        says = f"I know no other paper by {which_authors(said)} of {paper}{the_name(said)}."
    elif whose or named or since or until or place:
        who = whose.replace("papers ", " ", 1)
        says = " ".join(f"No paper{who} {place} {' '.join(named)} {_days(since, until)}".split()) + " fits."
    else:
        says = f"None of the {plural(known, 'paper')} fits."
    undoable: tuple[str, ...] = (DATES, TOGETHER, PEOPLE) if anywhere else (DATES, TOGETHER, PEOPLE, VENUE)
    if apart and whose:
        undoable = (TOGETHER,)
    undone = [f"**{undo_label(part, said)}**" for part in undoable if part in said.parts]
    advice = f"Try other words{', or fewer options' if limited else ''}"
    if undone:
        advice += f", or press {listed(undone, 'or')}"
    if apart and whose:
        some = "one" if len(said.people_together) == 2 else "some"
        advice = f"Press {undone[0]} for papers by {some} of them"
    elif said.people_unknown and not said.people:
        advice = advice.replace("Try other words", "Check the spelling", 1)
    return says + (" The closest guesses:" if guesses else ""), f"-# {advice}."


def unread_line(part: str) -> str:
    """That a field of a query, such as ``year:abcd``, could not be read, and how to write it."""
    name = part.partition(":")[0]
    return f"-# I could not read {shown(part, 60)}; write it like {name}:{_WRITTEN[name]}."


def meant_instead(names: Sequence[str]) -> str:
    """Who may be meant by a name that nobody has; empty for none."""
    return f" Did you mean {listed([shown(name, 60) for name in names], 'or')}?" if names else ""


def several_named(said: Understood, taken: Paper, others: Sequence[Paper]) -> str:
    """That several papers have the name of the one that is meant, and how to name another one."""
    name = said.like or said.authors_of
    listed = ", ".join(shown(paper.title, 60) for paper in others[:_NAMED])
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    count = "Another paper is" if len(others) == 1 else f"{len(others)} other papers are"
    example = next((paper.arxiv_id for paper in others if paper.arxiv_id), None)
    how = f" To compare with it, type its number: papers like {example}" if example else ""
    if said.like is None:
        how = (
            f" To ask about it, type its number: papers by {which_authors(said)} of {example}"
            if example
            else ""
        )
    taken_for = f"-# I took “{shown(name, 40)}” for {shown(taken.title, 80)}."
    return f"{taken_for} {count} called so, too: {listed}{more}.{how}"


def citing_line(said: Understood) -> str:
    """What to tell of a query for the papers that cite another; "" for other queries."""
    if not (said.follows and _CITING.search(said.typed)):
        return ""
    return "-# I don't know which papers cite it, so I show later papers that name it or are similar to it."


def cited_line(known: int, papers: int, *, newest: bool) -> str:
    """For whom the most cited papers were asked: how far the list is in that order.

    ``known`` are the papers whose citations are known; without any, the ``newest`` or the best come first.
    """
    others = "newest first" if newest else "best matches first"
    if not known:
        return (
            "-# **Not ranked by citations**: I don't know how often these papers are cited. "
            f"{others.capitalize()}. OpenAlex and Google Scholar count citations."
        )
    if known == papers:
        return "-# Most cited first, by OpenAlex."
    return (
        f"-# By OpenAlex, I know how often {known:,} of the {papers:,} papers that fit are cited: these come "
        f"first, most cited first. Then the others, {others}."
    )


def namesakes_line(name: str, people: int) -> str:
    """A note that several people publish under a name, and how to tell them apart."""
    called, all_of = shown(name, 60), "both" if people == 2 else "all of them"
    return (
        f"-# {people:,} authors publish as {called}; this search covers {all_of}. "
        f"/papers {called} tells them apart."
    )


def _venue(said: Understood, *, anywhere: bool) -> str:
    if said.venue is None:
        return ""
    if anywhere:
        return f"from anywhere, because no record of a paper near this names {said.venue}"
    return f"papers whose records name {said.venue}"


def _like(said: Understood) -> str:
    if said.like is None:
        return ""
    but = f" · about {shown(said.text, 80)}" if said.text else ""
    return f"{'follow-ups of' if said.follows else 'like'} {shown(said.like, 80)}{but}"


def undo_label(part: str, said: Understood) -> str:
    """What the button says that undoes a part."""
    labels = {
        DATES: "Any time",
        PEOPLE: "By anyone",
        TOGETHER: "By either" if len(said.people_together) == 2 else "By any of them",
        TYPOS: f"Search for “{shorten(_as_typed(said), 40)}” instead",
        AUTHORS: "Search for the words",
        LIKENESS: "Search for the words",
        VENUE: "From anywhere",
        CONFERENCE: f"Search for “{shorten(said.days_unread, 40)}”, too",
        WORKPLACE: f"Search for “{shorten(said.workplace, 40)}”, too",
        WITHOUT: "Search for the words"
        if said.done_without
        else f"Also with {shorten(', '.join((*said.without, *said.unwanted_people)), 40)}",
    }
    return label(labels[part])


def _as_typed(said: Understood) -> str:
    text = said.text
    for typed, meant in said.fixed:
        text = text.replace(meant, typed)
    return text


def foreign_line(language: str | None, *, fits: bool) -> str:
    """What to tell of a query that is not in English, but in a language or script."""
    if language is None:
        return ""
    known = "The papers and the model here are in English"
    if fits:
        return f"-# This looks like {language}. {known}, so I went by meaning; English words find more."
    return f"-# This looks like {language}. {known}. Please ask in English."


def page_of_results(
    heading: str,
    entries: Sequence[Entry],
    *,
    start: int,
    footer: str | None,
    rows: Sequence[Sequence[ui.Item[Any]]],
    opening: ui.Item[Any] | None = None,
) -> ui.LayoutView:
    """A page of papers; one of more than five is brief and has a select that opens a paper.

    Discord allows forty parts in a message, and a paper with its button takes three.
    """
    if len(entries) <= PAGE or opening is None:
        return listing(heading, entries, start=start, footer=footer, rows=rows)
    texts = [entry.text(start + place, brief=True) for place, entry in enumerate(entries)]
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(heading))
    for text in texts:
        box.add_item(ui.TextDisplay(text[:380]))
    if footer:
        box.add_item(ui.TextDisplay(footer))
    return framed(box, [[opening], *rows])
