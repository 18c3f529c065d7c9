"""The evidence for and against two authorships being by one person, as numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from index.identity.authorships import Authorships
from index.identity.person_names import relation

FEATURES = (
    "name_relation",
    "shared_coauthors",
    "shared_weight",
    "shared_rarest",
    "shared_overlap",
    "shared_short",
    "coauthors_met",
    "meaning",
    "words",
    "abstracts",
    "years_near",
    "fewer_authors",
    "more_authors",
    "both_last",
    "both_first",
    "place_gap",
)
PAIR_COLUMNS = [place for place, name in enumerate(FEATURES) if name != "name_relation"]
"""The features that the model of pairs reads: all but the relation, which is the same for a whole name."""
MONOTONE = (0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0)
"""1 for features that can only be evidence for one person; a constraint on the learned model."""
_BACKGROUND = 300_000
"""Random pairs of papers, as the background for closeness."""
_ENOUGH = 1_000
"""Random pairs of a kind from which its closeness is known."""
_YEAR = 365.25
_SAMPLE = 40_000
"""Texts from which word weights are computed."""
_LARGE = 60
"""Papers with more authors are no evidence of who works with whom."""
_CHUNK = 30_000


class Evidence:
    """Compares pairs of authorships in the context of the whole corpus.

    Closeness of texts is given as its rarity among random pairs of the same corpus (minus the decimal
    logarithm), and a coauthor's weight as the rarity of the name in it, so that a model learned on one field
    holds on another.
    """

    def __init__(self, authorships: Authorships, involved: np.ndarray | None = None) -> None:
        """Weigh names and words over the whole corpus.

        Parameters
        ----------
        involved
            Booleans over papers: true where authorships will be compared; all by default.
        """
        self._all = authorships
        self._name_of, self._names = authorships.name_ids
        self._incidence = self._by_paper(self._name_of)
        short: dict[tuple[str, str], int] = {}
        shortened = np.array(
            [short.setdefault((n.initial, n.family), len(short)) for n in self._names], np.int64
        )
        self._short_of = shortened[self._name_of] if len(shortened) else self._name_of
        self._short_incidence = self._by_paper(self._short_of)
        self._short_weights = _rarities(self._short_incidence)
        papers = np.asarray(self._incidence.sum(axis=0)).ravel()
        self._weights = _rarities(self._incidence)
        self._paper_weight = self._incidence @ self._weights
        rng = np.random.default_rng(0)
        ends = rng.integers(0, max(authorships.papers, 1), (2, _BACKGROUND))
        ends = ends[:, ends[0] != ends[1]]
        used = np.ones(authorships.papers, bool) if involved is None else involved.copy()
        # Words are compared on a sample, so that a day's pass need not read all papers.
        few = ends[:, : _BACKGROUND // 30] if involved is not None else ends
        used[few.ravel()] = True
        self._meetings, self._reach = self._met(papers, used)
        self._terms = _terms(authorships.texts, used, _SAMPLE if involved is None else _SAMPLE // 4)
        self._far_meaning = Background(self._abstracts(*ends), _of_distinct(self._cosines, *ends))
        by_word = partial(_row_products, self._terms, self._terms)
        self._far_words = Background(self._abstracts(*few), _of_distinct(by_word, *few))
        gaps = self._years(*ends)
        self._usual_years = float(np.nanmedian(gaps)) if np.isfinite(gaps).any() else 0.0

    def _by_paper(self, ids: np.ndarray) -> sparse.csr_matrix:
        ones = np.ones(len(ids), np.float32)
        top = int(ids.max(initial=-1)) + 1
        matrix = sparse.csr_matrix((ones, (self._all.paper, ids)), shape=(self._all.papers, top))
        matrix.data[:] = 1.0
        return matrix

    def _met(self, papers: np.ndarray, used: np.ndarray) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        """How strongly papers join names (names x names), and the sum of that over each paper's authors."""
        size = np.diff(self._incidence.indptr)
        share = np.where((size > 1) & (size <= _LARGE), 1.0 / np.maximum(size - 1, 1), 0.0).astype(np.float32)
        weighted = sparse.diags(share) @ self._incidence
        joined = (self._incidence.T @ weighted).tocsr()
        joined.setdiag(0)
        joined.eliminate_zeros()
        damp = sparse.diags((1.0 / np.sqrt(np.maximum(papers, 1))).astype(np.float32))
        joined = (damp @ joined @ damp).tocsr()
        small = sparse.diags(((size <= _LARGE) & used).astype(np.float32))
        return joined, (small @ self._incidence @ joined).tocsr()

    def _cosines(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        vectors, out = self._all.vectors, np.empty(len(one), np.float32)
        if len(vectors) <= min(len(one), _CHUNK):  # converting a row takes longer than multiplying it
            vectors = vectors.astype(np.float32)
        for start in range(0, len(one), _CHUNK):
            part = slice(start, start + _CHUNK)
            left, right = (vectors[places[part]].astype(np.float32, copy=False) for places in (one, other))
            out[part] = np.einsum("ij,ij->i", left, right)
        return out

    def coauthors(self, authorships: np.ndarray) -> tuple[sparse.csr_matrix, np.ndarray]:
        """(all authorships x names: the other authors of these ones' papers; float32, each name's rarity)."""
        rows = self._incidence[self._all.paper[authorships]].tocoo()
        others = rows.col != self._name_of[authorships][rows.row]
        places = (authorships[rows.row[others]], rows.col[others])
        shape = (len(self._all.names), rows.shape[1])
        return sparse.csr_matrix((rows.data[others], places), shape), self._weights

    def _abstracts(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """How many of two papers have an abstract, 0 to 2."""
        described = self._all.described
        counts: np.ndarray = described[left].astype(np.int8) + described[right]
        return counts

    def _years(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Years between two papers, nan if a day is unknown."""
        days = self._all.days
        known = (days[left] > 0) & (days[right] > 0)
        years: np.ndarray = np.where(known, np.abs(days[left] - days[right]) / _YEAR, np.nan)
        return years

    def compare(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Features of pairs of authorships, given by their numbers: float32, shape (pairs, features)."""
        parts = [
            self._compare(one[start : start + _CHUNK], other[start : start + _CHUNK])
            for start in range(0, len(one), _CHUNK)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, len(FEATURES)), np.float32)

    def _compare(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        paper, authors = self._all.paper, np.diff(self._all.offsets)
        left, right = paper[one], paper[other]
        count, weight, rarest = self._shared(self._incidence, self._name_of, self._weights, one, other)
        _, short, _ = self._shared(self._short_incidence, self._short_of, self._short_weights, one, other)
        abstracts, years = self._abstracts(left, right), self._years(left, right)
        whole = self._paper_weight[left] + self._paper_weight[right] - weight
        place = one - self._all.offsets[left]
        other_place = other - self._all.offsets[right]
        last, other_last = place == authors[left] - 1, other_place == authors[right] - 1
        relative = place / np.maximum(authors[left] - 1, 1)
        other_relative = other_place / np.maximum(authors[right] - 1, 1)
        features = (
            self._relations(one, other),
            count,
            weight,
            rarest,
            weight / np.maximum(whole, 1e-6),
            short,
            self._coauthors_met(one, other),
            self._far_meaning.rarity(abstracts, self._cosines(left, right)),
            self._far_words.rarity(abstracts, _row_products(self._terms, self._terms, left, right)),
            abstracts,
            -np.log1p(np.where(np.isnan(years), self._usual_years, years)),
            np.log(np.minimum(authors[left], authors[right])),
            np.log(np.maximum(authors[left], authors[right])),
            last & other_last,
            (place == 0) & (other_place == 0),
            np.abs(relative - other_relative),
        )
        return np.stack([np.asarray(f, np.float32) for f in features], axis=1)

    def _relations(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        left, right = self._name_of[one], self._name_of[other]
        width = len(self._names)
        distinct, inverse = np.unique(left * width + right, return_inverse=True)
        values = [relation(self._names[code // width], self._names[code % width]) for code in distinct]
        return np.asarray(values, np.float32)[inverse]

    def _shared(
        self,
        incidence: sparse.csr_matrix,
        ids: np.ndarray,
        weights: np.ndarray,
        one: np.ndarray,
        other: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(how many, summed weight, highest weight) of shared coauthors, without the two themselves."""
        common = incidence[self._all.paper[one]].multiply(incidence[self._all.paper[other]]).tocsr()
        rows = np.repeat(np.arange(len(one)), np.diff(common.indptr))
        counted = (common.indices != ids[one][rows]) & (common.indices != ids[other][rows])
        rows, shared_weights = rows[counted], weights[common.indices[counted]]
        rarest = np.zeros(len(one), np.float32)
        np.maximum.at(rarest, rows, shared_weights)
        return np.bincount(rows, minlength=len(one)), np.bincount(rows, shared_weights, len(one)), rarest

    def _coauthors_met(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """How strongly other papers join the coauthors of one with the coauthors of the other."""
        left, right = self._all.paper[one], self._all.paper[other]
        who, other_who = self._name_of[one], self._name_of[other]
        through = _row_products(self._reach, self._incidence, left, right)
        through -= _row_products(self._meetings, self._incidence, who, right)
        through -= _row_products(self._meetings, self._incidence, other_who, left)
        met: np.ndarray = np.log1p(np.maximum(through, 0.0) * 10)
        return met


def _row_products(
    one: sparse.csr_matrix, other: sparse.csr_matrix, left: np.ndarray, right: np.ndarray
) -> np.ndarray:
    """The scalar product of row ``left[i]`` of one matrix with row ``right[i]`` of another, float32."""
    out = np.empty(len(left), np.float32)
    for start in range(0, len(left), _CHUNK):
        part = slice(start, start + _CHUNK)
        out[part] = np.asarray(one[left[part]].multiply(other[right[part]]).sum(axis=1)).ravel()
    return out


def _rarities(incidence: sparse.csr_matrix) -> np.ndarray:
    """Minus the logarithm of the share of papers that print each name, float32."""
    papers = np.asarray(incidence.sum(axis=0)).ravel()
    rarities: np.ndarray = -np.log(np.maximum(papers, 1) / max(incidence.shape[0], 2)).astype(np.float32)
    return rarities


class Background:
    """How close random pairs of papers are; titles alone are compared with pairs of titles.

    Parameters
    ----------
    kinds
        int8: how many of the two have an abstract, 0 to 2.
    values
        float32: how close they are.
    """

    def __init__(self, kinds: np.ndarray, values: np.ndarray) -> None:
        whole = np.sort(values)
        some = [np.sort(values[kinds == kind]) for kind in range(3)]
        self._sorted = [own if len(own) >= _ENOUGH else whole for own in some]

    def rarity(self, kinds: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Minus the decimal logarithm of the share of random pairs of that kind at least as close."""
        rarity = np.zeros(len(values), np.float32)
        for kind, background in enumerate(self._sorted):
            mine = kinds == kind
            beyond = len(background) - np.searchsorted(background, values[mine], side="left")
            rarity[mine] = -np.log10((beyond + 0.5) / (len(background) + 1))
        return rarity


def _of_distinct(
    measure: Callable[[np.ndarray, np.ndarray], np.ndarray], one: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """A symmetric measure of pairs, each distinct pair measured once: random ones recur in a small corpus."""
    papers = int(max(one.max(initial=0), other.max(initial=0))) + 1
    if papers * papers > len(one):
        return measure(one, other)
    pairs, place = np.unique(np.minimum(one, other) * papers + np.maximum(one, other), return_inverse=True)
    return measure(pairs // papers, pairs % papers)[place]


def _terms(texts: Sequence[str], used: np.ndarray, sample_size: int) -> sparse.csr_matrix:
    """tf-idf rows of unit length for the used texts, without words that a tenth of the texts have."""
    few = len(texts) < 50
    vectorizer = TfidfVectorizer(
        sublinear_tf=True,
        min_df=1 if few else 2,
        max_df=1.0 if few else 0.1,
        max_features=300_000,
        dtype=np.float32,
        token_pattern=r"(?u)\b[^\W\d_][\w-]+\b",
    )
    sample = (
        np.unique(np.linspace(0, max(len(texts) - 1, 0), sample_size).astype(int)).tolist() if texts else []
    )
    empty = sparse.csr_matrix((len(texts), 1), dtype=np.float32)
    try:
        vectorizer.fit([texts[place] for place in sample])
    except ValueError:  # no text has a word
        return empty
    places = np.flatnonzero(used)
    rows = vectorizer.transform([texts[place] for place in places.tolist()])
    spread = sparse.csr_matrix(
        (np.ones(len(places), np.float32), (places, np.arange(len(places)))), (len(texts), len(places))
    )
    return (spread @ rows).tocsr()
