"""Does the check of reworded sentences keep what a quote supports, and drop what it doesn't?

Beside it: the cosine of sentence and quote alone, and the share of shared words alone, each with the
threshold that keeps as many true sentences as the check does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from index.answers.answer import Encode
from index.answers.statement import stated
from index.answers.support import COVERED, NEAR, Support, coverage, support
from index.evaluate.metrics import summary
from index.evaluate.rewordings import Pair, by_hand, made


def evaluate(
    abstracts: Sequence[str], vectors: Encode, *, per_kind: int = 300, seed: int = 0
) -> dict[str, Any]:
    """The share of sentences kept, by kind: 1 is right for true kinds, 0 for false ones.

    Parameters
    ----------
    abstracts
        Texts of one field.
    vectors
        Embeds texts; unit rows.
    """
    pairs = [*by_hand(), *made(abstracts, per_kind, seed)]
    unit = vectors([text for pair in pairs for text in (pair.quote, pair.sentence)])
    near = np.einsum("ij,ij->i", unit[::2], unit[1::2])
    judged = [
        support(stated(pair.sentence), stated(pair.quote), float(cosine))
        for pair, cosine in zip(pairs, near, strict=True)
    ]
    words = np.array([coverage(stated(pair.sentence), stated(pair.quote)) for pair in pairs])
    kept = np.array([found.holds for found in judged])
    true = np.array([pair.supported for pair in pairs])
    methods = {
        "labmate": kept,
        "meaning alone": _as_many(near, true, kept),
        "words alone": _as_many(words, true, kept),
    }
    rows = _rows(pairs, true, methods, seed)
    return {
        "task": "rephrasing",
        "seed": seed,
        "questions": len(pairs),
        "rows": rows,
        "why": {
            "reasons": _reasons(pairs, judged),
            "thresholds": _thresholds(judged, true),
        },
    }


def _thresholds(judged: Sequence[Support], true: np.ndarray) -> list[dict[str, Any]]:
    """What other thresholds would keep of the sentences that nothing else speaks against."""
    agree = np.array([found.against in ("", "meaning", "words") for found in judged])
    near = np.array([found.near for found in judged])
    covered = np.array([found.covered for found in judged])
    return [
        {
            "meaning": least,
            "words": share,
            "shipped": "yes" if (least, share) == (NEAR, COVERED) else "",
            "true kept": f"{kept[true].mean():.3f}",
            "false kept": f"{kept[~true].mean():.3f}",
        }
        for least in (0.0, 0.5, 0.6, 0.7, 0.8)
        for share in (0.0, 0.6, 0.75, 0.9)
        for kept in [agree & (near >= least) & (covered >= share)]
    ]


def _as_many(values: np.ndarray, true: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Those above the threshold that keeps as many of the true ones."""
    share = kept[true].mean() if true.any() else 0.0
    found: np.ndarray = values >= np.quantile(values[true], 1.0 - share)
    return found


def _rows(
    pairs: Sequence[Pair], true: np.ndarray, methods: dict[str, np.ndarray], seed: int
) -> list[dict[str, Any]]:
    kinds = np.array([pair.kind for pair in pairs])
    parts = {"all that is true": true, "all that is false": ~true}
    parts |= {kind: kinds == kind for kind in dict.fromkeys(pair.kind for pair in pairs)}
    return [
        {
            "kind": kind,
            "method": method,
            "right": "kept" if true[part].all() else "dropped",
            "pairs": int(part.sum()),
            **summary("kept", kept[part].astype(float), seed),
        }
        for kind, part in parts.items()
        for method, kept in methods.items()
        if part.any()
    ]


def _reasons(pairs: Sequence[Pair], judged: Sequence[Support]) -> list[dict[str, Any]]:
    """For each kind, why its sentences were dropped, the commonest reasons first."""
    found: dict[str, Counter[str]] = {}
    for pair, support_ in zip(pairs, judged, strict=True):
        if support_.against:
            found.setdefault(pair.kind, Counter())[support_.against] += 1
    return [
        {"kind": kind, "dropped for": ", ".join(f"{why} {count}" for why, count in counts.most_common())}
        for kind, counts in found.items()
    ]
