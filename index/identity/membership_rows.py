"""Memberships after a judgement: people keep their numbers, and only rows that differ are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from data.stores.person_passes import Membership
from index.identity.authorships import Authorships
from index.identity.identity import Judgement

FRESH = 1 << 40
"""Numbers from here on stand for new people, who have no number yet."""
_SAME = 0.05
"""A confidence that changed by less than this is not written again."""


@dataclass(frozen=True)
class StoredAuthorships:
    """The store's authorships as arrays."""

    authorships: Authorships
    papers: np.ndarray
    """int64, shape (papers,): store ids."""
    positions: np.ndarray
    """int64, shape (authorships,): positions as the store has them."""
    authors: np.ndarray
    """int64, shape (authorships,): the store's numbers of the names."""

    def places(self) -> dict[tuple[int, int], int]:
        """Each authorship by its paper and position."""
        papers = self.papers[self.authorships.paper]
        return dict(
            zip(zip(papers.tolist(), self.positions.tolist(), strict=True), range(len(papers)), strict=True)
        )


def known_people(stored: StoredAuthorships, before: Sequence[Membership]) -> tuple[np.ndarray, np.ndarray]:
    """The earlier knowledge about each authorship.

    Returns
    -------
    tuple
        int64, the person, -1 if the name there changed or is new; and bool, whether a full pass judged it.
    """
    places = stored.places()
    known = np.full(len(stored.positions), -1, np.int64)
    judged = np.zeros(len(stored.positions), bool)
    for row in before:
        place = places.get((row.paper_id, row.position))
        if place is not None and stored.authors[place] == row.author_id:
            known[place] = row.person_id
            judged[place] = row.judged
    return known, judged


def with_corrections(assigned: np.ndarray, then: np.ndarray, now: np.ndarray) -> np.ndarray:
    """A judgement's groups, with the corrections that people made while it ran.

    Parameters
    ----------
    assigned
        int64, shape (authorships,): the group of each.
    then, now
        int64: the person of each when the judgement began, and now; -1 if unassigned.

    Returns
    -------
    numpy.ndarray
        Authorships that were moved to somebody join the rest of that person's, or form a group if there is no
        rest. If all known authorships of a group were moved, the others of the group follow.
    """
    assigned = assigned.copy()
    moved = (now != then) & (now >= 0) & (then >= 0)
    for person in np.unique(now[moved]).tolist():
        mine = moved & (now == person)
        rest = (now == person) & ~moved
        others = set(np.unique(assigned[(now >= 0) & ~mine]).tolist())
        wholly = [group for group in np.unique(assigned[mine]).tolist() if group not in others]
        if rest.any():
            groups, sizes = np.unique(assigned[rest], return_counts=True)
            into = int(groups[sizes.argmax()])
        else:
            into = wholly[0] if wholly else int(assigned.max()) + 1
        assigned[mine | np.isin(assigned, wholly)] = into
    return assigned


def numbered_as_known(group: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Groups, numbered as the people whose authorships they mostly hold; others from ``1 << 40`` on."""
    labels, at = np.unique(group, return_inverse=True)
    both = known >= 0
    pairs, counts = np.unique(np.stack([at[both], known[both]]), axis=1, return_counts=True)
    number = np.full(len(labels), -1, np.int64)
    taken: set[int] = set()
    for place in np.lexsort((pairs[1], -counts)):
        label, old = int(pairs[0, place]), int(pairs[1, place])
        if number[label] < 0 and old not in taken:
            number[label] = old
            taken.add(old)
    new = number < 0
    number[new] = FRESH + np.arange(int(new.sum()))
    return number[at]


def changes(
    stored: StoredAuthorships,
    person: np.ndarray,
    judgement: Judgement,
    before: Sequence[Membership],
    *,
    full: bool,
) -> tuple[list[dict[str, Any]], list[tuple[int, int]], list[tuple[int, int]]]:
    """Memberships to write, places to empty, and (person that vanished, person who has most of theirs)."""
    papers = stored.papers[stored.authorships.paper]
    old = {(row.paper_id, row.position): row for row in before}
    changed: list[dict[str, Any]] = []
    moved: dict[int, Counter[int]] = {}
    for place, (paper, position, author, who) in enumerate(
        zip(papers.tolist(), stored.positions.tolist(), stored.authors.tolist(), person.tolist(), strict=True)
    ):
        was = old.pop((paper, position), None)
        if was is not None and was.person_id != who:
            moved.setdefault(was.person_id, Counter())[who] += 1
        judged = judgement.person[place] >= 0
        if was is not None and was.author_id == author and was.person_id == who:
            confidence = float(judgement.confidence[place]) if judged else was.confidence
            if abs(confidence - was.confidence) < _SAME and (was.judged or not full):
                continue
        elif not judged:
            continue
        changed.append(membership_row(stored, papers, judgement, place, who, full))
    held = set(np.unique(person).tolist())
    merged = [(gone, into.most_common(1)[0][0]) for gone, into in sorted(moved.items()) if gone not in held]
    return changed, sorted(old), merged


def membership_row(
    stored: StoredAuthorships, papers: np.ndarray, judgement: Judgement, place: int, who: int, judged: bool
) -> dict[str, Any]:
    support = int(judgement.support[place])
    return {
        "paper_id": int(papers[place]),
        "position": int(stored.positions[place]),
        "author_id": int(stored.authors[place]),
        "person_id": who,
        "confidence": round(float(judgement.confidence[place]), 3),
        "support": int(papers[support]) if support >= 0 else None,
        "judged": judged,
    }


def corrected_since(
    before: Sequence[Membership], now: Sequence[Membership]
) -> tuple[list[dict[str, Any]], list[tuple[int, int]]]:
    """Memberships that changed in between, as rows, and places that became empty."""
    was = {(row.paper_id, row.position): row for row in before}
    changed = [asdict(row) for row in now if was.pop((row.paper_id, row.position), None) != row]
    return changed, sorted(was)
