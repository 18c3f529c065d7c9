"""Papers as a taste sees them: their words, their meaning, and both joined in small learned spaces."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

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
        Shape (papers, directions): the part of the meaning that most papers don't share.
    joint
        Shape (papers, spaces x dimension): the places in all spaces side by side, so that a product of two
        rows is the mean of the cosines.
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
        """Closeness to a taste's papers, the nearest and newest counting most: shape (candidates,)."""
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
        float32, shape (384,) and (384, directions): the mean of all sentence embeddings, and what makes their
        widest directions equally wide.
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
        from sklearn.feature_extraction.text import TfidfVectorizer  # lazy: takes half a second

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


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-6), np.float32)
