"""Training the ranker of :mod:`index.people.suggest` on people's first papers together before a day."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import xgboost
from scipy import sparse

from index.evaluate.collaborators import AT_ONCE, Written
from index.people.network import Network, of_rows
from index.people.pair_features import FEATURES

AGES = (168, 228, 290)
"""Days before the end at which the past is cut; the ranker learns what followed within :data:`HORIZON`."""
HORIZON = 168
PEOPLE = 8_000
SHARE = 0.15
"""How many of the pairs without a paper together are sampled; their weight makes up for the rest."""
_TREES: dict[str, Any] = {
    "max_depth": 5,
    "eta": 0.06,
    "subsample": 0.7,
    "colsample_bytree": 0.5,
    "tree_method": "hist",
    "nthread": 2,
    "seed": 0,
}
Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Cut:
    """A day of the past, with the first papers together that followed it."""

    day: date
    written: Written
    network: Network
    truth: sparse.csr_matrix


def cuts(written: Written, before: date) -> Iterator[Cut]:
    """The days at which a collection's past is cut; ages and horizon stretch with its pace."""
    end = before.toordinal()
    earlier = written.day < end
    written = Written(written.person[earlier], written.paper[earlier], written.day[earlier], written.vectors)
    slower = written.network(end).slower
    for age in AGES:
        day = end - round(age * slower)
        network = written.network(day)
        yield Cut(
            date.fromordinal(day),
            written,
            network,
            written.new_partners(network, min(day + round(HORIZON * slower), end) - 1),
        )


def train(
    collections: Sequence[tuple[Written, date]], folder: Path, *, seed: int = 0, report: Report | None = None
) -> dict[str, Any]:
    """Train into ``folder`` from each collection's papers before its day only.

    Returns the recipe with its checksums. Each collection weighs the same.
    """
    rng = np.random.default_rng(seed)
    rows, labels, weights = [], [], []
    chosen = [cut for written, before in collections for cut in cuts(written, before)]
    for place, cut in enumerate(chosen):
        network, truth = cut.network, cut.truth
        partners = cut.written.partners(network)
        people = rng.permutation(np.flatnonzero(np.diff(truth.indptr)))[: PEOPLE // len(collections)]
        for start in range(0, len(people), AT_ONCE):
            part = people[start : start + AT_ONCE]
            pool = partners.pool(part)
            label = of_rows(truth[part], pool.candidates)
            features = partners.compare(pool)
            sampled = (label > 0) | (rng.random(len(label)) < SHARE)
            row = pool.rows
            right = np.diff(truth.indptr)[part][row]
            rows.append(features[sampled])
            labels.append(label[sampled])
            weights.append((np.where(label > 0, 1.0, 1 / SHARE) / np.sqrt(right))[sampled])
            if report:
                report("comparing", place * len(people) + start, len(chosen) * len(people))
    weight = np.concatenate(weights)
    data = xgboost.DMatrix(np.concatenate(rows), np.concatenate(labels), weight=weight / weight.mean())
    chance = xgboost.train({**_TREES, "objective": "binary:logistic", "min_child_weight": 10}, data, 300)
    folder.mkdir(parents=True, exist_ok=True)
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train collaborators --data FILE --before DAY --data FILE --before DAY",
        "papers_before": [before.isoformat() for _, before in collections],
        "cuts": [cut.day.isoformat() for cut in chosen],
        "seed": seed,
        "features": list(FEATURES),
        "fit": {},
        "sha256": {},
    }
    raw = bytes(chance.save_raw("ubj"))
    (folder / "partners-chance.ubj").write_bytes(raw)
    recipe["sha256"]["chance"] = hashlib.sha256(raw).hexdigest()
    (folder / "partners.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe
