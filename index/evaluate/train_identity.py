"""Training the models of :mod:`index.identity` on pseudo-people, half of whom are kept for evaluation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xgboost

from index.evaluate.pseudo_people import PseudoPeople, drawn_odds, make_people, narrowed, rare_people
from index.identity.authorships import Authorships
from index.identity.clusters import MERGE_FEATURES, Block
from index.identity.commonness import Commonness
from index.identity.evidence import FEATURES, MONOTONE
from index.identity.identity import Judge
from index.identity.models import Models
from index.models.shipped import margins

SIZES = (2,) * 8 + (3,) * 4 + (4, 4, 6, 6, 10, 10, 20, 20, 50, 120)
"""People under one name: mostly few, for the commonest names a hundred."""
CONTEXTS = (None, 40_000, 12_000, 4_000)
"""Sizes of the training corpora in papers; None is all. Small ones know less about who works with whom."""
START_CUTS = (0.1, 0.2, 0.5)
CUTS = {"group_cut": 3.1, "variant_cut": 0.0, "variant_lead": 1.0}
LEAST_COUNTED = 6
"""A family or given name is listed if it occurs in this many distinct names."""
_TREES: dict[str, Any] = {
    "learning_rate": 0.08,
    "subsample": 0.7,
    "tree_method": "hist",
    "seed": 0,
    "nthread": 2,
}
_UNTRAINED: Any = {**CUTS, "commonness": Commonness(1, {}, {})}
Report = Callable[[str, int, int], None]


def contexts(authorships: Authorships, role: str, seed: int) -> list[PseudoPeople]:
    """The training corpora, each with its own pseudo-people of a role."""
    rng = np.random.default_rng(seed)
    made = []
    for number, size in enumerate(_sizes(authorships)):
        corpus, share = authorships, 1.0
        if size is not None:
            corpus, share = narrowed(authorships, _papers_of_people(authorships, role, size, rng)), 0.4
        count = max(50, int(share * len(rare_people(corpus, (role,))) * 0.06))
        made.append(
            make_people(
                corpus, (role,), homonyms=count, variants=count, single=count, sizes=SIZES, seed=seed + number
            )
        )
    return made


def _sizes(authorships: Authorships) -> list[int | None]:
    """The contexts that a collection is large enough for."""
    return [size for size in CONTEXTS if size is None or size < authorships.papers * 0.7]


def _papers_of_people(authorships: Authorships, role: str, size: int, rng: np.random.Generator) -> np.ndarray:
    """All papers of some people, as in a collection about certain names."""
    people = rare_people(authorships, (role,), least=2)
    chosen: set[int] = set()
    for place in rng.permutation(len(people)):
        chosen.update(authorships.paper[people[place]].tolist())
        if len(chosen) >= size:
            break
    return np.array(sorted(chosen))


Examples = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Features, labels and weights."""


def pair_examples(pseudo: PseudoPeople, judge: Judge, seed: int) -> Examples:
    """Pairs of authorships and whether both are by one person; both answers weigh the same."""
    rng = np.random.default_rng(seed)
    truth = pseudo.truth
    known = np.flatnonzero(truth >= 0)
    by_person = known[np.argsort(truth[known], kind="stable")]
    one, other = [], []
    for mine in np.split(by_person, np.flatnonzero(np.diff(truth[by_person])) + 1):
        left, right = np.triu_indices(len(mine), 1)
        chosen = rng.permutation(len(left))[:10]
        one.append(mine[left[chosen]])
        other.append(mine[right[chosen]])
    same = len(np.concatenate(one))
    parsed = pseudo.authorships.parsed
    ids = pseudo.authorships.name_ids[0]
    for group in (ids, np.unique([parsed[a].family for a in range(len(ids))], return_inverse=True)[1]):
        order = known[np.argsort(group[known], kind="stable")]
        values = group[order]
        start, stop = np.searchsorted(values, values, "left"), np.searchsorted(values, values, "right")
        drawn = rng.integers(0, len(order), 2 * same)
        partner = start[drawn] + (rng.random(len(drawn)) * (stop - start)[drawn]).astype(int)
        left, right = order[drawn], order[partner]
        paper = pseudo.authorships.paper
        apart = (truth[left] != truth[right]) & (paper[left] != paper[right])
        one.append(left[apart])
        other.append(right[apart])
    left, right = np.concatenate(one), np.concatenate(other)
    labels = np.arange(len(left)) < same
    weights = np.where(labels, 0.5 / same, 0.5 / max(len(labels) - same, 1))
    return judge.evidence.compare(left, right), labels, weights


def homonym_blocks(pseudo: PseudoPeople, judge: Judge) -> list[Block]:
    """The compared authorships of each name that a known person has."""
    ids, names = pseudo.authorships.name_ids
    wanted = np.unique(ids[pseudo.truth >= 0])
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], np.arange(len(names) + 1))
    members = [order[starts[name] : starts[name + 1]] for name in wanted]
    return judge.compared([mine for mine in members if len(mine) > 1])


def group_examples(truth: np.ndarray, blocks: list[Block], model: xgboost.Booster | None) -> Examples:
    """Pairs of groups and whether they are mostly one person's, in the states that merging goes through.

    A name's pairs together weigh the square root of their number, so that neither the many small names nor
    the few with a hundred people dominate.
    """
    rows, labels, weights = [], [], []

    def collect(block: Block) -> tuple[np.ndarray, np.ndarray]:
        pairs, features = block.merge_features()
        # How far two groups are one person: each person's shares in both, multiplied.
        _, person = np.unique(truth[block.authorships], return_inverse=True)
        shares = np.stack(
            [np.bincount(person[group], minlength=person.max() + 1) / len(group) for group in block.groups]
        )
        same = (shares @ shares.T)[pairs[:, 0], pairs[:, 1]] if len(pairs) else np.zeros(0)
        rows.append(features)
        labels.append(same > 0.5)
        weights.append(np.full(len(pairs), 1 / np.sqrt(max(len(pairs), 1))))
        return pairs, features

    for block in blocks:
        for firm in START_CUTS:
            block.start(firm=firm)
            collect(block)
        if model is not None:
            block.start()
            while len(block.groups) > 1:
                pairs, features = collect(block)
                if not block.merge(pairs, margins(model, features), CUTS["group_cut"]):
                    break
    return np.concatenate(rows), np.concatenate(labels), np.concatenate(weights)


def variant_examples(pseudo: PseudoPeople, judge: Judge) -> Examples:
    """Pairs of groups under two names and whether they are one person, if known."""
    ids, names = pseudo.authorships.name_ids
    near = {(names[i].family, names[i].initial) for i in np.unique(ids[pseudo.truth >= 0])}
    wanted = np.array([place for place, name in enumerate(names) if (name.family, name.initial) in near])
    groups = [
        block.authorships[sorted(group)]
        for blocks in judge.blocks(wanted).values()
        for block in blocks
        for group in block.groups
    ]
    candidates = judge.variants(groups)
    owner = np.array([_owner(pseudo.truth[group]) for group in groups])
    spelled = np.array([names[ids[group[0]]].spelled for group in groups])
    one, other = owner[candidates.pairs[:, 0]], owner[candidates.pairs[:, 1]]
    same = (one == other) & (one >= 0)
    # A known person and an unknown one under another spelled-out name are not the same, since names are rare.
    unknown_spelled = ((one < 0) & spelled[candidates.pairs[:, 0]]) | (
        (other < 0) & spelled[candidates.pairs[:, 1]]
    )
    apart = (one != other) & ((one >= 0) | (other >= 0)) & (((one >= 0) & (other >= 0)) | unknown_spelled)
    # With one more middle name it is probably the same person, but that is unknown, so it is left out.
    natural = (candidates.features[:, -4] <= 3) & ((one < 0) | (other < 0))
    usable = (same | apart) & ~natural
    return candidates.features[usable], same[usable], np.ones(int(usable.sum()))


def _owner(truth: np.ndarray) -> int:
    values, counts = np.unique(truth, return_counts=True)
    return int(values[counts.argmax()])


def train(corpora: Sequence[Authorships], folder: Path, report: Report, seed: int = 0) -> dict[str, Any]:
    """Train all three models on several collections into ``folder``, with a recipe of their checksums."""
    total = sum(len(_sizes(corpus)) for corpus in corpora) * 3
    done = iter(range(1, total + 1))

    def judges(role: str, seed: int, models: Models | None) -> Iterator[tuple[PseudoPeople, Judge]]:
        for corpus in corpora:
            for pseudo in contexts(corpus, role, seed):
                judge = Judge(pseudo.authorships, models)  # type: ignore[arg-type]
                judge.name_odds = drawn_odds(pseudo, seed)
                yield pseudo, judge

    parts = []
    for pseudo, judge in judges("pairs", seed, None):
        parts.append(pair_examples(pseudo, judge, seed))
        report("comparing pairs", next(done), total)
    pairs = _fit(parts, rounds=300, depth=5, least=30, monotone=list(MONOTONE))

    ready = list(judges("groups", seed + 100, Models(pairs, pairs, pairs, **_UNTRAINED)))
    parts = []
    compared = []
    for pseudo, judge in ready:
        compared.append((pseudo.truth, homonym_blocks(pseudo, judge)))
        parts.append(group_examples(*compared[-1], None))
        report("comparing groups", next(done), total)
    first = _fit(parts, rounds=200, depth=4, least=10)
    parts = [group_examples(truth, blocks, first) for truth, blocks in compared]
    groups = _fit(parts, rounds=250, depth=4, least=10)

    parts = []
    for pseudo, judge in ready:
        judge.models = Models(pairs, groups, groups, **_UNTRAINED)
        parts.append(variant_examples(pseudo, judge))
        report("comparing names", next(done), total)
    variants = _fit(parts, rounds=150, depth=4, least=10)
    return _save(folder, {"pairs": pairs, "groups": groups, "variants": variants}, corpora, seed)


def _fit(
    parts: list[Examples], *, rounds: int, depth: int, least: int, monotone: list[int] | None = None
) -> xgboost.Booster:
    """Boosted trees over the examples of all corpora, each corpus weighing the same."""
    rows = np.concatenate([features for features, _, _ in parts])
    labels = np.concatenate([label for _, label, _ in parts]).astype(np.float32)
    weight = np.concatenate([weights / weights.sum() for _, _, weights in parts])
    data = xgboost.DMatrix(rows, labels, weight=weight * (len(rows) / weight.sum()))
    options = {**_TREES, "objective": "binary:logistic", "max_depth": depth, "min_child_weight": least}
    if monotone:
        options["monotone_constraints"] = "(" + ",".join(map(str, monotone)) + ")"
    return xgboost.train({**options, "base_score": 0.5}, data, rounds)


def _save(
    folder: Path, models: dict[str, xgboost.Booster], corpora: Sequence[Authorships], seed: int
) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train identity --data FILE --data FILE",
        "papers": [corpus.papers for corpus in corpora],
        "authorships": [len(corpus.names) for corpus in corpora],
        "seed": seed,
        "pair_features": list(FEATURES),
        "group_features": list(MERGE_FEATURES),
        "cuts": CUTS,
        "sha256": {},
    }
    for name, model in models.items():
        data = bytes(model.save_raw("ubj"))
        (folder / f"identity-{name}.ubj").write_bytes(data)
        recipe["sha256"][name] = hashlib.sha256(data).hexdigest()
    distinct = {name.key: name for corpus in corpora for name in corpus.name_ids[1]}
    counts = Commonness.of(list(distinct.values()), LEAST_COUNTED)
    listed = {"total": counts.total, "family": counts.family, "given": counts.given}
    (folder / "names.json").write_text(json.dumps(listed, separators=(",", ":")) + "\n")
    (folder / "identity.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe
