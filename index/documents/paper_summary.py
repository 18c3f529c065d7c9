"""A paper's problem, method, result and limits: sentences of its text, looked for where papers say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from data.records import Paper
from index.answers.passage import Passage
from index.answers.roles import ROLES, Roles
from index.answers.sentences import split
from index.answers.summary import PARTS, summary
from index.documents.full_texts import PaperText
from index.documents.paper_text import FORMULA

SHORTEST, LONGEST = 40, 600
"""Characters of a sentence that is quoted: four fit one reply, and none is cut."""
_LIMITS = re.compile(r"limitation|threats to validity", re.I)
_INTRODUCTION = re.compile(r"introduction|motivation", re.I)
_METHOD = re.compile(r"method|approach|design|overview", re.I)
_RESULT = re.compile(r"result|evaluation|experiment|finding", re.I)
_END = re.compile(r"conclu|discussion|future work", re.I)
_SOURCES: dict[str, tuple[re.Pattern[str] | None, ...]] = {
    "problem": (None, _INTRODUCTION),
    "method": (None, _INTRODUCTION, _METHOD),
    "result": (None, _END, _RESULT),
    "limits": (_LIMITS, _END, None),
}
"""The titles of the sections where each part is looked for, the likeliest first; None is the abstract."""
_ROLES = {"problem": ("background", "objective"), "method": ("method",), "result": ("result", "conclusion")}
_SURE = 0.5
"""How likely a sentence's words must make its role, where its place says nothing."""
_HEDGED = re.compile(
    r"\b(?:limit\w*|however|although|only|not|cannot|without|remain\w*|future|assum\w*|restrict\w*)\b", re.I
)
_MOST = 60
"""Passages of a group of sections that are read."""


@dataclass(frozen=True, slots=True)
class Said:
    """A part of a summary: the sentence, and the passage that it stands in."""

    part: str
    sentence: str
    passage: Passage


def summary_of(paper: Paper, text: PaperText) -> dict[str, Said | None]:
    """Each of :data:`index.answers.summary.PARTS` with the sentence that says it, or None."""
    found: dict[str, Said | None] = {}
    taken: set[str] = set()
    for part in PARTS:
        said = None
        for section in _SOURCES[part]:
            if said is None:
                said = (
                    _abstract(paper, part, taken) if section is None else _under(text, section, part, taken)
                )
        if said is not None:
            taken.add(said.sentence)
        found[part] = said
    return found


def _abstract(paper: Paper, part: str, taken: set[str]) -> Said | None:
    """What the abstract says, where sentences' places tell their roles, too."""
    passage = Passage(paper.id, paper.abstract, paper.title)
    for one in summary([passage]):
        sentence = _plain(one.quote.text)
        if one.name == part and len(sentence) <= LONGEST and sentence not in taken:
            return Said(part, sentence, passage)
    return None


def _under(text: PaperText, section: re.Pattern[str], part: str, taken: set[str]) -> Said | None:
    """What the sections whose titles match say."""
    if not text.whole:
        return None
    passages = [one for one in text.passages if section.search(one.section)][:_MOST]
    found = [(sentence, one) for sentence, one in _sentences(passages) if sentence not in taken]
    if not found:
        return None
    if part == "limits":
        hedged = [one for one in found if _HEDGED.search(one[0])]
        # Below such a title everything speaks of limits; elsewhere only a sentence that says so.
        if section is not _LIMITS:
            hedged = [one for one in hedged if re.search(r"\blimit|\bfuture", one[0], re.I)]
        best = hedged[0] if hedged else found[0] if section is _LIMITS else None
        return Said(part, *best) if best else None
    odds = Roles.shipped().alone([sentence for sentence, _ in found])
    likely = np.exp(odds - np.logaddexp.reduce(odds, axis=1, keepdims=True))
    scores = likely[:, [ROLES.index(role) for role in _ROLES[part]]].sum(axis=1)
    place = int(np.argmax(scores))
    return Said(part, *found[place]) if scores[place] >= _SURE else None


def _sentences(passages: Sequence[Passage]) -> Iterator[tuple[str, Passage]]:
    """Sentences that can be quoted alone."""
    for passage in passages:
        for one in split(passage.text):
            sentence = _plain(one.text)
            if SHORTEST <= len(sentence) <= LONGEST and FORMULA not in sentence and sentence[0].isupper():
                yield sentence, passage


def _plain(text: str) -> str:
    return " ".join(text.split())
