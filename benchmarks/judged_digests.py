"""python -m benchmarks.judged_digests [--fit]: does a digest choose what its readers want to see?

`judged_digests.json` has readers, each with a day whose papers were graded for them: papers that they would
be sorry to miss, papers that they would be glad to see, papers of their broad area only, and others. A reader
is somebody with the papers they wrote before, a few papers on one subject, a description in words, or a room
of four people with some papers each. A language model graded the first ten papers of several methods, in
random order, without knowing which method chose them. Papers are named by their identifiers.

The collections are those of :mod:`benchmarks.judged_queries`; a month of the Anthology is a day. For each
method, it prints nDCG@10 with a 95 % bootstrap interval; of the first five, how many are shown, how many the
reader would be sorry to miss or glad to see, and how many are outside their area; and the share that was
graded. Papers that were not graded count as outside. `before` is Labmate without regard to whether a paper is
in the reader's area, with the description as it was typed; `ranking` is the same without variety.

`--fit` fits the odds that a paper is in a reader's area (:attr:`index.digest.taste.TasteRanker.area`) to the
grades of arXiv's papers. For each kind of reader, it prints the shares of the first five that stay: arXiv's
readers with odds fitted to the others, the Anthology's with those fitted to all of arXiv's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.data import need_data
from benchmarks.judged_queries import ANTHOLOGY, FIRST, Grades, ndcg, numbers, opened
from index.digest.chooser import Chooser, Taste
from index.digest.description import read_description
from index.digest.encoder import words_text
from index.digest.taste import AREA, FEATURES, LEAST_ODDS, TasteRanker
from index.evaluate.metrics import interval
from index.search.corpus import Corpus
from index.search.search import Search

JUDGED = Path(__file__).with_suffix(".json")
GRADES = {"missed": 3, "welcome": 2, "area": 1, "other": 0}
WANTED, IN_AREA = 2, 1
METHODS = ("labmate", "before", "ranking", "tfidf-svm", "tfidf-centroid", "embedding-max", "embedding-mean")
POSTED = 5
"""How many papers a digest has unless it is told otherwise."""
LEAST_TEXT = 100
"""Papers with a shorter abstract were not graded."""
FOLDS = 8


@dataclass(frozen=True)
class JudgedReader:
    """A reader, a day, and the grades of its papers, by their identifiers.

    Attributes
    ----------
    papers
        The papers that are known of the reader, with the days from each to that day.
    description
        Plain words; empty where papers are known.
    """

    collection: str
    kind: str
    day: date
    papers: Mapping[str, float]
    description: str
    grades: Mapping[str, int]

    @classmethod
    def all(cls) -> list[JudgedReader]:
        """Every reader of the file."""
        return [
            cls(
                line["collection"],
                line["kind"],
                date.fromisoformat(line["day"]),
                line["papers"],
                line["description"],
                {paper: grade for name, grade in GRADES.items() for paper in line[name]},
            )
            for line in json.loads(JUDGED.read_text())
        ]


@dataclass(frozen=True)
class Ranked:
    """What the methods chose for a reader, and how the graded papers lie to them.

    Attributes
    ----------
    graded
        The graded papers of the day.
    features
        Shape (graded, :data:`index.digest.taste.FEATURES`).
    """

    kind: str
    lists: Mapping[str, list[int]]
    grades: Grades
    graded: list[int]
    features: np.ndarray


async def as_posted(corpus: Corpus, taste: Taste) -> Taste:
    """A taste whose descriptions are read as a digest reads them."""
    read = [await read_description(Search(corpus), query) for query in taste.queries]
    texts = tuple(said.text for said in read)
    declined = tuple(phrase for said in read for phrase in said.without)
    return replace(taste, queries=texts, phrases=texts, exclude=declined)


async def ranked(
    corpus: Corpus, chooser: Chooser, before: Chooser, reader: JudgedReader, number: Mapping[str, int]
) -> Ranked:
    """Choose from the reader's day by every method."""
    liked = {number[paper]: age for paper, age in reader.papers.items()}
    taste = Taste(liked, queries=(reader.description,) if reader.description else ())
    listed = [entry.paper for entry in await corpus.store.listings.entries(reader.day) if entry.new]
    texts = await corpus.store.texts(listed)
    day = [paper for paper in listed if len(texts[paper][1]) > LEAST_TEXT and paper not in liked]
    grades = {number[paper]: grade for paper, grade in reader.grades.items()}
    own = await as_posted(corpus, taste)
    lists = {
        name: [pick.paper for pick in await each.choose(day, wishes, FIRST)]
        for name, each, wishes in (("labmate", chooser, own), ("before", before, taste))
    }
    lists["ranking"] = (await chooser.ranked(day, taste))[:FIRST]
    wanted = await chooser.encoded(taste)
    assert wanted.items is not None
    items, local = await chooser.items(day), await chooser.local_words()
    words = local.rows([words_text(*texts[paper][:2]) for paper in day])
    taste_words = local.rows(wanted.texts)
    close = items.meaning @ wanted.items.meaning.T
    scores = {
        "tfidf-svm": local.scores(words, taste_words),
        "tfidf-centroid": np.asarray(words @ np.asarray(taste_words.mean(axis=0)).T).ravel(),
        "embedding-max": close.max(axis=1),
        "embedding-mean": close.mean(axis=1),
    }
    lists |= {
        name: [day[row] for row in np.argsort(-values, kind="stable")[:FIRST]]
        for name, values in scores.items()
    }
    known = [row for row, paper in enumerate(day) if paper in grades]
    features = chooser.ranker.features(items, wanted.items, wanted.ages)
    return Ranked(reader.kind, lists, grades, [day[row] for row in known], features[known])


def show(method: str, found: Sequence[Ranked]) -> None:
    """Print a method's line."""
    values = [ndcg(one.lists[method], one.grades) for one in found]
    low, high = interval(values)
    posted = [[one.grades.get(paper, 0) for paper in one.lists[method][:POSTED]] for one in found]
    wanted = np.mean([sum(grade >= WANTED for grade in grades) for grades in posted])
    outside = np.mean([sum(grade < IN_AREA for grade in grades) for grades in posted])
    graded = np.mean([paper in one.grades for one in found for paper in one.lists[method]])
    print(
        f"  {method:14} nDCG@10 {np.mean(values):.3f} [{low:.3f}, {high:.3f}]  of {POSTED}: "
        f"shown {np.mean([len(grades) for grades in posted]):.1f}  wanted {wanted:.2f}  "
        f"outside {outside:.2f}  graded {graded:.2f}",
        flush=True,
    )


def fit(arxiv: Sequence[Ranked], anthology: Sequence[Ranked]) -> None:
    """Fit the odds to the grades of arXiv's papers, and print them and what they keep."""
    columns = [FEATURES.index(name) for name in AREA]

    def fitted(readers: Sequence[Ranked]) -> dict[str, float]:
        rows = np.concatenate([one.features[:, columns] for one in readers])
        inside = [one.grades[paper] >= IN_AREA for one in readers for paper in one.graded]
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.3)).fit(rows, inside)
        scaler, learner = model[0], model[1]
        weights = learner.coef_[0] / scaler.scale_
        start = float(learner.intercept_[0] - weights @ scaler.mean_)
        return {**dict(zip(AREA, weights.tolist(), strict=True)), "start": start}

    ranker = TasteRanker.shipped()
    area = fitted(arxiv)
    print(json.dumps({name: round(weight, 2) for name, weight in area.items()}))
    kept: list[tuple[str, Ranked, np.ndarray]] = []
    for rest, left_out in KFold(FOLDS, shuffle=True, random_state=0).split(arxiv):
        of_rest = replace(ranker, area=fitted([arxiv[row] for row in rest]))
        kept += [
            (f"arxiv, {arxiv[row].kind}", arxiv[row], of_rest.odds(arxiv[row].features)) for row in left_out
        ]
    of_all = replace(ranker, area=area)
    kept += [(f"acl, {one.kind}", one, of_all.odds(one.features)) for one in anthology]
    for kind in sorted({kind for kind, _, _ in kept}):
        _show_kept(kind, [(one, odds) for of, one, odds in kept if of == kind])


def _show_kept(kind: str, readers: Sequence[tuple[Ranked, np.ndarray]]) -> None:
    """What stays of the papers that a digest of five had before; ungraded papers are left aside."""
    shares: dict[bool, list[bool]] = {True: [], False: []}
    silent = 0
    for one, odds in readers:
        stays = dict(zip(one.graded, (odds >= LEAST_ODDS).tolist(), strict=True))
        posted = [paper for paper in one.lists["before"][:POSTED] if paper in stays]
        for paper in posted:
            if one.grades[paper] >= WANTED or one.grades[paper] < IN_AREA:
                shares[one.grades[paper] >= WANTED].append(stays[paper])
        wanted = any(one.grades[paper] >= WANTED for paper in posted)
        silent += wanted and not any(stays[paper] for paper in posted)
    print(
        f"{kind}: {len(shares[True])} wanted, kept {np.mean(shares[True]):.2f}; "
        f"{len(shares[False])} outside, kept {np.mean(shares[False]):.2f}; "
        f"none left though some were wanted: {silent} of {len(readers)} readers"
    )


async def main() -> None:
    """Choose for every reader by every method, and print how well each does."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fit", action="store_true", help="fit the odds instead")
    asked = parser.parse_args()
    need_data(ANTHOLOGY)
    readers = JudgedReader.all()
    of_collection: dict[str, list[Ranked]] = {}
    for collection in dict.fromkeys(one.collection for one in readers):
        async with opened(collection) as corpus:
            number = await numbers(corpus, collection)
            ranker = TasteRanker.shipped()
            choosers = Chooser(corpus, ranker), Chooser(corpus, replace(ranker, area={}))
            own = [one for one in readers if one.collection == collection]
            found = [await ranked(corpus, *choosers, one, number) for one in own]
        of_collection[collection] = found
        if asked.fit:
            continue
        for kind in dict.fromkeys(one.kind for one in own):
            of_kind = [result for one, result in zip(own, found, strict=True) if one.kind == kind]
            print(f"{collection}, {kind}: {len(of_kind)}")
            for method in METHODS:
                show(method, of_kind)
        print(f"{collection}, everyone: {len(found)}")
        for method in METHODS:
            show(method, found)
    if asked.fit:
        fit(of_collection["arxiv"], of_collection["acl"])


if __name__ == "__main__":
    asyncio.run(main())
