"""The learned models for matching authorships to people, as shipped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from index.identity.commonness import NAMESAKE_FACTOR, Commonness
from index.models.shipped import booster, shipped, shipped_json

if TYPE_CHECKING:
    import xgboost

ENOUGH_PAPERS = 2_000
"""A corpus with this many papers shows by itself who works with whom."""
SCARCITY, RARE = 0.9, 2.1
"""The weight of a rare name in a corpus with hardly any papers, and the log-odds that make a name rare."""
EXPECTED, EXPECTED_INITIALS = 1.0, 0.05
"""The fewest namesakes that count as expected beside the evidence, for names in full and for initials."""
SLOWNESS = 1.15
"""How far the cut falls where people publish slowly, since their papers lie further apart."""


SCARCE = 2.0
"""How far the cut falls in a corpus with hardly any papers."""


CERTAINTY = 1.9, 0.8
"""Offset and slope in log-odds: from the mean chance of a card's papers, judged in pairs, to their chance.

Single pairs know less than the whole card. The line lies below what arXiv's pseudo-people give and near what
the Anthology's ids give (`evaluate identity` prints both)."""


def certainty(mean: float) -> float:
    """How sure it is that a card's papers are one person's: 0 to 1, from the mean of their chances."""
    offset, slope = CERTAINTY
    clipped = min(max(mean, 1e-3), 1 - 1e-3)
    return 1 / (1 + math.exp(-offset - slope * math.log(clipped / (1 - clipped))))


def scarcity(papers: int) -> float:
    """1 in a corpus of one paper, 0 from :data:`ENOUGH_PAPERS` on."""
    return max(0.0, 1 - math.log(max(papers, 1)) / math.log(ENOUGH_PAPERS))


def expected_namesakes(name_odds: np.ndarray, spelled: np.ndarray) -> np.ndarray:
    """How many namesakes to expect of each name, with a floor; float64."""
    fewest = np.where(spelled, EXPECTED, EXPECTED_INITIALS)
    expected: np.ndarray = np.maximum(np.exp(-name_odds) / NAMESAKE_FACTOR, fewest)
    return expected


def ease(name_odds: np.ndarray, spelled: np.ndarray, papers: int) -> np.ndarray:
    """Log-odds added to merges of a rare name's groups in a corpus of so many papers, float64.

    A small corpus has little other evidence, so a rare name counts for more there.
    """
    rare = SCARCITY * scarcity(papers) * np.maximum(name_odds - RARE, 0.0)
    eased: np.ndarray = np.where(spelled, rare, 0.0)
    return eased


@dataclass(frozen=True)
class Models:
    """The three learned judgements and the cuts above which they merge."""

    pairs: xgboost.Booster
    groups: xgboost.Booster
    variants: xgboost.Booster
    group_cut: float
    variant_cut: float
    variant_lead: float
    """How far the best candidate for an initial has to be ahead of the next."""
    commonness: Commonness

    def cut(self, papers: int, slowness: float) -> float:
        """The log-odds above which groups merge in a corpus of so many papers.

        A small or slow one has less evidence to give (:attr:`Authorships.slowness`).
        """
        return self.group_cut - SLOWNESS * math.log(slowness) - SCARCE * scarcity(papers)

    @classmethod
    def shipped(cls) -> Models:
        """The models in ``index/models``, checked against their recipe.

        Raises
        ------
        ModelDamagedError
            If a file is missing or its checksum differs.
        """
        recipe, files = shipped("identity", "identity-{}.ubj")
        loaded: dict[str, Any] = {name: booster(data) for name, data in files.items()}
        counts = Commonness(**shipped_json("names.json"))
        return cls(**loaded, **recipe["cuts"], commonness=counts)
