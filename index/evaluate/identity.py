"""How well are people identified? Ours beside plain rules, against pseudo-people or a file's own ids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from index.evaluate.identity_errors import confidence, errors, long_careers, on_cards
from index.evaluate.metrics import RESAMPLES
from index.evaluate.pseudo_people import make_people
from index.identity.authorships import Authorships
from index.identity.identity import Judge
from index.identity.judgement import Judgement
from index.identity.models import Models

HOMONYMS, VARIANTS = 2_000, 1_000
"""Groups of people under one name, and people under two names, of the kept half."""
Clusterer = Callable[[Authorships], np.ndarray]


def exact_name(authorships: Authorships) -> np.ndarray:
    """The rule that each name is one person."""
    return authorships.name_ids[0]


def initial_coauthors(authorships: Authorships) -> np.ndarray:
    """First initial and family name, joined by any shared coauthor (transitively)."""
    ids, names = authorships.name_ids
    short: dict[tuple[str, str], int] = {}
    of_name = np.array([short.setdefault((name.initial, name.family), len(short)) for name in names])
    block = of_name[ids]
    paper = authorships.paper
    # Two authorships of a block are joined if their papers share another author: through the pair (block,
    # coauthor), which each paper of the block points to.
    sizes = np.diff(authorships.offsets)[paper]
    mention = np.repeat(np.arange(len(block)), sizes)
    begins = np.repeat(authorships.offsets[:-1][paper], sizes)
    within = np.arange(len(mention)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    coauthor = block[begins + within]
    other = begins + within != mention
    codes = block[mention[other]].astype(np.int64) * len(short) + coauthor[other]
    _, bridge = np.unique(codes, return_inverse=True)
    count = len(block) + int(bridge.max(initial=-1)) + 1
    edges = sparse.coo_matrix(
        (np.ones(len(bridge), bool), (mention[other], bridge + len(block))), shape=(count, count)
    )
    _, labels = connected_components(edges, directed=False)
    found: np.ndarray = labels[: len(block)].astype(np.int64)
    return found


def labmate(
    authorships: Authorships, truth: np.ndarray, models: Models, also: list[np.ndarray] | None = None
) -> Judgement:
    """Ours; only names that could belong to a known person are judged, and those of ``also``."""
    ids, names = authorships.name_ids
    families = {names[number].family for number in np.unique(ids[truth >= 0])}
    initials = {(names[number].initial, names[number].family) for number in np.unique(ids[truth >= 0])}
    wanted = np.array([n.family in families and (n.initial, n.family) in initials for n in names])
    wanted[[ids[mine[0]] for mine in also or []]] = True
    return Judge(authorships, models).judge(wanted)


def bcubed(clusters: np.ndarray, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Precision and recall of each item (Bagga and Baldwin 1998); both arrays number the groups."""
    _, one = np.unique(clusters, return_inverse=True)
    _, other = np.unique(truth, return_inverse=True)
    width = int(other.max(initial=-1)) + 1
    _, cell, together = np.unique(one * width + other, return_inverse=True, return_counts=True)
    both = together[cell]
    return both / np.bincount(one)[one], both / np.bincount(other)[other]


def pairwise(clusters: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """Precision, recall and F1 over pairs of items in one group."""

    def pairs(*labels: np.ndarray) -> int:
        _, counts = np.unique(np.stack(labels), axis=1, return_counts=True)
        return int((counts * (counts - 1) // 2).sum())

    both, mine, right = pairs(clusters, truth), pairs(clusters), pairs(truth)
    precision = both / mine if mine else 1.0
    recall = both / right if right else 1.0
    return precision, recall, f1(precision, recall)


def f1(precision: float, recall: float) -> float:
    """The harmonic mean."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def measures(clusters: np.ndarray, truth: np.ndarray, names: np.ndarray, seed: int) -> dict[str, float]:
    """All measures over authorships whose person is known, with an interval for B-cubed F1.

    Parameters
    ----------
    names
        Each authorship's name as a number; ``bcubed_f1_shared`` is over names that several people share.
    """
    precision, recall = bcubed(clusters, truth)
    _, name = np.unique(names, return_inverse=True)
    people = np.unique(np.stack([name, truth]), axis=1)[0]
    shared = (np.bincount(people, minlength=int(name.max()) + 1) > 1)[name]
    low, high = _interval(precision, recall, truth, seed)
    pair_precision, pair_recall, pair_f1 = pairwise(clusters, truth)
    out = {
        "bcubed_precision": float(precision.mean()),
        "bcubed_recall": float(recall.mean()),
        "bcubed_f1": f1(float(precision.mean()), float(recall.mean())),
        "bcubed_f1_low": low,
        "bcubed_f1_high": high,
        "pairwise_precision": pair_precision,
        "pairwise_recall": pair_recall,
        "pairwise_f1": pair_f1,
    }
    if shared.any():
        some, other = bcubed(clusters[shared], truth[shared])
        out["bcubed_f1_shared"] = f1(float(some.mean()), float(other.mean()))
    return {name: round(value, 4) for name, value in out.items()}


def _interval(precision: np.ndarray, recall: np.ndarray, truth: np.ndarray, seed: int) -> tuple[float, float]:
    """The 95 % bootstrap interval of B-cubed F1, resampling whole people."""
    _, person = np.unique(truth, return_inverse=True)
    sums = [np.bincount(person, values) for values in (precision, recall, np.ones(len(person)))]
    draws = np.random.default_rng(seed).integers(0, len(sums[0]), (RESAMPLES, len(sums[0])))
    p, r, n = (values[draws].sum(axis=1) for values in sums)
    values = 2 * p * r / ((p + r) * n)
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def evaluate(
    authorships: Authorships,
    truth: np.ndarray | None = None,
    *,
    seed: int = 0,
    peers: dict[str, Callable[[Authorships, np.ndarray], np.ndarray]] | None = None,
    report: Callable[[str, int, int], None] | None = None,
) -> dict[str, Any]:
    """Rows of B-cubed and pairwise measures for each method.

    Parameters
    ----------
    truth
        int64, shape (authorships,): the person, -1 if unknown. Without it, pseudo-people are made from the
        half of all rare names that no model was trained on.
    peers
        Further methods by name; each gets the corpus and the places where the truth is known.
    """
    kind = "author_ids"
    if truth is None:
        kind = "pseudo-people of the kept half"
        pseudo = make_people(
            authorships,
            ("kept",),
            homonyms=HOMONYMS,
            variants=VARIANTS,
            single=VARIANTS,
            common=True,
            seed=seed,
        )
        authorships, truth = pseudo.authorships, pseudo.truth
    known = np.flatnonzero(truth >= 0)
    models = Models.shipped()
    careers = long_careers(authorships)
    judged: list[Judgement] = []

    def ours() -> np.ndarray:
        judged.append(labmate(authorships, truth, models, careers))
        return judged[0].person

    methods: dict[str, Callable[[], np.ndarray]] = {
        "exact-name": lambda: exact_name(authorships),
        "initial-coauthors": lambda: initial_coauthors(authorships),
        "labmate": ours,
        **{
            name: (lambda peer=peer: peer(authorships, truth))  # type: ignore[misc]
            for name, peer in (peers or {}).items()
        },
    }
    names = authorships.name_ids[0][known]
    namesakes = np.array(models.commonness.namesakes(authorships.name_ids[1]))
    rows = []
    for done, (name, method) in enumerate(methods.items()):
        if report:
            report(f"telling people apart: {name}", done, len(methods))
        rows.append({"method": name, **measures(method()[known], truth[known], names, seed)})
    return {
        "task": "identity",
        "truth": kind,
        "seed": seed,
        "questions": len(known),
        "people": len(np.unique(truth[known])),
        "rows": rows,
        "why": {
            "long careers": on_cards(careers, judged[0].person),
            "confidence of cards": confidence(
                truth, judged[0].person, judged[0].confidence, authorships.name_ids[0]
            ),
            "errors": errors(authorships, truth, judged[0].person, namesakes),
        },
    }
