"""python -m benchmarks.scale.likeness FOLDER: words and names of a made collection beside the real ones'."""

from __future__ import annotations

import argparse
import io
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import orjson
import zstandard

from benchmarks.data import PAPERS, need_data

_WORD = re.compile(r"[a-z]+")
_PAPERS = 50_000
_RANKS = (1, 10, 100, 1_000, 10_000)


def real_papers() -> Iterator[tuple[str, str, list[str]]]:
    """Title, abstract and authors of each real paper."""
    for item in _lines(PAPERS):
        yield item["title"], item["abstract"], item["authors"]


def made_papers(folder: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Title, abstract and authors of each made paper."""
    for item in _lines(folder / "papers.json.zst"):
        names = [" ".join(filter(None, (first, last))) for last, first, _ in item["authors_parsed"]]
        yield " ".join(item["title"].split()), " ".join(item["abstract"].split()), names


def _lines(path: Path) -> Iterator[dict]:
    with path.open("rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
        for line in io.BufferedReader(stream, 1 << 20):
            yield orjson.loads(line)


def show(name: str, papers: Iterator[tuple[str, str, list[str]]]) -> set[tuple[str, str]]:
    """Print what one collection looks like; returns its common pairs of neighbouring words."""
    words: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    names: Counter[str] = Counter()
    titles, abstracts, authors, seen, twice = [], [], [], set(), 0
    for title, abstract, who in papers:
        tokens = _WORD.findall(f"{title} {abstract}".lower())
        words.update(tokens)
        pairs.update(pairwise(tokens))
        names.update(who)
        titles.append(len(title.split()))
        abstracts.append(len(abstract.split()))
        authors.append(len(who))
        twice += title.casefold() in seen
        seen.add(title.casefold())
    ranked = [count for _, count in words.most_common()]
    total = sum(ranked)
    shares = " ".join(f"{1e6 * ranked[rank - 1] / total:,.0f}" for rank in _RANKS if rank <= len(ranked))
    once = sum(count == 1 for count in ranked) / len(ranked)
    print(f"{name}: {len(titles):,} papers, {twice:,} titles more than once")
    for what, values in (("title, words", titles), ("abstract, words", abstracts), ("authors", authors)):
        low, middle, high = np.quantile(values, (0.1, 0.5, 0.9))
        spread = f"{low:4.0f} {middle:4.0f} {high:4.0f} at 10 %, 50 %, 90 %"
        print(f"  {what:18} {spread}; mean {np.mean(values):.1f}")
    print(f"  distinct words     {len(ranked):,}, {100 * once:.0f} % of them once")
    print(f"  a million words have the word of rank {', '.join(map(str, _RANKS))}: {shares} times")
    written = sum(names.values())
    common = ", ".join(f"{who} {1e4 * count / written:.1f}" for who, count in names.most_common(3))
    print(f"  distinct names     {len(names):,} of {written:,}; of 10,000 authorships: {common}", flush=True)
    return {pair for pair, _ in pairs.most_common(20_000)}


def main() -> None:
    """Print both, over equally many papers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--papers", type=int, default=_PAPERS)
    chosen = parser.parse_args()
    need_data()
    real = show("real", islice(real_papers(), chosen.papers))
    made = show("made", islice(made_papers(chosen.folder), chosen.papers))
    print(f"of the 20,000 commonest pairs of words, {100 * len(real & made) / len(real):.0f} % are the same")


if __name__ == "__main__":
    main()
