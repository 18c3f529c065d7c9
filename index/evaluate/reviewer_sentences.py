"""Comparing a submission with a person's papers sentence by sentence, instead of by one vector a paper."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from index.answers.roles import ROLES, Roles
from index.answers.sentences import split
from index.search.embedding import Embedder

MOST_SENTENCES = 14
LEAST_WEIGHT = 0.05
"""What a sentence of another role still counts, so that an abstract without the role is compared, too."""
WEIGHED: dict[str, tuple[str, ...]] = {
    "all": ROLES,
    "no background": ROLES[1:],
    "objective": ("objective",),
    "method": ("method",),
    "finding": ("result", "conclusion"),
}
"""Which sentences of the submission count; its title always does."""


class PaperSentences:
    """The sentences of papers, each with its vector and its role.

    Attributes
    ----------
    vectors
        float32, shape (sentences, dimension), unit rows; a paper's title is its first.
    roles
        float64, shape (sentences, 5): probabilities, all 1 for titles.
    """

    def __init__(self, papers: Sequence[int], texts: Sequence[tuple[str, str]], embedder: Embedder) -> None:
        """``texts`` are (title, abstract) of ``papers``, which are rows of a collection."""
        known, self._spans = Roles.shipped(), {}
        sentences: list[str] = []
        roles = []
        for paper, (title, abstract) in zip(papers, texts, strict=True):
            parts = split(abstract)[:MOST_SENTENCES]
            start = len(sentences)
            sentences += [title, *(part.text for part in parts)]
            roles += [np.ones((1, len(ROLES))), known.probabilities(parts)]
            self._spans[paper] = slice(start, len(sentences))
        self.vectors = np.asarray(embedder.encode(sentences), np.float32)
        self.roles = np.concatenate(roles)

    def late(self, compared: Sequence[int], own: Sequence[int]) -> dict[str, np.ndarray]:
        """Each sentence of a submission meets its nearest of a person's (Khattab and Zaharia 2020).

        Parameters
        ----------
        compared, own
            Submissions, and the person's papers.

        Returns
        -------
        dict
            For each way of weighing, the mean cosine: float64, shape (compared,).
        """
        theirs = np.concatenate([self.vectors[self._spans[paper]] for paper in own])
        out: dict[str, list[float]] = {name: [] for name in WEIGHED}
        for paper in compared:
            span = self._spans[paper]
            nearest = (self.vectors[span] @ theirs.T).max(axis=1)
            for name, wanted in WEIGHED.items():
                columns = [ROLES.index(role) for role in wanted]
                weight = np.clip(self.roles[span][:, columns].sum(axis=1), LEAST_WEIGHT, 1.0)
                out[name].append(float(np.average(nearest, weights=weight)))
        return {name: np.array(values) for name, values in out.items()}
