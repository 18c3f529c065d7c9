"""Truth about people without labels: rare names merged into homonyms, and split into variants.

Torvik and Smalheiser (Author name disambiguation in MEDLINE, TKDD 2009) made training pairs from names so
rare that each is one person; here they become whole people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from data.keys import hash64
from index.identity.authorships import Authorships
from index.identity.commonness import FEWEST, MOST, NAMESAKE_FACTOR
from index.identity.person_names import PersonName

RARE = 0.05
"""Expected namesakes, taking given and family names as independent, up to which a name is one person."""
MOST_PAPERS = 120
NOISE = 2.0
"""Standard deviation of the logarithm of expected namesakes around the truth."""
COMMON_GIVEN = 300
ROLES = ("kept", "kept", "pairs", "groups")
"""The use of a person, by the hash of the name: half are kept for the evaluation."""


@dataclass(frozen=True)
class PseudoPeople:
    """A corpus with some names merged and others split.

    Attributes
    ----------
    authorships
        The corpus with the changed names.
    truth
        int64, shape (authorships,): the person where it is known, else -1.
    """

    authorships: Authorships
    truth: np.ndarray


def rare_people(authorships: Authorships, roles: Sequence[str], *, least: int = 1) -> list[np.ndarray]:
    """The authorships of each rare name with one of these roles and at least ``least`` papers."""
    ids, names = authorships.name_ids
    family, given = Counter(n.family for n in names), Counter(n.joined for n in names)
    counts = np.bincount(ids, minlength=len(names))
    order = np.argsort(ids, kind="stable")
    ends = np.cumsum(counts)
    people = []
    for place, name in enumerate(names):
        if not name.spelled or len(name.joined) < 3 or not least <= counts[place] <= MOST_PAPERS:
            continue
        rare = family[name.family] * given[name.joined] / len(names) < RARE
        if rare and ROLES[hash64(name.key) % len(ROLES)] in roles:
            mine = order[ends[place] - counts[place] : ends[place]]
            if len(np.unique(authorships.paper[mine])) == len(mine):
                people.append(mine)
    return people


def make_people(
    authorships: Authorships,
    roles: Sequence[str],
    *,
    homonyms: int,
    variants: int,
    single: int = 0,
    sizes: Sequence[int] = (2,),
    common: bool = False,
    seed: int = 0,
) -> PseudoPeople:
    """Merge and split rare names.

    Parameters
    ----------
    homonyms
        How many groups of people get one name, with ``sizes`` people each; in half of the groups all share a
        family name, as most homonyms do.
    common
        Use an unused combination of a common given name and the first person's family name, since two people
        with one rare name would be unrealistic. Otherwise use the first person's name.
    variants
        How many people publish under two forms of their name.
    single
        How many people are left as they are.
    """
    rng = np.random.default_rng(seed)
    people = rare_people(authorships, roles)
    people = [people[place] for place in rng.permutation(len(people))]
    parsed = authorships.parsed
    by_family: dict[str, list[int]] = {}
    for place, mine in enumerate(people):
        by_family.setdefault(parsed[mine[0]].family, []).append(place)
    names, truth = list(authorships.names), np.full(len(authorships.names), -1, np.int64)
    free = np.ones(len(people), bool)
    queue = iter(range(len(people)))
    distinct = authorships.name_ids[1]
    counted = Counter(name.given[0] for name in distinct if len(name.given) == 1 and len(name.given[0]) > 2)
    givens = [given for given, _ in counted.most_common(COMMON_GIVEN)]
    taken = {name.key for name in distinct}

    def label(place: int) -> None:
        truth[people[place]] = place
        free[place] = False

    for number in range(homonyms):
        first = next((place for place in queue if free[place]), None)
        if first is None:
            break
        size = sizes[int(rng.integers(len(sizes)))]
        family = by_family[parsed[people[first][0]].family] if number % 2 else None
        others = [p for p in family if free[p] and p != first] if family else _draw(free, first, size, rng)
        chosen = [first, *others[: size - 1]]
        papers = np.concatenate([authorships.paper[people[place]] for place in chosen])
        if len(chosen) < 2 or len(np.unique(papers)) < len(papers) or sum(len(people[p]) for p in chosen) < 3:
            continue
        name = _common_name(parsed[people[first][0]], givens, taken, rng) if common else None
        for place in chosen:
            label(place)
            for authorship in people[place]:
                names[authorship] = name or authorships.names[people[first][0]]
    made = 0
    for place in queue:
        if made >= variants + single:
            break
        if not free[place] or len(people[place]) < 2:
            continue
        label(place)
        made += 1
        if made <= variants:
            other = _variant(authorships.names[people[place][0]], parsed[people[place][0]], rng)
            count = int(rng.integers(1, len(people[place])))
            for authorship in rng.choice(people[place], count, replace=False):
                names[authorship] = other
    return PseudoPeople(replace(authorships, names=names), truth)


def _common_name(
    name: PersonName, givens: Sequence[str], taken: set[str], rng: np.random.Generator
) -> str | None:
    """A family name with a common given name, in a combination that nobody has; None if all are taken."""
    for place in rng.permutation(len(givens)):
        made = f"{givens[place]} {name.family}"
        if made not in taken:
            taken.add(made)
            return made.title()
    return None


def _draw(free: np.ndarray, first: int, size: int, rng: np.random.Generator) -> list[int]:
    drawn = rng.integers(0, len(free), 3 * size)
    return [int(place) for place in dict.fromkeys(drawn.tolist()) if free[place] and place != first]


def _variant(printed: str, name: PersonName, rng: np.random.Generator) -> str:
    """Another form of a name under which a person may publish."""
    words = printed.split()
    kind = rng.random()
    if kind < 0.45 or len(words) < 2:
        return f"{words[0][0]}. {words[-1]}"
    if len(name.given) > 1 and len(words) > 2:
        if kind < 0.75:
            return f"{words[0]} {words[-1]}"
        return f"{''.join(words[:-1]).replace('-', '')} {words[-1]}"
    if len(name.given) > 1:
        return printed.replace("-", "")
    return f"{words[0]} {chr(int(rng.integers(65, 91)))}. {' '.join(words[1:])}"


def narrowed(authorships: Authorships, papers: np.ndarray) -> Authorships:
    """The corpus of these papers only (ascending numbers)."""
    sizes = np.diff(authorships.offsets)[papers]
    kept = np.zeros(authorships.papers, bool)
    kept[papers] = True
    inside = kept[authorships.paper]
    return Authorships(
        np.concatenate([[0], np.cumsum(sizes)]),
        [name for name, in_ in zip(authorships.names, inside, strict=True) if in_],
        [authorships.texts[int(paper)] for paper in papers],
        np.asarray(authorships.vectors[papers]),
        authorships.days[papers],
        authorships.described[papers],
    )


def drawn_odds(pseudo: PseudoPeople, seed: int) -> np.ndarray:
    """Log-odds by the name alone, as a noisy look at how many people each name of the pseudo-people has.

    Expected namesakes are drawn as they would be found behind that many people: a Poisson number of them with
    any expectation equally likely on a logarithmic scale. float64, shape (names,).
    """
    rng = np.random.default_rng(seed)
    ids, names = pseudo.authorships.name_ids
    people = np.unique(np.stack([ids, pseudo.truth]), axis=1)
    others = np.bincount(people[0][people[1] >= 0], minlength=len(names)) - 1
    expected = np.where(others > 0, rng.gamma(np.maximum(others, 1)), 0.0)
    alone = others <= 0
    while alone.any():  # e^-x / x from FEWEST on, by rejection
        tried = np.exp(rng.uniform(np.log(FEWEST), np.log(MOST), int(alone.sum())))
        taken = rng.random(len(tried)) < np.exp(-tried)
        places = np.flatnonzero(alone)
        expected[places[taken]] = tried[taken]
        alone[places[taken]] = False
    noisy = expected * np.exp(rng.normal(0.0, NOISE, len(expected)))
    odds: np.ndarray = -np.log(NAMESAKE_FACTOR * np.clip(noisy, FEWEST, MOST))
    return odds
