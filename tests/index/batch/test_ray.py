"""Work on a Ray cluster of two nodes gives what this process gives, whatever dies meanwhile.

`make test-cluster` installs Ray and runs these; elsewhere they are left out.
"""

from __future__ import annotations

import logging
import socket
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from data.stores.store import Store
from index.batch import shipping
from index.batch.team import Team
from index.identity import full_pass, identity, statistics
from index.identity.judging import JudgedCollection
from index.identity.passes import identify
from index.identity.unions import CertainPairs
from index.search import backlog
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers.ray_nodes import RayNodes
from tests.helpers.records import record

if find_spec("ray") is None:
    pytest.skip("Ray is not installed here: make test-cluster", allow_module_level=True)

FIRST = ["Wei", "Yu", "W.", "Ada", "Bo", "Hui"]
PAPERS = 40


@pytest.fixture(scope="module")
def nodes():
    with RayNodes(2) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def _small(monkeypatch, caplog):
    monkeypatch.setattr(identity, "AT_ONCE", 1)
    monkeypatch.setattr(full_pass, "WORTH", 0)
    monkeypatch.setattr(statistics, "_BACKGROUND", 6_000)
    monkeypatch.setattr(backlog, "AT_ONCE", 4)
    monkeypatch.setattr(backlog, "WORTH", 0)
    caplog.set_level(logging.INFO, "labmate")


@pytest.fixture
async def corpora(tmp_path):
    """Two libraries of the same forty papers by people who share names."""
    opened = []
    for name in ("here", "there"):
        folder = tmp_path / name
        folder.mkdir()
        store = await Store.open(f"sqlite+aiosqlite:///{folder / 'labmate.db'}")
        authors = [
            [f"{FIRST[n % 6]} Wang", f"{FIRST[n % 5]} Li", f"Guest{n % 7} Person{n % 7}", f"Only{n} Once{n}"]
            for n in range(PAPERS)
        ]
        await store.upsert([record(n, authors=names) for n, names in enumerate(authors)])
        opened.append(await Corpus.open(store, folder / "index", Embedder(), writable=True))
    yield opened
    for corpus in opened:
        await corpus.store.close()


async def people_of(corpus):
    """Everybody's papers and positions, with confidence and support, without the numbers of people."""
    held: dict[int, list] = {}
    for row in await corpus.store.people.all_memberships():
        held.setdefault(row.person_id, []).append((row.paper_id, row.position, row.confidence, row.support))
    names = {number: name for number, (name, _, _) in (await corpus.store.people.people_rows()).items()}
    return sorted((names[number], sorted(rows)) for number, rows in held.items())


def vectors_of(corpus):
    papers, hashes = corpus.vectors.known()
    return papers.tolist(), hashes.tolist(), corpus.vectors.rows(papers).astype(np.float32)


def once(event, act):
    """A report of progress that acts when a step is first heard of."""
    done = []

    def report(*said):
        if event in said and not done:
            done.append(True)
            act()

    return report


async def test_a_pass_on_ray_with_a_worker_killed_finds_exactly_the_people_of_one_here(
    nodes, corpora, caplog
):
    here, there = corpora
    await identify(here, full=True)
    there.ray = nodes.address
    await identify(there, full=True, report=once("telling people apart", nodes.kill_a_worker))
    assert "workers: 2, nodes: 2" in caplog.text
    assert "a worker on" in caplog.text
    assert "on this machine" not in caplog.text
    assert "ray" not in sys.modules, "Ray ends the process that loads it when its head is gone"
    assert await people_of(there) == await people_of(here)


async def test_embedding_on_ray_with_a_worker_killed_makes_the_vectors_of_embedding_here(
    nodes, corpora, caplog
):
    here, there = corpora
    await here.embed_backlog()
    there.ray = nodes.address
    heard = []
    killing = once(4, nodes.kill_a_worker)
    assert await there.embed_backlog(lambda *said: (heard.append(said), killing(*said))) == PAPERS
    assert heard[-1] == (PAPERS, PAPERS)
    assert "a worker on" in caplog.text
    assert "on this machine" not in caplog.text
    (papers, hashes, rows), (same_papers, same_hashes, same_rows) = vectors_of(here), vectors_of(there)
    assert (papers, hashes) == (same_papers, same_hashes)
    np.testing.assert_allclose(rows, same_rows, atol=2e-3)


async def test_a_machine_that_does_not_see_the_files_gets_them(nodes, corpora, monkeypatch):
    [corpus, _] = corpora
    await identify(corpus, full=True)
    log = corpus.vectors.log
    folder = (corpus.folder / "identity" / "collection").absolute()
    collection = JudgedCollection(folder, log.folder.absolute(), log.fingerprint, CertainPairs())
    units = list(enumerate(collection.judge.units()))
    # As on another machine, where what lies at these paths, if anything, is another file.
    monkeypatch.setattr(shipping, "_stamp", lambda path: (0, path.stat().st_size, 0))
    with Team(nodes.address, collection) as team:
        sent = dict(team.each(units))
    assert sent.keys() == dict(units).keys()
    for number, names in units:
        here = collection.judged(names)
        for ours, theirs in zip(vars(here).values(), vars(sent[number]).values(), strict=True):
            np.testing.assert_array_equal(ours, theirs)
    assert not list(Path(tempfile.gettempdir()).glob("labmate-*/*/whole")), "they are cleared away"


async def test_without_an_answer_from_ray_the_work_is_done_here(corpora, caplog):
    [here, there] = corpora
    with socket.create_server(("127.0.0.1", 0)) as closed:
        there.ray = f"127.0.0.1:{closed.getsockname()[1]}"
    assert await there.embed_backlog() == PAPERS
    await identify(there, full=True)
    assert caplog.text.count(f"Ray at {there.ray} can't be reached") == 2
    assert "embedded on this machine: 40 papers" in caplog.text
    assert "judged on this machine" in caplog.text
    await here.embed_backlog()
    await identify(here, full=True)
    assert await people_of(there) == await people_of(here)


async def test_when_ray_goes_away_meanwhile_the_rest_is_done_here(corpora, caplog, monkeypatch):
    monkeypatch.setenv("RAY_gcs_rpc_server_reconnect_timeout_s", "3")  # Ray itself waits for a minute
    with RayNodes(1) as nodes:
        [here, there] = corpora
        there.ray = nodes.address
        assert await there.embed_backlog(once(4, nodes.end)) == PAPERS
    assert "can't be reached any more" in caplog.text
    await here.embed_backlog()
    for ours, theirs in zip(vectors_of(here)[:2], vectors_of(there)[:2], strict=True):
        assert ours == theirs
