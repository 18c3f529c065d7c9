"""Which papers to ask about when a taste is unknown: those whose answers teach most about all the others.

Regression over the joint space with Gaussian prior (a Gaussian process with the cosine as its kernel). The
next question is the candidate that takes most variance off all candidates, each weighed by how likely it is
wanted: sequential transductive experimental design (Yu, Bi and Tresp 2006,
https://doi.org/10.1145/1143844.1143980), with the weights following the answers, so that questions go where
something was liked.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

NOISE = 0.3
"""Variance of an answer, where that of a paper's own place is one."""
EAGER = 3.0
"""How much more a paper weighs whose kind was liked."""


def next_question(
    joint: np.ndarray, answers: Mapping[int, float], asked: frozenset[int], prior: np.ndarray
) -> int | None:
    """The row to ask about next, or None where all were.

    Parameters
    ----------
    joint
        float32, shape (papers, dimension), rows of unit length.
    answers
        For rows that were answered 1 (wanted) or -1 (not).
    asked
        Rows that are not asked about again.
    prior
        float32, shape (papers,): how near each lies to what is known to be wanted, 0 to 1.
    """
    joint = np.asarray(joint, np.float64)
    left = np.array([row not in asked and row not in answers for row in range(len(joint))])
    if not left.any():
        return None
    rows = list(answers)
    mean = np.zeros(len(joint))
    covariance = joint @ joint.T
    if rows:
        known = covariance[np.ix_(rows, rows)] + NOISE * np.eye(len(rows))
        gain = np.linalg.solve(known, covariance[rows]).T
        mean = gain @ np.array([answers[row] for row in rows])
        covariance = covariance - gain @ covariance[rows]
    weight = np.exp(EAGER * (mean + np.asarray(prior, np.float64)))
    taken = (covariance**2 * weight[:, None]).sum(axis=0) / (np.maximum(np.diag(covariance), 0) + NOISE)
    return int(np.argmax(np.where(left, taken, -np.inf)))
