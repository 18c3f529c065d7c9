"""What somebody wants to read: a day's papers ranked by what was written, saved and liked before.

Each paper is seen in three ways: by its words (tf-idf), by its meaning (the sentence embedding), and by both joined in
small learned spaces in which an author's next paper lies near the earlier ones; words and meaning also with what all
papers share taken down. Features of how a candidate lies to the papers of a taste go into one boosted ranker. The recipe
and its figures are in docs/evaluation.md.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import xgboost
from scipy import sparse

from index.models.shipped import booster, margins, shipped

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
    """Papers in all ways; rows of unit length (or zero), float32.

    Attributes
    ----------
    words, rare
        csr, shape (papers, vocabulary), of the same words; ``rare`` weighs them by their rarity once more.
    meaning
        Shape (papers, 384).
    own
        Shape (papers, directions): what of the meaning is not everybody's.
    joint
        Shape (papers, spaces x dimension): the places in all spaces side by side, so that a product of two rows is the
        mean of the cosines.
    """

    words: sparse.csr_matrix
    rare: sparse.csr_matrix
    meaning: np.ndarray
    own: np.ndarray
    joint: np.ndarray

    def __len__(self) -> int:
        return len(self.meaning)

    def __getitem__(self, rows: np.ndarray) -> Items:
        return Items(self.words[rows], self.rare[rows], self.meaning[rows], self.own[rows], self.joint[rows])

    @classmethod
    def stack(cls, parts: Sequence[Items]) -> Items:
        """Several as one."""
        return cls(
            sparse.vstack([part.words for part in parts]).tocsr(),
            sparse.vstack([part.rare for part in parts]).tocsr(),
            np.concatenate([part.meaning for part in parts]),
            np.concatenate([part.own for part in parts]),
            np.concatenate([part.joint for part in parts]),
        )


@dataclass(frozen=True)
class Space:
    """A learned space that joins words and meaning.

    Attributes
    ----------
    by_word, by_meaning
        float32, shape (vocabulary, dimension) and (384, dimension): what each word, and each direction of the
        sentence embedding, adds.
    sharpness, recency, mean_weight
        Of the learned pooling over a taste's papers: see :meth:`pooled`.
    """

    by_word: np.ndarray
    by_meaning: np.ndarray
    sharpness: float
    recency: float
    mean_weight: float

    def joined(self, words: sparse.csr_matrix, meaning: np.ndarray) -> np.ndarray:
        """Papers' places: float32, shape (papers, dimension), rows of unit length."""
        return _unit(words @ self.by_word + meaning @ self.by_meaning)

    def pooled(self, candidates: np.ndarray, taste: np.ndarray, months: np.ndarray) -> np.ndarray:
        """How near candidates lie to a taste's papers, the nearest and newest counting most: shape (candidates,)."""
        centre = taste.mean(axis=0)
        centre /= max(float(np.linalg.norm(centre)), 1e-6)
        sharp = self.sharpness * (candidates @ taste.T) - self.recency * months
        highest = sharp.max(axis=1)
        pooled = highest + np.log(np.exp(sharp - highest[:, None]).sum(axis=1))
        return np.asarray(pooled + self.mean_weight * (candidates @ centre))


@dataclass(frozen=True)
class Encoder:
    """Sees papers in all ways.

    Attributes
    ----------
    vocabulary
        Words and pairs of words, in the order of ``idf`` and of the rows of :attr:`Space.by_word`.
    idf
        float32, shape (vocabulary,).
    middle, whiten
        float32, shape (384,) and (384, directions): the mean of all sentence embeddings, and what makes their widest
        directions equally wide.
    spaces
        Trained alike from different beginnings; together they are surer than one.
    """

    vocabulary: tuple[str, ...]
    idf: np.ndarray
    middle: np.ndarray
    whiten: np.ndarray
    spaces: tuple[Space, ...]

    @property
    def dimension(self) -> int:
        """Of the sentence embedding."""
        return len(self.middle)

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
        joint = np.concatenate([space.joined(words, meaning) for space in self.spaces], axis=1)
        joint /= np.float32(np.sqrt(len(self.spaces)))
        return Items(words, self._rare(words), meaning, self._own(meaning), joint)

    def places(self, items: Items) -> list[np.ndarray]:
        """Each space's part of :attr:`Items.joint`, rows of unit length."""
        return [part * np.sqrt(len(self.spaces)) for part in np.split(items.joint, len(self.spaces), axis=1)]

    def _own(self, meaning: np.ndarray) -> np.ndarray:
        rows = (meaning - self.middle) @ self.whiten
        rows[~meaning.any(axis=1)] = 0
        return _unit(rows)

    def _rare(self, words: sparse.csr_matrix) -> sparse.csr_matrix:
        rows = words.copy()
        rows.data = rows.data * self.idf[rows.indices]
        length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows.data = (rows.data / np.repeat(np.maximum(length, 1e-6), np.diff(rows.indptr))).astype(np.float32)
        return rows

    def to_bytes(self) -> bytes:
        """Packed: words in eight bits, each row with its own scale."""
        by_word = np.stack([space.by_word for space in self.spaces])
        scale = np.maximum(np.abs(by_word).max(axis=2), 1e-9) / 127
        out = io.BytesIO()
        np.savez_compressed(
            out,
            vocabulary=np.frombuffer("\n".join(self.vocabulary).encode(), np.uint8),
            idf=self.idf.astype(np.float32),
            middle=self.middle.astype(np.float32),
            whiten=self.whiten.astype(np.float16),
            by_word=np.round(by_word / scale[:, :, None]).astype(np.int8),
            scale=scale.astype(np.float32),
            by_meaning=np.stack([space.by_meaning for space in self.spaces]).astype(np.float16),
            pooling=np.array(
                [[space.sharpness, space.recency, space.mean_weight] for space in self.spaces], np.float32
            ),
        )
        return out.getvalue()

    @classmethod
    def of_bytes(cls, data: bytes) -> Encoder:
        """What :meth:`to_bytes` packed."""
        held = np.load(io.BytesIO(data), allow_pickle=False)
        by_word = held["by_word"].astype(np.float32) * held["scale"][:, :, None]
        by_meaning = held["by_meaning"].astype(np.float32)
        return cls(
            tuple(held["vocabulary"].tobytes().decode().split("\n")),
            held["idf"],
            held["middle"],
            held["whiten"].astype(np.float32),
            tuple(
                Space(words, meaning, *pooling)
                for words, meaning, pooling in zip(by_word, by_meaning, held["pooling"].tolist(), strict=True)
            ),
        )


FEATURES = (
    *(
        f"{way}_{kind}"
        for way in ("words", "rare", "meaning", "own", "joint")
        for kind in ("mean", "max", "top", "recent", "mean_among", "top_among")
    ),
    *("pooled", "pooled_among", "sum_among", "crowd", "papers", "span"),
)
SUMMED = tuple(name for name in FEATURES if name.endswith("_among") and name != "sum_among")
"""The features that ``sum_among`` weighs."""


@dataclass(frozen=True)
class TasteRanker:
    """Ranks candidates for a taste."""

    encoder: Encoder
    order: xgboost.Booster
    floor: float = 0.0
    """The joint closeness below which nine of ten wanted papers do not lie: what nothing reaches fits nobody."""
    blend: Mapping[str, float] = field(default_factory=dict)
    """What each of :data:`SUMMED` weighs in ``sum_among``."""

    @classmethod
    def shipped(cls) -> TasteRanker:
        """The models in ``index/models``, checked against their recipe.

        Raises
        ------
        ModelDamagedError
            Where a file is missing, its checksum differs, or it is of other features.
        """
        recipe, files = shipped("taste", "{}", FEATURES)
        encoder = Encoder.of_bytes(files["taste.npz"])
        return cls(encoder, booster(files["taste-order.ubj"]), float(recipe["floor"]), recipe["blend"])

    def features(self, candidates: Items, taste: Items, age: np.ndarray) -> np.ndarray:
        """How candidates lie to a taste's papers: float32, shape (candidates, :data:`FEATURES`).

        Parameters
        ----------
        age
            Days since each of the taste's papers, shape (papers,).
        """
        encoder = self.encoder
        close = {
            "words": np.asarray((candidates.words @ taste.words.T).toarray(), np.float32),
            "rare": np.asarray((candidates.rare @ taste.rare.T).toarray(), np.float32),
            "meaning": candidates.meaning @ taste.meaning.T,
            "own": candidates.own @ taste.own.T,
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
        pooled = [
            space.pooled(of_candidates, of_taste, months)
            for space, of_candidates, of_taste in zip(
                encoder.spaces, encoder.places(candidates), encoder.places(taste), strict=True
            )
        ]
        columns["pooled"] = np.mean(pooled, axis=0)
        columns["pooled_among"] = np.mean([_among(values) for values in pooled], axis=0)
        columns["sum_among"] = np.zeros(len(candidates)) + sum(
            weight * columns[name] for name, weight in self.blend.items()
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


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)


def _top(near: np.ndarray) -> np.ndarray:
    count = min(_TOP, near.shape[1])
    return np.asarray(np.partition(near, -count, axis=1)[:, -count:].mean(axis=1))


def _among(values: np.ndarray) -> np.ndarray:
    """How a candidate stands among all of the day: standard deviations above their mean."""
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-6))
