"""Authors' names: autocompletion, other forms of a name, similar names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from data.keys import name_key
from index.identity.person_names import in_two_letters, may_be_form, parse_name
from index.models.distinct import distinct, is_in
from index.search.name_table import Counts, NameTable

_NEAR = 0.72
_LENGTH_OFF = 3
_COMPARED = 60_000
"""The most names that a misspelt one is compared with: those of the most similar length, by their papers."""
_UMLAUT, _RING = re.compile("([aou])e"), re.compile("(a)a")
"""How people type an umlaut, and ``å``, in two letters."""
_UMLAUTS = 100
"""How many names are looked at that begin as typed except for umlauts: those with most papers."""
ENOUGH = 3
"""With this many names that begin alike in all words, others are not looked at."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name with one printed form of it and its number of papers."""

    key: str
    name: str
    papers: int


class NameIndex:
    """All names: a table of most of them, and one of those that are newer than the table."""

    def __init__(self, counts: Counts = (), *, table: NameTable | None = None) -> None:
        """From names in memory, or from a table, in which ``counts`` are new or replaced."""
        fresh = NameTable.of(counts)
        self._tables = (fresh, NameTable.of(())) if table is None else (table, fresh)
        self._base = len(self._tables[0])
        replaced = table.places(key for key, _, _ in counts) if table is not None else ()
        self._replaced = np.array(sorted(replaced), np.int64)
        self._size = self._base + len(self._tables[1]) - len(self._replaced)

    def __len__(self) -> int:
        return self._size

    def get(self, name: str) -> Name | None:
        """The name with exactly this key, in any of its printed forms; an umlaut may be two letters."""
        place = self._spelled(name_key(name))
        return self._name(place) if place is not None else None

    def complete(self, typed: str, limit: int = 25) -> list[Name]:
        """Names in which some word starts the text typed so far; those with most papers first.

        An empty text gives the names with most papers, a misspelt one the most similar names.
        """
        key = name_key(typed)
        if not key:
            return [self._name(place) for place in self._most_under("", limit)]
        exact = self._at(key)
        places = self._most_typed(key, limit)
        first = [exact] if exact is not None else []
        names = [self._name(place) for place in dict.fromkeys([*first, *places])]
        if len(names) < 3 and len(key) >= 4:
            names += [near for near in self.near(typed, limit) if near not in names]
        return names[:limit]

    def others(self, name: str, limit: int = 5) -> list[Name]:
        """Names that may be other forms of this one: initials, other spacing or order, added middle names."""
        key = name_key(name)
        first, *_, last = words = parts if len(parts := key.split(" ")) > 1 else [key, key]
        parsed = parse_name(name)
        # Other forms have the same last name and first letter: "lao c...", for "Smith JF" also "smith j...".
        starts = {f"{last} {first[:1]}", f"{parsed.family} {parsed.initial}" if parsed.given else last}
        starts |= {short for start in starts for short in _in_one_letter(start)}
        if parsed.in_two:
            starts.add(f"{parsed.in_two.split(' ')[-1]} {first[:1]}")
        places = distinct(np.concatenate([self._under(start) for start in sorted(starts)]))
        close = [
            place
            for place in places.tolist()
            if self._key(place) != key and may_be_form(parse_name(self._printed(place)), parsed)
        ]
        if len(words) > 2:  # "Li Fei-Fei"; of two words, the other order is somebody else's name
            turned = {" ".join([last, *words[:-1]]), " ".join([*words[1:], first])} - {key}
            close += [place for one in sorted(turned) if (place := self._at(one)) is not None]
        return [self._name(place) for place in self._most(np.array(close, np.int64), limit)]

    def of_family(self, family: str, limit: int = 20) -> list[Name]:
        """Names with this family name, those with most papers first."""
        key = name_key(family)
        joined = key.replace(" ", "")
        under = self._under(key).tolist() if key else []
        places = [place for place in under if parse_name(self._printed(place)).family == joined]
        return [self._name(place) for place in self._most(np.array(places, np.int64), limit)]

    def with_middle(self, name: str, limit: int = 3) -> list[Name]:
        """Names with these two words first and last and a middle name or initial between them."""
        first, *rest = name_key(name).split(" ")
        if len(rest) != 1 or min(len(first), len(rest[0])) < 2:
            return []
        ends = f"{rest[0]} {first}"  # as such a name reads from its last word
        keys = [(place, self._key(place)) for place in self._under(f"{ends} ").tolist()]
        close = [place for place, key in keys if key.startswith(f"{first} ") and key.endswith(f" {rest[0]}")]
        return [self._name(place) for place in self._most(np.array(close, np.int64), limit)]

    def having(self, words: str, limit: int = 60) -> list[Name]:
        """Names of several words that have all of these, in any order: the same name, then by papers."""
        key = name_key(words)
        # Names are sorted under each of their words; a space says that more words follow.
        places = self._most(_common([distinct(self._under(f"{word} ")) for word in key.split(" ")]), limit)
        exact = self._spelled(key)
        if exact is not None:
            places = list(dict.fromkeys([exact, *places]))[:limit]
        return [self._name(place) for place in places]

    def near(self, name: str, limit: int = 5) -> list[Name]:
        """The most similar names, for an unknown one: typos, swapped letters, missing parts."""
        key = name_key(name)
        if not key or not len(self):
            return []
        candidates = {place: self._key(place) for place in self._like(key).tolist()}
        alike = process.extract(
            key[:100], candidates, scorer=OSA.normalized_similarity, score_cutoff=_NEAR, limit=4 * limit
        )
        forms = [near.key for near in self.others(name, limit)]
        ranked = sorted(alike, key=lambda hit: (-round(hit[1], 2), -self._papers(hit[2])))
        places = [place for form in forms if (place := self._at(form)) is not None]
        places += [place for _, _, place in ranked]
        if len(key) >= 3:
            places += self._most_typed(key, limit)
        else:  # too short to begin names with, but it may be a family name
            family = [self._at(name.key) for name in self.of_family(key, limit)]
            places += [place for place in family if place is not None]
        return [self._name(place) for place in dict.fromkeys(places) if self._key(place) != key][:limit]

    def _like(self, key: str) -> np.ndarray:
        """Places of names of similar length whose words begin like the key's: all of them, else any.

        One of the words may also begin as if its second and third letter were swapped (Yang Lui).
        """
        words = key.split(" ")[:4]
        alike = [self._under(word[:2]) for word in words]
        several = [_common(alike)]
        for at, word in enumerate(words):
            if len(word) > 2 and word[1] != word[2]:
                several.append(_common([*alike[:at], self._under(word[0] + word[2]), *alike[at + 1 :]]))
        found = several[0] if len(several[0]) >= ENOUGH else distinct(np.concatenate(alike))
        found = distinct(np.concatenate([found, *several[1:]]))
        off = np.abs(self._lengths(found).astype(np.int64) - len(key))
        close = off <= _LENGTH_OFF
        alike_long: np.ndarray = found[close]
        if len(alike_long) > _COMPARED:
            order = np.lexsort((-self._counts(alike_long), off[close]))[:_COMPARED]
            alike_long = np.sort(alike_long[order])
        return alike_long

    # -- both tables as one: places of the second follow those of the first ------------------------

    def _at(self, key: str) -> int | None:
        base, fresh = self._tables
        place = fresh.get(key)
        return self._base + place if place is not None else base.get(key)

    def _spelled(self, key: str) -> int | None:
        """As :meth:`_at`; else the name that has this key if its umlauts are two letters."""
        if (place := self._at(key)) is not None:
            return place
        alike = (at for short in _in_one_letter(key) if (at := self._at(short)) is not None)
        return next((at for at in alike if in_two_letters(self._printed(at)) == key), None)

    def _under(self, prefix: str) -> np.ndarray:
        """Places of the names that begin with the prefix when read from one of their words."""
        base, fresh = self._tables
        return self._joined(base.under(prefix), fresh.under(prefix))

    def _most_under(self, prefix: str, limit: int) -> list[int]:
        """Of those the ones with most papers, most first."""
        base, fresh = self._tables
        kept = base.most_under(prefix)
        if kept is not None:
            whole = len(kept)
            kept = kept[~is_in(kept, self._replaced)]
            if len(kept) >= limit or len(kept) == whole:
                return self._most(self._joined(np.sort(kept), fresh.under(prefix)), limit)
        return self._most(self._under(prefix), limit)

    def _most_typed(self, key: str, limit: int) -> list[int]:
        """As :meth:`_most_under`, with names that begin so if their umlauts are two letters."""
        places = self._most_under(key, limit)
        near = [at for short in _in_one_letter(key) for at in self._most_under(short, _UMLAUTS)]
        alike = [at for at in near if f" {key}" in f" {in_two_letters(self._printed(at))}"]
        return self._most(np.array([*dict.fromkeys([*places, *alike])], np.int64), limit) if alike else places

    def _joined(self, base: np.ndarray, fresh: np.ndarray) -> np.ndarray:
        if len(self._replaced):
            base = base[~is_in(base, self._replaced)]
        return np.concatenate([base, fresh + self._base]) if len(fresh) else base

    def _of(self, place: int) -> tuple[NameTable, int]:
        return (self._tables[0], place) if place < self._base else (self._tables[1], place - self._base)

    def _key(self, place: int) -> str:
        table, at = self._of(place)
        return table.key(at)

    def _printed(self, place: int) -> str:
        table, at = self._of(place)
        return table.printed(at)

    def _papers(self, place: int) -> int:
        table, at = self._of(place)
        return int(table.papers[at])

    def _counts(self, places: np.ndarray) -> np.ndarray:
        return self._values(places, [table.papers for table in self._tables])

    def _lengths(self, places: np.ndarray) -> np.ndarray:
        return self._values(places, [table.lengths for table in self._tables])

    def _values(self, places: np.ndarray, columns: list[np.ndarray]) -> np.ndarray:
        inside = places < self._base
        values = np.zeros(len(places), np.int64)
        values[inside] = columns[0][places[inside]]
        values[~inside] = columns[1][places[~inside] - self._base]
        return values

    def _most(self, places: np.ndarray, limit: int) -> list[int]:
        """The places of the names with most papers, most first; where as many, the lower place first."""
        papers = self._counts(places)
        if len(places) > limit:
            least = papers[np.argpartition(-papers, limit - 1)[limit - 1]]
            places = places[papers >= least]
            papers = papers[papers >= least]
        order = np.argsort(-papers, kind="stable")[:limit]
        return [int(place) for place in places[order]]

    def _name(self, place: int) -> Name:
        return Name(self._key(place), self._printed(place), self._papers(place))


def _in_one_letter(key: str) -> list[str]:
    """The key with umlauts in one letter, as in the keys of names that print them; never the key itself."""
    umlauts, rings = _UMLAUT.sub(r"\1", key), _RING.sub(r"\1", key)
    return [short for short in dict.fromkeys((umlauts, rings, _RING.sub(r"\1", umlauts))) if short != key]


def _common(several: Sequence[np.ndarray]) -> np.ndarray:
    """The places that are in all of some ascending arrays."""
    both = several[0]
    for places in several[1:]:
        both = np.intersect1d(both, places, assume_unique=True)
    return both
