"""A full pass that is killed goes on where it was, and ends as if nobody had killed it."""

import asyncio
import json
import shutil

import psutil
import pytest

from data.stores.store import Store
from index.identity import statistics
from index.identity.passes import identify
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers import databases
from tests.helpers.process import awaited
from tests.helpers.records import record
from tests.helpers.whole_store import whole_store

FIRST = ["Wei", "Yu", "W.", "Ada", "Bo", "Hui"]


def authors(n):
    return [f"{FIRST[n % 6]} Wang", f"{FIRST[n % 5]} Li", f"Guest{n % 7} Person{n % 7}", f"Only{n} Once{n}"]


@pytest.fixture
async def folder(tmp_path):
    """A library of forty papers by people who share names."""
    home = tmp_path / "one"
    home.mkdir()
    store = await Store.open(databases.url_of(home / "labmate.db"))
    await store.upsert([record(n, authors=authors(n)) for n in range(40)])
    await store.close()
    return home


def start(folder, processes=1, *held):
    return awaited(str(folder), str(processes), *held, module="tests.helpers.killed_pass_child")


async def run_until(folder, word="", times=0, processes=1):
    """Run a full pass and kill it when it says a word for the nth time; returns what it said."""
    child = start(folder, processes, *([word, str(times)] if times else []))
    said = []
    async for line in child.lines():
        said.append(line.decode().strip())
        if times and sum(heard.startswith(word) for heard in said) == times:
            child.kill()
            break
    await child.wait()
    return said


async def telling(child):
    """Wait until names are being judged."""
    async for line in child.lines():
        if line.startswith(b"telling"):
            return


async def people_of(folder):
    """Everybody's papers and positions, with confidence and support, without the numbers of people."""
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    held = {}
    for row in await store.people.all_memberships():
        held.setdefault(row.person_id, []).append((row.paper_id, row.position, row.confidence, row.support))
    names = {number: name for number, (name, _, _) in (await store.people.people_rows()).items()}
    await store.close()
    return sorted((names[number], sorted(rows)) for number, rows in held.items())


POINTS = [
    ("gathering", 1),
    ("telling", 3),
    ("telling", 9),
    ("draft_people", 2),
    ("redraft", 4),
    ("publish", 1),
]


async def test_a_pass_killed_at_many_points_ends_as_an_unharmed_one(folder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    databases.copy(folder, other)
    whole = await run_until(other)
    assert whole[-1].startswith("done")
    state = folder / "index" / "identity" / "pass" / "state.json"
    reached = []
    for word, times in POINTS:
        said = await run_until(folder, word, times)
        assert said[-1].startswith(word), f"it ended before {word}"
        kept = json.loads(state.read_text()) if state.exists() else {"done": [], "paper": 0}
        reached.append((len(kept["done"]), kept["paper"]))
    assert reached == sorted(reached), "it never goes back"
    assert 0 < reached[1][0] < reached[2][0], "what is judged stays judged"
    assert 0 < reached[4][1] < reached[5][1], "what is written stays written"
    said = await run_until(folder)
    assert not [line for line in said if line.startswith(("gathering", "telling", "draft_people", "redraft"))]
    assert await people_of(folder) == await people_of(other)
    assert not state.exists()


async def test_a_killed_pass_does_not_lose_papers_that_came_since(folder, monkeypatch):
    monkeypatch.setattr(statistics, "_BACKGROUND", 6_000)
    await run_until(folder, "telling", 5)
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    try:
        await store.upsert([record(n, authors=["Wei Wang", f"Late{n} Comer{n}"]) for n in range(60, 64)])
        corpus = await Corpus.open(store, folder / "index", Embedder())
        outcome = await identify(corpus)
        assert (outcome.kind, outcome.authorships) == ("full", 160), "it goes on with what it had read"
        assert await store.people.standing() == (168, 160), "and then places what came since"
        late = await store.people.named([await store.author_names.find("Late61 Comer61")])
        assert [papers for _, papers in late] == [1]
    finally:
        await store.close()


async def test_a_pass_killed_after_readers_saw_it_is_only_ended(folder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    databases.copy(folder, other)
    await run_until(other)
    await run_until(folder, "publish", 1)
    said = await run_until(folder, "settle", 1)
    assert said[-2:] == ["publish", "settle"]
    said = await run_until(folder)
    assert [line.split()[0] for line in said if not line.startswith("clearing")] == [
        "writing",
        "settle",
        "done",
    ]
    assert await people_of(folder) == await people_of(other)
    assert not (folder / "index" / "identity" / "pass").exists()


@pytest.mark.parametrize("times", [2, 3])
async def test_a_pass_killed_while_it_clears_up_is_over(folder, times):
    said = await run_until(folder, "clearing", times)
    assert said[-2] in ("settle", "clearing"), "it has published"
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    try:
        await whole_store(store)
        await store.upsert([record(n, authors=["Wei Wang", f"Late{n} Comer{n}"]) for n in range(60, 64)])
        corpus = await Corpus.open(store, folder / "index", Embedder())
        assert (await identify(corpus)).kind == "new"
        await whole_store(store)
    finally:
        await store.close()


@pytest.mark.parametrize("word", ["telling", "draft_people", "redraft", "publish", "settle"])
@pytest.mark.parametrize("again", [False, True])
async def test_papers_revised_while_a_pass_was_down_stay_as_they_were_and_are_placed(
    folder, monkeypatch, word, again
):
    """Also where people are left without any other paper, or are new in this pass."""
    monkeypatch.setattr(statistics, "_BACKGROUND", 6_000)
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    try:
        corpus = await Corpus.open(store, folder / "index", Embedder())
        if again:  # somebody's only paper goes to somebody else in the second pass
            await identify(corpus)
            await store.upsert([record(n, authors=["Wei Wang", "Bo Li"]) for n in range(60, 100)])
        await store.close()
        await run_until(folder, word, 3 if word == "telling" else 2)
        store = await Store.open(databases.url_of(folder / "labmate.db"))
        corpus = await Corpus.open(store, folder / "index", Embedder())
        revised = [
            record(n, source="arxiv", version=2, authors=authors(n), abstract="Quite another text.")
            for n in range(0, 40, 3)
        ]
        await store.upsert(revised)
        await identify(corpus, full=True)
        await whole_store(store)
        await identify(corpus)
        await whole_store(store)
    finally:
        await store.close()


def judging(process):
    """The processes that judge names for a pass."""
    return [one for one in psutil.Process(process).children() if "popen_loky" in " ".join(one.cmdline())]


async def test_a_judging_process_that_is_killed_costs_no_more_than_the_names_in_hand(folder, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    databases.copy(folder, other)
    await run_until(other)
    child = start(folder, processes=2)
    await telling(child)
    for one in judging(child.pid):
        one.kill()
    assert b"failed A process that matched authors was killed" in await child.communicate()
    assert json.loads((folder / "index" / "identity" / "pass" / "state.json").read_text())["done"]
    assert (await run_until(folder, processes=2))[-1].startswith("done")
    assert await people_of(folder) == await people_of(other)


async def test_judging_processes_end_with_the_pass_that_is_killed(folder):
    child = start(folder, processes=2)
    await telling(child)
    theirs = judging(child.pid)
    assert theirs
    child.kill()
    await child.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, theirs, 60)
    assert not alive
