"""How common names are: how many other people of each name to expect in a collection."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from index.identity.person_names import PersonName, compatible, short_forms

NAMESAKE_FACTOR = 1.6
_CHOSEN = 10_000
"""A collection of more names was not chosen by names."""
FEWEST, MOST = 0.002, 200.0
USUAL_LOG_ODDS = -0.62
"""Log-odds where nothing is known of a name: 0.35 of its pairs are by one person."""


@dataclass(frozen=True)
class Commonness:
    """How many distinct names in a large corpus have each family name and each given name.

    Attributes
    ----------
    total
        Distinct names of that corpus.
    unknown
        The count of a name that is not listed.
    """

    total: int
    family: Mapping[str, int]
    given: Mapping[str, int]
    unknown: int = 2

    @classmethod
    def of(cls, names: Sequence[PersonName], least: int) -> Commonness:
        """Count the distinct names of a corpus; parts that occur less than ``least`` times are not listed."""
        family, given = Counter(n.family for n in names), Counter(n.joined for n in names if n.spelled)
        return cls(
            len(names),
            {name: count for name, count in sorted(family.items()) if count >= least},
            {name: count for name, count in sorted(given.items()) if count >= least},
        )

    def namesakes(
        self,
        names: Sequence[PersonName],
        whole: int | None = None,
        families: Mapping[str, int] | None = None,
        only: Sequence[PersonName] | None = None,
    ) -> list[float]:
        """How many other people of each name to expect in a collection, from all names that it prints.

        Parts of a name are taken as independent. A collection's own family names count; a rarer family may
        still have members elsewhere, so that the large corpus sets a floor, which grows with the root of the
        collection's names. A small collection may have been chosen by names, so its floor is whole.
        A name of initials competes with every spelled name that it fits.

        Parameters
        ----------
        names
            All distinct names of the collection, or all that begin with some initials and family names.
        whole
            How many distinct names the collection has, if ``names`` is a part of them.
        families
            How many of them each family has, if ``names`` lacks some.
        only
            The names that are wanted, if not all.
        """
        whole = len(names) if whole is None else whole
        families = Counter(name.family for name in names) if families is None else families
        spelled: dict[tuple[str, str], list[PersonName]] = {}
        for name in names:
            if name.spelled:
                spelled.setdefault((name.family, name.initial), []).append(name)
        firsts = Counter(dict.fromkeys("abcdefghijklmnopqrstuvwxyz", 0))
        for given, count in self.given.items():
            firsts[given[0]] += count
        share = min(1.0, max(math.sqrt(whole / self.total), 1 - whole / _CHOSEN))
        letters = max(sum(firsts.values()), 1)
        expected = []
        for name in names if only is None else only:
            elsewhere = self.family.get(name.family, self.unknown)
            if name.spelled:
                likely = self.given.get(name.joined, self.unknown) / self.total
                expected.append(max(families[name.family], share * elsewhere) * likely)
                continue
            fitting = _people_behind(name, spelled.get((name.family, name.initial), []))
            unseen = share * elsewhere * firsts[name.initial] / letters
            expected.append(max(fitting - 1, 0.0) + min(unseen, 0.1 + fitting))
        return expected

    def log_odds(
        self,
        names: Sequence[PersonName],
        whole: int | None = None,
        families: Mapping[str, int] | None = None,
        only: Sequence[PersonName] | None = None,
    ) -> list[float]:
        """Log-odds by the name alone that two authorships of each name are by one person.

        Assumes one person and a Poisson number of namesakes. The factor makes it agree with expectation
        maximisation over the evidence for all names of our corpus (docs/identity.md has the curve).
        """
        return [
            -math.log(NAMESAKE_FACTOR * min(max(namesakes, FEWEST), MOST))
            for namesakes in self.namesakes(names, whole, families, only)
        ]


def _people_behind(initials: PersonName, spelled: Sequence[PersonName]) -> float:
    """How many people with spelled names a name of initials could stand for.

    One without a middle name counts a fifth if a second initial is printed, since few would print it then.
    """
    firsts: dict[str, float] = {}
    forms: dict[str, str] = {}  # what the known first names can be shortened to
    order: dict[str, int] = {}
    for name in spelled:
        if compatible(initials, name):
            given = name.given[0]
            same = [first for first in (given, *short_forms(given)) if first in firsts]
            same += [forms[given]] if given in forms else []
            known = min(same, key=order.__getitem__, default=given)
            if known not in firsts:
                order[known] = len(order)
                for short in short_forms(known):
                    forms.setdefault(short, known)
            plain = len(initials.given) > 1 and len(name.given) == 1 and len(name.given[0]) < 7
            firsts[known] = max(firsts.get(known, 0.0), 0.2 if plain else 1.0)
    return sum(firsts.values())
