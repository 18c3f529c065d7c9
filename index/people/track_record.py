"""What people's papers add up to, over everybody at once: the basis of scores."""

from __future__ import annotations

import numpy as np

from index.people.people import MOST_AUTHORS
from index.people.people_table import PeopleTable


def summed(table: PeopleTable, values: np.ndarray) -> np.ndarray:
    """The sum of each person's values, given by store id, in the order of the table: float64."""
    if not len(table.papers):
        return np.zeros(0)
    inside = table.papers < len(values)
    of_papers = np.where(inside, values[np.where(inside, table.papers, 0)], 0.0)
    return np.asarray(np.add.reduceat(of_papers, table.ends[:-1]))


def best_earlier(table: PeopleTable, days: np.ndarray, values: np.ndarray) -> np.ndarray:
    """By store id: the highest value among its authors' papers of earlier days, 0 if there is none.

    ``days`` and ``values`` are given by store id. Papers by more than
    :data:`index.people.people.MOST_AUTHORS` people stay at 0.
    """
    inside = table.papers < min(len(values), len(days))
    owner = np.repeat(np.arange(len(table.ids)), np.diff(table.ends))[inside]
    papers = table.papers[inside].astype(np.int64)
    day = days[papers].astype(np.int64)
    order = np.lexsort((papers, day, owner))
    owner, papers, day = owner[order], papers[order], day[order]
    step = float(values[papers].max(initial=0.0)) + 1.0
    highest = np.maximum.accumulate(values[papers] + owner * step) - owner * step
    # The last place before this day of the same person.
    first = np.flatnonzero((np.diff(owner, prepend=-1) != 0) | (np.diff(day, prepend=-1) != 0))
    before = np.repeat(first, np.diff(np.append(first, len(owner)))) - 1
    known = (before >= 0) & (owner[np.maximum(before, 0)] == owner)
    out = np.zeros(len(values))
    np.maximum.at(out, papers[known], highest[before[known]])
    large = table.paper_ids[np.diff(table.paper_ends) > MOST_AUTHORS]
    out[large[large < len(out)]] = 0.0
    return out
