"""A paper in four quoted sentences: its problem, method, result and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.answers.answer import Quote
from index.answers.emptiness import Emptiness
from index.answers.matching import stems
from index.answers.passage import Passage
from index.answers.roles import Roles
from index.answers.sentences import split

PARTS = ("problem", "method", "result", "limits")
_COLUMNS = {"problem": (0, 1), "method": (2,), "result": (3, 4), "limits": (4,)}
_LIMIT_CUES = frozenset(
    stems("however although limitation limited limits future remain fail challenge caution only unclear")
)
LEAST = {"problem": 0.3, "method": 0.3, "result": 0.3, "limits": 0.5}


@dataclass(frozen=True)
class Part:
    """One of :data:`PARTS`, and the sentence that says it."""

    name: str
    quote: Quote


def summary(passages: Sequence[Passage]) -> tuple[Part, ...]:
    """The parts that the passages state, in their usual order; a part that none states is left out.

    Some authors end with praise, or with where their code is, in place of a result; sentences that say
    nothing (:class:`index.answers.emptiness.Emptiness`) therefore count less as a result.
    """
    found: list[tuple[Quote, np.ndarray, float, bool]] = []
    emptiness = Emptiness.shipped()
    for place, passage in enumerate(passages):
        sentences = split(passage.text)
        says = 1 - emptiness.chances([one.text for one in sentences])
        roles = Roles.shipped().probabilities(sentences)
        for sentence, row, telling in zip(sentences, roles, says, strict=True):
            cue = bool(_LIMIT_CUES & set(stems(sentence.text)))
            quote = Quote(place, sentence.start, sentence.end, sentence.text, 0.0)
            found.append((quote, row, float(telling), cue))
    parts: list[Part] = []
    taken: set[int] = set()
    for name in PARTS:
        best, value = -1, LEAST[name]
        for number, (_, row, telling, cue) in enumerate(found):
            score = float(sum(row[column] for column in _COLUMNS[name]))
            if name == "result":
                score *= telling
            if name == "limits" and not cue:
                continue
            if number not in taken and score > value:
                best, value = number, score
        if best >= 0:
            taken.add(best)
            quote = found[best][0]
            parts.append(Part(name, Quote(quote.passage, quote.start, quote.end, quote.text, value)))
    return tuple(parts)
