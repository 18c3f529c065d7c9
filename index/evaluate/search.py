"""Known-item search: is a paper found by words of its title, by its name, by a question?

Three kinds of queries are made from the data itself: words of a title, a rare name or acronym, and a long
question made from the middle sentences of an abstract without its rarest words. Each is searched among all
papers, and should find the paper it was made from.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.records import Paper
from index.evaluate.metrics import reciprocal_rank, summary
from index.search.corpus import Corpus
from index.search.passages import sentences
from index.search.search import POOL, Search

KINDS = ("title", "name", "question")
METHODS = ("words", "vectors", "rrf", "labmate")
RRF_K = 60
"""Cormack, Clarke and Büttcher, Reciprocal Rank Fusion (SIGIR 2009)."""
_NAME = re.compile(r"^(?=.*[A-Z].*[A-Z]|.*[a-z][A-Z]|.*[A-Z].*\d)[A-Za-z0-9]{4,20}$")
_DROPPED = 0.5
"""The share of a question's words, rarest first, that its writer would not have known."""
_MIDDLE = 3


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query and the paper that it was made from."""

    kind: str
    text: str
    paper_id: int


async def make_questions(corpus: Corpus, per_kind: int, seed: int) -> list[KnownItem]:
    """Queries of each kind, drawn from the corpus's papers."""
    chance = random.Random(seed)
    ids = [int(paper) for paper in np.flatnonzero(corpus.facets.codes >= 0)]
    chance.shuffle(ids)
    makers: dict[str, Callable[[Paper], str | None]] = {
        "title": lambda paper: _title_words(corpus, paper, chance),
        "name": lambda paper: _rare_name(corpus, paper),
        "question": lambda paper: _question(corpus, paper),
    }
    questions: list[KnownItem] = []
    missing = dict.fromkeys(KINDS, per_kind)
    for start in range(0, len(ids), 500):
        for paper in await corpus.store.papers(ids[start : start + 500]):
            # A paper gives one query at most, of the kind with the fewest queries so far.
            for kind in sorted((k for k in KINDS if missing[k]), key=lambda k: -missing[k]):
                text = makers[kind](paper)
                if text:
                    questions.append(KnownItem(kind, text, paper.id))
                    missing[kind] -= 1
                    break
        if not any(missing.values()):
            break
    return questions


def _title_words(corpus: Corpus, paper: Paper, chance: random.Random) -> str | None:
    words = [term.word for term in corpus.words.terms(paper.title)]
    if len(words) < 4:
        return None
    chosen = sorted(chance.sample(range(len(words)), min(len(words) - 1, chance.randint(3, 5))))
    return " ".join(words[place] for place in chosen)


def _rare_name(corpus: Corpus, paper: Paper) -> str | None:
    for word in re.findall(r"[A-Za-z0-9]+", paper.title):
        if _NAME.match(word) and corpus.words.named(word)[0] <= 3:
            return str(word)
    return None


def _question(corpus: Corpus, paper: Paper) -> str | None:
    parts = sentences(paper.abstract)
    if len(parts) < 5:
        return None
    start = (len(parts) - _MIDDLE) // 2
    text = " ".join(parts[start : start + _MIDDLE])
    terms = sorted(corpus.words.terms(text), key=lambda term: term.in_abstracts)
    dropped = {term.word for term in terms[: int(len(terms) * _DROPPED) + 1]}
    kept = [
        word
        for word in re.findall(r"[\w'-]+", text)
        if not dropped & set(re.findall(r"[a-z0-9]+", word.lower()))
    ]
    return " ".join(kept) if len(kept) >= 20 else None


class Methods:
    """The ranking methods to compare."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus
        self._search = Search(corpus)

    async def rank(self, text: str) -> dict[str, list[int]]:
        """Each method's ranking of store ids."""
        corpus = self._library
        assert corpus.vectors is not None
        words = [paper for paper, _ in corpus.words.search(text, POOL)]
        vector = corpus.embedder.encode([text])[0]
        near = [int(paper) for paper in corpus.vectors.search(vector, POOL)[0]]
        results = await self._search.search(text, POOL, as_text=True)
        return {
            "words": words,
            "vectors": near,
            "rrf": reciprocal_rank_fusion([words, near]),
            "labmate": [hit.paper_id for hit in results.hits],
        }


def reciprocal_rank_fusion(rankings: list[list[int]]) -> list[int]:
    """Rankings fused by the sum of 1 / (k + rank)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, paper in enumerate(ranking, 1):
            scores[paper] = scores.get(paper, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=lambda paper: -scores[paper])


async def evaluate(
    corpus: Corpus,
    *,
    per_kind: int = 200,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Rows with MRR and recall@10 for each kind and method, with 95 % bootstrap intervals."""
    corpus.embedder.load()
    questions = await make_questions(corpus, per_kind, seed)
    methods = Methods(corpus)
    ranks: dict[tuple[str, str], list[int | None]] = {(k, m): [] for k in KINDS for m in METHODS}
    for done, question in enumerate(questions, 1):
        for method, ranking in (await methods.rank(question.text)).items():
            rank = ranking.index(question.paper_id) + 1 if question.paper_id in ranking else None
            ranks[question.kind, method].append(rank)
        if progress:
            progress(done, len(questions))
    rows = []
    for (kind, method), places in ranks.items():
        mrr = summary("mrr", [reciprocal_rank(rank) for rank in places], seed)
        recall = summary("recall@10", [float(rank is not None and rank <= 10) for rank in places], seed)
        rows.append({"method": method, "kind": kind, "questions": len(places), **mrr, **recall})
    return {"task": "search", "seed": seed, "questions": len(questions), "rows": rows}
