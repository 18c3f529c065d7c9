"""Sentences and phrases to show: what of an abstract answers, what two papers have in common."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

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
_PLURAL = re.compile(r"^[cgdnt]pus$")  # the stemmer takes GPUs for Latin
MAX_PHRASE = 4
TELLING = 0.28
"""The least rarity (:meth:`index.search.Search.rarity`) of a single word that says something alone."""
_WEAK = frozenset(
    [
        "a",
        "about",
        "above",
        "across",
        "after",
        "against",
        "all",
        "also",
        "although",
        "among",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "based",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "demonstrate",
        "demonstrates",
        "different",
        "do",
        "does",
        "due",
        "during",
        "each",
        "either",
        "e.g",
        "eg",
        "et",
        "existing",
        "experiments",
        "extensive",
        "first",
        "for",
        "from",
        "further",
        "given",
        "has",
        "have",
        "having",
        "how",
        "however",
        "i.e",
        "ie",
        "if",
        "important",
        "in",
        "including",
        "into",
        "introduce",
        "introduces",
        "is",
        "it",
        "its",
        "large",
        "many",
        "may",
        "more",
        "most",
        "much",
        "must",
        "namely",
        "need",
        "new",
        "not",
        "novel",
        "of",
        "often",
        "on",
        "one",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "paper",
        "papers",
        "particular",
        "per",
        "propose",
        "proposed",
        "proposes",
        "present",
        "presents",
        "problem",
        "recent",
        "results",
        "same",
        "second",
        "several",
        "show",
        "shows",
        "significant",
        "significantly",
        "since",
        "single",
        "so",
        "some",
        "state-of-the-art",
        "study",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "therefore",
        "these",
        "they",
        "third",
        "this",
        "those",
        "three",
        "through",
        "thus",
        "to",
        "toward",
        "towards",
        "two",
        "under",
        "up",
        "upon",
        "use",
        "used",
        "uses",
        "using",
        "various",
        "very",
        "via",
        "was",
        "we",
        "well",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whose",
        "will",
        "with",
        "within",
        "without",
        "work",
        "works",
        "yet",
        "approach",
        "method",
        "methods",
        "model",
        "models",
        "task",
        "tasks",
        "data",
        "performance",
        "high",
        "highly",
        "achieve",
        "achieves",
        "between",
        "order",
        "key",
        "leverage",
        "leverages",
        "better",
        "best",
        "across",
        "number",
        "effective",
        "efficient",
        "effectively",
        "efficiently",
        "framework",
        "system",
        "systems",
    ]
)


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a folded word, part by part where it is hyphenated."""
    return "-".join(
        part[:-1] if _PLURAL.match(part) else next(iter(_STEMMER.analyze(part)), part)
        for part in word.split("-")
    )


def sentences(text: str) -> list[str]:
    """A text's sentences; abbreviations and initials end none."""
    parts: list[str] = []
    for part in _SENTENCE.split(text):
        if parts and _ABBREVIATED.search(parts[-1]):
            parts[-1] += " " + part
        elif part.strip():
            parts.append(part.strip())
    return parts


def best_sentence(abstract: str, query: str, rarity: Callable[[str], float]) -> str:
    """The sentence that has most of the query's words, rare ones counting more; else the first.

    ``rarity`` gives a folded word's weight.
    """
    options = sentences(abstract)
    if not options:
        return ""
    wanted = {stem(word): rarity(word) for word in _words(query) if word not in _WEAK}

    def score(sentence: str) -> float:
        stems = {part for word in _words(sentence) for part in (stem(word), *stem(word).split("-"))}
        found = sum(weight for word, weight in wanted.items() if word in stems)
        return found / math.sqrt(8 + len(stems))

    return max(options, key=score)


def shared_phrases(one: str, other: str, rarity: Callable[[str], float], most: int = 3) -> list[str]:
    """The most telling phrases that two texts share, as the second prints them.

    Phrases are runs of up to four content words with equal stems; rarer and longer ones come first.
    """
    theirs = _all_grams(one)
    best: dict[tuple[str, ...], tuple[float, str]] = {}
    for run in _runs(other):
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
    return [best[gram][1] for gram in chosen]


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _runs(text: str) -> list[list[str]]:
    """Content words that stand side by side, within one sentence and between punctuation."""
    runs: list[list[str]] = [[]]
    for part in re.split(r"[.,;:!?()\[\]{}\"“”$\\]", fold(text)):
        for word in _WORD.findall(part):
            if word in _WEAK or len(word) < 3 or word.isdigit():
                runs.append([])
            else:
                runs[-1].append(word)
        runs.append([])
    return [run for run in runs if run]


@lru_cache(maxsize=64)
def _all_grams(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(gram for run in _runs(text) for gram in _grams([stem(word) for word in run]))


def _grams(stems: Sequence[str]) -> list[tuple[str, ...]]:
    return [
        tuple(stems[start:stop])
        for start in range(len(stems))
        for stop in range(start + 1, min(len(stems), start + MAX_PHRASE) + 1)
    ]
