"""The shortest path between two people through the papers that they wrote with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable

PapersOf = Callable[[int], Iterable[tuple[int, list[int]]]]
"""A person's papers, newest first, each with the people who wrote it."""


def shortest_path(one: int, other: int, most: int, papers_of: PapersOf) -> list[tuple[int, int]] | None:
    """The steps between two people as (person reached, paper); None if more than ``most`` would be needed.

    Searched from both ends (Pohl 1971).
    """
    if one == other:
        return []
    sides: list[dict[int, tuple[int, int]]] = [{one: (0, 0)}, {other: (0, 0)}]
    fronts = [[one], [other]]
    length = 0
    while fronts[0] and fronts[1] and length < most:
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        length += 1
        following: list[int] = []
        for person in fronts[side]:
            for paper, writers in papers_of(person):
                for near in writers:
                    if near not in sides[side]:
                        sides[side][near] = (person, paper)
                        following.append(near)
        fronts[side] = following
        met = [person for person in following if person in sides[1 - side]]
        if met:
            return _joined(one, other, min(met), sides)
    return None


def _joined(one: int, other: int, met: int, sides: list[dict[int, tuple[int, int]]]) -> list[tuple[int, int]]:
    """The path from one end to the person where both searches met, and on to the other end."""
    steps: list[tuple[int, int]] = []
    person = met
    while person != one:
        before, paper = sides[0][person]
        steps.append((person, paper))
        person = before
    steps.reverse()
    person = met
    while person != other:
        after, paper = sides[1][person]
        steps.append((after, paper))
        person = after
    return steps
