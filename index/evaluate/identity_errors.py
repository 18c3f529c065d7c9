"""Errors in telling people apart, by years, topic, missing abstracts and rarity of the name."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from index.identity.authorships import Authorships
from index.identity.clusters import pairs_within
from index.identity.models import certainty

_YEAR = 365.25
LONG, OFTEN = 22, 10
"""Years and papers of a long career."""
_SURE = (0.0, 0.8, 0.9, 0.95, 0.98)
_EDGES: dict[str, tuple[float, ...]] = {
    "years apart": (1, 3, 10),
    "cosine": (0.2, 0.4),
    "abstracts": (1, 2),
    "namesakes expected": (0.1, 1.0),
}


def errors(
    authorships: Authorships, truth: np.ndarray, person: np.ndarray, namesakes: np.ndarray
) -> list[dict[str, Any]]:
    """Pairs of mentions under one name: how many of one person's are split, of two people's merged.

    Parameters
    ----------
    truth, person
        int64, shape (authorships,): who it is and who it was judged to be; -1 where unknown.
    namesakes
        float64, shape (names,): how many namesakes to expect of each name.

    Returns
    -------
    list
        For each range of each property: ``same`` and ``different`` pairs, and the shares ``split`` and
        ``merged`` of them.
    """
    ids, _ = authorships.name_ids
    known = np.flatnonzero(truth >= 0)
    known = known[np.argsort(ids[known], kind="stable")]
    blocks = np.split(known, np.flatnonzero(np.diff(ids[known])) + 1)
    sides = [pairs_within(block) for block in blocks if len(block) > 1]
    one, other = (np.concatenate([side[at] for side in sides] or [np.zeros(0, np.int64)]) for at in (0, 1))
    left, right = authorships.paper[one], authorships.paper[other]
    days = authorships.days.astype(float)
    vectors = authorships.vectors
    values = {
        "years apart": np.abs(days[left] - days[right]) / _YEAR,
        "cosine": np.einsum("ij,ij->i", vectors[left].astype(np.float32), vectors[right].astype(np.float32)),
        "abstracts": authorships.described[left].astype(int) + authorships.described[right],
        "namesakes expected": namesakes[ids[one]],
    }
    same, together = truth[one] == truth[other], person[one] == person[other]
    rows = []
    for name, edges in _EDGES.items():
        place = np.searchsorted(edges, values[name], side="right")
        for number in range(len(edges) + 1):
            here = place == number
            low = f"from {edges[number - 1]:g}" if number else f"below {edges[0]:g}"
            rows.append(
                {
                    "by": name,
                    "range": low,
                    "same": int((here & same).sum()),
                    "split": _share(here & same, ~together),
                    "different": int((here & ~same).sum()),
                    "merged": _share(here & ~same, together),
                }
            )
    return rows


def _share(among: np.ndarray, wanted: np.ndarray) -> float | None:
    return round(float(wanted[among].mean()), 3) if among.any() else None


def confidence(
    truth: np.ndarray, person: np.ndarray, sure: np.ndarray, names: np.ndarray
) -> list[dict[str, Any]]:
    """How sure cards are beside how often they are right: cards of names that are several cards.

    Parameters
    ----------
    truth, person
        int64, shape (authorships,): who it is and who it was judged to be; -1 where unknown.
    sure
        float64, shape (authorships,): the judged chance that each is its person's.
    names
        int64, shape (authorships,): the name in use.

    Returns
    -------
    list
        For each range of what a card says (:func:`~index.identity.models.certainty`): the ``cards`` and their
        ``papers`` with a known author, the mean of what they say, and the share of these papers that are the
        card's main author's (``right``).
    """
    judged = np.unique(np.stack([names, person]), axis=1)[0]
    several = np.bincount(judged, minlength=int(names.max(initial=-1)) + 1) > 1
    known = np.flatnonzero((truth >= 0) & several[names])
    cards, place = np.unique(person[known], return_inverse=True)
    papers = np.bincount(place, minlength=len(cards))
    pairs, counts = np.unique(np.stack([place, truth[known]]), axis=1, return_counts=True)
    main = np.zeros(len(cards), np.int64)
    np.maximum.at(main, pairs[0], counts)
    inside = np.isin(person, cards)
    at = np.searchsorted(cards, person[inside])
    mean = np.bincount(at, sure[inside], len(cards)) / np.bincount(at, minlength=len(cards))
    says = np.array([certainty(value) for value in mean.tolist()])
    rows = []
    for low, high in pairwise((*_SURE, 1.01)):
        here = (says >= low) & (says < high) & (papers > 1)
        if here.any():
            rows.append(
                {
                    "sure": f"from {low:g}",
                    "cards": int(here.sum()),
                    "papers": int(papers[here].sum()),
                    "says": round(float(np.average(says[here], weights=papers[here])), 3),
                    "right": round(float(main[here].sum() / papers[here].sum()), 3),
                }
            )
    return rows


def long_careers(authorships: Authorships) -> list[np.ndarray]:
    """The authorships of each spelled name with :data:`OFTEN` papers over :data:`LONG` years or more."""
    ids, names = authorships.name_ids
    day = authorships.days[authorships.paper]
    order = np.argsort(ids, kind="stable")
    ends = np.cumsum(np.bincount(ids, minlength=len(names)))
    careers = []
    for name, mine in zip(names, np.split(order, ends[:-1]), strict=True):
        known = day[mine][day[mine] > 0]
        if name.spelled and len(known) >= OFTEN and known.max() - known.min() >= LONG * _YEAR:
            careers.append(mine)
    return careers


def on_cards(careers: list[np.ndarray], person: np.ndarray) -> dict[str, float | int]:
    """How many careers are one person, and the mean share of a career that its largest person has."""
    counts = [np.unique(person[mine], return_counts=True)[1] for mine in careers]
    return {
        "careers": len(careers),
        "on_one_card": round(float(np.mean([len(count) == 1 for count in counts])), 3) if counts else 0.0,
        "largest_card": round(float(np.mean([c.max() / c.sum() for c in counts])), 3) if counts else 0.0,
    }
