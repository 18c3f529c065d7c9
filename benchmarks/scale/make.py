"""python -m benchmarks.scale.make N --seed S --out FOLDER: a collection of N papers, grown from the real one.

It writes ``papers.json.zst`` in the form of arXiv's public metadata snapshot, ``papers.f16.npy`` with its
manifest ``papers.json`` (row i is line i), and the truth: ``people.npy`` (int32, the person of every
authorship, line by line) and ``authorships.npy`` (int64, where each line's begin). docs/benchmarks.md says
where it differs from life.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import zstandard
from numpy.typing import NDArray

from benchmarks.data import PAPERS, VECTORS, need_data
from benchmarks.scale import made_days, made_people
from benchmarks.scale.draw_vectors import BLOCK, Anchors
from benchmarks.scale.made_text import NEAR, Words, name_of, title_neighbours, wrapped

_REVISED, _WITHDRAWN = 0.03, 0.003
_INITIALS_OLD, _INITIALS_NEW, _INITIALS_ONCE = 0.3, 0.04, 0.01
_JUNIOR = 0.002
_TOPIC_SPREAD = 40.0
_LEVEL = 3
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LICENSE = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything about the papers but their texts and vectors, in the order of the lines."""

    seed: int
    ids: list[str]
    days: NDArray[np.datetime64]
    categories: NDArray[np.integer]
    anchors: NDArray[np.integer]
    neighbours: NDArray[np.integer]
    named: NDArray[np.bool_]
    authorships: made_people.Authorships
    names: made_people.Names
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    """The parts of each person's name."""


def read_real(most: int | None = None) -> tuple[list[str], list[str], list[list[str]]]:
    """Titles, abstracts and authors of the real papers, or of the first ``most``."""
    titles, abstracts, authors = [], [], []
    with PAPERS.open("rb") as file:
        lines = io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file), 1 << 20)
        for line in islice(lines, most):
            item = orjson.loads(line)
            titles.append(item["title"])
            abstracts.append(item["abstract"])
            authors.append(item["authors"] or ["Anonymous"])
    return titles, abstracts, authors


def topics(rows: NDArray[np.float32]) -> NDArray[np.int64]:
    """The rows in an order in which neighbours are alike: halved along their widest direction, repeatedly."""
    waiting, done = [np.arange(len(rows))], []
    while waiting:
        part = waiting.pop()
        if len(part) <= 8:
            done.append(part)
            continue
        sample = rows[part[:: max(1, len(part) // 4_000)]]
        centred = sample - sample.mean(axis=0)
        direction = centred[0] - centred[-1]
        for _ in range(3):
            direction = centred.T @ (centred @ direction)
            direction /= np.linalg.norm(direction) + 1e-12
        along = part[np.argsort(rows[part] @ direction, kind="stable")]
        waiting += [along[len(along) // 2 :], along[: len(along) // 2]]
    return np.concatenate(done)


def make_plan(n: int, seed: int, anchors: Anchors, words: Words, real_authors: list[list[str]]) -> Plan:
    """Decide days, categories, groups, authors, topics and names."""
    rng = np.random.default_rng([seed, 1 << 32])
    days = made_days.submission_days(n, rng)
    categories = made_days.draw_categories(made_days.years_of(days), rng)
    groups = made_people.make_groups(days, categories, rng)
    group = made_people.choose_groups(groups, days, categories, rng)
    ids = made_days.identifiers(days, categories)

    # Each category is a stretch of the topics as long as its share; a group is a place in it.
    edges = np.concatenate([[0], np.cumsum(np.bincount(categories, minlength=len(made_days.CATEGORIES)))])
    edges = (edges * len(anchors.rows)) // n
    low, high = edges[categories], np.maximum(edges[categories] + 1, edges[categories + 1])
    place = low + groups.topic[group] * (high - low) + rng.laplace(0.0, _TOPIC_SPREAD, n)
    place = low + np.mod(place.astype(np.int64) - low, high - low)
    chosen = topics(anchors.rows)[place]

    # The snapshot's order: ids of the new style, then those of the old one.
    keys = np.array(["/" in arxiv_id for arxiv_id in ids])
    order = np.concatenate([np.flatnonzero(~keys), np.array(_sorted_old(ids, keys), np.int64)])
    days, categories, group, chosen = days[order], categories[order], group[order], chosen[order]
    sizes = made_people.author_counts(np.array([len(a) for a in real_authors]), days, rng)
    by_time = np.argsort(days, kind="stable")
    written = made_people.make_authorships(groups, group[by_time], days[by_time], sizes[by_time], rng)
    authorships = _reordered(written, np.argsort(by_time))
    names = made_people.Names.of(real_authors)
    first, last = names.draw(authorships.people, rng)
    neighbours, named = title_neighbours(chosen, anchors.near, words, rng)
    return Plan(
        seed,
        [ids[i] for i in order],
        days,
        categories,
        chosen,
        neighbours,
        named,
        authorships,
        names,
        first,
        last,
    )


def _sorted_old(ids: list[str], old: NDArray[np.bool_]) -> list[int]:
    return sorted(np.flatnonzero(old).tolist(), key=ids.__getitem__)


def _reordered(written: made_people.Authorships, order: NDArray[np.integer]) -> made_people.Authorships:
    lengths = np.diff(written.offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    source = np.repeat(written.offsets[:-1][order] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return made_people.Authorships(offsets, written.person[source], written.people)


class Writer:
    """Turns rows of a plan into lines and vectors, a block at a time."""

    def __init__(self, plan: Plan, anchors: Anchors, words: Words, vectors: Path) -> None:
        self.plan, self.anchors, self.words, self.vectors = plan, anchors, words, vectors

    def block(self, number: int) -> bytes:
        """Write a block's vectors; returns its lines, compressed as one frame."""
        begin = number * BLOCK
        end = min(begin + BLOCK, len(self.plan.ids))
        rng = np.random.default_rng([self.plan.seed, number])
        rows = np.load(self.vectors, mmap_mode="r+")
        rows[begin:end] = self.anchors.around(self.plan.anchors[begin:end], rng)
        rows.flush()
        chances = rng.integers(1 << 31, size=(end - begin, 64)).tolist()
        lines = [orjson.dumps(self.line(row, chances[row - begin])) for row in range(begin, end)]
        return zstandard.ZstdCompressor(level=_LEVEL).compress(b"\n".join(lines) + b"\n")

    def line(self, row: int, chance: list[int]) -> dict[str, Any]:
        """A paper as the snapshot gives it."""
        plan = self.plan
        anchor = int(plan.anchors[row])
        name = name_of(row) if plan.named[row] else ""
        title = self.words.title(anchor, int(plan.neighbours[row]), name)
        near = self.anchors.near[anchor, :NEAR].tolist()
        abstract = self.words.abstract(anchor, near, name, chance[:40])
        parsed = self._authors(row, chance)
        authors = [" ".join(part for part in (first, last, suffix) if part) for last, first, suffix in parsed]
        category = made_days.CATEGORIES[plan.categories[row]]
        also = made_days.CATEGORIES[
            (int(plan.categories[row]) + 1 + chance[41] % 3) % len(made_days.CATEGORIES)
        ]
        year = int(str(plan.days[row])[:4])
        withdrawn = chance[42] % 10_000 < _WITHDRAWN * 10_000
        comment = f"{4 + chance[43] % 40} pages, {chance[44] % 15} figures" if chance[45] % 10 < 6 else None
        if withdrawn:
            comment = "This paper has been withdrawn by the author due to an error"
            abstract = "This paper has been withdrawn." if chance[46] & 1 else abstract
        published = chance[47] % 10 < 4
        versions, last_day = self._versions(row, chance, withdrawn)
        return {
            "id": plan.ids[row],
            "submitter": authors[chance[48] % len(authors)],
            "authors": wrapped(
                ", ".join(authors[:-1]) + " and " + authors[-1] if len(authors) > 1 else authors[0]
            ),
            "title": wrapped(title, 70, "\n  "),
            "comments": comment,
            "journal-ref": f"J. Made Res. {year - 1980} ({year + 1}) {chance[49] % 3000}"
            if published
            else None,
            "doi": f"10.5555/made.{plan.seed}.{row}" if published else None,
            "report-no": None,
            "categories": category.name
            if chance[50] % 10 < 5 or also.since > year
            else f"{category.name} {also.name}",
            "license": _LICENSE if year > 2008 else None,
            "abstract": f"  {wrapped(abstract)}\n",
            "versions": versions,
            "update_date": str(last_day),
            "authors_parsed": parsed,
        }

    def _authors(self, row: int, chance: list[int]) -> list[list[str]]:
        plan = self.plan
        begin, end = plan.authorships.offsets[row], plan.authorships.offsets[row + 1]
        share = _INITIALS_OLD if plan.days[row] < np.datetime64("2005-01-01") else _INITIALS_NEW
        short = chance[51] % 1_000 < 1_000 * share
        parsed = []
        for place, person in enumerate(plan.authorships.person[begin:end].tolist()):
            first = plan.names.first[plan.first[person]]
            last = plan.names.last[plan.last[person]]
            if first and (short or chance[(52 + place) % 64] % 1_000 < 1_000 * _INITIALS_ONCE):
                first = " ".join(f"{part[0]}." for part in first.split())
            parsed.append([last, first, "Jr." if person * 7_919 % 10_000 < 10_000 * _JUNIOR else ""])
        return parsed

    def _versions(
        self, row: int, chance: list[int], withdrawn: bool
    ) -> tuple[list[dict[str, str]], np.datetime64]:
        day = self.plan.days[row]
        count = 1
        if withdrawn or chance[60] % 10_000 < _REVISED * 10_000:
            count = 2 + (chance[61] % 4 == 0) + (chance[61] % 16 == 0)
        versions = []
        for number in range(count):
            if number:
                day = day + 3 + chance[62 - number] % 300
            seconds = chance[62 + number % 2] // (number + 1) % 86_400
            versions.append({"version": f"v{number + 1}", "created": _http_date(day, seconds)})
        return versions, day + 1


def _http_date(day: np.datetime64, seconds: int) -> str:
    date = day.item()
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{_DAYS[date.weekday()]}, {date.day} {_MONTHS[date.month - 1]} {date.year} {clock} GMT"


_writer: Writer | None = None


def _block(number: int) -> bytes:
    assert _writer is not None
    return _writer.block(number)


def _blocks(writer: Writer, count: int, processes: int) -> Iterator[bytes]:
    global _writer
    _writer = writer  # forked processes share its memory
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        yield from pool.imap(_block, range(count))


def make(
    n: int, seed: int, out: Path, processes: int = 2, most: int | None = None
) -> made_people.Authorships:
    """Write a collection grown from the first ``most`` real papers; returns who wrote what."""
    need_data()
    out.mkdir(parents=True, exist_ok=True)
    begun = time.perf_counter()
    titles, abstracts, real_authors = read_real(most)
    words, anchors = Words.of(titles, abstracts), Anchors.of_real(most=most)
    plan = make_plan(n, seed, anchors, words, real_authors)
    print(f"planned in {time.perf_counter() - begun:.0f} s", flush=True)
    vectors = out / "papers.f16.npy"
    np.lib.format.open_memmap(vectors, "w+", np.float16, (n, anchors.rows.shape[1])).flush()
    manifest = orjson.loads(VECTORS.with_name("arxiv-daily.minilm.json").read_bytes())
    manifest |= {"rows": n, "rows_of": "papers.json.zst, same order", "precision": "drawn, not computed"}
    (out / "papers.json").write_bytes(orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    np.save(out / "people.npy", plan.authorships.person)
    np.save(out / "authorships.npy", plan.authorships.offsets)
    count = -(-n // BLOCK)
    written = time.perf_counter()
    with (out / "papers.json.zst").open("wb") as file:
        for number, frame in enumerate(_blocks(Writer(plan, anchors, words, vectors), count, processes)):
            file.write(frame)
            if (number + 1) % max(1, count // 10) == 0:
                done = min(n, (number + 1) * BLOCK)
                print(f"  {done:,} papers, {done / (time.perf_counter() - written):,.0f}/s", flush=True)
    print(f"{n:,} papers in {time.perf_counter() - begun:.0f} s", flush=True)
    return plan.authorships


def main() -> None:
    """Make a collection."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("n", type=int, help="how many papers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="a folder outside the repository")
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    chosen = parser.parse_args()
    make(chosen.n, chosen.seed, chosen.out, chosen.processes)


if __name__ == "__main__":
    main()
