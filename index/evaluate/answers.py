"""Do the quoted sentences answer, and does the confidence know when nothing does?

Each question is asked twice: with the paper that answers it, and with that paper left out, so that only its
neighbours in the field are found. Others have no answer at all: made-up systems and everyday topics. Labmate
stands beside BM25 alone, vectors alone and their sum; each adds a paper's score and its sentence's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from index.answers.answer import Answerer, worded
from index.answers.evidence import FEATURES, Reading
from index.answers.passage import Passage
from index.evaluate.answer_library import Asking, library_of
from index.evaluate.answer_questions import Asked, Place, answers, drawn, nowhere_answered, read_made
from index.evaluate.corpus import Report
from index.evaluate.metrics import RESAMPLES, summary
from index.search import fusion
from index.search.embedding import Embedder, Worded
from index.search.lexical import TITLE_WEIGHT, rarest

METHODS = ("words", "vectors", "sum", "labmate")
SENTENCES = 3
_REMEMBERED = 8_000
_TOGETHER = 20
"""Questions whose sentences are embedded together; large calls are fastest."""
_EACH = 3
"""Papers that words and vectors each give the simple methods."""
_BINS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


@dataclass(frozen=True)
class Given:
    """A method's sentences, best first, and its confidence."""

    places: list[Place]
    confidence: float

    def right(self, asked: Asked, paper: int, first: int) -> bool:
        """Whether one of the first sentences answers."""
        return any(answers(asked, paper, place) for place in self.places[:first])


Twice = tuple[Asked, dict[str, Given], dict[str, Given]]
"""A question, what each method gives for it, and what without the paper that answers."""


@dataclass(frozen=True)
class _Readings:
    """A question beside the papers that Labmate finds, and beside those of the simple methods."""

    asked: Asked
    passages: list[Passage]
    ours: Reading
    plain: Reading
    of_paper: dict[int, float]


class AnswerMethods:
    """The methods to compare, over one library."""

    def __init__(self, asking: Asking, answerer: Answerer) -> None:
        self._asking = asking
        self._answerer = answerer
        self._known: dict[str, Worded] = {}

    async def all(self, asked: Sequence[Asked]) -> list[dict[str, Given]]:
        """What each method gives for each question; their sentences are embedded together."""
        await asyncio.to_thread(self._embedded, [question.text for question in asked])
        readings = [await self._read(question) for question in asked]
        texts = [text for read in readings for text in (*read.ours.texts, *read.plain.texts)]
        await asyncio.to_thread(self._embedded, texts)
        return [await asyncio.to_thread(self._given, read) for read in readings]

    async def _read(self, asked: Asked) -> _Readings:
        passages = await self._asking.passages(asked)
        plain = await self._plain_passages(asked)
        rarity = self._asking.rarity
        words = self._asking.corpus.words
        ideal = fusion.ideal_score(rarest(words.terms(asked.text)), max(1, len(words)), TITLE_WEIGHT) or 1.0
        papers = [passage.paper for passage in plain]
        scores = words.scores(asked.text, words.words_of(papers)) / ideal
        return _Readings(
            asked,
            passages,
            Reading(asked.text, passages, rarity),
            Reading(asked.text, plain, rarity, embedded=10_000),
            dict(zip(papers, scores.tolist(), strict=True)),
        )

    def _given(self, read: _Readings) -> dict[str, Given]:
        places = self._asking.corpus.embedder.pieces(read.ours.texts[0])
        evidence = worded(read.ours, self._embedded(read.ours.texts), places)
        answer = self._answerer.conclude(evidence, SENTENCES, least=0)
        quotes = [(read.passages[q.passage].paper, q.start, q.end) for q in answer.best_first()]
        return {**self._plain(read), "labmate": Given(quotes, answer.confidence)}

    def _embedded(self, texts: Sequence[str]) -> list[Worded]:
        """The texts' embeddings; those of the questions before are remembered."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new and len(self._known) > _REMEMBERED:
            self._known.clear()
            new = list(dict.fromkeys(texts))
        if new:
            found = self._asking.corpus.embedder.encode_words(new)
            self._known |= dict(zip(new, found, strict=True))
        return [self._known[text] for text in texts]

    async def _plain_passages(self, asked: Asked) -> list[Passage]:
        corpus, hidden = self._asking.corpus, self._asking.ids.get(asked.without, -1)
        assert corpus.vectors is not None
        row = self._embedded([asked.text])[0].row
        near = [int(paper) for paper in corpus.vectors.search(row, _EACH + 1)[0]]
        worded = [paper for paper, _ in corpus.words.search(asked.text, _EACH + 1)]
        papers = [
            paper
            for ranking in (near, worded)
            for paper in [paper for paper in ranking if paper != hidden][:_EACH]
        ]
        papers = list(dict.fromkeys(papers))
        texts = await corpus.store.texts(papers)
        closeness = corpus.vectors.closeness(row, papers)
        return [
            Passage(paper, texts[paper][1], texts[paper][0], closeness=float(near))
            for paper, near in zip(papers, closeness, strict=True)
            if paper in texts
        ]

    def _plain(self, read: _Readings) -> dict[str, Given]:
        """BM25 alone, vectors alone and their sum: the paper's score plus the sentence's."""
        evidence = read.plain.evidence(np.stack([one.row for one in self._embedded(read.plain.texts)]))
        if not len(evidence.features):
            return {name: Given([], 0.0) for name in METHODS[:3]}
        named = dict(zip(FEATURES, evidence.features.T, strict=True))
        by_words = named["bm25"] + np.array([read.of_paper.get(int(p), 0.0) for p in evidence.papers])
        by_meaning = named["closeness"] + named["closeness of the paper"]
        given = {}
        for name, scores in (("words", by_words), ("vectors", by_meaning), ("sum", by_words + by_meaning)):
            best = np.argsort(-scores, kind="stable")[:SENTENCES]
            places = [
                (int(evidence.papers[i]), evidence.sentences[i].start, evidence.sentences[i].end)
                for i in best
            ]
            given[name] = Given(places, float(scores[best[0]]))
        return given


async def evaluate(
    data: Path,
    others: Path | None,
    vectors: Path | None,
    embedder: Embedder,
    *,
    per_kind: int = 200,
    papers: int | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> dict[str, Any]:
    """Rows for each kind and method, and how often a confidence proves right.

    ``paper``: the first sentence's paper is the right one; ``first``, ``three``: the first sentence, or one
    of three, answers; ``auroc``: the confidence tells a question from itself with the paper left out.
    """
    made, background = await asyncio.to_thread(read_made, data, others, per_kind, papers, seed)
    asked = drawn(made.asked, per_kind, seed)
    strange = nowhere_answered(per_kind, seed)
    async with library_of(made, background, vectors, embedder, report) as asking:
        methods = AnswerMethods(asking, Answerer.shipped())
        given: list[Twice] = []
        nothing: list[dict[str, Given]] = []
        total = len(asked) + len(strange)
        for start in range(0, len(asked), _TOGETHER):
            group = asked[start : start + _TOGETHER]
            both = await methods.all([*group, *(question.left_out() for question in group)])
            given += zip(group, both[: len(group)], both[len(group) :], strict=True)
            if report:
                report("asking", len(given), total)
        for start in range(0, len(strange), _TOGETHER):
            nothing += await methods.all(strange[start : start + _TOGETHER])
            if report:
                report("asking", len(given) + len(nothing), total)
        ids = asking.ids
    rows = []
    for kind in dict.fromkeys(question.kind for question in asked):
        part = [entry for entry in given if entry[0].kind == kind]
        rows += [_row(method, kind, part, nothing, ids, seed) for method in METHODS]
    return {
        "task": "answers",
        "seed": seed,
        "questions": len(asked),
        "rows": rows,
        "calibration": {"how often a confidence proves right": _calibration(given, ids)},
    }


def _row(
    method: str,
    kind: str,
    part: Sequence[Twice],
    nothing: Sequence[dict[str, Given]],
    ids: dict[str, int],
    seed: int,
) -> dict[str, Any]:
    paper, first, three = [], [], []
    for question, with_paper, _ in part:
        own, given = ids[question.paper], with_paper[method]
        paper.append(float(bool(given.places) and given.places[0][0] == own))
        first.append(float(given.right(question, own, 1)))
        three.append(float(given.right(question, own, SENTENCES)))
    sure = np.array([entry[1][method].confidence for entry in part])
    left_out = np.array([entry[2][method].confidence for entry in part])
    strange = np.array([entry[method].confidence for entry in nothing])
    return {
        "method": method,
        "kind": kind,
        "questions": len(part),
        **summary("paper", paper, seed),
        **summary("first", first, seed),
        **summary("three", three, seed),
        **_auroc("auroc", sure, left_out, seed),
        **_auroc("auroc, no such thing", sure, strange, seed),
    }


def _auroc(name: str, answered: np.ndarray, unanswered: np.ndarray, seed: int) -> dict[str, float]:
    """The chance that a question with an answer gets more confidence than one without, and its interval."""
    rng = np.random.default_rng(seed)
    draws = [
        (rng.choice(answered, len(answered)), rng.choice(unanswered, len(unanswered)))
        for _ in range(RESAMPLES // 5)
    ]
    found, *areas = _areas([(answered, unanswered), *draws])
    low, high = np.percentile(areas, [2.5, 97.5])
    return {
        name: round(found, 4),
        f"{name}_low": round(float(low), 4),
        f"{name}_high": round(float(high), 4),
    }


def _areas(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> list[float]:
    """The area under each pair's ROC curve: Mann and Whitney's U, by how many pairs of scores there are."""
    answered, unanswered = (np.stack(side) for side in zip(*pairs, strict=True))
    statistic = mannwhitneyu(answered, unanswered, axis=1, method="asymptotic").statistic
    areas: list[float] = (statistic / (answered.shape[1] * unanswered.shape[1])).tolist()
    return areas


def _calibration(given: Sequence[Twice], ids: dict[str, int]) -> list[dict[str, Any]]:
    """By confidence: questions, with and without their paper, and how often the first sentence answers."""
    pairs = []
    for question, with_paper, without in given:
        own = with_paper["labmate"]
        pairs.append((own.confidence, own.right(question, ids[question.paper], 1)))
        pairs.append((without["labmate"].confidence, False))
    rows = []
    for low, high in pairwise(_BINS):
        inside = [pair for pair in pairs if low <= pair[0] < high or (high == 1.0 and pair[0] == 1.0)]
        if inside:
            rows.append(
                {
                    "confidence": f"{low:.2f} to {high:.2f}",
                    "questions": len(inside),
                    "mean confidence": round(float(np.mean([c for c, _ in inside])), 3),
                    "right": round(float(np.mean([r for _, r in inside])), 3),
                }
            )
    return rows
