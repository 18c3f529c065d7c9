"""The page of a paper: abstract, authors, figures, and the most similar papers with reasons."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from bot.explore.keys import Key
from bot.explore.walk import Walk
from commands.cards.paper import doi_url
from commands.cards.text import paper_day
from commands.kit.services import Services
from commands.papers.paper import figures
from data.records import Paper
from index.people.topics import Topic
from index.search.kept_phrases import KeptPhrases
from index.search.phrase_shared import shared_phrases
from index.search.results import Hit
from index.search.similar import ITSELF

SIMILAR, TOPICS = 10, 6


@dataclass(frozen=True, slots=True)
class Alike:
    """A similar paper, how similar it is, and the phrases that both have."""

    paper: Paper
    similarity: float | None
    shared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PaperPage:
    """What the page shows."""

    key: Key
    paper: Paper
    authors: tuple[tuple[str, Key | None], ...]
    """Names as printed, each with the person, where it is known who that is."""
    figures: str
    topics: tuple[Topic, ...]
    similar: tuple[Alike, ...]

    @property
    def doi(self) -> str | None:
        """The link of the DOI."""
        return doi_url(self.paper.doi) if self.paper.doi else None

    @property
    def facts(self) -> str:
        """The paper in a line: its first authors and its day."""
        names = [name for name, _ in self.authors[:3]]
        names += ["…"] if len(self.authors) > 3 else []
        day = paper_day(self.paper) if self.paper.day else ""
        return " · ".join(part for part in (", ".join(names), day) if part)


async def paper_page(services: Services, walk: Walk, number: int) -> PaperPage:
    """Everything on a paper's page.

    Raises
    ------
    LookupError
        Where no paper has this number (any more).
    """
    papers = await services.store.papers([number])
    if not papers:
        raise LookupError(number)
    [paper] = papers
    topics = services.insight.topics
    return PaperPage(
        Key.paper(paper.id),
        paper,
        await _authors(services, paper),
        await figures(services, paper) or "",
        tuple(topics.of([paper.id], TOPICS)) if topics is not None else (),
        await _similar(services, paper),
    )


async def _authors(services: Services, paper: Paper) -> tuple[tuple[str, Key | None], ...]:
    ids = await services.store.author_names.numbers([author.key for author in paper.authors])
    people = await services.store.people.on_paper(paper.id)

    def who(key: str) -> Key | None:
        person = people.get(ids.get(key, 0))
        return Key.person(person) if person is not None else None

    return tuple((author.name, who(author.key)) for author in paper.authors)


async def _similar(services: Services, paper: Paper) -> tuple[Alike, ...]:
    hits = (await services.search.similar(paper, SIMILAR)).hits
    papers = {one.id: one for one in await services.store.papers([hit.paper_id for hit in hits])}
    return tuple(await asyncio.to_thread(_with_reasons, paper, hits, papers, services.insight.phrases))


def _with_reasons(
    paper: Paper, hits: Sequence[Hit], papers: dict[int, Paper], kept: KeptPhrases | None
) -> list[Alike]:
    held = [hit for hit in hits if hit.paper_id in papers]
    texts = [(papers[hit.paper_id].title, papers[hit.paper_id].abstract) for hit in held]
    in_common = shared_phrases((paper.title, paper.abstract), texts, kept=kept)
    return [
        Alike(
            papers[hit.paper_id],
            max(0.0, hit.score / ITSELF) if hit.closeness is not None else None,
            tuple(shared),
        )
        for hit, shared in zip(held, in_common, strict=True)
    ]
