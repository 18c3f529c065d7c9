"""Whether a sentence says anything: praise, promises and announcements are empty."""

from __future__ import annotations

import io
import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from data.keys import fold
from index.answers.matching import STOP_WORDS, numbers, stems
from index.answers.roles import cues
from index.answers.turning_words import NEGATORS, poles
from index.models.arrays import texts_of
from index.models.shipped import ModelDamagedError, shipped
from index.search.passages import WEAK
from index.search.phrase_background import RARITY, PhraseBackground
from index.search.phrases import PhraseFinder

MEASURES = (
    "rarity",
    "mean rarity",
    "words",
    "weak words",
    "directions",
    "numbers",
    "negated",
    "rarest",
)
"""What is left of a sentence without words that any paper uses, how rare that is, and what it states."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_REMEMBERED = 20_000


@dataclass(frozen=True)
class Emptiness:
    """A linear model over cues (words and pairs of words) and :data:`MEASURES`.

    Attributes
    ----------
    vocabulary
        Each cue's place in ``weights``.
    weights, measured
        float32, shapes (cues,) and (len(MEASURES) + 1,): log-odds that a sentence is empty; the last is the
        constant.
    background
        How rare words are.
    """

    vocabulary: dict[str, int]
    weights: np.ndarray
    measured: np.ndarray
    background: PhraseBackground
    _known: OrderedDict[str, float] = field(default_factory=OrderedDict)

    @classmethod
    @lru_cache(maxsize=1)
    def shipped(cls) -> Emptiness:
        """The model in ``index/models``.

        Raises
        ------
        ModelDamagedError
            If it is missing, its checksum differs, or it has other measures.
        """
        _, files = shipped("emptiness", "emptiness-{}.npz", MEASURES)
        try:
            with np.load(io.BytesIO(files["cues"]), allow_pickle=False) as read:
                words = texts_of(read["words"])
                weights, measured = read["weights"].astype(np.float32), read["measured"].astype(np.float32)
        except (OSError, ValueError, KeyError) as error:
            raise ModelDamagedError(f"index/models/emptiness-cues.npz can't be read: {error}") from error
        places = {word: place for place, word in enumerate(words)}
        return cls(places, weights, measured, PhraseFinder.shipped().background)

    def chances(self, texts: Sequence[str]) -> np.ndarray:
        """The probability that each sentence is empty: float64, shape (texts,)."""
        out = np.zeros(len(texts))
        for place, text in enumerate(texts):
            if text not in self._known:
                if len(self._known) >= _REMEMBERED:
                    self._known.popitem(last=False)
                self._known[text] = self._chance(text)
            out[place] = self._known[text]
        return out

    def _chance(self, text: str) -> float:
        known = [row for cue in set(cues(text)) if (row := self.vocabulary.get(cue)) is not None]
        odds = float(self.weights[known].sum()) / max(1.0, len(known)) ** 0.5
        odds += float(measures(text, self.background) @ self.measured[:-1] + self.measured[-1])
        return float(1 / (1 + np.exp(-np.clip(odds, -30, 30))))


def measures(text: str, background: PhraseBackground) -> np.ndarray:
    """:data:`MEASURES` of a sentence: float64, shape (len(MEASURES),)."""
    folded = [fold(word) for word in _WORD.findall(text)]
    said = [word for word in folded if word not in STOP_WORDS]
    telling = [word for word in said if word not in WEAK and not word.isdigit()]
    rarity = np.sort(background.words(telling)[:, RARITY]) if telling else np.zeros(1)
    return np.array(
        [
            np.log1p(rarity.sum()),
            rarity.mean(),
            np.log1p(len(folded)),
            1 - len(telling) / max(1, len(said)),
            min(sum(each in poles() for each in set(stems(text))), 3),
            min(len(numbers(text)), 2),
            any(word in NEGATORS for word in folded),
            rarity[-3:].sum(),
        ],
        np.float64,
    )
