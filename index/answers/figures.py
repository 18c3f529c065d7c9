"""Questions for a number, and how well sentences state the one that is asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from index.answers.matching import STOP_WORDS, stems

STATES, SOME = 1.0, 0.2
"""What a sentence counts that states the number asked for, and one that has any number."""
_NEAR = 5
"""Words between a number and what it counts."""
_ASKS = re.compile(
    r"\b(?:how\s+(?:many|much|often|accurate|costly|expensive)"
    r"|how\s+(?:large|big|small|fast|slow|long|high|low|old)"
    r"(?=\s+(?:is|are|was|were|does|do|did|can|will|should|must)\b)"
    r"|(?:what|which|by what)\s+(?:percentage|percent|share|fraction|proportion|factor|number))\b.*",
    re.IGNORECASE | re.DOTALL,
)
_COUNTS = re.compile(r"\b(?:how\s+many|how\s+much|number\s+of)\s+(?P<counted>.*)", re.IGNORECASE | re.DOTALL)
_ENDS = frozenset(
    "does do did is are was were can could has have had will would should must may might in of on at by to "
    "for from with than per there it they we you i one".split()
)
_COMPARED = re.compile(
    r"\b(?:\w+er|more|less|better|worse|speed-?up|improve\w*|gain\w*|save[sd]?|reduce[sd]?|reduction|"
    r"increase[sd]?|percentage|percent|share|fraction|proportion|factor|accurate|often)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.\-–/^_\[])[~≈<>≥≤+]?[$€£]?(?P<value>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"(?P<unit>\s?(?:\\?%|\\times|[x×](?!\w)|-?fold\b|times\b|percent\b|points?\b|[kKMBT]\b|million\b|"
    r"billion\b|trillion\b))?(?![\w\]])"
    r"|\b(?P<spelt>two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
    r"sixty|seventy|eighty|ninety|hundred|thousand|million|billion|twice|half|dozens?)\b",
    re.IGNORECASE,
)
_THEMES = (
    (r"\b(?:faster|slower|quicker|speed\w*)\b", r"\b(?:fast|slow|quick|speed|accelerat|throughput|latenc)"),
    (r"\b(?:cheaper|costly|expensive)\b", r"\b(?:cheap|cost|expens|pric)|\$"),
    (r"\baccurate\b", r"accura|F1|score|precision|correct|agree|error"),
)
"""What a question names, and what a sentence speaks of that states the number."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_RATIO = re.compile(r"\s?(?:\\?%|\\times|[x×]|-?fold|times|percent|points?)", re.IGNORECASE)
_SHARE = re.compile(r"0\.\d+")
_SIZE = re.compile(r"\s?(?:[MBT]|million|billion|trillion)")
_ENDS_SIZE = re.compile(r"\s*(?:[),.;]|$|(?:[\w-]+\s+){0,2}(?:model|LLM))", re.IGNORECASE)
"""After the size of a model: "DeepSeek-V3 (671B)", "7B models"; not "2.8M GPU hours"."""
_TIMES = frozenset({"twice", "half"})
_MOST_NUMBERS, _AFTER = 50, 150
"""Numbers of a sentence that are looked at, and characters behind each."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The number that a question asks for.

    Attributes
    ----------
    counted
        The stems of what it counts ("how many languages"); empty where the question doesn't say.
    compared
        Whether it is a share or a factor ("how much faster").
    theme
        What a sentence must speak of then (a pattern); empty for anything.
    """

    counted: frozenset[str] = frozenset()
    compared: bool = False
    theme: str = ""

    def stated(self, sentence: str) -> float:
        """How well a sentence states it: :data:`STATES`, :data:`SOME` or 0."""
        best, others = 0.0, bool(self.theme) and not re.search(self.theme, sentence, re.IGNORECASE)
        for match in islice(_NUMBER.finditer(sentence), _MOST_NUMBERS):
            unit, value = match["unit"] or "", match["value"] or ""
            if not unit and _YEAR.fullmatch(value):
                continue
            best = max(best, STATES if not others and self._is_meant(unit, match, sentence) else SOME)
        return best

    def _is_meant(self, unit: str, match: re.Match[str], sentence: str) -> bool:
        if self.counted:
            after = sentence[match.end() : match.end() + _AFTER]
            near = stems(re.split(r"[.;:](?:\s|$)", after)[0])[:_NEAR]
            size = "paramet" in self.counted and _SIZE.fullmatch(unit) and _ENDS_SIZE.match(after)
            return bool(size) or not self.counted.isdisjoint(near)
        ratio = bool(_RATIO.fullmatch(unit)) or (match["spelt"] or "").lower() in _TIMES
        return ratio or bool(_SHARE.fullmatch(match["value"] or "")) if self.compared else True


def figure_asked(question: str) -> Figure | None:
    """The number that a question asks for; None for other questions."""
    match = _ASKS.search(question[:500])
    if match is None:
        return None
    theme = next((words for asked, words in _THEMES if re.search(asked, match[0], re.IGNORECASE)), "")
    counts = _COUNTS.search(question[:500])
    if counts is None:
        return Figure(compared=_COMPARED.search(match[0]) is not None, theme=theme)
    words: list[str] = []
    for word in re.findall(r"[\w-]+", counts["counted"]):
        if word.lower() in _ENDS:
            break
        words.append(word)
    if _COMPARED.search(" ".join(words)) or not words:
        return Figure(compared=True, theme=theme)
    wanted = [word for word in stems(words[-1]) if word not in STOP_WORDS]
    return Figure(frozenset(wanted))
