"""The explorer's answers: pages that read without scripts, headers, limits, files."""

from __future__ import annotations

import csv
import gzip
import io

import aiohttp
import networkx as nx
import orjson
import pytest
import zstandard
from multidict import MultiDict

from bot.explore.files import Shown, _cell
from bot.explore.keys import Key
from bot.explore.visitors import FILES
from tests.helpers.explorer import Visitor, visiting
from tests.helpers.lab import Lab


@pytest.fixture(scope="module")
async def visitor(lab: Lab):
    async with visiting(lab) as one:
        yield one


async def person_of(visitor: Visitor, name: str) -> int:
    _, _, body = await visitor.get(f"/complete.json?q={name}")
    return int(next(offer["key"][1:] for offer in orjson.loads(body) if offer["label"] == name))


async def test_a_person_s_page_reads_without_scripts(visitor):
    number = await person_of(visitor, "ChonLam Lao")
    status, _, page = await visitor.get(f"/person/{number}")
    assert status == 200
    for said in (
        "<h1>ChonLam Lao</h1>",
        "Close collaborators",
        "papers together",
        "Papers by year",
        "PrismLLM",
    ):
        assert said in page, said
    assert f'property="og:url" content="{visitor_url(visitor)}/person/{number}"' in page


def visitor_url(visitor: Visitor) -> str:
    """The address that pages name: the port of the settings, where the tests take any."""
    host, _, below = visitor.url.removeprefix("http://").partition("/")
    return f"http://{host.partition(':')[0]}:0/{below}"


async def test_all_links_lead_to_pages(visitor):
    pages = await Visitor(visitor.url, visitor.session).walk(100)
    kinds = [address.removeprefix(visitor.url).split("/")[1] for address in pages if "?" not in address]
    assert {"person", "paper", "topic", "path", "day"} <= set(kinds)


async def test_a_step_names_the_neighbours_and_joins_them(visitor):
    number = await person_of(visitor, "ChonLam Lao")
    _, _, body = await visitor.get(f"/graph.json?key=p{number}")
    part = orjson.loads(body)
    kinds = {node["key"]: node["kind"] for node in part["nodes"]}
    assert {"person", "paper"} <= set(kinds.values())
    wrote = [line for line in part["lines"] if line["kind"] == "wrote" and line["other"] == f"p{number}"]
    assert len(wrote) == sum(kind == "paper" for kind in kinds.values())


async def test_the_path_between_two_people_is_the_same_as_a_page_and_as_a_step(visitor):
    _, _, page = await visitor.get("/path?from=ChonLam+Lao&to=Minlan+Yu")
    assert "1 paper apart" in page
    one, other = await person_of(visitor, "ChonLam Lao"), await person_of(visitor, "Minlan Yu")
    _, _, body = await visitor.get(f"/path.json?from=p{one}&to=p{other}")
    assert [node["kind"] for node in orjson.loads(body)["nodes"]] == ["person", "person", "paper"]


async def test_an_answer_is_not_sent_twice(visitor):
    _, headers, _ = await visitor.get("/")
    status, _, body = await visitor.get("/", **{"If-None-Match": headers["ETag"]})
    assert (status, body) == (304, "")


async def test_an_answer_is_compressed_as_the_browser_accepts_it(visitor):
    async def asked(coding: str) -> tuple[str | None, bytes]:
        headers = {"Accept-Encoding": coding}
        async with visitor.session.get(visitor.url + "/", headers=headers) as answer:
            return answer.headers.get("Content-Encoding"), await answer.read()

    coding, plain = await asked("identity")
    assert coding is None
    coding, body = await asked("gzip, zstd;q=0")
    assert (coding, gzip.decompress(body)) == ("gzip", plain)
    coding, body = await asked("gzip, deflate, br, zstd")
    assert (coding, zstandard.ZstdDecompressor().decompress(body)) == ("zstd", plain)
    assert len(body) < len(plain)


async def test_every_answer_forbids_what_a_page_does_not_need(visitor):
    for below in ("/", "/graph.json?key=p1", "/nowhere"):
        _, headers, _ = await visitor.get(below)
        assert "script-src 'self';" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Set-Cookie" not in headers


NOWHERE = [
    *("/person/999999", "/paper/999999", "/topic/no such topic", "/day/2026-99-99", "/person/1e5"),
    *("/graph.json?key=x", "/nodes.csv", "/picture/p999999.png", "/static/x/../site.py"),
    "/archive/" + 32 * "a",
    *("/nodes.csv?open=t:a~t:a", "/nodes.csv?open=p999999~p999999", "/nodes.csv?open=w1~w1"),
    *(
        "/person/999999999999",
        "/day/1900-01-01",
        "/paper/2147483648",
        "/paper/2147483648.bib",
        "/person/1\u0661",
    ),
]


@pytest.mark.parametrize("below", NOWHERE)
async def test_what_does_not_exist_is_not_found(visitor, below):
    status, headers, page = await visitor.get(below)
    assert status == 404
    assert headers["Cache-Control"] == "no-store"
    assert "Traceback" not in page


async def test_files_hold_what_is_open(visitor):
    number = await person_of(visitor, "ChonLam Lao")
    _, headers, text = await visitor.get(f"/export.graphml?open=p{number}")
    assert headers["Content-Disposition"] == 'attachment; filename="labmate-graph.graphml"'
    graph = nx.parse_graphml(text)
    assert graph.nodes[f"p{number}"]["label"] == "ChonLam Lao"
    _, _, nodes = await visitor.get(f"/nodes.csv?open=p{number}&kind=paper")
    _, _, links = await visitor.get(f"/links.csv?open=p{number}")
    rows = list(csv.DictReader(io.StringIO(nodes)))
    assert {row["key"] for row in rows} == {key for key in graph if key.startswith("w")}
    assert len(list(csv.DictReader(io.StringIO(links)))) == graph.number_of_edges()


async def test_a_paper_is_cited_in_bibtex(visitor):
    _, _, page = await visitor.get("/paper/1")
    status, headers, entry = await visitor.get("/paper/1.bib")
    assert "/paper/1.bib" in page
    assert (status, entry[0]) == (200, "@")
    assert headers["Content-Disposition"].endswith('.bib"')


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"])
def test_no_cell_is_a_formula(text):
    assert _cell(text) == f"'{text}"


@pytest.mark.parametrize("key", [Key.person(7), Key.paper(7), Key.topic("KV cache/x")])
def test_a_key_reads_back(key):
    assert Key.read(str(key)) == key


@pytest.mark.parametrize(
    "text", ["", "p", "p0", "p-1", "x1", "t:", "p1 ", "p" + 13 * "1", "w2147483648", "t:" + 201 * "x"]
)
def test_what_is_no_key_is_refused(text):
    with pytest.raises(LookupError):
        Key.read(text)


def test_filters_that_make_no_sense_leave_all():
    shown = Shown.read(MultiDict([("kind", "x"), ("since", "soon"), ("until", "99999")]))
    assert (shown.kinds, shown.since, shown.until) == ({"person", "paper", "topic"}, None, None)


async def test_one_address_is_slowed_and_another_is_not(lab: Lab):
    more = {"labmate_limits": True, "http_url": "https://labmate.test"}
    async with visiting(lab, **more) as visitor:
        mine, theirs = {"X-Forwarded-For": "6.6.6.6, 192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
        for _ in range(FILES.most):
            assert (await visitor.get("/nodes.csv?open=p1", **mine))[0] == 200
        forged = {"X-Forwarded-For": "7.7.7.7, 192.0.2.1"}
        status, headers, _ = await visitor.get("/nodes.csv?open=p1", **forged)
        assert status == 429
        assert 0 < int(headers["Retry-After"]) <= 60
        assert (await visitor.get("/nodes.csv?open=p1", **theirs))[0] == 200


async def test_a_private_explorer_answers_at_its_secret_address_alone(lab: Lab):
    async with visiting(lab, explore="private") as visitor:
        status, headers, _ = await visitor.get("/")
        assert status == 200
        assert headers["X-Robots-Tag"] == "noindex"
        assert headers["Cache-Control"].startswith("private")
        secret = visitor.url.rpartition("/")[2]
        host = visitor.url.partition("/x/")[0]
        assert len(secret) == 32
        for other in ("/explore", "/x/" + 32 * "a", "/x/", f"/feeds/{secret}.xml"):
            async with aiohttp.ClientSession() as session, session.get(host + other) as answer:
                assert answer.status == 404, other
    async with visiting(lab, explore="private") as visitor:
        assert visitor.url.rpartition("/")[2] == secret, "the address lasts"


async def test_cards_lead_to_the_explorer_where_it_is_on(lab: Lab):
    async def links(command: str) -> list[str]:
        reply = await lab.user.slash(command)
        return [url for url in urls(reply.message) if "/explore/" in url]

    commands = ("/author ChonLam Lao", "/paper PrismLLM", "/graph PrismLLM")
    assert [await links(command) for command in commands] == [[], [], []]
    async with visiting(lab):
        [[person], [paper], [graph]] = [await links(command) for command in commands]
    assert "/explore/person/" in person
    assert paper == graph


def urls(part: object) -> list[str]:
    """Every address in a message's components."""
    if isinstance(part, dict):
        own = [part["url"]] if isinstance(part.get("url"), str) else []
        return own + [url for value in part.values() for url in urls(value)]
    return [url for value in part for url in urls(value)] if isinstance(part, list) else []
