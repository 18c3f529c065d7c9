"""Sentences and phrases to show: the sentence that answers a query, the phrases two papers share."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import resources

import tantivy

from data.keys import fold

_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[$]?[A-Z0-9\\$])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|etc|vs|cf|resp|Fig|Eq|Sec|No|Dr|w\.r\.t|approx)|\b[A-Z])\.$"
)
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_STEMMER = (
    tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw()).filter(tantivy.Filter.stemmer("english")).build()
)
_PLURAL = re.compile(r"^[cgdnt]pus$")  # the stemmer mistakes GPUs for Latin
MAX_PHRASE = 4
TELLING = 0.28
"""The least rarity (:meth:`index.search.search.Search.rarity`) that a single word needs to be shown alone."""
WEAK = frozenset(resources.files("index").joinpath("weak_words.txt").read_text().split())
"""Words that say nothing about a paper's subject, alone or in a phrase."""


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a folded word, part by part if it is hyphenated."""
    return "-".join(
        part[:-1] if _PLURAL.match(part) else next(iter(_STEMMER.analyze(part)), part)
        for part in word.split("-")
    )


def sentences(text: str) -> list[str]:
    """A text's sentences; abbreviations and initials do not end one."""
    parts: list[str] = []
    for part in _SENTENCE.split(text):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] += " " + part
        elif part.strip():
            parts.append(part.strip())
    return parts


def best_sentence(abstract: str, query: str, rarity: Callable[[str], float]) -> str:
    """The sentence with most of the query's words, rare ones counting more; else the first.

    ``rarity`` gives a folded word's weight.
    """
    options = sentences(abstract)
    if not options:
        return ""
    wanted = {stem(word): rarity(word) for word in _words(query) if word not in WEAK}

    def score(sentence: str) -> float:
        stems = {part for word in _words(sentence) for part in (stem(word), *stem(word).split("-"))}
        found = sum(weight for word, weight in wanted.items() if word in stems)
        return found / math.sqrt(8 + len(stems))

    return max(options, key=score)


def shared_phrases(one: str, other: str, rarity: Callable[[str], float], most: int = 3) -> list[str]:
    """The most characteristic phrases that two texts share, in the second one's spelling.

    Phrases are runs of up to four content words with equal stems. Rarer and longer ones come first.
    """
    theirs = _all_grams(one)
    best: dict[tuple[str, ...], tuple[float, str]] = {}
    for run in content_runs(other):
        stems = [stem(word) for word in run]
        for start in range(len(run)):
            for stop in range(start + 1, min(len(run), start + MAX_PHRASE) + 1):
                gram = tuple(stems[start:stop])
                if gram in theirs:
                    weight = sum(rarity(word) for word in run[start:stop])
                    if stop - start == 1 and weight < TELLING:
                        continue
                    if weight > best.get(gram, (0.0, ""))[0]:
                        best[gram] = (weight, " ".join(run[start:stop]))
    chosen: list[tuple[str, ...]] = []
    for gram, (weight, _) in sorted(best.items(), key=lambda entry: (-entry[1][0], entry[0])):
        if weight > 0 and not any(set(gram) & set(taken) for taken in chosen):
            chosen.append(gram)
        if len(chosen) == most:
            break
    return [_as_printed(best[gram][1], other) for gram in chosen]


def _as_printed(phrase: str, text: str) -> str:
    """The phrase as the text spells it (GPU, not gpu)."""
    match = re.search(r"\b" + re.escape(phrase) + r"\b", text, re.IGNORECASE)
    return match[0] if match else phrase


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def content_runs(text: str, weak: frozenset[str] = WEAK) -> list[list[str]]:
    """Runs of adjacent words, without weak ones and punctuation, within one sentence."""
    runs: list[list[str]] = [[]]
    for part in re.split(r"[.,;:!?()\[\]{}\"“”$\\]", fold(text)):
        for word in _WORD.findall(part):
            if word in weak or len(word) < 3 or word.isdigit():
                runs.append([])
            else:
                runs[-1].append(word)
        runs.append([])
    return [run for run in runs if run]


@lru_cache(maxsize=64)
def _all_grams(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(gram for run in content_runs(text) for gram in _grams([stem(word) for word in run]))


def _grams(stems: Sequence[str]) -> list[tuple[str, ...]]:
    return [
        tuple(stems[start:stop])
        for start in range(len(stems))
        for stop in range(start + 1, min(len(stems), start + MAX_PHRASE) + 1)
    ]
