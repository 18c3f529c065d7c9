"""Days, categories and identifiers of a made collection: arXiv's growth, and its two styles of id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# New submissions by year. Until 2022 from arXiv's yearly reports; later years and 2026 (until 21 August)
# continue their growth.
SUBMISSIONS = {
    1991: 303, 1992: 3_190, 1993: 6_729, 1994: 10_078, 1995: 13_006, 1996: 15_872, 1997: 19_620,
    1998: 24_169, 1999: 27_694, 2000: 30_661, 2001: 33_098, 2002: 36_100, 2003: 39_385, 2004: 43_716,
    2005: 46_880, 2006: 50_288, 2007: 55_738, 2008: 58_865, 2009: 64_039, 2010: 70_131, 2011: 76_578,
    2012: 84_377, 2013: 92_641, 2014: 97_517, 2015: 105_280, 2016: 113_380, 2017: 123_523, 2018: 140_616,
    2019: 155_866, 2020: 178_329, 2021: 181_630, 2022: 185_692, 2023: 215_000, 2024: 250_000,
    2025: 285_000, 2026: 205_000,
}  # fmt: skip
_FIRST, _LAST = np.datetime64("1991-08-14"), np.datetime64("2026-08-21")
_WEEKEND = 0.35
_NEW_STYLE, _FIVE_DIGITS = np.datetime64("2007-04-01"), np.datetime64("2015-01-01")

# Category, share of all papers, first year, growth a year beyond arXiv's own. Related ones stand together:
# neighbours here become neighbours among the vectors, too.
_KNOWN = """
hep-th 32 1991 -.05|hep-ph 36 1992 -.05|hep-ex 11 1994 -.03|hep-lat 8 1992 -.06|nucl-th 12 1992 -.04
nucl-ex 6 1994 -.02|gr-qc 25 1992 -.02|astro-ph.CO 26 1993 -.02|astro-ph.GA 32 1993 -.02
astro-ph.HE 24 1993 -.02|astro-ph.SR 22 1993 -.02|astro-ph.EP 14 1993 .0|astro-ph.IM 9 1993 .02
cond-mat.mes-hall 26 1993 -.03|cond-mat.mtrl-sci 35 1993 -.02|cond-mat.stat-mech 18 1993 -.04
cond-mat.str-el 22 1993 -.03|cond-mat.supr-con 16 1993 -.04|cond-mat.soft 14 1993 -.02
cond-mat.quant-gas 7 1996 .0|cond-mat.dis-nn 5 1993 -.03|quant-ph 55 1994 .0|physics.optics 18 1996 .02
physics.flu-dyn 12 1996 .02|physics.chem-ph 9 1994 .02|physics.ins-det 7 1996 .02|physics.soc-ph 6 1997 .01
physics.plasm-ph 7 1996 .01|physics.atom-ph 8 1996 -.01|physics.comp-ph 5 1996 .02|physics.bio-ph 5 1996 .01
physics.med-ph 4 1996 .05|nlin.CD 5 1993 -.06|nlin.SI 4 1993 -.06|math-ph 12 1996 -.01|math.AG 20 1992 -.01
math.DG 16 1993 -.01|math.NT 18 1994 .0|math.CO 24 1994 .0|math.AP 28 1995 .01|math.PR 22 1995 .0
math.AT 7 1995 -.01|math.GR 8 1995 -.01|math.RT 8 1995 -.01|math.FA 12 1992 -.01|math.OA 6 1995 -.02
math.QA 7 1995 -.03|math.DS 12 1995 .0|math.NA 16 1996 .05|math.OC 18 1999 .06|math.LO 5 1994 .0
math.GT 9 1995 -.01|math.CA 9 1995 -.01|math.ST 9 1999 .03|math.RA 7 1996 .0|math.CV 6 1992 -.01
stat.ME 16 2007 .06|stat.ML 14 2007 .1|stat.AP 7 2007 .05|stat.CO 3 2007 .04|q-bio.PE 4 2003 .0
q-bio.QM 4 2003 .03|q-bio.NC 4 2003 .02|q-fin.ST 4 2008 .03|econ.TH 3 2017 .05|econ.EM 3 2017 .05
eess.SP 16 2017 .08|eess.IV 8 2017 .08|eess.SY 14 2017 .08|eess.AS 5 2017 .1|cs.IT 22 1998 .02
cs.NI 10 1998 .03|cs.DC 12 1998 .05|cs.DS 12 1998 .02|cs.CC 5 1998 .0|cs.LO 8 1998 .02|cs.PL 6 1998 .04
cs.SE 20 1998 .09|cs.CR 24 1998 .09|cs.DB 8 1998 .05|cs.HC 14 1998 .12|cs.CY 9 1998 .09|cs.SI 8 2000 .05
cs.GT 5 1998 .03|cs.RO 32 1998 .14|cs.CV 110 1998 .13|cs.LG 120 1998 .14|cs.AI 48 1993 .16
cs.CL 62 1996 .15|cs.IR 18 1998 .12|cs.SD 9 1998 .12|cs.MA 4 1998 .12
"""
_OLD_ARCHIVES = {"stat": "math", "q-fin": "physics", "econ": "math", "eess": "cs", "math-ph": "math-ph"}
_FULL = 999
"""Papers of an archive in a month: an old id has three digits for them."""
_SPARE_ARCHIVES = ("physics", "math", "cond-mat", "cs", "astro-ph", "hep-ph")


@dataclass(frozen=True, slots=True)
class Category:
    """An arXiv category: its share of all papers, its first year, its growth beyond arXiv's own."""

    name: str
    share: float
    since: int
    growth: float

    @property
    def archive(self) -> str:
        """The archive of its ids before April 2007."""
        archive = self.name.partition(".")[0]
        return _OLD_ARCHIVES.get(archive, archive)


def _categories() -> list[Category]:
    entries = [entry.split() for entry in _KNOWN.replace("\n", "|").split("|") if entry.strip()]
    return [Category(name, float(share), int(since), float(growth)) for name, share, since, growth in entries]


CATEGORIES = _categories()


def years_of(days: NDArray[np.datetime64]) -> NDArray[np.int64]:
    """The calendar year of each day."""
    return days.astype("datetime64[Y]").astype(np.int64) + 1970


def submission_days(n: int, rng: np.random.Generator) -> NDArray[np.datetime64]:
    """``n`` days in order, growing as arXiv did, fewer at weekends."""
    every = np.arange(_FIRST, _LAST + 1)
    years = years_of(every)
    weekday = (every.astype(np.int64) + 3) % 7
    weight = np.where(weekday >= 5, _WEEKEND, 1.0)
    for year, count in SUBMISSIONS.items():
        inside = years == year
        weight[inside] *= count / weight[inside].sum()
    edges = np.cumsum(weight) / weight.sum()
    return every[np.minimum(np.searchsorted(edges, np.sort(rng.random(n))), len(every) - 1)]


def draw_categories(years: NDArray[np.integer], rng: np.random.Generator) -> NDArray[np.int16]:
    """A category (its place in CATEGORIES) for each paper, by the shares of its year."""
    chosen = np.zeros(len(years), np.int16)
    for year in np.unique(years):
        weight = np.array(
            [c.share * np.exp(c.growth * (int(year) - 2014)) * (c.since <= year) for c in CATEGORIES]
        )
        inside = np.flatnonzero(years == year)
        chosen[inside] = rng.choice(len(CATEGORIES), len(inside), p=weight / weight.sum())
    return chosen


def identifiers(days: NDArray[np.datetime64], categories: NDArray[np.integer]) -> list[str]:
    """arXiv ids of papers in order of time: ``hep-th/9901001``, ``0704.0001``, ``1501.00001``.

    An archive's month of over 999 papers spills into other archives, and a month of over 9,999 papers into
    five digits: neither happened, but a larger collection than arXiv's needs it.
    """
    archives = [category.archive for category in CATEGORIES]
    ids: list[str] = []
    for month, count in zip(*np.unique(days.astype("datetime64[M]"), return_counts=True), strict=True):
        code = f"{str(month)[2:4]}{str(month)[5:7]}"
        if month >= _NEW_STYLE:
            digits = 5 if month >= _FIVE_DIGITS else 4
            ids += [f"{code}.{number:0{digits}d}" for number in range(1, count + 1)]
        else:
            chosen = categories[len(ids) : len(ids) + count].tolist()
            ids += _old_style(code, [archives[category] for category in chosen])
    return ids


def _old_style(code: str, archives: list[str]) -> Iterator[str]:
    """Ids of a month's papers, each in its archive while there is room."""
    used: Counter[str] = Counter()
    for own in archives:
        archive = next((one for one in (own, *_SPARE_ARCHIVES) if used[one] < _FULL), "")
        used[archive] += 1
        yield f"{archive}/{code}{used[archive]:03d}" if archive else f"{code}.{used[archive]:05d}"
