"""Passes over a store: when everybody is judged, and what corrections, readers and kills find meanwhile."""

import shutil

import pytest

from data.stores.scopes import Scope
from data.stores.store import Store
from index.identity import placing, statistics
from index.identity import writing as people_written
from index.identity.passes import identify
from index.identity.standing import outnumbered
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.trust.corrections import join, move_out, take_back
from tests.helpers import databases
from tests.helpers.records import record
from tests.helpers.whole_store import whole_store

real = placing._together


@pytest.fixture(autouse=True)
def _short_background(monkeypatch):
    """A background of few random pairs: these stores hold tens of papers, and judging is not the point."""
    monkeypatch.setattr(statistics, "_BACKGROUND", 6_000)


@pytest.fixture
async def corpus(store, tmp_path):
    return await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)


def circles(first, count):
    """Papers of two people called Wei Wang, each with coauthors of their own."""
    pairs = (["Ada Lovelace", "Alan Turing"], ["Bob Builder", "Bea Baker"])
    return [record(n, authors=["Wei Wang", *pairs[n % 2]]) for n in range(first, first + count)]


async def people_of(corpus, name):
    author = await corpus.store.author_names.find(name)
    return dict(await corpus.store.people.named([author]))


async def test_a_load_larger_than_what_was_judged_is_judged_whole(corpus):
    await corpus.store.upsert(circles(0, 2))
    await identify(corpus)
    await corpus.store.upsert(circles(2, 40))
    outcome = await identify(corpus)
    assert outcome.kind == "full"
    assert await corpus.store.people.standing() == (126, 126)
    assert (await identify(corpus, full=True)).changed == 0, "nothing is left for a full pass to find"


async def test_a_small_load_is_placed_and_counts_as_placed_until_a_full_pass(corpus):
    await corpus.store.upsert(circles(0, 20))
    await identify(corpus)
    await corpus.store.upsert(circles(20, 12))
    assert (await identify(corpus)).kind == "new"
    assert await corpus.store.people.standing() == (96, 60)
    await corpus.store.upsert(circles(40, 9))
    assert (await identify(corpus)).kind == "full", "36 placed before and 27 new ones outnumber 60 judged"
    assert await corpus.store.people.standing() == (123, 123)


async def test_judged_names_that_were_replaced_count_as_new(corpus):
    await corpus.store.upsert(circles(0, 10))
    await identify(corpus)
    newer = [
        record(n, source="arxiv", version=2, authors=[f"Grace{n} Hopper{n}", f"Max{n} Born{n}"])
        for n in range(6)
    ]
    await corpus.store.upsert(newer)
    assert await corpus.store.people.standing() == (24, 12)
    assert not outnumbered(24, 12)
    assert outnumbered(25, 12)


async def test_a_day_is_placed_without_reading_the_whole_collection(corpus, monkeypatch):
    await corpus.store.upsert(circles(0, 60))
    await identify(corpus)
    known = await people_of(corpus, "Wei Wang")
    await corpus.store.upsert([*circles(60, 4), record(70, authors=["W. Wang", "Ada Lovelace", "New Comer"])])

    async def whole(*_args, **_more):
        pytest.fail("it reads everything")

    for name in ("authorships", "standing_between", "all_memberships", "people_rows", "standing"):
        monkeypatch.setattr(corpus.store.people, name, whole)
    outcome = await identify(corpus)
    assert (outcome.kind, outcome.changed, outcome.authorships) == ("new", 15, 195)
    monkeypatch.undo()
    assert set(await people_of(corpus, "Wei Wang")) == set(known)
    assert sum((await people_of(corpus, "Wei Wang")).values()) == 64
    await whole_store(corpus.store)


async def test_a_day_is_placed_where_the_files_of_the_last_pass_are_gone(corpus):
    await corpus.store.upsert(circles(0, 30))
    await identify(corpus)
    shutil.rmtree(corpus.folder / "identity")
    await corpus.store.upsert(circles(30, 2))
    assert (await identify(corpus)).kind == "new"
    assert len(await people_of(corpus, "Wei Wang")) == 2
    assert sum((await people_of(corpus, "Wei Wang")).values()) == 32


@pytest.mark.parametrize("together", [False, True])
async def test_a_day_placed_in_parts_is_placed_as_in_one(tmp_path, monkeypatch, together):
    """Also where a correction has made two names one person's, so that they belong into one part."""
    people = []
    for place, most in enumerate((placing.AT_ONCE, 1)):
        store = await Store.open(databases.url_of(tmp_path / f"{place}.db"))
        corpus = await Corpus.open(store, tmp_path / str(place), Embedder(), writable=True)
        await store.upsert(circles(0, 20))
        await identify(corpus)
        if together:
            for one, other in (("Ada Lovelace", "Bob Builder"), ("Alan Turing", "Bea Baker")):
                (mine,), (theirs,) = [await people_of(corpus, name) for name in (one, other)]
                found = await store.people.find_all([mine, theirs])
                assert await join(store, found[mine], found[theirs], Scope.operator((7, "somebody"), 1))
        await store.upsert(
            [
                *circles(30, 4),
                record(50, authors=["B. Baker", "W. Wang", "New Comer", "Ada Lovelace", "N. Comer"]),
            ]
        )
        monkeypatch.setattr(placing, "AT_ONCE", most)
        parts = []
        monkeypatch.setattr(
            placing, "_together", lambda judged, noted=parts: noted.append(len(judged)) or real(judged)
        )
        assert (await identify(corpus)).kind == "new"
        assert parts[0] > 1 if most == 1 else parts == [1]
        rows = [(row.paper_id, row.position, row.person_id) for row in await store.people.all_memberships()]
        groups: dict[int, set[tuple[int, int]]] = {}
        for paper, position, person in rows:
            groups.setdefault(person, set()).add((paper, position))
        people.append(sorted(sorted(group) for group in groups.values()))
        await store.close()
    assert people[0] == people[1]


# -- revisions that change the list of authors -----------------------------------------------------


@pytest.fixture(params=["placed", "judged again"])
def full(request):
    """Whether the revision is met by a full pass."""
    return request.param == "judged again"


async def test_authors_whom_a_revision_moves_in_the_list_stay_the_same_people(corpus, full):
    """Also those who have no other paper: their claims and followers hang on their number."""
    before = record(70, authors=["Ada Lovelace", "Only Once", "Wei Wang", "Solo Paper"])
    await corpus.store.upsert([*circles(0, 12), before])
    await identify(corpus)
    names = ["Only Once", "Solo Paper", "Ada Lovelace", "Wei Wang"]
    known = {name: set(await people_of(corpus, name)) for name in names}
    revised = ["Ada Lovelace", "Late Comer", "Wei Wang", "Solo Paper", "Only Once"]
    await corpus.store.upsert([record(70, source="arxiv", version=2, authors=revised)])
    outcome = await identify(corpus, full=full)
    assert outcome.kind == ("full" if full else "new")
    assert {name: set(await people_of(corpus, name)) for name in names} == known
    [late] = await people_of(corpus, "Late Comer")
    assert late not in set.union(*known.values())
    await whole_store(corpus.store)
    assert (await identify(corpus, full=True)).changed == (0 if full else 1), (
        "only who was placed is new to it"
    )
    assert {name: set(await people_of(corpus, name)) for name in names} == known


async def test_an_author_whom_a_revision_leaves_out_leads_to_no_stranger(corpus, full):
    await corpus.store.upsert(
        [*circles(0, 12), record(70, authors=["Ada Lovelace", "Only Once", "Wei Wang"])]
    )
    await identify(corpus)
    [gone] = await people_of(corpus, "Only Once")
    await corpus.store.upsert([record(70, source="arxiv", version=2, authors=["Ada Lovelace", "Wei Wang"])])
    await identify(corpus, full=full)
    assert (await corpus.store.people.people_rows(gone, gone + 1))[gone][2] is None
    await whole_store(corpus.store, left=["Only Once"])


async def test_an_author_whose_name_a_revision_spells_out_leads_to_the_new_one(corpus, full):
    await corpus.store.upsert([*circles(0, 12), record(70, authors=["Ada Lovelace", "O. Once"])])
    await identify(corpus)
    [was] = await people_of(corpus, "O. Once")
    await corpus.store.upsert([record(70, source="arxiv", version=2, authors=["Ada Lovelace", "Only Once"])])
    await identify(corpus, full=full)
    [now] = await people_of(corpus, "Only Once")
    assert (await corpus.store.people.find(was)).id == now
    await whole_store(corpus.store)


# -- corrections while a pass runs ---------------------------------------------------------------

READ = ("gathering", "gathered", "judging")
"""Points at which a pass still reads: a correction made there is judged with the rest."""
POINTS = (*READ, "before the draft", "drafted", "published")


@pytest.fixture
async def busy(corpus, monkeypatch):
    """A store with judged people and papers that a full pass has yet to judge; passes are drafted."""
    monkeypatch.setattr(people_written, "_SHORT", 0)
    await corpus.store.upsert(circles(0, 12))
    await identify(corpus)
    await corpus.store.upsert(circles(12, 30))
    await corpus.store.upsert(
        [record(n, authors=[f"New{n} Comer{n}", "Ada Lovelace"]) for n in range(60, 70)]
    )
    return corpus


def at(corpus, monkeypatch, point, work):
    """Let some work be done once, when a pass comes to a point: it waits there until the work is done."""
    people, done = corpus.store.people, []

    def before(name, owner):
        real = getattr(owner, name)

        async def held(*args, **more):
            if not done:
                done.append(point)
                await work()
            return await real(*args, **more)

        monkeypatch.setattr(owner, name, held)

    names = {
        "gathering": "authorships",
        "gathered": "standing_between",
        "before the draft": "begin_draft",
        "drafted": "publish",
    }
    if point == "judging":  # the last thing that is read before judging begins
        before("for_all", corpus.store.corrections)
    elif point == "published":
        real = people.settle

        async def settling():
            if await people.newest_pass() > 1 and not done:
                done.append(point)
                await work()
            return await real()

        monkeypatch.setattr(people, "settle", settling)
    else:
        before(names[point], people)
    return done


async def two_wangs(corpus):
    numbers = sorted(await people_of(corpus, "Wei Wang"))
    found = await corpus.store.people.find_all(numbers)
    assert len(numbers) == 2
    return [found[number] for number in numbers]


@pytest.mark.parametrize("point", POINTS)
async def test_people_joined_while_a_pass_runs_stay_one(busy, monkeypatch, point):
    one, other = await two_wangs(busy)

    async def say():
        await join(busy.store, one, other, Scope.operator((7, "somebody"), 1))

    done = at(busy, monkeypatch, point, say)
    assert (await identify(busy)).kind == "full"
    assert done == [point]
    assert await people_of(busy, "Wei Wang") == {one.id: 42}
    assert (await busy.store.people.find(other.id)).id == one.id
    await whole_store(busy.store)
    await identify(busy, full=True)
    assert await people_of(busy, "Wei Wang") == {one.id: 42}
    await whole_store(busy.store)


@pytest.mark.parametrize("point", POINTS)
async def test_a_paper_moved_out_while_a_pass_runs_stays_out(busy, monkeypatch, point):
    one, _ = await two_wangs(busy)
    paper = (await busy.store.people.memberships(one.id))[0].paper_id

    async def say():
        await move_out(busy.store, one, paper, Scope.operator((7, "somebody"), 1))

    done = at(busy, monkeypatch, point, say)
    assert (await identify(busy)).kind == "full"
    assert done == [point]
    [said] = await busy.store.corrections.all(in_force=True)
    for passes in range(2):
        whose = {(r.paper_id, r.author_id): r.person_id for r in await busy.store.people.all_memberships()}
        mine = whose[said.paper_id, said.author_id]
        assert mine not in {whose[place] for place in said.everybody}
        if passes == 0 and point not in READ:  # papers may join it that were not said to be another's
            assert [row.paper_id for row in await busy.store.people.memberships(mine)] == [paper]
        assert (await busy.store.people.find(mine)).forms == ("Wei Wang",)
        await whole_store(busy.store)
        await identify(busy, full=True)


@pytest.mark.parametrize("point", POINTS)
async def test_a_correction_taken_back_while_a_pass_runs_stays_so(busy, monkeypatch, point):
    one, other = await two_wangs(busy)
    number = await join(busy.store, one, other, Scope.operator((7, "somebody"), 1))
    correction = await busy.store.corrections.find(number)

    async def say():
        assert await take_back(busy.store, correction, by=(7, "somebody"))

    done = at(busy, monkeypatch, point, say)
    assert (await identify(busy)).kind == "full"
    assert done == [point]
    assert {one.id, other.id} <= set(await people_of(busy, "Wei Wang"))
    await whole_store(busy.store)
    await identify(busy, full=True)
    assert set(await people_of(busy, "Wei Wang")) == {one.id, other.id}


async def test_a_short_pass_that_was_overtaken_begins_its_writing_again(corpus, monkeypatch):
    await corpus.store.upsert(circles(0, 12))
    await identify(corpus)
    one, other = await two_wangs(corpus)
    await corpus.store.upsert(circles(12, 2))

    async def say():
        await join(corpus.store, one, other, Scope.operator((7, "somebody"), 1))

    real, done = corpus.store.people.replace, []

    async def replace(kind, *args, **more):
        if not done:
            done.append(kind)
            await say()
        return await real(kind, *args, **more)

    monkeypatch.setattr(corpus.store.people, "replace", replace)
    assert (await identify(corpus)).kind == "new"
    assert done == ["new"]
    assert (await people_of(corpus, "Wei Wang"))[one.id] >= 12
    assert (await corpus.store.people.find(other.id)).id == one.id
    await whole_store(corpus.store)


async def test_a_correction_holds_after_its_paper_was_merged_into_another(corpus):
    store = corpus.store
    people = ["Wei Wang", "Ada Lovelace", "Alan Turing"]
    title = {"source": "sample", "title": "Alpha beta", "authors": people}
    added = await store.upsert([*circles(0, 12), record(500, ids={"sample": "alpha-beta"}, **title)])
    paper = added.ids[-1]
    await identify(corpus)

    async def author(number):
        rows = await store.people.all_memberships()
        return next(row.person_id for row in rows if (row.paper_id, row.position) == (number, 0))

    wang = await author(paper)
    person = await store.people.find(wang)
    await move_out(store, person, paper, Scope.operator((7, "operator"), 1))
    await identify(corpus, full=True)
    assert await author(paper) != wang
    arxiv = {"ids": {"arxiv": "2601.00501"}, "source": "arxiv-snapshot", "version": 2, "title": "Other words"}
    await store.upsert([record(501, authors=people, announced=None, listings=[], **arxiv)])
    await store.upsert([record(500, ids={"sample": "alpha-beta", "arxiv": "2601.00501"}, **title)])
    present = await store.find_id("sample", "alpha-beta")
    assert present != paper
    await identify(corpus, full=True)
    assert await author(present) != wang
