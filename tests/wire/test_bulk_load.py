"""A collection read in ends with its people told apart, whichever way it came."""

import pytest

from data.stores.store import Store
from index.identity.passes import identify
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers import databases
from tests.helpers.process import awaited, without_discord
from tests.helpers.slices import papers_by


@pytest.fixture(scope="module")
def load(shared, tmp_path_factory):
    """Real papers, many by people of one common name."""
    return papers_by(shared, tmp_path_factory.mktemp("slice"), "Yang Liu", 60, 240)


def start(folder, *command):
    return awaited(*command, env=without_discord(folder))


async def nothing_left(folder):
    """Whether everybody was judged: another full pass finds nothing to change."""
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    corpus = await Corpus.open(store, folder, Embedder())
    try:
        authorships, judged = await store.people.standing()
        author = await store.author_names.find("Yang Liu")
        assert authorships == judged > 1_000
        assert 1 < len(await store.people.named([author])) < len(await store.papers_of("yang liu"))
        assert (await identify(corpus, full=True)).changed == 0
    finally:
        await store.close()


async def test_a_run_with_a_file_of_papers_ends_with_everybody_judged(load, tmp_path):
    papers, vectors = load
    process = start(tmp_path, "run", "--papers", str(papers), "--vectors", str(vectors))
    said = b""
    async for line in process.lines():
        said += line
        if b" people found in " in line:
            break
    more = await process.communicate(b"exit\n")
    assert process.returncode == 0, (said + more).decode()
    await nothing_left(tmp_path)


async def test_a_file_that_is_ingested_ends_with_everybody_judged(load, tmp_path):
    papers, vectors = load
    process = start(tmp_path, "ingest", "file", str(papers), "--vectors", str(vectors))
    said = await process.communicate()
    assert process.returncode == 0, said.decode()
    await nothing_left(tmp_path)


async def test_identify_judges_everybody_after_a_load_without_it(load, tmp_path):
    papers, vectors = load
    process = start(tmp_path, "ingest", "file", str(papers), "--vectors", str(vectors), "--no-embed")
    assert b"identify" in await process.communicate(), "what is left to do is said"
    process = start(tmp_path, "identify")
    said = await process.communicate()
    assert process.returncode == 0, said.decode()
    await nothing_left(tmp_path)
