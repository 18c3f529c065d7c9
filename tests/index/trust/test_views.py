"""A server's corrections laid over everybody's: the view, people seen through it, and who may correct."""

import random
from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
import pytest

from data.calendar.clock import utc_now
from data.stores.corrections import Correction
from data.stores.people_seen import FIRST_SEEN, View
from data.stores.scopes import Scope
from data.stores.store import Store
from index.identity.passes import certain_pairs, identify, read_authorships
from index.people.people import PeopleIndex
from index.people.people_seen import SeenExperts, SeenIndex
from index.people.suggest import CollaboratorRanker, Experts
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from index.search.facets import Facets
from index.trust import corrections as made
from index.trust.corrections import Refused, join, may_take_back, move_out, promote, retract, take_back
from index.trust.views import Place, Views, resolve
from tests.helpers import databases
from tests.helpers.records import record

pytestmark = pytest.mark.hostile

HERE, THERE = 11, 22
MANAGER = Scope.server(HERE, (5, "Mo"))
OPERATOR = Scope.operator((1, "Op"))
PAPERS, WEIS = 24, 6


def said(number, kind, end, other, everybody=()):
    made = datetime(2026, 1, 1)
    return Correction(
        number, kind, *end, *other, 1, made, 5, "Mo", HERE, "", "server", None, everybody=tuple(everybody)
    )


def test_two_people_are_one_and_a_third_follows():
    whose = {(1, 1): 10, (2, 1): 20, (3, 1): 30}
    view = resolve([said(1, "same", (1, 1), (2, 1)), said(2, "same", (2, 1), (3, 1))], whose)
    assert [view.lead(person) for person in (10, 20, 30, 40)] == [10, 10, 10, 40]
    assert view.sources == {10: (10, 20, 30)}
    assert view.said == {10: (1, 2)}


def test_an_authorship_apart_is_a_person_s_of_its_own():
    whose = {(1, 1): 10, (2, 1): 10}
    view = resolve([said(7, "apart", (1, 1), (2, 1))], whose)
    assert view.whose(1, 1, 10) == FIRST_SEEN + 7
    assert view.whose(2, 1, 10) == 10
    assert view.differs(10)
    assert not view.differs(11)


def test_what_holds_already_or_is_gone_changes_nothing():
    assert not resolve([said(1, "same", (1, 1), (2, 1))], {(1, 1): 10, (2, 1): 10})
    assert not resolve([said(1, "apart", (1, 1), (2, 1))], {(1, 1): 10, (2, 1): 20})
    assert not resolve([said(1, "same", (1, 1), (9, 1))], {(1, 1): 10})
    assert not resolve([said(1, "apart", (9, 1), (1, 1))], {(1, 1): 10})


def test_who_is_apart_can_be_joined_with_another():
    whose = {(1, 1): 10, (2, 1): 10, (3, 1): 20}
    view = resolve([said(1, "apart", (1, 1), (2, 1)), said(2, "same", (3, 1), (1, 1))], whose)
    assert view.whose(1, 1, 10) == 20
    assert view.sources == {10: (10,), 20: (10, 20)}


# -- over a store ----------------------------------------------------------------------------------


async def peopled(folder):
    """A store with 24 papers by Wei Wang, who is six people for all, each with guests."""
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    names = [["Wei Wang", f"Guest{n % 5} Of", f"Other{n} Of"] for n in range(PAPERS)]
    await store.upsert([record(n + 1, authors=of) for n, of in enumerate(names)])
    numbers: dict[str, int] = {}
    rows, printed = [], defaultdict(list)
    for paper, position, author, name in await store.people.authorships():
        key = f"{name} {paper % WEIS}" if name == "Wei Wang" else name
        person = numbers.setdefault(key, len(numbers) + 1)
        printed[person].append(name)
        row = {"paper_id": paper, "position": position, "author_id": author, "person_id": person}
        rows.append(row | {"confidence": 0.9, "support": None})
    people = [{"id": n, "name": of[0], "papers": len(of), "merged_into": None} for n, of in printed.items()]
    counts = (len(rows), len(people))
    await store.people.replace("full", await store.last_change(), 0, rows, [], people, [], counts)
    return store


@pytest.fixture
async def lab(tmp_path):
    store = await peopled(tmp_path)
    yield store
    await store.close()


async def seen(store):
    return store.seen_from(await Views(store).of(Place(HERE)))


async def weis(store):
    author = await store.author_names.find("Wei Wang")
    return [person for person, _ in await store.people.named([author])]


async def people_of(store, *numbers):
    found = await store.people.find_all(numbers)
    return [found[number] for number in numbers]


async def groups(store):
    """Who wrote what: a set of sets of authorships (paper and position)."""
    author = [person for person, _ in await named_all(store)]
    held = [frozenset((r.paper_id, r.position) for r in await store.people.memberships(p)) for p in author]
    return set(held)


async def groups_of_all(store):
    """Who wrote what, as everybody has it."""
    held = defaultdict(set)
    for row in await store.people.all_memberships():
        held[row.person_id].add((row.paper_id, row.position))
    return {frozenset(of) for of in held.values()}


async def named_all(store):
    authors = sorted({row[2] for row in await store.people.authorships()})
    return await store.people.named(authors)


async def test_what_a_server_says_changes_no_row_that_others_read(lab):
    before = (
        await lab.people.all_memberships(),
        await lab.people.people_rows(),
        await lab.people.last_pass(),
    )
    one, other, third, *_ = await weis(lab)
    await join(lab, *await people_of(lab, one, other), MANAGER)
    here = await seen(lab)
    [person] = await people_of(here, third)
    await move_out(here, person, (await here.people.memberships(third))[0].paper_id, MANAGER)
    after = (await lab.people.all_memberships(), await lab.people.people_rows(), await lab.people.last_pass())
    assert after == before
    assert await lab.corrections.newest_change() == 0
    assert await lab.corrections.for_all() == []
    assert not await Views(lab).of(Place(THERE))
    assert not await Views(lab).of(Place())
    assert not await Views(lab).of(Place(None, 6)), "another member's direct messages"
    assert await Views(lab).of(Place(None, 5)), "the member's own"
    assert await Views(lab).of(Place(HERE))


async def test_no_pass_takes_a_server_s_word_for_certain(lab, tmp_path):
    corpus = await Corpus.open(lab, tmp_path, Embedder(), writable=True)
    one, other, *_ = await weis(lab)
    await join(lab, *await people_of(lab, one, other), MANAGER)
    stored = await read_authorships(corpus)
    assert certain_pairs(stored, await lab.corrections.for_all()).together == []
    await identify(corpus, full=True)
    rows = await lab.people.all_memberships()
    await take_back(lab, (await lab.corrections.only_in(HERE))[0], by=(5, "Mo"))
    await identify(corpus, full=True)
    assert {(r.paper_id, r.position): r.person_id for r in await lab.people.all_memberships()} == {
        (r.paper_id, r.position): r.person_id for r in rows
    }
    one, other, *_ = await weis(lab)
    await join(lab, *await people_of(lab, one, other), OPERATOR)
    assert len(certain_pairs(stored, await lab.corrections.for_all()).together) == 1


@pytest.mark.parametrize("seed", range(4))
async def test_a_view_is_what_the_same_words_would_make_of_all(tmp_path, seed):
    """Any words, in any order: a server sees what everybody would, had the operator said it."""
    folders = [tmp_path / name for name in ("server", "all")]
    for folder in folders:
        folder.mkdir()
    stores = [await peopled(folder) for folder in folders]
    chance = random.Random(seed)
    for _ in range(14):
        same, paper, second = chance.random() < 0.5, chance.randint(1, PAPERS), chance.randint(1, PAPERS)
        heard = []
        for store, scope in zip(stores, (MANAGER, OPERATOR), strict=True):
            here = await seen(store) if scope is MANAGER else store
            author = await store.author_names.find("Wei Wang")
            whose = [(await here.people.on_paper(number))[author] for number in (paper, second)]
            found = await people_of(here, *whose)
            try:
                await (join(here, *found, scope) if same else move_out(here, found[0], paper, scope))
                heard.append("done")
            except Refused as error:
                heard.append(str(error))
        assert heard[0] == heard[1]
        assert await groups(await seen(stores[0])) == await groups_of_all(stores[1])
    for store in stores:
        await store.close()


async def test_every_reading_of_people_agrees(lab):
    one, other, third, *_ = await weis(lab)
    await join(lab, *await people_of(lab, one, other), MANAGER)
    here = await seen(lab)
    paper = (await lab.people.memberships(third))[0].paper_id
    await move_out(here, (await people_of(here, third))[0], paper, MANAGER)
    here = await seen(lab)
    author = await lab.author_names.find("Wei Wang")
    listed = dict(await here.people.named([author]))
    assert listed[one] == 8
    assert listed[third] == 3
    [alone] = [person for person in listed if person >= FIRST_SEEN]
    assert listed[alone] == 1
    assert other not in listed
    for person, papers in listed.items():
        rows = await here.people.memberships(person)
        assert len(rows) == papers
        assert {row.person_id for row in rows} == {person}
        [found] = await people_of(here, person)
        assert (found.papers, found.name) == (papers, "Wei Wang")
        places = [(row.paper_id, row.position) for row in rows]
        assert {row.person_id for row in await here.people.at(places)} == {person}
        for row in rows:
            assert (await here.people.on_paper(row.paper_id))[author] == person
    assert (await here.people.find(other)).id == one
    assert await here.people.names([other, alone]) == {other: "Wei Wang", alone: "Wei Wang"}
    assert await lab.people.find(alone) is None, "elsewhere there is no such person"


class Vectors:
    """Directions of papers, made up."""

    dimension = 8

    def rows(self, papers):
        found = [np.random.default_rng(int(paper)).normal(size=8) for paper in papers]
        return np.array(found or np.zeros((0, 8)), np.float16)


async def test_people_in_memory_are_as_the_store_has_them_and_are_suggested_so(lab):
    facets, vectors = Facets(), Vectors()
    facets.update(await lab.index_facts())
    one, other, third, *_ = await weis(lab)
    await join(lab, *await people_of(lab, one, other), MANAGER)
    here = await seen(lab)
    paper = (await lab.people.memberships(third))[0].paper_id
    await move_out(here, (await people_of(here, third))[0], paper, MANAGER)
    here, view = await seen(lab), await Views(lab).of(Place(HERE))
    base = await PeopleIndex.of(lab, facets, vectors)
    index = SeenIndex(base, view)
    everybody = [person for person, _ in await named_all(here)]
    for person in everybody:
        rows = await here.people.memberships(person)
        assert sorted(index.papers(person).tolist()) == sorted({row.paper_id for row in rows})
        assert index.count(person) == len(index.papers(person))
        known = await here.people.find(person)
        assert index.person(person) == replace(known, forms=(known.name,))
        assert index.closest_coauthors([person]) == [c.name for c in index.coauthors(person, 1)]
    for person, ties in zip(everybody, index.ties_of_each(everybody), strict=True):
        coauthors = index.coauthors(person)
        assert ties.people.tolist() == [each.person for each in coauthors]
        assert ties.papers.tolist() == [len(each.papers) for each in coauthors]
        for each in coauthors:
            assert set(each.papers) <= set(index.papers(person).tolist()) & set(
                index.papers(each.person).tolist()
            )
    assert [index.ties(other).people.tolist()] == [ties.people.tolist() for ties in index.ties_of_each([one])]
    assert index.person(other) == index.person(one)
    assert index.person(999_999) is None
    assert index.closest_coauthors([999_999, one]) == [None, index.coauthors(one, 1)[0].name]
    for number in range(1, PAPERS + 1):
        assert set(index.writers(number).tolist()) == set((await here.people.on_paper(number)).values())
    for some in (everybody, [one], everybody[:2]):
        theirs = set[int]().union(*(index.papers(person).tolist() for person in some))
        assert sorted(await here.people.papers_of_any(some)) == sorted(theirs)
    assert {c.person for c in index.coauthors(other)} == {c.person for c in index.coauthors(one)}
    assert one not in {c.person for c in index.coauthors(other)}
    near = index.near(third, vectors, 30)
    assert {n.person for n in near} <= set(everybody)
    assert other not in {n.person for n in near}
    assert len({n.person for n in near}) == len(near)
    experts = SeenExperts(Experts(base, vectors, None, CollaboratorRanker.shipped()), index)
    for person in (one, other, third, FIRST_SEEN + 2):
        found = [s.person for s in experts.suggest(person, 20)]
        assert len(found) == len(set(found))
        assert set(found) <= set(everybody) - {view.lead(person)}
        assert not set(found) & {c.person for c in index.coauthors(person)}
    assert experts.suggest(FIRST_SEEN + 2, 5), "somebody who only exists there has company, too"
    assert set(base.papers(other).tolist()) == {row.paper_id for row in await lab.people.memberships(other)}


# -- who may, and how much -------------------------------------------------------------------------


def test_who_takes_back_what():
    local = said(1, "same", (1, 1), (2, 1))
    assert may_take_back(local, 99, manages=HERE, operator=False)
    assert not may_take_back(local, 5, manages=None, operator=False)
    assert not may_take_back(local, 5, manages=THERE, operator=False)
    assert may_take_back(local, 99, manages=None, operator=True)
    held = Correction(**{name: getattr(local, name) for name in local.__slots__} | {"authority": "holder"})
    assert may_take_back(held, 5, manages=None, operator=False)
    assert not may_take_back(held, 99, manages=HERE, operator=False)
    assert may_take_back(held, 99, manages=None, operator=True)


async def test_a_day_has_so_many_corrections_and_no_undoing_makes_room(lab, monkeypatch):
    monkeypatch.setattr(made, "MEMBER_A_DAY", 2)
    monkeypatch.setattr(made, "SERVER_A_DAY", 3)
    one, other, third, *_ = await weis(lab)
    pair = await people_of(lab, one, other)
    for _ in range(2):
        number = await join(lab, *pair, MANAGER)
        await take_back(lab, await lab.corrections.find(number), by=(5, "Mo"))
    with pytest.raises(Refused, match="2 corrections within a day"):
        await join(lab, *pair, MANAGER)
    await join(lab, *pair, Scope.server(HERE, (6, "Mi")))
    with pytest.raises(Refused, match="3 corrections were made in this server"):
        await join(lab, *await people_of(lab, one, third), Scope.server(HERE, (6, "Mi")))
    await join(lab, *pair, Scope.server(THERE, (6, "Mi")))
    for _ in range(5):
        number = await join(lab, *pair, OPERATOR)
        await take_back(lab, await lab.corrections.find(number), by=(1, "Op"))
    assert await lab.corrections.made_since(utc_now() - timedelta(days=1), guild=HERE) == 3


async def test_a_server_s_word_becomes_everybody_s_by_the_operator_and_is_undone(lab):
    before = await groups(lab)
    one, other, third, *_ = await weis(lab)
    await join(lab, *await people_of(lab, one, other), MANAGER)
    here = await seen(lab)
    paper = (await lab.people.memberships(third))[0].paper_id
    await move_out(here, (await people_of(here, third))[0], paper, MANAGER)
    wanted = await groups(await seen(lab))
    for correction in await lab.corrections.only_in(HERE):
        with pytest.raises(ValueError, match="does not hold for everybody"):
            await promote(lab, correction, MANAGER)
        await promote(lab, correction, OPERATOR)
        with pytest.raises(Refused):
            await promote(lab, await lab.corrections.find(correction.id), OPERATOR)
    assert await groups(lab) == wanted
    assert not await Views(lab).of(Place(HERE)), "what holds for all needs no view"
    for correction in (await lab.corrections.for_all())[::-1]:
        assert (correction.authority, correction.made_by, correction.guild) == ("operator", 1, HERE)
        await take_back(lab, correction, by=(1, "Op"))
    assert await groups(lab) == before


async def holds(store, member, person, proof="page"):
    claim = await store.claims.begin(member, person, HERE, f"labmate-{member}")
    return await store.claims.prove(claim.id, proof, "https://page.test/ of the institution")


async def test_only_a_proven_holder_corrects_themselves_for_all(lab):
    one, other, *_ = await weis(lab)
    scope_of = made.holder_scope
    assert await scope_of(lab, 7, "Wei", one, None) is None
    await holds(lab, 6, other, "domain")
    assert await scope_of(lab, 6, "Weak", other, None) is None, "a weak proof is not enough"
    claim = await holds(lab, 7, one)
    assert await scope_of(lab, 7, "Wei", other, None) is None, "of themselves alone"
    scope = await scope_of(lab, 7, "Wei", one, HERE)
    assert scope == Scope.holder(claim.id, (7, "Wei"), HERE)
    with pytest.raises(Refused, match="has claimed that person"):
        await join(lab, *await people_of(lab, one, other), scope)
    author = await lab.author_names.find("Guest1 Of")
    [(guest, _)] = await lab.people.named([author])
    with pytest.raises(Refused, match="too different"):
        await join(lab, *await people_of(lab, one, guest), scope)
    paper = (await lab.people.memberships(one))[0].paper_id
    await move_out(lab, (await people_of(lab, one))[0], paper, scope)
    assert len(await lab.people.memberships(one)) == 3
    await lab.contests.contest(claim.id, 8, "not them")
    assert await scope_of(lab, 7, "Wei", one, None) is None, "not while it is contested"
    assert await retract(lab, claim.id, by=(0, "a contest")) == 1
    assert len(await lab.people.memberships(one)) == 4


async def test_a_holder_widens_what_is_said_of_them_and_nothing_else(lab):
    one, other, third, *_ = await weis(lab)
    first = await join(lab, *await people_of(lab, one, other), MANAGER)
    claim = await holds(lab, 7, third)
    scope = await made.holder_scope(lab, 7, "Wei", third, None)
    assert scope.claim == claim.id
    with pytest.raises(Refused, match="not about the papers"):
        await promote(lab, await lab.corrections.find(first), scope)
    here = await seen(lab)
    second = await join(here, *await people_of(here, one, third), MANAGER)
    await promote(lab, await lab.corrections.find(second), scope)
    assert (await lab.people.find(third)).id == one
    assert (await lab.people.find(other)).id == other


def test_an_empty_view_is_no_view():
    assert not View()
