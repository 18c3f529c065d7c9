"""People as one server sees them: everybody's view with that server's own corrections on top."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from sqlalchemy import select

from data.stores.papers import within
from data.stores.people import People, Person
from data.stores.person_passes import Membership
from data.stores.slices import slices
from data.tables.papers import PaperRow

FIRST_SEEN = 1_000_000_000
"""A person who exists only by a server's correction has this plus its number; no pass counts that far."""


@dataclass(frozen=True)
class View:
    """How a server's corrections change who is who there; small, since it holds only the people they touch.

    Attributes
    ----------
    leads
        For a person who is another one here: that person.
    moved
        For an authorship (paper, name's number) that changed hands here: its person elsewhere, and here.
    sources
        For each person who differs here: the people who have their authorships in everybody else's view.
    names
        The names of people who only exist here.
    said
        For each person who differs here: the corrections that make them so, by number.
    """

    leads: Mapping[int, int] = field(default_factory=dict)
    moved: Mapping[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    sources: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    said: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.sources)

    def lead(self, person: int) -> int:
        """The number that a person has here."""
        return self.leads.get(person, person)

    def differs(self, person: int) -> bool:
        """Whether a person differs here from everybody else's view."""
        return self.lead(person) in self.sources

    def whose(self, paper: int, author: int, person: int) -> int:
        """The person here behind an authorship that is this person's for all."""
        was, now = self.moved.get((paper, author), (0, 0))
        return self.lead(now if was == person else person)


EVERYBODY = View()
"""The view without local corrections."""


class SeenPeople(People):
    """Asks about people as a server sees them. Methods that change people or serve a pass ignore the view."""

    def __init__(self, people: People, view: View) -> None:
        super().__init__(people._engine, people._writer)
        self.view = view

    def lead(self, person_id: int) -> int:
        """The number that a person has here."""
        return self.view.lead(person_id)

    def said_of(self, person_id: int) -> tuple[int, ...]:
        """The corrections, by number, that set a person here apart from everybody else's view."""
        return self.view.said.get(self.view.lead(person_id), ())

    async def find_all(self, people: Sequence[int]) -> dict[int, Person]:
        """People by number, as they are here."""
        base = await super().find_all([number for number in people if number < FIRST_SEEN])
        people_here: dict[int, Person] = {}
        for number in dict.fromkeys(people):
            known = base.get(number)
            lead = self.view.lead(known.id if known else number)
            if not self.view.differs(lead):
                if known is not None:
                    people_here[number] = known
                continue
            person = await self._person(lead)
            if person or known:
                people_here[number] = person or known  # type: ignore[assignment]
        return people_here

    async def _person(self, lead: int) -> Person | None:
        rows = await self.memberships(lead)
        if not rows:
            return None
        printed = await self.printed([(row.paper_id, row.position) for row in rows])
        forms = Counter(printed[row.paper_id, row.position] for row in rows)
        named = sorted(forms, key=lambda form: (-forms[form], form))
        days = [day for day in (await self.days([row.paper_id for row in rows])).values() if day]
        return Person(
            lead, named[0], len(rows), tuple(named), min(days, default=None), max(days, default=None)
        )

    async def memberships(self, person_id: int) -> list[Membership]:
        """A person's authorships here, newest paper first."""
        lead = self.view.lead(person_id)
        if lead not in self.view.sources:
            return await super().memberships(person_id)
        memberships: list[Membership] = []
        for source in self.view.sources[lead]:
            for row in await super().memberships(source):
                if self.view.whose(row.paper_id, row.author_id, row.person_id) == lead:
                    said = source != lead
                    memberships.append(
                        replace(row, person_id=lead, confidence=1.0 if said else row.confidence)
                    )
        days = await self.days([row.paper_id for row in memberships])
        return sorted(
            memberships, key=lambda row: (str(days.get(row.paper_id) or ""), row.paper_id), reverse=True
        )

    async def papers_of(
        self,
        person_id: int,
        *,
        oldest_first: bool = False,
        since: date | None = None,
        category: str | None = None,
    ) -> list[int]:
        """Store ids of a person's papers here, newest first by default."""
        if self.view.lead(person_id) not in self.view.sources:
            return await super().papers_of(
                person_id, oldest_first=oldest_first, since=since, category=category
            )
        ids = list(dict.fromkeys(row.paper_id for row in await self.memberships(person_id)))
        if since or category:
            ids = await self._within(ids, since, category)
        return ids[::-1] if oldest_first else ids

    async def papers_of_any(self, people: Sequence[int]) -> list[int]:
        """Store ids of the papers that any of these people wrote here, each once."""
        leads = dict.fromkeys(map(self.view.lead, people))
        alike = [lead for lead in leads if lead not in self.view.sources]
        papers = dict.fromkeys(await super().papers_of_any(alike))
        for lead in leads:
            if lead in self.view.sources:
                papers |= dict.fromkeys(await self.papers_of(lead))
        return list(papers)

    async def _within(self, ids: Sequence[int], since: date | None, category: str | None) -> list[int]:
        found: set[int] = set()
        async with self._read() as connection:
            for part in slices(ids):
                some = select(PaperRow.id).where(PaperRow.id.in_(part))
                some = within(some, oldest_first=False, since=since, category=category)
                found.update((await connection.scalars(some)).all())
        return [number for number in ids if number in found]

    async def named(self, author_ids: Sequence[int]) -> list[tuple[int, int]]:
        """(person, papers) of everybody here who publishes under one of the names, most papers first."""
        wanted = set(author_ids)
        base = await super().named(author_ids)
        counts = {person: papers for person, papers in base if not self.view.differs(person)}
        touched = {self.view.lead(person) for person, _ in base} - counts.keys()
        touched |= {
            self.view.lead(now) for (_, author), (_, now) in self.view.moved.items() if author in wanted
        }
        for person in touched:
            rows = await self.memberships(person)
            papers = {row.paper_id for row in rows if row.author_id in wanted}
            if papers:
                counts[person] = len(papers)
        return sorted(counts.items(), key=lambda found: (-found[1], found[0]))

    async def at(self, places: Sequence[tuple[int, int]]) -> list[Membership]:
        """The judged authorships at these places, as they are here."""
        return [
            replace(row, person_id=self.view.whose(row.paper_id, row.author_id, row.person_id))
            for row in await super().at(places)
        ]

    async def on_paper(self, paper_id: int) -> dict[int, int]:
        """The person behind each name of a paper here, as far as judged."""
        people_of_all = await super().on_paper(paper_id)
        return {author: self.view.whose(paper_id, author, person) for author, person in people_of_all.items()}

    async def names(self, person_ids: Iterable[int]) -> dict[int, str]:
        """A printed form of each person's name."""
        wanted = list(person_ids)
        leads = {number: self.view.lead(number) for number in wanted}
        known = await super().names([lead for lead in set(leads.values()) if lead < FIRST_SEEN])
        known |= self.view.names
        return {number: known[lead] for number, lead in leads.items() if lead in known}
