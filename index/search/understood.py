"""What a query was understood to say, and the parts of it that a member can undo."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from index.search.authors_said import Which
from index.search.doing_without import DoneWithout
from index.search.queries import Query
from index.search.venues import Venue
from index.search.wishes import Order

DATES, PEOPLE, TYPOS, LIKENESS, WITHOUT, ORDER, VENUE, TOGETHER, CONFERENCE, WORKPLACE, AUTHORS = (
    "dptlwovecar"
)
"""Parts of the understanding that a member can undo, as letters of a button."""
LACKING = "n"
"""A part that no button undoes: of "X without Y", that Y is unwanted, and not part of the subject."""
PARTS = frozenset(
    (DATES, PEOPLE, TYPOS, LIKENESS, WITHOUT, ORDER, VENUE, TOGETHER, CONFERENCE, WORKPLACE, AUTHORS)
)


@dataclass(frozen=True, slots=True)
class Understood:
    """What a query says; :attr:`query` holds its subject, and all limits."""

    typed: str
    query: Query
    dates_said: str = ""
    from_listing: bool = False
    """Whether the days are counted from the newest listing, because nothing is newer."""
    days_kept: str = ""
    """The words of declined days that a search can't leave out, since earlier and later ones are wanted."""
    days_unread: str = ""
    """Words that say days by a conference, which can't be read as a date."""
    workplace: str = ""
    """Words that say where authors work, which nothing here tells."""
    people: tuple[str, ...] = ()
    """Names of authors as the library prints them."""
    people_sure: bool = False
    """Whether only their papers are meant; else theirs come first."""
    people_said: str = ""
    people_together: tuple[tuple[str, ...], ...] = ()
    """If papers by all of them are meant, and not by any: each person's names."""
    each_said: tuple[str, ...] = ()
    """What the query calls each of those."""
    people_unknown: tuple[str, ...] = ()
    """Names said for authors that nobody here has."""
    authors_of: str = ""
    """The name of a paper whose authors wrote the papers that are meant."""
    authors_papers: tuple[int, ...] = ()
    """Store ids of the papers of that name; the first is taken."""
    authors: tuple[str, ...] = ()
    """That paper's authors, as it prints them."""
    authors_which: Which = ""
    """Which of that paper's authors are meant."""
    authors_sure: bool = True
    """Whether the query can only mean a paper's authors, also where no paper has the name."""
    paper_unknown: str = ""
    """The paper whose authors were asked for, if none is called so."""
    like: str | None = None
    """The name of a paper that others should be like."""
    like_papers: tuple[int, ...] = ()
    """Store ids of the papers of that name: one, or all where it is open which is meant."""
    follows: bool = False
    """Whether only later papers are meant."""
    without: tuple[str, ...] = ()
    done_without: DoneWithout | None = None
    """What papers shall say that they do without; those come first."""
    unwanted_people: tuple[str, ...] = ()
    """Names of authors, as the library prints them, whose papers are not wanted."""
    order: Order = "best"
    venue: Venue | None = None
    """Where the papers appeared that are meant."""
    fixed: tuple[tuple[str, str], ...] = ()
    """Typos as (typed, meant)."""
    foreign: str | None = None
    """The language of a query that is not in English."""

    @property
    def text(self) -> str:
        """The subject: what is left to search for."""
        return self.query.text

    @property
    def since(self) -> date | None:
        """The first day."""
        return self.query.since

    @property
    def until(self) -> date | None:
        """The last day."""
        return self.query.until

    @property
    def lacks_subject(self) -> bool:
        """Whether it only says what to leave out."""
        query = self.query
        limits = query.since or query.until or query.author or query.category
        sought = query.text or self.people or self.venue or self.authors_of or self.like is not None
        return bool(self.without or self.unwanted_people) and not (sought or limits or self.order != "best")

    @property
    def is_workplace_sought(self) -> bool:
        """Whether a place of work is all there is to search for."""
        return bool(self.text) and self.workplace.endswith(self.text)

    @property
    def is_workplace_signed(self) -> bool:
        """Whether papers are signed by a place of work itself, and only these are meant."""
        return bool(self.people_said) and self.workplace.endswith(self.people_said)

    @property
    def parts(self) -> frozenset[str]:
        """The parts that were understood and can be undone."""
        held = {
            DATES: bool(self.dates_said),
            PEOPLE: bool(self.people or (self.people_unknown and self.text)),
            TOGETHER: bool(self.people_together),
            TYPOS: bool(self.fixed),
            AUTHORS: bool(self.authors_of),
            LIKENESS: self.like is not None,
            WITHOUT: bool(self.without or self.unwanted_people or self.done_without),
            ORDER: self.order != "best",
            VENUE: self.venue is not None,
            CONFERENCE: bool(self.days_unread),
            WORKPLACE: bool(self.workplace) and not (self.is_workplace_sought or self.is_workplace_signed),
        }
        return frozenset(part for part, is_there in held.items() if is_there)
