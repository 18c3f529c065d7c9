"""The people of a made collection: groups that persist, careers, and names with real namesakes.

A group has a life of up to 27 years, a place among the topics, and members who follow one another. Most
papers come from one group, some with people of a partner group. A group's leader was often a member of an
older one, so careers reach 30 years.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.scale.made_days import CATEGORIES, years_of

_PAPERS_A_GROUP = 30
_MEMBERS_A_PAPER = 1.7
_LONGEST = 25 * 365
_TOURNAMENT = 3
_FROM_PARTNER = 0.12
_LED, _LED_PAPERS = 0.6, 150
_RAISED = 0.5
_CHUNK = 100_000
_COMMON, _PAIRED = 20, 0.12

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Groups:
    """Research groups, sorted by category and first day."""

    category: Ints
    begins: Ints
    """Day numbers since 1970."""
    lasts: Ints
    """Days."""
    weight: NDArray[np.float64]
    topic: NDArray[np.float64]
    """The place within the category's topics, 0 to 1."""
    bounds: Ints
    """The first group of each category, and the end."""


@dataclass(frozen=True, slots=True)
class Authorships:
    """Who wrote each paper: people ``person[offsets[i]:offsets[i + 1]]``, numbered from 0."""

    offsets: Ints
    person: NDArray[np.int32]
    people: int


def make_groups(
    days: NDArray[np.datetime64], categories: NDArray[np.integer], rng: np.random.Generator
) -> Groups:
    """Groups that are there when a category's papers appear."""
    when = days.astype(np.int64)
    parts, bounds = [], [0]
    for number in range(len(CATEGORIES)):
        mine = when[categories == number]
        count = 1 + len(mine) // _PAPERS_A_GROUP
        first, last = (int(mine[0]), int(mine[-1])) if len(mine) else (0, 1)
        middle = mine[rng.integers(len(mine), size=count)] if len(mine) else np.zeros(count, np.int64)
        lasts = np.minimum(365 * (2 + rng.lognormal(2.0, 0.7, count)), _LONGEST).astype(np.int64)
        begins = np.maximum(middle - (rng.random(count) * lasts).astype(np.int64), first - 1)
        begins[0], lasts[0] = first - 1, last - first + 2  # somebody is always there
        order = np.argsort(begins, kind="stable")
        weight = rng.lognormal(0.0, 1.0, count)
        weight[0] = min(weight[0], 0.05)
        parts.append(
            (np.full(count, number), begins[order], lasts[order], weight[order], rng.random(count)[order])
        )
        bounds.append(bounds[-1] + count)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Groups(*columns, np.array(bounds))


def choose_groups(
    groups: Groups, days: NDArray[np.datetime64], categories: NDArray[np.integer], rng: np.random.Generator
) -> Ints:
    """The group of each paper: one of its category that is at work in that year."""
    when, years = days.astype(np.int64), years_of(days)
    cells = years * len(CATEGORIES) + categories
    order = np.argsort(cells, kind="stable")
    chosen = np.zeros(len(days), np.int64)
    for inside in np.split(order, np.flatnonzero(np.diff(cells[order])) + 1):
        category, year = int(categories[inside[0]]), int(years[inside[0]])
        low, high = groups.bounds[category], groups.bounds[category + 1]
        begin, end = when[inside[0]], when[inside[-1]]
        there = np.arange(low, high)[
            (groups.begins[low:high] <= end) & (groups.begins[low:high] + groups.lasts[low:high] >= begin)
        ]
        weight = np.cumsum(groups.weight[there] * np.sqrt(groups.lasts[there] / 3_650))
        if not len(there):
            raise AssertionError(f"no group of {CATEGORIES[category].name} works in {year}")
        at = np.searchsorted(weight, rng.random(len(inside)) * weight[-1])
        chosen[inside] = there[np.minimum(at, len(there) - 1)]
    return chosen


def make_authorships(
    groups: Groups, group: Ints, days: NDArray[np.datetime64], sizes: Ints, rng: np.random.Generator
) -> Authorships:
    """The authors of each paper, in order; ``sizes`` says how many it would have."""
    count = np.bincount(group, minlength=len(groups.begins))
    members = (count * _MEMBERS_A_PAPER).astype(np.int64) + 4
    base = np.concatenate([[0], np.cumsum(members)])
    order = np.argsort(group, kind="stable")
    within = np.empty(len(group), np.int64)
    within[order] = np.arange(len(group)) - np.repeat(np.cumsum(count) - count, count)
    window = np.minimum(members, 7 + members // 12)
    leader = _leaders(groups, base, members, rng)
    active = rng.random(int(base[-1]), np.float32)  # how much each writes
    when = days.astype(np.int64)
    people, lengths = [], []
    for begin in range(0, len(group), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        size = sizes[part]
        paper = np.repeat(np.arange(len(size)), size)
        home = group[part][paper]
        away = (rng.random(len(paper)) < _FROM_PARTNER) & (size[paper] > 1)
        low, high = groups.bounds[groups.category[home]], groups.bounds[groups.category[home] + 1]
        partner = np.clip(home + 1 + (group[part][paper] * 7 + paper % 3) % 4, low, high - 1)
        elapsed = np.clip((when[part][paper] - groups.begins[partner]) / groups.lasts[partner], 0, 0.999)
        source = np.where(away, partner, home)
        passed = np.where(away, elapsed, within[part][paper] / np.maximum(1, count[source]))
        start = (passed * (members[source] - window[source])).astype(np.int64)
        width = np.minimum(members[source], np.maximum(window[source], 2 * size[paper]))
        start = np.minimum(start, members[source] - width)
        offered = (rng.random((_TOURNAMENT, len(paper))) * width).astype(np.int64) + (base[source] + start)
        best = np.take_along_axis(offered, active[offered].argmax(axis=0)[None], axis=0)[0]
        ends = np.cumsum(size) - 1
        led = rng.random(len(size)) < _LED * np.minimum(1.0, _LED_PAPERS / count[group[part]])
        best[ends[led]] = leader[group[part][led]]
        key = paper * (base[-1] + 1) + best
        _, first = np.unique(key, return_index=True)
        first.sort()
        people.append(best[first])
        lengths.append(np.bincount(paper[first], minlength=len(size)))
    used, person = np.unique(np.concatenate(people), return_inverse=True)
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    return Authorships(offsets, person.astype(np.int32), len(used))


def _leaders(groups: Groups, base: Ints, members: Ints, rng: np.random.Generator) -> Ints:
    """The person who leads each group: a former member of an older group, or somebody new."""
    leader = base[:-1].copy()
    low = groups.bounds[groups.category]
    here = np.arange(len(leader))
    older = low + (rng.random(len(leader)) * (here - low)).astype(np.int64)
    elapsed = (groups.begins[here] - groups.begins[older]) / groups.lasts[older]
    raised = (rng.random(len(leader)) < _RAISED) & (older < here) & (elapsed > 0.1) & (elapsed < 1.1)
    place = (np.clip(elapsed, 0, 0.999) * members[older]).astype(np.int64)
    leader[raised] = (base[older] + place)[raised]
    return leader


def author_counts(real: Ints, days: NDArray[np.datetime64], rng: np.random.Generator) -> Ints:
    """How many authors each paper has: as the real ones of 2025, thinned towards 1991."""
    years = years_of(days)
    thinned = np.clip(0.35 + 0.75 * (years - 1991) / 34, 0.35, 1.0)
    others = rng.binomial(real[rng.integers(len(real), size=len(days))] - 1, thinned)
    return 1 + others.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Names:
    """The parts of real names, and for each real authorship its parts, its name and its paper's bounds."""

    first: list[str]
    last: list[str]
    first_of: NDArray[np.int32]
    last_of: NDArray[np.int32]
    name_of: Ints
    low: Ints
    high: Ints

    @classmethod
    def of(cls, papers: list[list[str]]) -> Names:
        """From the authors of real papers."""
        first: dict[str, int] = {}
        last: dict[str, int] = {}
        firsts, lasts, low, high = [], [], [], []
        for authors in papers:
            begin = len(firsts)
            for name in authors:
                given, _, family = name.rpartition(" ")
                firsts.append(first.setdefault(given, len(first)))
                lasts.append(last.setdefault(family, len(last)))
            low += [begin] * len(authors)
            high += [begin + len(authors)] * len(authors)
        return cls(
            list(first),
            list(last),
            np.array(firsts, np.int32),
            np.array(lasts, np.int32),
            np.unique(np.array(firsts) * len(last) + np.array(lasts), return_inverse=True)[1],
            np.array(low),
            np.array(high),
        )

    def draw(self, count: int, rng: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """A name for each of ``count`` people, as (first, last).

        Names with 20 authorships or more keep their share of the people. The others are new: the first name
        of one author with the last name of a coauthor, who mostly shares the language, or of anybody.
        """
        written = np.bincount(self.name_of)
        common = written[self.name_of] >= _COMMON
        one = rng.integers(len(common), size=count)
        named = common[one]
        _, distinct = np.unique(self.name_of, return_index=True)
        coauthor = self.low[one] + (rng.random(count) * (self.high[one] - self.low[one])).astype(np.int64)
        other = np.where(
            rng.random(count) < _PAIRED, coauthor, distinct[rng.integers(len(distinct), size=count)]
        )
        return self.first_of[one], self.last_of[np.where(named, one, other)]
