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
from sklearn.metrics import roc_auc_score

from index.answers.answer import Answer, Answerer, worded
from index.answers.evidence import FEATURES, Reading
from index.answers.passage import Passage
from index.evaluate.answer_library import Asking, library_of
from index.evaluate.answer_questions import Asked, drawn, nowhere_answered, read_made
from index.evaluate.corpus import Report
from index.evaluate.metrics import RESAMPLES, summary
from index.search import fusion
from index.search.embedding import Embedder, Worded
from index.search.lexical import TITLE_WEIGHT, rarest

METHODS = ("words", "vectors", "sum", "labmate")
SENTENCES = 3
_REMEMBERED = 8_000
_EACH = 5
"""Papers that words and vectors each give the simple methods."""
_BINS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)

Place = tuple[int, int, int]
"""Store id of a paper, and where a sentence begins and ends in its abstract."""


@dataclass(frozen=True)
class Given:
    """A method's sentences, best first, and its confidence."""

    places: list[Place]
    confidence: float

    def right(self, asked: Asked, paper: int, first: int) -> bool:
        """Whether one of the first sentences answers."""
        return any(answers(asked, paper, place) for place in self.places[:first])


def answers(asked: Asked, paper: int, place: Place) -> bool:
    """Whether a sentence is evidence: it stands in the right paper, mostly inside one of its ranges."""
    owner, start, end = place
    if owner != paper:
        return False
    half = (end - start) / 2
    return not asked.evidence or any(min(end, b) - max(start, a) >= half for a, b in asked.evidence)


class AnswerMethods:
    """The methods to compare, over one library."""

    def __init__(self, asking: Asking, answerer: Answerer) -> None:
        self._asking = asking
        self._answerer = answerer
        self._known: dict[str, Worded] = {}

    async def all(self, asked: Asked) -> dict[str, Given]:
        """What each method gives for a question."""
        passages = await self._asking.passages(asked)
        plain = await self._plain_passages(asked)
        given = await asyncio.to_thread(self._plain, asked.text, plain)
        answer = await asyncio.to_thread(self._answer, asked.text, passages)
        quotes = [(passages[q.passage].paper, q.start, q.end) for q in answer.best_first()]
        return {**given, "labmate": Given(quotes, answer.confidence)}

    def _answer(self, text: str, passages: list[Passage]) -> Answer:
        reading = Reading(text, passages, self._asking.rarity)
        places = self._asking.corpus.embedder.pieces(reading.texts[0])
        evidence = worded(reading, self._embedded(reading.texts), places)
        return self._answerer.conclude(evidence, SENTENCES, least=0)

    def _embedded(self, texts: list[str]) -> list[Worded]:
        """The texts' embeddings; those of the questions before are remembered."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if len(self._known) > _REMEMBERED:
            self._known.clear()
            new = list(dict.fromkeys(texts))
        if new:
            found = self._asking.corpus.embedder.encode_words(new)
            self._known |= dict(zip(new, found, strict=True))
        return [self._known[text] for text in texts]

    def _rows(self, texts: list[str]) -> np.ndarray:
        return np.stack([one.row for one in self._embedded(texts)])

    async def _plain_passages(self, asked: Asked) -> list[Passage]:
        corpus, hidden = self._asking.corpus, self._asking.ids.get(asked.without, -1)
        assert corpus.vectors is not None
        row = self._rows([asked.text])[0]
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

    def _plain(self, text: str, passages: list[Passage]) -> dict[str, Given]:
        """BM25 alone, vectors alone and their sum: the paper's score plus the sentence's."""
        reading = Reading(text, passages, self._asking.rarity, embedded=10_000)
        evidence = reading.evidence(self._rows(reading.texts))
        if not len(evidence.features):
            return {name: Given([], 0.0) for name in METHODS[:3]}
        words = self._asking.corpus.words
        ideal = fusion.ideal_score(rarest(words.terms(text)), max(1, len(words)), TITLE_WEIGHT) or 1.0
        papers = [passage.paper for passage in passages]
        of_paper = dict(words.search(text, len(papers), ids=papers))
        named = dict(zip(FEATURES, evidence.features.T, strict=True))
        by_words = named["bm25"] + np.array([of_paper.get(int(p), 0.0) / ideal for p in evidence.papers])
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
        given: list[tuple[Asked, dict[str, Given], dict[str, Given]]] = []
        for done, question in enumerate(asked, 1):
            given.append((question, await methods.all(question), await methods.all(question.left_out())))
            if report:
                report("asking", done, len(asked) + len(strange))
        nothing = []
        for done, question in enumerate(strange, len(asked) + 1):
            nothing.append(await methods.all(question))
            if report:
                report("asking", done, len(asked) + len(strange))
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
    part: Sequence[tuple[Asked, dict[str, Given], dict[str, Given]]],
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

    def of(one: np.ndarray, other: np.ndarray) -> float:
        truth = np.concatenate([np.ones(len(one)), np.zeros(len(other))])
        return float(roc_auc_score(truth, np.concatenate([one, other])))

    draws = [
        of(rng.choice(answered, len(answered)), rng.choice(unanswered, len(unanswered)))
        for _ in range(RESAMPLES // 5)
    ]
    low, high = np.percentile(draws, [2.5, 97.5])
    return {
        name: round(of(answered, unanswered), 4),
        f"{name}_low": round(float(low), 4),
        f"{name}_high": round(float(high), 4),
    }


def _calibration(
    given: Sequence[tuple[Asked, dict[str, Given], dict[str, Given]]], ids: dict[str, int]
) -> list[dict[str, Any]]:
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
