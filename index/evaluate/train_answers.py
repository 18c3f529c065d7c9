"""Training :class:`index.answers.scorer.Scorer` on questions and claims made from papers' own parts.

What is learned is how to tell the right paper from its neighbours, and how sure to be of it: each question
is asked with and without the paper that answers. The weights stay near a plain sum unless the data speaks
against it. Inside a paper the plain sum stays: the journals' headings put every answer among the findings,
which people do less strictly, so how much a finding counts was chosen on claims marked by hand.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from index.answers.answer import compared
from index.answers.evidence import Reading
from index.answers.scorer import INSIDE, PAPER, filled, guesses_from, of_papers
from index.evaluate.answer_library import Asking, library_of
from index.evaluate.answer_questions import Asked, drawn, read_made
from index.evaluate.corpus import Report, vectors_beside
from index.search.embedding import Embedder

PLAIN = 5.0
"""The weight of each of a paper's features before anything is learned."""
INSIDE_WEIGHTS = {
    "closeness": 10.0,
    "bm25": 10.0,
    "words": 5.0,
    "pairs": 0.0,
    "numbers": 0.5,
    "finding": 4.0,
    "empty": -4.0,
}
_PULL = 0.02
"""How strongly the weights are drawn to the plain sum, for each question."""


@dataclass(frozen=True)
class Example:
    """A question's papers.

    Attributes
    ----------
    features
        float64, shape (sentences, len(FEATURES)).
    papers
        int64: the paper of each sentence.
    right
        The store id of the paper that answers; -1 if it was left out.
    """

    kind: str
    features: np.ndarray
    papers: np.ndarray
    right: int


async def collection(
    data: Path,
    vectors: Path | None,
    embedder: Embedder,
    *,
    each: int,
    papers: int,
    seed: int,
    report: Report | None = None,
) -> list[Example]:
    """The examples of one file, with up to ``each`` questions of a kind among up to ``papers`` papers."""
    made, background = await asyncio.to_thread(read_made, data, None, each, papers, seed)
    async with library_of(made, background, vectors or vectors_beside(data), embedder, report) as asking:
        return await examples(asking, drawn(made.asked, each, seed), report)


async def examples(asking: Asking, asked: Sequence[Asked], report: Report | None = None) -> list[Example]:
    """Each question with its paper and without it."""
    found = []
    embedder = asking.corpus.embedder
    for done, question in enumerate(asked, 1):
        for version in (question, question.left_out()):
            passages = await asking.passages(version)
            reading = Reading(version.text, passages, asking.rarity)
            evidence = await asyncio.to_thread(compared, reading, embedder)
            right = asking.ids[question.paper] if version is question else -1
            if len(evidence.sentences):
                found.append(Example(question.kind, evidence.features, evidence.papers, right))
        if report:
            report("asking", done, len(asked))
    return found


def _papers(example: Example) -> tuple[np.ndarray, np.ndarray]:
    """(:data:`PAPER` of each paper, which one is right)."""
    papers, numbers = np.unique(example.papers, return_inverse=True)
    return of_papers(example.features, numbers, len(papers)), papers == example.right


def fit_papers(found: Sequence[Example]) -> np.ndarray:
    """Weights that make the right paper likely among those found (a conditional logit)."""
    sets = [pair for pair in map(_papers, found) if pair[1].any()]
    kept = np.full(len(PAPER), PLAIN)

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        pull = _PULL * len(sets)
        total, slope = pull * float(((weights - kept) ** 2).sum()), 2 * pull * (weights - kept)
        for features, right in sets:
            odds = features @ weights
            chance = np.exp(odds - np.logaddexp.reduce(odds))
            total -= float(np.log(chance[right].sum() + 1e-12))
            slope += features.T @ chance - features[right].mean(axis=0)
        return total, slope

    return np.asarray(minimize(loss, kept, jac=True, method="L-BFGS-B").x)


def fit_confidence(found: Sequence[Example], weights: np.ndarray) -> np.ndarray:
    """Weights, and a constant, that tell whether the best paper is the right one."""
    features, right = _best(found, weights)
    model = LogisticRegression(C=1.0, max_iter=1_000).fit(features, right)
    return np.array([*model.coef_[0], model.intercept_[0]])


def _best(found: Sequence[Example], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, right = [], []
    for example in found:
        features, truth = _papers(example)
        best = int(np.argmax(features @ weights))
        rows.append(features[best])
        right.append(bool(truth[best]))
    return np.array(rows), np.array(right)


def checked(found: Sequence[Example], weights: np.ndarray, sure: np.ndarray) -> dict[str, float]:
    """On questions not learned from: how often the first paper is right, and the confidence's AUROC."""
    features, right = _best(found, weights)
    answerable = np.array([example.right >= 0 for example in found])
    plain, plain_right = _best(found, np.full(len(PAPER), PLAIN))
    return {
        "paper": round(float(right[answerable].mean()), 3),
        "paper, plain sum": round(float(plain_right[answerable].mean()), 3),
        "auroc": round(float(roc_auc_score(answerable, features @ sure[:-1])), 3),
        "auroc, plain sum": round(float(roc_auc_score(answerable, plain.sum(axis=1))), 3),
    }


def train(collections: dict[str, list[Example]], folder: Path) -> dict[str, Any]:
    """Train into ``folder``, each collection weighing the same; returns the recipe.

    The recipe holds what a model of the other collections reaches on each.
    """
    held_out = {}
    for name, own in collections.items():
        rest = [example for other, part in collections.items() if other != name for example in part]
        if rest:
            weights = fit_papers(rest)
            held_out[name] = checked(own, weights, fit_confidence(rest, weights))
    most = max(len(part) for part in collections.values())
    every = [example for part in collections.values() for example in (part * (most // len(part) + 1))[:most]]
    weights = fit_papers(every)
    sure = fit_confidence(every, weights)
    guesses = guesses_from(np.concatenate([example.features for example in every]))
    assert not any(np.isnan(filled(example.features, guesses)).any() for example in every)
    shown = {
        "paper": dict(zip(PAPER, np.round(weights, 4).tolist(), strict=True)),
        "inside": INSIDE_WEIGHTS,
        "confidence": dict(zip((*PAPER, "constant"), np.round(sure, 4).tolist(), strict=True)),
        "guesses": {name: np.round(value, 4).tolist() for name, value in guesses.items()},
    }
    raw = (json.dumps(shown, indent=1) + "\n").encode()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answers-weights.json").write_bytes(raw)
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train answers --questions FILE --papers FILE",
        "features": [*PAPER, *INSIDE],
        "examples": {name: len(part) for name, part in collections.items()},
        "when_held_out": held_out,
        "sha256": {"weights": hashlib.sha256(raw).hexdigest()},
    }
    (folder / "answers.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe
