"""People in files: the same answers as in memory, and made again where a file is not to be believed."""

from datetime import date

import numpy as np
import pytest

from data.database.unavailable import DatabaseUnavailableError, Why
from data.stores.scopes import Scope
from index.identity.passes import identify
from index.models import faiss_file, mapped
from index.people import closest_work, people_files
from index.people.insight import Insight, derive
from index.people.network import Network
from index.people.network_file import StoredNetwork, write_network
from index.people.packed_names import PackedNames
from index.people.pair_features import FEATURES, Partners
from index.people.people import PeopleIndex
from index.people.people_fresh import FreshPapers
from index.people.people_table import PeopleTable
from index.people.scores import Scores
from index.people.stored_partners import StoredPartners, write_directions
from index.people.suggest import CollaboratorRanker, Experts
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.facets import Facets
from index.trust.reassignment import reassign
from tests.helpers.records import record

TEAMS, PEOPLE, PAPERS = 40, 240, 900


class Rows:
    """Vectors by store id."""

    def __init__(self, rows):
        self._rows = rows
        self.dimension = rows.shape[1]

    def rows(self, papers):
        return self._rows[papers]


@pytest.fixture(scope="module")
def written():
    """(memberships, days by store id, vectors): teams that publish together, some guests, one crowd."""
    random = np.random.default_rng(3)
    team = random.integers(0, TEAMS, PEOPLE)
    pairs, days = [], np.zeros(PAPERS + 1, np.int32)
    for paper in range(1, PAPERS + 1):
        mates = np.flatnonzero(team == random.integers(0, TEAMS))
        authors = set(random.choice(mates, min(len(mates), random.integers(1, 6)), replace=False).tolist())
        authors |= set(random.integers(0, PEOPLE, int(random.random() < 0.4)).tolist())
        if paper == 500:
            authors |= set(range(80))
        days[paper] = 0 if paper == 77 else date(2024, 1, 1).toordinal() + paper // 2
        pairs += [(person + 10, paper) for person in authors]
    vectors = random.normal(size=(PAPERS + 1, 32)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.array(pairs, np.int64), days, Rows(vectors)


def names_of(table):
    names = PackedNames()
    for person in table.ids.tolist():
        names.add(person, f"Person {person} Ü")
    return names


def both(tmp_path, written):
    """The table in memory, and mapped from its file."""
    table = PeopleTable.of(written[0])
    table.write(tmp_path / "people.map", names_of(table), pass_=1, upto=1)
    return table, PeopleTable.open(tmp_path / "people.map")


def test_a_table_from_its_file_says_what_it_said_in_memory(tmp_path, written):
    table, (mapped, names, stamp) = both(tmp_path, written)
    assert stamp == {"pass_": 1, "upto": 1}
    for person in [*table.ids.tolist(), 0, 9, -1, 10**6, 10**12]:
        assert mapped.papers_of(person).tolist() == table.papers_of(person).tolist()
    for paper in [*table.paper_ids.tolist(), 0, 10**12]:
        assert mapped.writers_of(paper).tolist() == table.writers_of(paper).tolist()
    assert names.get(11) == "Person 11 Ü"
    assert names.get(10**12) == "?"
    assert mapped.pairs().tolist() == np.unique(written[0], axis=0).tolist()


def test_fresh_papers_beside_a_table_say_what_a_new_table_would(written):
    pairs = np.unique(written[0], axis=0)
    gone, moved = set(range(30, 60)), set(range(60, 90))
    present = [(person, paper) for person, paper in pairs.tolist() if paper not in gone | moved]
    later = [(person + 1, paper) for person, paper in pairs.tolist() if paper in moved] + [(9_999, 2_000)]
    whole = PeopleTable.of(np.array(present + later, np.int64))
    old, fresh = PeopleTable.of(pairs), FreshPapers(gone | moved | {2_000}, later)
    for person in {*whole.ids.tolist(), *old.ids.tolist()}:
        assert fresh.papers_of(person, old.papers_of(person)).tolist() == whole.papers_of(person).tolist()
    for paper in [*range(PAPERS + 1), 2_000]:
        own = fresh.writers_of(paper)
        writers = old.writers_of(paper) if own is None else own
        assert writers.tolist() == whole.writers_of(paper).tolist()
    assert PeopleTable.of(fresh.pairs(old.pairs())).pairs().tolist() == whole.pairs().tolist()
    facets = Facets()
    facets.days = np.append(written[1], np.full(2_000, date(2025, 6, 1).toordinal(), np.int32))
    beside = PeopleIndex(1, old, PackedNames(), facets, None, fresh)
    alone = PeopleIndex(1, whole, PackedNames(), facets, None)
    people = [*whole.ids.tolist(), 9_999, 1_000_000]
    for ties, wanted in zip(beside.ties_of_each(people), alone.ties_of_each(people), strict=True):
        assert ties.people.tolist() == wanted.people.tolist()
        assert ties.papers.tolist() == wanted.papers.tolist()
        np.testing.assert_allclose(ties.weight, wanted.weight)


@pytest.fixture(params=["one list", "many lists"])
def partners(tmp_path, written, request, monkeypatch):
    """Partners in memory, and from files."""
    if request.param == "many lists":
        monkeypatch.setattr(closest_work, "FLAT_UNTIL", 10)
        monkeypatch.setattr(closest_work, "PROBED", (1, 1.0))
    memberships, days, vectors = written
    table = PeopleTable.of(memberships)
    person, paper = table.pairs().T
    day = days[paper].astype(np.int64)
    known = day > 0
    network = Network(person[known], paper[known], day[known], int(day.max()) + 1)
    write_network(tmp_path / "network.map", table, days, pass_=1)
    stored = StoredNetwork.open(tmp_path / "network.map")
    write_directions(tmp_path / "directions.map", stored, vectors, pass_=1)
    directions, _ = closest_work.ClosestWork.open(tmp_path / "directions.map", vectors.dimension)
    return (
        Partners(network, lambda papers: vectors.rows(network.papers[papers])),
        StoredPartners(stored, lambda papers: vectors.rows(stored.papers[papers]), directions),
    )


def test_the_neighbourhood_in_a_file_gives_the_numbers_of_the_whole_network(partners):
    whole, stored = partners
    everybody = np.arange(len(whole.network))
    assert stored.network.people.tolist() == whole.network.people.tolist()
    assert stored.network.slower == pytest.approx(whole.network.slower)
    assert stored.network.today == whole.network.today
    for rows in ("wrote_rows", "step_rows", "met_rows", "met_fresh_rows", "team_rows", "circle_rows"):
        one, other = getattr(whole.network, rows)(everybody), getattr(stored.network, rows)(everybody)
        np.testing.assert_allclose(other.toarray(), one.toarray(), rtol=1e-5, atol=1e-7, err_msg=rows)
    papers = np.arange(len(whole.network.papers))
    one, other = (partner.network.fresh_writer_rows(papers) for partner in partners)
    np.testing.assert_allclose(other.toarray(), one.toarray(), rtol=1e-6)
    for name, values in whole.network.nodes(everybody).items():
        np.testing.assert_allclose(
            stored.network.nodes(everybody)[name], values, rtol=1e-5, atol=1e-6, err_msg=name
        )
    for person in everybody[::11].tolist():
        assert set(stored.network.ever_of(person)) == set(whole.network.ever_of(person))


def test_features_and_ranks_of_suggestions_are_those_of_the_whole_network(partners):
    whole, _ = partners
    ranker = CollaboratorRanker.shipped()
    for asked in (np.array([0]), np.arange(0, len(whole.network), 7)):
        pools = [partner.pool(asked) for partner in partners]
        for one, other in zip(pools[0].candidates, pools[1].candidates, strict=True):
            assert one.tolist() == other.tolist()
        features = [partner.compare(pool) for partner, pool in zip(partners, pools, strict=True)]
        exact = [place for place, name in enumerate(FEATURES) if not name.endswith("_rank")]
        np.testing.assert_allclose(features[1][:, exact], features[0][:, exact], rtol=1e-4, atol=1e-4)
        scores = [ranker.scores(partner.compare(pool)) for partner, pool in zip(partners, pools, strict=True)]
        assert np.corrcoef(scores[0], scores[1])[0, 1] > 0.999


async def test_a_damaged_file_of_the_network_is_refused(tmp_path, written, monkeypatch):
    path = tmp_path / "network.map"
    write_network(path, PeopleTable.of(written[0]), written[1], pass_=1)
    assert StoredNetwork.open(path) is not None
    whole = path.read_bytes()
    for cut in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        assert StoredNetwork.open(path) is None
    assert StoredNetwork.open(tmp_path / "none.map") is None


def test_mean_vectors_whose_file_is_cut_or_gone_are_refused(tmp_path, written):
    table = PeopleTable.of(written[0])
    path = tmp_path / "closest.map"
    made = closest_work.ClosestWork.of(table, written[2])
    made.write(path, pass_=1, embedded=5)
    made.write(path, pass_=2, embedded=6)
    [file] = tmp_path.glob("*.faiss")
    opened, stamp = closest_work.ClosestWork.open(path, 32)
    assert stamp["pass_"] == 2
    own = made.nearest(written[2].rows(np.array([4]))[0], 7)
    assert opened.nearest(written[2].rows(np.array([4]))[0], 7) == own
    assert len(own) == 7
    assert closest_work.ClosestWork.open(path, 384) is None
    whole = file.read_bytes()
    file.write_bytes(whole[:-5])
    assert closest_work.ClosestWork.open(path, 32) is None
    file.write_bytes(b"\xff" * len(whole))
    assert closest_work.ClosestWork.open(path, 32) is None
    file.unlink()
    assert closest_work.ClosestWork.open(path, 32) is None


# -- the life of the files ---------------------------------------------------------------------------


@pytest.fixture
async def corpus(store, tmp_path, monkeypatch):
    monkeypatch.setattr(people_files, "SMALL", 0)
    opened = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    rows = [
        record(
            n,
            authors=["Ada Lovelace", f"Student{n % 4} Of{n % 4}", *(["Max Planck"] if n % 5 == 0 else [])],
            announced=date(2026, 1, 1 + n),
        )
        for n in range(20)
    ]
    rows += [
        record(90 + n, authors=["Max Planck", "Lise Meitner"], announced=date(2026, 2, 1)) for n in (1, 2)
    ]
    with opened.writing():
        await store.upsert(rows)
        await opened.embed_backlog()
        await identify(opened)
    return opened


async def in_memory(corpus):
    return await PeopleIndex.of(corpus.store, corpus.facets, corpus.vectors)


def assert_same(one, other, vectors):
    everybody = set(one.everybody.ids.tolist()) | set(other.everybody.ids.tolist())
    for person in everybody:
        assert one.papers(person).tolist() == other.papers(person).tolist()
        assert one.name(person) == other.name(person)
        assert one.coauthors(person) == other.coauthors(person)
        assert one.person(person) == other.person(person)
        assert one.count(person) == other.count(person) == len(one.papers(person))
        for near, same in zip(one.near(person, vectors), other.near(person, vectors), strict=True):
            assert near.closeness == pytest.approx(same.closeness, abs=1e-5)
    for paper in one.everybody.paper_ids.tolist():
        assert one.writers(paper).tolist() == other.writers(paper).tolist()


def files(corpus):
    return {path.name for path in corpus.folder.iterdir() if path.suffix in (".map", ".faiss", ".new")}


async def test_a_worker_makes_the_files_and_the_bot_answers_from_them(corpus):
    await derive(corpus)
    assert files(corpus) >= {"people.map", "closest.map", "network.map", "directions.map", "scores.map"}
    insight = Insight(corpus)
    assert await insight.refresh()
    assert not await insight.refresh()
    people = await in_memory(corpus)
    assert_same(insight.people, people, corpus.vectors)
    scores = Scores.of(corpus.facets, insight.novelty, people)
    for person in people.everybody.ids.tolist():
        papers = people.papers(person)
        assert insight.scores.person(person, papers) == scores.person(person, papers)
    for paper in people.everybody.paper_ids.tolist():
        assert insight.scores.paper(paper) == scores.paper(paper)
    experts = await insight.experts()
    whole = Experts(people, corpus.vectors, insight.topics, CollaboratorRanker.shipped())
    for person in people.everybody.ids.tolist():
        assert experts.suggest(person) == whole.suggest(person)


async def test_files_that_are_missing_or_torn_are_made_by_whoever_needs_them(corpus):
    insight = Insight(corpus)
    assert await insight.refresh()
    people = await in_memory(corpus)
    assert_same(insight.people, people, corpus.vectors)
    assert await insight.experts() is not None
    for name in ("people.map", "closest.map", "network.map", "directions.map"):
        (corpus.folder / name).write_bytes(b"torn")
    again = Insight(corpus)
    assert await again.refresh()
    assert_same(again.people, people, corpus.vectors)
    assert await again.experts() is not None


async def taken_from_max(store):
    """Say that one of his papers is another's; returns him, that authorship, and the other person."""
    author = await store.author_names.find("Max Planck")
    [(max_, _), *_] = await store.people.named([author])
    mine = await store.people.memberships(max_)
    one, other = mine[0], mine[-1]
    await store.corrections.make(
        "apart",
        (one.paper_id, one.author_id),
        (other.paper_id, other.author_id),
        max_,
        Scope("operator", (1, "Operator")),
        note="not the same",
        moved=[(one.paper_id, one.position, max_)],
    )
    new = await store.people.next_id()
    await reassign(store, [one], new, [])
    return max_, one, new


async def test_corrections_and_new_papers_are_told_before_the_files_are_made_again(corpus):
    await derive(corpus)
    insight = Insight(corpus)
    await insight.refresh()
    store, before = corpus.store, (corpus.folder / "people.map").read_bytes()
    await taken_from_max(store)
    assert await insight.refresh()
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)
    with corpus.writing():
        await store.upsert([record(70, authors=["Ada Lovelace", "Quite New"], announced=date(2026, 3, 1))])
        await corpus.refresh()
        await corpus.embed_backlog()
        await identify(corpus)
    assert await insight.refresh()
    assert (corpus.folder / "people.map").read_bytes() == before
    people = await in_memory(corpus)
    assert {people.name(p) for p in people.everybody.ids.tolist()} == {
        insight.people.name(p) for p in insight.people.everybody.ids.tolist()
    }
    for person in people.everybody.ids.tolist():
        assert insight.people.papers(person).tolist() == people.papers(person).tolist()
        assert insight.people.coauthors(person) == people.coauthors(person)


async def test_after_a_full_pass_the_file_is_made_again(corpus):
    await derive(corpus)
    insight = Insight(corpus)
    await insight.refresh()
    before = insight.people.number
    await identify(corpus, full=True)
    assert await insight.refresh()
    assert insight.people.number > before
    assert insight.people.is_whole
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)


def file_times(corpus):
    """When each of the files was written."""
    return {path.name: path.stat().st_mtime_ns for path in corpus.folder.glob("*.map")}


async def test_with_a_worker_the_earlier_people_answer_until_it_has_made_the_files(corpus):
    await derive(corpus)
    running = Insight(corpus, has_worker=True)
    await running.refresh()
    assert not running.waits_for_files
    before, written = running.people, file_times(corpus)
    await identify(corpus, full=True)
    started_anew = Insight(corpus, has_worker=True)
    for insight in (running, started_anew):
        await insight.refresh()
        assert insight.waits_for_files
        assert insight.people.number == before.number
        assert_same(insight.people, before, corpus.vectors)
        assert not insight.people_lag, "every paper has its people"
        assert not await insight.refresh(), "nothing is new until the worker is done"
    assert file_times(corpus) == written
    await derive(corpus)
    for insight in (running, started_anew):
        assert await insight.refresh()
        assert not insight.waits_for_files
        assert insight.people.number > before.number
        assert_same(insight.people, await in_memory(corpus), corpus.vectors)


async def test_a_correction_is_told_though_the_worker_has_yet_to_make_the_files(corpus):
    await derive(corpus)
    await identify(corpus, full=True)
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    assert insight.waits_for_files
    max_, one, fresh = await taken_from_max(corpus.store)
    assert await insight.refresh()
    assert insight.waits_for_files
    assert one.paper_id not in insight.people.papers(max_).tolist()
    assert insight.people.papers(fresh).tolist() == [one.paper_id]
    assert insight.people.name(fresh) == "Max Planck"


async def test_papers_that_came_before_the_pass_keep_their_people_until_the_files_are_made(corpus):
    await derive(corpus)
    with corpus.writing():
        await corpus.store.upsert([record(70, authors=["Quite New"], announced=date(2026, 3, 1))])
        await corpus.refresh()
        await corpus.embed_backlog()
        await identify(corpus)
    await identify(corpus, full=True)
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    assert insight.waits_for_files
    assert not insight.people_lag
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)


async def test_files_that_the_worker_makes_while_the_earlier_ones_are_read_are_taken_next(
    corpus, monkeypatch
):
    await derive(corpus)
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    await identify(corpus, full=True)
    read = insight._files._fresh

    async def meanwhile(*args):
        monkeypatch.setattr(insight._files, "_fresh", read)
        await derive(corpus)
        return await read(*args)

    monkeypatch.setattr(insight._files, "_fresh", meanwhile)
    await insight.refresh()
    assert insight.waits_for_files
    assert await insight.refresh()
    assert not insight.waits_for_files
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)


async def test_a_database_that_goes_away_while_the_files_are_read_is_asked_again(corpus, monkeypatch):
    await derive(corpus)
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    await identify(corpus, full=True)
    await derive(corpus)
    read = insight._files._fresh

    async def away(*_args):
        raise DatabaseUnavailableError(Why.AWAY, "gone")

    monkeypatch.setattr(insight._files, "_fresh", away)
    with pytest.raises(DatabaseUnavailableError):
        await insight.refresh()
    monkeypatch.setattr(insight._files, "_fresh", read)
    assert await insight.refresh()
    assert insight.people.number == (await corpus.store.people.last_pass()).id


async def test_a_pass_that_ends_while_the_files_are_written_does_not_have_them_written_for_ever(
    corpus, monkeypatch
):
    await derive(corpus)
    await identify(corpus, full=True)
    write, writes = people_files.PeopleFiles._write_table, []

    async def meanwhile(self, last):
        writes.append(last.id)
        if len(writes) == 1:
            await identify(corpus, full=True)
        return await write(self, last)

    monkeypatch.setattr(people_files.PeopleFiles, "_write_table", meanwhile)
    await derive(corpus)
    assert len(writes) <= 2
    await derive(corpus)
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    assert not insight.waits_for_files
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)


@pytest.mark.parametrize("step", ["closest", "_write_network"])
async def test_a_worker_that_was_killed_between_two_files_makes_the_rest(corpus, monkeypatch, step):
    async def killed(*_args, **_more):
        raise KeyboardInterrupt

    await derive(corpus)
    running = Insight(corpus, has_worker=True)
    await running.refresh()
    await identify(corpus, full=True)
    with monkeypatch.context() as patch:
        patch.setattr(people_files.PeopleFiles, step, killed)
        with pytest.raises(KeyboardInterrupt):
            await derive(corpus)
    for insight in (running, Insight(corpus, has_worker=True)):
        await insight.refresh()
        assert insight.waits_for_files
    with corpus.writing():
        await corpus.store.upsert([record(70, authors=["Quite New"], announced=date(2026, 3, 1))])
        await corpus.refresh()
        await identify(corpus)
    await derive(corpus)  # after a day's pass, when the people in the file are not all
    await running.refresh()
    assert not running.waits_for_files
    full = await corpus.store.people.last_pass("full")
    assert StoredNetwork.open(corpus.folder / "network.map").stamp["pass_"] >= full.id
    assert closest_work.ClosestWork.open(corpus.folder / "closest.map", 384)[1]["pass_"] >= full.id


async def test_suggestions_follow_the_network_when_it_is_made(corpus, monkeypatch):
    await derive(corpus)
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    write = people_files.PeopleFiles._write_network

    async def asked_before(self, *args):
        await insight.refresh()
        assert await insight.experts() is not None
        return await write(self, *args)

    await identify(corpus, full=True)
    monkeypatch.setattr(people_files.PeopleFiles, "_write_network", asked_before)
    await derive(corpus)
    await insight.refresh()
    experts = await insight.experts()
    assert experts.partners.network.stamp["pass_"] == insight.people.number
    assert await insight.experts() is experts


async def test_a_disk_that_fills_up_leaves_nothing_and_people_stay_in_memory(corpus, monkeypatch):
    await derive(corpus)
    (corpus.folder / "closest.map").unlink()
    before = {path.name for path in corpus.folder.glob("*.faiss")}
    monkeypatch.setattr(faiss_file.os, "fsync", full_disk)
    insight = Insight(corpus)
    assert await insight.refresh()
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)
    assert {path.name for path in corpus.folder.glob("*.faiss")} == before


def full_disk(*_args, **_more):
    """What the system says."""
    raise OSError(28, "No space left on device")


async def test_too_many_new_papers_for_the_earlier_file_are_said_to_be_missing(corpus, monkeypatch):
    await derive(corpus)
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    monkeypatch.setattr(people_files, "MOST_FRESH", 1)
    with corpus.writing():
        await corpus.store.upsert([record(n, announced=date(2026, 3, 1)) for n in range(70, 75)])
        await corpus.refresh()
        await corpus.embed_backlog()
        await identify(corpus)
    await insight.refresh()
    assert insight.waits_for_files
    assert insight.people_lag
    await derive(corpus)
    await insight.refresh()
    assert not insight.waits_for_files
    assert not insight.people_lag
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)


async def test_a_file_from_after_a_backup_that_was_put_back_is_not_believed(corpus):
    await derive(corpus)
    stamp = PeopleTable.open(corpus.folder / "people.map")[2]
    table, names = PeopleTable.of(np.array([(4_000, 1)], np.int64)), PackedNames()
    names.add(4_000, "Nobody Known")
    table.write(corpus.folder / "people.map", names, pass_=stamp["pass_"] + 5, upto=stamp["upto"])
    insight = Insight(corpus, has_worker=True)
    await insight.refresh()
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)


async def test_while_another_process_makes_the_files_the_earlier_ones_answer(corpus):
    await derive(corpus)
    insight = Insight(corpus)
    await insight.refresh()
    before = insight.people.number
    await identify(corpus, full=True)
    with people_files.FileLock(corpus.folder / "people.lock"):
        await insight.refresh()
        assert insight.people.number == before
        assert len(insight.people)
        nobody = Insight(corpus)
        (corpus.folder / "people.map").unlink()
        await nobody.refresh()
        assert nobody.people is None, "nothing is said before it is known"
    assert await nobody.refresh()
    assert nobody.people is not None


async def test_where_no_file_can_be_written_people_stay_in_memory(corpus, monkeypatch):
    monkeypatch.setattr(mapped.tempfile, "mkstemp", full_disk)
    insight = Insight(corpus)
    assert await insight.refresh()
    assert not files(corpus) & {"people.map", "closest.map"}
    assert_same(insight.people, await in_memory(corpus), corpus.vectors)
    assert await insight.experts() is not None
    assert not await insight.refresh(), "it isn't tried again at once"


def test_the_coauthors_of_several_people_are_those_of_each(written):
    pairs, days, _ = written
    facets = Facets()
    facets.days = days
    names = PackedNames()
    for person in sorted({*pairs[:, 0].tolist()}):
        names.add(person, "The ATLAS Collaboration" if person % 5 == 0 else f"Ada Number {person}")
    index = PeopleIndex.in_memory(1, pairs, names, facets, None)
    everybody = [9_999, *sorted({*pairs[:, 0].tolist()}), 10]
    papers = {person: {*pairs[pairs[:, 0] == person, 1].tolist()} for person in everybody}
    writers = {paper: {*pairs[pairs[:, 1] == paper, 0].tolist()} for paper in set(pairs[:, 1].tolist())}
    closest = index.closest_coauthors(everybody)
    for person, ties, name in zip(everybody, index.ties_of_each(everybody), closest, strict=True):
        newest = max((days[paper] for paper in papers[person]), default=0)
        joint, weight = {}, {}
        for paper in papers[person]:
            for other in writers[paper] - {person}:
                joint.setdefault(other, []).append(paper)
                closeness = 0.5 ** ((newest - days[paper]) / 730) / (len(writers[paper]) - 1)
                weight[other] = weight.get(other, 0) + closeness
        order = sorted(joint, key=lambda other: (-round(weight[other], 9), -len(joint[other]), other))
        assert ties.people.tolist() == order
        assert ties.papers.tolist() == [len(joint[other]) for other in order]
        np.testing.assert_allclose(ties.weight, [weight[other] for other in order])
        newer = [max(joint[other], key=lambda paper: (days[paper], -paper)) for other in order]
        assert days[ties.newest].tolist() == days[newer].tolist()
        assert name == next((index.name(other) for other in order if other % 5), None)
    assert index.ties_of_each([]) == []
    assert index.closest_coauthors([9_999]) == [None]
