"""The part of a collection around new authorships: names that one of them could have, and their papers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import DisjointSet
from sklearn.feature_extraction.text import TfidfVectorizer

from data.keys import hash64
from index.identity.arrays import mapped
from index.identity.authorships import Authorships
from index.identity.collection import AuthorshipFiles, PaperVectors
from index.identity.commonness import Commonness
from index.identity.evidence import some_rows
from index.identity.judging import ODDS
from index.identity.person_names import PersonName, parse_name, partner_names
from index.identity.statistics import Statistics, by_paper, row_entries, tfidf, words_of
from index.models.distinct import distinct
from index.search.corpus import Corpus

_Row = tuple[int, int, int, str]


class _Names(Sequence[PersonName]):
    """A collection's names, and new ones after them."""

    def __init__(self, known: Sequence[PersonName], new: Sequence[PersonName]) -> None:
        self._known, self._new = known, new

    def __len__(self) -> int:
        return len(self._known) + len(self._new)

    def __getitem__(self, place: Any) -> Any:
        past = int(place) - len(self._known)
        return self._new[past] if past >= 0 else self._known[int(place)]


class _Part(Authorships):
    """Some papers' authorships, with the numbers that names have in the collection."""

    def __init__(
        self, ids: np.ndarray, near: Surroundings, odds: np.ndarray, wanted: set[int], **arrays: Any
    ) -> None:
        super().__init__(names=(), texts=(), **arrays)
        collection = near.collection
        self.__dict__["name_ids"] = ids, near.names
        self.__dict__["slowness"] = collection.authorships.slowness
        self.__dict__["short_ids"] = near.short_ids
        new = np.array([name.spelled for name in near.new_names], bool)
        self.__dict__["spelled"] = np.concatenate([collection.authorships.spelled, new])
        self.__dict__["paper"] = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        self.__dict__["near"] = near
        self.__dict__["odds"] = odds
        self.__dict__["wanted"] = wanted

    near: Surroundings
    odds: np.ndarray
    wanted: set[int]

    @property
    def papers(self) -> int:
        """How many papers the whole collection has."""
        return len(self.near.collection.papers)

    def name_odds(self, commonness: Commonness) -> np.ndarray:
        """As :meth:`Authorships.name_odds`, known before."""
        return self.odds

    def partners_of(self, names: set[int]) -> set[int]:
        """As :meth:`Authorships.partners_of`; all names that new ones could have are at hand."""
        return self.wanted - names


@dataclass(frozen=True)
class Stored:
    """Store ids and numbers beside some authorships."""

    authorships: Authorships
    papers: np.ndarray
    positions: np.ndarray
    authors: np.ndarray


class Surroundings:
    """What has to be known to place new authorships.

    Names are numbered as in the collection; those that it lacks come after them.
    """

    def __init__(
        self,
        corpus: Corpus,
        collection: AuthorshipFiles,
        later: list[int],
        tail: list[_Row],
        texts: dict[int, tuple[str, str, int]],
        new: list[_Row],
        commonness: Commonness,
    ) -> None:
        self.collection = collection
        self._commonness = commonness
        self._corpus, self._tail, self._texts = corpus, tail, texts
        self._later = np.array(later, np.int64)
        self._known = len(collection.authorships.name_ids[1])
        self.new_names: list[PersonName] = []
        self._number_of = self._numbered({row[3] for row in tail} | {row[3] for row in new})
        self._new = {self._number_of[row[3]] for row in new}
        self.names = _Names(collection.authorships.name_ids[1], self.new_names)

    @classmethod
    async def read(
        cls, corpus: Corpus, collection: AuthorshipFiles, new: list[_Row], commonness: Commonness
    ) -> Surroundings:
        """Read the papers that came after the collection was read."""
        later = await corpus.store.people.changed_since(collection.upto)
        tail = await corpus.store.people.authorships_of(later)
        texts = await corpus.store.texts(sorted({row[0] for row in tail}))
        return await asyncio.to_thread(cls, corpus, collection, later, tail, texts, new, commonness)

    # -- names -------------------------------------------------------------------------------------

    def _numbered(self, printed: set[str]) -> dict[str, int]:
        """The number of each printed form's name."""
        forms = sorted(printed)
        names = [parse_name(form) for form in forms]
        numbers = self._look_up("name", [hash64(name.key) for name in names])
        added: dict[str, int] = {}
        for place, name in enumerate(names):
            if numbers[place] < 0:
                numbers[place] = added.setdefault(name.key, self._known + len(added))
                if numbers[place] == self._known + len(self.new_names):
                    self.new_names.append(name)
        return dict(zip(forms, numbers.tolist(), strict=True))

    def _look_up(self, kind: str, hashes: list[int], what: str = "numbers") -> np.ndarray:
        """The number that each hash has in the collection, int64; -1 if none."""
        keys, values = (mapped(self.collection.folder, f"{kind}-{part}") for part in ("keys", what))
        wanted = np.array(hashes, np.int64)
        if not len(keys):
            return np.full(len(wanted), -1)
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, values[at], -1).astype(np.int64)

    @cached_property
    def short_ids(self) -> np.ndarray:
        """As :attr:`Authorships.short_ids`."""
        known = self.collection.authorships.short_ids
        shorts = [f"{name.initial} {name.family}" for name in self.new_names]
        numbers = self._look_up("short", [hash64(short) for short in shorts])
        top = len(mapped(self.collection.folder, "short-keys"))
        added: dict[str, int] = {}
        for place, short in enumerate(shorts):
            if numbers[place] < 0:
                numbers[place] = added.setdefault(short, top + len(added))
        return np.concatenate([known, numbers.astype(np.int32)])

    @cached_property
    def _nearby(self) -> dict[int, PersonName]:
        """All names with an initial and a family name that somebody new has."""
        order, begins = (mapped(self.collection.folder, part) for part in ("by-short", "short-begins"))
        shorts = {int(self.short_ids[name]) for name in self._new}
        near = {
            int(name)
            for short in shorts
            if short + 1 < len(begins)
            for name in order[begins[short] : begins[short + 1]]
        }
        near |= {name for name in self._number_of.values() if int(self.short_ids[name]) in shorts}
        return {name: self.names[name] for name in sorted(near)}

    def parts(self, most: int, together: Iterable[tuple[int, int]]) -> list[set[int]]:
        """The wanted names in parts that don't bear on each other, each with at most so many authorships.

        A part has more of them if one initial and family name has. The wanted names are those of new
        authorships and those that the same people could also use.

        Parameters
        ----------
        together
            The store's numbers of names that belong into the same part.
        """
        united = DisjointSet(sorted({self._short(name) for name in self._wanted}))
        pairs = list(together)
        names = self._names_of({author for pair in pairs for author in pair})
        for pair in pairs:
            shorts = {self._short(names[author]) for author in pair if author in names}
            if len(shorts) == 2 and all(short in united for short in shorts):
                united.merge(*shorts)
        families: dict[int, set[int]] = {}
        for name in sorted(self._wanted):
            families.setdefault(united[self._short(name)], set()).add(name)
        parts: list[set[int]] = []
        held = most
        for family in families.values():
            count = sum(self._count(name) for name in family)
            if held + count > most:
                parts.append(set())
                held = 0
            parts[-1] |= family
            held += count
        return parts

    def _names_of(self, authors: set[int]) -> dict[int, int]:
        """The names of some of the store's numbers."""
        if not authors:
            return {}
        known = np.flatnonzero(np.isin(self.collection.authors, sorted(authors)))
        ids = self.collection.authorships.name_ids[0]
        names = {int(self.collection.authors[place]): int(ids[place]) for place in known}
        return names | {row[2]: self._number_of[row[3]] for row in self._tail if row[2] in authors}

    def _short(self, name: int) -> int:
        return int(self.short_ids[name])

    def _count(self, name: int) -> int:
        """How many authorships of a name are known."""
        return len(self.collection.authorships.of_name(name)) if name < self._known else 1

    @cached_property
    def _wanted(self) -> set[int]:
        numbers = list(self._nearby)
        place = {number: at for at, number in enumerate(numbers)}
        names = list(self._nearby.values())
        partners = partner_names(names, {place[number] for number in self._new})
        return self._new | {numbers[at] for at in partners}

    def number_of(self, printed: str) -> int:
        """The number of a name as printed; it is that of a new authorship or of one that came late."""
        return self._number_of[printed]

    def author_numbers(self, wanted: set[int]) -> list[int]:
        """The store's numbers of some names."""
        collection = self.collection
        known = [collection.authorships.of_name(name) for name in sorted(wanted) if name < self._known]
        some = distinct(collection.authors[np.concatenate(known)]) if known else np.zeros(0, np.int64)
        late = {row[2] for row in self._tail if self._number_of[row[3]] in wanted}
        return sorted(late | set(some.tolist()))

    @cached_property
    def _odds(self) -> np.ndarray:
        """float64, shape (names,): log-odds by the name alone."""
        commonness, path = self._commonness, self.collection.folder / ODDS
        if not path.exists():  # the collection was gathered for placing, not judged
            new = path.with_name(f"new-{ODDS}")
            np.save(new, self.collection.authorships.name_odds(commonness))
            new.replace(path)
        known = np.load(path)
        families = sorted({name.family for name in self.new_names})
        counts = self._look_up("family", [hash64(family) for family in families], "counts")
        held = Counter(dict(zip(families, np.maximum(counts, 0).tolist(), strict=True)))
        held.update(name.family for name in self.new_names)
        names = {**self._nearby, **{self._known + at: name for at, name in enumerate(self.new_names)}}
        lacking = Counter({name.family: 1 for name in names.values() if name.family not in held})
        near = list(names.values())
        fresh = commonness.log_odds(near, len(self.names), held + lacking, self.new_names)
        return np.concatenate([known, np.array(fresh, np.float64)])

    # -- papers ------------------------------------------------------------------------------------

    def around(self, papers: list[int], names: set[int]) -> tuple[Authorships, Statistics, Stored]:
        """The authorships of these papers, as the store has them now, to judge those of some wanted names."""
        collection, known = self.collection, self.collection.authorships
        wanted, some = np.array(papers, np.int64), set(papers)
        old = np.flatnonzero(np.isin(collection.papers, wanted) & ~np.isin(collection.papers, self._later))
        places, counts = row_entries(known.offsets, old)
        tail = [row for row in self._tail if row[0] in some]
        paper = np.concatenate(
            [np.repeat(collection.papers[old], counts), np.array([row[0] for row in tail], np.int64)]
        )
        position = np.concatenate([collection.positions[places], [row[1] for row in tail]]).astype(np.int64)
        author = np.concatenate([collection.authors[places], [row[2] for row in tail]]).astype(np.int64)
        late = np.array([self._number_of[row[3]] for row in tail], np.int64)
        ids = np.concatenate([known.name_ids[0][places], late])
        order = np.lexsort((position, paper))
        held, sizes = np.unique(paper, return_counts=True)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        ids = ids[order]
        at_old = np.searchsorted(held, collection.papers[old])
        described = np.zeros(len(held), bool)
        described[at_old] = known.described[old]
        at_late = np.flatnonzero(np.isin(held, self._later))
        described[at_late] = [bool(self._texts.get(int(who), ("", ""))[1]) for who in held[at_late]]
        assert self._corpus.vectors is not None
        part = _Part(
            ids,
            self,
            self._odds,
            names,
            offsets=offsets,
            vectors=PaperVectors(self._corpus.vectors, held),
            days=self._corpus.facets.days_of(held),
            described=described,
        )
        statistics = self._statistics(part, held, old, at_old, at_late)
        return part, statistics, Stored(part, held, position[order], author[order])

    def _statistics(
        self, part: Authorships, held: np.ndarray, old: np.ndarray, at_old: np.ndarray, at_late: np.ndarray
    ) -> Statistics:
        """The collection's statistics, with the rows of these papers."""
        known, ids = self.collection.statistics, part.name_ids[0]
        whole = len(self.collection.papers)
        once = np.float32(np.log(max(whole, 2)))
        names, shorts = len(self.names), int(self.short_ids.max(initial=-1)) + 1
        weights = np.concatenate([known.weights, np.full(names - len(known.weights), once, np.float32)])
        more = np.full(max(shorts - len(known.short_weights), 0), once, np.float32)
        meetings = known.meetings
        indptr = np.concatenate(
            [meetings.indptr, np.full(names - len(meetings.indptr) + 1, meetings.indptr[-1])]
        )
        texts = [" ".join(self._texts.get(int(paper), ("", ""))[:2]) for paper in held[at_late]]
        terms = sparse.vstack([some_rows(known.terms, old), tfidf(self._words, texts)]).tocsr()
        return Statistics(
            by_paper(part.offsets, ids, names),
            by_paper(part.offsets, self.short_ids[ids], len(known.short_weights) + len(more)),
            weights,
            np.concatenate([known.short_weights, more]),
            sparse.csr_matrix((meetings.data, meetings.indices, indptr), (names, names), copy=False),
            terms[np.argsort(np.concatenate([at_old, at_late]))],
            known.far_meaning,
            known.far_words,
            known.usual_years,
        )

    @cached_property
    def _words(self) -> TfidfVectorizer | None:
        text = (self.collection.folder / "words.txt").read_text()
        return words_of(text.split("\n"), np.load(self.collection.folder / "words-idf.npy")) if text else None
