"""Training :class:`index.answers.emptiness.Emptiness` on sentences that we marked by hand."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from index.answers.emptiness import MEASURES, Emptiness, measures
from index.answers.roles import cues
from index.answers.sentences import split
from index.evaluate.fields import abstract_of, items
from index.models.arrays import lines
from index.search.phrase_background import PhraseBackground
from index.search.phrases import PhraseFinder

LEAST = 3
"""A cue is kept if so many of the marked sentences have it."""
_CUES, _MEASURES = 2.0, 0.3
"""How freely cues and measures are weighed, beside each other."""
_STRENGTH = 1.0


@dataclass(frozen=True)
class MarkedSentences:
    """Sentences, and whether each is empty (float64, shape (texts,))."""

    texts: list[str]
    empty: np.ndarray


def marked(path: Path) -> MarkedSentences:
    """The marked sentences of a file of papers or questions.

    The marks name a paper, the number of a sentence in its abstract, and a checksum of its text; what reads
    differently now is left out.
    """
    marks = json.loads(resources.files("index.evaluate").joinpath("empty_sentences.json").read_text("utf-8"))
    wanted: dict[str, list[tuple[int, int, int]]] = {}
    for paper, place, check, empty in marks:
        wanted.setdefault(paper, []).append((place, check, empty))
    texts, empties = [], []
    for item in items(path):
        own = wanted.get(str(item["id"]), [])
        sentences = split(abstract_of(item)) if own else []
        for place, check, empty in own:
            if place < len(sentences) and checksum(sentences[place].text) == check:
                texts.append(sentences[place].text)
                empties.append(float(empty))
    return MarkedSentences(texts, np.array(empties))


def checksum(text: str) -> int:
    """16 bits that tell whether a sentence is the one that was marked."""
    return zlib.crc32(text.encode()) & 0xFFFF


def fit(parts: Sequence[MarkedSentences], background: PhraseBackground) -> Emptiness:
    """The model of some files' sentences."""
    texts = [text for part in parts for text in part.texts]
    empty = np.concatenate([part.empty for part in parts])
    found = [set(cues(text)) for text in texts]
    counts = Counter(cue for each in found for cue in each)
    places = {cue: place for place, cue in enumerate(sorted(c for c, n in counts.items() if n >= LEAST))}
    rows, columns, values = [], [], []
    for row, each in enumerate(found):
        known = [places[cue] for cue in each if cue in places]
        rows += [row] * len(known)
        columns += known
        values += [_CUES / max(1, len(known)) ** 0.5] * len(known)
    measured = np.array([measures(text, background) for text in texts])
    mean, spread = measured.mean(axis=0), measured.std(axis=0) / _MEASURES
    features = sparse.hstack(
        [
            sparse.csr_matrix((values, (rows, columns)), shape=(len(texts), len(places))),
            sparse.csr_matrix((measured - mean) / spread),
        ]
    ).tocsr()
    model = LogisticRegression(C=_STRENGTH, max_iter=1_000).fit(features, empty)
    weights, own = model.coef_[0][: len(places)] * _CUES, model.coef_[0][len(places) :] / spread
    constant = model.intercept_[0] - float(own @ mean)
    return Emptiness(places, weights.astype(np.float32), np.array([*own, constant], np.float32), background)


def train(
    paths: Sequence[Path], folder: Path, report: Callable[[str, int, int], None] | None = None
) -> dict[str, Any]:
    """Train into ``folder``; the recipe says how a model of the other files tells each file's sentences."""
    background = PhraseFinder.shipped().background
    parts = {path.name: marked(path) for path in paths}
    parts = {name: part for name, part in parts.items() if len(part.texts)}
    held_out = {}
    for done, (name, part) in enumerate(parts.items()):
        if report:
            report("training", done, len(parts) + 1)
        others = [other for known, other in parts.items() if known != name]
        if others:
            guessed = fit(others, background).chances(part.texts)
            held_out[name] = round(float(roc_auc_score(part.empty, guessed)), 3)
    model = fit(list(parts.values()), background)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "emptiness-cues.npz"
    np.savez_compressed(
        path,
        words=lines(list(model.vocabulary)),
        weights=model.weights.astype(np.float16),
        measured=model.measured,
    )
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train emptiness --data FILE --data FILE",
        "features": list(MEASURES),
        "sentences": {name: [len(part.texts), int(part.empty.sum())] for name, part in parts.items()},
        "auroc_when_held_out": held_out,
        "sha256": {"cues": hashlib.sha256(path.read_bytes()).hexdigest()},
    }
    (folder / "emptiness.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe
