"""What a sentence states: its numbers and names, what it negates or hedges, and which way things go."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from data.keys import fold
from index.answers.matching import STOP_WORDS
from index.answers.numbers import Number, numbers_in
from index.answers.turning_words import (
    COMPARED,
    FOIL_ENDS,
    FOILS,
    HEDGES,
    JOINS,
    NEGATORS,
    STRONG,
    poles,
)
from index.search.passages import stem

_TOKEN = re.compile(
    r"""(?x)
    [$€£]?(?:(?<![\w.])[-−+±])?\d+(?:,\d{3})*(?:\.\d+)?(?:\s?\\?%|×|[a-zA-Zµ]{1,4}(?!\w))?
    | [^\W_]+(?:['’.\-–/][^\W_]+)*
    | \\?% | ×
    | [,;:()]
    """
)
_MARK = re.compile(r"[,;:()]")
SCOPE = 4
"""Words after a negation or a hedge that it may reach, within its clause."""
REACH = 6
"""Words on each side of a word that may be its subject and its object."""


class Statement:
    """One sentence or quote, taken apart once and compared often."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = [match[0] for match in _TOKEN.finditer(text)]
        self.words = tuple(word for word in found if not _MARK.fullmatch(word))
        self.folded = tuple(fold(word).replace("’", "'").removesuffix("'s") for word in self.words)
        self.stems = tuple(stem(word) for word in self.folded)
        clause, clauses = 0, []
        for word in found:
            if _MARK.fullmatch(word) or word.lower() in JOINS:
                clause += 1
            if not _MARK.fullmatch(word):
                clauses.append(clause)
        self.clauses = tuple(clauses)

    @cached_property
    def flat(self) -> str:
        """The text's letters and digits, words apart by one space, hyphens and points taken out of words."""
        return f" {' '.join(_flat(word) for word in self.folded)} "

    @cached_property
    def parts(self) -> frozenset[str]:
        """Stems of all words and of the parts of hyphenated ones."""
        return frozenset(part for each in self.stems for part in (each, *each.split("-")))

    @cached_property
    def content(self) -> tuple[int, ...]:
        """The places of words that state something: no words of grammar, no plain numbers."""
        numbers = {number.place for number in self.numbers}
        return tuple(
            place
            for place, word in enumerate(self.folded)
            if place not in numbers and word not in STOP_WORDS and word not in NEGATORS and word[0].isalpha()
        )

    @cached_property
    def numbers(self) -> tuple[Number, ...]:
        """Every number with its unit, words such as "three" among them."""
        return numbers_in(self.words, self.folded, self.clauses)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Words that look like names: capitals inside the sentence, capitals or digits inside a word."""
        numbers = {number.place for number in self.numbers}
        return tuple(
            word
            for place, word in enumerate(self.words)
            if place not in numbers and word[0].isalnum() and _is_name(word, first=self._begins(place))
        )

    @property
    def opening(self) -> str:
        """The first word where its capital may be the sentence's own; else empty."""
        word = self.words[0] if self.words else ""
        return word if word[:1].isupper() and not _is_name(word, first=True) else ""

    def _begins(self, place: int) -> bool:
        return place == 0

    def says(self, name: str) -> bool:
        """Whether a name stands here, in any spelling of case, hyphens and plural, or as its initials."""
        flat = _flat(fold(name))
        forms = {flat, flat.removesuffix("s"), flat + "s"} if len(flat) > 2 else {flat}
        spaced = self.flat
        if any(f" {form} " in spaced for form in forms) or stem(fold(name)) in self.parts:
            return True
        pairs = {a + b for a, b in zip(spaced.split(), spaced.split()[1:], strict=False)}
        whole = {part for word in self.folded for part in re.split(r"[-–/]", word)}
        return bool(forms & pairs) or bool(forms & whole) or self._abbreviated(name)

    def _abbreviated(self, name: str) -> bool:
        """Whether words in a row have these initials: LLMs for large language models."""
        letters = name.removesuffix("s")
        if not (letters.isupper() and letters.isalpha() and len(letters) > 2):
            return False
        initials = "".join(part[0] for word in self.folded for part in word.split("-") if part)
        return letters.lower() in initials

    @cached_property
    def negated(self) -> tuple[frozenset[str], frozenset[str]]:
        """Stems right after negations, and all stems that these reach."""
        return self._reached(NEGATORS)

    @cached_property
    def hedged(self) -> tuple[frozenset[str], frozenset[str]]:
        """Stems right after words such as "may", and all stems that these reach."""
        return self._reached(HEDGES)

    def _reached(self, markers: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
        heads: set[str] = set()
        reached: set[str] = set()
        for place, word in enumerate(self.folded):
            if not (word in markers or (markers is NEGATORS and word.endswith("n't"))):
                continue
            if word == "not" and self.folded[place + 1 : place + 2] == ("only",):
                continue
            following = [
                other
                for other in self.content
                if other > place and self.clauses[other] == self.clauses[place]
            ][:SCOPE]
            heads |= {self.stems[other] for other in following[:1]} or {""}
            reached |= {self.stems[other] for other in following}
        return frozenset(heads), frozenset(reached)

    @cached_property
    def poles(self) -> dict[int, set[int]]:
        """For each scale (more and less, better and worse), the ends that are said."""
        said: dict[int, set[int]] = {}
        for each in self.stems:
            for scale, end in poles().get(each, ()):
                said.setdefault(scale, set()).add(end)
        return said

    @property
    def negations(self) -> int:
        """How many words negate."""
        return sum(word in NEGATORS or word.endswith("n't") for word in self.folded)

    @cached_property
    def strong(self) -> frozenset[str]:
        """Stems of words such as "all", "only" and "causes"."""
        return frozenset(stem(word) for word in self.folded if word in STRONG)

    @cached_property
    def line(self) -> tuple[str, ...]:
        """What the sentence states in order: stems of content words, and numbers with their units."""
        numbers = {number.place: f"{number.value:g} {number.unit}" for number in self.numbers}
        content = set(self.content)
        return tuple(
            numbers.get(place, self.stems[place])
            for place in range(len(self.words))
            if place in numbers or place in content
        )

    def joined(self, one: str, other: str) -> bool:
        """Whether nothing but "and" or "or" stands between two stems."""
        between = {
            self.folded[place]
            for place, (before, after) in enumerate(zip(self.stems, self.stems[2:], strict=False), 1)
            if (before, after) == (one, other)
        }
        return bool(between & {"and", "or"}) or (one, other) in set(
            zip(self.stems, self.stems[1:], strict=False)
        )

    @cached_property
    def foil(self) -> frozenset[str]:
        """Stems of what something is compared with: those behind "than" or "unlike", and nowhere else."""
        behind: set[str] = set()
        before: set[str] = set()
        clause = -1
        for place, word in enumerate(self.folded):
            if word in FOILS or word in COMPARED:
                clause = self.clauses[place]
            elif word in FOIL_ENDS and clause == self.clauses[place]:
                clause = -1
            elif place in self.content:
                (behind if clause == self.clauses[place] else before).add(self.stems[place])
        return frozenset(behind - before)

    @cached_property
    def sides(self) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
        """For each stem that stands once: the stems before it and after it; in the active voice."""
        found = {}
        for place in self.content:
            if self.stems.count(self.stems[place]) == 1:
                before = frozenset(
                    self.stems[other] for other in self.content if place - REACH <= other < place
                )
                after = frozenset(
                    self.stems[other] for other in self.content if place < other <= place + REACH
                )
                passive = self.folded[place + 1 : place + 2] == ("by",)
                found[self.stems[place]] = (after, before) if passive else (before, after)
        return found


def _flat(word: str) -> str:
    return "".join(letter for letter in word if letter.isalnum())


def _is_name(word: str, *, first: bool) -> bool:
    inner = any(letter.isupper() for part in re.split(r"[-–/]", word) for letter in part[1:])
    mixed = any(letter.isdigit() for letter in word) and any(letter.isalpha() for letter in word)
    marked = any(mark in word for mark in ".@") and len(word) > 3
    return inner or mixed or marked or (word[0].isupper() and len(word) > 1 and not first)


def stem_of_names(statement: Statement) -> frozenset[str]:
    """The stems of a statement's names."""
    return frozenset(stem(fold(name)) for name in statement.names)


def stated(text: str) -> Statement:
    """The parts of a text that can be checked."""
    return _stated(text)


@lru_cache(maxsize=4_096)
def _stated(text: str) -> Statement:
    return Statement(text)
