"""Does a paper's score on a day predict later follow-up better than recency and chance?"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from index.evaluate.metrics import RESAMPLES
from index.people.insight import Insight
from index.people.scores import YOUNG, Scores
from index.search.corpus import Corpus

YEAR = 365
TOP = 0.1
_NAME = re.compile(r"^(?=.*[A-Z].*[A-Z]|.*[a-z][A-Z]|.*[A-Z].*\d)[A-Za-z0-9-]{4,24}$")
MOST_NAMED = 300
"""A word in this many papers or more is not one paper's own name."""


async def names_of(corpus: Corpus, papers: list[int]) -> dict[str, int]:
    """Systems' names (``PrismLLM: ...``) that come before the colon in one title only."""
    texts = await corpus.store.texts(papers)
    paper_of: dict[str, int] = {}
    twice: set[str] = set()
    for paper, (title, _, _) in texts.items():
        head = title.partition(":")[0].strip()
        if head != title and _NAME.match(head):
            if head in paper_of:
                twice.add(head)
            paper_of[head] = paper
    return {name: paper for name, paper in paper_of.items() if name not in twice}


async def named_later(corpus: Corpus, names: dict[str, int], later: list[int], size: int) -> np.ndarray:
    """int64 by store id: how many later papers name it in their abstract."""
    holders: dict[str, set[int]] = {}
    for start in range(0, len(later), 5_000):
        for paper, (_, abstract, _) in (await corpus.store.texts(later[start : start + 5_000])).items():
            for word in set(re.findall(r"[A-Za-z0-9-]{4,24}", abstract)):
                if word in names and names[word] != paper:
                    holders.setdefault(word, set()).add(paper)
    counts = np.zeros(size, np.int64)
    for name, papers in holders.items():
        if len(papers) <= MOST_NAMED:
            counts[names[name]] += len(papers)
    return counts


async def evaluate(
    corpus: Corpus,
    insight: Insight,
    *,
    cut: date = date(2025, 12, 31),
    seed: int = 0,
    report: Callable[[str, int, int], None] | None = None,
) -> dict[str, Any]:
    """Rows with Spearman's rho, AUC and recall of the most followed tenth, with 95 % bootstrap intervals.

    Papers of the year up to ``cut``, without its last month, are scored from earlier papers only. A later
    paper follows one if it has it among its five nearest earlier papers, or names it.
    """
    assert insight.novelty is not None
    if report:
        report("scoring", 0, 3)
    until = cut.toordinal()
    scores = Scores.of(corpus.facets, insight.novelty, insight.people, until=until)
    days, size = corpus.facets.days.astype(np.int64), len(corpus.facets.days)
    known = (corpus.facets.codes >= 0) & (days > until - YEAR) & (days <= until - YOUNG)
    values = scores.all_papers()
    chosen = np.flatnonzero(known & ~np.isnan(values))
    if report:
        report("looking for names", 1, 3)
    later = np.flatnonzero((corpus.facets.codes >= 0) & (days > until)).tolist()
    names = await names_of(corpus, np.flatnonzero((corpus.facets.codes >= 0) & (days <= until)).tolist())
    truth = insight.novelty.followers(size, after=until) + await named_later(corpus, names, later, size)
    if report:
        report("comparing", 2, 3)
    methods = {
        "labmate": values[chosen],
        "reach-so-far": scores.followers[chosen].astype(float),
        "novelty": np.nan_to_num(scores.distance[chosen]).astype(float),
        "recency": days[chosen].astype(float),
        "chance": np.random.default_rng(seed).random(len(chosen)),
    }
    rows = [{"method": name, **_measures(value, truth[chosen], seed)} for name, value in methods.items()]
    return {
        "task": "score",
        "cut": cut.isoformat(),
        "later_papers": len(later),
        "seed": seed,
        "questions": len(chosen),
        "rows": rows,
    }


def _measures(score: np.ndarray, truth: np.ndarray, seed: int) -> dict[str, float]:
    if len(score) < 20 or truth.max(initial=0) == 0:
        return {"spearman": 0.0, "auc_top_tenth": 0.5, "recall_top_tenth": 0.0}
    rng = np.random.default_rng(seed)
    jitter = rng.random(len(score)) * 1e-9  # ties are broken at random, not by order
    best = truth >= np.quantile(truth, 1 - TOP)
    picked = np.zeros(len(score), bool)
    picked[np.argsort(-(score + jitter))[: int(TOP * len(score))]] = True
    weight = truth * best
    draws = rng.integers(0, len(score), (min(RESAMPLES, 200), len(score)))
    low, high = np.percentile([stats.spearmanr(score[d], truth[d]).statistic for d in draws], [2.5, 97.5])
    return {
        "spearman": round(float(stats.spearmanr(score, truth).statistic), 4),
        "spearman_low": round(float(low), 4),
        "spearman_high": round(float(high), 4),
        "auc_top_tenth": round(float(roc_auc_score(best, score)), 4),
        "recall_top_tenth": round(float(weight[picked].sum() / max(weight.sum(), 1)), 4),
    }
