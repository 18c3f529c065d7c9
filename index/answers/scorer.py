"""How well each sentence answers: its paper's chance, times its own chance inside the paper."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from index.answers.evidence import FEATURES, SentenceEvidence
from index.models.shipped import ModelDamagedError, shipped

OF_PAPER = ("closeness of the paper", "coverage in the paper", "words in the paper")
BEST = ("closeness", "bm25", "words")
"""A paper is judged by :data:`OF_PAPER`, and by the best of its sentences in each of these."""
PAPER = (*OF_PAPER, *(f"best {name}" for name in BEST))
INSIDE = ("closeness", "bm25", "words", "pairs", "numbers", "finding", "empty")
"""What tells the sentences of one paper apart."""
FIRST = ("share", "empty")
"""What tells whether the best sentence answers if its paper does: the log-odds of its chance inside the
paper, and whether it is empty."""
EMPTY = (0.7, 0.9)
"""From which chance of being empty a sentence answers less, and from which not at all."""
LEAST_TOLD = 0.2
"""The share of its chance that a sentence keeps which is empty for sure."""
_GUESSED = {"words": ("closeness", "coverage"), "words in the paper": OF_PAPER[:2]}
"""A model that gives no word pieces leaves these features out; others stand in for them."""


@dataclass(frozen=True)
class Scorer:
    """Linear models.

    Attributes
    ----------
    paper, inside
        float64, shapes (len(PAPER),) and (len(INSIDE),): log-odds of a paper beside the others, and of a
        sentence beside the others in its paper.
    sure
        float64, shape (len(PAPER) + 1,): log-odds that the best paper answers, and a constant.
    first
        float64, shape (len(FIRST),): the weights of :func:`says`, and a constant.
    guesses
        For each name in ``_GUESSED`` the weights of what stands in for it, and a constant.
    """

    paper: np.ndarray
    inside: np.ndarray
    sure: np.ndarray
    first: np.ndarray
    guesses: dict[str, np.ndarray]

    @classmethod
    def shipped(cls) -> Scorer:
        """The weights in ``index/models``.

        Raises
        ------
        ModelDamagedError
            If they are missing, their checksum differs, or they are of other features.
        """
        _, firsts = shipped("first", "first-{}.json", FIRST)
        _, files = shipped("answers", "answers-{}.json", [*PAPER, *INSIDE])
        try:
            read = json.loads(files["weights"])
            return cls(
                np.array([float(read["paper"][name]) for name in PAPER]),
                np.array([float(read["inside"][name]) for name in INSIDE]),
                np.array([float(read["confidence"][name]) for name in (*PAPER, "constant")]),
                np.array([float(json.loads(firsts["weights"])[name]) for name in (*FIRST[:-1], "constant")]),
                {name: np.array(read["guesses"][name], np.float64) for name in _GUESSED},
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ModelDamagedError(
                f"the weights of index/models/answers.json can't be read: {error}"
            ) from error

    def scores(self, evidence: SentenceEvidence) -> np.ndarray:
        """float64, shape (sentences,): the log-probability of each, if one of them answers."""
        if not len(evidence.sentences):
            return np.zeros(0)
        features = self._whole(evidence.features)
        papers, numbers = np.unique(evidence.papers, return_inverse=True)
        odds = of_papers(features, numbers, len(papers)) @ self.paper
        out = columns(features, INSIDE) @ self.inside
        # A near tie between a finding and praise must not go to the praise, which would then answer nothing.
        out += np.log(np.maximum(tells(columns(features, ("empty",))[:, 0]), LEAST_TOLD))
        for number in range(len(papers)):
            own = numbers == number
            out[own] += odds[number] - np.logaddexp.reduce(out[own])
        return np.asarray(out - np.logaddexp.reduce(odds))

    def confidence(self, evidence: SentenceEvidence, scores: np.ndarray, besides: float = 0.0) -> float:
        """The probability that the best sentence answers, 0 to 1: its paper's chance, times its own there.

        ``besides`` are log-odds to add to the paper's.
        """
        if not len(scores):
            return 0.0
        own = evidence.papers == evidence.papers[int(np.argmax(scores))]
        features = self._whole(evidence.features[own])
        of_paper = of_papers(features, np.zeros(len(features), np.int64), 1)[0]
        paper = chance(float(of_paper @ self.sure[:-1] + self.sure[-1]) + besides)
        return paper * float(says(of_first(features, scores[own])[None, :], self.first)[0])

    def _whole(self, features: np.ndarray) -> np.ndarray:
        """Features without gaps."""
        return filled(features, self.guesses)


def columns(features: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    """The features of these names: shape (sentences, len(names))."""
    return features[:, [FEATURES.index(name) for name in names]]


def of_papers(features: np.ndarray, numbers: np.ndarray, count: int) -> np.ndarray:
    """:data:`PAPER` of each paper: float64, shape (count, len(PAPER)).

    ``numbers`` gives the paper of each sentence, from 0.
    """
    own, best = columns(features, OF_PAPER), columns(features, BEST)
    out = np.zeros((count, len(PAPER)))
    for number in range(count):
        rows = numbers == number
        out[number] = [*own[rows].max(axis=0), *best[rows].max(axis=0)]
    return out


def of_first(features: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """:data:`FIRST` of the best sentence of one paper: float64, shape (len(FIRST),)."""
    best = int(np.argmax(scores))
    share = np.exp(scores[best] - np.logaddexp.reduce(scores))
    share = min(max(float(share), 0.01), 0.99)
    empty = columns(features[[best]], ("empty",))[0, 0]
    return np.array([np.log(share / (1 - share)), empty])


def says(found: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The chance that each best sentence answers, if its paper does: float64, shape (sentences,).

    The log-odds of ``weights`` speak for sentences that say something; what is empty for sure doesn't answer.
    """
    told = 1 / (1 + np.exp(-np.clip(found[:, :-1] @ weights[:-1] + weights[-1], -30, 30)))
    return np.asarray(told * tells(found[:, -1]))


def tells(empty: np.ndarray) -> np.ndarray:
    """1 for a sentence that says something, 0 for one that is empty for sure, by :data:`EMPTY`."""
    start, stop = EMPTY
    return np.asarray(np.clip((stop - empty) / (stop - start), 0, 1))


def chance(odds: float) -> float:
    """The probability of log-odds."""
    return float(1 / (1 + np.exp(-np.clip(odds, -30, 30))))


def guesses_from(features: np.ndarray) -> dict[str, np.ndarray]:
    """Least-squares weights for what stands in for a missing feature."""
    found = {}
    for name, others in _GUESSED.items():
        known = np.column_stack([columns(features, others), np.ones(len(features))])
        found[name] = np.linalg.lstsq(known, columns(features, (name,))[:, 0], rcond=None)[0]
    return found


def filled(features: np.ndarray, guesses: dict[str, np.ndarray]) -> np.ndarray:
    """Features with guesses in place of gaps."""
    out = features.copy()
    for name, others in _GUESSED.items():
        place = FEATURES.index(name)
        missing = np.isnan(out[:, place])
        out[missing, place] = (
            np.column_stack([columns(out, others), np.ones(len(out))])[missing] @ guesses[name]
        )
    return out
