"""The numbers that a sentence states, with their units: 7B, 3.5x, 30 ms, 95.3 %, three, twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_NUMBER = re.compile(r"[$€£]?([-−+±]?)(\d+(?:,\d{3})*(?:\.\d+)?)\s?(\\?%|×|[a-zA-Zµ]*)")
_SCALES = {
    **{"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12},
    **{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12},
}
_SPELT = dict(
    zip(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred".split(),
        [*range(2, 21), *range(30, 101, 10)],
        strict=True,
    )
)
_TIMES = frozenset({"x", "×", "times", "fold"})
_UNITS = frozenset(
    "ms s sec min h Hz kHz MHz GHz B KB MB GB TB PB KiB MiB GiB TiB bit bits byte bytes W kW MW J kJ kWh "
    "V mV nm µm mm cm m km g kg mg µg mL ml L l °C K Gbps Mbps kbps FLOPs GFLOPs TFLOPs FLOPS TFLOPS GFLOPS "
    "dB bps seconds minutes hours days weeks months years points".split()
)
"""Units that are written apart from their number."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as stated.

    Attributes
    ----------
    value
        With its scale: 7e9 for 7B.
    unit
        ``%``, ``x``, ``ms``, ``$``, ...; empty where a noun follows.
    place
        Which of the sentence's words it is.
    """

    value: float
    unit: str
    place: int


def numbers_in(words: Sequence[str], folded: Sequence[str], clauses: Sequence[int]) -> tuple[Number, ...]:
    """Every number of a sentence.

    Parameters
    ----------
    words, folded, clauses
        For each word: as printed, folded, and the number of its clause.
    """
    found: list[Number] = []
    for place, word in enumerate(folded):
        clause = [
            each for each in range(place + 1, min(place + 4, len(words))) if clauses[each] == clauses[place]
        ]
        after = [words[each] for each in clause]
        spelt = word.removesuffix("fold").removesuffix("-")
        if word == "twice":
            found.append(Number(2.0, "x", place))
        elif spelt in _SPELT and not (word == "hundred" and found and found[-1].place == place - 1):
            found.append(_with_unit(float(_SPELT[spelt]), "x" if spelt != word else "", place, after))
        elif match := _NUMBER.fullmatch(words[place]):
            value = float(match[2].replace(",", "")) * (-1 if match[1] in ("-", "−") else 1)
            money = words[place][0] in "$€£"
            found.append(_with_unit(value, match[3].lstrip("\\"), place, after, money=money))
    return tuple(found)


def _with_unit(value: float, unit: str, place: int, after: list[str], *, money: bool = False) -> Number:
    """The number with what is written behind it taken in."""
    following = [word.lower().lstrip("\\") for word in after]
    if unit.lower() in _SCALES and (unit.isupper() or unit == "k" or money):
        value, unit = value * _SCALES[unit.lower()], ""
    elif not unit and following and len(following[0]) > 1 and following[0] in _SCALES:
        value = value * _SCALES[following.pop(0)]
        after = after[1:]
    if not unit and following:
        if following[0] in ("%", "percent") or following[:2] == ["per", "cent"]:
            unit = "%"
        elif following[0] in ("pp", "percentage"):
            unit = "pp"
        elif following[0] in _TIMES:
            unit = "x"
        elif after[0] in _UNITS:
            unit = after[0]
    unit = "x" if unit.lower() in _TIMES else unit.lower()
    return Number(value, "$" if money else unit, place)
