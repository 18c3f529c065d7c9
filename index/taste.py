"""What somebody wants to read: a day's papers ranked by what was written, saved and liked before.

Each paper is seen in three ways: by its words (tf-idf), by its meaning (the sentence embedding), and by both joined in a
small learned space in which an author's next paper lies near the earlier ones. Features of how a candidate lies to the
papers of a taste go into one boosted ranker. The recipe and its figures are in docs/evaluation.md.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xgboost
from scipy import sparse

from index.shipped import booster, margins, shipped

MONTH = 30.0
MOST_PAPERS = 60
"""Papers of a taste that are looked at, the newest."""
_TOP = 3
WORDS: dict[str, Any] = {
    "strip_accents": "unicode",
    "stop_words": "english",
    "token_pattern": r"(?u)\b[a-zA-Z_][a-zA-Z0-9_]+\b",
    "ngram_range": (1, 2),
    "sublinear_tf": True,
    "dtype": np.float32,
}
"""How texts become words: arxiv-sanity-lite's recipe."""


def words_text(title: str, abstract: str) -> str:
    """The text whose words count: the title twice."""
    return f"{title} . {title} . {abstract}"


@dataclass(frozen=True)
class Items:
    """Papers in all three ways, rows alike.

    Attributes
    ----------
    words
        float32 csr, shape (papers, vocabulary), rows of unit length.
    meaning, joint
        float32, shape (papers, dimension), rows of unit length.
    """

    words: sparse.csr_matrix
    meaning: np.ndarray
    joint: np.ndarray

    def __len__(self) -> int:
        return len(self.meaning)

    def __getitem__(self, rows: np.ndarray) -> Items:
        return Items(self.words[rows], self.meaning[rows], self.joint[rows])


@dataclass(frozen=True)
class Encoder:
    """Joins words and meaning in a learned space.

    Attributes
    ----------
    vocabulary
        Words and pairs of words, in the order of ``idf`` and of the rows of ``by_word``.
    idf
        float32, shape (vocabulary,).
    by_word, by_meaning
        float32, shape (vocabulary, dimension) and (384, dimension): what each word, and each direction of the
        sentence embedding, adds.
    sharpness, recency, mean_weight
        Of the learned pooling over a taste's papers: see :meth:`Ranker.features`.
    """

    vocabulary: tuple[str, ...]
    idf: np.ndarray
    by_word: np.ndarray
    by_meaning: np.ndarray
    sharpness: float
    recency: float
    mean_weight: float

    @cached_property
    def _counter(self) -> Any:
        from sklearn.feature_extraction.text import TfidfVectorizer  # takes half a second: not at every start

        counter = TfidfVectorizer(vocabulary=list(self.vocabulary), **WORDS)
        counter.idf_ = self.idf
        return counter

    def words(self, texts: Sequence[str]) -> sparse.csr_matrix:
        """Texts (:func:`words_text`) as rows of tf-idf."""
        if not len(texts):
            return sparse.csr_matrix((0, len(self.vocabulary)), dtype=np.float32)
        return self._counter.transform(texts).tocsr()

    def items(self, words: sparse.csr_matrix, meaning: np.ndarray) -> Items:
        """Papers by their words' rows and sentence embeddings."""
        meaning = np.asarray(meaning, np.float32)
        joint = np.asarray(words @ self.by_word + meaning @ self.by_meaning, np.float32)
        return Items(words, meaning, joint / np.maximum(np.linalg.norm(joint, axis=1, keepdims=True), 1e-6))

    def to_bytes(self) -> bytes:
        """Packed: words in eight bits, each row with its own scale."""
        scale = np.maximum(np.abs(self.by_word).max(axis=1), 1e-9) / 127
        out = io.BytesIO()
        np.savez_compressed(
            out,
            vocabulary=np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8),
            idf=self.idf.astype(np.float32),
            by_word=np.round(self.by_word / scale[:, None]).astype(np.int8),
            scale=scale.astype(np.float32),
            by_meaning=self.by_meaning.astype(np.float16),
            pooling=np.array([self.sharpness, self.recency, self.mean_weight], np.float32),
        )
        return out.getvalue()

    @classmethod
    def of_bytes(cls, data: bytes) -> Encoder:
        """What :meth:`to_bytes` packed."""
        held = np.load(io.BytesIO(data), allow_pickle=False)
        pooling = held["pooling"].tolist()
        return cls(
            tuple(held["vocabulary"].tobytes().decode().split("\n")),
            held["idf"],
            held["by_word"].astype(np.float32) * held["scale"][:, None],
            held["by_meaning"].astype(np.float32),
            *pooling,
        )


FEATURES = (
    *(
        f"{way}_{kind}"
        for way in ("words", "meaning", "joint")
        for kind in ("mean", "max", "top", "recent", "mean_among", "top_among")
    ),
    *("pooled", "pooled_among", "sum_among", "crowd", "papers", "span"),
)


@dataclass(frozen=True)
class Ranker:
    """Ranks candidates for a taste."""

    encoder: Encoder
    order: xgboost.Booster
    floor: float = 0.0
    """The joint closeness below which nine of ten wanted papers do not lie: what nothing reaches fits nobody."""

    @classmethod
    def shipped(cls) -> Ranker:
        """The models in ``index/models``, checked against their recipe.

        Raises
        ------
        ModelDamagedError
            Where a file is missing, its checksum differs, or it is of other features.
        """
        recipe, files = shipped("taste", "{}", FEATURES)
        encoder = Encoder.of_bytes(files["taste.npz"])
        return cls(encoder, booster(files["taste-order.ubj"]), float(recipe["floor"]))

    def features(self, candidates: Items, taste: Items, age: np.ndarray) -> np.ndarray:
        """How candidates lie to a taste's papers: float32, shape (candidates, :data:`FEATURES`).

        Parameters
        ----------
        age
            Days since each of the taste's papers, shape (papers,).
        """
        close = {
            "words": np.asarray((candidates.words @ taste.words.T).toarray(), np.float32),
            "meaning": candidates.meaning @ taste.meaning.T,
            "joint": candidates.joint @ taste.joint.T,
        }
        months = np.log1p(np.maximum(age, 0) / MONTH).astype(np.float32)
        fresh = np.exp(-months)
        columns: dict[str, np.ndarray] = {}
        for way, near in close.items():
            columns[f"{way}_mean"] = near.mean(axis=1)
            columns[f"{way}_max"] = near.max(axis=1)
            columns[f"{way}_top"] = _top(near)
            columns[f"{way}_recent"] = near @ (fresh / fresh.sum())
            columns[f"{way}_mean_among"] = _among(columns[f"{way}_mean"])
            columns[f"{way}_top_among"] = _among(columns[f"{way}_top"])
        encoder = self.encoder
        centre = taste.joint.mean(axis=0)
        centre /= max(float(np.linalg.norm(centre)), 1e-6)
        sharp = encoder.sharpness * close["joint"] - encoder.recency * months
        highest = sharp.max(axis=1)
        pooled = highest + np.log(np.exp(sharp - highest[:, None]).sum(axis=1))
        columns["pooled"] = pooled + encoder.mean_weight * (candidates.joint @ centre)
        columns["pooled_among"] = _among(columns["pooled"])
        columns["sum_among"] = (
            columns["pooled_among"] + 0.5 * columns["words_mean_among"] + 0.3 * columns["meaning_top_among"]
        )
        columns["crowd"] = candidates.joint @ candidates.joint.mean(axis=0)
        columns["papers"] = np.full(len(candidates), float(np.log1p(len(taste))))
        columns["span"] = np.full(len(candidates), float(np.log1p(age.max(initial=0.0) / MONTH)))
        return np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)

    def scores(self, candidates: Items, taste: Items, age: np.ndarray) -> np.ndarray:
        """Higher is likelier wanted; float32, shape (candidates,), comparable within one call."""
        if not len(candidates) or not len(taste):
            return np.zeros(len(candidates), np.float32)
        newest = np.argsort(age, kind="stable")[:MOST_PAPERS]
        return margins(self.order, self.features(candidates, taste[newest], age[newest]))


def _top(near: np.ndarray) -> np.ndarray:
    count = min(_TOP, near.shape[1])
    return np.asarray(np.partition(near, -count, axis=1)[:, -count:].mean(axis=1))


def _among(values: np.ndarray) -> np.ndarray:
    """How a candidate stands among all of the day: standard deviations above their mean."""
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-6))
