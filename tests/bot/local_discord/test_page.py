"""The page's own routes: their answers, and the requests that they refuse."""

from __future__ import annotations

import asyncio
import re
import sys
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import ClientSession, DummyCookieJar, FormData
from yarl import URL

from bot.local_discord.client import UserClient
from bot.local_discord.page_files import page_files
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import DM, FORUM, TEXT
from data.calendar import clock

LIGHT_ENOUGH = 400_000


@pytest.fixture
async def discord():
    async with LocalDiscord(furnished=True, move_clock=clock.move) as running:
        yield running


@pytest.fixture
async def browser(discord):
    async with ClientSession(discord.url, auto_decompress=False, cookie_jar=DummyCookieJar()) as session:
        yield session


def test_the_page_weighs_less_than_400_kb():
    assert sum(len(file.whole) for file in page_files().values()) < LIGHT_ENOUGH


def test_the_page_makes_no_html_of_texts_and_has_nothing_inline():
    own = {name: file.whole.decode() for name, file in page_files().items() if "vendor/" not in name}
    for name, text in own.items():
        assert re.findall(r"(inner|outer|Adjacent)HTML|document\.write|\beval\(|new Function", text) == [], (
            name
        )
    assert re.findall(r"\s(style|on\w+)=|<script>|https?://", own["index.html"]) == []


async def test_the_page_is_served_under_a_strict_policy(browser):
    async with browser.get("/", headers={"Accept-Encoding": "gzip"}) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        tag = answer.headers["ETag"]
    async with browser.get("/", headers={"If-None-Match": tag}) as answer:
        assert answer.status == 304


@pytest.mark.parametrize(
    "path", ["/page/../server.py", "/page/%2e%2e/server.py", "/page/vendor/package.json"]
)
async def test_only_files_of_the_page_are_served(browser, path):
    async with browser.get(path) as answer:
        assert answer.status == 404


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Host": "evil.example"},
    {"Host": "evil.example:80"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("path", ["/", "/local/session", "/local/wire", "/local/clock", "/local/faults"])
async def test_a_foreign_page_gets_nothing(discord, browser, path, headers):
    async with browser.get(path, headers=headers) as answer:
        assert answer.status == 403
        assert discord.user_token not in await answer.text()


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("path", ["/local/clock", "/local/faults"])
async def test_a_foreign_page_changes_nothing(discord, browser, path, headers):
    async with browser.post(path, json={"seconds": 60}, headers=headers) as answer:
        assert answer.status == 403
    assert discord.state.clock_offset == 0
    assert discord.faults.requests == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
async def test_a_form_of_a_foreign_page_is_no_json(discord, browser, kind):
    async with browser.post(
        "/local/clock", data=b'{"seconds": 60}', headers={"Content-Type": kind}
    ) as answer:
        assert answer.status == 415
    assert discord.state.clock_offset == 0


BAD = [
    b"",
    b"[",
    b"[]",
    b"null",
    b'{"seconds": "60"}',
    b'{"seconds": true}',
    b'{"seconds": -5}',
    b'{"seconds": 1e99}',
    b'{"seconds": 1' + b"0" * 400 + b"}",
]


@pytest.mark.parametrize("body", [*BAD, b'{"seconds": NaN}', b"[" * 100_000])
async def test_a_bad_move_of_the_clock_is_refused_with_words(discord, browser, body):
    json_type = {"Content-Type": "application/json"}
    async with browser.post("/local/clock", data=body, headers=json_type) as answer:
        assert answer.status == 400
        assert (await answer.json())["message"]
    assert discord.state.clock_offset == 0


BAD_FAULTS = [
    *(b"", b"[", b"3", b"[3]", b'[{"nonsense": 1}]', b'{"status": 500}', b"[" * 100_000),
    *(b'[{"times": "x"}]', b'[{"route": "("}]', b'[{"status": "x"}]', b'[{"delay": NaN}]', b'[{"hold": -1}]'),
    *(b'[{"close": "x", "when": "identify"}]', b'[{"route": null}]', b'[{"status": 999}]'),
]


@pytest.mark.parametrize("body", BAD_FAULTS)
async def test_bad_faults_are_refused_and_change_nothing(discord, browser, body):
    discord.faults.add(status=500)
    json_type = {"Content-Type": "application/json"}
    async with browser.post("/local/faults", data=body, headers=json_type) as answer:
        assert answer.status == 400
    assert len(discord.faults.requests) == 1


async def test_the_clock_goes_ahead_for_discord_and_for_labmate_who_waits(discord, browser):
    waiting = asyncio.create_task(clock.wait_until(clock.now() + timedelta(minutes=50)))
    await asyncio.sleep(0)
    async with browser.post("/local/clock", json={"seconds": 3600}) as answer:
        assert (await answer.json())["ahead"] == 3600
    await asyncio.wait_for(waiting, 5)
    ahead = clock.now() - datetime.now(UTC)
    assert abs(ahead - timedelta(hours=1)) < timedelta(seconds=5)
    assert abs(discord.state.now() - clock.now().timestamp()) < 5
    asked = "from data.calendar import clock; print(clock.now().isoformat())"
    worker = await asyncio.create_subprocess_exec(sys.executable, "-c", asked, stdout=asyncio.subprocess.PIPE)
    there, _ = await worker.communicate()
    assert abs(datetime.fromisoformat(there.decode().strip()) - clock.now()) < timedelta(seconds=10)


async def test_the_session_names_two_people_with_their_tokens(discord, browser):
    async with browser.get("/local/session", headers={"Sec-Fetch-Site": "same-origin"}) as answer:
        session = await answer.json()
        assert answer.headers["Cache-Control"] == "no-store"
    assert [person["name"] for person in session["people"]] == ["you", "colleague"]
    for person in session["people"]:
        async with UserClient(discord.url, person["token"]) as user:
            assert user.user["id"] == person["id"]


async def test_furniture_and_port_are_the_same_after_a_restart(tmp_path):
    ids, seen = tmp_path / "ids.json", []
    for _ in range(2):
        async with LocalDiscord(ids=ids, furnished=True) as discord:
            channels = sorted((one["type"], one["id"]) for one in discord.state.channels.values())
            seen.append((discord.url, channels, sorted(discord.state.users)))
    assert seen[0] == seen[1]
    assert [kind for kind, _ in seen[0][1]] == [TEXT, TEXT, DM, DM, FORUM]


async def test_what_an_older_version_kept_stays(tmp_path):
    ids = tmp_path / "ids.json"
    async with LocalDiscord(ids=ids) as discord:
        before = discord.owner["id"], discord.guild["id"]
    async with LocalDiscord(ids=ids, furnished=True) as discord:
        assert (discord.owner["id"], discord.guild["id"]) == before


async def test_a_port_that_is_taken_is_given_up_for_another(tmp_path):
    ids = tmp_path / "ids.json"
    async with LocalDiscord(ids=ids) as first, LocalDiscord(ids=ids) as second:
        assert first.url != second.url


async def test_the_wire_tells_requests_with_answers_and_no_token(discord, browser):
    async with UserClient(discord.url, discord.user_token) as user:
        await user.say("hello")
    async with browser.get("/local/wire?after=0") as answer:
        text = await answer.text()
        entries = await answer.json()
    [said] = [one for one in entries if one.get("method") == "POST"]
    assert (said["who"], said["status"]) == ("you", 200)
    assert '"content": "hello"' in said["request"]
    assert '"content": "hello"' in said["answer"]
    assert discord.user_token not in text
    assert discord.bot_token not in text
    async with browser.get(f"/local/wire?after={entries[-1]['n']}") as answer:
        assert await answer.json() == []


async def test_tests_and_other_bots_get_the_plain_discord():
    async with LocalDiscord() as discord, ClientSession(discord.url) as session:
        assert [one["name"] for one in discord.state.channels.values()] == ["general"]
        async with session.get("/local/wire") as answer:
            assert await answer.json() == []


@pytest.mark.parametrize("name", ["a#b.txt", "what?.txt", "50%.txt", "é 1.txt"])
async def test_a_file_of_any_name_can_be_fetched_at_its_address_by_our_own_page(discord, browser, name):
    form = FormData(quote_fields=False)  # as browsers do
    form.add_field("payload_json", "{}")
    form.add_field("files[0]", b"inside", filename=name, content_type="text/plain")
    where = f"/api/v10/channels/{discord.channel['id']}/messages"
    async with browser.post(where, data=form, headers={"Authorization": discord.user_token}) as answer:
        [sent] = (await answer.json())["attachments"]
    async with browser.get(URL(sent["url"], encoded=True)) as answer:
        assert (answer.status, await answer.read()) == (200, b"inside")
    for headers in FOREIGN:
        async with browser.get(URL(sent["url"], encoded=True), headers=headers) as answer:
            assert (answer.status, b"inside" in await answer.read()) == (403, False)
