"""What a whole collection says about names and closeness: the background against which pairs are weighed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from index.identity.authorships import Authorships

_BACKGROUND = 300_000
"""Random pairs of papers, as the background for closeness."""
_ENOUGH = 1_000
"""Random pairs of a kind from which its closeness is known."""
YEAR = 365.25
SAMPLE = 40_000
"""Texts from which word weights are computed."""
LARGE = 60
"""Papers with more authors are no evidence of who works with whom."""
CHUNK = 30_000
"""Pairs that are compared in one go."""
_ROWS = 500
"""Pairs of vectors that are multiplied in one go; they fit a core's cache."""
_ROUNDING = np.float32(1e-5)
"""More than what rounding makes of a sum of a hundred products, relative to it."""
RECUR = 8
"""A row that so many pairs have is looked up in; for fewer, it is as quick to multiply it by each."""
_DENSE = 40
"""All rows are multiplied with all if at least one product in so many is asked for."""
_NAMES_AT_ONCE = 100_000
_WORDS: Any = {"sublinear_tf": True, "dtype": np.float32, "token_pattern": r"(?u)\b[^\W\d_][\w-]+\b"}


class Background:
    """How close random pairs of papers are; titles alone are compared with pairs of titles.

    Parameters
    ----------
    some
        Three sorted arrays, float32: the closeness of random pairs of which none, one or both papers have an
        abstract.
    """

    def __init__(self, some: Sequence[np.ndarray]) -> None:
        self.some = some

    @classmethod
    def of(cls, kinds: np.ndarray, values: np.ndarray) -> Background:
        """From the kind of each pair (int8: how many of the two have an abstract) and how close they are."""
        whole = np.sort(values)
        some = [np.sort(values[kinds == kind]) for kind in range(3)]
        return cls([own if len(own) >= _ENOUGH else whole for own in some])

    def rarity(self, kinds: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Minus the decimal logarithm of the share of random pairs of that kind at least as close.

        What only rounding tells apart is as close: the same pair may be among them, added up otherwise.
        """
        rarity = np.zeros(len(values), np.float32)
        values = values - _ROUNDING * np.abs(values)
        for kind, background in enumerate(self.some):
            mine = kinds == kind
            beyond = len(background) - np.searchsorted(background, values[mine], side="left")
            rarity[mine] = -np.log10((beyond + 0.5) / (len(background) + 1))
        return rarity


@dataclass(frozen=True)
class Statistics:
    """The collection's own numbers; the matrices may be mapped from disk.

    Attributes
    ----------
    incidence, short
        Papers x names, and papers x names by initials: 1 where the paper prints the name.
    weights, short_weights
        float32: how rare each of these names is.
    meetings
        Names x names: how strongly papers join two names.
    terms
        Papers x words: tf-idf rows of unit length.
    far_meaning, far_words
        How close random pairs of papers are.
    usual_years
        Years between random papers.
    """

    incidence: sparse.csr_matrix
    short: sparse.csr_matrix
    weights: np.ndarray
    short_weights: np.ndarray
    meetings: sparse.csr_matrix
    terms: sparse.csr_matrix
    far_meaning: Background
    far_words: Background
    usual_years: float

    @classmethod
    def of(cls, authorships: Authorships) -> Statistics:
        """Count all of it in memory."""
        incidence = by_paper(authorships.offsets, authorships.name_ids[0])
        short = by_paper(authorships.offsets, authorships.short_ids[authorships.name_ids[0]])
        parts = list(meetings(incidence))
        words = word_weights(authorships.texts, sampled(authorships.papers))
        terms = tfidf(words, authorships.texts)
        far_meaning, far_words, years = backgrounds(authorships, terms)
        return cls(
            incidence,
            short,
            rarities(incidence),
            rarities(short),
            sparse.vstack(parts).tocsr() if parts else sparse.csr_matrix((0, 0), dtype=np.float32),
            terms,
            far_meaning,
            far_words,
            years,
        )


def by_paper(offsets: np.ndarray, ids: np.ndarray, width: int | None = None) -> sparse.csr_matrix:
    """Papers x names (as many as occur, or ``width``): 1 where the paper prints the name."""
    shape = len(offsets) - 1, int(ids.max(initial=-1)) + 1 if width is None else width
    counted = sparse.csr_matrix(
        (np.ones(len(ids), np.float32), np.array(ids, np.int32), np.array(offsets, np.int64)), shape
    )
    counted.sum_duplicates()
    counted.data[:] = 1.0
    return counted


def rarities(incidence: sparse.csr_matrix) -> np.ndarray:
    """Minus the logarithm of the share of papers that print each name, float32."""
    papers = np.bincount(incidence.indices, minlength=incidence.shape[1]).astype(np.float32)
    rarities: np.ndarray = -np.log(np.maximum(papers, 1) / max(incidence.shape[0], 2)).astype(np.float32)
    return rarities


def meetings(incidence: sparse.csr_matrix) -> Iterator[sparse.csr_matrix]:
    """How strongly papers join names, as rows of names x names in order, some names at a time."""
    size = np.diff(incidence.indptr)
    share = np.where((size > 1) & (size <= LARGE), 1.0 / np.maximum(size - 1, 1), 0.0).astype(np.float32)
    papers = np.bincount(incidence.indices, minlength=incidence.shape[1]).astype(np.float32)
    damp = (1.0 / np.sqrt(np.maximum(papers, 1))).astype(np.float32)
    weighted = sparse.csr_matrix(
        (np.repeat(share, size), incidence.indices, incidence.indptr), incidence.shape
    )
    weighted = weighted.copy()  # its arrays were those of ``incidence``
    weighted.eliminate_zeros()  # papers of one author or of too many join nobody
    wrote = incidence.T.tocsr()
    for start in range(0, incidence.shape[1], _NAMES_AT_ONCE):
        joined = (wrote[start : start + _NAMES_AT_ONCE] @ weighted).tocsr()
        rows = np.repeat(np.arange(joined.shape[0]), np.diff(joined.indptr))
        joined.data *= damp[rows + start]
        joined.data *= damp[joined.indices]
        joined.data[joined.indices == rows + start] = 0
        joined.eliminate_zeros()
        joined.sort_indices()
        yield joined


# -- words -------------------------------------------------------------------------------------------


def sampled(papers: int) -> list[int]:
    """The places of the papers from which word weights are computed."""
    if not papers:
        return []
    places: list[int] = np.unique(np.linspace(0, papers - 1, SAMPLE).astype(int)).tolist()
    return places


def word_weights(
    texts: Sequence[str], sample: Sequence[int], whole: int | None = None
) -> TfidfVectorizer | None:
    """Weights of words, without those that a tenth of the texts have; None if no text has a word.

    Parameters
    ----------
    sample
        Places in ``texts``.
    whole
        How many texts the collection has, if ``texts`` is a part of them.
    """
    few = (len(texts) if whole is None else whole) < 50
    vectorizer = TfidfVectorizer(
        min_df=1 if few else 2, max_df=1.0 if few else 0.1, max_features=300_000, **_WORDS
    )
    try:
        vectorizer.fit([texts[place] for place in sample])
    except ValueError:  # no text has a word
        return None
    return vectorizer


def words_of(vocabulary: Sequence[str], idf: np.ndarray) -> TfidfVectorizer:
    """Weights of words that were computed before."""
    vectorizer = TfidfVectorizer(vocabulary=list(vocabulary), **_WORDS)
    vectorizer.idf_ = idf
    return vectorizer


def tfidf(words: TfidfVectorizer | None, texts: Sequence[str]) -> sparse.csr_matrix:
    """tf-idf rows of unit length, float32."""
    if words is None:
        return sparse.csr_matrix((len(texts), 1), dtype=np.float32)
    if not len(texts):
        return sparse.csr_matrix((0, len(words.idf_)), dtype=np.float32)
    return words.transform(texts)


# -- closeness of random pairs -----------------------------------------------------------------------


def backgrounds(authorships: Authorships, terms: sparse.csr_matrix) -> tuple[Background, Background, float]:
    """How close random papers are in meaning and in words, and the usual years between them."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, max(authorships.papers, 1), (2, _BACKGROUND))
    one, other = ends[:, ends[0] != ends[1]]
    kinds = abstracts(authorships, one, other)
    by_meaning = partial(cosines, authorships.vectors)
    by_word = partial(row_products, terms, terms)
    gaps = years_between(authorships, one, other)
    usual = float(np.nanmedian(gaps)) if np.isfinite(gaps).any() else 0.0
    return (
        Background.of(kinds, _of_distinct(by_meaning, one, other)),
        Background.of(kinds, _of_distinct(by_word, one, other)),
        usual,
    )


def abstracts(authorships: Authorships, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """How many of two papers have an abstract, 0 to 2."""
    described = authorships.described
    counts: np.ndarray = described[left].astype(np.int8) + described[right]
    return counts


def years_between(authorships: Authorships, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Years between two papers, nan if a day is unknown."""
    one, other = authorships.days[left], authorships.days[right]
    years: np.ndarray = np.where((one > 0) & (other > 0), np.abs(one - other) / YEAR, np.nan)
    return years


def cosines(vectors: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The scalar product of each pair of rows, float32."""
    out = np.empty(len(one), np.float32)
    if len(vectors) <= min(len(one), CHUNK):  # converting a row takes longer than multiplying it
        vectors = np.asarray(vectors[np.arange(len(vectors))], np.float32)
    for start in range(0, len(one), _ROWS):
        part = slice(start, start + _ROWS)
        left, right = (vectors[places[part]].astype(np.float32, copy=False) for places in (one, other))
        out[part] = np.einsum("ij,ij->i", left, right)
    return out


def pair_products(matrix: sparse.csr_matrix, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The scalar product of row ``left[i]`` of a matrix with its row ``right[i]``, float32.

    Where few rows make many pairs, as in a large name, all rows are multiplied with all, which is a dozen
    times as fast. That adds up in another order, so the last bits may differ.
    """
    out = np.empty(len(left), np.float32)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        (one, at), (other, to) = (_distinct(side[part], matrix.shape[0]) for side in (left, right))
        if len(one) * len(other) <= _DENSE * len(at):
            out[part] = (matrix[one] @ matrix[other].T).toarray()[at, to]
        else:
            out[part] = _products(matrix, matrix, left[part], right[part])
    return out


def _distinct(places: np.ndarray, whole: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct numbers among these, ascending, all below ``whole``; and where each number is there."""
    held = np.zeros(whole, bool)
    held[places] = True
    return np.flatnonzero(held), (np.cumsum(held) - 1)[places]


def row_products(
    one: sparse.csr_matrix, other: sparse.csr_matrix, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """The scalar product of row ``left[i]`` of one matrix with row ``right[i]`` of another, float32."""
    out = np.empty(len(left), np.float32)
    lengths = np.diff(one.indptr)
    for start in range(0, len(left), CHUNK):
        part = slice(start, start + CHUNK)
        rows, place = _distinct(left[part], one.shape[0])
        if RECUR * int(lengths[rows].sum()) < int(lengths[rows][place].sum()):
            out[part] = _products_by_lookup(one, other, rows, place, right[part])
        else:
            out[part] = _products(one, other, left[part], right[part])
    return out


def _products(
    one: sparse.csr_matrix, other: sparse.csr_matrix, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    products: np.ndarray = np.asarray(one[left].multiply(other[right]).sum(axis=1)).ravel()
    return products


def _products_by_lookup(
    one: sparse.csr_matrix, other: sparse.csr_matrix, rows: np.ndarray, place: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """The same to the last bit, where a few rows of one matrix meet many of the other.

    Row ``rows[place[i]]`` meets row ``right[i]``; neither matrix has two entries in one place. What scipy
    does instead copies each of the few for each pair. The models tell a zero from what rounding leaves of
    it, so the products are added up in scipy's order: by column, or from the last entry of the first row to
    its first if its columns are in no order.
    """
    entries, counts = row_entries(one.indptr, rows)
    begins = np.concatenate([[0], np.cumsum(counts)])
    theirs, their_counts = row_entries(other.indptr, right)
    pair = np.repeat(np.arange(len(right)), their_counts)
    wanted = other.indices[theirs]
    if len(rows) * one.shape[1] < int(counts[place].sum()):
        row = np.repeat(np.arange(len(rows)), counts)
        table = np.full((len(rows), one.shape[1]), -1, np.int32)
        table[row, one.indices[entries]] = np.arange(len(entries))
        at = table[place[pair], wanted]
        in_order = bool(((np.diff(one.indices[entries]) > 0) | (np.diff(row) > 0)).all())
    else:
        numbers = np.arange(1, len(entries) + 1, dtype=np.int32)  # 0 is what is not there
        numbered = sparse.csr_matrix((numbers, one.indices[entries], begins), (len(rows), one.shape[1]))
        in_order = bool(numbered.has_sorted_indices)
        numbered.sort_indices()
        at = looked_up(numbered, place[pair], wanted) - 1
    found = at >= 0
    at, pair = at[found], pair[found]
    values = one.data[entries[at]] * other.data[theirs[found]]
    place_in_order = pair * len(entries) + (at if in_order else len(entries) - 1 - at)
    if not (np.diff(place_in_order) > 0).all():
        order = np.argsort(place_in_order, kind="stable")
        values, pair = values[order], pair[order]
    values, pair = values[values != 0], pair[values != 0]
    out = np.zeros(len(right), np.float32)
    if len(values):
        begins = np.flatnonzero(np.diff(pair, prepend=-1))
        out[pair[begins]] = np.add.reduceat(values, begins)
    return out


def looked_up(matrix: sparse.csr_matrix, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The entries at some places of a matrix whose rows are in order, 0 where there is none; shape (n,)."""
    if not len(rows):  # scipy would answer with a sparse matrix
        return np.zeros(0, matrix.dtype)
    found: np.ndarray = np.asarray(matrix[rows, columns]).ravel()
    return found


def row_entries(indptr: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(places of all entries of these rows of a sparse matrix, int64; how many each row has)."""
    starts = np.asarray(indptr[rows], np.int64)
    counts = np.asarray(indptr[rows + 1], np.int64) - starts
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(starts - ends + counts, counts), counts


def _of_distinct(
    measure: Callable[[np.ndarray, np.ndarray], np.ndarray], one: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """A symmetric measure of pairs, each distinct pair measured once: random ones recur in a small corpus."""
    papers = int(max(one.max(initial=0), other.max(initial=0))) + 1
    if papers * papers > len(one):
        return measure(one, other)
    pairs, place = np.unique(np.minimum(one, other) * papers + np.maximum(one, other), return_inverse=True)
    return measure(pairs // papers, pairs % papers)[place]
