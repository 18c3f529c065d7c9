"""The learned models for matching authorships to people, as shipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xgboost

from index.identity.person_names import Commonness, PersonName
from index.models.shipped import booster, shipped, shipped_json

USUAL_LOG_ODDS = -0.62
"""The prior log-odds of the names that the models were trained on (0.35 of pairs are by one person)."""
ENOUGH_PAPERS = 2_000
"""A corpus with this many papers shows by itself who works with whom."""
SHIFT_RANGE = (-0.3, 2.0)
SCARCITY = 6.0
"""How much more a rare name counts in a corpus with hardly any papers as evidence."""


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
    rarity_share: float
    rarity_from: float
    """The share of a name's own prior log-odds that counts, and the value from which it counts."""
    commonness: Commonness

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

    def shift(self, name: PersonName, names: int, papers: int) -> float:
        """How much a name's rarity adds to the log-odds of a merge, in a corpus of so many names and papers.

        Initials add nothing. A small corpus has little other evidence, so a rare name counts for more there.
        """
        if not name.spelled or self.rarity_share == 0:
            return 0.0
        own = self.commonness.log_odds(name, names) - USUAL_LOG_ODDS
        shift = float(np.clip(self.rarity_share * (own - self.rarity_from), *SHIFT_RANGE))
        scarce = max(0.0, 1 - np.log(max(papers, 1)) / np.log(ENOUGH_PAPERS))
        return shift * (1 + SCARCITY * scarce) if shift > 0 else shift
