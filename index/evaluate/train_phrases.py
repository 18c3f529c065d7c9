"""Training what finds phrases: counts of many papers, and the two models that rank a paper's phrases."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xgboost
from sklearn.linear_model import LogisticRegression

from data.records import PaperRecord
from index.evaluate.author_keywords import keyword_keys, split_keywords
from index.evaluate.train_phrase_counts import PhraseCounts, marked
from index.evaluate.train_phrase_words import WordCounts, batches
from index.models.shipped import margins
from index.search.phrase_background import PhraseBackground
from index.search.phrase_table import FEATURES, tabulate
from index.search.phrase_text import read
from index.search.phrases import UNSEEN, author_features

Pair = tuple[str, str]
Report = Callable[[str, int, int], None]
LEAST_ABSTRACT = 100
"""Characters; papers with less are not looked at."""
SHIPPED_LEAST = 8
"""Abstracts that have a phrase of the shipped background."""
HALF_LEAST = 4
"""The same for the half of the papers that the ranker is trained with."""
LEARNED_FROM = 6_000
"""Papers of each half that the ranker learns from."""
TREES = {
    "n_estimators": 150,
    "max_depth": 5,
    "learning_rate": 0.1,
    "subsample": 0.7,
    "colsample_bytree": 0.7,
    "min_child_weight": 10,
    "n_jobs": 2,
}
_SEEN = [place for place, name in enumerate(FEATURES) if name not in UNSEEN]


def train(
    records: Sequence[PaperRecord],
    before: Sequence[str],
    out: Path,
    *,
    seed: int = 0,
    report: Report | None = None,
) -> dict[str, Any]:
    """Count, train, and write the models with their recipe; returns the recipe.

    Parameters
    ----------
    before
        The first day of each file that was left out, for the recipe.
    """
    tell = report or (lambda step, done, whole: None)
    listed = [split_keywords(record.abstract) for record in records]
    papers = [
        (record.title, keywords[0] if keywords else record.abstract)
        for record, keywords in zip(records, listed, strict=True)
        if len(record.abstract) >= LEAST_ABSTRACT
    ]
    random.Random(seed).shuffle(papers)
    words = WordCounts()
    for begun, texts in batches(papers):
        words.add(texts)
        tell("counting words", begun, len(papers))
    counts = PhraseCounts(words.background())
    for begun, texts in batches(papers):
        counts.add(begun, texts)
        tell("counting phrases", begun, len(papers))
    counts.gather()
    ranker = _ranker(papers, counts, seed, tell)
    background = counts.background_of((0, 1), SHIPPED_LEAST)
    named = [
        ((record.title, keywords[0]), keyword_keys(keywords[1]))
        for record, keywords in zip(records, listed, strict=True)
        if keywords
    ]
    authors = author_weights(named, background, ranker)
    files = {"background.npz": background.packed(), "names.ubj": bytes(ranker.save_raw("ubj"))}
    recipe = {
        "made_by": "python -m bot train phrases --data FILE --before DAY ...",
        "papers_before": list(before),
        "seed": seed,
        "papers": len(papers),
        "with_keywords": len(named),
        "authors": authors,
        "features": list(FEATURES),
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    out.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (out / f"phrases-{name}").write_bytes(data)
    (out / "phrases.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe


def _ranker(papers: list[Pair], counts: PhraseCounts, seed: int, tell: Report) -> xgboost.Booster:
    """Learns which phrases of an abstract its title has; each half by the counts of the other."""
    features, truth = [], []
    for half in (0, 1):
        background = counts.background_of((1 - half,), HALF_LEAST)
        mine = papers[half::2][:LEARNED_FROM]
        for begun, texts in batches(mine):
            found = marked(texts, background)
            titled = set(zip(found.text[found.named].tolist(), found.key[found.named].tolist(), strict=True))
            table = tabulate(
                read([("", abstract) for _, abstract in mine[begun : begun + len(texts.cleaned)]]), background
            )
            features.append(table.features[:, _SEEN])
            rows = zip(table.text.tolist(), table.key.tolist(), strict=True)
            truth.append(np.array([row in titled for row in rows], bool))
            tell("looking at titles", half * len(mine) + begun, 2 * len(mine))
    model = xgboost.XGBClassifier(random_state=seed, **TREES)
    model.fit(np.concatenate(features), np.concatenate(truth))
    return model.get_booster()


def author_weights(
    papers: Sequence[tuple[Pair, set[int]]], background: PhraseBackground, ranker: xgboost.Booster
) -> dict[str, float]:
    """Weights of the second model, from papers with their authors' keywords."""
    table = tabulate(read([pair for pair, _ in papers]), background)
    columns = author_features(table, margins(ranker, table.features[:, _SEEN]))
    rows = zip(table.text.tolist(), table.key.tolist(), strict=True)
    truth = np.array([key in papers[text][1] for text, key in rows], bool)
    model = LogisticRegression(C=1.0, max_iter=5_000)
    model.fit(np.stack(list(columns.values()), axis=1), truth)
    weights = dict(zip(columns, model.coef_[0].tolist(), strict=True))
    return {
        name: round(value, 4) for name, value in [*weights.items(), ("neither", float(model.intercept_[0]))]
    }
