"""Authors' names in memory: autocompletion, other forms of a name, similar names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from data.keys import name_key
from index.identity.person_names import may_be_form, parse_name

_WIDTH = 48
"""Bytes of a rotated name that are compared; names that agree on all of them count as equal."""
_AT_ONCE = 10_000
_NEAR = 0.72
_LENGTH_OFF = 3
ENOUGH = 3
"""With this many names that begin alike in all words, others are not looked at."""


@dataclass(frozen=True, slots=True)
class Name:
    """A name with one printed form of it and its number of papers."""

    key: str
    name: str
    papers: int


class NameIndex:
    """All names, sorted under each of their words: ``"chonlam lao"`` is also listed as ``"lao chonlam"``."""

    def __init__(self, counts: Sequence[tuple[str, str, int]] = ()) -> None:
        self._keys = [key for key, _, _ in counts]
        self._names = [name for _, name, _ in counts]
        self._papers = np.fromiter((papers for _, _, papers in counts), np.int32, len(counts))
        self._lengths = np.fromiter((len(key) for key in self._keys), np.int32, len(self._keys))
        self._at = {key: place for place, key in enumerate(self._keys)}
        rotated: list[bytes] = []
        places: list[int] = []
        for place, key in enumerate(self._keys):
            words = key.split(" ")
            for turn in range(len(words)):
                rotated.append(" ".join(words[turn:] + words[:turn]).encode()[:_WIDTH])
                places.append(place)
        # In parts, since converting all at once would hold Python's lock long enough to stall a reply.
        forms = np.empty(len(rotated), f"S{_WIDTH}")
        for start in range(0, len(rotated), _AT_ONCE):
            forms[start : start + _AT_ONCE] = rotated[start : start + _AT_ONCE]
        order = np.argsort(forms, kind="stable")
        self._forms = forms[order]
        self._places = np.array(places, np.int32)[order]

    def __len__(self) -> int:
        return len(self._keys)

    def get(self, name: str) -> Name | None:
        """The name with exactly this key, in any of its printed forms."""
        place = self._at.get(name_key(name))
        return self._name(place) if place is not None else None

    def complete(self, typed: str, limit: int = 25) -> list[Name]:
        """Names in which some word starts the text typed so far; those with most papers first.

        An empty text gives the names with most papers, a misspelt one the most similar names.
        """
        key = name_key(typed)
        if not key:
            return [self._name(place) for place in self._most(np.arange(len(self._keys)), limit)]
        exact = self._at.get(key)
        places = self._most(self._under(key), limit)
        first = [exact] if exact is not None else []
        names = [self._name(place) for place in dict.fromkeys([*first, *places])]
        if len(names) < 3 and len(key) >= 4:
            names += [near for near in self.near(typed, limit) if near not in names]
        return names[:limit]

    def others(self, name: str, limit: int = 5) -> list[Name]:
        """Names that may be other forms of this one: initials, other spacing, added middle names."""
        key = name_key(name)
        first, *_, last = words if len(words := key.split(" ")) > 1 else (key, key)
        parsed = parse_name(name)
        # Other forms have the same last name and first letter: "lao c...", for "Smith JF" also "smith j...".
        starts = {f"{last} {first[:1]}", f"{parsed.family} {parsed.initial}" if parsed.given else last}
        places = np.unique(np.concatenate([self._under(start) for start in sorted(starts)]))
        close = [
            place
            for place in places.tolist()
            if self._keys[place] != key and may_be_form(parse_name(self._names[place]), parsed)
        ]
        return [self._name(place) for place in self._most(np.array(close, np.int64), limit)]

    def of_family(self, family: str, limit: int = 20) -> list[Name]:
        """Names with this family name, those with most papers first."""
        key = name_key(family)
        joined = key.replace(" ", "")
        under = self._under(key).tolist() if key else []
        places = [place for place in under if parse_name(self._names[place]).family == joined]
        return [self._name(place) for place in self._most(np.array(places, np.int64), limit)]

    def with_middle(self, name: str, limit: int = 3) -> list[Name]:
        """Names with these two words first and last and a middle name or initial between them."""
        first, *rest = name_key(name).split(" ")
        if len(rest) != 1 or min(len(first), len(rest[0])) < 2:
            return []
        ends = f"{rest[0]} {first}"  # as such a name reads from its last word
        keys = [(place, self._keys[place]) for place in self._under(f"{ends} ").tolist()]
        close = [place for place, key in keys if key.startswith(f"{first} ") and key.endswith(f" {rest[0]}")]
        return [self._name(place) for place in self._most(np.array(close, np.int64), limit)]

    def near(self, name: str, limit: int = 5) -> list[Name]:
        """The most similar names, for an unknown one: typos, swapped letters, missing parts."""
        key = name_key(name)
        if not key or not self._keys:
            return []
        candidates = {int(place): self._keys[place] for place in self._like(key)}
        alike = process.extract(
            key[:100], candidates, scorer=OSA.normalized_similarity, score_cutoff=_NEAR, limit=4 * limit
        )
        forms = [near.key for near in self.others(name, limit)]
        ranked = sorted(alike, key=lambda hit: (-round(hit[1], 2), -int(self._papers[hit[2]])))
        places = [self._at[form] for form in forms] + [place for _, _, place in ranked]
        if len(key) >= 3:
            places += self._most(self._under(key), limit)
        else:  # too short to begin names with, but it may be a family name
            places += [self._at[name.key] for name in self.of_family(key, limit)]
        return [self._name(place) for place in dict.fromkeys(places) if self._keys[place] != key][:limit]

    def _like(self, key: str) -> np.ndarray:
        """Places of names of similar length whose words begin like the key's: all of them, else any."""
        alike = [self._under(word[:2]) for word in key.split(" ")[:4]]
        both = alike[0]
        for places in alike[1:]:
            both = np.intersect1d(both, places, assume_unique=True)
        found = both if len(both) >= ENOUGH else np.unique(np.concatenate(alike))
        alike_long: np.ndarray = found[np.abs(self._lengths[found] - len(key)) <= _LENGTH_OFF]
        return alike_long

    def _under(self, prefix: str) -> np.ndarray:
        """Places of the names that begin with the prefix when read from one of their words."""
        start = prefix.encode()[:_WIDTH]
        low = np.searchsorted(self._forms, np.array(start, self._forms.dtype))
        high = np.searchsorted(self._forms, np.array(start[: _WIDTH - 1] + b"\xff", self._forms.dtype))
        return np.unique(self._places[low:high])

    def _most(self, places: np.ndarray, limit: int) -> list[int]:
        """The places of the names with most papers, most first."""
        if len(places) > limit:
            top = np.argpartition(-self._papers[places], limit)[:limit]
            places = places[np.sort(top)]
        order = np.argsort(-self._papers[places], kind="stable")
        return [int(place) for place in places[order]]

    def _name(self, place: int) -> Name:
        return Name(self._keys[place], self._names[place], int(self._papers[place]))
