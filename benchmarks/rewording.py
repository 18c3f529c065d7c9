"""python -m benchmarks.rewording: what stands of a real model's rewording, and how long it takes.

Asks SmolLM2-135M (`make llm`), or the model of LLM_URL and LLM_MODEL where they are set, to reword the quotes
that answer researchers' questions (PubMedQA). With ``--show N``, prints N of them with every sentence's fate.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections import Counter
from contextlib import nullcontext

from benchmarks.data import researchers_questions
from benchmarks.local_model import MODEL, local_model
from data.sources.llm import Llm, LlmError
from index.answers.answer import Answer, Answerer
from index.answers.passage import Passage
from index.answers.rephrase import MOST_TOKENS, CheckedText, check, prompt, sentences_of
from index.search.embedding import Embedder

QUESTIONS = 40
SECONDS = 120.0


def questions(count: int) -> list[tuple[str, str]]:
    """(question, abstract with its conclusion) of the first records."""
    return [
        (
            item["question"],
            " ".join([*(section["text"] for section in item["sections"]), item["conclusion"]]),
        )
        for item in researchers_questions(count)
    ]


async def reword(
    llm: Llm, embedder: Embedder, question: str, answer: Answer
) -> tuple[CheckedText, float] | str:
    """The checked rewording of one answer and its seconds, or why there is none."""
    quotes = [quote.text for quote in answer.quotes]
    begun = time.perf_counter()
    try:
        written = await llm.write(*prompt(question, quotes), MOST_TOKENS)
    except LlmError as error:
        return str(error)
    said = sentences_of(written.text, whole=written.whole)
    return check(said, quotes, embedder.encode), time.perf_counter() - begun


async def measure(url: str, model: str, show: int) -> None:
    """Reword the answers, and print the figures."""
    embedder, answerer = Embedder(), Answerer.shipped()
    key = os.environ.get("LLM_API_KEY") or None
    llm = Llm(url, model, key, seconds=SECONDS, stall=30.0, rest=0.0)
    kept = dropped = stands = failed = 0
    reasons: Counter[str] = Counter()
    seconds: list[float] = []
    for number, (question, abstract) in enumerate(questions(QUESTIONS)):
        answer = answerer.answer(question, [Passage(1, abstract)], embedder.encode, most=4)
        found = await reword(llm, embedder, question, answer)
        if isinstance(found, str):
            failed += 1
            reasons[found] += 1
            continue
        checked, took = found
        seconds.append(took)
        kept += len(checked.kept)
        dropped += len(checked.dropped)
        stands += checked.stands
        reasons.update(why for _, why in checked.dropped)
        if number < show:
            _show(question, answer, checked)
    await llm.close()
    print(f"rewording by {model}, {QUESTIONS} answers: {failed} failed")
    print(f"  sentences that stand      {kept} of {kept + dropped}")
    print(f"  answers shown reworded    {stands} of {QUESTIONS}; the others keep their quotes")
    print(
        f"  dropped for               {', '.join(f'{why} {count}' for why, count in reasons.most_common())}"
    )
    if seconds:
        print(f"  seconds, p50 and longest  {statistics.median(seconds):.1f}, {max(seconds):.1f}")


def _show(question: str, answer: Answer, checked: CheckedText) -> None:
    print(f"\n? {question}")
    for place, quote in enumerate(answer.quotes):
        print(f"  [{place}] {quote.text}")
    for sentence in checked.kept:
        print(f"  + {sentence.text} {list(sentence.quotes)}")
    for text, why in checked.dropped:
        print(f"  - ({why}) {text}")


def main() -> None:
    show = int(sys.argv[sys.argv.index("--show") + 1]) if "--show" in sys.argv else 0
    url = os.environ.get("LLM_URL", "")
    with nullcontext(url) if url else local_model() as address:
        asyncio.run(measure(address, os.environ.get("LLM_MODEL", "") or MODEL, show))


if __name__ == "__main__":
    main()
