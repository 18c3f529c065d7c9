"""Do phrases name what a paper is about? The title's phrases from the abstract, and authors' own keywords."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

from data.keys import fold
from data.records import PaperRecord
from index.evaluate.author_keywords import keyword_keys, split_keywords
from index.evaluate.metrics import summary
from index.search.phrase_text import cleaned, phrase_key
from index.search.phrases import PhraseFinder
from index.search.printed_words import word_of

DEPTHS = (5, 10)
LEAST_ABSTRACT = 300
MOST_WORDS = 4
Method = Callable[[Sequence[tuple[str, str]]], list[list[str]]]
"""Gives each (title, abstract) its phrases, best first."""
Report = Callable[[str, int, int], None]
_RUN = re.compile(r"[^\w\s'’&+#-]+")
_WORD = re.compile(r"[^\W_][^\s]*")


@dataclass(frozen=True, slots=True)
class PhraseQuestion:
    """A text that phrases are asked of, and the keys of those wanted."""

    kind: str
    text: tuple[str, str]
    wanted: frozenset[int]


def make_questions(
    records: Sequence[PaperRecord], since: date | None, count: int, seed: int
) -> list[PhraseQuestion]:
    """Abstracts with the phrases of their titles, and papers with their authors' keywords."""
    asked: list[PhraseQuestion] = []
    plain: list[PaperRecord] = []
    for record in records:
        day = record.announced or record.submitted or record.updated
        if len(record.abstract) < LEAST_ABSTRACT or (since and (day is None or day < since)):
            continue
        listed = split_keywords(record.abstract)
        if listed:
            abstract, keywords = listed
            wanted = frozenset(keyword_keys(keywords))
            asked.append(PhraseQuestion("keywords", (record.title, abstract), wanted))
        else:
            plain.append(record)
    random.Random(seed).shuffle(plain)
    pairs = ((record.abstract, title_phrases(record.title, record.abstract)) for record in plain)
    titled = (PhraseQuestion("title", ("", abstract), wanted) for abstract, wanted in pairs if wanted)
    return [*islice(titled, count), *asked]


def title_phrases(title: str, abstract: str) -> frozenset[int]:
    """Keys of the longest runs of up to four content words that title and abstract have in common."""
    held = _grams(abstract)
    found: set[int] = set()
    for run in _runs(title):
        at = 0
        while at < len(run):
            for size in range(min(MOST_WORDS, len(run) - at), 0, -1):
                key = phrase_key(" ".join(run[at : at + size]))
                if key in held:
                    found.add(key)
                    at += size - 1
                    break
            at += 1
    return frozenset(found)


def _runs(text: str) -> list[list[str]]:
    """Runs of content words: function words and punctuation end one."""
    runs: list[list[str]] = [[]]
    for part in _RUN.split(cleaned(text)):
        for word in _WORD.findall(part):
            if word_of(word).function or len(fold(word)) < 2 or word.isdigit():
                runs.append([])
            else:
                runs[-1].append(word)
        runs.append([])
    return [run for run in runs if run]


def _grams(text: str) -> set[int]:
    return {
        phrase_key(" ".join(run[start:stop]))
        for run in _runs(text)
        for start in range(len(run))
        for stop in range(start + 1, min(len(run), start + MOST_WORDS) + 1)
    }


def f1(found: Sequence[int], wanted: frozenset[int], depth: int) -> float:
    """F1 of the first few phrases, each counted once, against those wanted."""
    first = list(dict.fromkeys(found))[:depth]
    right = len(wanted.intersection(first))
    return 2 * right / (len(first) + len(wanted)) if right else 0.0


def evaluate(
    records: Sequence[PaperRecord],
    methods: dict[str, Method],
    *,
    since: date | None = None,
    count: int = 500,
    seed: int = 0,
    report: Report | None = None,
) -> dict[str, Any]:
    """Rows with f1@5 and f1@10 of each method and kind; phrases are equal if their stems are."""
    asked = make_questions(records, since, count, seed)
    methods = {"labmate": ours, **methods}
    rows = []
    for kind in dict.fromkeys(question.kind for question in asked):
        of = [question for question in asked if question.kind == kind]
        for place, (name, method) in enumerate(methods.items()):
            if report:
                report(f"phrases of {len(of):,} papers, {kind}", place, len(methods))
            found = [[phrase_key(text) for text in one] for one in method([q.text for q in of])]
            row: dict[str, Any] = {"method": name, "kind": kind, "papers": len(of)}
            for depth in DEPTHS:
                values = [f1(one, q.wanted, depth) for one, q in zip(found, of, strict=True)]
                row |= summary(f"f1@{depth}", values, seed)
            rows.append(row)
    return {"task": "phrases", "seed": seed, "questions": len(asked), "rows": rows}


def ours(papers: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Labmate's phrases."""
    found = PhraseFinder.shipped().of(papers, max(DEPTHS))
    return [[phrase.text for phrase in one] for one in found]
