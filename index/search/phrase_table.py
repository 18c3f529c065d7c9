"""The phrases that texts hold, as a table: noun phrases of one to four words, and what speaks for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from index.search.phrase_background import (
    ADJECTIVE,
    ADVERB,
    ADVERB_BESIDE,
    ALONE,
    BEGINS,
    BREAK,
    ENDS,
    NOUN,
    OTHER_BESIDE,
    RARITY,
    VERB,
    PhraseBackground,
)
from index.search.phrase_text import Texts
from index.search.printed_words import CAPITALISED, LOWER, MULTIPLIER, OTHER

MOST_WORDS = 4
LEAST_NOUN = 0.3
"""The least chance of being a noun that a phrase's last word has."""
MOST_VERB, MOST_ADVERB = 0.6, 0.5
"""A word that is more surely a verb or an adverb is in no phrase."""
CONTEXT = 0.7
"""How much a word's neighbours say of its kind."""
FEATURES = (
    "words",
    "log_count",
    "first",
    "last",
    "length",
    "title_count",
    "title_alone",
    "words_in_title",
    "alone",
    "free_left",
    "free_right",
    "papers",
    "title_rate",
    "alone_rate",
    "together",
    "begins",
    "ends",
    "single",
    "least_inside",
    "most_rare",
    "mean_rare",
    "least_rare",
    "noun",
    "least_nominal",
    "capitals",
    "acronym",
    "mean_word_count",
    "least_word_count",
    "after_determiner",
    "before_break",
    "has_acronym",
)

Choice = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
"""Which occurrences count, bool, by the text, the key and the number of words of each."""


@dataclass(frozen=True)
class Table:
    """Candidates, one row for each phrase of each text, in the order of texts.

    Attributes
    ----------
    text, key, place
        Which text, the phrase's key (uint64), and the token with which its best print begins.
    words
        How many words it has there.
    short
        The key of its initials where the text gives them after it (``… model (LLM)``), else 0.
    features
        float32, shape (rows, features): columns as in :data:`FEATURES`.
    """

    text: np.ndarray
    key: np.ndarray
    place: np.ndarray
    words: np.ndarray
    short: np.ndarray
    features: np.ndarray


@dataclass(frozen=True)
class Tokens:
    """What is known of each word in its place: chances of its kind, and its run (0 where it is in none)."""

    values: np.ndarray
    nominal: np.ndarray
    noun: np.ndarray
    inside: np.ndarray
    run: np.ndarray
    before: np.ndarray
    after: np.ndarray


def tokens(texts: Texts, background: PhraseBackground) -> Tokens:
    """Judge each word by itself and by its neighbours."""
    values = background.words(texts.words.folded)
    function, mark = texts.words.function, texts.words.mark
    beside = np.where(function > 0, function, OTHER_BESIDE)
    beside[(function == 0) & (values[:, ADVERB] > MOST_ADVERB)] = ADVERB_BESIDE
    word = texts.word
    here = beside[word]
    joined_after = np.append(texts.joined[1:], False) if len(word) else np.zeros(0, bool)
    before = np.where(texts.joined, np.append(BREAK, here[:-1])[: len(word)], BREAK)
    after = np.where(joined_after, np.append(here[1:], BREAK)[: len(word)], BREAK)
    chances = values[word][:, [NOUN, ADJECTIVE, VERB, ADVERB]]
    chances = chances * background.nearby(CONTEXT)[:, before, after].T + 1e-6
    chances /= chances.sum(axis=1, keepdims=True)
    inside = (function[word] == 0) & (chances[:, 2] <= MOST_VERB) & (chances[:, 3] <= MOST_ADVERB)
    inside &= ~mark[word] | np.append(False, inside[:-1])[: len(word)] & texts.joined
    opens = inside & ~(np.append(False, inside[:-1])[: len(word)] & texts.joined)
    run = np.where(inside, np.cumsum(opens), 0)
    noun = np.where(mark[word], 0.5, chances[:, 0])
    return Tokens(values, chances[:, 0] + chances[:, 1], noun, inside & ~mark[word], run, before, after)


def occurrences(texts: Texts, judged: Tokens) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(first token, number of words, key) of every place where a phrase can stand."""
    word_keys, word_steps = texts.words.key[texts.word], texts.words.step[texts.word]
    total = len(texts.word)
    starts, sizes, keys = [], [], []
    key = word_keys.copy()
    for size in range(1, MOST_WORDS + 1):
        count = total - size + 1
        if count <= 0:
            break
        if size > 1:
            key = key[:count] * word_steps[size - 1 :] + word_keys[size - 1 :]
        end = slice(size - 1, total)
        fits = (judged.run[:count] > 0) & (judged.run[:count] == judged.run[end]) & judged.inside[:count]
        fits &= judged.noun[end] >= LEAST_NOUN
        if size == 1:
            fits &= ~_scrap(texts)[texts.word]
        at = np.flatnonzero(fits)
        starts.append(at)
        sizes.append(np.full(len(at), size))
        keys.append(key[at])
    if not starts:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint64)
    return np.concatenate(starts), np.concatenate(sizes), np.concatenate(keys)


def _scrap(texts: Texts) -> np.ndarray:
    """For each of texts.words: whether it is too short to name anything alone ("de"), in small letters."""
    letters = np.fromiter(map(len, texts.words.folded), np.int64, len(texts.words))
    return np.asarray((letters < 3) & (texts.words.form == LOWER))


def _short_form(texts: Texts, start: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The key of the initials that follow a phrase in parentheses, 0 where none do."""
    out = np.zeros(len(start), np.uint64)
    other = texts.words.form == OTHER
    total = len(texts.word)
    nxt = start + size
    maybe = np.flatnonzero((nxt < total) & (size > 1))
    maybe = maybe[other[texts.word[nxt[maybe]]] & ~texts.joined[nxt[maybe]]]
    for row in maybe.tolist():
        first, short = int(start[row]), int(nxt[row])
        whole = texts.cleaned[int(texts.text[first])]
        if texts.text[first] != texts.text[short] or whole[texts.start[short] - 1] != "(":
            continue
        acronym = whole[texts.start[short] : texts.stop[short]]
        parts = whole[texts.start[first] : texts.stop[short - 1]].replace("-", " ").split()
        letters = [part[0].lower() for part in parts if part]
        shape = acronym.rstrip("s").lower().replace("-", "")
        if len(shape) > 1 and "".join(letters) in (shape, acronym.lower()):
            out[row] = texts.words.key[texts.word[short]]
    return out


def tabulate(texts: Texts, background: PhraseBackground, choice: Choice | None = None) -> Table:
    """All candidates of some texts with their features; only occurrences that are chosen count."""
    judged = tokens(texts, background)
    start, size, key = occurrences(texts, judged)
    text = texts.text[start].astype(np.int64)
    if choice is not None:
        kept = choice(text, key, size)
        start, size, key, text = start[kept], size[kept], key[kept], text[kept]
    order = np.lexsort((start, key, text))
    start, size, key, text = start[order], size[order], key[order], text[order]
    fresh = np.ones(len(key), bool)
    fresh[1:] = (key[1:] != key[:-1]) | (text[1:] != text[:-1])
    opens = np.flatnonzero(fresh)
    if not len(opens):
        empty = np.zeros(0, np.int64)
        keys = empty.astype(np.uint64)
        return Table(empty, keys, empty, empty, keys, np.zeros((0, len(FEATURES)), np.float32))
    group = np.cumsum(fresh) - 1
    last = start + size - 1
    in_title = texts.in_title[start]
    total = len(texts.word)
    free_left = (start == 0) | (judged.run[np.maximum(start - 1, 0)] != judged.run[start])
    free_right = (last + 1 >= total) | (judged.run[np.minimum(last + 1, total - 1)] != judged.run[start])
    alone = free_left & free_right
    count = np.add.reduceat(np.ones(len(key)), opens)

    def mean(values: np.ndarray) -> np.ndarray:
        summed: np.ndarray = np.add.reduceat(values.astype(np.float64), opens)
        return summed / count

    bounds = np.searchsorted(texts.text, np.arange(len(texts.cleaned) + 1))
    first_body = np.searchsorted(bounds, start, "right")  # place of each text's end in bounds
    length = np.maximum(bounds[first_body] - bounds[first_body - 1], 1)
    titles = np.add.reduceat(texts.in_title.astype(np.int64), np.minimum(bounds[:-1], total - 1))
    body = np.where(in_title, length, start - bounds[first_body - 1] - titles[text])
    relative = body / length
    forms = texts.words.form[texts.word]
    # Words by their count in the text, and whether the title has them.
    stems = texts.words.key[texts.word]
    each = stems * np.uint64(MULTIPLIER) + texts.text.astype(np.uint64)
    _, inverse = np.unique(each, return_inverse=True)
    word_count = np.log1p(np.bincount(inverse))[inverse]
    titled = (np.bincount(inverse, texts.in_title) > 0)[inverse]
    values = judged.values[texts.word]
    rows = opens
    wide = np.minimum(start[rows, None] + np.arange(MOST_WORDS), total - 1)
    used = np.arange(MOST_WORDS) < size[rows, None]
    n = size[rows]

    def over(per_token: np.ndarray, empty: float) -> np.ndarray:
        return np.where(used, per_token[wide], empty)

    rare = over(values[:, RARITY], 0.0)
    known = background.phrases(key[rows])
    papers = known[:, 0]
    whole = max(background.papers, 2)
    expected = rare.sum(axis=1)
    seen = np.log(whole / np.maximum(papers, 0.5))
    together = np.where(n > 1, (expected - seen) / np.maximum(seen, 1e-6), 0.0)
    ends = last[rows]
    previous = values[:, [BEGINS, ENDS, ALONE]]
    short = np.maximum.reduceat(_short_form(texts, start, size), opens)
    columns = {
        "words": n,
        "log_count": np.log1p(count),
        "first": np.minimum.reduceat(relative, opens),
        "last": np.maximum.reduceat(np.where(in_title, 0.0, relative), opens),
        "length": np.log(length[rows]),
        "title_count": np.add.reduceat(in_title.astype(np.float64), opens),
        "title_alone": np.maximum.reduceat((in_title & alone).astype(np.float64), opens),
        "words_in_title": over(titled.astype(np.float64), 0.0).sum(axis=1) / n,
        "alone": mean(alone),
        "free_left": mean(free_left),
        "free_right": mean(free_right),
        "papers": np.log1p(papers),
        "title_rate": known[:, 1],
        "alone_rate": known[:, 2],
        "together": together,
        "begins": previous[start[rows], 0],
        "ends": previous[ends, 1],
        "single": previous[ends, 2],
        "least_inside": over(previous[:, 0], 9.0).min(axis=1),
        "most_rare": rare.max(axis=1),
        "mean_rare": expected / n,
        "least_rare": over(values[:, RARITY], 99.0).min(axis=1),
        "noun": mean(judged.noun[last]),
        "least_nominal": over(judged.nominal, 1.0).min(axis=1),
        "capitals": mean((forms[start] == CAPITALISED) & ~in_title & texts.joined[start]),
        "acronym": mean(forms[last] == OTHER),
        "mean_word_count": over(word_count, 0.0).sum(axis=1) / n,
        "least_word_count": over(word_count, 99.0).min(axis=1),
        "after_determiner": mean(judged.before[start] == 1),
        "before_break": mean(judged.after[last] == BREAK),
        "has_acronym": short > 0,
    }
    features = np.stack([columns[name] for name in FEATURES], axis=1).astype(np.float32)
    # Shown as its first print in the abstract, with a small letter if it has one, else as in the title.
    best = np.lexsort((start, forms[start] == CAPITALISED, in_title, group))
    _, leading = np.unique(group[best], return_index=True)
    shown = best[leading]
    return Table(text[rows], key[rows], start[shown], size[shown], short, features)
