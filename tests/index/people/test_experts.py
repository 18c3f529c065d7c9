"""Suggested collaborators: who can be suggested, what is said of them, and reviewers for submissions."""

import json
import shutil
from collections import Counter
from datetime import date
from importlib import resources

import numpy as np
import pytest

from data.sources.http import SourceError
from data.stores.people_seen import EVERYBODY
from index.evaluate.collaborators import Written, evaluate
from index.evaluate.train_collaborators import train
from index.models.shipped import ModelDamagedError
from index.people.closeness import alike_papers, apart, closeness
from index.people.knowing import knowing
from index.people.network import Network
from index.people.packed_names import PackedNames
from index.people.pair_features import FEATURES, Partners
from index.people.people import PeopleIndex
from index.people.people_seen import SeenExperts, SeenIndex
from index.people.reviewers import match, read_archives, read_notes
from index.people.suggest import CollaboratorRanker, Experts
from index.search.embedding import Embedder
from index.search.facets import Facets
from index.search.results import Hit

START = date(2025, 1, 1).toordinal()


def community(seed=0, people=240, papers=900, days=400):
    """Teams of eight that publish among themselves, neighbours mixing now and then; vectors by team."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(people // 8, 24))
    person, paper, day, vectors = [], [], [], []
    for number in range(papers):
        team = int(rng.integers(people // 8))
        members = rng.choice(8, 3, replace=False) + 8 * team
        if rng.random() < 0.25:
            members[-1] = (members[-1] + 8) % people
        when = START + int(days * number / papers)
        for member in set(members.tolist()):
            person.append(member + 1)
            paper.append(number)
            day.append(when)
        vectors.append(directions[team] + 0.6 * rng.normal(size=24))
    rows = np.asarray(vectors)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Written(np.array(person), np.array(paper), np.array(day), rows.astype(np.float16))


@pytest.fixture(scope="module")
def written():
    return community()


def test_a_network_knows_only_what_came_before(written):
    network = Network(written.person, written.paper, written.day, START + 100)
    assert network.days.max() < START + 100
    assert np.asarray(network.step.sum(axis=1)).ravel()[network.degree > 0] == pytest.approx(1, abs=1e-4)
    before = network.step.copy()
    assert network.circle.nnz <= 3 * len(network)
    assert (before != network.step).nnz == 0, "the circle leaves the walk as it was"


def test_a_field_that_publishes_slowly_is_seen_at_its_own_pace(written):
    def stretched(times):
        days = START + times * (written.day - START)
        return Network(written.person, written.paper, days, START + times * 400)

    ages = [network.today - network.days for network in (stretched(3), stretched(6))]
    assert ages[0] == pytest.approx(ages[1])
    assert ages[0].max() < 400 * 3, "drawn together"
    quick = stretched(1)
    assert (quick.today - quick.days).max() == 400, "a quick field's days are days"


def test_nobody_is_suggested_whom_one_wrote_with_nor_oneself(written):
    network = written.network(START + 300)
    pool = written.partners(network).pool(np.arange(len(network)))
    for person, candidates in zip(pool.asked, pool.candidates, strict=True):
        known = network.ever.indices[network.ever.indptr[person] : network.ever.indptr[person + 1]]
        assert not set(candidates.tolist()) & {int(person), *known.tolist()}
        assert (network.count[candidates] >= 3).all()


def test_features_are_finite_and_the_same_alone_as_among_many(written):
    network = written.network(START + 300)
    partners = written.partners(network)
    many = partners.pool(np.arange(40))
    features = partners.compare(many)
    assert features.shape == (sum(map(len, many.candidates)), len(FEATURES))
    assert np.isfinite(features).all()
    one = partners.pool(np.array([7]))
    start = sum(len(c) for c in many.candidates[:7])
    assert partners.compare(one) == pytest.approx(features[start : start + len(one.candidates[0])], abs=1e-3)


def test_the_truth_is_first_papers_together_after_the_cut(written):
    network = written.network(START + 300)
    truth = written.new_partners(network, START + 1_000)
    one, other = (int(x[0]) for x in truth.nonzero())
    assert network.ever[one, other] == 0
    later = written.day >= START + 300
    of = [set(written.paper[later & (written.person == network.people[x])].tolist()) for x in (one, other)]
    assert of[0] & of[1]


def test_the_evaluation_prints_all_rows_and_training_repeats_itself(written, tmp_path):
    first = train([(written, date.fromordinal(START + 380))], tmp_path / "one")
    again = train([(written, date.fromordinal(START + 380))], tmp_path / "two")
    assert first["sha256"] == again["sha256"]
    result = evaluate(written, cut=date.fromordinal(START + 300), people=100)
    rows = {row["method"]: row for row in result["rows"]}
    assert set(rows) == {
        "labmate",
        "chance-alone",
        "adamic-adar",
        "common-neighbours",
        "preferential-attachment",
        "embedding",
    }
    assert rows["labmate"]["recall@10"] > 1.5 * rows["preferential-attachment"]["recall@10"]
    assert rows["labmate"]["recall@50"] <= result["in_pool"] + 1e-9
    for row in rows.values():
        assert row["hit@10_low"] <= row["hit@10"] <= row["hit@10_high"]


def test_nothing_after_the_cut_is_seen(written):
    cut = START + 300
    early = written.day < cut
    alone = Written(written.person[early], written.paper[early], written.day[early], written.vectors)
    asked = np.array([3, 50])
    found = [w.partners(w.network(cut)) for w in (written, alone)]
    assert found[0].compare(found[0].pool(asked)) == pytest.approx(found[1].compare(found[1].pool(asked)))


def test_a_damaged_ranker_is_refused(monkeypatch, tmp_path):
    shutil.copytree(resources.files("index").joinpath("models"), tmp_path / "models")
    (tmp_path / "models" / "partners-chance.ubj").write_bytes(b"{}")
    monkeypatch.setattr(resources, "files", lambda _: tmp_path)
    with pytest.raises(ModelDamagedError, match="reinstall Labmate"):
        CollaboratorRanker.shipped()


class Rows:
    """Vectors by store id."""

    def __init__(self, rows):
        self._rows = rows
        self.dimension = rows.shape[1]

    def rows(self, papers):
        return self._rows[papers]


def people_of(written, called=()):
    facets = Facets()
    facets.days = np.zeros(int(written.paper.max()) + 1, np.int32)
    facets.days[written.paper] = written.day
    facets.codes = np.zeros(len(facets.days), np.int32)
    names = PackedNames()
    for number in sorted(set(written.person.tolist())):
        names.add(int(number), dict(called).get(number, f"Person {number}"))
    return PeopleIndex.in_memory(
        1, np.stack([written.person, written.paper], axis=1), names, facets, Rows(written.vectors)
    )


def test_reasons_are_true(written):
    people = people_of(written)
    experts = Experts(people, Rows(written.vectors), None, CollaboratorRanker.shipped())
    found = experts.suggest(9)
    assert len(found) == 10
    for suggestion in found:
        assert not people.together(9, suggestion.person)
        assert suggestion.mine in people.papers(9)
        assert suggestion.theirs in people.papers(suggestion.person)
        for entry in suggestion.between:
            assert {9, entry.person} <= set(people.writers(entry.mine).tolist())
            assert {suggestion.person, entry.person} <= set(people.writers(entry.theirs).tolist())
        product = written.vectors[suggestion.mine].astype(float) @ written.vectors[suggestion.theirs].astype(
            float
        )
        assert suggestion.closeness == pytest.approx(product, abs=2e-3)
    hidden = {found[0].person}
    assert found[0].person not in {s.person for s in experts.suggest(9, hidden=hidden)}
    only = {found[3].person}
    assert [s.person for s in experts.suggest(9, only=only)] == [found[3].person]
    assert any(people.together(9, s.person) for s in experts.suggest(9, strangers=False))
    assert experts.suggest(999_999) == []


def test_a_network_of_an_earlier_pass_suggests_nobody_who_is_gone_nor_a_new_coauthor(written):
    before = people_of(written)
    old = Experts(before, Rows(written.vectors), None, CollaboratorRanker.shipped())
    gone, met, kept = (suggestion.person for suggestion in old.suggest(9, 3))
    person, paper = written.person.copy(), written.paper.copy()
    person[person == gone] = kept  # found to be one person
    day = np.append(written.day, written.day.max())
    joint = int(before.papers(9)[0])
    now = people_of(Written(np.append(person, met), np.append(paper, joint), day, written.vectors))
    experts = Experts(now, Rows(written.vectors), None, CollaboratorRanker.shipped(), old.partners)
    found = [suggestion.person for suggestion in experts.suggest(9, 20)]
    assert len(found) == 20
    assert not {gone, met} & set(found)
    assert experts.suggest(gone) == SeenExperts(experts, SeenIndex(now, EVERYBODY)).suggest(gone) == []
    with pytest.raises(LookupError):
        experts.reasons(experts.of(9), gone)


def test_those_whose_work_fits_come_before_those_who_are_only_likely(written):
    shipped = CollaboratorRanker.shipped()
    people, rows = people_of(written), Rows(written.vectors)
    by_both = Experts(people, rows, None, shipped)
    by_chance = Experts(people, rows, None, CollaboratorRanker(shipped.chance))
    place = FEATURES.index("mean_best")

    def fitting(experts, person):
        pool = experts.partners.pool(experts.network.numbers(np.array([person])))
        closest = dict(
            zip(
                experts.network.people[pool.candidates[0]].tolist(),
                experts.partners.compare(pool)[:, place].tolist(),
                strict=True,
            )
        )
        return np.mean([closest[other] for other in experts.ranked(person)[:10]])

    asked = range(1, 31)
    assert {*by_both.ranked(1)} == {*by_chance.ranked(1)}
    assert np.mean([fitting(by_both, one) for one in asked]) > np.mean(
        [fitting(by_chance, one) for one in asked]
    )


def test_few_are_suggested_for_one_paper(written):
    person, paper = written.person.copy(), written.paper
    crowded = int(paper[person == 10][-1])
    many = np.arange(100, 160)  # all of them join one paper of a neighbour's
    joined = Written(
        np.append(person, many),
        np.append(paper, np.full(len(many), crowded)),
        np.append(written.day, np.full(len(many), int(written.day[paper == crowded][0]))),
        written.vectors,
    )
    experts = Experts(people_of(joined), Rows(joined.vectors), None, CollaboratorRanker.shipped())
    asked = experts.of(9)
    known = set(asked.ties.people.tolist())
    theirs = {one: experts.reasons(asked, one).theirs for one in experts.ranked(9)[:40] if one not in known}
    usual, count = Counter([*theirs.values()][:10]).most_common(1)[0]
    assert count > 2, "else nothing is tried"
    found = experts.suggest(9, 10)
    assert len(found) == 10
    assert max(Counter(suggestion.theirs for suggestion in found).values()) == 2
    crowd = [one for one, paper in theirs.items() if paper == usual]
    assert [suggestion.person for suggestion in experts.suggest(9, 10, only=crowd)] == crowd[:10]


def test_nobody_is_suggested_who_may_have_the_same_name(written):
    rows, ranker = Rows(written.vectors), CollaboratorRanker.shipped()
    usual = [one.person for one in Experts(people_of(written), rows, None, ranker).suggest(9)]
    people = people_of(
        written, {9: "Fei-Fei Li", usual[0]: "Li Fei-Fei", usual[1]: "F. Li", usual[2]: "Na Li"}
    )
    found = [one.person for one in Experts(people, rows, None, ranker).suggest(9)]
    assert not {*usual[:2]} & {*found}
    assert usual[2] in found
    seen = SeenExperts(Experts(people, rows, None, ranker), SeenIndex(people, EVERYBODY)).suggest(9)
    assert not {*usual[:2]} & {one.person for one in seen}


def test_nobody_is_suggested_whose_name_is_no_persons(written):
    rows, ranker = Rows(written.vectors), CollaboratorRanker.shipped()
    usual = [one.person for one in Experts(people_of(written), rows, None, ranker).suggest(9)]
    people = people_of(written, {usual[0]: "Kimi Team", usual[1]: "Lumen AI", usual[2]: "Mausam"})
    found = [one.person for one in Experts(people, rows, None, ranker).suggest(9)]
    assert not {*usual[:2]} & {*found}
    assert usual[2] in found, "a person may have one name only"
    assert not {*usual[:2]} & {near.person for near in people.near(9, rows, 200, strangers=False)}


def test_not_for_me_teaches_what_else_not_to_suggest(written):
    experts = Experts(people_of(written), Rows(written.vectors), None, CollaboratorRanker.shipped())
    before = [s.person for s in experts.suggest(9, 60)]

    def team(person):
        return (person - 1) // 8

    wanted = max(map(team, before), key=[team(person) for person in before].count)
    mates = [person for person in before if team(person) == wanted]
    assert len(mates) > 3
    after = [s.person for s in experts.suggest(9, 60, hidden=mates[:2])]
    assert not set(mates[:2]) & set(after)

    def places(ranked):
        left = [person for person in ranked if person not in mates[:2]]
        return np.mean([left.index(person) if person in left else 60 for person in mates[2:]])

    assert places(after) > places(before)


def hits(papers, scores=None):
    """These papers as found, each scoring a hundredth less than the one before, or as told."""
    scores = scores or [1.0 - place / 100 for place in range(len(papers))]
    return [Hit(paper, score, None) for paper, score in zip(papers, scores, strict=True)]


def test_who_knows_prefers_the_paper_on_the_topic_to_new_ones_that_hardly_fit():
    old, new = date(2022, 1, 17), date(2026, 8, 24)
    people = Library({1: ([1, 2, 3, 4, 5, 6], old), 2: ([7], new), 3: ([8], new)})
    found = knowing(people, hits([1, 2, 3], [3.2, 0.8, 0.5]), 3)
    assert [entry.person for entry in found][:1] == [1]
    assert knowing(people, hits([1], [-0.5]))[0].score == pytest.approx(6**-0.25), "one paper is the best"


def test_who_knows_ranks_by_papers_near_the_topic(written):
    people = people_of(written)
    papers = people.papers(9).tolist()
    found = knowing(people, hits(papers))
    assert found[0].person == 9
    assert set(found[0].papers) == set(papers)
    assert knowing(people, []) == []


class Library:
    """Papers by number: their writers and days."""

    def __init__(self, written, names=()):
        self.written, self.names = written, dict(names)

    def writers(self, paper):
        return np.array(self.written[paper][0])

    def papers(self, person):
        return np.array([paper for paper, (people, _) in self.written.items() if person in people])

    def count(self, person):
        return len(self.papers(person))

    def day(self, paper):
        return self.written[paper][1]

    def name(self, person):
        return self.names.get(person, f"P{person}")


def test_who_knows_names_no_group_and_no_half_of_a_name():
    day = date(2026, 5, 1)
    names = {1: "OpenAI", 2: "Yi R.", 3: "Fung", 4: "Mausam", 5: "Ada Lovelace", 6: "Thenmozhi D."}
    people = Library({1: ([1, 2, 3], day), 2: ([4, 5], day), 3: ([6], day)}, names)
    assert {entry.person for entry in knowing(people, hits([1, 2, 3]), alike=None)} == {4, 5, 6}


def test_who_knows_does_not_list_nine_authors_of_two_papers():
    team, day = list(range(10, 19)), date(2026, 5, 1)
    people = Library({1: (team, day), 2: (team, day), 3: ([1], day), 4: ([2, 3], day), 5: ([1], day)})
    found = knowing(people, hits([1, 2, 3, 4, 5]), 4)
    assert found[0].person == 1, "two papers of one's own"
    assert len({entry.person for entry in found} & set(team)) < 3
    assert all(entry.first == entry.latest == day for entry in found)


def test_who_knows_names_two_people_for_one_paper_however_few_there_are():
    day = date(2026, 5, 1)
    people = Library({1: ([1, 2, 3, 4, 5, 6], day), 2: ([7], day)})
    assert len(knowing(people, hits([1]))) == 2
    assert {entry.person for entry in knowing(people, hits([1, 2]))} - {7} < {1, 2, 3, 4, 5, 6}
    assert len(knowing(people, hits([1, 2]))) == 3
    assert len(knowing(people, hits([1]), alike=None)) == 6, "where some are left out later"


def test_who_knows_prefers_those_who_worked_on_it_lately():
    people = Library({1: ([1], date(2018, 1, 1)), 2: ([2], date(2026, 5, 1)), 3: ([3], None)})
    assert [entry.person for entry in knowing(people, hits([1, 2, 3]))] == [2, 3, 1]


def test_closeness_tells_people_of_one_field_apart():
    rng = np.random.default_rng(0)
    field = rng.normal(size=32)
    mine, near, far = (field + rng.normal(size=(6, 32)) for _ in range(3))
    near[:3] = mine[:3] + 0.1 * rng.normal(size=(3, 32))
    mine, near, far = (rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (mine, near, far))
    assert closeness(mine, near) > closeness(mine, far) + 0.1
    assert closeness(mine, mine) == pytest.approx(1)
    assert closeness(mine, mine[:0]) == 0
    assert alike_papers(mine, mine[:4]) == 4
    assert alike_papers(mine, -near) == alike_papers(mine, near[:0]) == alike_papers(mine[:0], near) == 0
    own, theirs = apart(np.array([5, 3, 1]), np.array([6, 3]))
    assert (own.tolist(), theirs.tolist()) == ([5, 1], [6])
    assert apart(np.array([3]), np.array([6, 3]))[0].tolist() == [3]


# -- reviewers -----------------------------------------------------------------------------------


def note(number, title, abstract):
    return {"id": number, "content": {"title": title, "abstract": abstract}}


def write(path, notes):
    path.write_text("".join(json.dumps(n) + "\n" for n in notes))


@pytest.fixture
def archives(tmp_path):
    folder = tmp_path / "archives"
    folder.mkdir()
    write(
        folder / "ada.jsonl",
        [
            note("a1", "Protein folding", "How proteins fold in cells."),
            note("a2", "Enzymes", "Enzyme kinetics and membranes."),
        ],
    )
    write(
        folder / "bob.jsonl",
        [
            note("b1", "Galaxy rotation", "Dark matter halos around galaxies."),
            note("b2", "Stars", "How stars are born."),
        ],
    )
    return folder


def test_reviewers_are_scored_for_what_they_know(archives, tmp_path):
    write(
        tmp_path / "in.jsonl",
        [
            note("s1", "Membrane proteins", "Folding of membrane proteins."),
            note("s2", "Halos", "Dark matter in spiral galaxies."),
        ],
    )
    scores = match(read_archives(archives), read_notes(tmp_path / "in.jsonl"), Embedder())
    assert scores.reviewers == ["ada", "bob"]
    assert scores.values[0, 0] > scores.values[0, 1]
    assert scores.values[1, 1] > scores.values[1, 0]
    assert ((scores.values >= 0) & (scores.values <= 1)).all()
    scores.write(tmp_path / "out.csv")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert len(lines) == 4
    assert lines[0].startswith("s1,ada,0.")


def test_a_reviewer_knows_no_less_where_many_others_know_it_too(archives, tmp_path):
    write(tmp_path / "in.jsonl", [note("s1", "Membrane proteins", "Folding of membrane proteins.")])
    submissions, embedder = read_notes(tmp_path / "in.jsonl"), Embedder()
    alone = match(read_archives(archives), submissions, embedder)
    crowd = [
        note(f"c{n}", "Membrane proteins", f"Folding of membrane proteins, part {n}.") for n in range(60)
    ]
    write(archives / "crowd.jsonl", crowd)
    among = match(read_archives(archives), submissions, embedder)
    assert among.reviewers == ["ada", "bob", "crowd"]
    assert among.values[0, 0] == pytest.approx(alone.values[0, 0], abs=0.05)
    assert among.values[0, 2] > among.values[0, 0] > among.values[0, 1]


def test_submissions_may_be_an_object_by_id_and_values_may_be_nested(tmp_path):
    (tmp_path / "in.json").write_text(
        json.dumps({"s1": {"content": {"title": {"value": "A"}, "abstract": {"value": "B"}}}})
    )
    [found] = read_notes(tmp_path / "in.json")
    assert (found.id, found.text) == ("s1", "A. B")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": "x", "content": {}}', "neither title nor abstract"),
        ('{"content": {"title": "T"}}', "expected {id"),
        ("[1, 2]", "expected {id"),
        ("not json", "line 1 is not JSON"),
        ('{"id": "x", "content": {"title": "T"}}\n{broken', "line 2 is not JSON"),
    ],
)
def test_a_bad_note_is_named_with_its_place(tmp_path, text, said):
    path = tmp_path / "in.jsonl"
    path.write_text(text)
    with pytest.raises(SourceError, match=said):
        read_notes(path)


def test_missing_or_empty_archives_are_said_so(tmp_path):
    with pytest.raises(SourceError, match="is not a folder"):
        read_archives(tmp_path / "nowhere")
    with pytest.raises(SourceError, match="has no"):
        read_archives(tmp_path)
    with pytest.raises(SourceError, match="can't be read"):
        read_notes(tmp_path / "nowhere.jsonl")


def test_a_network_of_nobody_answers_with_nobody():
    empty = Written(
        np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, 4), np.float16)
    )
    network = empty.network(START)
    assert len(network) == 0
    assert network.numbers(np.array([1])).tolist() == [-1]
    assert Partners(network, lambda papers: empty.vectors[papers]).eligible.tolist() == []
