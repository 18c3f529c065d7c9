"""Training the chance that the best sentence of the right paper answers.

Each question is put to its own paper alone, so that nothing needs to be searched.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from index.answers.answer import worded
from index.answers.evidence import Reading
from index.answers.matching import rarity_among
from index.answers.passage import Passage
from index.answers.scorer import FIRST, INSIDE, columns, of_first, says
from index.evaluate.answer_questions import Asked, Made, answers, drawn, of_papers, of_questions
from index.evaluate.fields import has_questions, items
from index.evaluate.train_answers import INSIDE_WEIGHTS
from index.evaluate.train_roles import labelled_paper
from index.search.embedding import Embedder

_PULL = 1.0
"""How strongly the weights are drawn to 0."""


@dataclass(frozen=True)
class Firsts:
    """The best sentence of each question's own paper.

    Attributes
    ----------
    features
        float64, shape (questions, len(FIRST)).
    right
        bool, shape (questions,): whether it answers.
    """

    features: np.ndarray
    right: np.ndarray


def asked_of(path: Path, each: int, seed: int) -> tuple[Made, list[Asked]]:
    """Up to ``each`` questions of a kind whose answering sentences are known."""
    if has_questions(path):
        made = of_questions(items(path))
    else:
        headed = [item for item in items(path) if labelled_paper(item.get("abstract") or "")]
        made = of_papers(headed, each, seed)
    return made, drawn([question for question in made.asked if question.evidence], each, seed)


def firsts(made: Made, asked: Sequence[Asked], embedder: Embedder) -> Firsts:
    """Read each question beside its own paper."""
    papers = {paper["id"]: paper for paper in made.papers}
    rarity = rarity_among(paper["abstract"] for paper in made.papers)
    readings = [
        Reading(q.text, [Passage(1, papers[q.paper]["abstract"], papers[q.paper]["title"])], rarity)
        for q in asked
    ]
    texts = list(dict.fromkeys(text for reading in readings for text in reading.texts))
    known = dict(zip(texts, embedder.encode_words(texts), strict=True))
    inside = np.array([INSIDE_WEIGHTS[name] for name in INSIDE])
    rows, right = [], []
    for question, reading in zip(asked, readings, strict=True):
        found = worded(reading, [known[text] for text in reading.texts], embedder.pieces(reading.texts[0]))
        if found.sentences:
            scores = columns(found.features, INSIDE) @ inside
            best = found.sentences[int(np.argmax(scores))]
            rows.append(of_first(found.features, scores))
            right.append(answers(question, 1, (1, best.start, best.end)))
    return Firsts(np.array(rows).reshape(len(rows), len(FIRST)), np.array(right, bool))


def fit(found: Sequence[Firsts]) -> np.ndarray:
    """Weights, and a constant: the most likely ones, drawn a little to 0 (:func:`says`)."""
    features = np.concatenate([one.features for one in found])
    right = np.concatenate([one.right for one in found])

    def loss(weights: np.ndarray) -> float:
        chance = np.clip(says(features, weights), 1e-6, 1 - 1e-6)
        likely = np.where(right, np.log(chance), np.log(1 - chance)).sum()
        return float(_PULL * (weights[:-1] ** 2).sum() - likely)

    return np.asarray(minimize(loss, np.zeros(features.shape[1]), method="L-BFGS-B").x)


def _checked(found: Firsts, weights: np.ndarray) -> dict[str, float]:
    said = says(found.features, weights)
    return {
        "questions": len(found.right),
        "right": round(float(found.right.mean()), 3),
        "said": round(float(said.mean()), 3),
        "brier": round(float(((said - found.right) ** 2).mean()), 3),
        "brier of a constant": round(float(found.right.var()), 3),
    }


def train(found: dict[str, Firsts], folder: Path) -> dict[str, Any]:
    """Train into ``folder``; the recipe says how a model of the other files does on each."""
    held_out = {}
    for name, own in found.items():
        others = [other for known, other in found.items() if known != name]
        if others:
            held_out[name] = _checked(own, fit(others))
    weights = fit(list(found.values()))
    raw = (
        json.dumps(dict(zip((*FIRST[:-1], "constant"), np.round(weights, 4).tolist(), strict=True))) + "\n"
    ).encode()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "first-weights.json").write_bytes(raw)
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train first --data FILE --data FILE",
        "features": list(FIRST),
        "when_held_out": held_out,
        "sha256": {"weights": hashlib.sha256(raw).hexdigest()},
    }
    (folder / "first.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe
