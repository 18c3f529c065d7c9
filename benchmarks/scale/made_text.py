"""Titles and abstracts of a made collection: sentences of a real paper and of its neighbours, recombined."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")
_HEAD = re.compile(r"^([A-Z][\w+-]{2,20}): (.+)$")
_JOINT = re.compile(
    r"(?:: | for | via | with | in | of | from | on | using | through | by | under | towards | as )"
)
_NUMBER = re.compile(r"(?<![\w.$\\^{])\d{1,5}(?:\.\d+)?(?![\w.}]*\w)")
_NAME, _FIGURE = "\x01", "\x02"
NEAR = 40
"""Neighbours whose words a made paper may use; its title ends as one of theirs does."""
_SYLLABLES = [c + v for c in "bdfghjklmnprstvz" for v in "aeiou"]
_ENDINGS = ("", "", "", "", "Net", "LM", "Bench", "-2", "RAG", "Former")
NAMED = 0.35
"""The share of papers whose title begins with a name of its own, as ``Tavoki: ...``."""


@dataclass(frozen=True, slots=True)
class Words:
    """What made texts are built from, for each real paper."""

    sentences: list[list[str]]
    opening: list[str]
    """The title's beginning with the joint: ``Efficient Retrieval for ``."""
    closing: list[str]
    opening_id: NDArray[np.int64]
    closing_id: NDArray[np.int64]
    """Equal for equal texts."""

    @classmethod
    def of(cls, titles: list[str], abstracts: list[str]) -> Words:
        """Cut real titles and abstracts into parts, with places for names and figures of their own."""
        sentences, opening, closing = [], [], []
        for title, abstract in zip(titles, abstracts, strict=True):
            head = _HEAD.match(title)
            body = head[2] if head else title
            if head:
                abstract = abstract.replace(head[1], _NAME)
            sentences.append([_NUMBER.sub(_FIGURE, s) for s in _SENTENCE.split(abstract)])
            joints = list(_JOINT.finditer(body))
            middle = min(joints, key=lambda joint: abs(joint.start() - len(body) / 2), default=None)
            if middle is None:
                opening.append(f"{body} for ")
                closing.append(body)
            else:
                opening.append(body[: middle.end()])
                closing.append(body[middle.end() :])
        numbered: dict[str, int] = {}
        ids = [
            np.array([numbered.setdefault(text.casefold(), len(numbered)) for text in texts])
            for texts in (opening, closing)
        ]
        return cls(sentences, opening, closing, ids[0], ids[1])

    def title(self, anchor: int, neighbour: int, name: str) -> str:
        """The anchor's beginning with the neighbour's end, after a name of its own where it has one."""
        title = self.opening[anchor] + self.closing[neighbour]
        return f"{name}: {title}" if name else title[:1].upper() + title[1:]

    def abstract(self, anchor: int, near: list[int], name: str, chance: list[int]) -> str:
        """Sentences of the anchor and, half of them, of neighbours at the same point of the abstract."""
        own = self.sentences[anchor]
        count, texts, at = len(own), [], 0
        for place in range(count):
            throw = chance[at % len(chance)]
            at += 1
            if throw & 1:
                texts.append(own[place])
            else:
                theirs = self.sentences[near[(throw >> 1) % len(near)]]
                texts.append(theirs[place * len(theirs) // count])
        text = " ".join(texts)
        if _NAME in text:
            text = text.replace(_NAME, name or "our method")
        if _FIGURE in text:
            parts = text.split(_FIGURE)
            text = parts[0] + "".join(
                _figure(chance[(at + number) % len(chance)]) + part for number, part in enumerate(parts[1:])
            )
        return text


def _figure(throw: int) -> str:
    return f"{throw % 970 / 10}" if throw & 0x10000 else str(2 + throw % 97)


def name_of(row: int) -> str:
    """A name that no other row has: ``Tavoki``, ``TavokiNet``."""
    mixed = row * 1_664_525 % (80**4 - 1)  # both have no common factor, so no two rows meet
    word = "".join(_SYLLABLES[mixed // 80**place % 80] for place in range(4))
    return word.capitalize() + _ENDINGS[row % len(_ENDINGS)]


def title_neighbours(
    anchors: NDArray[np.integer], near: NDArray[np.integer], words: Words, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each row the neighbour whose title ends its own, and whether a name of its own comes first.

    A title that another row has already gets a name, so every title is there once.
    """
    order = np.argsort(anchors, kind="stable")
    ranks = np.empty(len(anchors), np.int64)
    count = np.bincount(anchors, minlength=len(near))
    ranks[order] = np.arange(len(anchors)) - np.repeat(np.cumsum(count) - count, count)
    neighbour = near[anchors, ranks % NEAR].astype(np.int64)
    named = rng.random(len(anchors)) < NAMED
    key = words.opening_id[anchors] * (int(words.closing_id.max()) + 1) + words.closing_id[neighbour]
    once = np.zeros(len(anchors), bool)
    plain = np.flatnonzero(~named)
    once[plain[np.unique(key[plain], return_index=True)[1]]] = True
    return neighbour, ~once


def wrapped(text: str, width: int = 78, indent: str = "\n") -> str:
    """The text with line breaks where arXiv's metadata has them."""
    if len(text) <= width:
        return text
    lines, begin = [], 0
    while len(text) - begin > width:
        end = text.rfind(" ", begin, begin + width)
        if end <= begin:
            break
        lines.append(text[begin:end])
        begin = end + 1
    lines.append(text[begin:])
    return indent.join(lines)
