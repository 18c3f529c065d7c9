"""The page of a topic: its newest papers, and the people who write most on it."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass
from datetime import date

from bot.explore.keys import Key
from bot.explore.walk import OF_TOPIC, Walk
from commands.kit.services import Services
from data.records import Paper
from index.people.topic_names import NamedTopic

PAPERS, PEOPLE, MOST = 25, 12, 20_000


@dataclass(frozen=True, slots=True)
class TopicPage:
    """What the page shows."""

    key: Key
    topic: NamedTopic
    years: dict[int, int]
    papers: tuple[Paper, ...]
    people: tuple[tuple[Key, str, int], ...]
    """Who writes most on it, with the number of these papers."""


async def topic_page(services: Services, walk: Walk, phrase: str) -> TopicPage:
    """Everything on a topic's page.

    Raises
    ------
    LookupError
        Where no paper has it.
    """
    people, topic = await walk.people(), await walk.topic(phrase)
    topics = services.insight.topics
    assert topics is not None
    facets = services.corpus.facets

    def found() -> tuple[list[int], dict[int, int], list[tuple[Key, str, int]]]:
        every = topics.papers_with(topic.column, MOST)
        years = Counter(date.fromordinal(day).year for day in facets.days_of(every).tolist() if day > 0)
        newest = walk.newest(every)
        writers = Counter(
            person
            for paper in newest[:OF_TOPIC]
            if len(wrote := people.writers(paper).tolist()) <= 60
            for person in wrote
        )
        most = [
            (Key.person(person), people.name(person), count) for person, count in writers.most_common(PEOPLE)
        ]
        by_year = {year: years[year] for year in range(min(years), max(years) + 1)} if years else {}
        return newest[:PAPERS], by_year, most

    papers, years, most = await asyncio.to_thread(found)
    return TopicPage(
        Key.topic(topic.phrase), topic, years, tuple(await services.store.papers(papers)), tuple(most)
    )
