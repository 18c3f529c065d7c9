"""arXiv's interfaces, against a server on loopback that answers as arXiv does."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from aiohttp import web

from data.records import Deletion, PaperRecord, Rejected
from data.sources.arxiv import ArxivApi, held_in_moderation, parse_feed
from data.sources.arxiv_oai import ArxivOai, sets_of
from data.sources.http import PoliteClient, SourceError
from tests.helpers.arxiv_server import ENTRY, feed, oai, oai_record
from tests.helpers.records import record


@pytest.fixture
async def client():
    made = PoliteClient(interval=0, attempts=4)
    yield made
    await made.close()


async def _all(stream):
    return [item async for item in stream]


def _fixtures(shared):
    return {p.name: json.loads(p.read_text()) for p in sorted((shared / "fixtures/arxiv-api").glob("*.json"))}


def test_arxivs_real_answers_are_read(shared):
    entries = {}
    for name, answer in _fixtures(shared).items():
        if answer["status_code"] == 200:
            total, found = parse_feed(answer["body"])
            assert total >= len(found)
            assert not [item for item in found if isinstance(item, Rejected)], name
            entries[name] = found
    assert sum(map(len, entries.values())) > 200
    [old] = next(found for name, found in entries.items() if name.startswith("id_quant-ph"))
    assert (old.ids["arxiv"], old.version) == ("quant-ph/0201082", 1)
    [astro] = next(found for name, found in entries.items() if name.startswith("id_astro-ph"))
    assert astro.ids["arxiv"] == "astro-ph/0601001"
    assert astro.submitted.year in (2005, 2006)
    assert next(found for name, found in entries.items() if name.startswith("id_0000")) == []
    # 0808.05394 does not exist: only the other of the two asked for comes back.
    assert len(next(found for name, found in entries.items() if name.startswith("id_0808.05394_1707"))) == 1


async def test_arxivs_error_feed_is_told_in_its_own_words(shared, serve, client):
    body = next(a["body"] for name, a in _fixtures(shared).items() if name.startswith("id_abc"))
    server = await serve(lambda query, number: web.Response(status=400, text=body))
    with pytest.raises(SourceError, match="incorrect id format for abc"):
        await anext(ArxivApi(client, server.url).recent(["abc"], date(2026, 10, 1)))


async def test_pages_are_asked_for_one_after_the_other(serve, client):
    def answer(query, number):
        start, size = int(query["start"]), int(query["max_results"])
        return feed(
            [
                ENTRY.format(id=f"2605.{n:05d}v1", day="2026-05-15")
                for n in range(start, min(start + size, 25))
            ],
            25,
        )

    server = await serve(answer)
    found = await _all(ArxivApi(client, server.url, page=10).recent(["cs.CL", "cs.DC"], date(2026, 5, 10)))
    assert [item.ids["arxiv"] for item in found] == [f"2605.{n:05d}" for n in range(25)]
    assert [query["start"] for query in server.asked] == ["0", "10", "20"]
    assert "(cat:cs.CL OR cat:cs.DC) AND submittedDate:[202604100000" in server.asked[0]["search_query"]
    assert found[0].categories == ["cs.CL"]
    assert found[0].announced == date(2026, 5, 18)


async def test_never_more_than_2000_a_request(serve, client):
    server = await serve(lambda query, number: feed([], 0))
    await _all(ArxivApi(client, server.url, page=50_000).recent(["cs.CL"], date(2026, 5, 10)))
    assert server.asked[0]["max_results"] == "2000"


async def test_more_than_a_query_may_give_is_asked_in_parts(serve, client):
    days = {f"2605.{n:05d}v1": datetime(2026, 4, 20, tzinfo=UTC) + timedelta(hours=6 * n) for n in range(100)}

    def answer(query, number):
        begin, end = query["search_query"].partition("[")[2].rstrip("]").split(" TO ")
        inside = [i for i, day in days.items() if begin <= f"{day:%Y%m%d%H%M}" <= end]
        start, size = int(query["start"]), int(query["max_results"])
        return feed(
            [ENTRY.format(id=i, day=f"{days[i]:%Y-%m-%d}") for i in inside[start : start + size]], len(inside)
        )

    server = await serve(answer)
    api = ArxivApi(client, server.url, page=10, most=30)
    found = await _all(api.recent(["cs.CL"], date(2026, 5, 19), until=datetime(2026, 5, 20, tzinfo=UTC)))
    assert {item.ids["arxiv"] for item in found} == {i.removesuffix("v1") for i in days}
    assert max(int(query["start"]) for query in server.asked) < 30


async def test_an_empty_page_in_the_middle_is_asked_for_again(serve, client):
    def answer(query, number):
        if query["start"] == "2" and number < 4:
            return feed([], 4)
        start = int(query["start"])
        return feed(
            [ENTRY.format(id=f"2605.{n:05d}v1", day="2026-05-15") for n in range(start, start + 2)], 4
        )

    server = await serve(answer)
    assert len(await _all(ArxivApi(client, server.url, page=2).recent(["cs.CL"], date(2026, 5, 10)))) == 4


async def test_a_page_that_stays_empty_ends_the_run_with_what_to_do(serve, client):
    server = await serve(
        lambda query, number: feed(
            [ENTRY.format(id="2605.00001v1", day="2026-05-15")] if query["start"] == "0" else [], 4
        )
    )
    stream = ArxivApi(client, server.url, page=1).recent(["cs.CL"], date(2026, 5, 10))
    assert isinstance(await anext(stream), PaperRecord)
    with pytest.raises(SourceError, match="run the same command later"):
        await anext(stream)


async def test_an_entry_that_is_no_paper_is_refused_and_the_rest_read(serve, client):
    bad = "<entry><id>http://arxiv.org/abs/nonsense</id><title>T</title></entry>"
    empty = "<entry><id>http://arxiv.org/abs/2605.00009v1</id></entry>"
    server = await serve(
        lambda query, number: feed([bad, empty, ENTRY.format(id="2605.00001v1", day="2026-05-15")], 3)
    )
    found = await _all(ArxivApi(client, server.url).recent(["cs.CL"], date(2026, 5, 10)))
    assert [type(item) for item in found] == [Rejected, Rejected, PaperRecord]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html>busy</html>",
        "not xml",
        '<!DOCTYPE x [<!ENTITY a "b">]><feed xmlns="http://www.w3.org/2005/Atom">&a;</feed>',
    ],
)
async def test_an_answer_that_is_no_feed_is_refused(serve, client, body):
    server = await serve(lambda query, number: body)
    with pytest.raises(SourceError, match="isn't an Atom feed"):
        await _all(ArxivApi(client, server.url).recent(["cs.CL"], date(2026, 5, 10)))
    with pytest.raises(SourceError, match="isn't OAI-PMH"):
        await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 10)))


async def test_requests_keep_their_distance_over_all_clients(serve, tmp_path):
    turn, taken = tmp_path / "arxiv.turn", []

    def answer(query, number):
        taken.append(float(turn.read_text()))  # when it was asked may be late on a busy machine
        return feed([], 0) if number % 2 else oai([])

    server = await serve(answer)
    for interface in (ArxivApi, ArxivOai, ArxivApi):
        polite = PoliteClient(interval=0.3, turn=turn)
        source = interface(polite, server.url)
        stream = (
            source.recent(["cs.CL"], date(2026, 5, 1))
            if interface is ArxivApi
            else source.records("cs", date(2026, 5, 1))
        )
        await _all(stream)
        await polite.close()
    gaps = [after - before for before, after in pairwise(taken)]
    assert len(gaps) == 2
    assert min(gaps) >= 0.29, "requests that don't wait take turns within milliseconds"


async def test_retry_after_is_heeded_and_errors_are_tried_again(serve, client):
    def answer(query, number):
        if number == 1:
            return web.Response(status=503, headers={"Retry-After": "1"})
        if number == 2:
            return web.Response(status=500)
        return oai([oai_record("2605.00001")])

    server = await serve(answer)
    assert len(await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1)))) == 1
    assert server.times[1] - server.times[0] >= 1.0


async def test_a_date_that_is_none_is_no_time_to_wait(serve, client):
    late = {"Retry-After": "Mon, 1 Jan 2026 00:00:00 +99999999999999999"}
    server = await serve(
        lambda query, number: web.Response(status=503, headers=late) if number == 1 else oai([])
    )
    assert await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1))) == []


async def test_a_server_that_stays_down_is_told_plainly(serve, client):
    client._attempts = 2
    server = await serve(lambda query, number: web.Response(status=503, headers={"Retry-After": "0"}))
    with pytest.raises(SourceError, match="keeps answering 503"):
        await client.get(server.url, {})
    with pytest.raises(SourceError, match="can't be reached"):
        await client.get("http://127.0.0.1:9/", {})
    with pytest.raises(SourceError, match="answered 404"):
        await client.get((await serve(lambda q, n: web.Response(status=404))).url, {})


async def test_oai_follows_its_tokens_to_the_end(serve, client):
    def answer(query, number):
        assert query.get("set") == ("cs" if "resumptionToken" not in query else None)
        start = int(query.get("resumptionToken", "0"))
        return oai(
            [oai_record(f"2605.{n:05d}") for n in range(start, start + 10)],
            str(start + 10) if start < 20 else "",
            30,
        )

    server = await serve(answer)
    source = ArxivOai(client, server.url)
    found = await _all(source.records("cs", date(2026, 5, 10), date(2026, 5, 20)))
    assert len(found) == source.total == 30
    assert server.asked[0] == {
        "verb": "ListRecords",
        "metadataPrefix": "arXiv",
        "set": "cs",
        "from": "2026-05-10",
        "until": "2026-05-20",
    }
    paper = found[0]
    assert paper.authors == ["ChonLam Lao"]
    assert paper.primary_category == "cs.DC"
    assert paper.listings == [("cs.DC", date(2026, 5, 18)), ("cs.LG", date(2026, 5, 18))]


async def test_oai_finds_what_moderation_held_by_its_announcement(serve, client):
    server = await serve(
        lambda q, n: oai(
            [
                oai_record("2604.00001", stamp="2026-05-18", created="2026-04-01"),
                oai_record("2105.00001", stamp="2026-05-18", created="2021-05-03", updated="2026-05-17"),
            ]
        )
    )
    held, revised = await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 15)))
    assert (held.announced, held.provisional) == (date(2026, 5, 18), False)
    assert (revised.announced, revised.provisional, revised.listings) == (date(2021, 5, 4), True, [])


async def test_oai_tells_deletions_and_refuses_what_is_no_record(serve, client):
    deleted = (
        '<record><header status="deleted"><identifier>oai:arXiv.org:2605.00001</identifier></header></record>'
    )
    strange = "<record><header><identifier>oai:arXiv.org:x</identifier></header></record>"
    bare = (
        "<record><header><identifier>oai:arXiv.org:2605.00002</identifier>"
        "<datestamp>2026-05-18</datestamp></header></record>"
    )
    server = await serve(lambda q, n: oai([deleted, strange, bare, "<record/>"]))
    found = await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1)))
    assert found[0] == Deletion("arxiv", "2605.00001")
    assert [type(item) for item in found[1:]] == [Rejected] * 3


def _oai_error(code):
    return (
        '<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">'
        f'<error code="{code}">because</error></OAI-PMH>'
    )


async def test_oai_without_news_is_empty_and_a_forgotten_token_begins_again(serve, client):
    server = await serve(lambda q, n: _oai_error("noRecordsMatch"))
    assert await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1))) == []

    def forgetful(query, number):
        if number == 2:
            return _oai_error("badResumptionToken")
        return oai([oai_record(f"2605.{number:05d}")], "t" if number in (1, 3) else "")

    server = await serve(forgetful)
    assert len(await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1)))) == 3
    server = await serve(lambda q, n: oai([], "t") if n % 2 else _oai_error("badResumptionToken"))
    with pytest.raises(SourceError, match="forgetting"):
        await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1)))
    server = await serve(lambda q, n: _oai_error("badArgument"))
    with pytest.raises(SourceError, match="badArgument because"):
        await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1)))


async def test_oai_that_leads_in_a_circle_ends(serve, client):
    tokens = {"": "a", "a": "b", "b": "a"}
    server = await serve(
        lambda query, number: oai([oai_record("2605.00001")], tokens[query.get("resumptionToken", "")])
    )
    async with asyncio.timeout(20):
        with pytest.raises(SourceError, match="leads back to a page already read"):
            await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1)))


@pytest.mark.parametrize("count", ["²", "9" * 5_000, "-1", "many"])
async def test_a_count_that_is_none_ends_nothing(serve, client, count):
    server = await serve(lambda q, n: feed([ENTRY.format(id="2605.00001v1", day="2026-05-15")], count))
    assert len(await _all(ArxivApi(client, server.url).recent(["cs.CL"], date(2026, 5, 10)))) == 1
    server = await serve(lambda q, n: oai([oai_record("2605.00001")], "", count))
    assert len(await _all(ArxivOai(client, server.url).records("cs", date(2026, 5, 1)))) == 1


def test_categories_lie_in_sets():
    assert sets_of(["cs.AI", "cs.CL", "astro-ph.GA", "hep-th", "stat.ML"]) == [
        "cs",
        "physics:astro-ph",
        "physics:hep-th",
        "stat",
    ]


def test_what_an_earlier_run_should_have_seen_was_held():
    today, before = date(2026, 5, 18), datetime(2026, 5, 16, 8)
    held = record(1, announced=date(2026, 4, 2))
    assert held_in_moderation(held, before, today).announced == today
    fresh = record(2, announced=date(2026, 5, 18))
    assert held_in_moderation(fresh, before, today) is fresh
