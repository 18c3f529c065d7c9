"""python -m benchmarks.judged_answers: do the sentences that `/ask` quotes answer people's own questions?

`judged_answers.json` has the questions of :mod:`benchmarks.judged_queries`, with a grade for each of the
sentences that may be quoted: 2 if it answers, 1 if it is about what was asked, 0 if it isn't, `-` if it was
not graded. A language model graded the sentences of the first papers found and the best of several rankings,
in random order. Sentences are named by their paper's identifier and their place in its abstract.

For each kind of question, a line for each least confidence says for how many questions Labmate answers, in
how many of these answers a quoted sentence answers, how often the first one does, and the share of the
quotes that are not about what was asked. Below it is the same for what a reply without an answer shows: up to
three papers that come near, each with its best sentence; and for the sentence that shares most words, which
was shown before. After arXiv's questions, its papers are asked what medical researchers ask (PubMedQA), which
hardly any of them answers. Sentences that were not graded count as 0; the last column is the share that was.
"""

from __future__ import annotations

import asyncio
import json
import random
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import QUESTIONS, need_data, researchers_questions
from benchmarks.judged_queries import ANTHOLOGY, numbers, opened
from index.answers.answer import Answerer, compared
from index.answers.candidates import candidates, library_rarity
from index.answers.evidence import Reading
from index.answers.sentences import split
from index.search.corpus import Corpus
from index.search.passages import best_sentence
from index.search.search import Search

JUDGED = Path(__file__).with_suffix(".json")
MEDICAL, ASKED, SEED = 1_000, 200, 3
"""How many questions PubMedQA has, how many of them are asked, and which."""
LEASTS = (0.0, 0.15, 0.25, 0.37)
NEAREST = 3
Sentences = Sequence[tuple[int, int]]
"""Store ids of papers, and places of sentences in their abstracts."""


@dataclass(frozen=True)
class JudgedQuestion:
    """A question and the grades of sentences, by the identifier of their paper: a digit or `-` for each."""

    collection: str
    kind: str
    query: str
    grades: Mapping[str, str]

    @classmethod
    def all(cls) -> list[JudgedQuestion]:
        """Every question of the file."""
        return [cls(**line) for line in json.loads(JUDGED.read_text())]


@dataclass(frozen=True)
class Reply:
    """What `/ask` would show.

    Attributes
    ----------
    answered
        Whether Labmate answers.
    quoted
        The first one is the best.
    nearest, by_words
        One of each paper that is shown without an answer: the best one, and the one that shares most words.
    """

    confidence: float
    answered: bool
    quoted: Sentences
    nearest: Sentences
    by_words: Sentences


async def replied(corpus: Corpus, search: Search, answerer: Answerer, question: str) -> Reply:
    """Ask a question of all papers."""
    rarity = library_rarity(corpus)
    found = await candidates(search, corpus, question)
    near = set((await search.near_enough(question, [one.paper for one in found]))[:NEAREST])
    shown = [one for one in found if one.paper in near]
    starts = {one.paper: [sentence.start for sentence in split(one.text)] for one in found}

    def compare() -> Reply:
        reading = Reading(question, found, rarity)
        answer = answerer.conclude(compared(reading, corpus.embedder))
        quotes = [(found[quote.passage].paper, quote.start) for quote in answer.best_first()]
        best = {found[quote.passage].paper: quote.start for quote in answer.best_of_each}
        worded = {one.paper: one.text.find(best_sentence(one.text, question, rarity)) for one in shown}
        nearest = [(paper, best.get(paper, start)) for paper, start in worded.items()]
        listed = [
            [(paper, bisect_right(starts[paper], start) - 1) for paper, start in sentences]
            for sentences in (quotes, nearest, list(worded.items()))
        ]
        return Reply(answer.confidence, answer.answered, *listed)

    return await asyncio.to_thread(compare)


async def main() -> None:
    """Ask every question and print what the quoted sentences are worth."""
    need_data(ANTHOLOGY, QUESTIONS)
    questions, answerer = JudgedQuestion.all(), Answerer.shipped()
    for collection in dict.fromkeys(one.collection for one in questions):
        async with opened(collection) as corpus:
            number = await numbers(corpus, collection)
            search = Search(corpus)
            for kind in dict.fromkeys(one.kind for one in questions if one.collection == collection):
                asked = [one for one in questions if (one.collection, one.kind) == (collection, kind)]
                replies = [await replied(corpus, search, answerer, one.query) for one in asked]
                grades = [{number[paper]: each for paper, each in one.grades.items()} for one in asked]
                print(f"{collection}, {kind}: {len(asked)}")
                _show_kind(replies, grades)
            if collection == "arxiv":
                replies = [await replied(corpus, search, answerer, one) for one in medical_questions()]
                print(f"{collection}, medical questions: {len(replies)}")
                for name, answered in _answered(replies):
                    print(f"  {name:22} answered {len(answered) / len(replies):.3f}", flush=True)


def medical_questions() -> list[str]:
    """Some of PubMedQA's questions, the same each time."""
    every = [str(item["question"]) for item in researchers_questions(MEDICAL)]
    return random.Random(SEED).sample(every, ASKED)


def _answered(replies: Sequence[Reply]) -> list[tuple[str, list[int]]]:
    """Which questions are answered from each least confidence on, and as Labmate decides."""
    by_least = [
        (f"from {least:.2f}", [n for n, reply in enumerate(replies) if reply.confidence >= least])
        for least in LEASTS
    ]
    own = [n for n, reply in enumerate(replies) if reply.answered]
    return [*by_least, ("labmate", own)]


def _show_kind(replies: Sequence[Reply], grades: Sequence[Mapping[int, str]]) -> None:
    for name, answered in _answered(replies):
        _show(name, [replies[n].quoted for n in answered], [grades[n] for n in answered], len(replies))
    weak = [n for n, reply in enumerate(replies) if not reply.answered]
    for name, shown in (
        ("not answered", [replies[n].nearest for n in weak]),
        ("by shared words", [replies[n].by_words for n in weak]),
    ):
        _show(name, shown, [grades[n] for n in weak], len(replies))


def _show(name: str, shown: Sequence[Sentences], grades: Sequence[Mapping[int, str]], asked: int) -> None:
    if not shown:
        print(f"  {name:16} none of {asked}")
        return
    found = [
        [_grade(graded, paper, place) for paper, place in sentences]
        for sentences, graded in zip(shown, grades, strict=True)
    ]
    flat = [grade for one in found for grade in one]
    answers = np.mean([2 in one for one in found])
    first = np.mean([bool(one) and one[0] == 2 for one in found])
    off = np.mean([np.mean([grade in (0, None) for grade in one]) for one in found if one])
    known = np.mean([grade is not None for grade in flat])
    print(
        f"  {name:16} {len(shown):3} of {asked}  with an answer {answers:.2f}  the first {first:.2f}  "
        f"not about it {off:.2f}  graded {known:.2f}",
        flush=True,
    )


def _grade(grades: Mapping[int, str], paper: int, place: int) -> int | None:
    """The grade of a sentence; None if it was not graded."""
    digit = grades.get(paper, "")[place : place + 1]
    return int(digit) if digit.isdigit() else None


if __name__ == "__main__":
    asyncio.run(main())
