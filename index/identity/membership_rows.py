"""Who is who as the store has it, beside the arrays of a collection, and the numbers that people keep."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from data.stores.person_passes import Standing
from data.stores.store import Store
from index.identity.collection import AuthorshipFiles, place_keys
from index.identity.person_names import may_be_form, parse_name

FRESH = 1 << 40
"""Numbers from here on stand for new people, who have no number yet."""
SAME = 0.05
"""A confidence that changed by less than this is not written again."""
IDS_AT_ONCE = 5_000


@dataclass
class Stands:
    """The memberships that hold now, by the places of a collection.

    Attributes
    ----------
    was
        int32, shape (authorships,): the person at each place, -1 if there is none.
    known
        int32: the person of this name on this paper, -1 if there is none. A revision may have moved them to
        another place in the list, or put another name there.
    confidence, judged
        float32 and bool, as the store has them.
    gone
        Places (paper and position) with a membership where no current paper has an author.
    others
        Memberships of authorships that came after the collection was read: (person, paper).
    renamed
        Places that now list a different name than the one judged, with the number of the judged name.
    """

    was: np.ndarray
    known: np.ndarray
    confidence: np.ndarray
    judged: np.ndarray
    gone: list[tuple[int, int]] = field(default_factory=list)
    others: list[tuple[int, int]] = field(default_factory=list)
    renamed: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    async def read(cls, store: Store, collection: AuthorshipFiles) -> Stands:
        """Read them all, some papers at a time."""
        count = len(collection)
        stands = cls(
            np.full(count, -1, np.int32),
            np.full(count, -1, np.int32),
            np.zeros(count, np.float32),
            np.zeros(count, bool),
        )
        async for first, rows in all_standing(store):
            stands._take(collection, first, rows)
        return stands

    def _take(self, collection: AuthorshipFiles, first: int, rows: list[Standing]) -> None:
        some = collection.places_in(first, first + IDS_AT_ONCE)
        keys = collection.keys(some)
        mine = place_keys(np.array([row.paper_id for row in rows]), np.array([row.position for row in rows]))
        at = np.minimum(np.searchsorted(keys, mine), max(len(keys) - 1, 0))
        inside = keys[at] == mine if len(keys) else np.zeros(len(rows), bool)
        there = np.array([row.there for row in rows], bool)
        person = np.array([row.person_id for row in rows], np.int32)
        author = np.array([row.author_id for row in rows])
        chosen = np.flatnonzero(inside & there)
        places = some.start + at[chosen]
        self.was[places] = person[chosen]
        self.confidence[places] = [rows[row].confidence for row in chosen.tolist()]
        self.judged[places] = [rows[row].judged for row in chosen.tolist()]
        same = collection.authors[places] == author[chosen]
        self.known[places[same]] = person[chosen][same]
        self.renamed += zip(places[~same].tolist(), author[chosen][~same].tolist(), strict=True)
        stayed = np.zeros(len(rows), bool)
        stayed[chosen[same]] = True
        for row in np.flatnonzero(~stayed).tolist():
            self._follow(collection, rows[row])
        self.gone += [(rows[row].paper_id, rows[row].position) for row in np.flatnonzero(~there).tolist()]
        self.others += [
            (rows[row].person_id, rows[row].paper_id) for row in np.flatnonzero(there & ~inside).tolist()
        ]

    def _follow(self, collection: AuthorshipFiles, row: Standing) -> None:
        """Keep an author the same person if a revision moved them in the author list."""
        paper = collection.places_in(row.paper_id, row.paper_id + 1)
        now = paper.start + np.flatnonzero(collection.authors[paper] == row.author_id)
        if len(now) == 1 and self.known[now[0]] < 0:
            self.known[now[0]] = row.person_id

    async def leading(self, store: Store, form_of: np.ndarray, forms: Sequence[str]) -> np.ndarray:
        """As :attr:`was`, but -1 where the author now listed can't be the same person.

        A person left without papers is merged into whoever has them now, but never into a stranger who took
        their position in the author list.
        """
        names = await store.author_names.printed_by_number({author for _, author in self.renamed})
        leading = self.was.copy()
        for place, author in self.renamed:
            if not is_form(names.get(author, ""), forms[int(form_of[place])]):
                leading[place] = -1
        return leading


def is_form(one: str, other: str) -> bool:
    """Whether two printed names can be one person's."""
    return may_be_form(parse_name(one), parse_name(other))


async def all_standing(store: Store) -> AsyncIterator[tuple[int, list[Standing]]]:
    """All memberships that hold, by ranges of papers: the range's first store id and its rows."""
    last = await store.people.last_authored()
    for first in range(0, last + 1, IDS_AT_ONCE):
        rows = await store.people.standing_between(first, first + IDS_AT_ONCE)
        if rows:
            yield first, rows


def with_corrections(assigned: np.ndarray, then: np.ndarray, now: np.ndarray) -> np.ndarray:
    """A judgement's groups, with the corrections that people made while it ran.

    Parameters
    ----------
    assigned
        int64, shape (authorships,): the group of each.
    then, now
        int: the person of each when the judgement began, and now; -1 if unassigned.

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
        touched = np.unique(assigned[mine])
        inside = np.isin(assigned, touched) & (now >= 0) & ~mine
        wholly = np.setdiff1d(touched, assigned[inside])
        if rest.any():
            groups, sizes = np.unique(assigned[rest], return_counts=True)
            into = int(groups[sizes.argmax()])
        else:
            into = int(wholly[0]) if len(wholly) else int(assigned.max()) + 1
        assigned[mine | np.isin(assigned, wholly)] = into
    return assigned


def numbered_as_known(group: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Groups, numbered as the people whose authorships they mostly hold; others from ``1 << 40`` on."""
    labels, at = np.unique(group, return_inverse=True)
    label, old, counts = pair_counts(at, known)
    number = np.full(len(labels), -1, np.int64)
    taken = np.zeros(int(known.max(initial=-1)) + 1, bool)
    for place in np.lexsort((old, -counts)).tolist():
        if number[label[place]] < 0 and not taken[old[place]]:
            number[label[place]] = old[place]
            taken[old[place]] = True
    new = number < 0
    number[new] = FRESH + np.arange(int(new.sum()))
    numbered: np.ndarray = number[at]
    return numbered


def pair_counts(one: np.ndarray, other: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How often two numbers stand side by side: (one, other, count); negative numbers are left out."""
    both = (one >= 0) & (other >= 0)
    codes, counts = np.unique(
        one[both].astype(np.int64) << 32 | other[both].astype(np.int64), return_counts=True
    )
    return codes >> 32, codes & 0xFFFFFFFF, counts
