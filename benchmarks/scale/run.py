"""python -m benchmarks.scale.run: what Labmate costs at 112 thousand to 3 million papers, and how it grows.

Each size has a folder with its made collection, the library that Labmate makes of it, and a file of figures
for each step. A step that is done is not done again, so that a stopped run goes on; delete its file to repeat
it. `--table` prints what there is, with each cost's exponent and what it comes to at 10 million by that law;
`--picture` draws it.
"""

from __future__ import annotations

import argparse
import importlib
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.data import ROOT, need_data
from benchmarks.scale.answering import MULTIPLES
from benchmarks.scale.place import Figures, Place, size_of
from benchmarks.scale.watching import hold_to

STEPS = {
    "make": "building",
    "read_in": "building",
    "take_in_vectors": "building",
    "ask_vectors": "building",
    "tell_apart": "building",
    "tell_some_apart": "building",
    "derive_all": "building",
    "find_limits": "limits",
    "answer": "answering",
    "take_in_day": "answering",
    "keep_up": "upkeep",
}
"""Each step is a function of a module beside this one."""
WHOLE_UNTIL = 3_000_000
"""Beyond, a people pass takes many hours: some names are judged, and the cost of all of them follows."""
BEYOND = 10_000_000


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes
    ----------
    target
        At three million papers; None where there is none.
    each
        Whether the figure is one for each paper, so that the exponent is that of the whole.
    at_least
        Whether the target is a lower bound.
    grows
        Whether an exponent says something.
    """

    text: str
    key: str
    target: float | None = None
    each: bool = False
    at_least: bool = False
    digits: int = 0
    grows: bool = True

    def aim(self, value: float) -> str:
        """The target, and whether it is missed; empty where there is none."""
        if self.target is None:
            return ""
        missed = value < self.target if self.at_least else value > self.target
        return f"{'missed ' if missed else ''}{self.target:g}"


def _replies() -> list[Row]:
    targets = {
        **{"/help": (None, None), "/papers": (10, 40), "/similar": (25, 60), "/search": (40, 100)},
        **{"/author": (30, 80), "/collaborators": (100, 400), "/who-knows": (100, 400)},
        **{"/ask": (700, 1_500), "completion": (5, 40)},
    }
    return [
        Row(f"{name}, p{share}, ms", f"{name} p{share}", target, digits=1)
        for name, pair in targets.items()
        for share, target in zip((50, 99), pair, strict=True)
    ]


ROWS = [
    Row("loading, records/s", "rate", 3_000, at_least=True, grows=False),
    Row("  sqlite3 alone, records/s", "sqlite3 rate", grows=False),
    Row("loading, its end / its beginning", "flat", digits=2, grows=False),
    Row("loading, s of CPU", "load cpu"),
    Row("loading, most memory, MB", "peak"),
    Row("database before people, B a paper", "database", 3_000, each=True),
    Row("database with people, B a paper", "bytes of labmate.db", 3_000, each=True),
    Row("word index, B a paper", "words", 1_000, each=True),
    Row("vectors, B a paper", "vectors bytes", 1_000, each=True),
    Row("vectors taken in, s of CPU", "vectors cpu"),
    Row("vectors taken in, most memory, MB", "vectors resident"),
    Row("vectors, lowest recall@10", "recall", 0.95, at_least=True, digits=3, grows=False),
    Row("vectors, p99 of the slowest filter, ms", "search p99", 15, digits=1),
    Row("vectors, CPU p50 of the slowest, ms", "search cpu", digits=1),
    Row("  a core reads all rows in, ms", "scan ms", digits=1),
    Row("vectors, own memory, MB", "vectors own", 1_600),
    Row("people pass, authorships", "authorships"),
    Row("people pass, hours", "pass hours", 3, digits=2),
    Row("people pass, s of CPU", "pass cpu"),
    Row("people pass, gathering, s of CPU", "gathering authorships cpu"),
    Row("people pass, writing, s of CPU", "writing down who is who cpu"),
    Row("people pass, own memory, MB", "pass own", 6_000),
    Row("people pass, with mapped pages, MB", "pass resident"),
    Row("people pass, B-cubed F1", "B-cubed F1", digits=4, grows=False),
    Row("topics, novelty, network, s of CPU", "derive cpu"),
    Row("topics, s of CPU", "finding topics cpu"),
    Row("phrases after topics, s of CPU", "finding phrases cpu"),
    Row("phrases in common, B a paper", "bytes of phrases.map", each=True),
    Row("novelty, s of CPU", "comparing with earlier papers cpu"),
    Row("topics, novelty, network, own MB", "derive own"),
    Row("start to logged in, s", "logged in", 4, digits=1),
    Row("start to first card, s", "first card", digits=1),
    Row("start to a first answer of each kind, s", "first of each kind", 6, digits=1),
    Row("at rest, all processes' own, MB", "rest own", 2_500),
    Row("at rest, mapped pages, MB", "rest mapped"),
    Row("the client looks up commands, p50, ms", "looking up p50", digits=1, grows=False),
    *_replies(),
    *(
        Row(
            f"{name} as a multiple of /help, interleaved, p{share}",
            f"{name} / help p{share}",
            digits=1,
            grows=False,
        )
        for name in MULTIPLES
        for share in (50, 99)
    ),
    Row("a day of 1,200 papers, minutes", "day minutes", 15, digits=1),
    Row("replies meanwhile, times as long", "meanwhile", 2, digits=1, grows=False),
    Row("while a day is read in, own, MB", "day own", 3_500),
    Row("word index rebuilt, s", "word index rebuilt seconds"),
    Row("word index rebuilt, own MB", "word index rebuilt own"),
    Row("inverted file rebuilt, s", "inverted file rebuilt seconds"),
    Row("inverted file rebuilt, own MB", "inverted file rebuilt own"),
    Row("vectors compacted, s", "vectors compacted seconds"),
    Row("vectors compacted, own MB", "vectors compacted own"),
    Row("backup with checks, s", "backup seconds"),
    Row("backup with checks, own MB", "backup own"),
    Row("  the disk reads the database in, s", "database read once", digits=1),
    Row("migration from 0007, s", "migration seconds"),
    Row("migration from 0007, own MB", "migration own"),
]

PANELS = {
    "CPU": ("load cpu", "vectors cpu", "pass cpu", "derive cpu"),
    "memory": ("peak", "pass own", "derive own", "rest own", "day own"),
    "replies, p50": ("/papers p50", "/similar p50", "/search p50", "/collaborators p50", "/ask p50"),
}


def figures_of(place: Place) -> Figures:
    """All figures that were measured at a size, and those that follow from them."""
    found: Figures = {}
    for step in STEPS:
        found |= place.figures(step) or {}
    if "cpu" in found:
        found["load cpu"] = found["cpu"] * found["records"] / 1e6
    if "pass seconds" in found:
        found["pass hours"] = found["pass seconds"] / 3_600
    return found


def exponent(sizes: list[int], costs: list[float]) -> float | None:
    """The slope of log cost over log size, by least squares; None for fewer than two costs."""
    known = [(math.log(size), math.log(cost)) for size, cost in zip(sizes, costs, strict=True) if cost > 0]
    if len(known) < 2:
        return None
    return float(np.polyfit(*np.array(known).T, 1)[0])


def show_table(places: list[Place]) -> None:
    """Print every figure, the target at the last size, the exponent, and the value at 10 million."""
    sizes, found = [place.size for place in places], [figures_of(place) for place in places]
    head = "".join(f"{size:>12,}" for size in sizes)
    print(f"{'papers':42}{head}{'target':>14}{'exponent':>10}{f'{BEYOND:,}':>13}")
    for row in ROWS:
        values = [one.get(row.key, math.nan) for one in found]
        if all(map(math.isnan, values)):
            continue
        shown = "".join(f"{'':>12}" if math.isnan(v) else f"{v:>12,.{row.digits}f}" for v in values)
        line = f"{row.text:42}{shown}{row.aim(values[-1]):>14}"
        power = exponent(sizes, [v * s if row.each else v for v, s in zip(values, sizes, strict=True)])
        if row.grows and power is not None:
            last, size = next((v, s) for v, s in zip(values[::-1], sizes[::-1], strict=True) if v == v)
            beyond = last * (BEYOND / size) ** (power - row.each)
            line += f"{power:>10.2f}{beyond:>13,.{row.digits}f}"
        print(line)


def draw(places: list[Place], path: Path) -> None:
    """Draw the costs as multiples of those of the smallest collection, log-log."""
    from matplotlib.figure import Figure  # lazy: only for the picture

    figure = Figure(figsize=(12, 4.4), layout="constrained")
    texts = {row.key: row.text for row in ROWS}
    for axes, (title, keys) in zip(figure.subplots(1, len(PANELS), sharey=True), PANELS.items(), strict=True):
        sizes = [place.size for place in places]
        axes.plot(sizes, [size / sizes[0] for size in sizes], "--", color="0.6", label="as the collection")
        for key in keys:
            points = [(place.size, figures_of(place).get(key)) for place in places]
            known = [(size, value) for size, value in points if value]
            if len(known) > 1:
                power = exponent([size for size, _ in known], [value for _, value in known])
                label = f"{texts.get(key, key).rpartition(',')[0]}: {power:.2f}"
                axes.plot(
                    *zip(*((size, v / known[0][1]) for size, v in known), strict=True), "o-", label=label
                )
        axes.set(xscale="log", yscale="log", title=title, xlabel="papers")
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.axes[0].set_ylabel(f"times the cost at {places[0].size:,}")
    figure.savefig(path, dpi=110)


def do(place: Place, step: str) -> None:
    """Do a step in this process and keep its figures."""
    module = importlib.import_module(f"benchmarks.scale.{STEPS[step]}")
    work: Callable[[Place], Figures] = getattr(module, step)
    place.save(step, work(place))


def main() -> None:
    """Do what is not done yet, then print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="112k,400k,1m,3m")
    parser.add_argument("--folder", type=Path, default=ROOT / "var" / "scale")
    parser.add_argument("--steps", default=",".join(STEPS), help=f"some of {', '.join(STEPS)}")
    parser.add_argument("--table", action="store_true", help="only print what there is")
    parser.add_argument("--picture", type=Path, help="only draw the growth into this file")
    parser.add_argument("--memory", type=float, help="GB to which each step is held by a cgroup (as root)")
    parser.add_argument("--do", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    try:
        places = [Place(asked.folder / size, size_of(size)) for size in asked.sizes.split(",")]
    except ValueError:
        parser.error(f"--sizes must look like 112k,400k,1m, not {asked.sizes!r}")
    if unknown := set(asked.steps.split(",")) - STEPS.keys():
        parser.error(f"no step is named {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    if asked.do:
        if asked.memory:
            hold_to(asked.memory)
        do(places[0], asked.do)
        return
    if not (asked.table or asked.picture):
        need_data()
        for place in places:
            place.folder.mkdir(parents=True, exist_ok=True)
            for step in STEPS:
                other = "tell_some_apart" if place.size <= WHOLE_UNTIL else "tell_apart"
                if step in asked.steps.split(",") and step != other and place.figures(step) is None:
                    print(f"{place.size:,}: {step}", flush=True)
                    own = ["--sizes", place.folder.name, "--folder", str(asked.folder), "--do", step]
                    own += ["--memory", str(asked.memory)] if asked.memory else []
                    subprocess.run([sys.executable, "-m", "benchmarks.scale.run", *own], cwd=ROOT, check=True)
    show_table(places)
    if asked.picture:
        draw(places, asked.picture)


if __name__ == "__main__":
    main()
