"""Training :class:`index.answers.roles.Roles` on abstracts with printed section headings."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from index.answers.roles import ROLES, Roles, cues, role_of_heading
from index.answers.sentences import Sentence, split
from index.evaluate.fields import items
from index.models.arrays import lines

Labelled = list[tuple[Sentence, str]]
"""An abstract's sentences, without headings, each with its role."""
CUES = 2_500
"""How many cues are kept: those of most abstracts."""
SPREAD = 0.002
"""A cue is kept if at least this share of each collection's abstracts has it, so that it carries over."""
_STRENGTH = 0.5
_HEADING = re.compile(r"(?:(?<=\s)|^)([A-Z][A-Za-z]+(?: (?:and|of|[A-Z]?[a-z]+)){0,3}):\s")


def labelled_questions(path: Path) -> list[Labelled]:
    """The abstracts of a file of questions, by the sections that the journal printed."""
    found = []
    for item in items(path):
        parts = [(section["label"], section["text"]) for section in item["sections"]]
        found.append(_labelled([*parts, ("CONCLUSIONS", item.get("conclusion") or "")]))
    return [abstract for abstract in found if abstract]


def labelled_papers(path: Path) -> list[Labelled]:
    """The abstracts of a file of papers that print headings of at least three roles themselves."""
    found = (_labelled(labelled_paper(item.get("abstract") or "")) for item in items(path))
    return [abstract for abstract in found if abstract]


def labelled_paper(abstract: str) -> list[tuple[str, str]]:
    """(heading, text) of each section of an abstract that prints headings of three roles; else nothing."""
    headings = [match for match in _HEADING.finditer(abstract) if role_of_heading(match[1])]
    if len({role_of_heading(match[1]) for match in headings}) < 3 or headings[0].start() > 0:
        return []
    ends = [*(match.start() for match in headings[1:]), len(abstract)]
    return [(m[1], abstract[m.end() : end]) for m, end in zip(headings, ends, strict=True)]


def _labelled(parts: Sequence[tuple[str, str]]) -> Labelled:
    out: Labelled = []
    for heading, text in parts:
        role = role_of_heading(heading)
        if role is None:
            return []
        for s in split(text):
            out.append((Sentence(len(out), len(out) + 1, s.text), role))
    return out if len(out) >= 4 else []


def fit(collections: Sequence[Sequence[Labelled]]) -> Roles:
    """The model of some collections; each weighs the same."""
    vocabulary = {cue: row for row, cue in enumerate(_vocabulary(collections))}
    rows: list[int] = []
    places: list[int] = []
    values: list[float] = []
    roles: list[int] = []
    weights: list[float] = []
    first, last = np.ones(len(ROLES)), np.ones(len(ROLES))
    following = np.ones((len(ROLES), len(ROLES)))
    for collection in collections:
        share = 1.0 / sum(len(abstract) for abstract in collection)
        each = 1_000.0 / len(collection)
        for abstract in collection:
            numbers = [ROLES.index(role) for _, role in abstract]
            first[numbers[0]] += each
            last[numbers[-1]] += each
            np.add.at(following, (numbers[:-1], numbers[1:]), each)
            for (sentence, _), role in zip(abstract, numbers, strict=True):
                known = [vocabulary[cue] for cue in set(cues(sentence.text)) if cue in vocabulary]
                rows += [len(roles)] * len(known)
                places += known
                values += [1 / max(1, len(known)) ** 0.5] * len(known)
                roles.append(role)
                weights.append(share)
    features = sparse.csr_matrix((values, (rows, places)), shape=(len(roles), len(vocabulary)))
    weight = np.array(weights) * len(roles) / sum(weights)
    shares = np.bincount(roles, weight, len(ROLES))
    weight *= (weight.sum() / len(ROLES) / shares)[roles]  # the sequence says how common each role is
    model = LogisticRegression(C=_STRENGTH, max_iter=300).fit(features, roles, sample_weight=weight)
    ends = last / np.maximum(following.sum(axis=1) + last, 1)
    return Roles(
        vocabulary,
        model.coef_.T.astype(np.float32),
        model.intercept_.astype(np.float32),
        np.log(first / first.sum()).astype(np.float32),
        np.log(following / following.sum(axis=1, keepdims=True)).astype(np.float32),
        np.log(ends).astype(np.float32),
    )


def _vocabulary(collections: Sequence[Sequence[Labelled]]) -> list[str]:
    shares = []
    for collection in collections:
        counts = Counter(
            cue for abstract in collection for cue in {c for s, _ in abstract for c in cues(s.text)}
        )
        shares.append({cue: count / len(collection) for cue, count in counts.items()})
    common = {cue: min(share.get(cue, 0.0) for share in shares) for cue in shares[0]}
    kept = [cue for cue, share in common.items() if share >= SPREAD and (len(shares) > 1 or share > 0.006)]
    return sorted(kept, key=lambda cue: (-common[cue], cue))[:CUES]


def accuracy(model: Roles, collection: Sequence[Labelled]) -> dict[str, np.ndarray]:
    """Per sentence, whether the role is right, and whether a finding was told from the rest."""
    right, finding = [], []
    for abstract in collection:
        odds = model.probabilities([sentence for sentence, _ in abstract])
        truth = np.array([ROLES.index(role) for _, role in abstract])
        right += list(odds.argmax(axis=1) == truth)
        finding += list((odds[:, 3:].sum(axis=1) > 0.5) == (truth >= 3))
    return {"role": np.array(right, float), "finding": np.array(finding, float)}


def train(
    questions: Path, papers: Path, folder: Path, report: Callable[[str, int, int], None] | None = None
) -> dict[str, Any]:
    """Train into ``folder`` on both files; returns the recipe, with the accuracy on each held-out file."""
    collections = {questions.name: labelled_questions(questions), papers.name: labelled_papers(papers)}
    held_out: dict[str, dict[str, float]] = {}
    for name, collection in collections.items():
        if report:
            report("training", len(held_out), len(collections) + 1)
        other = fit([abstracts for known, abstracts in collections.items() if known != name])
        held_out[name] = {key: round(float(v.mean()), 3) for key, v in accuracy(other, collection).items()}
    model = fit(list(collections.values()))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "roles.npz"
    np.savez_compressed(
        path,
        words=lines(list(model.vocabulary)),
        weights=model.weights.astype(np.float16),
        **{name: getattr(model, name) for name in ("bias", "first", "following", "last")},
    )
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train roles --questions FILE --papers FILE",
        "abstracts": {name: len(abstracts) for name, abstracts in collections.items()},
        "accuracy_when_held_out": held_out,
        "sha256": {"roles": hashlib.sha256(path.read_bytes()).hexdigest()},
    }
    (folder / "roles.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe
