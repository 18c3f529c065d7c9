"""What is learned about who is who, as it is shipped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xgboost

from index.identity.person_names import Commonness, PersonName
from index.models.shipped import booster, shipped, shipped_json

USUAL_LOG_ODDS = -0.62
"""The prior log-odds of the names that the models were trained on (0.35 of pairs are one person's)."""
ENOUGH_PAPERS = 2_000
"""Papers from which on a corpus tells by itself who works with whom."""
SHIFT_RANGE = (-0.3, 2.0)
SCARCITY = 6.0
"""How much more a rare name counts where hardly any paper is there to speak for one person."""


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
    """How much of a name's own prior log-odds, from where on, counts beside the evidence."""
    commonness: Commonness

    @classmethod
    def shipped(cls) -> Models:
        """The models in ``index/models``, checked against their recipe.

        Raises
        ------
        ModelDamagedError
            Where a file is missing or its checksum differs.
        """
        recipe, files = shipped("identity", "identity-{}.ubj")
        loaded: dict[str, Any] = {name: booster(data) for name, data in files.items()}
        counts = Commonness(**shipped_json("names.json"))
        return cls(**loaded, **recipe["cuts"], commonness=counts)

    def shift(self, name: PersonName, names: int, papers: int) -> float:
        """What a name's rarity adds to the log-odds of a merge, in a corpus of so many names and papers.

        Initials add nothing. Among few papers hardly anything can speak for one person, so that a rare
        name counts for more there.
        """
        if not name.spelled or self.rarity_share == 0:
            return 0.0
        own = self.commonness.log_odds(name, names) - USUAL_LOG_ODDS
        shift = float(np.clip(self.rarity_share * (own - self.rarity_from), *SHIFT_RANGE))
        scarce = max(0.0, 1 - np.log(max(papers, 1)) / np.log(ENOUGH_PAPERS))
        return shift * (1 + SCARCITY * scarce) if shift > 0 else shift
