"""People after a judgement, as arrays: names, counts, and where those who vanished lead."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from data.stores.store import Store
from index.identity.membership_rows import pair_counts

PEOPLE_AT_ONCE = 20_000
Row = dict[str, Any]


@dataclass(frozen=True)
class Counted:
    """Everybody with authorships: numbers ascending, how many, and the most frequent printed form."""

    people: np.ndarray
    papers: np.ndarray
    form: np.ndarray


def counted(person: np.ndarray, form_of: np.ndarray, forms: Sequence[str]) -> Counted:
    """Count the authorships of each person; of forms that are equally frequent, the first in the alphabet."""
    who, form, counts = pair_counts(person, form_of)
    order = np.lexsort((-counts, who))
    who, form, counts = who[order], form[order], counts[order]
    people, first = np.unique(who, return_index=True)
    papers = np.add.reduceat(counts, first) if len(first) else counts
    best = form[first]
    ends = np.append(first[1:], len(who))
    second = np.minimum(first + 1, max(len(who) - 1, 0))
    for place in np.flatnonzero((first + 1 < ends) & (counts[second] == counts[first])).tolist():
        own = slice(first[place], ends[place])
        tied = form[own][counts[own] == counts[first[place]]]
        best[place] = min(tied.tolist(), key=lambda number: forms[number])
    return Counted(people, papers, best)


def vanished(was: np.ndarray, person: np.ndarray, held: np.ndarray) -> dict[int, int]:
    """People who hold nothing any more, and the person who has most of what they had."""
    moved = was != person
    gone, into, counts = pair_counts(was[moved], person[moved])
    lost = ~np.isin(gone, held)
    gone, into, counts = gone[lost], into[lost], counts[lost]
    order = np.lexsort((into, -counts, gone))
    who, first = np.unique(gone[order], return_index=True)
    return dict(zip(who.tolist(), into[order][first].tolist(), strict=True))


async def changed_people(
    store: Store, now: Counted, forms: Sequence[str], leads: dict[int, int]
) -> AsyncIterator[tuple[list[Row], list[tuple[int, int]]]]:
    """Rows of people that are new or changed, and further (person, person they lead to), some at a time.

    A person who led to somebody that vanished now leads where that one leads.
    """
    top = await store.people.last_number() + 1
    first = 0
    while first < top:
        last = first + PEOPLE_AT_ONCE
        known = await store.people.people_rows(first, last)
        start, stop = np.searchsorted(now.people, [first, last]).tolist()
        rows: list[Row] = []
        for who, papers, form in zip(
            now.people[start:stop].tolist(),
            now.papers[start:stop].tolist(),
            now.form[start:stop].tolist(),
            strict=True,
        ):
            name = forms[form]
            if known.get(who) != (name, papers, None):
                rows.append({"id": who, "name": name, "papers": papers, "merged_into": None})
        yield rows, [(who, leads[into]) for who, (_, _, into) in known.items() if into in leads]
        first = last
