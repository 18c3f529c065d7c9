"""Telling people apart: names, evidence, groups, passes over a store."""

import asyncio
import json
from dataclasses import replace
from datetime import date
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sqlalchemy import delete

from bot.cli.ingest import tell_apart
from bot.cli.reporter import Reporter
from data.tables.papers import MembershipRow
from index.evaluate.corpus import read_file
from index.evaluate.identity import bcubed, evaluate, initial_coauthors, pairwise
from index.evaluate.identity_errors import confidence, errors
from index.evaluate.pseudo_people import make_people, rare_people
from index.identity import group_pairs, large_names, statistics
from index.identity.authorships import Authorships
from index.identity.clusters import estimate_priors
from index.identity.commonness import USUAL_LOG_ODDS
from index.identity.evidence import Evidence
from index.identity.identity import Judge
from index.identity.models import Models, certainty
from index.identity.passes import identify
from index.identity.person_names import compatible, could_print, parse_name, partners, relation
from index.identity.unions import CertainPairs
from index.models.shipped import ModelDamagedError
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers.records import record


@pytest.mark.parametrize(
    ("one", "other", "related"),
    [
        ("Minlan Yu", "Yu, Minlan", 0),
        ("ChonLam Lao", "Chon-Lam Lao", 1),
        ("ChonLam Lao", "Chon Lam Lao", 1),
        ("Michael Franklin", "Michael J. Franklin", 2),
        ("Mike Franklin", "Michael Franklin", 3),
        ("M. Yu", "Minlan Yu", 4),
        ("Smith JF", "John F. Smith", 4),
        ("C. L. Lao", "ChonLam Lao", 4),
        ("J. Smith", "J. F. Smith", 5),
        ("Fei-Fei Li", "Fei Fei Li", 0),
        ("J.-P. Vert", "Jean-Philippe Vert", 4),
        ("J. Vert", "Jean-Philippe Vert", 4),
        ("Ming-Wei Chang", "Ming-Wei K. Chang", 2),
        ("K. Leyton-Brown", "Kevin Leyton-Brown", 4),
        ("Rami Al-Rfou", "Rami Al Rfou", 0),
        ("Hui Ou-Yang", "Hui Ouyang", 1),
    ],
)
def test_names_that_one_person_prints(one, other, related):
    a, b = parse_name(one), parse_name(other)
    assert compatible(a, b)
    assert compatible(b, a)
    assert relation(a, b) == relation(b, a) == related
    assert list(partners([a, b])) == [(0, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Minlan Yu", "Minghao Yu"),
        ("Hao Wang", "Haoming Wang"),
        ("M. Yu", "Xinlei Yu"),
        ("John A. Smith", "John B. Smith"),
        ("Li Wei", "Wei Li"),
        ("Kevin Leyton-Brown", "Kevin Brown"),
        ("Jane Stuart-Smith", "Jane Smith"),
        ("Lin Yen-Chen", "Lin Chen"),
        ("Fei-Fei Li", "Fei Li"),
        ("Min-Hsiu Hsieh", "M. Ani Hsieh"),
        ("Plato", "Aristotle"),
    ],
)
def test_names_that_contradict(one, other):
    assert not compatible(parse_name(one), parse_name(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ravid Shwartz Ziv", "Ravid Shwartz-Ziv"),
        ("Kevin Leyton\u2010Brown", "Kevin Leyton-Brown"),
        ("Kai-Wei Chang", "Kai W. Chang"),
    ],
)
def test_a_hyphen_more_or_less_contradicts_nothing(one, other):
    assert compatible(parse_name(one), parse_name(other))
    assert list(partners([parse_name("Kai-Wei Chang"), parse_name("Kai W. Chang")])) == [(0, 1)]


def test_where_an_orcid_says_it_a_part_behind_a_hyphen_may_be_missing():
    assert could_print("Mary Smith-Jones", "Mary Jones")
    assert not could_print("Mary Smith-Jones", "Ada Jones")


def test_a_name_is_read_as_most_papers_print_it():
    typo = [
        (["Kevin-Leyton Brown"], 0),
        *[(["Kevin Leyton-Brown", f"Other{n} Person{n}"], 0) for n in range(3)],
    ]
    assert corpus(*typo).name_ids[1][0].family == "leytonbrown"
    assert parse_name("Jie-Zhang").family == "zhang"


@given(st.text(max_size=60))
def test_any_text_has_name_parts(text):
    name = parse_name(text)
    assert isinstance(name.family, str)
    assert compatible(name, name)


def corpus(*papers):
    """Authorships of (authors, text direction) pairs."""
    offsets = np.cumsum([0, *(len(authors) for authors, _ in papers)]).astype(np.int64)
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(50, 64))
    vectors = np.stack([directions[d] + 0.2 * rng.normal(size=64) for _, d in papers])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Authorships(
        offsets,
        [name for authors, _ in papers for name in authors],
        [f"topic{d} subject{d} number{n}" for n, (_, d) in enumerate(papers)],
        vectors.astype(np.float16),
        np.full(len(papers), 739_000, np.int32),
        np.ones(len(papers), bool),
    )


def world():
    """Two people called Wei Wang, each with a circle and a topic, among others."""
    papers = []
    for n in range(6):
        one, two = ["Ada Lovelace", "Alan Turing"], ["Bob Builder", "Bea Baker"]
        papers.append((["Wei Wang", *one, f"Student{n} One", f"Guest{n} One"], 0))
        papers.append((["Wei Wang", *two, f"Student{n} Two", f"Guest{n} Two"], 5))
    papers += [([f"Other{n} Person{n}", f"More{n} People{n}"], n % 50) for n in range(600)]
    return corpus(*papers)


def test_a_shared_name_with_two_circles_is_two_people():
    authorships = world()
    judged = Judge(authorships, Models.shipped()).judge()
    mine = [place for place, name in enumerate(authorships.names) if name == "Wei Wang"]
    assert len(set(judged.person[mine[0::2]])) == 1
    assert len(set(judged.person[mine[1::2]])) == 1
    assert judged.person[mine[0]] != judged.person[mine[1]]
    assert (judged.confidence[mine] > 0.5).all()


def test_two_people_of_a_name_are_not_joined_by_a_third_who_resembles_both():
    papers = [(["Wei K. Wang"], 7) for _ in range(4)]
    for n in range(6):
        papers.append((["Wei Wang", "Ada Lovelace", "Alan Turing", f"Student{n} One", f"Guest{n} One"], 0))
        papers.append((["Wei Wang", "Bob Builder", "Bea Baker", f"Student{n} Two", f"Guest{n} Two"], 5))
    papers += [([f"Other{n} Person{n}", f"More{n} People{n}"], n % 50) for n in range(600)]
    authorships = corpus(*papers)
    judged = Judge(authorships, Models.shipped()).judge()
    mine = [place for place, name in enumerate(authorships.names) if name == "Wei Wang"]
    assert len(set(judged.person[mine].tolist())) == 2


def test_the_judgement_is_the_same_each_time():
    one, other = (Judge(world(), Models.shipped()).judge() for _ in range(2))
    assert (one.person == other.person).all()
    assert (one.confidence == other.confidence).all()


def test_what_is_certain_wins_over_evidence():
    authorships = world()
    mine = [place for place, name in enumerate(authorships.names) if name == "Wei Wang"]
    together = Judge(authorships, Models.shipped(), certain=CertainPairs([(mine[0], mine[1])], [])).judge()
    assert together.person[mine[0]] == together.person[mine[1]]
    apart = Judge(authorships, Models.shipped(), certain=CertainPairs([], [(mine[0], mine[2])])).judge()
    assert apart.person[mine[0]] != apart.person[mine[2]]


def test_one_name_twice_on_a_paper_is_two_people():
    authorships = corpus((["Wei Wang", "Wei Wang"], 0), (["Wei Wang", "Ada Lovelace"], 0))
    judged = Judge(authorships, Models.shipped()).judge()
    assert judged.person[0] != judged.person[1]


def test_placing_new_authorships_leaves_known_people_whole():
    authorships = world()
    whole = Judge(authorships, Models.shipped()).judge().person
    known = whole.copy()
    new = [place for place, name in enumerate(authorships.names) if name == "Wei Wang"][-2:]
    known[new] = -1
    placed = Judge(authorships, Models.shipped()).place(known)
    assert placed.person[new].tolist() == whole[new].tolist()
    assert (placed.person[known >= 0] == -1).all()


def test_a_career_of_decades_is_one_person_and_a_rare_name_needs_no_proof():
    years = [*range(1990, 2022, 2)]
    papers = [
        (["Zebulon Quackenbush", "Ada Lovelace" if n % 3 else "Alan Turing"], 0) for n in range(len(years))
    ]
    papers += [([f"Other{n} Person{n}", f"More{n} People{n}"], n % 50) for n in range(900)]
    authorships = corpus(*papers)
    days = authorships.days.copy()
    days[: len(years)] = [date(year, 6, 1).toordinal() for year in years]
    judged = Judge(replace(authorships, days=days), Models.shipped()).judge()
    mine = [place for place, name in enumerate(authorships.names) if name == "Zebulon Quackenbush"]
    assert len(set(judged.person[mine])) == 1


def test_a_large_name_is_sorted_in_parts_and_those_are_joined_by_coauthors(monkeypatch):
    circles = 30
    circle = [[f"Circle{n} Known{n}", f"Second{n} Friend{n}"] for n in range(circles)]
    topics = [n % circles if n // circles % 2 else 30 + n % 20 for n in range(circles * 10)]
    papers = [(["Wei Wang", *circle[n % circles]], topic) for n, topic in enumerate(topics)]
    authorships = corpus(*papers, *[([f"Other{n} Person{n}"], n % 50) for n in range(2_000)])
    mine = np.flatnonzero([name == "Wei Wang" for name in authorships.names])
    whole = Judge(authorships, Models.shipped()).judge().person[mine]
    compared = []
    compare = Evidence.compare
    monkeypatch.setattr(
        Evidence, "compare", lambda self, a, b: compared.append(len(a)) or compare(self, a, b)
    )
    monkeypatch.setattr(large_names, "LARGEST", 60)
    monkeypatch.setattr(large_names, "NEAREST", 4)
    monkeypatch.setattr(group_pairs, "MEMBERS", 4)
    parted = Judge(authorships, Models.shipped()).judge().person[mine]
    assert sum(compared) < len(mine) * (len(mine) - 1) / 2
    precision, recall = bcubed(parted, whole)
    assert precision.mean() > 0.9
    assert recall.mean() > 0.8


def test_an_initial_that_could_be_any_of_many_is_compared_with_few():
    letters = "abcdefghij"
    spelled = [f"Y{a}{b} Wang" for a in letters for b in letters][:80]
    papers = [([name, f"Friend{n} Of{n}"], n % 50) for n, name in enumerate(spelled)]
    papers += [(["Y. Wang", f"Friend{n} Of{n}"], (n + 7) % 50) for n in range(80)]
    authorships = corpus(*papers)
    judge = Judge(authorships, Models.shipped())
    groups = [np.array([place]) for place in range(0, 320, 2)]
    pairs = {(int(a), int(b)) for a, b in judge.variants(groups).pairs}
    assert {(n, 80 + n) for n in range(80)} <= pairs, "who shares a coauthor is compared"
    assert len(pairs) <= 160 * large_names.NEAREST


def test_pairs_of_names_are_the_same_however_many_come_at_a_time(monkeypatch):
    given = ["Y.", "Yan", "Yi"] * 30
    papers = [([f"{name} Wang", f"Friend{n % 9} Of"], n % 20) for n, name in enumerate(given)]
    judge = Judge(corpus(*papers), Models.shipped())
    groups = [np.array([place]) for place in range(0, 180, 2)]
    at_once = judge.variants(groups)
    monkeypatch.setattr(group_pairs, "CELLS", 7)
    some = judge.variants(groups)
    assert len(at_once.pairs) > 100
    np.testing.assert_array_equal(some.pairs, at_once.pairs)
    np.testing.assert_allclose(some.features, at_once.features, rtol=1e-5)


def test_what_cards_say_stands_beside_how_often_they_are_right():
    truth = np.array([0, 0, 0, 1, 2, 2, 3, 3, -1])
    person = np.array([0, 0, 0, 0, 1, 1, 2, 2, 2])
    names = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    [row] = confidence(truth, person, np.full(9, 0.5), names)
    assert (row["cards"], row["papers"]) == (2, 6), "the third card is its name's only one"
    assert row["right"] == round(5 / 6, 3)
    assert row["says"] == round(certainty(0.5), 3)
    assert 0 < certainty(0.0) < certainty(0.3) < certainty(0.9) < certainty(1.0) < 1


def test_the_errors_of_a_judgement_are_counted_by_what_they_depend_on():
    authorships = world()
    truth = np.full(len(authorships.names), -1)
    mine = np.flatnonzero([name == "Wei Wang" for name in authorships.names])
    truth[mine] = np.arange(len(mine)) % 2
    names = np.ones(len(authorships.name_ids[1]))
    rows = errors(authorships, truth, np.zeros(len(truth), int), names)
    for kind in ("years apart", "cosine", "abstracts", "namesakes expected"):
        chosen = [row for row in rows if row["by"] == kind]
        assert sum(row["same"] for row in chosen) == 30
        assert sum(row["different"] for row in chosen) == 36
        assert {row["merged"] for row in chosen} <= {1.0, None}
    perfect = errors(authorships, truth, truth, names)
    assert {row["split"] for row in perfect} <= {0.0, None}


def test_nothing_to_judge_is_no_error():
    empty = Authorships(
        np.zeros(1, np.int64), [], [], np.zeros((0, 8), np.float16), np.zeros(0, np.int32), np.zeros(0, bool)
    )
    assert len(Judge(empty, Models.shipped()).judge().person) == 0


def test_a_damaged_model_is_refused(monkeypatch, tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "identity.json").write_text('{"sha256": {"pairs": "0"}, "cuts": {}}')
    (tmp_path / "models" / "identity-pairs.ubj").write_bytes(b"no model")
    monkeypatch.setattr("index.models.shipped.resources.files", lambda _: tmp_path)
    with pytest.raises(ModelDamagedError, match="damaged"):
        Models.shipped()


def test_the_prior_follows_the_evidence():
    assert estimate_priors([np.full(100, 6.0)], [USUAL_LOG_ODDS])[0] > 3
    assert estimate_priors([np.full(100, -6.0)], [USUAL_LOG_ODDS])[0] < -2


# -- measuring -----------------------------------------------------------------------------------


def test_bcubed_and_pairwise_by_hand():
    found, truth = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1])
    precision, recall = bcubed(found, truth)
    assert precision.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1])
    assert recall.tolist() == pytest.approx([1, 1, 0.5, 0.5])
    assert pairwise(found, truth) == pytest.approx((1 / 3, 1 / 2, 0.4))


def test_the_coauthor_rule_joins_through_coauthors_only():
    labels = initial_coauthors(
        corpus((["Jo Smith", "Ann Lee"], 0), (["J. Smith", "Ann Lee"], 0), (["Jo Smith", "Max Roe"], 0))
    )
    assert labels[0] == labels[2] != labels[4]


def test_pseudo_people_hide_their_names_and_keep_their_truth():
    authorships = corpus(
        *[([f"Zsofia{n % 40} Qvarn{n % 40}", f"Hapax{n} Once{n}"], n % 10) for n in range(400)]
    )
    people = rare_people(authorships, ("kept", "pairs", "groups"), least=2)
    assert people
    made = make_people(authorships, ("kept",), homonyms=3, variants=3, common=False, seed=1)
    known = made.truth >= 0
    assert known.any()
    shared = {}
    for name, person in zip(np.array(made.authorships.names)[known], made.truth[known], strict=True):
        shared.setdefault(name, set()).add(int(person))
    assert any(len(people) > 1 for people in shared.values())
    again = make_people(authorships, ("kept",), homonyms=3, variants=3, common=False, seed=1)
    assert again.authorships.names == made.authorships.names


def test_a_file_with_ids_is_judged_against_them(tmp_path):
    rows = []
    for n in range(300):
        rows.append(
            {
                "id": f"o{n}",
                "title": f"Matter {n}",
                "abstract": f"On subject{n % 30}.",
                "authors": [f"O{n} P{n}"],
            }
        )
    for n in range(30):
        who = n % 2
        rows.append(
            {
                "id": f"x{n}",
                "title": ["Proteins fold in cells", "Galaxies rotate"][who],
                "abstract": ["Enzymes and membranes.", "Dark matter halos."][who] + f" {n}",
                "authors": [
                    "Wei Wang",
                    *[["Ada Lovelace", "Alan Turing"], ["Bob Builder", "Bea Baker"]][who],
                ],
                "author_ids": [f"w{who}", None, None],
                "announced": "2019-05-01",
            }
        )
    file = tmp_path / "people.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_file(file, Embedder())
    assert (found.people >= 0).sum() == 30
    result = evaluate(found.authorships, found.people)
    rows = {row["method"]: row for row in result["rows"]}
    assert rows["exact-name"]["bcubed_precision"] == 0.5
    assert rows["labmate"]["bcubed_f1"] == 1.0
    assert "bcubed_f1_shared" in rows["labmate"]


# -- passes --------------------------------------------------------------------------------------


@pytest.fixture
async def stored(store, tmp_path):
    return await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)


async def people_of(stored, name):
    author = await stored.store.author_names.find(name)
    return dict(await stored.store.people.named([author]))


def day(first, count=6):
    return [
        record(n, authors=["Ada Lovelace", "Charles Babbage", f"Guest{n} Person{n}"])
        for n in range(first, first + count)
    ]


async def test_numbers_survive_a_second_pass_and_new_papers(stored):
    await stored.store.upsert(day(1))
    await identify(stored)
    before = await people_of(stored, "Ada Lovelace")
    await stored.store.upsert(day(10))
    assert await people_of(stored, "Ada Lovelace") == before, "nobody has judged the new papers"
    outcome = await identify(stored)
    assert outcome.kind == "new"
    after = await people_of(stored, "Ada Lovelace")
    assert set(before) <= set(after)
    assert sum(after.values()) == 12
    await identify(stored, full=True)
    assert set(before) <= set(await people_of(stored, "Ada Lovelace"))
    assert (await identify(stored, full=True)).changed == 0


async def test_a_changed_author_list_is_judged_again(stored):
    await stored.store.upsert(day(1))
    await identify(stored)
    await stored.store.upsert(
        [record(1, source="arxiv", version=2, authors=["Grace Hopper", "Ada Lovelace"])]
    )
    await identify(stored)
    assert sum((await people_of(stored, "Grace Hopper")).values()) == 1
    assert sum((await people_of(stored, "Ada Lovelace")).values()) == 6


async def test_a_pass_that_dies_leaves_the_people_of_the_last_one(stored, monkeypatch):
    await stored.store.upsert(day(1))
    await identify(stored)
    before = await stored.store.people.all_memberships()
    await stored.store.upsert(day(10))

    async def die(*_args, **_more):
        raise asyncio.CancelledError

    monkeypatch.setattr(stored.store.people, "next_id", die)
    original = stored.store.people.replace

    async def half(*args, **more):
        # The transaction begins, writes, and is killed before its end.
        async with stored.store.people._writer.begin() as connection:
            await connection.execute(delete(MembershipRow))
            raise asyncio.CancelledError

    monkeypatch.setattr(stored.store.people, "replace", half)
    with pytest.raises(asyncio.CancelledError):
        await identify(stored, full=True)
    assert await stored.store.people.all_memberships() == before
    monkeypatch.setattr(stored.store.people, "replace", original)
    console = Console(file=StringIO())
    await tell_apart(stored, Reporter(events=False, console=console))
    assert "Going on with the full pass that was stopped." in console.file.getvalue()
    assert (await stored.store.people.last_pass()).kind == "full"
    assert await stored.store.people.standing() == (36, 36)
    console = Console(file=StringIO())
    await tell_apart(stored, Reporter(events=False, console=console))
    assert "Going on" not in console.file.getvalue()


def test_a_small_corpus_measures_each_pair_once_and_has_the_same_background(monkeypatch):
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(30, 8)).astype(np.float32)
    texts = [" ".join(rng.choice(["graph", "network", "speech", "switch", "model"], 4)) for _ in range(30)]
    names = [f"Ada {n % 9} Of" for n in range(60)]
    days, described = np.full(30, 739_000, np.int32), np.ones(30, bool)
    few = Authorships(np.arange(31) * 2, names, texts, vectors, days, described)
    quick = Evidence(few)
    monkeypatch.setattr(statistics, "_of_distinct", lambda measure, *pairs: measure(*pairs))
    whole = Evidence(few)
    pairs = np.repeat(np.arange(60), 60), np.tile(np.arange(60), 60)
    assert np.array_equal(quick.compare(*pairs), whole.compare(*pairs))


def test_certain_pairs_are_looked_up_from_a_names_authorships():
    pairs = CertainPairs(together=[(1, 2), (9, 1), (2, 30)], apart=[(5, 2), (2, 7), (2, 9)])
    assert sorted(pairs.together_among([1, 2, 9])) == [(1, 2), (9, 1)]
    assert sorted(pairs.apart_among({2: 0, 9: 1, 5: 2})) == [(2, 9), (5, 2)]
    assert pairs.apart_among([1, 30]) == [] == CertainPairs().together_among([1, 2])
