"""The phrases that a text has in common with others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from index.models.distinct import common, distinct, is_in
from index.search.kept_phrases import KeptPhrases
from index.search.likely_phrases import COMMON_WORD, LikelyPhrases, likely
from index.search.phrase_background import PhraseBackground
from index.search.phrase_table import Choice
from index.search.phrase_text import phrase_parts
from index.search.phrases import PhraseFinder

LEAST_ONE = 0.02
"""A single word with a lower chance in either paper was said in passing, such as *ranks*: it is named only if
nothing else is shared."""
_SAID = 0.3
"""What a phrase counts that was named before, beside one that was not."""
_PART = 0.2
"""What a phrase counts that is part of a longer one that both have."""


def shared_phrases(
    one: tuple[str, str],
    others: Sequence[tuple[str, str]],
    most: int = 3,
    said: Collection[str] = (),
    kept: KeptPhrases | None = None,
) -> list[list[str]]:
    """For each other (title, abstract) the phrases that it shares with one, as it prints them.

    Those that the authors of both would name come first, weighed by how rare they are; no word is in two.
    A single word that one of them said in passing (:data:`LEAST_ONE`) stands alone or not at all.

    Parameters
    ----------
    said
        Phrases that were named before, elsewhere in the same reply: others are preferred.
    kept
        Phrases that were found before; those of papers that it lacks are found now.
    """
    before = {tuple(phrase_parts(phrase)) for phrase in said}
    mine, *theirs = _likely([one, *others], kept)
    return [_shared(mine, other, most, before) for other in theirs]


def _shared(
    one: LikelyPhrases, other: LikelyPhrases, most: int, before: Collection[tuple[str, ...]]
) -> list[str]:
    _, mine, theirs = np.intersect1d(
        one.entries["key"], other.entries["key"], assume_unique=True, return_indices=True
    )
    chances = one.entries["chance"][mine].astype(np.float64), other.entries["chance"][theirs]
    weight = np.sqrt(chances[0] * chances[1]) * other.entries["rarity"][theirs]
    printed = [other.printed(place) for place in theirs.tolist()]
    parts = list(map(phrase_parts, printed))
    common_words = np.array([" " not in phrase for phrase in printed], bool)
    common_words &= other.entries["rarity"][theirs] < -np.log(COMMON_WORD)  # such as state-of-the-art
    told = [own for own, is_common in zip(parts, common_words.tolist(), strict=True) if not is_common]
    single = np.array([len(own) == 1 for own in parts], bool)
    passing = single & (np.minimum(*chances) < LEAST_ONE)
    for place, own in enumerate(parts):
        if tuple(own) in before:
            weight[place] *= _SAID
        if any(len(own) < len(longer) and set(own) <= set(longer) for longer in told):
            weight[place] *= _PART
    chosen: list[str] = []
    taken: set[str] = set()
    named: set[int] = set()
    meanings = other.meanings[theirs]
    order = np.lexsort((-weight, passing))
    for place in order[~common_words[order]].tolist():
        if len(chosen) >= (1 if passing[place] else most):
            break
        meaning = int(meanings[place])
        if taken.isdisjoint(parts[place]) and meaning not in named:
            taken |= set(parts[place])
            named |= {meaning} - {0}
            chosen.append(printed[place])
    return chosen


def _likely(papers: Sequence[tuple[str, str]], kept: KeptPhrases | None) -> list[LikelyPhrases]:
    """The phrases of the first paper and of others; of those that aren't kept, only what they can share."""
    found: list[LikelyPhrases | None] = [None] * len(papers)
    if kept is not None:
        found = kept.of(papers)
    lacking = [place for place, phrases in enumerate(found) if phrases is None]
    if lacking:
        finder = PhraseFinder.shipped()
        known = [phrases.entries["key"] if phrases is not None else None for phrases in found]
        choice = _choice(finder.background, known)
        scored = finder.score([papers[place] for place in lacking], choice)
        for place, phrases in zip(lacking, likely(finder, scored), strict=True):
            found[place] = phrases
    return [phrases for phrases in found if phrases is not None]


def _choice(background: PhraseBackground, known: Sequence[np.ndarray | None]) -> Choice:
    """Chooses what the first text shares with others, but for common words, which are most of it.

    Parameters
    ----------
    known
        The keys of texts that needn't be read, the first text's first; None for those that are.
    """
    most = COMMON_WORD * background.papers
    first, others = known[0], [keys for keys in known[1:] if keys is not None]

    def choice(text: np.ndarray, key: np.ndarray, size: np.ndarray) -> np.ndarray:
        if first is not None:
            return is_in(key, first)
        both = common(key[text == 0], np.concatenate([key[text != 0], *others]))
        # What is language-models here may be language models there, which is no common word.
        several = distinct(np.concatenate([key[size > 1], *others]))
        plain = (background.phrases(both)[:, 0] > most) & ~is_in(both, several)
        return is_in(key, both[~plain])

    return choice
