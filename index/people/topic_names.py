"""Topics by name: the one that a phrase is, and those that begin with what was typed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from index.people.topics import Topics

_LOOKED_AT = 3_000
"""The most places of the typed text that are looked at."""


@dataclass(frozen=True, slots=True)
class NamedTopic:
    """A topic: its phrase, its place among all topics, and how many papers have it."""

    phrase: str
    column: int
    papers: int


class TopicNames:
    """Finds topics by their phrases, in one text that holds all of them."""

    def __init__(self, topics: Topics) -> None:
        self.topics = topics
        text, self._ends, self._papers = topics.packed()
        self._lower = text.lower()
        self._bytes = np.frombuffer(self._lower, np.uint8)

    def find(self, phrase: str) -> NamedTopic | None:
        """The topic of exactly this phrase, in any case of letters."""
        wanted = phrase.encode().lower()
        columns = np.flatnonzero(np.diff(self._ends) == len(wanted)) if wanted else np.zeros(0, np.int64)
        for place, byte in enumerate(wanted):  # a text search would stop at each "e" inside other phrases
            columns = columns[self._bytes[self._ends[columns] + place] == byte]
        return self._topic(int(columns[0])) if len(columns) else None

    def complete(self, typed: str, most: int = 6) -> list[NamedTopic]:
        """Topics in which a word begins with what was typed, those with most papers first."""
        wanted = " ".join(typed.split()).encode().lower()
        found: list[int] = []
        at = self._lower.find(wanted) if len(wanted) > 1 else -1
        for _ in range(_LOOKED_AT):
            if at < 0:
                break
            column = self._column(at)
            inside = at + len(wanted) <= self._ends[column + 1]
            if inside and (self._ends[column] == at or self._lower[at - 1 : at] in (b" ", b"-")):
                found.append(column)
            at = self._lower.find(wanted, at + 1)
        columns = np.unique(np.array(found, np.int64))
        best = columns[np.argsort(-self._papers[columns], kind="stable")][:most]
        return [self._topic(column) for column in best.tolist()]

    def largest(self, most: int) -> list[NamedTopic]:
        """The topics with most papers."""
        best = np.argsort(-self._papers, kind="stable")[:most]
        return [self._topic(column) for column in best.tolist()]

    def _column(self, at: int) -> int:
        """The topic whose phrase holds a byte."""
        return int(np.searchsorted(self._ends, at, side="right")) - 1

    def _topic(self, column: int) -> NamedTopic:
        return NamedTopic(self.topics.phrases[column], column, int(self._papers[column]))
