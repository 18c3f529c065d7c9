"""Facts from OpenAlex about people: looked up when asked for, joined only on evidence, always dated."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import orjson

from data.calendar import clock
from data.keys import name_key
from data.records import Paper
from data.sources.http import SourceError
from data.sources.openalex import BudgetSpentError, OpenAlex, WorkFacts
from data.stores.store import Store
from index.identity.person_names import could_print

log = logging.getLogger("labmate")
SOURCE = "openalex"
FRESH = timedelta(days=14)
LEAST_SHARED = 2
"""Works that an OpenAlex author and one of our people must share to count as one; all of them if fewer."""
MOST_WORKS = 200


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """OpenAlex's facts about a person, with their date."""

    affiliation: str | None
    orcid: str | None
    citations: int | None
    h_index: int | None
    fetched: datetime
    shared: int
    """Works that both have."""

    @property
    def source(self) -> str:
        """The source of these figures."""
        return f"OpenAlex, {self.fetched.day} {self.fetched:%b %Y}, {self.shared} shared works"


class FactFinder:
    """Looks facts up and stores them.

    Parameters
    ----------
    source
        None without a key; then only stored facts are returned.
    daily_budget
        Ten-thousandths of a dollar a day.
    """

    def __init__(self, store: Store, url: str = "", key: str | None = None, daily_budget: int = 0) -> None:
        self._store = store
        self._budget = daily_budget
        self._source = OpenAlex(url, key, self._spend) if key else None
        self._asking: dict[int, asyncio.Task[None]] = {}

    async def close(self) -> None:
        """Stop asking."""
        for task in self._asking.values():
            task.cancel()
        await asyncio.gather(*self._asking.values(), return_exceptions=True)
        if self._source is not None:
            await self._source.close()

    async def _spend(self, cost: int) -> None:
        today = clock.now().date()
        if not await self._store.facts.spend(SOURCE, today, cost, self._budget):
            raise BudgetSpentError("today's budget for OpenAlex (OPENALEX_DAILY_BUDGET) is spent")

    async def of_person(self, person: int) -> PersonFacts | None:
        """The stored facts about a person; None if nothing is known."""
        return (await self.of_people([person])).get(person)

    async def of_people(self, people: Sequence[int]) -> dict[int, PersonFacts]:
        """The stored facts about each of these people, leaving out those about whom nothing is known."""
        stored = await self._store.facts.get("person", SOURCE, [str(person) for person in people])
        values = {int(number): (orjson.loads(fact.value), fact.fetched) for number, fact in stored.items()}
        return {
            number: PersonFacts(
                value.get("affiliation"),
                value.get("orcid"),
                value.get("cited_by"),
                value.get("h_index"),
                fetched,
                int(value.get("shared", 0)),
            )
            for number, (value, fetched) in values.items()
            if value
        }

    async def works(self, papers: list[Paper]) -> dict[int, tuple[WorkFacts, datetime]]:
        """The stored facts about papers, by store id."""
        stored = await self._store.facts.get("paper", SOURCE, [str(paper.id) for paper in papers])
        return {
            int(number): (WorkFacts.model_validate_json(fact.value), fact.fetched)
            for number, fact in stored.items()
            if fact.value != "{}"
        }

    async def home_page(self, person: int) -> str | None:
        """The home page of a person's institution, looked up if it is not stored; None if none is known.

        Raises
        ------
        SourceError
            If OpenAlex can't be asked.
        """
        fact = (await self._store.facts.get("person", SOURCE, [str(person)])).get(str(person))
        ror = orjson.loads(fact.value).get("ror") if fact else None
        if not ror:
            return None
        key = str(ror).rstrip("/").rpartition("/")[2][:40]
        stored = (await self._store.facts.get("place", SOURCE, [key])).get(key)
        if stored is None and self._source is not None:
            page = await self._source.institution(str(ror))
            await self._store.facts.put("place", SOURCE, {key: orjson.dumps({"page": page}).decode()})
            return page
        return orjson.loads(stored.value).get("page") if stored else None

    async def ties_orcid(self, person: int, papers: Sequence[Paper], orcid: str) -> bool:
        """Whether the works that OpenAlex knows name an author with this ORCID, in the person's place.

        As for facts, this takes two works, or one if no more are known; stored facts answer first.
        """
        known = await self.works(list(papers))
        forms = await self._forms(person)
        shared = sum(
            any(
                author.orcid == orcid and any(could_print(author.name, form) for form in forms)
                for author in facts.authors
            )
            for facts, _ in known.values()
        )
        return shared >= max(1, min(LEAST_SHARED, len(known)))

    def ask_soon(self, person: int) -> None:
        """Look a person up in the background, unless a look-up is under way or recent."""
        if self._source is None or person in self._asking:
            return
        task = asyncio.create_task(self._quietly(person))
        self._asking[person] = task
        task.add_done_callback(lambda _: self._asking.pop(person, None))

    async def _quietly(self, person: int) -> None:
        try:
            await self.look_up(person)
        except BudgetSpentError as error:
            log.info("%s", error)
        except SourceError as error:
            log.warning("OpenAlex: %s", error)

    async def refresh_stale(self, most: int = 200) -> int:
        """Refresh the oldest facts, within the budget; returns how many people were looked up."""
        before = clock.now().replace(tzinfo=None) - FRESH
        done = 0
        if self._source is None:
            return 0
        for person in await self._store.facts.ids("person", SOURCE, before, most):
            try:
                await self.look_up(int(person))
            except SourceError as error:
                log.info("OpenAlex: %s", error)
                break
            done += 1
        return done

    async def look_up(self, person: int, *, anew: bool = False) -> None:
        """Look up a person's works and the author whom most of them name, and store the result.

        Raises
        ------
        SourceError
            If OpenAlex can't be asked, or the budget is spent; facts learned before that are kept.
        """
        if self._source is None:
            return
        limit = clock.now().replace(tzinfo=None) - FRESH
        stored = (await self._store.facts.get("person", SOURCE, [str(person)])).get(str(person))
        if stored is not None and stored.fetched > limit and not anew:
            return
        rows = (await self._store.people.memberships(person))[:MOST_WORKS]
        papers = [
            paper for paper in await self._store.papers([row.paper_id for row in rows]) if paper.arxiv_id
        ]
        known = await self._fill(papers, limit)
        match = _whom(papers, known, {name_key(form) for form in await self._forms(person)})
        value: dict[str, object] = {}
        if match is not None:
            author_id, shared = match
            facts = await self._source.author(author_id)
            if facts is not None:
                value = {**facts.model_dump(exclude_none=True), "shared": shared}
                value["affiliation"] = facts.affiliation or _affiliation(papers, known, author_id)
        await self._store.facts.put("person", SOURCE, {str(person): orjson.dumps(value).decode()})

    async def _forms(self, person: int) -> tuple[str, ...]:
        known = await self._store.people.find(person)
        return known.forms if known else ()

    async def _fill(self, papers: list[Paper], limit: datetime) -> dict[int, WorkFacts]:
        """The facts about papers; missing and old ones are looked up."""
        assert self._source is not None
        stored = await self._store.facts.get("paper", SOURCE, [str(paper.id) for paper in papers])
        stale = [p for p in papers if str(p.id) not in stored or stored[str(p.id)].fetched < limit]
        by_arxiv = {paper.arxiv_id: paper.id for paper in stale if paper.arxiv_id}
        fresh: dict[str, str] = {}
        if len(by_arxiv) == 1:  # one record costs nothing
            only = next(iter(by_arxiv))
            facts = await self._source.work(only)
            fresh = {only: facts.model_dump_json()} if facts else {}
        elif by_arxiv:
            async for arxiv_id, facts in self._source.works(list(by_arxiv)):
                fresh[arxiv_id] = facts.model_dump_json()
        if by_arxiv:
            values = {str(number): fresh.get(arxiv_id, "{}") for arxiv_id, number in by_arxiv.items()}
            await self._store.facts.put("paper", SOURCE, values)
        return {number: facts for number, (facts, _) in (await self.works(papers)).items()}


def _whom(papers: list[Paper], known: dict[int, WorkFacts], forms: set[str]) -> tuple[str, int] | None:
    """The OpenAlex author who is named on the person's works under this name, and on how many.

    This takes two shared works, or one if the person has no more. An author named on fewer than half of the
    known works is not accepted.
    """
    votes: Counter[str] = Counter()
    for paper in papers:
        facts = known.get(paper.id)
        for author in facts.authors if facts else ():
            if author.id and any(could_print(author.name, form) for form in forms):
                votes[author.id] += 1
    if not votes:
        return None
    [(best, shared), *rest] = votes.most_common(2)
    least = min(LEAST_SHARED, len(known))
    if shared < least or 2 * shared < len(known) or (rest and rest[0][1] == shared):
        return None
    return best, shared


def _affiliation(papers: list[Paper], known: dict[int, WorkFacts], author_id: str) -> str | None:
    """The newest affiliation that a work gives for the author."""
    for paper in papers:
        facts = known.get(paper.id)
        for author in facts.authors if facts else ():
            if author.id == author_id and author.affiliations:
                return author.affiliations[0]
    return None
