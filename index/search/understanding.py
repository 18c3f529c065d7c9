"""All that a query is understood to say, beside its subject.

==================  ==============================================================  =====================
what                said as                                                         read by
==================  ==============================================================  =====================
days                last week, since May, between March and May, 2025, since:1w     :mod:`.dates_said`
people              papers by Percy Liang and Chelsea Finn; Minlan Yu congestion   :mod:`.people_said`
an order            newest, first papers on, most cited                             :mod:`.wishes`
a paper's authors   papers by the authors of X; by X's first author                 :mod:`.authors_said`
likeness            papers like X but for Y; follow-ups of X                        :mod:`.wishes`
what to leave out   X without Y, but not Y, excluding Y                             :mod:`.wishes`
                    anything but Y: X; I don't want surveys on X                    :mod:`.unwanted_first`
what to do without  X that doesn't need Y, Y-free X                                 :mod:`.doing_without`
a place of work     X from Stanford, papers by OpenAI: not known, so left out       :mod:`.workplaces`
a place             who in Zurich works on X: not known, so left out                :mod:`.places_said`
a venue             ICLR 2025 papers on X; X published in TACL                      :mod:`.venues`
polite words        I am interested in articles describing                          :mod:`.wishes`
typos               speculaitve decodng                                             :mod:`.typos`
another language    Halluzinationen in Sprachmodellen                               :mod:`.languages`
fields, quotes      author:, category:, year:, since:, "loss spikes"                :mod:`.queries`
==================  ==============================================================  =====================

Everything here is a pure function of the text, of what the library holds (:class:`Known`), and of the clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from datetime import date

from data.keys import clean, fold
from index.search.authors_said import read_authors_of, without_quotes
from index.search.conference_days import read_conference_days
from index.search.dates_said import read_dates
from index.search.doing_without import as_done_without, compares, is_of_papers, read_done_without
from index.search.languages import foreign
from index.search.names import Name, NameIndex
from index.search.people_said import read_people, read_unwanted
from index.search.places_said import NamesPrinted, read_place
from index.search.queries import MAX_QUERY, Query, parse_query
from index.search.typos import Counts, Vocabulary, replaced
from index.search.understood import (
    AUTHORS,
    CONFERENCE,
    DATES,
    LACKING,
    LIKENESS,
    ORDER,
    PEOPLE,
    TOGETHER,
    TYPOS,
    VENUE,
    WITHOUT,
    WORKPLACE,
    Understood,
)
from index.search.unwanted_first import subject_first
from index.search.venues import read_venue
from index.search.wishes import (
    LONG,
    is_frame,
    is_title_case,
    read_likeness,
    read_order,
    read_without,
    without_frame,
)
from index.search.workplaces import read_workplace

_TYPED = frozenset((VENUE, CONFERENCE, WORKPLACE, AUTHORS))
"""Parts that only a search has."""
DESCRIPTION = 18
"""From so many words on, a text is a description to compare, not a title or name."""
_QUOTED = re.compile(r'"[^"]*"')
_MARK = "\ue000"
_WORD = re.compile(r"[^\W_]+")
_LEADS = re.compile(r"^(?:on|about|regarding|concerning)\s+(?=\S)")
_OFTEN = 5_000
"""A word that one paper in so many has belongs to the library's language."""


@dataclass(frozen=True, slots=True)
class Known:
    """What the library and the clock tell of a query's words."""

    names: NameIndex
    vocabulary: Vocabulary
    papers: Callable[[str], int]
    """How many papers have a word in title or abstract, in any form of it."""
    together: Callable[[str], int]
    """How many papers have some words side by side."""
    authors: Callable[[str], int]
    """How many papers have an author with this word in the name."""
    english: Container[str]
    """Everyday words."""
    size: int
    """The number of papers."""
    today: date
    newest: date | None
    """The day of the newest listing."""


@dataclass
class _Reading:
    """A query while it is being read: the text that is left, and what was found."""

    text: str
    undo: frozenset[str] = frozenset()
    as_text: bool = False
    since: date | None = None
    until: date | None = None
    found: dict[str, object] = field(default_factory=dict)


def literally(typed: str) -> Understood:
    """A text that is searched as it stands."""
    text = clean(typed[:MAX_QUERY])
    return Understood(text, Query(text.replace('"', " ").strip()))


def understand(
    typed: str, known: Known, *, undo: frozenset[str] = frozenset(), as_text: bool = False
) -> Understood:
    """What a query says.

    Parameters
    ----------
    undo
        Parts that are not wanted.
    as_text
        Read quotes, colons and venues as text, for a question that was not typed as a search.
    """
    text = clean(typed[:MAX_QUERY])
    named = text if AUTHORS in undo else without_quotes(text)
    quotes = [] if as_text else _QUOTED.findall(named)
    reading = _Reading(_QUOTED.sub(_MARK, named) if quotes else named.replace('"', " "), undo, as_text)
    for part, read in _READERS:
        if as_text and part in _TYPED:
            continue
        if part not in undo:
            read(reading, known)
        elif read is _read_people:
            _drop_authors(reading, known)
        elif read is _read_dates:
            _drop_declined_days(reading, known)
        elif read is _read_unwanted:  # otherwise "not by Percy Liang" would be by him
            reading.text = _unwanted(reading, known)[1]
        elif read is _read_venue:  # published anywhere
            reading.text = read_venue(reading.text)[1]
    reading.text = without_frame(reading.text).strip(" ,;:")
    if reading.found.get("people") or reading.found.get(
        "unwanted_people"
    ):  # "Percy Liang's papers on decoding"
        reading.text = _LEADS.sub("", reading.text)
    if reading.found and "(" not in reading.text:
        reading.text = " ".join(reading.text.replace(")", " ").split())
    if reading.found and is_frame(reading.text):
        reading.text = ""
    if TYPOS not in undo:
        _read_typos(reading, known)
    left = reading.text
    for quote in quotes:
        left = left.replace(_MARK, quote, 1)
    query = Query(left) if as_text else parse_query(left)
    query = replace(query, since=query.since or reading.since, until=query.until or reading.until)
    return Understood(text, query, foreign=language_of(query.text, known), **reading.found)  # type: ignore[arg-type]


def language_of(text: str, known: Known) -> str | None:
    """The language of a text that is not in English, as :func:`index.search.languages.foreign` names it."""
    words = _WORD.findall(text.lower())
    return foreign(text, words, known.english, known.papers, max(2, known.size // _OFTEN))


def _read_order(reading: _Reading, known: Known) -> None:
    order, left = read_order(reading.text)
    if order is not None:
        reading.text, reading.found["order"] = left, order


def _read_likeness(reading: _Reading, known: Known) -> None:
    name, follows, but = read_likeness(reading.text)
    if name is not None and _MARK not in name:
        reading.text = but
        reading.found |= {"like": name, "follows": follows}


def _read_authors_of(reading: _Reading, known: Known) -> None:
    said, left = read_authors_of(reading.text)
    if said is None or _MARK in said.paper or "like" in reading.found:
        return
    everyday = said.paper.islower() and all(word in known.english for word in _WORD.findall(said.paper))
    if said.sure or not everyday:  # "papers by female authors"
        reading.text = left
        reading.found |= {"authors_of": said.paper, "authors_which": said.which, "authors_sure": said.sure}


def _read_venue(reading: _Reading, known: Known) -> None:
    venue, left = read_venue(reading.text)
    if venue is not None:
        reading.text, reading.found["venue"] = left, venue


def _read_without(reading: _Reading, known: Known) -> None:
    if is_title_case(reading.text) or is_of_papers(reading.text) or compares(reading.text):
        return
    typed = reading.text
    if not reading.as_text and len(typed.split()) < LONG:
        reading.text = subject_first(typed)
    has_subject = reading.text[:1] != " "
    lacking = LACKING not in reading.undo
    if lacking and not reading.as_text and "like" not in reading.found:
        _read_done_without(reading, known)
    lacking = lacking and "done_without" not in reading.found
    unwanted, left = read_without(reading.text, known.together, lacking=lacking)
    if unwanted and (left or "like" in reading.found or not has_subject):
        if TYPOS not in reading.undo and not reading.as_text:
            unwanted = tuple(_corrected(what, known) for what in unwanted)
        reading.text, reading.found["without"] = left, unwanted
    elif "done_without" not in reading.found:
        reading.text = typed


def _read_done_without(reading: _Reading, known: Known) -> None:
    if len(reading.text.split()) >= LONG:
        return
    done_without, plainly = read_done_without(as_done_without(reading.text, known.together))
    if done_without is not None and _MARK not in done_without.what:
        reading.text, reading.found["done_without"] = plainly, done_without


def _read_conference_days(reading: _Reading, known: Known) -> None:
    said, left = read_conference_days(reading.text)
    if said:
        reading.text, reading.found["days_unread"] = left, said


def _read_workplace(reading: _Reading, known: Known) -> None:
    said, left = read_workplace(reading.text)
    if not said:
        said, left = read_place(reading.text, NamesPrinted(known.together, known.papers, known.size))
    if not said or not (reading.text[0].islower() or not is_title_case(reading.text)):
        return
    reading.text, reading.found["workplace"] = left, said
    place = re.sub(r"^by\s+|['’]s$", "", said, flags=re.IGNORECASE)
    name = known.names.get(place) if PEOPLE not in reading.undo else None
    if name is not None:  # some groups sign papers: "OpenAI"
        reading.text = "" if left == place else left
        reading.found |= {"people": (name.name,), "people_sure": True, "people_said": place}


def _read_dates(reading: _Reading, known: Known) -> None:
    span, reading.text = read_dates(
        reading.text, known.today, known.newest, lambda words: known.together(words) > 1
    )
    if span is not None and span.since is None and span.until is None:
        reading.found["days_kept"] = span.said
    elif span is not None:
        reading.since, reading.until = span.since, span.until
        reading.found |= {"dates_said": span.said, "from_listing": span.from_listing}


def _drop_declined_days(reading: _Reading, known: Known) -> None:
    """At any time: of "rag, no papers after 2025", only the subject stays."""
    span, left = read_dates(reading.text, known.today, known.newest)
    if span is not None and span.declined:
        reading.text = left


def _read_unwanted(reading: _Reading, known: Known) -> None:
    people, reading.text = _unwanted(reading, known)
    if people:
        reading.found["unwanted_people"] = tuple(name.name for name in people)


def _unwanted(reading: _Reading, known: Known) -> tuple[tuple[Name, ...], str]:
    return read_unwanted(reading.text, known.names, known.together, known.papers)


def _read_people(reading: _Reading, known: Known) -> None:
    english = None if reading.as_text else known.english
    people, left = read_people(reading.text, known.names, known.together, known.papers, english)
    if people is not None:
        reading.text = left
        names = tuple(name.name for name in people.names)
        reading.found |= {"people": names, "people_sure": people.sure, "people_said": people.said}
        if TOGETHER not in reading.undo:
            reading.found |= {"people_together": people.together, "each_said": people.each_said}
        reading.found["people_unknown"] = people.unknown


def _drop_authors(reading: _Reading, known: Known) -> None:
    """By anyone: of "papers by Percy Liang on benchmarks", only the subject stays."""
    people, left = read_people(reading.text, known.names, known.together, known.papers, known.english)
    if people is not None and people.sure and left:
        reading.text = left


def _corrected(what: str, known: Known) -> str:
    """Words without typos."""
    return replaced(what, known.vocabulary.corrected(what, _counts(known)))


def _counts(known: Known) -> Counts:
    return Counts(known.papers, known.together, known.size, _Either(known))


def _read_typos(reading: _Reading, known: Known) -> None:
    fixed = known.vocabulary.corrected(reading.text, _counts(known))
    right = replaced(reading.text, fixed)
    if fixed and language_of(right, known) is None:  # what is still foreign was never misspelt English
        reading.text, reading.found["fixed"] = right, fixed


class _Either:
    """Words that are no typos: everyday English, and parts of authors' names."""

    def __init__(self, known: Known) -> None:
        self._known = known

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (word in self._known.english or self._known.authors(fold(word)) > 0)


_READERS: tuple[tuple[str, Callable[[_Reading, Known], None]], ...] = (
    (CONFERENCE, _read_conference_days),
    (WORKPLACE, _read_workplace),
    (LIKENESS, _read_likeness),
    (VENUE, _read_venue),
    (DATES, _read_dates),
    (AUTHORS, _read_authors_of),
    (WITHOUT, _read_unwanted),
    (PEOPLE, _read_people),
    (ORDER, _read_order),
    (WITHOUT, _read_without),
)


def is_description(text: str) -> bool:
    """Whether a text describes something at length, to be compared with papers as a whole."""
    return len(_WORD.findall(text)) >= DESCRIPTION
