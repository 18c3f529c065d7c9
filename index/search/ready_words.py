"""Words that are coded in the process that reads a file, so that the one that writes is spared it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from data.records import Changes, Deletion, PaperRecord
from data.sources.elsewhere import ReadElsewhere, SideWork
from data.sources.files import PaperFile
from index.search.word_codes import CodedText, Coder
from index.search.word_files import new_coder


class CodedBlock(NamedTuple):
    """The words of some records, each with a title and an abstract.

    Attributes
    ----------
    words, lengths
        int32, shape (records, 2): how many words the two have, and how many codes.
    codes
        uint32, shape (codes,): those of all records in order.
    """

    words: np.ndarray
    lengths: np.ndarray
    codes: np.ndarray

    def texts(self) -> list[CodedText]:
        """Each record's words."""
        ends = list(accumulate(self.lengths.ravel().tolist(), initial=0))
        return [
            CodedText(in_title, self.codes[begin:middle], in_abstract, self.codes[middle:end])
            for (in_title, in_abstract), begin, middle, end in zip(
                self.words.tolist(), ends[:-2:2], ends[1:-1:2], ends[2::2], strict=True
            )
        ]


@cache
def _coder() -> Coder:
    return new_coder()


def code_words(records: Sequence[PaperRecord]) -> CodedBlock:
    """Code the words of records."""
    texts = _coder().code([([record.title], record.abstract) for record in records])
    codes = [codes for text in texts for codes in (text.title, text.abstract)]
    return CodedBlock(
        np.array([(text.title_words, text.abstract_words) for text in texts], np.int32).reshape(-1, 2),
        np.array(list(map(len, codes)), np.int32).reshape(-1, 2),
        np.concatenate([np.zeros(0, np.uint32), *codes]),
    )


class ReadyWords:
    """The coded words of a file's records, from when they were read until they are written."""

    def __init__(self) -> None:
        self._coded: dict[int, CodedText] = {}

    def reading(self, make: Callable[[], PaperFile]) -> ReadElsewhere:
        """The records of a file, which another process reads; it also codes their words, which come here."""
        self._coded.clear()
        return ReadElsewhere(make, SideWork(code_words, self.hold))

    def __len__(self) -> int:
        return len(self._coded)

    def hold(self, lines: Sequence[int], block: CodedBlock) -> None:
        """Hold the words of the records at these lines."""
        self._coded.update(zip(lines, block.texts(), strict=True))

    def take_out(
        self, good: Sequence[tuple[int, PaperRecord | Deletion]], changes: Changes
    ) -> dict[int, CodedText]:
        """The coded words, by store id, of the works whose texts are exactly one record's.

        Parameters
        ----------
        good
            A batch's records and deletions with their lines; the words held for these lines are dropped.
        changes
            What they changed.
        """
        written = {}
        for (line, item), paper_id in zip(good, changes.ids, strict=True):
            coded = self._coded.pop(line, None)
            if coded is not None and isinstance(item, PaperRecord):
                written[paper_id] = item.title, item.abstract, coded
        found = {}
        for text in changes.touched:
            title, abstract, coded = written.get(text.id, ("", "", None))
            same = (text.title, text.abstract, *text.former_titles) == (title, abstract)
            if coded is not None and same:
                found[text.id] = coded
        return found
