"""How to compare a person's papers with a submission: find their held-out paper among other people's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from index.evaluate.corpus import FileCorpus
from index.evaluate.metrics import summary
from index.evaluate.pseudo_people import rare_people
from index.evaluate.reviewer_sentences import PaperSentences
from index.people.reviewers import TOP, WORDS, centre, centre_words, top
from index.search.embedding import Embedder

LEAST, ASKED, OTHERS, NEAR, WRONG = 6, 600, 6_000, 1_000, 30
"""Papers per person, people asked, people who give wrong answers, nearest to draw from, answers drawn."""
BACKGROUND, CROWD = 5_000, 50
"""Papers of all kinds; the mean closeness to the nearest of them measures how ordinary a submission is."""
Report = Callable[[str, int, int], None]


def evaluate(
    corpus: FileCorpus,
    seed: int = 0,
    report: Report | None = None,
    *,
    sentences: int = 0,
    embedder: Embedder | None = None,
) -> dict[str, Any]:
    """Rows with the share of wrong answers ranked below the right one, and the reciprocal rank.

    The wrong answers are held-out papers of people whose earlier work lies nearest by meaning or by words, so
    that neither is favoured. All names are rare, so each stands for one person.

    Parameters
    ----------
    sentences
        Where above 0, only so many people are asked, and papers are compared by their sentences, too, which
        takes an embedding of each (``embedder``).
    """
    asked = sentences or ASKED
    rng = np.random.default_rng(seed)
    authorships, vectors, days = corpus.authorships, corpus.authorships.vectors, corpus.days()
    if report:
        report("comparing", 0, asked)
    words = TfidfVectorizer(
        sublinear_tf=True,
        min_df=2,
        max_df=0.1,
        max_features=200_000,
        dtype=np.float32,
        token_pattern=r"(?u)\b[^\W\d_][\w-]+\b",
    )
    terms = words.fit_transform(authorships.texts)
    people = [
        authorships.paper[mine] for mine in rare_people(authorships, ("kept", "pairs", "groups"), least=LEAST)
    ]
    people = [papers[np.argsort(days[papers], kind="stable")] for papers in people if len(papers) <= 60]
    people = [people[place] for place in rng.permutation(len(people))[:OTHERS]]
    held = np.array([papers[-1] for papers in people])
    sums = sparse.csr_matrix(
        (
            np.ones(sum(len(p) - 1 for p in people), np.float32),
            (
                np.repeat(np.arange(len(people)), [len(p) - 1 for p in people]),
                np.concatenate([p[:-1] for p in people]),
            ),
        ),
        (len(people), len(days)),
    )
    meaning_of = normalize(np.stack([np.asarray(vectors[p[:-1]], np.float32).mean(axis=0) for p in people]))
    words_of = normalize(sums @ terms)
    crowd = np.asarray(
        vectors[np.sort(rng.choice(len(days), min(BACKGROUND, len(days)), replace=False))], np.float32
    )
    questions = []
    for place, papers in enumerate(people[:asked]):
        most = min(NEAR, len(people) - 1)
        by_meaning = np.argpartition(-(meaning_of @ meaning_of[place]), most)[:most]
        by_words = np.argpartition(-np.asarray((words_of @ words_of[place].T).todense()).ravel(), most)[:most]
        wrong = np.setdiff1d(held[np.concatenate([by_meaning, by_words])], papers)
        drawn = rng.choice(wrong, min(WRONG, len(wrong)), replace=False)
        questions.append((papers[:-1], np.concatenate([papers[-1:], drawn])))
    parts: PaperSentences | None = None
    if sentences and embedder:
        needed = np.unique(np.concatenate([np.concatenate(question) for question in questions])).tolist()
        texts = [(corpus.records[paper].title, corpus.records[paper].abstract) for paper in needed]
        parts = PaperSentences(needed, texts, embedder)
    values_of: dict[str, list[tuple[float, float]]] = {}
    for place, (own, compared) in enumerate(questions):
        mine, rows = np.asarray(vectors[own], np.float32), np.asarray(vectors[compared], np.float32)
        near, alike = rows @ mine.T, (terms[compared] @ terms[own].T).toarray()
        recent = near * 0.5 ** ((days[own].max() - days[own]) / 365.0)
        scores = summaries(near, alike, recent, mine, terms[own], top(rows @ crowd.T, CROWD))
        if parts:
            for name, values in parts.late(compared.tolist(), own.tolist()).items():
                scores[f"sentences: {name}"] = values
                scores[f"labmate + sentences: {name}"] = scores["labmate"] + values
        for name, score in scores.items():
            beaten = (score[0] > score[1:]).mean() + 0.5 * (score[0] == score[1:]).mean()
            values_of.setdefault(name, []).append(
                (float(beaten), 1.0 / (1 + int((score[1:] >= score[0]).sum())))
            )
        if report and place % 50 == 0:
            report("comparing", place, asked)
    rows_out = [
        {
            "method": name,
            **summary("won", [v[0] for v in values], seed),
            **summary("mrr", [v[1] for v in values], seed),
        }
        for name, values in values_of.items()
    ]
    return {"task": "reviewers", "seed": seed, "questions": len(questions), "rows": rows_out}


def summaries(
    near: np.ndarray,
    alike: np.ndarray,
    recent: np.ndarray,
    vectors: np.ndarray,
    terms: Any,
    crowd: np.ndarray,
) -> dict[str, np.ndarray]:
    """Every method that was tried; ``labmate`` is the one in use (:func:`index.people.reviewers.match`)."""
    best, middle = near.max(axis=1), centre(near, vectors)
    lexical = top(alike, TOP) + centre_words(alike, terms)
    return {
        "labmate": best + middle + WORDS * lexical,
        "max": best,
        "top 3": top(near, 3),
        "mean": near.mean(axis=1),
        "centroid": middle,
        "max + centroid": best + middle,
        "recent top 3": top(recent, 3),
        "soft maximum": np.log(np.exp(20 * near).mean(axis=1)),
        "words: max": alike.max(axis=1),
        "words: top 3 + centroid": lexical,
        "max + centroid + words": best + middle + lexical,
        "max + centroid - crowd": best + middle - crowd,
        "max + centroid + words - crowd": best + middle + lexical - crowd,
        "max + centroid + 2 words - 2 crowd": best + middle + 2 * lexical - 2 * crowd,
    }
