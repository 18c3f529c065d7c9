"""The phrases of a paper that name a thing in its field, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from index.models.shipped import booster, margins, shipped
from index.search.phrase_background import SMALL, PhraseBackground
from index.search.phrase_table import FEATURES, MOST_WORDS, Choice, Table, tabulate
from index.search.phrase_text import Texts, read
from index.search.printed_words import CAPITALISED, word_of

if TYPE_CHECKING:
    import xgboost

BATCH = 1_000
"""Papers that are read at once."""
UNSEEN = ("title_count", "title_alone", "words_in_title")
"""Features that the first model does not see: it learned from titles what to look for in abstracts."""
NESTED = 1.0
"""What a phrase loses (in log-odds) for each better one that it is a part of."""
_LIST = 40
"""Phrases of a paper that are looked at for a list."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase as the paper prints it, its key, and the chance that the authors would name it."""

    text: str
    key: int
    chance: float


@dataclass(frozen=True)
class ScoredPhrases:
    """The phrases of some papers with their log-odds (float64, one a row of ``table``)."""

    texts: Texts
    table: Table
    odds: np.ndarray


class PhraseFinder:
    """Finds phrases: candidates by the shape of noun phrases, ranked by two models.

    The first (boosted trees) learned which phrases of an abstract are its title's. The second (a logistic
    regression of few features) learned from abstracts that end in their authors' keywords how much the title
    itself, the length and the rarity of a phrase count beside it.
    """

    def __init__(
        self, background: PhraseBackground, ranker: xgboost.Booster, authors: Mapping[str, float]
    ) -> None:
        self.background = background
        self._ranker = ranker
        self._authors = dict(authors)
        self._columns = [place for place, name in enumerate(FEATURES) if name not in UNSEEN]

    @classmethod
    def shipped(cls) -> PhraseFinder:
        """The finder with the models in ``index/models``, checked against their recipe; read once.

        Raises
        ------
        ModelDamagedError
            If a file is missing, its checksum differs, or it has other features.
        """
        return _shipped()

    def score(self, papers: Sequence[tuple[str, str]], choice: Choice | None = None) -> ScoredPhrases:
        """All candidates in titles and abstracts, or those that are chosen (:func:`tabulate`)."""
        texts = read(papers)
        table = tabulate(texts, self.background, choice)
        beside = author_features(table, margins(self._ranker, table.features[:, self._columns]))
        weights = np.array([self._authors[name] for name in beside])
        odds = np.stack(list(beside.values()), axis=1) @ weights if len(table.key) else np.zeros(0)
        return ScoredPhrases(texts, table, odds + self._authors["neither"])

    def of(self, papers: Sequence[tuple[str, str]], most: int = 10) -> list[list[Phrase]]:
        """For each (title, abstract) its phrases, best first, none twice in two forms."""
        found: list[list[Phrase]] = []
        for start in range(0, len(papers), BATCH):
            scored = self.score(papers[start : start + BATCH])
            chance = chances(scored)
            ends = np.searchsorted(scored.table.text, np.arange(len(scored.texts.cleaned) + 1))
            for one, two in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
                rows = np.array(best_rows(scored, np.arange(one, two), most), np.int64)
                keys, named = scored.table.key[rows].tolist(), chance[rows].tolist()
                found.append(list(map(Phrase, self.printed(scored, rows), keys, named)))
        return found

    def printed(self, scored: ScoredPhrases, rows: np.ndarray) -> list[str]:
        """Phrases as their papers print them, without the capitals of titles and of sentences' beginnings."""
        texts, table = scored.texts, scored.table
        smaller = self.loses_capitals(scored, rows).tolist()
        firsts = table.place[rows].tolist()
        lasts = (table.place[rows] + table.words[rows] - 1).tolist()
        return [
            as_printed(
                texts.cleaned[int(texts.text[first])][int(texts.start[first]) : int(texts.stop[last])], small
            )
            for first, last, small in zip(firsts, lasts, smaller, strict=True)
        ]

    def loses_capitals(self, scored: ScoredPhrases, rows: np.ndarray) -> np.ndarray:
        """Whether phrases have capitals that only a title or a beginning gives them: bool, shape (rows,)."""
        texts, first = scored.texts, scored.table.place[rows]
        size = scored.table.words[rows, None]
        word = texts.word[np.minimum(first[:, None] + np.arange(MOST_WORDS), len(texts.word) - 1)]
        capital = (texts.words.form[word] == CAPITALISED) & (np.arange(MOST_WORDS) < size)
        small = self.background.words(texts.words.folded)[:, SMALL] >= 0.5
        begins = capital[:, 0] & (capital.sum(axis=1) == 1) & ~texts.joined[first]
        opens = (texts.in_title[first] | begins) & capital.any(axis=1)
        return np.asarray(opens & (small[word] | ~capital).all(axis=1))


def as_printed(phrase: str, loses_capitals: bool) -> str:
    """A phrase from a cleaned text; its words' single capitals become small letters if it loses them."""
    words = phrase.split()
    if loses_capitals:
        words = [word.lower() if word_of(word).form == CAPITALISED else word for word in words]
    return " ".join(words)


def chances(scored: ScoredPhrases) -> np.ndarray:
    """How likely the authors would name each candidate: float64, shape (rows,)."""
    return np.asarray(1 / (1 + np.exp(-scored.odds)))


def author_features(table: Table, named: np.ndarray) -> dict[str, np.ndarray]:
    """What the second model sees of each candidate; ``named`` is the first model's log-odds."""
    of = {name: table.features[:, place] for place, name in enumerate(FEATURES)}
    single = (of["words"] == 1).astype(np.float64)
    return {
        "named": named.astype(np.float64),
        "in_title": (of["title_count"] > 0).astype(np.float64),
        "title_alone": of["title_alone"].astype(np.float64),
        "single": single,
        "single_rarity": single * of["most_rare"],
        "three": (of["words"] >= 3).astype(np.float64),
        "four": (of["words"] >= 4).astype(np.float64),
        "known": of["papers"].astype(np.float64),
        "acronym": of["acronym"].astype(np.float64),
    }


def best_rows(scored: ScoredPhrases, rows: np.ndarray, most: int) -> list[int]:
    """The rows of one paper to show: the likeliest first, parts of those shown and their initials later."""
    table = scored.table
    rows = rows[np.argsort(-scored.odds[rows], kind="stable")][:_LIST]
    odds = dict(zip(rows.tolist(), scored.odds[rows].tolist(), strict=True))
    stems = {row: _stems(scored, row) for row in odds}
    chosen: list[int] = []
    while odds and len(chosen) < most:
        best = max(odds, key=lambda row: odds[row])
        del odds[best]
        chosen.append(best)
        for row in list(odds):
            same = table.short[best] and table.short[best] == table.key[row]
            if same or (table.short[row] and table.short[row] == table.key[best]):
                del odds[row]
            elif _is_part(stems[row], stems[best]):
                odds[row] -= NESTED
    return chosen


def _stems(scored: ScoredPhrases, row: int) -> tuple[int, ...]:
    first, texts = int(scored.table.place[row]), scored.texts
    words = texts.word[first : first + int(scored.table.words[row])]
    return tuple(texts.words.key[words].tolist())


def _is_part(inner: tuple[int, ...], outer: tuple[int, ...]) -> bool:
    return any(outer[at : at + len(inner)] == inner for at in range(len(outer) - len(inner) + 1))


@cache
def _shipped() -> PhraseFinder:
    recipe, files = shipped("phrases", "phrases-{}", FEATURES)
    return PhraseFinder(
        PhraseBackground.unpacked(files["background.npz"]), booster(files["names.ubj"]), recipe["authors"]
    )
