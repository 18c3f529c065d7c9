"""The evidence for and against two authorships being by one person, as numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from index.identity.authorships import Authorships
from index.identity.statistics import (
    CHUNK,
    LARGE,
    RECUR,
    Statistics,
    abstracts,
    cosines,
    looked_up,
    pair_products,
    row_entries,
    row_products,
    years_between,
)
from index.models.distinct import distinct

FEATURES = (
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
MONOTONE = (1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0)
"""1 for features that can only be evidence for one person; a constraint on the learned model."""
_SPAN = 4 * CHUNK
"""Pairs for which the papers and names are brought together in one go."""
_ROWS = 20_000
_LOOKUP = 10
"""Looking one entry up takes as long as copying so many."""
_LOOKUPS = 2_000_000
"""Entries that are looked up in one go."""


class Evidence:
    """Compares pairs of authorships in the context of the whole corpus.

    Closeness of texts is given as its rarity among random pairs of the same corpus (minus the decimal
    logarithm), and a coauthor's weight as the rarity of the name in it, so that a model learned on one field
    holds on another. Besides the corpus it needs memory for the pairs of one call only.
    """

    def __init__(self, authorships: Authorships, statistics: Statistics | None = None) -> None:
        """Weigh names and words over the whole corpus, unless its statistics are given."""
        self._all = authorships
        self._name_of = authorships.name_ids[0]
        self._short_of = authorships.short_ids
        self.statistics = statistics if statistics is not None else Statistics.of(authorships)
        self._local = np.full(self.statistics.incidence.shape[1], -1, np.int32)

    def coauthors(self, groups: Sequence[np.ndarray], *, short: bool = False) -> sparse.csr_matrix:
        """Groups x names: 1 where a group's papers print somebody else's name, in full or by initials."""
        matrix = self.statistics.short if short else self.statistics.incidence
        sizes = np.array([len(group) for group in groups])
        whole = np.concatenate(groups)
        wrote = some_rows(matrix, self._all.paper[whole])
        entry = np.repeat(np.arange(len(whole)), np.diff(wrote.indptr))
        who = self._name_of[whole] if not short else self._short_of[self._name_of[whole]]
        others = wrote.indices != who[entry]
        places = np.repeat(np.arange(len(groups)), sizes)[entry[others]], wrote.indices[others]
        found = sparse.csr_matrix((wrote.data[others], places), (len(groups), matrix.shape[1]))
        found.sum_duplicates()
        found.data[:] = 1.0
        return found

    def compare(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Features of pairs of authorships, given by their numbers: float32, shape (pairs, features)."""
        out = np.empty((len(one), len(FEATURES)), np.float32)
        for start in range(0, len(one), _SPAN):
            part = slice(start, start + _SPAN)
            self._compare(one[part], other[part], out[part])
        return out

    def _compare(self, one: np.ndarray, other: np.ndarray, out: np.ndarray) -> None:
        paper = self._all.paper
        papers, place = np.unique(np.concatenate([paper[one], paper[other]]), return_inverse=True)
        near = _Nearby(self._all, self.statistics, papers, self._local)
        for start in range(0, len(one), CHUNK):
            part = slice(start, start + CHUNK)
            left, right = place[: len(one)][part], place[len(one) :][part]
            out[part] = self._features(near, one[part], other[part], left, right)
        self._local[near.names] = -1

    def _features(
        self, near: _Nearby, one: np.ndarray, other: np.ndarray, left: np.ndarray, right: np.ndarray
    ) -> np.ndarray:
        """The features of some pairs; ``left`` and ``right`` are their papers' places in ``near``."""
        offsets, known = self._all.offsets, self.statistics
        one_paper, other_paper = near.papers[left], near.papers[right]
        who, other_who = (self._local[self._name_of[ends]] for ends in (one, other))
        count, weight, rarest = _shared(near.incidence, near.weights, left, right, who, other_who)
        short_who, other_short = (self._short_of[self._name_of[ends]] for ends in (one, other))
        _, short, _ = _shared(near.short, known.short_weights, left, right, short_who, other_short)
        kinds, years = (measure(self._all, one_paper, other_paper) for measure in (abstracts, years_between))
        whole = near.paper_weight[left] + near.paper_weight[right] - weight
        begins, other_begins = offsets[one_paper], offsets[other_paper]
        authors, other_authors = offsets[one_paper + 1] - begins, offsets[other_paper + 1] - other_begins
        place, other_place = one - begins, other - other_begins
        last, other_last = place == authors - 1, other_place == other_authors - 1
        relative = place / np.maximum(authors - 1, 1)
        other_relative = other_place / np.maximum(other_authors - 1, 1)
        features = (
            count,
            weight,
            rarest,
            weight / np.maximum(whole, 1e-6),
            short,
            near.met(left, right, who, other_who),
            known.far_meaning.rarity(kinds, cosines(near.vectors, left, right)),
            known.far_words.rarity(kinds, pair_products(near.terms, left, right)),
            kinds,
            -np.log1p(np.where(np.isnan(years), known.usual_years, years)),
            np.log(np.minimum(authors, other_authors)),
            np.log(np.maximum(authors, other_authors)),
            last & other_last,
            (place == 0) & (other_place == 0),
            np.abs(relative - other_relative),
        )
        return np.stack([np.asarray(f, np.float32) for f in features], axis=1)


class _Nearby:
    """The papers of some pairs, and what joins the names on them; names are numbered anew."""

    def __init__(
        self, authorships: Authorships, known: Statistics, papers: np.ndarray, local: np.ndarray
    ) -> None:
        self.papers = papers
        self.vectors = authorships.vectors[papers]
        self.terms = some_rows(known.terms, papers)
        self.short = some_rows(known.short, papers)
        wrote = some_rows(known.incidence, papers)
        self.names = distinct(wrote.indices)
        local[self.names] = np.arange(len(self.names), dtype=np.int32)
        self.weights = known.weights[self.names]
        shape = len(papers), len(self.names)
        self.incidence = sparse.csr_matrix((wrote.data, local[wrote.indices], wrote.indptr), shape)
        self.paper_weight = self.incidence @ self.weights
        self._meetings = _meetings_among(known.meetings, self.names, local)
        small = (np.diff(wrote.indptr) <= LARGE).astype(np.float32)
        # The order in which this product has its entries is the order in which they are added up below. The
        # learned models tell a zero from what rounding leaves of it, so the order has to stay.
        self._small = (sparse.diags(small) @ self.incidence).tocsr()
        self._size, self._small_size = np.diff(self.incidence.indptr), np.diff(self._small.indptr)
        self._reach = self._small @ np.diff(self._meetings.indptr)

    def met(self, left: np.ndarray, right: np.ndarray, who: np.ndarray, other_who: np.ndarray) -> np.ndarray:
        """How strongly other papers join the coauthors of one with the coauthors of the other."""
        through = self._through(left, right)
        through -= self._met_by(who, right)
        through -= self._met_by(other_who, left)
        met: np.ndarray = np.log1p(np.maximum(through, 0.0) * 10)
        return met

    def _through(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The meetings of all authors of one paper with all of another, added up.

        A paper of few pairs is looked up author by author. For others, it is quicker to add up the rows of
        the paper's authors first, though these are long. Both give the same to the last bit, if the authors
        of each paper have met.
        """
        mine, at, pairs = np.unique(left, return_inverse=True, return_counts=True)
        row = self._reach[mine] / np.minimum(pairs, RECUR)
        by_author = self._small_size[left] * self._size[right] * _LOOKUP < row[at]
        through = np.zeros(len(left), np.float32)
        through[by_author] = self._author_by_author(left[by_author], right[by_author])
        rest = np.flatnonzero(~by_author & (row[at] > 0))
        if len(rest):
            rows, at = np.unique(left[rest], return_inverse=True)
            met = self._small[rows] @ self._meetings
            through[rest] = row_products(met, self.incidence, at, right[rest])
        return through

    def _author_by_author(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        out = np.zeros(len(left), np.float32)
        ends = np.cumsum(self._small_size[left] * self._size[right])
        start = 0
        while start < len(left):
            before = int(ends[start - 1]) if start else 0
            stop = max(int(np.searchsorted(ends, before + _LOOKUPS, side="right")), start + 1)
            self._look_up(left[start:stop], right[start:stop], out[start:stop])
            start = stop
        return out

    def _look_up(self, left: np.ndarray, right: np.ndarray, out: np.ndarray) -> None:
        """Each author of one paper with each of the other; added up as the product of matrices does it.

        That adds up what an author of the second paper has with those of the first, in their order, and then
        these sums, in the order in which the first paper's authors come upon them.
        """
        theirs, sizes = row_entries(self.incidence.indptr, right)
        pair = np.repeat(np.arange(len(right)), sizes)
        ours, counts = row_entries(self._small.indptr, left[pair])
        each = np.repeat(np.arange(len(pair)), counts)
        met = looked_up(self._meetings, self._small.indices[ours], self.incidence.indices[theirs[each]])
        some = np.flatnonzero(met)
        met, each = met[some], each[some]
        if not len(met):
            return
        rank = ours[some] - self._small.indptr[left[pair[each]]]
        begins = np.flatnonzero(np.diff(each, prepend=-1))
        many = np.diff(np.append(begins, len(met)))
        sums = met[begins]
        for step in range(1, int(many.max())):
            longer = np.flatnonzero(many > step)
            sums[longer] += met[begins[longer] + step]
        pair = pair[each[begins]]
        order = np.lexsort((rank[begins], pair))
        begins = np.flatnonzero(np.diff(pair[order], prepend=-1))
        out[pair[order][begins]] = np.add.reduceat(sums[order], begins)

    def _met_by(self, who: np.ndarray, paper: np.ndarray) -> np.ndarray:
        """How strongly other papers join a name with those of a paper; each such two are looked at once."""
        codes = who.astype(np.int64) * len(self.papers) + paper
        distinct, at = np.unique(codes, return_inverse=True)
        name, its_paper = np.divmod(distinct, len(self.papers))
        theirs, sizes = row_entries(self.incidence.indptr, its_paper)
        each = np.repeat(np.arange(len(name)), sizes)
        met = looked_up(self._meetings, name[each], self.incidence.indices[theirs])
        each, met = each[met != 0], met[met != 0]
        out = np.zeros(len(name), np.float32)
        if len(met):
            begins = np.flatnonzero(np.diff(each, prepend=-1))
            out[each[begins]] = np.add.reduceat(met, begins)
        return out[at]


def some_rows(matrix: sparse.csr_matrix, rows: np.ndarray) -> sparse.csr_matrix:
    """Some rows of a matrix that may be mapped from disk."""
    places, counts = row_entries(matrix.indptr, rows)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return sparse.csr_matrix(
        (matrix.data[places], matrix.indices[places], indptr), (len(rows), matrix.shape[1])
    )


def _meetings_among(meetings: sparse.csr_matrix, names: np.ndarray, local: np.ndarray) -> sparse.csr_matrix:
    """The rows and columns of these names, numbered as ``local`` has them (-1 for all others)."""
    data, indices, counts = [], [], []
    for start in range(0, len(names), _ROWS):
        places, lengths = row_entries(meetings.indptr, names[start : start + _ROWS])
        column = local[meetings.indices[places]]
        kept = column >= 0
        rows = np.repeat(np.arange(len(lengths)), lengths)[kept]
        counts.append(np.bincount(rows, minlength=len(lengths)))
        indices.append(column[kept])
        data.append(meetings.data[places[kept]])
    if not data:
        return sparse.csr_matrix((0, 0), dtype=np.float32)
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    size = len(names)
    return sparse.csr_matrix((np.concatenate(data), np.concatenate(indices), indptr), (size, size))


def _shared(
    incidence: sparse.csr_matrix,
    weights: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    who: np.ndarray,
    other_who: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(how many, summed weight, highest weight) of shared coauthors, without the two themselves."""
    common = incidence[left].multiply(incidence[right]).tocsr()
    rows = np.repeat(np.arange(len(left)), np.diff(common.indptr))
    counted = (common.indices != who[rows]) & (common.indices != other_who[rows])
    rows, shared_weights = rows[counted], weights[common.indices[counted]]
    rarest = np.zeros(len(left), np.float32)
    np.maximum.at(rarest, rows, shared_weights)
    return np.bincount(rows, minlength=len(left)), np.bincount(rows, shared_weights, len(left)), rarest
