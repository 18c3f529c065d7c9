"""Papers whose people may be others than in the file of a pass: new ones, merged ones, corrected ones."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from index.models.distinct import is_in


class FreshPapers:
    """The people of some papers, beside a table of all papers whose entries for these no longer hold.

    Attributes
    ----------
    papers
        int64, ascending: the store ids concerned.
    names
        The present names of everybody concerned.
    """

    def __init__(
        self,
        papers: Iterable[int] = (),
        pairs: Iterable[tuple[int, int]] = (),
        names: dict[int, str] | None = None,
    ) -> None:
        """``pairs`` are (person, paper) of all these papers."""
        self.papers = np.array(sorted(set(papers)), np.int64)
        self.names = names or {}
        self.held = set(self.papers.tolist())
        self._pairs = sorted(set(pairs))
        self._papers_of: dict[int, list[int]] = {}
        self._writers_of: dict[int, list[int]] = {}
        for person, paper in self._pairs:
            self._papers_of.setdefault(person, []).append(paper)
            self._writers_of.setdefault(paper, []).append(person)

    def __len__(self) -> int:
        return len(self.papers)

    def papers_of(self, person: int, known: np.ndarray) -> np.ndarray:
        """A person's papers, ascending, from those that the table knows."""
        if not len(self.papers):
            return known
        kept = known[~is_in(known, self.papers)]
        own = self._papers_of.get(person)
        return np.sort(np.concatenate([kept, np.array(own, np.int64)])) if own else kept

    def holds(self, papers: np.ndarray) -> bool:
        """Whether any of some papers is among these."""
        return len(self.papers) > 0 and not self.held.isdisjoint(papers.tolist())

    def writers_of(self, paper: int) -> np.ndarray | None:
        """The people of a paper, ascending; None where the table knows them."""
        if paper not in self.held:
            return None
        return np.array(self._writers_of.get(paper, ()), np.int64)

    def pairs(self, known: np.ndarray) -> np.ndarray:
        """Rows of (person, paper) from those that the table knows."""
        if not len(self.papers):
            return known
        kept = known[~is_in(known[:, 1], self.papers)]
        return np.concatenate([kept, np.array(self._pairs, np.int64).reshape(-1, 2)])
