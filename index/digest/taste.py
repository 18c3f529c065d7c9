"""A reader's taste: a day's papers ranked by those that they wrote, saved and liked before.

Each paper is seen in three ways: by its words (tf-idf), by its meaning (the sentence embedding), and by both
joined in small learned spaces in which an author's next paper lies near the earlier ones; words and meaning
also with what all papers share taken down. Features of how a candidate lies to the papers of a taste go into
one boosted ranker. The recipe and its figures are in docs/evaluation.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from index.digest.encoder import Encoder, Items
from index.models.shipped import booster, margins, shipped

if TYPE_CHECKING:
    import xgboost

MONTH = 30.0
MOST_PAPERS = 60
"""Papers of a taste that are looked at, the newest."""
_TOP = 3
FEATURES = (
    *(
        f"{way}_{kind}"
        for way in ("words", "rare", "meaning", "own", "joint")
        for kind in ("mean", "max", "top", "recent", "mean_among", "top_among")
    ),
    *("pooled", "pooled_among", "sum_among", "crowd", "papers", "span"),
)
SUMMED = tuple(name for name in FEATURES if name.endswith("_among") and name != "sum_among")
"""The features that ``sum_among`` weighs."""
AREA = ("words_top", "meaning_top", "own_top", "joint_top")
"""The features that say whether a paper is in a reader's area; none compares it with others of its day."""
LEAST_ODDS = -0.4
"""The natural log odds from which a paper counts as one of its reader's area. Lower than 0, since a wanted
paper that is left out costs more than one from another area."""


@dataclass(frozen=True)
class TasteRanker:
    """Ranks candidates for a taste."""

    encoder: Encoder
    order: xgboost.Booster
    floor: float = 0.0
    """The joint closeness that nine of ten wanted papers reach; if no paper reaches it, none fits."""
    blend: Mapping[str, float] = field(default_factory=dict)
    """What each of :data:`SUMMED` weighs in ``sum_among``."""
    area: Mapping[str, float] = field(default_factory=dict)
    """What each of :data:`AREA` adds to the log odds that a paper is in a reader's area, and ``start``, the
    log odds without them. `python -m benchmarks.judged_digests --fit` fits them to a trained encoder; without
    them, every paper is."""

    @classmethod
    def shipped(cls) -> TasteRanker:
        """The models in ``index/models``, checked against their recipe.

        Raises
        ------
        ModelDamagedError
            Where a file is missing, its checksum differs, or it is of other features.
        """
        recipe, files = shipped("taste", "{}", FEATURES)
        encoder = Encoder.of_bytes(files["taste.npz"])
        return cls(
            encoder,
            booster(files["taste-order.ubj"]),
            float(recipe["floor"]),
            recipe["blend"],
            recipe["area"],
        )

    def features(self, candidates: Items, taste: Items, age: np.ndarray) -> np.ndarray:
        """How candidates lie to a taste's papers: float32, shape (candidates, :data:`FEATURES`).

        Parameters
        ----------
        age
            Days since each of the taste's papers, shape (papers,).
        """
        encoder = self.encoder
        close = {
            "words": np.asarray((candidates.words @ taste.words.T).toarray(), np.float32),
            "rare": np.asarray((candidates.rare @ taste.rare.T).toarray(), np.float32),
            "meaning": candidates.meaning @ taste.meaning.T,
            "own": candidates.own @ taste.own.T,
            "joint": candidates.joint @ taste.joint.T,
        }
        months = np.log1p(np.maximum(age, 0) / MONTH).astype(np.float32)
        fresh = np.exp(-months)
        columns: dict[str, np.ndarray] = {}
        for way, near in close.items():
            columns[f"{way}_mean"] = near.mean(axis=1)
            columns[f"{way}_max"] = near.max(axis=1)
            columns[f"{way}_top"] = _top(near)
            columns[f"{way}_recent"] = near @ (fresh / fresh.sum())
            columns[f"{way}_mean_among"] = _among(columns[f"{way}_mean"])
            columns[f"{way}_top_among"] = _among(columns[f"{way}_top"])
        pooled = [
            space.pooled(of_candidates, of_taste, months)
            for space, of_candidates, of_taste in zip(
                encoder.spaces, encoder.places(candidates), encoder.places(taste), strict=True
            )
        ]
        columns["pooled"] = np.mean(pooled, axis=0)
        columns["pooled_among"] = np.mean([_among(values) for values in pooled], axis=0)
        columns["sum_among"] = np.zeros(len(candidates)) + sum(
            weight * columns[name] for name, weight in self.blend.items()
        )
        columns["crowd"] = candidates.joint @ candidates.joint.mean(axis=0)
        columns["papers"] = np.full(len(candidates), float(np.log1p(len(taste))))
        columns["span"] = np.full(len(candidates), float(np.log1p(age.max(initial=0.0) / MONTH)))
        return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)

    def scores(self, candidates: Items, taste: Items, age: np.ndarray) -> np.ndarray:
        """Higher is likelier wanted; float32, shape (candidates,), comparable within one call."""
        return self.judged(candidates, taste, age)[0]

    def judged(self, candidates: Items, taste: Items, age: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """:meth:`scores`, and the log odds that each candidate is in the reader's area at all.

        Both have shape (candidates,). Unlike scores, odds do not depend on the other candidates; they are
        infinite where nothing says what the area is.
        """
        if not len(candidates) or not len(taste):
            return np.zeros(len(candidates), np.float32), np.full(len(candidates), np.inf)
        newest = np.argsort(age, kind="stable")[:MOST_PAPERS]
        features = self.features(candidates, taste[newest], age[newest])
        return margins(self.order, features), self.odds(features)

    def odds(self, features: np.ndarray) -> np.ndarray:
        """The natural log odds that candidates are in a reader's area: float64, shape (candidates,).

        Parameters
        ----------
        features
            Shape (candidates, :data:`FEATURES`).
        """
        if not self.area:
            return np.full(len(features), np.inf)
        weights = np.array([self.area[name] for name in AREA])
        return np.asarray(features[:, [FEATURES.index(name) for name in AREA]] @ weights + self.area["start"])


def _top(near: np.ndarray) -> np.ndarray:
    count = min(_TOP, near.shape[1])
    return np.asarray(np.partition(near, -count, axis=1)[:, -count:].mean(axis=1))


def _among(values: np.ndarray) -> np.ndarray:
    """How a candidate stands among all of the day: standard deviations above their mean."""
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-6))
