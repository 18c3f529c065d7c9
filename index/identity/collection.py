"""All authorships of a library as arrays on disk, with its statistics: what a pass reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from index.identity.arrays import mapped, mapped_rows
from index.identity.authorships import Authorships
from index.identity.commonness import Commonness
from index.identity.person_names import PersonName, parse_name
from index.identity.statistics import Background, Statistics
from index.search.vectors import Vectors

FORMAT = 1
_NAMES_AT_ONCE = 20_000


class Printed(Sequence[str]):
    """Strings that lie end to end in a file."""

    def __init__(self, folder: Path, name: str) -> None:
        path = folder / f"{name}.bin"
        some = path.stat().st_size > 0  # an empty file can't be mapped
        self._bytes = np.memmap(path, np.uint8, "r") if some else np.zeros(0, np.uint8)
        self._ends = mapped(folder, f"{name}-ends")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, place: Any) -> Any:
        start = int(self._ends[place - 1]) if place else 0
        return bytes(self._bytes[start : int(self._ends[place])]).decode()


class Names(Sequence[PersonName]):
    """The distinct names in parts, each parsed when it is asked for."""

    def __init__(self, forms: Printed, form_of: np.ndarray) -> None:
        self._forms, self._form_of = forms, form_of

    def __len__(self) -> int:
        return len(self._form_of)

    def __getitem__(self, place: Any) -> Any:
        return parse_name(self._forms[int(self._form_of[place])])


class PaperVectors:
    """The vectors of a collection's papers, read when they are asked for: rows by the papers' places."""

    def __init__(self, vectors: Vectors, papers: np.ndarray) -> None:
        self._vectors, self._papers = vectors, papers

    def __len__(self) -> int:
        return len(self._papers)

    def __getitem__(self, places: np.ndarray) -> np.ndarray:
        return self._vectors.rows(np.asarray(self._papers[places], np.int64))


class MappedAuthorships(Authorships):
    """The authorships of a folder."""

    def __init__(self, folder: Path, vectors: Vectors) -> None:
        arrays = {name: mapped(folder, name) for name in ("offsets", "papers", "days", "described")}
        forms = Printed(folder, "forms")
        super().__init__(
            arrays["offsets"],
            (),
            (),
            PaperVectors(vectors, arrays["papers"]),  # type: ignore[arg-type]
            arrays["days"],
            arrays["described"],
        )
        object.__setattr__(self, "folder", folder)
        object.__setattr__(self, "forms", forms)

    folder: Path
    forms: Printed

    @cached_property
    def slowness(self) -> float:
        """As :attr:`Authorships.slowness`."""
        about = self.folder / "about.json"
        return float(json.loads(about.read_text())["slowness"]) if about.exists() else super().slowness

    @cached_property
    def paper(self) -> np.ndarray:
        """int32, shape (authorships,): the paper of each authorship."""
        return mapped(self.folder, "paper-of")

    @cached_property
    def name_ids(self) -> tuple[np.ndarray, Sequence[PersonName]]:
        """(int32: the number of each authorship's name; the distinct names)."""
        return mapped(self.folder, "name-of"), Names(self.forms, mapped(self.folder, "name-form"))

    @cached_property
    def form_of(self) -> np.ndarray:
        """int32, shape (authorships,): the number of each printed form, a place in ``forms``."""
        return mapped(self.folder, "form-of")

    @cached_property
    def short_ids(self) -> np.ndarray:
        """As :attr:`Authorships.short_ids`."""
        return mapped(self.folder, "short")

    @cached_property
    def family_ids(self) -> np.ndarray:
        """As :attr:`Authorships.family_ids`."""
        return mapped(self.folder, "family")

    @cached_property
    def spelled(self) -> np.ndarray:
        """As :attr:`Authorships.spelled`."""
        return mapped(self.folder, "spelled")

    @cached_property
    def by_name(self) -> tuple[np.ndarray, np.ndarray]:
        """As :attr:`Authorships.by_name`."""
        return mapped(self.folder, "by-name"), mapped(self.folder, "name-begins")

    def name_odds(self, commonness: Commonness) -> np.ndarray:
        """As :meth:`Authorships.name_odds`, some families at a time."""
        names, whole = self.name_ids[1], len(self.name_ids[1])
        odds = np.empty(whole)
        order = np.argsort(self.family_ids, kind="stable")
        family = self.family_ids[order]
        start = 0
        while start < whole:
            last = family[min(start + _NAMES_AT_ONCE, whole) - 1]
            stop = int(np.searchsorted(family, last, side="right"))
            places = order[start:stop]
            odds[places] = commonness.log_odds([names[place] for place in places.tolist()], whole)
            start = stop
        return odds


@dataclass(frozen=True)
class AuthorshipFiles:
    """The authorships of a library as they were when a pass read them.

    Attributes
    ----------
    papers
        int64, shape (papers,): store ids, ascending.
    positions, authors
        int32, shape (authorships,): positions, and numbers of names, as the store has them.
    upto, corrections
        The newest batch of papers and the newest correction known then.
    """

    folder: Path
    authorships: MappedAuthorships
    papers: np.ndarray
    positions: np.ndarray
    authors: np.ndarray
    upto: int
    corrections: int

    @classmethod
    def open(cls, folder: Path, vectors: Vectors) -> AuthorshipFiles | None:
        """The collection in a folder; None where there is none, or one that another version wrote."""
        try:
            about = json.loads((folder / "about.json").read_text())
            if about["format"] != FORMAT:
                return None
            return cls(
                folder,
                MappedAuthorships(folder, vectors),
                mapped(folder, "papers"),
                mapped(folder, "positions"),
                mapped(folder, "authors"),
                about["upto"],
                about["corrections"],
            )
        except (OSError, ValueError, KeyError):
            return None

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def about(self) -> dict[str, Any]:
        """The numbers beside the arrays."""
        about: dict[str, Any] = json.loads((self.folder / "about.json").read_text())
        return about

    @cached_property
    def statistics(self) -> Statistics:
        """The collection's statistics, mapped."""
        names, shorts, words = (self.about[part] for part in ("names", "shorts", "words"))
        return Statistics(
            mapped_rows(self.folder, "incidence", names),
            mapped_rows(self.folder, "short-names", shorts),
            mapped(self.folder, "weights"),
            mapped(self.folder, "short-weights"),
            mapped_rows(self.folder, "meetings", names),
            mapped_rows(self.folder, "terms", words),
            Background([mapped(self.folder, f"far-meaning-{kind}") for kind in range(3)]),
            Background([mapped(self.folder, f"far-words-{kind}") for kind in range(3)]),
            self.about["usual_years"],
        )

    def places_in(self, first: int, last: int) -> slice:
        """The authorships of papers with store ids from ``first`` to below ``last``."""
        start, stop = np.searchsorted(self.papers, [first, last])
        return slice(int(self.authorships.offsets[start]), int(self.authorships.offsets[stop]))

    def keys(self, places: slice) -> np.ndarray:
        """int64: store id and position of some authorships as one number each, ascending."""
        return place_keys(self.papers[self.authorships.paper[places]], self.positions[places])


def place_keys(papers: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """int64: papers and positions as one number each."""
    keys: np.ndarray = np.asarray(papers, np.int64) << 20 | np.asarray(positions, np.int64)
    return keys
