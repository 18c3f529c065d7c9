"""Words that turn, weaken or strengthen what a sentence states, or say which way something goes."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from index.search.passages import stem

JOINS = frozenset("and but while whereas although though because which yet so".split())
"""Words with which another clause begins, or may begin."""


def _words(*lines: str) -> frozenset[str]:
    return frozenset(" ".join(lines).split())


NEGATORS = _words(
    "no not never neither nor without cannot can't nothing none nobody hardly barely rarely scarcely unable",
    "fail fails failed failing lack lacks lacked lacking absence absent non",
)
HEDGES = _words(
    "may might could perhaps possibly potentially presumably probably likely suggest suggests suggested",
    "suggesting seem seems seemed appear appears appeared hypothesize hypothesise hypothesized conjecture",
    "speculate preliminary tentative tentatively whether claim claims claimed argue argues argued believe",
    "believes assume assumes assumed suppose say says said write writes tell tells pretend aim aims aimed",
    "seek seeks goal objective intend intends intended hope hopes",
)
"""Words after which something is not stated: it may be, somebody says or asks it, or it is only aimed at."""
STRONG = _words(
    "all every always only solely entirely completely best most first must prove proves proved proven",
    "guarantee guarantees guaranteed cause causes caused because due",
)
"""Words that claim more than their sentence would without them: a quote has to say them, too."""
COMPARED = _words(
    "than outperform outperforms outperformed surpass surpasses surpassed exceed exceeds exceeded beat beats"
)
FOILS = _words("unlike versus vs compared")
FOIL_ENDS = _words("on by when across under using at we our")
"""What follows these is no longer what something is compared with."""


@lru_cache(maxsize=1)
def poles() -> dict[str, tuple[tuple[int, int], ...]]:
    """Stems of direction words: on which scales they are, and at which end of each (+1 or -1)."""
    poles: dict[str, tuple[tuple[int, int], ...]] = {}
    lines = resources.files("index").joinpath("opposites.txt").read_text().splitlines()
    for scale, line in enumerate(line for line in lines if line.strip() and not line.startswith("#")):
        up, _, down = line.partition("|")
        for end, words in ((1, up), (-1, down)):
            for each in {stem(word) for word in words.split()}:
                poles[each] = (*poles.get(each, ()), (scale, end))
    return poles


def opposite(one: str, other: str) -> bool:
    """Whether two stems are at the two ends of a scale."""
    mine, theirs = one.split("-"), other.split("-")
    if len(mine) > 1 and len(mine) == len(theirs):
        differing = [(a, b) for a, b in zip(mine, theirs, strict=True) if a != b]
        return len(differing) == 1 and opposite(*differing[0])
    return any(
        scale == known and end == -known_end
        for scale, end in poles().get(one, ())
        for known, known_end in poles().get(other, ())
    )
