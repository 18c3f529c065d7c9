"""The phrases that a text has in common with others."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from index.models.distinct import common, distinct, is_in
from index.search.phrase_background import PhraseBackground
from index.search.phrase_table import Choice
from index.search.phrase_text import phrase_parts
from index.search.phrases import PhraseFinder, chances

LEAST = 0.01
"""A phrase is named as shared if the authors of both would name it at least so likely."""
LEAST_ONE = 0.02
"""The same for a single word: *age*, *ranks* and *corrections* are said in passing."""
COMMON_WORD = 0.05
"""A single word that a larger share of papers has is not worth naming: *model*, *training*, *scale*."""
_SAID = 0.3
"""What a phrase counts that was named before, beside one that was not."""
_PART = 0.2
"""What a phrase counts that is part of a longer one that both have."""


def shared_phrases(
    one: tuple[str, str], others: Sequence[tuple[str, str]], most: int = 3, said: Collection[str] = ()
) -> list[list[str]]:
    """For each other (title, abstract) the phrases that it shares with one, as it prints them.

    Those that the authors of both would name come first, weighed by how rare they are; no word is in two.

    Parameters
    ----------
    said
        Phrases that were named before, elsewhere in the same reply: others are preferred.
    """
    finder = PhraseFinder.shipped()
    background = finder.background
    scored = finder.score([one, *others], _shared(background))
    table, chance = scored.table, chances(scored)
    known = background.phrases(table.key)[:, 0]
    rarity = np.log(max(background.papers, 2) / np.maximum(known, 1.0))
    ends = np.searchsorted(table.text, np.arange(len(others) + 2))
    keys = table.key[: ends[1]]
    before = {tuple(phrase_parts(phrase)) for phrase in said}
    found: list[list[str]] = []
    for start, stop in zip(ends[1:-1].tolist(), ends[2:].tolist(), strict=True):
        _, mine, theirs = np.intersect1d(keys, table.key[start:stop], return_indices=True)
        theirs = theirs + start
        both = np.minimum(chance[mine], chance[theirs])
        plain = (table.words[theirs] == 1) & (known[theirs] > COMMON_WORD * background.papers)
        weight = np.where(
            (both >= LEAST) & ~plain, np.sqrt(chance[mine] * chance[theirs]) * rarity[theirs], 0.0
        )
        chosen: list[str] = []
        taken: set[str] = set()
        named: set[int] = set()
        parts = {row: phrase_parts(finder.printed(scored, row)) for row in theirs[weight > 0].tolist()}
        for place, row in enumerate(theirs.tolist()):
            own = parts.get(row)
            if own is None:
                continue
            if tuple(own) in before:
                weight[place] *= _SAID
            if any(len(own) < len(longer) and set(own) <= set(longer) for longer in parts.values()):
                weight[place] *= _PART
        for place in np.argsort(-weight, kind="stable").tolist():
            row = int(theirs[place])
            if weight[place] <= 0 or len(chosen) == most:
                break
            same = (int(table.short[row]), int(table.key[row]))
            if taken.isdisjoint(parts[row]) and named.isdisjoint(filter(None, same)):
                taken |= set(parts[row])
                named |= set(filter(None, same))
                chosen.append(finder.printed(scored, row))
        found.append(chosen)
    return found


def _shared(background: PhraseBackground) -> Choice:
    """Chooses what the first text shares with others, but for common words, which are most of it."""
    most = COMMON_WORD * background.papers

    def choice(text: np.ndarray, key: np.ndarray, size: np.ndarray) -> np.ndarray:
        both = common(key[text == 0], key[text != 0])
        several = distinct(key[size > 1])  # language models may be written language-models elsewhere
        plain = (background.phrases(both)[:, 0] > most) & ~is_in(both, several)
        return is_in(key, both[~plain])

    return choice
