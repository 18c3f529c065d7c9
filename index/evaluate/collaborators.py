"""Do people later write with the collaborators we suggest? Ours beside graph scores and closeness."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from scipy import sparse

from data.sources.http import SourceError
from index.evaluate.corpus import FileCorpus
from index.evaluate.metrics import summary
from index.identity.identity import Judge
from index.identity.models import Models
from index.people.insight import Insight
from index.people.network import Network, of_rows
from index.people.pair_features import LEAST_PAPERS, Partners
from index.people.suggest import CollaboratorRanker
from index.search.corpus import Corpus

DEPTH = 50
AT_ONCE = 100
Report = Callable[[str, int, int], None]
METHODS = (
    "labmate",
    "chance-alone",
    "adamic-adar",
    "common-neighbours",
    "preferential-attachment",
    "embedding",
)
"""``chance-alone`` is Labmate without regard to whether work fits."""


@dataclass(frozen=True)
class Written:
    """Authorships with people and days: one entry for each authorship whose paper has a day.

    Attributes
    ----------
    person, paper, day
        int64, shape (authorships,): the paper is a row of ``vectors``, the day an ordinal.
    vectors
        float16, shape (papers, dimension).
    """

    person: np.ndarray
    paper: np.ndarray
    day: np.ndarray
    vectors: np.ndarray

    @classmethod
    def of(cls, corpus: FileCorpus, report: Report | None = None) -> Written:
        """Read from a file; Labmate identifies the people whom its ``author_ids`` do not name."""
        person = corpus.people.copy()
        if (person < 0).any():
            tell = (lambda done, total: report("telling people apart", done, total)) if report else None
            judged = Judge(corpus.authorships, Models.shipped(), progress=tell).judge().person
            unnamed = person < 0
            # If the file names some of a judged person's authorships, that person is the one it names most.
            named = _mostly(judged[~unnamed], person[~unnamed])
            fresh = int(person.max(initial=-1)) + 1 + judged[unnamed]
            person[unnamed] = [named.get(int(j), int(f)) for j, f in zip(judged[unnamed], fresh, strict=True)]
        day = corpus.days()[corpus.authorships.paper]
        known = day > 0
        return cls(person[known], corpus.authorships.paper[known], day[known], corpus.authorships.vectors)

    @classmethod
    async def of_library(cls, corpus: Corpus) -> Written:
        """Read from the store, with people as the last pass identified them.

        Raises
        ------
        SourceError
            If no pass was made, or no paper is embedded.
        """
        insight = Insight(corpus)
        await insight.refresh()
        if insight.people is None or corpus.vectors is None:
            raise SourceError("Authors have not been matched to people yet. Run: python -m bot identify")
        person, paper, day = insight.people.written()
        papers, rows = np.unique(paper, return_inverse=True)
        return cls(person, rows, day, corpus.vectors.rows(papers))

    def network(self, today: int) -> Network:
        """The part that was known before a day."""
        return Network(self.person, self.paper, self.day, today)

    def partners(self, network: Network, *, wider: float = 1.0) -> Partners:
        """The candidates of a network of this corpus, ``wider`` times as many as are ranked by default."""
        return Partners(network, lambda papers: self.vectors[network.papers[papers]], wider=wider)

    def new_partners(self, network: Network, until: int, least: int = LEAST_PAPERS) -> sparse.csr_matrix:
        """People x people: 1 for a first paper together between ``network.today`` and ``until``.

        Both had at least ``least`` papers before.
        """
        later = (self.day >= network.today) & (self.day <= until)
        who = network.numbers(self.person[later])
        known = who >= 0
        who, paper = who[known], self.paper[later][known]
        able = network.count[who] >= least
        _, column = np.unique(paper[able], return_inverse=True)
        wrote = sparse.csr_matrix(
            (np.ones(int(able.sum()), np.float32), (who[able], column)),
            (len(network), int(column.max(initial=-1)) + 1),
        )
        joint = (wrote @ wrote.T).tocsr()
        joint.setdiag(0)
        joint.data[:] = np.minimum(joint.data, 1.0)
        before = network.ever.copy()
        before.data[:] = 1.0
        new = (joint - joint.multiply(before)).tocsr()
        new.eliminate_zeros()
        return new


def _mostly(judged: np.ndarray, named: np.ndarray) -> dict[int, int]:
    pairs, counts = np.unique(np.stack([judged, named]), axis=1, return_counts=True)
    most_often: dict[int, tuple[int, int]] = {}
    for (group, person), count in zip(pairs.T.tolist(), counts.tolist(), strict=True):
        most_often[group] = max(most_often.get(group, (0, 0)), (count, person))
    return {group: person for group, (_, person) in most_often.items()}


def evaluate(
    written: Written,
    *,
    cut: date,
    until: date | None = None,
    least: int = LEAST_PAPERS,
    people: int = 3_000,
    seed: int = 0,
    wider: float = 1.0,
    ranker: CollaboratorRanker | None = None,
    report: Report | None = None,
) -> dict[str, Any]:
    """Rank everybody else for people with ``least`` papers before ``cut``, and compare with later papers.

    Among candidates ``wider`` times as many as Labmate ranks.
    """
    network = written.network(cut.toordinal())
    last = until.toordinal() if until else int(written.day.max(initial=0))
    truth = written.new_partners(network, last, least)
    asked = np.flatnonzero(np.diff(truth.indptr))
    rng = np.random.default_rng(seed)
    asked = np.sort(rng.permutation(asked)[:people])
    partners = written.partners(network, wider=wider)
    ranker = ranker or CollaboratorRanker.shipped()
    rankings: dict[str, list[np.ndarray]] = {method: [] for method in METHODS}
    reachable, sizes = [], []
    for start in range(0, len(asked), AT_ONCE):
        part = asked[start : start + AT_ONCE]
        pool = partners.pool(part)
        features = partners.compare(pool)
        ends = np.cumsum([len(c) for c in pool.candidates])[:-1]
        scores = {"labmate": ranker.scores(features), "chance-alone": ranker.chances(features)}
        for method, score in scores.items():
            rankings[method] += [
                candidates[np.argsort(-own, kind="stable")[:DEPTH]]
                for candidates, own in zip(pool.candidates, np.split(score, ends), strict=True)
            ]
        for person, candidates in zip(part.tolist(), pool.candidates, strict=True):
            sizes.append(len(candidates))
            right = truth.indices[truth.indptr[person] : truth.indptr[person + 1]]
            reachable.append(float(np.isin(right, candidates).mean()))
        for method, rows in _baselines(partners, part):
            rankings[method] += [
                _top(row, network, person, partners.eligible)
                for row, person in zip(rows, part.tolist(), strict=True)
            ]
        if report:
            report("asking", min(start + AT_ONCE, len(asked)), len(asked))
    rows_out = []
    for method in METHODS:
        measured = _measures(rankings[method], truth, asked)
        rows_out.append(
            {"method": method}
            | {k: v for name, values in measured.items() for k, v in summary(name, values, seed).items()}
        )
    return {
        "task": "collaborators",
        "cut": cut.isoformat(),
        "until": date.fromordinal(last).isoformat() if last else None,
        "seed": seed,
        "questions": len(asked),
        "people": int(partners.eligible.sum()),
        "candidates": round(float(np.mean(sizes))) if sizes else 0,
        "in_pool": round(float(np.mean(reachable)), 4) if reachable else 0.0,
        "rows": rows_out,
    }


def _baselines(partners: Partners, asked: np.ndarray) -> Iterable[tuple[str, Iterable[np.ndarray]]]:
    network = partners.network
    everybody = [np.arange(len(network))]
    common = (network.met[asked] @ network.met).tocsr()
    yield "common-neighbours", (of_rows(common[row], everybody) for row in range(len(asked)))
    rare = (network.met[asked] @ partners.by_degree @ network.met).tocsr()
    yield "adamic-adar", (of_rows(rare[row], everybody) for row in range(len(asked)))
    yield "preferential-attachment", (network.degree.astype(np.float32) for _ in asked)
    yield "embedding", partners.closeness(asked)


def _top(row: np.ndarray, network: Network, person: int, eligible: np.ndarray) -> np.ndarray:
    """The best eligible people who score above zero and were never coauthors."""
    score = np.where(eligible, row, 0.0)
    ever = network.ever
    score[ever.indices[ever.indptr[person] : ever.indptr[person + 1]]] = 0.0
    score[person] = 0.0
    most = min(DEPTH, len(score) - 1)
    best = np.argpartition(-score, most)[:most]
    best = best[score[best] > 0]
    return np.asarray(best[np.lexsort((best, -score[best]))])


def _measures(
    rankings: list[np.ndarray], truth: sparse.csr_matrix, asked: np.ndarray
) -> dict[str, np.ndarray]:
    """The measures of each question, over its 50 highest scores."""
    gains = 1 / np.log2(np.arange(2, 12))
    out: dict[str, list[float]] = {
        name: [] for name in ("recall@10", "recall@50", "mrr", "ndcg@10", "hit@10")
    }
    for ranked, person in zip(rankings, asked.tolist(), strict=True):
        right = truth.indices[truth.indptr[person] : truth.indptr[person + 1]]
        hits = np.isin(ranked, right)
        first = np.flatnonzero(hits)
        out["recall@10"].append(hits[:10].sum() / len(right))
        out["recall@50"].append(hits.sum() / len(right))
        out["mrr"].append(1 / (first[0] + 1) if len(first) else 0.0)
        out["ndcg@10"].append(float((hits[:10] * gains[: len(hits[:10])]).sum() / gains[: len(right)].sum()))
        out["hit@10"].append(float(hits[:10].any()))
    return {name: np.asarray(values) for name, values in out.items()}
