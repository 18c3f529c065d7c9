"""What each sentence of an abstract does: background, objective, method, result or conclusion."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from data.keys import fold
from index.answers.sentences import Sentence
from index.models.arrays import texts_of
from index.models.shipped import ModelDamagedError, shipped

ROLES = ("background", "objective", "method", "result", "conclusion")
_HEADINGS = {
    "background": r"background|introduction|context|motivation|rationale|problem|importance",
    "objective": r"objectiv|aim|purpose|goal|hypothes|question",
    "method": r"method|material|design|setting|patient|participant|subject|intervention|measure|outcome|"
    r"procedure|approach|population|data|sampl|analys",
    "result": r"result|finding|observation",
    "conclusion": r"conclu|implication|significance|interpretation|discussion|limitation|summary",
}
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|%")
_SURE = 0.97
"""How sure a printed heading makes us."""


def role_of_heading(heading: str) -> str | None:
    """The role that a printed heading names; None if it names none or several."""
    folded = fold(heading)
    named = {role for role, pattern in _HEADINGS.items() if re.search(pattern, folded)}
    if named == {"method", "result"} and re.search(r"method|material|design|measure", folded) is None:
        named = {"result"}
    return named.pop() if len(named) == 1 else None


def cues(text: str) -> list[str]:
    """The words and pairs of words that tell a role, as printed but lower case; numbers are alike."""
    words = ["#" if word[0].isdigit() else word for word in _WORD.findall(fold(text))]
    words = ["^", *words[:80]]
    return [*words, *(f"{a} {b}" for a, b in pairwise(words))]


@dataclass(frozen=True)
class Roles:
    """A linear model over cues, and how roles follow each other (a hidden Markov model over sentences).

    Attributes
    ----------
    vocabulary
        Each cue's row of ``weights``.
    weights, bias
        float32, shapes (cues, 5) and (5,): log-odds of each role, with all roles equally likely before.
    first, following, last
        float32, shapes (5,), (5, 5) and (5,): log-probabilities of the first role, of a role (column) after
        another (row), and of the last role.
    """

    vocabulary: dict[str, int]
    weights: np.ndarray
    bias: np.ndarray
    first: np.ndarray
    following: np.ndarray
    last: np.ndarray

    @classmethod
    @lru_cache(maxsize=1)
    def shipped(cls) -> Roles:
        """The model in ``index/models``.

        Raises
        ------
        ModelDamagedError
            If it is missing or its checksum differs.
        """
        _, files = shipped("roles", "{}.npz")
        try:
            with np.load(io.BytesIO(files["roles"]), allow_pickle=False) as read:
                words = texts_of(read["words"])
                numbers = {name: read[name].astype(np.float32) for name in read.files if name != "words"}
        except (OSError, ValueError, KeyError) as error:
            raise ModelDamagedError(f"index/models/roles.npz can't be read: {error}") from error
        vocabulary = {word: place for place, word in enumerate(words)}
        return cls(vocabulary, **{name: numbers[name] for name in _NUMBERS})

    def alone(self, texts: Sequence[str]) -> np.ndarray:
        """Log-odds of each role from a sentence's cues alone: float64, shape (texts, 5)."""
        out = np.zeros((len(texts), len(ROLES)))
        for place, text in enumerate(texts):
            known = [row for cue in set(cues(text)) if (row := self.vocabulary.get(cue)) is not None]
            out[place] = self.bias + self.weights[known].sum(axis=0) / max(1.0, len(known)) ** 0.5
        return out

    def probabilities(self, sentences: Sequence[Sentence]) -> np.ndarray:
        """The role of each sentence of one abstract, in order: float64, shape (sentences, 5), rows sum to 1.

        Cues, neighbours and place speak together by the forward-backward algorithm (Rabiner 1989).
        """
        if not sentences:
            return np.zeros((0, len(ROLES)))
        shown = _log_softmax(self.alone([sentence.text for sentence in sentences]))
        role: str | None = None
        for place, sentence in enumerate(sentences):
            role = role_of_heading(sentence.label) if sentence.label else role
            if role:
                known = np.full(len(ROLES), np.log((1 - _SURE) / (len(ROLES) - 1)))
                known[ROLES.index(role)] = np.log(_SURE)
                shown[place] += 2 * known
        count = len(sentences)
        forward, backward = np.zeros_like(shown), np.zeros_like(shown)
        forward[0] = self.first + shown[0]
        for place in range(1, count):
            before = forward[place - 1][:, None] + self.following
            forward[place] = np.logaddexp.reduce(before, axis=0) + shown[place]
        backward[-1] = self.last
        for place in range(count - 2, -1, -1):
            after = self.following + (shown[place + 1] + backward[place + 1])[None, :]
            backward[place] = np.logaddexp.reduce(after, axis=1)
        return np.asarray(np.exp(_log_softmax(forward + backward)))

    def finding(self, sentences: Sequence[Sentence]) -> np.ndarray:
        """float64, shape (sentences,): how likely each states a result or a conclusion."""
        return np.asarray(self.probabilities(sentences)[:, 3:].sum(axis=1))


_NUMBERS = ("weights", "bias", "first", "following", "last")


def _log_softmax(odds: np.ndarray) -> np.ndarray:
    return np.asarray(odds - np.logaddexp.reduce(odds, axis=-1, keepdims=True))
