"""A paper's file, read in the confined process and cut into passages of whole sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from data.stores.full_texts import KeptPassage
from index.answers.sentences import split
from index.documents.cv_file import UnreadableError, in_sandbox
from index.documents.paper_text import MOST_TEXT, TEXT, TextBlock

Form = Literal["pdf", "html"]
SECONDS = 60.0
"""On the clock. The confined process has 20 s of CPU, so only a busy machine takes as long."""
LONGEST = 900
"""Characters of a passage, unless one sentence has more; what the default model reads at once."""
LONGEST_SENTENCE = 2_000
"""Characters; longer text has lost its full stops."""
MOST_PASSAGES = 3_000


@dataclass(frozen=True, slots=True)
class ReadPaper:
    """A paper that was read: its passages, and how many pages it has (0 where it has none)."""

    passages: tuple[KeptPassage, ...]
    pages: int


async def read_paper(data: bytes, form: Form) -> ReadPaper:
    """Read a paper.

    Raises
    ------
    index.documents.cv_file.UnreadableError
        If it is refused, damaged, or takes too much time or memory; ``why`` tells which.
    """
    answer = await in_sandbox(f"paper-{form}", data, SECONDS)
    try:
        blocks = [TextBlock.of(plain) for plain in answer["blocks"]]
        pages = int(answer["pages"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableError("The file can't be read: it is damaged.", "it is damaged") from error
    if sum(len(block.text) for block in blocks) > MOST_TEXT:
        raise UnreadableError("The file can't be read: it holds too much text.", "it holds too much text")
    passages = tuple(await asyncio.to_thread(passages_of, blocks))
    if not passages:
        raise UnreadableError("The file can't be read: it has no text.", "it has no text")
    return ReadPaper(passages, max(0, min(pages, 100_000)))


def passages_of(blocks: Iterable[TextBlock]) -> list[KeptPassage]:
    """Passages in the order of reading: whole sentences of one section that begin on one page.

    Paragraphs of a section share a passage as far as they fit; captions and notes are passages of their own.
    """
    passages: list[KeptPassage] = []
    last: tuple[object, ...] = ()
    for number, block in enumerate(blocks):
        for page, sentence in _sentences(block):
            where = (block.section, page, -1 if block.kind == TEXT else number)
            before = passages[-1] if passages else None
            if before and where == last and len(before.text) + 1 + len(sentence) <= LONGEST:
                passages[-1] = replace(before, text=f"{before.text} {sentence}")
            else:
                passages.append(KeptPassage(block.section, page, sentence))
            last = where
        if len(passages) >= MOST_PASSAGES:
            break
    return passages[:MOST_PASSAGES]


def _sentences(block: TextBlock) -> list[tuple[int | None, str]]:
    """(page, sentence) of a block's sentences; a sentence stands on the page on which it begins."""
    found: list[tuple[int | None, str]] = []
    marks = sorted(block.pages)
    for sentence in split(block.text):
        if len(sentence.text) > LONGEST_SENTENCE:
            continue
        on = [page for start, page in marks if start <= sentence.start]
        found.append((on[-1] if on else marks[0][1] if marks else None, sentence.text))
    return found
