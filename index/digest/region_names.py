"""Names for the regions of a day's map: known topics that fit the papers there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from index.people.topic_directions import LEAST, TOGETHER, Rows, directions_of, unit
from index.people.topics import Topics
from index.search.phrase_text import phrase_parts

LEAST_IN_REGION = 2
_COMMON, _FEW, _COMMON_OF_FEW = 0.05, 100, 0.25
"""The share of all papers above which a topic says nothing about a region. In a small library a subject has
a larger share: a topic of so few papers passes there, up to the second share."""
_METHODS = frozenset(
    part
    for words in ("deep neural networks", "machine learning models", "large language models", "AI")
    for part in phrase_parts(words)
)
"""Words of which no name consists alone: papers of any subject may have "deep learning"."""
_MAINLY = 1 / 3
"""The least share of a topic's papers of the day that lie in the region."""
_SECOND = 0.75
"""The share of the first topic's fit that a second one needs to be named, too."""
_SPREAD = 0.4


@dataclass(frozen=True)
class _Fit:
    """Topics against regions.

    Attributes
    ----------
    value
        float, shape (regions, topics): how well a topic names a region; 0 where it must not.
    has
        bool, shape (papers, topics).
    """

    phrases: list[str]
    value: np.ndarray
    has: np.ndarray


def region_names(topics: Topics, rows: Rows, papers: np.ndarray, region: np.ndarray) -> list[str | None]:
    """A name for each region, in one or two topics; None where no topic fits.

    A topic fits better the higher the cosine between the region's middle and the topic's papers in the whole
    library (both without what all papers share), the closer together those papers are, and the more papers
    of the region have it.

    Parameters
    ----------
    rows
        Gives the vectors of papers.
    papers
        int64, shape (papers,): store ids of the day's papers.
    region
        int64, shape (papers,): the region of each, from 0.
    """
    fit = _fit(topics, rows, papers, region)
    first: dict[int, int] = {}
    second: dict[int, int] = {}
    taken: list[set[str]] = []
    for number, topic in _best_first(fit.value):
        stems = set(phrase_parts(fit.phrases[topic]))
        if number not in first and not any(_alike(stems, other) for other in taken):
            first[number] = topic
            taken.append(stems)
    for number, topic in _best_first(fit.value):
        stems = set(phrase_parts(fit.phrases[topic]))
        if number in second or any(stems & other for other in taken):
            continue
        if number in first and _adds(fit, region == number, number, first[number], topic):
            second[number] = topic
            taken.append(stems)
    return [
        ", ".join(fit.phrases[which[number]] for which in (first, second) if number in which) or None
        for number in range(len(fit.value))
    ]


def _best_first(value: np.ndarray) -> list[tuple[int, int]]:
    order = np.argsort(-value, axis=None, kind="stable")
    pairs = np.stack(np.unravel_index(order, value.shape), axis=1)
    return [(int(number), int(topic)) for number, topic in pairs if value[number, topic] > 0]


def _alike(stems: set[str], other: set[str]) -> bool:
    """Whether one of two phrases has all the words of the other."""
    return len(stems & other) >= min(len(stems), len(other))


def _adds(fit: _Fit, inside: np.ndarray, number: int, first: int, topic: int) -> bool:
    """Whether a second topic tells of other papers of the region than the first one."""
    if topic == first or fit.value[number, topic] < _SECOND * fit.value[number, first]:
        return False
    one, other = fit.has[inside, first], fit.has[inside, topic]
    return 3 * int((one & other).sum()) <= int((one | other).sum())


def _fit(topics: Topics, rows: Rows, papers: np.ndarray, region: np.ndarray) -> _Fit:
    regions = int(region.max(initial=-1)) + 1
    common = min(max(_COMMON, _FEW / max(len(topics.papers), 1)), _COMMON_OF_FEW)
    candidates, has = topics.had_by(papers, LEAST_IN_REGION, LEAST, common)
    telling = np.array([not _METHODS.issuperset(phrase_parts(topics.phrases[topic])) for topic in candidates])
    candidates, has = candidates[telling.astype(bool)], has[:, telling.astype(bool)]
    if not len(candidates):
        return _Fit([], np.zeros((regions, 0)), has)
    vectors = np.asarray(rows(papers), np.float64)
    vectors = vectors - vectors.mean(axis=0)
    middles = unit(np.stack([unit(vectors[region == number]).mean(axis=0) for number in range(regions)]))
    directions, together = directions_of(topics, rows, candidates)
    inside = np.stack([has[region == number].sum(axis=0) for number in range(regions)]).astype(np.float64)
    sizes = np.maximum(np.bincount(region, minlength=regions), 1)[:, None]
    value = np.clip(middles @ directions.T, 0, None) * np.sqrt(together) * (inside / sizes) ** _SPREAD
    allowed = (inside >= LEAST_IN_REGION) & (inside >= _MAINLY * has.sum(axis=0)) & (together >= TOGETHER)
    return _Fit([topics.phrases[int(topic)] for topic in candidates], np.where(allowed, value, 0.0), has)
