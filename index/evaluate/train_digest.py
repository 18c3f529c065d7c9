"""Training the models of :mod:`index.digest.taste`: the spaces of words and meaning, then their ranker."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
import xgboost
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from torch import nn

from index.digest.encoder import WORDS, Encoder, Space
from index.digest.taste import FEATURES, MONTH, SUMMED, TasteRanker
from index.evaluate.digest import DigestQuestion, ListingDays, is_kept, questions, readers

VOCABULARY, DIMENSION, SPACES = 24_000, 128, 2
DIRECTIONS, EVEN = 256, 0.1
"""Directions of the sentence embedding to keep, and a damping that keeps narrow ones from dominating."""
RANKER_DAYS = 90
"""The last days before the end train the ranker, on spaces trained on earlier papers. The shipped spaces are
trained again on everything."""
READERS = 3_500
RIDGE = 1e-3
"""The penalty that keeps the weights of the sum small."""
BATCH, HISTORY = 64, 12
LEARNING_RATE, DROPPED = 2e-3, 0.35
"""The share of words left out of each training text, so that no pair of papers is learned by heart."""
_TREES: dict[str, Any] = {
    "objective": "rank:ndcg",
    "lambdarank_pair_method": "topk",
    "lambdarank_num_pair_per_sample": 30,
    "max_depth": 5,
    "eta": 0.05,
    "subsample": 0.7,
    "colsample_bytree": 0.6,
    "min_child_weight": 1.0,
    "tree_method": "hist",
    "nthread": 2,
    "seed": 0,
}
ROUNDS = 250
Report = Callable[[str, int, int], None]


class JointSpace(nn.Module):  # type: ignore[misc]
    """Words and meaning joined, and the pooling of a taste's papers.

    It learns to tell an author's paper from all other papers of that day.
    """

    def __init__(self, words: int, meaning: int) -> None:
        super().__init__()
        self.by_meaning = nn.Linear(meaning, DIMENSION, bias=False)
        self.by_word = nn.EmbeddingBag(words, DIMENSION, mode="sum", sparse=True)
        nn.init.normal_(self.by_word.weight, std=0.08)
        nn.init.orthogonal_(self.by_meaning.weight)
        self.sharpness = nn.Parameter(torch.tensor(12.0))
        self.recency = nn.Parameter(torch.tensor(0.3))
        self.mean_weight = nn.Parameter(torch.tensor(4.0))

    def papers(
        self, words: sparse.csr_matrix, meaning: np.ndarray, drop: np.random.Generator
    ) -> torch.Tensor:
        """Unit rows of some papers."""
        weights = words.data * (drop.random(words.nnz) > DROPPED) / (1 - DROPPED)
        by_word = self.by_word(
            torch.from_numpy(words.indices.astype(np.int64)),
            torch.from_numpy(words.indptr[:-1].astype(np.int64)),
            per_sample_weights=torch.from_numpy(weights.astype(np.float32)),
        )
        rows = self.by_meaning(torch.from_numpy(meaning.astype(np.float32))) + by_word
        return nn.functional.normalize(rows, dim=1)

    def scores(
        self, day: torch.Tensor, taste: torch.Tensor, months: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """(readers, papers of the day); the same pooling as :meth:`index.digest.encoder.Space.pooled`."""
        near = self.sharpness * torch.einsum("cd,bhd->bch", day, taste) - self.recency * months[:, None, :]
        near = near.masked_fill(~mask[:, None, :], -1e9)
        centre = nn.functional.normalize((taste * mask[:, :, None]).sum(1), dim=1)
        return torch.logsumexp(near, 2) + self.mean_weight * (centre @ day.T)

    def learned(self) -> Space:
        """The space in its final form."""
        with torch.no_grad():
            return Space(
                self.by_word.weight.numpy().copy(),
                self.by_meaning.weight.numpy().T.copy(),
                float(self.sharpness),
                float(self.recency),
                float(self.mean_weight),
            )


def train(
    listings: ListingDays, folder: Path, *, before: date, seed: int = 0, report: Report | None = None
) -> dict[str, Any]:
    """Train into ``folder`` from papers before ``before``, without kept readers; returns the recipe."""
    end = before.toordinal()
    middle = end - RANKER_DAYS
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    counter = TfidfVectorizer(max_features=VOCABULARY, min_df=4, max_df=0.1, **WORDS)
    if report:
        report("counting words", 0, 1)
    counter.fit(listings.texts[: int(np.searchsorted(listings.day, middle))])
    last = int(np.searchsorted(listings.day, end))
    words = counter.transform(listings.texts[:last]).tocsr()
    held_back = _train_encoder(counter, listings, words, middle, rng, report)
    ranker = _train_order(listings, words, held_back, middle, end, seed, report)
    # The ranker has learned how spaces score unseen papers; the shipped spaces have also seen the last days.
    encoder = _train_encoder(counter, listings, words, end, rng, report)
    folder.mkdir(parents=True, exist_ok=True)
    files = {"taste.npz": encoder.to_bytes(), "taste-order.ubj": bytes(ranker.order.save_raw("ubj"))}
    recipe: dict[str, Any] = {
        "made_by": "python -m bot train digest --data FILE",
        "papers_before": before.isoformat(),
        "ranker_from": (before - timedelta(days=RANKER_DAYS)).isoformat(),
        "readers": "names whose CRC-32 is even",
        "seed": seed,
        "floor": round(ranker.floor, 4),
        "blend": ranker.blend,
        "area": {},
        "features": list(FEATURES),
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "taste.json").write_text(json.dumps(recipe, indent=1) + "\n")
    return recipe


def _train_encoder(
    counter: TfidfVectorizer,
    listings: ListingDays,
    words: sparse.csr_matrix,
    end: int,
    rng: np.random.Generator,
    report: Report | None,
) -> Encoder:
    """The encoder that papers before ``end`` give, in its final form."""
    meaning = listings.vectors[: int(np.searchsorted(listings.day, end))].astype(np.float32)
    encoder = Encoder(
        tuple(counter.get_feature_names_out().tolist()),
        counter.idf_.astype(np.float32),
        *_whitening(meaning),
        tuple(_train_space(listings, words, end, rng, report).learned() for _ in range(SPACES)),
    )
    return Encoder.of_bytes(encoder.to_bytes())


def _whitening(meaning: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean of rows, and the projection that makes their widest directions equally wide."""
    middle = meaning.mean(axis=0)
    wide, directions = np.linalg.eigh(np.cov(meaning - middle, rowvar=False))
    widest = np.argsort(-wide)[:DIRECTIONS]
    return middle, directions[:, widest] / np.sqrt(wide[widest] + EVEN * wide.mean())


def _samples(listings: ListingDays, end: int) -> Iterator[tuple[int, np.ndarray]]:
    """(paper, up to a dozen earlier papers by one of its authors), without authors of the kept half."""
    for name, papers in listings.written.items():
        papers = papers[listings.day[papers] < end]
        if not 4 <= len(papers) <= 60 or is_kept(name):
            continue
        for place in range(3, len(papers)):
            earlier = papers[:place][listings.day[papers[:place]] < listings.day[papers[place]]]
            if len(earlier) >= 3:
                yield int(papers[place]), earlier[-HISTORY:]


def _train_space(
    listings: ListingDays, words: sparse.csr_matrix, end: int, rng: np.random.Generator, report: Report | None
) -> JointSpace:
    by_day: dict[int, list[tuple[int, np.ndarray]]] = {}
    for paper, earlier in _samples(listings, end):
        by_day.setdefault(int(listings.day[paper]), []).append((paper, earlier))
    plan = []
    for day, samples in by_day.items():
        order = rng.permutation(len(samples))
        plan += [(day, [samples[at] for at in order[s : s + BATCH]]) for s in range(0, len(samples), BATCH)]
    plan = [plan[at] for at in rng.permutation(len(plan))]
    space = JointSpace(words.shape[1], listings.vectors.shape[1])
    rest = [parameter for name, parameter in space.named_parameters() if name != "by_word.weight"]
    steps = [
        torch.optim.Adam(rest, LEARNING_RATE),
        torch.optim.SparseAdam([space.by_word.weight], LEARNING_RATE),
    ]
    for at, (day, samples) in enumerate(plan):
        today = listings.of_day(day)
        size = (len(samples), HISTORY)
        history, mask, age = np.zeros(size, np.int64), np.zeros(size, bool), np.zeros(size, np.float32)
        for row, (_, earlier) in enumerate(samples):
            history[row, : len(earlier)], mask[row, : len(earlier)] = earlier, True
            age[row, : len(earlier)] = day - listings.day[earlier]
        own = np.array([paper - today.start for paper, _ in samples])
        rows = np.arange(today.start, today.stop)
        needed, inverse = np.unique(np.concatenate([rows, history.ravel()]), return_inverse=True)
        papers = space.papers(words[needed], listings.vectors[needed], rng)
        scores = space.scores(
            papers[inverse[: len(rows)]],
            papers[inverse[len(rows) :]].view(*size, DIMENSION),
            torch.from_numpy(np.log1p(age / MONTH)),
            torch.from_numpy(mask),
        )
        loss = nn.functional.cross_entropy(scores, torch.from_numpy(own))
        for step in steps:
            step.param_groups[0]["lr"] = LEARNING_RATE * max(0.05, 1 - at / len(plan))
            step.zero_grad()
        loss.backward()
        for step in steps:
            step.step()
        if report:
            report("learning the space", at + 1, len(plan))
    space.eval()
    return space


def _train_order(
    listings: ListingDays,
    words: sparse.csr_matrix,
    encoder: Encoder,
    start: int,
    end: int,
    seed: int,
    report: Report | None,
) -> TasteRanker:
    """The ranker from the last days before the end, and the closeness that 90 % of wanted papers reach."""
    items = encoder.items(words, listings.vectors[: words.shape[0]])
    names = readers(listings, start, end, READERS, seed, "tuned", before=3)
    asked: list[DigestQuestion] = list(questions(listings, names, start, end))
    ranker = TasteRanker(encoder, xgboost.Booster())
    features, labels, groups, reached = [], [], [], []
    for at, question in enumerate(asked):
        today = listings.of_day(question.day)
        rows = np.arange(today.start, today.stop)
        age = (question.day - listings.day[question.earlier]).astype(float)
        compared = ranker.features(items[rows], items[question.earlier], age)
        own = question.own - today.start
        label = np.zeros(len(rows), np.float32)
        label[own] = 1
        features.append(compared)
        labels.append(label)
        groups.append(len(rows))
        reached.append(compared[own, FEATURES.index("joint_max")].max())
        if report:
            report("comparing", at + 1, len(asked))
    table, wanted = np.concatenate(features), np.concatenate(labels)
    blend = _blend(table, wanted, np.array(groups))
    table[:, FEATURES.index("sum_among")] = sum(
        weight * table[:, FEATURES.index(name)] for name, weight in blend.items()
    )
    data = xgboost.DMatrix(table, wanted)
    data.set_group(groups)
    return TasteRanker(encoder, xgboost.train(_TREES, data, ROUNDS), float(np.quantile(reached, 0.1)), blend)


def _blend(table: np.ndarray, wanted: np.ndarray, groups: np.ndarray) -> dict[str, float]:
    """The weights of :data:`SUMMED` that make wanted papers stand out on their day: a conditional logit."""
    columns = torch.from_numpy(table[:, [FEATURES.index(name) for name in SUMMED]]).double()
    day = torch.repeat_interleave(torch.arange(len(groups)), torch.from_numpy(groups))
    share = torch.from_numpy(wanted).double()
    share = share / torch.zeros_like(share[: len(groups)]).index_add(0, day, share)[day]
    weights = torch.zeros(len(SUMMED), dtype=torch.float64, requires_grad=True)
    step = torch.optim.LBFGS([weights], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        step.zero_grad()
        score = columns @ weights
        among = torch.zeros_like(score[: len(groups)]).index_add(0, day, torch.exp(score)).log()
        total = ((among[day] - score) * share).sum() / len(groups) + RIDGE * (weights**2).sum()
        total.backward()
        return total

    step.step(loss)
    return {name: round(weight, 4) for name, weight in zip(SUMMED, weights.tolist(), strict=True)}
