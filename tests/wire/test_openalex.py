"""OpenAlex, against a server on loopback that answers in its documented form."""

import asyncio
import json
import time
from datetime import datetime

import pytest
from aiohttp import web
from sqlalchemy import update

from bot.app import make_services
from bot.settings import Settings
from data.sources.http import PoliteClient, SourceError
from data.sources.openalex import BudgetSpentError, OpenAlex
from data.tables.papers import FactRow
from index.claims.openalex_facts import FactFinder
from index.identity.passes import identify
from index.search.corpus import Corpus
from index.search.embedding import Embedder
from tests.helpers import databases
from tests.helpers.records import record

ADA = {
    "id": "https://openalex.org/A1",
    "display_name": "Ada Lovelace",
    "orcid": "https://orcid.org/0000-0001",
}


def work(arxiv_id, cited=7, author=ADA):
    return {
        "id": f"https://openalex.org/W{arxiv_id.replace('.', '')}",
        "doi": f"https://doi.org/10.48550/arxiv.{arxiv_id}",
        "title": f"Work {arxiv_id}",
        "cited_by_count": cited,
        "authorships": [
            {
                "author": author,
                "institutions": [{"display_name": "Analytical Society", "ror": "https://ror.org/01"}],
            },
            {
                "author": {"id": "https://openalex.org/A2", "display_name": "Somebody Else"},
                "institutions": [],
            },
        ],
        "primary_location": {"source": {"display_name": "NSDI"}},
        "topics": [{"display_name": "Computing"}],
    }


AUTHOR = {
    **ADA,
    "works_count": 12,
    "cited_by_count": 321,
    "summary_stats": {"h_index": 9, "i10_index": 8},
    "last_known_institutions": [{"display_name": "Analytical Society", "ror": "https://ror.org/01"}],
}


class Server:
    """Answers from a table; remembers what it was asked."""

    def __init__(self):
        self.asked = []
        self.known = {}
        self.page = 100
        self.failures = []
        self.silent = False

    async def handle(self, request):
        self.asked.append((request.path, dict(request.query)))
        if self.silent:
            await asyncio.Event().wait()
        if self.failures:
            status, headers = self.failures.pop(0)
            return web.json_response(
                {"error": "Rate limit exceeded", "message": "later"}, status=status, headers=headers
            )
        if request.query.get("api_key") != "secret-key":
            return web.json_response({"error": "API key required"}, status=401)
        if request.path.startswith("/authors/"):
            found = AUTHOR if request.path.endswith("A1") else None
            return (
                web.json_response(found) if found else web.json_response({"error": "Not found"}, status=404)
            )
        if request.path.startswith("/works/doi:"):
            found = self.known.get(request.path.rpartition("arxiv.")[2])
            return (
                web.json_response(found) if found else web.json_response({"error": "Not found"}, status=404)
            )
        wanted = [
            doi.rpartition("arxiv.")[2] for doi in request.query["filter"].removeprefix("doi:").split("|")
        ]
        found = [self.known[w] for w in wanted if w in self.known]
        at = 0 if request.query["cursor"] == "*" else int(request.query["cursor"])
        part = found[at : at + self.page]
        following = str(at + self.page) if at + self.page < len(found) else None
        return web.json_response({"meta": {"count": len(found), "next_cursor": following}, "results": part})


@pytest.fixture
async def server():
    made = Server()
    app = web.Application()
    app.router.add_get("/{anything:.*}", made.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}"
    yield made
    await runner.cleanup()


@pytest.fixture
async def corpus(store, tmp_path):
    opened = await Corpus.open(store, tmp_path / "index", Embedder(), writable=True)
    await store.upsert([record(n, authors=["Ada Lovelace", "Charles Babbage"]) for n in range(1, 5)])
    await identify(opened)
    return opened


async def free(_cost):
    """A budget without end."""


def ids(count):
    return [f"2601.{n:05d}" for n in range(1, count + 1)]


async def ada(store):
    author = await store.author_names.find("Ada Lovelace")
    [(person, _)] = await store.people.named([author])
    return person


async def test_works_are_asked_for_in_batches_and_pages(server):
    server.known = {i: work(i) for i in ids(120)}
    server.page = 30
    source = OpenAlex(server.url, "secret-key", free)
    found = [pair async for pair in source.works(ids(130))]
    assert [arxiv_id for arxiv_id, _ in found] == ids(120)
    assert found[0][1].cited_by == 7
    assert found[0][1].venue == "NSDI"
    assert found[0][1].authors[0].affiliations == ["Analytical Society"]
    lists = [query for path, query in server.asked if path == "/works"]
    assert max(query["filter"].count("|") + 1 for query in lists) == 50
    assert {query["per_page"] for query in lists} == {"100"}
    await source.close()


async def test_429_is_waited_for_and_the_key_stays_out_of_messages(server):
    server.known = {i: work(i) for i in ids(1)}
    server.failures = [(429, {"Retry-After": "0"}), (503, {})]
    source = OpenAlex(server.url, "secret-key", free, PoliteClient(interval=0, attempts=4))
    assert (await source.work(ids(1)[0])).cited_by == 7
    server.failures = [(500, {})] * 4
    with pytest.raises(SourceError) as error:
        await source.work(ids(1)[0])
    assert "secret-key" not in str(error.value)
    assert await source.author("A999") is None
    await source.close()


async def test_a_server_that_asks_for_an_hour_is_given_up_at_once(server):
    server.failures = [(429, {"Retry-After": "3600"})] * 4
    source = OpenAlex(server.url, "secret-key", free)
    async with asyncio.timeout(20):
        with pytest.raises(SourceError, match="keeps answering 429"):
            await source.work(ids(1)[0])
    assert len(server.asked) == 1
    await source.close()


async def test_a_server_that_does_not_answer_is_given_up(server):
    server.silent = True
    source = OpenAlex(server.url, "secret-key", free, PoliteClient(interval=0, attempts=4, patience=0.3))
    async with asyncio.timeout(20):
        with pytest.raises(SourceError, match="can't be reached"):
            await source.work(ids(1)[0])
    await source.close()


async def test_a_clock_that_is_set_back_stops_no_request(server, monkeypatch):
    source = OpenAlex(server.url, "secret-key", free)
    assert await source.author("A999") is None
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3_600)
    async with asyncio.timeout(20):
        assert await source.author("A999") is None
    await source.close()


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"results": 5}',
        b"<html>",
        b'{"results": [null, 1, {"id": 5}, {"doi": []}]}',
    ],
)
async def test_answers_that_make_no_sense_do_no_harm(body):
    async def handle(_):
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.router.add_get("/{anything:.*}", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.2)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    source = OpenAlex(f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}", "k", free)
    assert await source.author("A1") is None
    assert await source.work("2601.00001") is None
    found, said = [], "without results"
    try:
        found = [pair async for pair in source.works(ids(2))]
    except SourceError as error:
        said = str(error)
    assert found == []
    assert "without results" in said
    await source.close()
    await runner.cleanup()


async def test_a_person_gets_dated_facts_with_evidence_and_they_are_kept(server, corpus):
    server.known = {i: work(i) for i in ids(3)}
    finder = FactFinder(corpus.store, server.url, "secret-key", 100)
    person = await ada(corpus.store)
    assert await finder.of_person(person) is None
    await finder.look_up(person)
    facts = await finder.of_person(person)
    assert (facts.citations, facts.h_index, facts.orcid, facts.affiliation) == (
        321,
        9,
        "0000-0001",
        "Analytical Society",
    )
    assert facts.source.startswith("OpenAlex, ")
    assert facts.source.endswith("3 shared works")
    asked = len(server.asked)
    await finder.look_up(person)
    assert len(server.asked) == asked, "what was asked lately is not asked again"
    await finder.look_up(person, anew=True)
    assert len([p for p, _ in server.asked[asked:] if p == "/works"]) == 0, "works are fresh, too"
    await finder.close()


async def test_an_author_of_another_name_or_too_few_works_is_not_taken_for_ours(server, corpus):
    other = {"id": "https://openalex.org/A7", "display_name": "Adele Lovelace"}
    server.known = {i: work(i, author=other) for i in ids(3)}
    finder = FactFinder(corpus.store, server.url, "secret-key", 100)
    person = await ada(corpus.store)
    await finder.look_up(person)
    assert await finder.of_person(person) is None
    server.known = {ids(1)[0]: work(ids(1)[0]), **{i: work(i, author=other) for i in ids(3)[1:]}}
    await corpus.store.facts.put("paper", "openalex", {})
    fresh = FactFinder(corpus.store, server.url, "secret-key", 100)
    await fresh.look_up(person, anew=True)
    assert await fresh.of_person(person) is None
    await finder.close()
    await fresh.close()


async def test_the_budget_stops_lists_before_they_are_asked(server, corpus):
    server.known = {i: work(i) for i in ids(4)}
    finder = FactFinder(corpus.store, server.url, "secret-key", 0)
    with pytest.raises(BudgetSpentError):
        await finder.look_up(await ada(corpus.store))
    assert server.asked == []
    finder.ask_soon(await ada(corpus.store))
    await asyncio.gather(*finder._asking.values())
    assert server.asked == [], "in the background it is no error, and nothing is asked"
    await finder.close()


async def test_without_a_key_nothing_is_asked(server, corpus):
    finder = FactFinder(corpus.store, server.url, None, 100)
    finder.ask_soon(await ada(corpus.store))
    await finder.look_up(await ada(corpus.store))
    assert await finder.refresh_stale() == 0
    assert server.asked == []


async def test_stale_facts_are_asked_for_again(server, corpus):
    server.known = {i: work(i) for i in ids(4)}
    finder = FactFinder(corpus.store, server.url, "secret-key", 100)
    person = await ada(corpus.store)
    await finder.look_up(person)
    async with corpus.store._writer.begin() as connection:
        await connection.execute(update(FactRow).values(fetched=datetime(2026, 1, 1)))
    assert await finder.refresh_stale() == 1
    assert (await finder.of_person(person)).fetched.year >= 2026
    assert json.loads((await corpus.store.facts.get("paper", "openalex", ["1"]))["1"].value)["cited_by"] == 7
    await finder.close()


async def test_settings_carry_the_key_to_the_services(corpus, server, tmp_path):
    settings = Settings(
        _env_file=None,
        openalex_api_key="secret-key",
        openalex_url=server.url,
        labmate_data=tmp_path,
        database_url=databases.setting(tmp_path),
    )
    services = await make_services(settings, corpus)
    server.known = {i: work(i) for i in ids(4)}
    await services.facts.look_up(await ada(corpus.store))
    assert server.asked[0][1]["api_key"] == "secret-key"
    assert "secret-key" not in repr(settings)
    await services.close()
