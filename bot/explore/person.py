"""The page of a person: what papers show of them, figures with reasons, and nothing that a member said."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.explore.keys import Key
from bot.explore.walk import Walk
from commands.cards.people import AuthorCard, span
from commands.cards.text import plural
from commands.kit.services import Services
from commands.people.author import public_card
from data.records import Paper
from index.people.people import Coauthor, PeopleIndex
from index.people.scores import Score

LISTED = 20
"""Papers on a page."""
COAUTHORS, ALIKE, SUGGESTED = 12, 8, 6


@dataclass(frozen=True, slots=True)
class Beside:
    """Somebody beside the person, and why they are listed."""

    key: Key
    name: str
    why: str
    paper: Paper | None = None
    """The paper that shows it, where one does."""


@dataclass(frozen=True, slots=True)
class PersonPage:
    """What the page shows."""

    key: Key
    card: AuthorCard
    years: dict[int, int]
    """Papers by year."""
    papers: tuple[Paper, ...]
    pages: int
    page: int
    coauthors: tuple[Beside, ...]
    all_coauthors: int
    alike: tuple[Beside, ...]
    suggested: tuple[Beside, ...]

    @property
    def facts(self) -> str:
        """The person in a line."""
        person = self.card.person
        parts = [plural(person.papers, "paper"), span(person.first, person.last)]
        parts += [self.card.affiliation or ""]
        topics = ", ".join(topic for topic, _ in self.card.topics[:3])
        return " · ".join(part for part in [*parts, topics] if part)

    @property
    def trust_reasons(self) -> list[str]:
        """Why the trust is what it is, without what a member proved."""
        proof = self.card.trust.claimed_by
        return [why for why in self.card.trust.why if not (proof and proof in why)]

    @property
    def score(self) -> Score | None:
        """The score with its parts."""
        return self.card.score


async def person_page(services: Services, walk: Walk, number: int, page: int) -> PersonPage:
    """Everything on a person's page.

    Raises
    ------
    LookupError
        Where nobody has this number (any more).
    """
    people = await walk.people()
    person = await services.store.people.find(number)
    if person is None:
        raise LookupError(number)
    card = await public_card(services, person)
    numbers: list[int] = people.papers(person.id).tolist()
    pages = max(1, -(-len(numbers) // LISTED))
    page = min(max(page, 0), pages - 1)
    coauthors = await asyncio.to_thread(people.coauthors, person.id)
    return PersonPage(
        Key.person(person.id),
        card,
        people.activity(person.id),
        tuple(await services.store.papers(numbers[page * LISTED : (page + 1) * LISTED])),
        pages,
        page,
        await _coauthors(services, coauthors[:COAUTHORS]),
        len(coauthors),
        await _alike(services, people, person.id),
        await _suggested(services, person.id),
    )


async def _coauthors(services: Services, coauthors: list[Coauthor]) -> tuple[Beside, ...]:
    newest = {paper.id: paper for paper in await services.store.papers([c.papers[0] for c in coauthors])}
    return tuple(
        Beside(
            Key.person(coauthor.person),
            coauthor.name,
            f"{plural(len(coauthor.papers), 'paper')} together, the latest:",
            newest.get(coauthor.papers[0]),
        )
        for coauthor in coauthors
    )


async def _alike(services: Services, people: PeopleIndex, person: int) -> tuple[Beside, ...]:
    """People whose work is most similar, without coauthors."""
    vectors, topics = services.corpus.vectors, services.insight.topics
    if vectors is None:
        return ()
    mine = people.papers(person).tolist()

    def found() -> list[Beside]:
        beside = []
        for near in people.near(person, vectors, ALIKE, strangers=True):
            theirs = people.papers(near.person).tolist()
            shared = topics.shared(mine, theirs, 3) if topics is not None else []
            close = f"{near.alike} of {plural(near.compared, 'paper')} close, similarity {near.closeness:.2f}"
            why = f"{close}; both write on {', '.join(shared)}" if shared else close
            beside.append(Beside(Key.person(near.person), near.name, why))
        return beside

    return tuple(await asyncio.to_thread(found))


async def _suggested(services: Services, person: int) -> tuple[Beside, ...]:
    """Possible collaborators, with the strongest reasons."""
    experts = await services.insight.experts()
    if experts is None:
        return ()
    beside = []
    for suggestion in await asyncio.to_thread(experts.suggest, person, SUGGESTED):
        said = []
        if suggestion.between:
            said.append("both wrote with " + ", ".join(entry.name for entry in suggestion.between[:2]))
        if suggestion.moved_to or suggestion.shared:
            said.append("both write on " + (suggestion.moved_to or suggestion.shared)[0])
        if suggestion.closeness > 0:
            said.append(f"most similar papers: {suggestion.closeness:.2f}")
        beside.append(Beside(Key.person(suggestion.person), suggestion.name, "; ".join(said)))
    return tuple(beside)
