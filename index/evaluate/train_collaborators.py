"""Training the ranker of :mod:`index.people.suggest` on people's first papers together before a day."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import xgboost

from index.evaluate.collaborators import AT_ONCE, Written
from index.people.network import of_rows
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


def train(
    written: Written, folder: Path, *, before: date, seed: int = 0, report: Report | None = None
) -> dict[str, Any]:
    """Train into ``folder`` from papers before ``before`` only; returns the recipe with its checksums."""
    end = before.toordinal()
    earlier = written.day < end
    written = Written(written.person[earlier], written.paper[earlier], written.day[earlier], written.vectors)
    rng = np.random.default_rng(seed)
    rows, labels, weights, groups = [], [], [], []
    for place, age in enumerate(AGES):
        network = written.network(end - age)
        truth = written.new_partners(network, min(end - age + HORIZON, end) - 1)
        partners = written.partners(network)
        people = rng.permutation(np.flatnonzero(np.diff(truth.indptr)))[:PEOPLE]
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
            groups.append(np.bincount(row[sampled], minlength=len(part)))
            if report:
                report("comparing", place * len(people) + start, len(AGES) * len(people))
    data = xgboost.DMatrix(np.concatenate(rows), np.concatenate(labels))
    weight = np.concatenate(weights)
    chance = xgboost.DMatrix(np.concatenate(rows), np.concatenate(labels), weight=weight / weight.mean())
    models = {
        "chance": xgboost.train(
            {**_TREES, "objective": "binary:logistic", "min_child_weight": 10}, chance, 300
        )
    }
    data.set_group(np.concatenate(groups))
    models["order"] = xgboost.train(
        {
            **_TREES,
            "objective": "rank:map",
            "min_child_weight": 0.05,
            "lambdarank_pair_method": "topk",
            "lambdarank_num_pair_per_sample": 20,
        },
        data,
        250,
    )
    folder.mkdir(parents=True, exist_ok=True)
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train collaborators --data FILE",
        "papers_before": before.isoformat(),
        "cuts": [(before - timedelta(days=age)).isoformat() for age in AGES],
        "seed": seed,
        "features": list(FEATURES),
        "sha256": {},
    }
    for name, model in models.items():
        raw = bytes(model.save_raw("ubj"))
        (folder / f"partners-{name}.ubj").write_bytes(raw)
        recipe["sha256"][name] = hashlib.sha256(raw).hexdigest()
    (folder / "partners.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe
