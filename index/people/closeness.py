"""How close the work of two people is, paper by paper."""

from __future__ import annotations

import numpy as np

from index.models.distinct import common, is_in

MOST = 60
"""Of a person's papers the newest so many are compared."""

ALIKE = 0.6
"""Two papers with at least this cosine count as close; random pairs of one field rarely have it."""


def closeness(one: np.ndarray, other: np.ndarray) -> float:
    """The mean over all papers of both of the cosine with the most similar paper of the other.

    Mean embeddings of two people in one field are nearly the same for everybody; papers are not. This is the
    symmetric mean of best matches, as for point sets (Dubuisson and Jain 1994, distance D22 as a similarity).

    Parameters
    ----------
    one, other
        float32, shapes (papers, dimension): unit rows, one a paper.

    Returns
    -------
    float
        From -1 to 1; 0 if one of them has no paper.
    """
    if not len(one) or not len(other):
        return 0.0
    cosines = one @ other.T
    return float((cosines.max(axis=1).mean() + cosines.max(axis=0).mean()) / 2)


def alike_papers(one: np.ndarray, other: np.ndarray) -> int:
    """How many papers of ``other`` are close to one of ``one``; arguments as for :func:`closeness`."""
    return int(((one @ other.T).max(axis=0) >= ALIKE).sum()) if len(one) and len(other) else 0


def apart(mine: np.ndarray, theirs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The newest papers of each without those of both; all of a person's who has no others.

    Parameters
    ----------
    mine, theirs
        Store ids, newest first.
    """
    both = common(mine, theirs)
    own, other = (papers[~is_in(papers, both)] for papers in (mine, theirs))
    return (own if len(own) else mine)[:MOST], (other if len(other) else theirs)[:MOST]
