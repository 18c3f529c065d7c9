"""python -m benchmarks.judged_collaborators [--fit]: would a colleague suggest these collaborators?

`judged_collaborators.json` has researchers drawn by chance, each with people who were graded as new
collaborators: those with whom one sees at once what both would want to work on, sensible ones, weak ones, and
pointless ones. A language model graded them by the titles of their newest papers, in random order, without
their names and without knowing which method found them. A person is named by the identifier of a paper and
their place among its authors.

The collections are those of :mod:`benchmarks.judged_queries`. For each method, it prints nDCG@10 with a 95 %
bootstrap interval; of the first ten, the mean grade, how many are sensible or better, and how many pointless;
and the share that was graded, since those who were not graded are left aside. The weights of work that fits
are fitted to the researchers of `arxiv, fitted`; the others were drawn later.

`--fit` fits them (:attr:`index.people.suggest.CollaboratorRanker.fit`), and prints how well those fitted to
the other researchers tell sensible suggestions from the rest: the mean area under the ROC curve.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.data import need_data
from benchmarks.judged_queries import ANTHOLOGY, FIRST, ndcg, numbers, opened
from index.evaluate.metrics import interval
from index.identity.passes import identify
from index.people.insight import Insight, derive
from index.people.pair_features import FEATURES
from index.people.suggest import FIT, CollaboratorRanker, Experts
from index.search.corpus import Corpus

JUDGED = Path(__file__).with_suffix(".json")
GRADES = {"excellent": 3, "sensible": 2, "weak": 1, "pointless": 0}
SENSIBLE = 2
METHODS = ("labmate", "without variety", "chance alone", "adamic-adar", "closest work", "closest papers")


@dataclass(frozen=True)
class JudgedResearcher:
    """A researcher and the grades of others as new collaborators, by a paper and a place of each."""

    collection: str
    kind: str
    person: str
    grades: Mapping[str, int]

    @classmethod
    def all(cls) -> list[JudgedResearcher]:
        """Everybody in the file."""
        return [
            cls(
                line["collection"],
                line["kind"],
                line["person"],
                {other: grade for name, grade in GRADES.items() for other in line[name]},
            )
            for line in json.loads(JUDGED.read_text())
        ]


@dataclass(frozen=True)
class RankedPeople:
    """What each method finds for a researcher.

    Attributes
    ----------
    lists
        People by method, best first: all candidates, or the ten of a reply to `/collaborators` and then those
        that a longer one would add.
    grades
        Of those who were graded and can be told from one another.
    rows
        The features in :data:`index.people.suggest.FIT` of the graded ones, shape (people, features).
    levels
        Their grades, shape (people,).
    """

    kind: str
    lists: Mapping[str, Sequence[int]]
    grades: Mapping[int, int]
    rows: np.ndarray
    levels: np.ndarray


async def people_of(corpus: Corpus, collection: str, named: set[str]) -> dict[str, int]:
    """The store ids of people, by a paper's identifier and their place among its authors."""
    number = await numbers(corpus, collection)
    places = {}
    for name in named:
        paper, _, place = name.rpartition("/")
        if paper in number:
            places[name] = (number[paper], int(place))
    at = await corpus.store.people.at(list(places.values()))
    person = {(one.paper_id, one.position): one.person_id for one in at}
    return {name: person[place] for name, place in places.items() if place in person}


def ranked(experts: Experts, judged: JudgedResearcher, people: Mapping[str, int]) -> RankedPeople | None:
    """Rank everybody for a researcher with each method; None where nobody knows them any more."""
    asked = people.get(judged.person)
    known = experts.network.numbers(np.array([-1 if asked is None else asked]))
    if asked is None or known[0] < 0:
        return None
    pool = experts.partners.pool(known)
    features = experts.partners.compare(pool)
    others = experts.network.people[pool.candidates[0]]
    coauthors = experts.people.ties(asked).people
    kept = ~np.isin(others, coauthors) & np.array([experts.people.count(int(one)) > 0 for one in others])
    features, others = features[kept], others[kept]
    ranker = CollaboratorRanker.shipped()
    scores = {
        "without variety": ranker.scores(features),
        "chance alone": ranker.chances(features),
        "adamic-adar": features[:, FEATURES.index("adamic_adar_fresh")],
        "closest work": features[:, FEATURES.index("meaning")],
        "closest papers": features[:, FEATURES.index("best_pair")],
    }
    grades = {people[other]: grade for other, grade in judged.grades.items() if other in people}
    lists = {name: others[np.argsort(-score, kind="stable")].tolist() for name, score in scores.items()}
    replied = (
        suggestion.person for most in (FIRST, 3 * FIRST) for suggestion in experts.suggest(asked, most)
    )
    lists["labmate"] = list(dict.fromkeys(replied))
    graded = np.array([int(other) in grades for other in others])
    return RankedPeople(
        judged.kind,
        lists,
        grades,
        features[graded][:, [FEATURES.index(name) for name in FIT]],
        np.array([grades[int(other)] for other in others[graded]]),
    )


async def identified(corpus: Corpus) -> Experts:
    """The experts on a collection; its authors are told apart first, once."""
    if await corpus.store.people.last_pass() is None:
        print("telling people apart once...", flush=True)
        with corpus.writing():
            await identify(corpus, full=True)
            await derive(corpus)
    insight = Insight(corpus)
    await insight.refresh()
    experts = await insight.experts()
    assert experts is not None
    return experts


def show(title: str, found: Sequence[RankedPeople]) -> None:
    """Print what each method's first ten are worth, among those who were graded."""
    print(f"{title}: {len(found)}")
    for method in METHODS:
        gains, means, sensible, pointless, seen = [], [], [], [], []
        for one in found:
            judged = [person for person in one.lists[method] if person in one.grades][:FIRST]
            grades = np.array([one.grades[person] for person in judged])
            gains.append(ndcg(judged, one.grades))
            means.append(grades.mean())
            sensible.append((grades >= SENSIBLE).mean())
            pointless.append((grades == 0).mean())
            seen.append(np.mean([person in one.grades for person in one.lists[method][:FIRST]]))
        low, high = interval(np.array(gains), 0)
        print(
            f"  {method:16} nDCG@10 {np.mean(gains):.3f} [{low:.3f}, {high:.3f}]  "
            f"mean grade {np.mean(means):.2f}  sensible {np.mean(sensible):.2f}  "
            f"pointless {np.mean(pointless):.2f}  graded {np.mean(seen):.2f}"
        )


def fit(found: Sequence[RankedPeople]) -> None:
    """Fit the odds that work fits, and print them and how well they hold for researchers left out."""

    def fitted(researchers: Sequence[RankedPeople]) -> LogisticRegression:
        rows = np.concatenate([one.rows for one in researchers])
        levels = np.concatenate([one.levels for one in researchers])
        return LogisticRegression(C=10.0).fit(rows, levels >= SENSIBLE)

    learned = fitted(found)
    weights = {
        **dict(zip(FIT, learned.coef_[0].tolist(), strict=True)),
        "start": float(learned.intercept_[0]),
    }
    print(json.dumps({name: round(weight, 2) for name, weight in weights.items()}))
    areas = []
    for place, one in enumerate(found):
        rest = [*found[:place], *found[place + 1 :]]
        if 0 < (one.levels >= SENSIBLE).mean() < 1:
            areas.append(roc_auc_score(one.levels >= SENSIBLE, fitted(rest).decision_function(one.rows)))
    print(f"area under the curve for researchers left out: {np.mean(areas):.2f}")


async def main() -> None:
    """Rank people for every researcher, and print how sensible each method's suggestions are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fit", action="store_true", help="fit the weights instead")
    asked = parser.parse_args()
    need_data(ANTHOLOGY)
    everybody = JudgedResearcher.all()
    for collection in dict.fromkeys(one.collection for one in everybody):
        own = [one for one in everybody if one.collection == collection]
        async with opened(collection, writable=True) as corpus:
            experts = await identified(corpus)
            people = await people_of(
                corpus, collection, {name for one in own for name in (one.person, *one.grades)}
            )
            found = [result for one in own if (result := ranked(experts, one, people)) is not None]
        for kind in dict.fromkeys(one.kind for one in found):
            of_kind = [one for one in found if one.kind == kind]
            if not asked.fit:
                show(f"{collection}, {kind}", of_kind)
            elif kind == "fitted":
                fit(of_kind)


if __name__ == "__main__":
    asyncio.run(main())
