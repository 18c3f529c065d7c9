"""What speaks for each sentence of some passages as an answer: words, meaning, role, place, its paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from data.keys import clean
from index.answers.emptiness import Emptiness
from index.answers.figures import figure_asked
from index.answers.matching import (
    Expansion,
    Rarity,
    best_matches,
    numbers,
    piece_weights,
    present,
    rarity_among,
    stems,
    terms,
)
from index.answers.passage import Passage
from index.answers.roles import Roles
from index.answers.sentences import Sentence, split
from index.search.queries import MAX_QUERY

EMBEDDED = 32
"""Sentences that are compared by meaning; words choose them."""
FEATURES = (
    "closeness",
    "closeness of the paper",
    "coverage",
    "coverage in context",
    "coverage in the paper",
    "bm25",
    "pairs",
    "finding",
    "numbers",
    "length",
    "empty",
    "words",
    "words in the paper",
)
_K1, _B, _LENGTH = 1.2, 0.5, 24.0
"""BM25's constants, and a sentence's usual number of words."""
_NEAR = 5
"""Two of the question's words this near each other in the sentence are a pair."""


@dataclass(frozen=True)
class Candidate:
    """A sentence that may be quoted: ``passages[passage].text[start:end] == text``."""

    passage: int
    start: int
    end: int
    text: str


@dataclass(frozen=True)
class SentenceEvidence:
    """The compared sentences of all passages.

    Attributes
    ----------
    features
        float64, shape (sentences, len(FEATURES)).
    vectors
        float32, shape (sentences, dimension): unit rows.
    papers
        int64, shape (sentences,): the paper of each.
    content_words
        How many the question has.
    stated
        float64, shape (sentences,): how well each states the number that the question asks for
        (:meth:`index.answers.figures.Figure.stated`); 0 where it asks for none.
    """

    sentences: tuple[Candidate, ...]
    features: np.ndarray
    vectors: np.ndarray
    papers: np.ndarray
    words: tuple[frozenset[str], ...]
    content_words: int
    stated: np.ndarray


@dataclass(frozen=True)
class _Words:
    """The word evidence of one passage; arrays have one row a sentence."""

    sentences: list[Sentence]
    sets: list[set[str]]
    features: np.ndarray


class Reading:
    """A question beside some passages, read word by word; their meaning is still to be compared.

    Attributes
    ----------
    texts
        The question, and the sentences that its words and the papers' closeness point to: embed these, and
        pass the rows to :meth:`evidence`.
    """

    def __init__(
        self,
        question: str,
        passages: Sequence[Passage],
        rarity: Rarity | None = None,
        embedded: int = EMBEDDED,
    ) -> None:
        question = clean(question[:MAX_QUERY])
        rarity = rarity or rarity_among(f"{passage.title} {passage.text}" for passage in passages)
        wanted, asked = terms(question, rarity), numbers(question)
        read = [_compare(wanted, asked, passage) for passage in passages]
        owners = [(n, place) for n, words in enumerate(read) for place in range(len(words.sentences))]
        features = (
            np.concatenate([words.features for words in read]) if read else np.zeros((0, len(FEATURES)))
        )
        figure = figure_asked(question)
        stated = np.array(
            [figure.stated(one.text) if figure else 0.0 for words in read for one in words.sentences],
            np.float64,
        )
        kept = np.sort(np.argsort(-_rough(features) - stated, kind="stable")[:embedded])
        self._features, self._stated = features[kept], stated[kept]
        self._candidates = []
        self._words = []
        for number, place in (owners[i] for i in kept):
            sentence = read[number].sentences[place]
            self._candidates.append(Candidate(number, sentence.start, sentence.end, sentence.text))
            self._words.append(frozenset(read[number].sets[place]))
        self._rarity, self._content_words = rarity, len(wanted)
        self._papers = np.array(
            [passages[candidate.passage].paper for candidate in self._candidates], np.int64
        )
        self.texts = [question, *(candidate.text for candidate in self._candidates)]

    def evidence(
        self, rows: np.ndarray, words: Sequence[np.ndarray] = (), places: Sequence[tuple[int, int]] = ()
    ) -> SentenceEvidence:
        """What words and meaning say together.

        Parameters
        ----------
        rows
            float32, shape (len(texts), dimension): unit rows.
        words
            The unit rows of each text's word pieces, where the model gives them
            (:meth:`index.search.embedding.Embedder.encode_words`); else two features stay NaN.
        places
            Where the question's word pieces stand in it.
        """
        features = self._features.copy()
        vectors = np.asarray(rows[1:], np.float32)
        if len(features):
            features[:, 0] = vectors @ rows[0]
            unknown = np.isnan(features[:, 1])
            features[unknown, 1] = features[unknown, 0]
            if len(words) and len(places):
                weights = piece_weights(self.texts[0], places[: len(words[0])], self._rarity)
                matched = best_matches(words[0][: len(weights)], words[1:])
                features[:, -2] = matched @ weights
                for paper in set(self._papers.tolist()):
                    own = self._papers == paper
                    features[own, -1] = matched[own].max(axis=0) @ weights
        return SentenceEvidence(
            tuple(self._candidates),
            features,
            vectors,
            self._papers,
            tuple(self._words),
            self._content_words,
            self._stated,
        )


def _rough(features: np.ndarray) -> np.ndarray:
    """A score without the sentences' own vectors, which chooses the ones to embed."""
    named = dict(zip(FEATURES, features.T, strict=True))
    close = np.nan_to_num(named["closeness of the paper"], nan=0.4)
    return np.asarray(
        2 * close
        + named["coverage"]
        + 0.5 * named["coverage in context"]
        + named["coverage in the paper"]
        + 0.4 * named["finding"]
    )


def _compare(wanted: dict[str, float], asked: set[str], passage: Passage) -> _Words:
    read = _read(passage.title, passage.text)
    weights = np.array(list(wanted.values()), np.float64)
    total = max(float(weights.sum()), 1e-9)
    has = present(list(wanted), read.sets)
    in_title = present(list(wanted), [read.title])[0]
    near = has.copy()
    near[1:] |= has[:-1]
    near[:-1] |= has[1:]
    features = np.full((len(read.sentences), len(FEATURES)), np.nan)
    if read.sentences:
        lengths = np.array([len(words) for words in read.stems], np.float64)
        dampened = (_K1 + 1) / (1 + _K1 * (1 - _B + _B * lengths / _LENGTH))
        whole = has.any(axis=0) | in_title
        features[:, 1] = passage.closeness if passage.closeness is not None else np.nan
        features[:, 2] = has @ weights / total
        features[:, 3] = (near | in_title) @ weights / total
        features[:, 4] = whole @ weights / total
        features[:, 5] = (has @ weights / total) * dampened / (_K1 + 1)
        features[:, 6] = [_pairs(list(wanted), words) for words in read.stems]
        features[:, 7] = read.finding
        features[:, 8] = [_shared(asked, sentence.text) for sentence in read.sentences]
        features[:, 9] = np.log1p(lengths)
        features[:, 10] = read.empty
    return _Words(read.sentences, read.sets, features)


@dataclass(frozen=True)
class _Read:
    """What a passage says, whatever is asked."""

    sentences: list[Sentence]
    stems: list[list[str]]
    sets: list[set[str]]
    title: set[str]
    finding: np.ndarray
    empty: np.ndarray


@lru_cache(maxsize=1_024)
def _read(title: str, text: str) -> _Read:
    found = split(text)
    expansion = Expansion(f"{title}. {text}")
    printed = [stems(sentence.text) for sentence in found]
    return _Read(
        found,
        printed,
        [expansion.expanded(words) for words in printed],
        expansion.expanded(stems(title)),
        Roles.shipped().finding(found),
        Emptiness.shipped().chances([sentence.text for sentence in found]),
    )


def _pairs(wanted: list[str], words: list[str]) -> float:
    """The share of the question's neighbouring words that stand near each other in the sentence too."""
    if len(wanted) < 2:
        return 0.0
    places: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        places.setdefault(word, []).append(place)
    near = 0
    for one, other in pairwise(wanted):
        if one in places and other in places:
            near += min(abs(a - b) for a in places[one][:8] for b in places[other][:8]) <= _NEAR
    return near / (len(wanted) - 1)


def _shared(asked: set[str], sentence: str) -> float:
    return len(asked & numbers(sentence)) / len(asked) if asked else 0.0
