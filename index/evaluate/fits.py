"""Does Labmate know when nothing fits? Real questions left unanswered, and others answered wrongly.

Answerable: the questions of :mod:`index.evaluate.search`, phrases that several abstracts share, sentences,
and titles and abstracts of papers that are themselves left out, so that only others on their topic can
answer. Unanswerable: keyboard noise, stop words, made-up names, everyday topics, and another field's
questions, titles and abstracts.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from index.evaluate.metrics import summary
from index.evaluate.search_kinds import make_questions
from index.search.corpus import Corpus
from index.search.fits import LEAST, Fits, log_odds
from index.search.passages import sentences
from index.search.search import JUDGED, Search

METHODS = ("labmate", "words alone", "meaning alone")
ASKED = ("title", "name", "question")
"""The kinds of known items that have to be answered."""
WORDS_LEAST, LIFT_LEAST = 0.6, 0.3
"""The thresholds of the simple methods: the share of words, and how much closer than chance."""
EVERYDAY = resources.files("index.evaluate").joinpath("everyday_topics.txt").read_text().splitlines()
_STOP = resources.files("index").joinpath("stop_words.txt").read_text().split()
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_MARKS = "!?.,;:-_()*#@$%&/"
_SYLLABLES = "zor vex quan drel mip lun tarv osk brin qel fyx nolm drav ixu pler gont wim".split()
_ENDINGS = ("", "Net", "LLM", "-2", "GPT", "Bench", "Former")
_SEVERAL = 4
_TRIES = 8


@dataclass(frozen=True, slots=True)
class Probe:
    """A query, whether a paper answers it, and the paper that is left out of the results."""

    kind: str
    text: str
    answerable: bool
    without: int | None = None


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts of one field: questions (or the titles of its papers), and abstracts."""

    questions: Sequence[str]
    abstracts: Sequence[str]


async def make_probes(
    corpus: Corpus, per_kind: int, seed: int, own: Sequence[str], others: Collection | None
) -> list[Probe]:
    """Queries of each kind from the corpus's papers, their questions, and another field."""
    chance = random.Random(seed)
    asked = [Probe(q.kind, q.text, True) for q in await make_questions(corpus, per_kind, seed, ASKED)]
    asked += await _of_papers(corpus, per_kind, chance)
    asked += [Probe("own question", text, True) for text in _some(own, per_kind, chance)]
    made: dict[str, Callable[[], str]] = {
        "noise": lambda: _noise(chance),
        "stop words": lambda: " ".join(chance.choices(_STOP, k=chance.randint(1, 5))),
        "made-up name": lambda: made_up(chance),
    }
    asked += [Probe(kind, make(), False) for kind, make in made.items() for _ in range(per_kind)]
    asked += [Probe("everyday topic", text, False) for text in EVERYDAY]
    if others:
        asked += [Probe("other field", text, False) for text in _some(others.questions, per_kind, chance)]
        asked += [Probe("other abstract", text, False) for text in _some(others.abstracts, per_kind, chance)]
    return asked


async def _of_papers(corpus: Corpus, per_kind: int, chance: random.Random) -> list[Probe]:
    ids = [int(paper) for paper in np.flatnonzero(corpus.facets.codes >= 0)]
    papers = await corpus.store.papers(chance.sample(ids, min(len(ids), 8 * per_kind)))
    papers = [paper for paper in papers if len(sentences(paper.abstract)) > 3]
    first, second, third = papers[:per_kind], papers[per_kind : 2 * per_kind], papers[2 * per_kind :]
    asked = [Probe("topic, by title", paper.title, True, paper.id) for paper in first]
    asked += [Probe("topic, by abstract", paper.abstract, True, paper.id) for paper in second]
    asked += [Probe("sentence", chance.choice(sentences(paper.abstract)[1:-1]), True) for paper in first]
    phrases = (_phrase(corpus, paper.abstract, chance) for paper in third)
    found = [phrase for phrase in phrases if phrase]
    return asked + [Probe("phrase", phrase, True) for phrase in found[:per_kind]]


def _phrase(corpus: Corpus, abstract: str, chance: random.Random) -> str | None:
    """Two adjacent content words that several papers share."""
    words = re.findall(r"[a-z][a-z-]+", abstract.lower())
    pairs = [f"{a} {b}" for a, b in pairwise(words)]
    pairs = [pair for pair in pairs if len(corpus.words.terms(pair)) == 2]
    for pair in chance.sample(pairs, min(_TRIES, len(pairs))):
        if len(corpus.words.search(pair, _SEVERAL, phrases=[pair])) == _SEVERAL:
            return pair
    return None


def _some(texts: Sequence[str], count: int, chance: random.Random) -> list[str]:
    return chance.sample(list(texts), min(count, len(texts)))


def _noise(chance: random.Random) -> str:
    """Keyboard noise: a piece of a keyboard's row, random letters, or punctuation."""
    kind = chance.random()
    if kind < 0.4:
        row = chance.choice(_ROWS)
        start = chance.randrange(len(row) - 4)
        return row[start : start + chance.randint(4, 9)]
    if kind < 0.8:
        letters = "bcdfghjklmnpqrstvwxzaeiou"
        words = (
            "".join(chance.choices(letters, k=chance.randint(5, 10))) for _ in range(chance.randint(1, 3))
        )
        return " ".join(words)
    return "".join(chance.choices(_MARKS, k=chance.randint(1, 8)))


def made_up(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 3))).capitalize() + chance.choice(_ENDINGS)


async def evaluate(
    corpus: Corpus,
    *,
    own: Sequence[str] = (),
    others: Collection | None = None,
    per_kind: int = 100,
    seed: int = 0,
    fit: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Rows with the share answered wrongly by kind, and with lost and false answers by method.

    All kinds count the same. With ``fit`` the result holds ``fitted``, the weights that these questions would
    give to :mod:`index.search.fits`.
    """
    corpus.embedder.load()
    probes = await make_probes(corpus, per_kind, seed, own, others)
    search, fits = Search(corpus), Fits(corpus)
    answered: dict[str, list[bool]] = {method: [] for method in METHODS}
    features: list[np.ndarray] = []
    for done, question in enumerate(probes, 1):
        results = await search.search(question.text, JUDGED + 1, as_text=True, judged=JUDGED + 1)
        near = {h.paper_id: h.closeness for h in results.hits if h.paper_id != question.without}
        values = await fits.features(question.text, dict(list(near.items())[:JUDGED]))
        values = values if len(values) else np.zeros((1, 4))
        features.append(values)
        answered["labmate"].append(any(paper in near for paper in results.fitting))
        answered["words alone"].append(bool((values[:, 0] >= WORDS_LEAST).any()))
        answered["meaning alone"].append(bool((values[:, 2] >= LIFT_LEAST).any()))
        if progress:
            progress(done, len(probes))
    rows = [_row(method, probes, answers, seed) for method, answers in answered.items()]
    rows += _by_kind(probes, answered["labmate"], seed)
    result = {"task": "fits", "seed": seed, "questions": len(probes), "rows": rows}
    return result | ({"fitted": fitted(probes, features)} if fit else {})


def _row(method: str, probes: Sequence[Probe], answers: Sequence[bool], seed: int) -> dict[str, Any]:
    """Lost and false answers over all kinds, each kind counting the same."""
    out: dict[str, Any] = {"method": method, "kind": "all"}
    for name, answerable in (("lost", True), ("false", False)):
        wrong: dict[str, list[float]] = {}
        for question, answer in zip(probes, answers, strict=True):
            if question.answerable is answerable:
                wrong.setdefault(question.kind, []).append(float(answer is not answerable))
        most = max(map(len, wrong.values()), default=0)
        evened = [np.resize(np.array(values), most) for values in wrong.values()]
        out |= summary(name, np.mean(evened, axis=0) if evened else [], seed)
    return out


def _by_kind(probes: Sequence[Probe], answers: Sequence[bool], seed: int) -> list[dict[str, Any]]:
    rows = []
    for kind in dict.fromkeys(question.kind for question in probes):
        pairs = [(q, a) for q, a in zip(probes, answers, strict=True) if q.kind == kind]
        wrong = [float(answer is not question.answerable) for question, answer in pairs]
        nothing = {"lost": 0.0, "lost_low": 0.0, "lost_high": 0.0}
        nothing |= {"false": 0.0, "false_low": 0.0, "false_high": 0.0}
        of = summary("lost" if pairs[0][0].answerable else "false", wrong, seed)
        rows.append({"method": "labmate", "kind": kind, **nothing, **of})
    return rows


def fitted(probes: Sequence[Probe], features: Sequence[np.ndarray]) -> dict[str, Any]:
    """Logistic regression on the best-fitting paper of each question, kinds counting the same."""
    kinds = [question.kind for question in probes]
    truth = np.array([question.answerable for question in probes])
    count = {
        True: len({q.kind for q in probes if q.answerable}),
        False: len({q.kind for q in probes if not q.answerable}),
    }
    weight = np.array([1 / kinds.count(q.kind) / count[q.answerable] for q in probes]) * len(probes) / 2
    chosen = [int(np.argmax(log_odds(rows))) for rows in features]
    model = LogisticRegression(C=10, max_iter=5_000)
    for _ in range(4):
        model.fit(np.array([rows[at] for rows, at in zip(features, chosen, strict=True)]), truth, weight)
        chosen = [int(np.argmax(model.decision_function(rows))) for rows in features]
    weights = [round(float(value), 1) for value in model.coef_[0]]
    return {"weights": weights, "neither": round(float(model.intercept_[0]), 1), "least": LEAST}
