"""Topics: phrases of papers, each in one form; a person's topics, and growing topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import overload

import numpy as np
from scipy import sparse

from index.models.distinct import is_in
from index.models.mapped import Draft, MappedArrays, are_ends, parts, within
from index.models.read_ahead import gathered
from index.people.joined import joined, slices
from index.search.phrase_text import keys_in, phrase_parts
from index.search.phrase_vocabulary import TopicVocabulary, about, batched, highest, vocabulary
from index.search.phrases import PhraseFinder, ScoredPhrases, chances

FORMAT = "topics-3"
_ARRAYS = (
    *("phrases", "phrase_ends", "words", "frequency", "keys", "key_columns", "papers"),
    *("ends", "columns", "chances", "topic_ends", "topic_rows"),
)
_COMMON = 0.04
"""The share of papers above which a phrase is too common to characterise a person."""
LEAST_NOW = 8
"""The least number of papers that a growing topic has in the period: three papers are not a trend."""
MOST_FALSE = 0.1
"""False discovery rate of growing topics (Benjamini and Hochberg 1995)."""
Progress = Callable[[int, int], None]
_SHARED_MOST, _SHARED_LEAST = 0.004, 20
"""A topic with a larger share of all papers, and more papers than this, is not named as a shared topic."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A phrase with the papers that contain it (newest first) and its weight."""

    phrase: str
    papers: tuple[int, ...]
    weight: float
    column: int = -1
    """Its place among all topics."""


@dataclass(frozen=True, slots=True)
class Trend:
    """A topic that grew: papers now and before, in periods of the given numbers of papers."""

    phrase: str
    now: int
    before: int
    growth: float
    """The factor by which its share of all papers grew."""
    q: float
    """The lowest false discovery rate at which it counts as growing."""
    papers: tuple[int, ...]


class Topics:
    """The topics of each paper.

    Attributes
    ----------
    phrases
        The printed form of each topic.
    """

    def __init__(self, arrays: Mapping[str, np.ndarray], upto: int) -> None:
        """From the arrays of a file (:meth:`save`), found up to a change of the store."""
        self.upto = upto
        self._arrays = dict(arrays)
        self.phrases: Sequence[str] = PackedTexts(arrays["phrases"], arrays["phrase_ends"])
        self._papers = arrays["papers"]
        self._ends, self._columns, self._chances = arrays["ends"], arrays["columns"], arrays["chances"]
        self._frequency = arrays["frequency"]
        total = max(len(self._papers), 2)
        common = self._frequency > max(_COMMON * total, 3)
        self._telling = np.where(common, 0.0, np.log(total / np.maximum(self._frequency, 1)))
        self._telling *= 0.6 + 0.2 * arrays["words"].astype(np.float32)

    @classmethod
    def made_of(cls, found: TopicVocabulary, papers: np.ndarray, upto: int) -> Topics:
        """From the topics of papers (ascending store ids, one a row)."""
        rows = found.rows.tocsr()
        by_topic = rows.tocsc()
        held = rows.indices[rows.data > 0]
        sizes = [len(phrase.encode()) for phrase in found.printed]
        words = [min(phrase.count(" ") + 1, 255) for phrase in found.printed]
        arrays = {
            "phrases": np.frombuffer("".join(found.printed).encode(), np.uint8),
            "phrase_ends": np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            "words": np.array(words, np.uint8),
            "frequency": np.bincount(held, minlength=len(found.printed)).astype(np.int32),
            "keys": found.keys.astype(np.uint64),
            "key_columns": found.columns.astype(np.int32),
            "papers": np.asarray(papers, np.int64),
            "ends": rows.indptr.astype(np.int64),
            "columns": rows.indices.astype(np.int32),
            "chances": rows.data.astype(np.float32),
            "topic_ends": by_topic.indptr.astype(np.int64),
            "topic_rows": by_topic.indices.astype(np.int32),
        }
        return cls(arrays, upto)

    def __len__(self) -> int:
        return len(self.phrases)

    @property
    def papers(self) -> np.ndarray:
        """Store ids of the papers that were read, ascending."""
        return self._papers

    def packed(self) -> tuple[bytes, np.ndarray, np.ndarray]:
        """All phrases one after the other, where each ends (from 0 on), and how many papers have each."""
        return self._arrays["phrases"].tobytes(), self._arrays["phrase_ends"], self._frequency

    # -- making ----------------------------------------------------------------------------------

    @classmethod
    def build(
        cls,
        papers: Sequence[int] | np.ndarray,
        texts: Iterable[tuple[str, str]],
        upto: int,
        progress: Progress | None = None,
        seen: Callable[[ScoredPhrases], None] | None = None,
    ) -> Topics:
        """Find the topics of papers (ascending store ids) from their titles and abstracts.

        All phrases of the papers are ``seen`` on the way.
        """
        tell = (lambda done: progress(done, len(papers))) if progress else None
        found = vocabulary(texts, PhraseFinder.shipped(), tell, seen)
        return cls.made_of(found, np.asarray(papers, np.int64), upto)

    def extended(
        self, papers: Sequence[int] | np.ndarray, texts: Sequence[tuple[str, str]], upto: int
    ) -> Topics:
        """Add further or changed papers, using the topics that are already known."""
        known_keys, key_columns = self._arrays["keys"], self._arrays["key_columns"]
        found: list[tuple[np.ndarray, ...]] = []
        done = 0
        for part in batched(texts):
            scored = PhraseFinder.shipped().score(part, lambda text, key, size: is_in(key, known_keys))
            rows = about(scored)
            place = np.searchsorted(known_keys, scored.table.key[rows])
            found.append((scored.table.text[rows] + done, key_columns[place], chances(scored)[rows]))
            done += len(part)
        lines, columns, values = (
            (np.concatenate(column) for column in zip(*found, strict=True))
            if found
            else (np.zeros(0, np.int64),) * 3
        )
        new = highest(lines, columns, values, (len(papers), len(self.phrases)))
        unchanged = ~np.isin(self._papers, papers)
        ids = np.concatenate([self._papers[unchanged], np.asarray(papers, np.int64)])
        order = np.argsort(ids)
        rows = sparse.vstack([self._rows(np.flatnonzero(unchanged)), new]).tocsr()[order]
        present = TopicVocabulary(list(self.phrases), known_keys, key_columns, rows)
        return Topics.made_of(present, ids[order], upto)

    def save(self, path: Path) -> None:
        """Write to a file, whole or not at all."""
        with Draft(path, FORMAT) as draft:
            for name in _ARRAYS:
                array = self._arrays[name]
                draft.add(name, array.astype(np.float16) if name == "chances" else array)
            draft.publish(upto=self.upto)

    @classmethod
    def load(cls, path: Path) -> Topics | None:
        """Map a file; None if it is missing or torn, or its parts don't fit each other."""
        held = MappedArrays.open(path, FORMAT, _ARRAYS)
        if held is None or "upto" not in held.stamp:
            return None
        topics, papers, cells = len(held["words"]), len(held["papers"]), len(held["columns"])
        fits = (
            len(held["frequency"]) == topics
            and len(held["keys"]) == len(held["key_columns"])
            and len(held["chances"]) == len(held["topic_rows"]) == cells
            and are_ends(held["phrase_ends"], topics, len(held["phrases"]))
            and are_ends(held["ends"], papers, cells)
            and are_ends(held["topic_ends"], topics, cells)
            and within(held["columns"], topics)
            and within(held["topic_rows"], papers)
            and within(held["key_columns"], topics)
        )
        return cls({name: held[name] for name in _ARRAYS}, held.stamp["upto"]) if fits else None

    def _rows(self, rows: np.ndarray) -> sparse.csr_matrix:
        """Papers x topics: the chance that the authors would name it, float32."""
        return sparse.csr_matrix(self._cells(rows), (len(rows), len(self.phrases)))

    def _cells(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What that matrix is made of: chances (float32), columns, and where each row's begin."""
        places, starts = parts(self._ends, rows)
        chances = gathered(self._chances, places).astype(np.float32)
        return chances, gathered(self._columns, places), starts

    # -- asking ----------------------------------------------------------------------------------

    def of(self, papers: Sequence[int] | np.ndarray, most: int = 6) -> list[Topic]:
        """The topics of some papers together, most characteristic first, no word in two of them.

        Weighted as tf-idf: the chances that the papers' authors would name a phrase, summed, times its rarity
        among all papers and its length. Topics of a single paper come after those of several.
        """
        return self.of_each([papers], most)[0]

    def of_each(self, several: Sequence[Sequence[int] | np.ndarray], most: int = 6) -> list[list[Topic]]:
        """The topics of several groups of papers (:meth:`of`), looked up together."""
        rows, of = joined([self._places(np.asarray(papers, np.int64)) for papers in several])
        chances, columns, starts = self._cells(rows)
        owner = np.repeat(np.arange(len(rows)), np.diff(starts))
        cells = slices(of[owner], len(several))
        pairs, tf, df = _summed(chances, of[owner] * len(self.phrases) + columns)
        group, topics = np.divmod(pairs, max(len(self.phrases), 1))
        share = df / np.bincount(of, minlength=len(several))[group]
        weight = np.sqrt(tf) * self._telling[topics] * np.where(df > 1, 1.0, 0.35) * (0.3 + share) ** 0.3
        found = []
        for own, its in zip(slices(group, len(several)), cells, strict=True):
            picked = []
            for place in self._apart(topics[own], weight[own], most):
                topic = int(topics[own][place])
                papers = self._papers[rows[owner[its][columns[its] == topic]]]
                picked.append(
                    Topic(self.phrases[topic], tuple(papers.tolist()), float(weight[own][place]), topic)
                )
            found.append(picked)
        return found

    def had_by(
        self, papers: np.ndarray, least: int, least_in_all: int, most_of_all: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Topics of some papers, and which paper has which.

        Parameters
        ----------
        least, least_in_all, most_of_all
            How many of these papers have a topic at least; how many of all papers, and what share at most.

        Returns
        -------
        (topics, has)
            Columns, and booleans of shape (papers, topics).
        """
        papers = np.asarray(papers, np.int64)
        known = is_in(papers, self._papers)
        rows = self._rows(np.searchsorted(self._papers, papers[known]))
        counts = np.bincount(rows.indices, minlength=len(self.phrases))
        wanted = (counts >= least) & (self._frequency >= least_in_all)
        wanted &= self._frequency <= most_of_all * len(self._papers)
        topics = np.flatnonzero(wanted)
        has = np.zeros((len(papers), len(topics)), bool)
        has[known] = np.asarray(rows[:, topics].todense()) > 0
        return topics, has

    def papers_with(self, topic: int, most: int) -> np.ndarray:
        """Store ids of the newest papers with a topic, ascending."""
        start, end = self._arrays["topic_ends"][topic : topic + 2]
        return np.asarray(np.sort(self._papers[self._arrays["topic_rows"][start:end]])[-most:])

    def _apart(self, topics: np.ndarray, weight: np.ndarray, most: int) -> Iterator[int]:
        """Places of the heaviest topics, no word in two of them."""
        taken: set[str] = set()
        picked = 0
        for place in np.argsort(-weight, kind="stable")[: 20 * most]:
            stems = set(phrase_parts(self.phrases[int(topics[place])]))
            if weight[place] <= 0 or picked == most:
                return
            if not stems & taken:
                taken |= stems
                picked += 1
                yield int(place)

    def _places(self, papers: np.ndarray) -> np.ndarray:
        places = np.searchsorted(self._papers, papers)
        inside = places < len(self._papers)
        inside[inside] &= self._papers[places[inside]] == papers[inside]
        return places[inside]

    def shared(self, one: Sequence[int], other: Sequence[int], most: int = 5) -> list[str]:
        """Topics that two sets of papers share, most characteristic first, without the most common ones."""
        left, right = self._places(np.asarray(one, np.int64)), self._places(np.asarray(other, np.int64))
        if not len(left) or not len(right):
            return []
        mine, my_weight, _ = _summed(*self._cells(left)[:2])
        theirs, their_weight, _ = _summed(*self._cells(right)[:2])
        both, my_place, their_place = np.intersect1d(mine, theirs, return_indices=True)
        weight = np.sqrt(np.minimum(my_weight[my_place], their_weight[their_place])) * self._telling[both]
        weight[self._frequency[both] > max(_SHARED_LEAST, _SHARED_MOST * len(self._papers))] = 0.0
        return [self.phrases[int(both[place])] for place in self._apart(both, weight, most)]

    def mentioned(self, texts: Sequence[tuple[str, str]]) -> set[int]:
        """The columns of all topics that any of these titles and abstracts mentions, even in passing."""
        found = np.isin(self._arrays["keys"], keys_in(texts))
        return set(self._arrays["key_columns"][found].tolist())

    def trending(
        self, days: np.ndarray, today: date, length: int, allowed: np.ndarray | None = None, most: int = 8
    ) -> tuple[list[Trend], int, int]:
        """Topics whose share of the papers grew compared with the period before.

        Parameters
        ----------
        days
            Ordinals by store id (:class:`index.search.facets.Facets`).
        allowed
            Booleans by store id, or None for all papers.

        Returns
        -------
        (trends, papers now, papers before)
            Trends that stand a one-sided binomial test at a false discovery rate of 10 %, largest gain first.
        """
        inside = self._papers < len(days)
        ordinals = np.where(inside, days[np.where(inside, self._papers, 0)], 0)
        if allowed is not None:
            known = self._papers < len(allowed)
            ordinals = np.where(known & allowed[np.where(known, self._papers, 0)], ordinals, 0)
        end = today.toordinal()
        now = (ordinals > end - length) & (ordinals <= end)
        before = (ordinals > end - 2 * length) & (ordinals <= end - length)
        papers_now, papers_before = int(now.sum()), int(before.sum())
        if not papers_now or not papers_before:
            return [], papers_now, papers_before
        present = self._rows(np.flatnonzero(now))
        here, there = self._counts(present), self._counts(self._rows(np.flatnonzero(before)))
        tested = np.flatnonzero(here >= LEAST_NOW)
        share = papers_now / (papers_now + papers_before)
        from scipy import stats  # lazy: start-up; takes half a second

        p = stats.binom.sf(here[tested] - 1, here[tested] + there[tested], share)
        q = stats.false_discovery_control(p) if len(p) else p
        grown = np.flatnonzero(q <= MOST_FALSE)
        gain = here[tested] / papers_now - there[tested] / papers_before
        trends: list[Trend] = []
        taken: list[set[str]] = []
        longest = -np.array([len(self.phrases[int(topic)]) for topic in tested[grown]], np.int64)
        for place in grown[np.lexsort((longest, -gain[grown]))]:
            topic = int(tested[place])
            stems = set(phrase_parts(self.phrases[topic]))
            if any(len(stems & other) >= min(len(stems), len(other)) for other in taken):
                continue
            taken.append(stems)
            column = np.asarray(present[:, [topic]].todense()).ravel()
            recent = self._papers[np.flatnonzero(now)[column > 0]]
            newest = recent[np.argsort(-days[recent], kind="stable")]
            rate = (here[topic] / papers_now) / ((there[topic] + 0.5) / papers_before)
            trends.append(
                Trend(
                    self.phrases[topic],
                    int(here[topic]),
                    int(there[topic]),
                    float(rate),
                    float(q[place]),
                    tuple(newest.tolist()),
                )
            )
            if len(trends) == most:
                break
        return trends, papers_now, papers_before

    def _counts(self, rows: sparse.csr_matrix) -> np.ndarray:
        return np.bincount(rows.indices, minlength=len(self.phrases))


class PackedTexts(Sequence[str]):
    """Texts in two arrays: all of them one after another, and where each ends."""

    def __init__(self, text: np.ndarray, ends: np.ndarray) -> None:
        self._text, self._ends = text, ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, slice):
            return [self[at] for at in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        at = place % len(self)
        return self._text[self._ends[at] : self._ends[at + 1]].tobytes().decode("utf-8", "replace")


def _summed(values: np.ndarray, columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(columns in use, summed values, number of rows with a value) of a few rows."""
    used, inverse = np.unique(columns, return_inverse=True)
    return used, np.bincount(inverse, values, len(used)), np.bincount(inverse, minlength=len(used))
