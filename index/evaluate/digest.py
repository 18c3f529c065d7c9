"""Does a reader's own next paper rank high on its day? Ours beside arxiv-sanity-lite and plain closeness."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from index.digest.encoder import WORDS, Items, words_text
from index.digest.local_words import SAMPLE, LocalWords
from index.digest.taste import TasteRanker
from index.evaluate.metrics import summary

LEAST, MOST, BEFORE = 5, 40, 5
"""A reader's papers: at least, at most, and at least before the cut."""
HALVES = ("kept", "tuned", "all")
SANITY_WORDS = 20_000
OTHERS = 3_000
"""For the SVM: a sample of the earlier papers that a reader did not write."""
Report = Callable[[str, int, int], None]


def is_kept(name: str) -> bool:
    """Whether a name belongs to the half that is kept out of training and tuning."""
    return bool(zlib.crc32(name.encode()) % 2)


@dataclass(frozen=True)
class ListingDays:
    """A file's papers in the order of their days.

    Attributes
    ----------
    texts
        Title and abstract of each, as :func:`index.digest.encoder.words_text` has them.
    day
        int64, shape (papers,): ordinals, ascending.
    vectors
        float16, shape (papers, dimension).
    written
        For each name its papers, ascending.
    """

    texts: list[str]
    day: np.ndarray
    vectors: np.ndarray
    written: dict[str, np.ndarray]

    @classmethod
    def of(
        cls,
        pairs: Sequence[tuple[str, str]],
        names: Sequence[str],
        offsets: np.ndarray,
        day: np.ndarray,
        vectors: np.ndarray,
    ) -> ListingDays:
        """Build from titles and abstracts, the names of each paper (at ``offsets``), and days (0: none)."""
        order = np.argsort(day, kind="stable")
        order = order[day[order] > 0]
        written: dict[str, list[int]] = {}
        for place, row in enumerate(order.tolist()):
            for name in dict.fromkeys(names[offsets[row] : offsets[row + 1]]):
                written.setdefault(name, []).append(place)
        texts = [words_text(*pairs[row]) for row in order.tolist()]
        return cls(texts, day[order], vectors[order], {name: np.array(p) for name, p in written.items()})

    def of_day(self, day: int) -> slice:
        """The papers of a day."""
        return slice(*np.searchsorted(self.day, [day, day + 1]).tolist())


@dataclass(frozen=True)
class DigestQuestion:
    """A reader on a day: their earlier papers, and their own papers of that day."""

    day: int
    earlier: np.ndarray
    own: np.ndarray


def questions(
    listings: ListingDays, names: list[str], start: int, end: int | None = None
) -> Iterator[DigestQuestion]:
    """Every day from ``start`` on (before ``end``) on which a reader has a paper of their own."""
    for name in names:
        papers = listings.written[name]
        days = listings.day[papers]
        for day in np.unique(days[(days >= start) & (days < (end or 10**9))]).tolist():
            if (days < day).sum() >= 1:
                yield DigestQuestion(day, papers[days < day], papers[days == day])


def readers(
    listings: ListingDays, cut: int, end: int | None, most: int, seed: int, half: str, before: int = BEFORE
) -> list[str]:
    """Names with few enough papers to be one person, some before the cut and some after; in random order."""
    names = []
    for name, papers in listings.written.items():
        days = listings.day[papers]
        fits = LEAST <= len(papers) <= MOST and (days < cut).sum() >= before
        asked = half == "all" or is_kept(name) == (half == "kept")
        if fits and asked and ((days >= cut) & (days < (end or 10**9))).any():
            names.append(name)
    names.sort()
    return [names[place] for place in np.random.default_rng(seed).permutation(len(names))[:most]]


def measure(scores: np.ndarray, own: np.ndarray) -> tuple[float, float, float]:
    """(reciprocal rank, recall@5, recall@10) of the places ``own``; ties keep the listing's order."""
    ranked = np.argsort(-scores, kind="stable")
    places = np.flatnonzero(np.isin(ranked, own))
    return 1 / (places[0] + 1), float((places < 5).mean()), float((places < 10).mean())


def evaluate(
    listings: ListingDays,
    *,
    cut: date,
    until: date | None = None,
    people: int = 200,
    seed: int = 0,
    seeds: int = 1,
    half: str = "kept",
    ranker: TasteRanker | None = None,
    report: Report | None = None,
) -> dict[str, Any]:
    """Rank each day's listing for its readers, and measure where their own papers come.

    Parameters
    ----------
    seeds
        How many draws of readers, from ``seed`` on. With one, intervals are over its questions; with several,
        rows are means over the draws and intervals are over these.
    """
    ranker = ranker or TasteRanker.shipped()
    start = cut.toordinal()
    end = until.toordinal() + 1 if until else None
    draws = [
        list(questions(listings, readers(listings, start, end, people, draw, half), start, end))
        for draw in range(seed, seed + seeds)
    ]
    if report:
        report("counting words", 0, 1)
    compared = _Compared(listings, start, [question for draw in draws for question in draw], ranker)
    total, done = sum(map(len, draws)), 0
    measured: list[dict[str, np.ndarray]] = []
    for number, asked in enumerate(draws):
        rng = np.random.default_rng(seed + number)
        values: dict[str, list[tuple[float, float, float]]] = {}
        for question in asked:
            today = listings.of_day(question.day)
            for name, scores in compared.scores(question, today, rng).items():
                values.setdefault(name, []).append(measure(scores, question.own - today.start))
            done += 1
            if report:
                report("asking", done, total)
        measured.append({name: np.array(rows) for name, rows in values.items()})
    rows_out = []
    for name in measured[0]:
        row: dict[str, Any] = {"method": name}
        for at, metric in enumerate(("mrr", "recall@5", "recall@10")):
            columns = [draw[name][:, at] for draw in measured if name in draw]
            row |= summary(metric, columns[0] if seeds == 1 else [c.mean() for c in columns], seed)
        rows_out.append(row)
    return {
        "task": "digest",
        "cut": cut.isoformat(),
        "half": half,
        "seed": seed,
        "seeds": seeds,
        "questions": total,
        "readers": people,
        "rows": rows_out,
    }


class _Compared:
    """Scores a day's papers for a reader with every method."""

    def __init__(
        self, listings: ListingDays, start: int, asked: list[DigestQuestion], ranker: TasteRanker
    ) -> None:
        self._listings, self._ranker = listings, ranker
        self._sanity = _sanity_words(listings, start)
        self._cache: dict[tuple[int, bytes], dict[str, np.ndarray]] = {}
        self._needed = np.unique(
            np.concatenate(
                [np.arange(len(listings.day))[listings.of_day(q.day)] for q in asked]
                + [q.earlier for q in asked]
                or [np.zeros(0, np.int64)]
            )
        )
        own_words = ranker.encoder.words([listings.texts[row] for row in self._needed.tolist()])
        self._items = ranker.encoder.items(own_words, listings.vectors[self._needed])
        before = int(np.searchsorted(listings.day, start))
        sample = np.linspace(0, max(before - 1, 0), min(SAMPLE, before)).astype(int).tolist()
        self._local = LocalWords([listings.texts[row] for row in sample], ranker.encoder.vocabulary)
        self._rows = self._local.rows([listings.texts[row] for row in self._needed.tolist()])

    def scores(
        self, question: DigestQuestion, today: slice, rng: np.random.Generator
    ) -> dict[str, np.ndarray]:
        """The scores of each method. A question that several draws share is scored once."""
        key = question.day, question.earlier.tobytes()
        if key not in self._cache:
            rows = np.arange(today.start, today.stop)
            here, past = (np.searchsorted(self._needed, places) for places in (rows, question.earlier))
            age = (question.day - self._listings.day[question.earlier]).astype(float)
            centre = self._sanity[question.earlier].mean(axis=0)
            plain = _plain(self._items[here], self._items[past])
            self._cache[key] = {
                "labmate": self._local.beside(
                    self._ranker.scores(self._items[here], self._items[past], age),
                    plain["embedding-max"],
                    self._rows[here],
                    self._rows[past],
                ),
                "tfidf-svm": _svm(self._sanity, question, rows, today.start, rng),
                "tfidf-centroid": np.asarray(self._sanity[rows] @ centre.T).ravel(),
                **plain,
            }
        return self._cache[key]


def _sanity_words(listings: ListingDays, start: int) -> sparse.csr_matrix:
    """tf-idf rows of all papers, with words and weights learned from those before the cut."""
    counter = TfidfVectorizer(max_features=SANITY_WORDS, min_df=2, max_df=0.1, **WORDS)
    before = int(np.searchsorted(listings.day, start))
    counter.fit(listings.texts[: max(before, 2)])
    return counter.transform(listings.texts).tocsr()


def _svm(
    words: sparse.csr_matrix,
    question: DigestQuestion,
    rows: np.ndarray,
    before: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """arxiv-sanity-lite: a linear SVM of the reader's papers against all others, here a sample of them."""
    others = np.setdiff1d(rng.integers(0, before, OTHERS), question.earlier)
    data = sparse.vstack([words[question.earlier], words[others]])
    wanted = np.concatenate([np.ones(len(question.earlier)), np.zeros(len(others))])
    model = LinearSVC(class_weight="balanced", C=0.1, max_iter=2_000)
    return np.asarray(model.fit(data, wanted).decision_function(words[rows]))


def _plain(candidates: Items, taste: Items) -> dict[str, np.ndarray]:
    near = candidates.meaning @ taste.meaning.T
    return {"embedding-mean": near.mean(axis=1), "embedding-max": near.max(axis=1)}
