"""Who wrote what, as the passes decide it: people as sets of authorships."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


class JudgingError(RuntimeError):
    """The judging of a collection ended early; the message says what to do."""


@dataclass
class Judgement:
    """People as sets of authorships.

    Attributes
    ----------
    person
        int64, shape (authorships,): the person, numbered from 0; -1 if not judged.
    confidence
        float32: how likely the authorship belongs to this person, 0 to 1.
    support
        int64: the authorship that supports it most, -1 if it is the person's only one.
    """

    person: np.ndarray
    confidence: np.ndarray
    support: np.ndarray

    @classmethod
    def blank(cls, count: int) -> Judgement:
        """A judgement in which nothing is judged yet."""
        return cls(np.full(count, -1, np.int64), np.zeros(count, np.float32), np.full(count, -1, np.int64))

    def numbered(self) -> Judgement:
        """The same with people numbered in order, if each was known by its first authorship."""
        first = np.zeros(len(self.person), bool)
        first[self.person[self.person >= 0]] = True
        number = np.cumsum(first) - 1
        person = np.where(self.person >= 0, number[self.person], -1)
        return Judgement(person, self.confidence, self.support)
