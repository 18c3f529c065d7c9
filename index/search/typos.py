"""Typos in a query, corrected to words that the library's titles have.

A noisy channel (Kernighan, Church and Gale, A spelling correction program based on a noisy channel model,
COLING 1990): a correction is the likelier the more titles have it, the fewer edits it takes, and the more
often it stands beside the query's other words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass

from index.search.word_list import Neighbour, WordList

SHORTEST = 4
"""A shorter word has too many neighbours to guess the right one."""
TWO_EDITS = 7
"""From this length on, a word may have two wrong letters."""
PER_EDIT = 4.0
"""How much less likely each edit makes a word, in nats."""
OTHER_START = 2.0
"""How much less likely a wrong first letter is, in nats."""
COMPANY = 1.5
"""The weight of the log count of papers that have the word beside its neighbour in the query."""
RARE = 5_000
"""A word that at most one paper in so many has (or two) is a typo, too, if another is far likelier:"""
RARE_LENGTH, RARE_RATIO = 7, 100
"""for a long word that no title has, so many times as frequent;"""
RARE_COMPANY = 30
"""or so often beside its neighbour in the query, where the typed one never stands."""
SPLIT = 20
"""Two words written as one are each in at least so many titles."""
_LETTERS = re.compile(r"[a-z]+")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_NAME_CASE = re.compile(r"[a-z].*[A-Z]|[A-Z].*[A-Z]|\d")


@dataclass(frozen=True, slots=True)
class Counts:
    """What the library says of words, for judging typos."""

    papers: Callable[[str], int]
    """How many papers have a word, in any form of it."""
    together: Callable[[str], int]
    """How many papers have some words side by side."""
    size: int
    """The number of papers."""
    known: Container[str]
    """Words that are right although the library may not have them: everyday English, parts of names."""


class Vocabulary:
    """The words of titles, for correcting others to them."""

    def __init__(self, titles: WordList) -> None:
        """From words of :meth:`of`, each with the number of titles that have it."""
        self.titles = titles

    @classmethod
    def of(cls, words: Iterable[tuple[str, int]]) -> Vocabulary:
        """From all words of titles, of which some can't be typed wrong."""
        return cls(
            WordList.of(
                (word, titles)
                for word, titles in words
                if titles > 0 and len(word) >= SHORTEST and _LETTERS.fullmatch(word)
            )
        )

    def __len__(self) -> int:
        return len(self.titles)

    def corrected(self, text: str, counts: Counts) -> tuple[tuple[str, str], ...]:
        """The words of a text that are typos, each with its correction: (as typed, as meant).

        Words in capitals or with digits are names and stay, and so do quoted words. Where most words are
        unknown, the text is in another language, and nothing is corrected.
        """
        typed = [(match[0], match.start()) for match in _WORD.finditer(_unquoted(text))]
        suspects = [
            place
            for place, (word, _) in enumerate(typed)
            if self._is_suspect(word, counts)
            and not (place and _is_capital(word) and not _is_capital(typed[0][0]))
        ]
        unheld = [place for place in suspects if not counts.papers(typed[place][0])]
        if not suspects or (len(unheld) > 2 and 2 * len(unheld) > len(typed)):
            return ()
        words = [word for word, _ in typed]
        found: dict[int, tuple[str, str]] = {}
        # Words that nobody has come first, so that they can speak for their neighbours.
        for place in sorted(suspects, key=lambda place: (place not in unheld, -len(words[place]))):
            if meant := self._meant(place, words, counts):
                found[place] = words[place], meant
                words[place] = meant
        return tuple(found[place] for place in sorted(found))

    def _is_suspect(self, word: str, counts: Counts) -> bool:
        plain = word.lower()
        if (
            len(plain) < SHORTEST
            or not _LETTERS.fullmatch(plain)
            or _NAME_CASE.search(word)
            or plain in counts.known
        ):
            return False
        papers = counts.papers(plain)
        return papers <= max(2, counts.size // RARE)

    def _meant(self, place: int, words: Sequence[str], counts: Counts) -> str | None:
        word = words[place].lower()
        held = counts.papers(word)
        most = 2 if len(word) >= TWO_EDITS and not held else 1
        options = [option for option in self.titles.near(word, most) if option.word != word]
        if held:
            options = [
                option for option in options if self._is_surprising(option, place, words, held, counts)
            ]
        if not options:
            return self._split(word, counts) if not held else None
        options.sort(key=lambda option: PER_EDIT * option.edits - math.log(option.times))

        def score(option: Neighbour) -> float:
            meant, edits, titles = option
            start = OTHER_START if meant[0] != word[0] else 0.0
            beside = [" ".join(pair) for pair in _pairs(place, words, meant)]
            company = sum(math.log1p(counts.together(pair)) for pair in beside)
            return math.log(titles) - PER_EDIT * edits - start + COMPANY * company

        best = max(options[:8], key=score)
        return best.word if best.edits == 1 or best.word[0] == word[0] else None

    def _is_surprising(
        self, meant: Neighbour, place: int, words: Sequence[str], held: int, counts: Counts
    ) -> bool:
        """Whether a word that few papers have is so much rarer than another that it must be a typo."""
        in_titles = self.titles.count(words[place].lower()) > 0
        long = len(words[place]) >= RARE_LENGTH
        if not in_titles and long and meant.times >= RARE_RATIO * held:
            return True
        pairs = zip(_pairs(place, words, meant.word), _pairs(place, words, words[place]), strict=True)
        return any(
            counts.together(" ".join(right)) >= RARE_COMPANY and not counts.together(" ".join(typed))
            for right, typed in pairs
        )

    def _split(self, word: str, counts: Counts) -> str | None:
        """Two frequent words that were written as one."""
        for at in range(SHORTEST, len(word) - SHORTEST + 1):
            one, two = word[:at], word[at:]
            frequent = min(self.titles.count(one), self.titles.count(two)) >= SPLIT
            if frequent and counts.together(f"{one} {two}"):
                return f"{one} {two}"
        return None


def _is_capital(word: str) -> bool:
    return word[0].isupper()


def _pairs(place: int, words: Sequence[str], meant: str) -> list[tuple[str, str]]:
    pairs = []
    if place > 0:
        pairs.append((words[place - 1], meant))
    if place + 1 < len(words):
        pairs.append((meant, words[place + 1]))
    return pairs


def _unquoted(text: str) -> str:
    return re.sub(r'"[^"]*"|\b\w+:\S+', lambda match: " " * len(match[0]), text)


def replaced(text: str, fixed: Sequence[tuple[str, str]]) -> str:
    """A text with its typos corrected. Underscores separate words."""
    for typed, meant in fixed:
        text = re.sub(rf"(?<![^\W_]){re.escape(typed)}(?![^\W_])", meant, text)
    return text
