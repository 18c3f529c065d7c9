"""Nothing secret is logged: a bot at DEBUG goes through many commands and failures, and its log is read."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import signal
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from aiosmtpd.smtp import SMTP, AuthResult
from sqlalchemy import text

from bot.local_discord.client import NoReplyError, UserClient
from bot.local_discord.server import LocalDiscord
from bot.logs import BLOTTED, Blotter, JsonLines, TextLines
from data.sources.http import PoliteClient, SourceError
from data.stores.store import Store
from tests.helpers import databases
from tests.helpers.process import PATIENCE, start

pytestmark = pytest.mark.hostile

KEY, PASSWORD, MONITOR = "openalex-key-7f3a9c", "mail-password-51c2e8", "monitor-token-0b9d44"
NOTE, OTHER_NOTE = "a-private-note-about-ChonLam", "another-note-that-fails"


class Post:
    """Takes mails, and what the bot logs in with."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    async def handle_DATA(self, server, session, envelope):
        self.codes += re.findall(r"/claim code:(\w{8})", envelope.content.decode())
        return "250 OK"


async def _mail_server(post: Post) -> asyncio.Server:
    def serve():
        return SMTP(
            post,
            hostname="localhost",
            authenticator=lambda *_: AuthResult(success=True),
            auth_required=True,
            auth_require_tls=False,
        )

    return await asyncio.get_running_loop().create_server(serve, "127.0.0.1", 0)


async def _openalex(asked: list[str]) -> web.AppRunner:
    """Refuses, or redirects forever under /circle: such an error quotes the address with its key."""

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.query.get("api_key", ""))
        if request.path == "/circle":
            raise web.HTTPFound(str(request.url))
        raise web.HTTPForbidden

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner


def _port(server) -> int:
    return server.sockets[0].getsockname()[1]


async def _institution(folder: Path) -> None:
    """Let OpenAlex have named a person's institution, so that a code can be mailed."""
    store = await Store.open(databases.url_of(folder / "labmate.db"))
    author = await store.author_names.find("ChonLam Lao")
    [(person, _), *_] = await store.people.named([author])
    await store.facts.put("person", "openalex", {str(person): '{"ror": "https://ror.org/03vek6s52"}'})
    await store.facts.put("place", "openalex", {"03vek6s52": '{"page": "https://www.harvard.edu/"}'})
    await store.close()


def _refuse(folder: Path, *tables: str) -> None:
    """Let writing fail, with the values that were to be written at hand."""
    refusing = "BEGIN SELECT RAISE(ABORT, 'no'); END"
    engine = databases.engine_in(folder)
    with engine.begin() as connection:
        if databases.IN_POSTGRES:
            body = "BEGIN RAISE EXCEPTION 'no' USING DETAIL = NEW::text; END"
            connection.execute(text(f"CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $${body}$$"))
            refusing = "FOR EACH ROW EXECUTE FUNCTION no()"
        for table in tables:
            connection.execute(text(f"CREATE TRIGGER no_{table} BEFORE INSERT ON {table} {refusing}"))
    engine.dispose()


async def test_a_bot_at_debug_writes_no_secret_anywhere(tmp_path):
    folder, post, asked = tmp_path / "lab", Post(), []
    mail, openalex = await _mail_server(post), await _openalex(asked)
    more = {
        "LOG_LEVEL": "DEBUG",
        "LOG_FORMAT": "json",
        "HTTP_LISTEN": "127.0.0.1:0",
        "METRICS_TOKEN": MONITOR,
        "OPENALEX_API_KEY": KEY,
        "OPENALEX_URL": f"http://127.0.0.1:{openalex.addresses[0][1]}",
        "SMTP_HOST": "127.0.0.1",
        "SMTP_PORT": str(_port(mail)),
        "SMTP_SECURITY": "none",
        "SMTP_USER": "labmate",
        "SMTP_PASSWORD": PASSWORD,
        "SMTP_FROM": "bot@labmate.test",
    }
    async with LocalDiscord() as discord:
        process = start(discord, folder, **more)
        written = bytearray()

        async def read() -> None:
            while part := await asyncio.to_thread(process.stdout.read1, 65_536):
                written.extend(part)

        reading = asyncio.create_task(read())
        try:
            while b"Logged in as labmate" not in written:
                assert not reading.done(), written.decode()
                await asyncio.sleep(0.05)
            secrets = await _led_through(discord, folder, post, written)
        finally:
            process.send_signal(signal.SIGTERM)
            await asyncio.wait_for(reading, PATIENCE)
            process.wait(PATIENCE)
    mail.close()
    await openalex.cleanup()
    everything = written.decode() + "".join(path.read_text() for path in folder.glob("labmate.log*"))
    assert post.codes, "a code was mailed"
    assert everything.count("reference ") >= 4, "failures were logged, in the file and on the terminal"
    assert ("RaiseError" if databases.IN_POSTGRES else "IntegrityError") in everything
    for what, secret in secrets.items():
        assert secret not in everything, what


async def _led_through(discord: LocalDiscord, folder: Path, post: Post, written: bytearray) -> dict[str, str]:
    """Commands that touch every secret, also where they fail; returns the secrets."""
    await _institution(folder)
    url = re.search(rb"http://127[\d.:]+(?=\W|$)", written[written.index(b"/metrics on ") :])[0].decode()
    async with UserClient(discord.url, discord.user_token) as user, aiohttp.ClientSession() as session:
        await user.slash(f"/save paper:PrismLLM note:{NOTE}")
        feed = re.search(r"/feeds/([\w-]+)\.xml", (await user.slash("/library feed")).text)[1]
        async with session.get(f"{url}/feeds/{feed}.xml") as answer:
            assert answer.status == 200
        for token in (MONITOR, "wrong"):
            async with session.get(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"}) as answer:
                assert answer.status in (200, 403)
        await user.slash("/author ChonLam Lao")
        await user.slash("/claim person:ChonLam Lao")
        await user.slash("/claim mail:chonlam.lao@harvard.edu")
        await user.slash("/claim code:AAAAAAAA")
        discord.faults.add(route="POST /interactions/.*/callback", status=500, times=2)
        discord.faults.add(route="PATCH", status=429, retry_after=0.1)
        with suppress(NoReplyError):
            await user.slash("/papers ChonLam Lao")
        await discord.gateway.drop(code=1001, user_id=discord.state.application["bot"]["id"])
        await user.slash("/library show")
        _refuse(folder, "shelf", "mail_codes", "follows", "feeds")
        await user.slash(f"/save paper:Cora note:{OTHER_NOTE}")
        await user.slash("/claim mail:chonlam.lao@harvard.edu")
    return {
        "the bot's token": discord.bot_token,
        "the key": KEY,
        "the mail server's password": PASSWORD,
        "the monitor's token": MONITOR,
        "a note": NOTE,
        "a note that could not be kept": OTHER_NOTE,
        "a feed's address": feed,
        **{f"code {number}": code for number, code in enumerate(post.codes)},
    }


async def test_the_error_of_a_request_does_not_show_its_key():
    openalex = await _openalex([])
    client = PoliteClient(interval=0, attempts=1)
    try:
        for path in ("/circle", "/works"):
            url = f"http://127.0.0.1:{openalex.addresses[0][1]}{path}"
            with pytest.raises(SourceError) as told:
                await client.get(url, {"api_key": KEY})
            assert url in str(told.value)
            assert KEY not in str(told.value)
    finally:
        await client.close()
        await openalex.cleanup()


BOT_TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4" + ".GabcdE." + "abcdefghijklmnopqrstuvwxyz0123456789AB"


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (f"Authorization: Bot {BOT_TOKEN}", "Authorization: Bot "),
        (f"token={BOT_TOKEN}", "token="),
        ("GET /feeds/0123456789abcdefghij.xml", ".xml"),
        ("POST /interactions/123/aW50ZXJhY3Rpb246MTIzNDU2/callback", "/callback"),
        ("PATCH /webhooks/123/aW50ZXJhY3Rpb246MTIzNDU2/messages/@original", "/messages/@original"),
        ("https://api.test/works?api_key=hunter22&x=1", "&x=1"),
        ("postgresql+asyncpg://me:hunter22@db.test/x", "@db.test/x"),
        ("known-secret and more", " and more"),
    ],
)
def test_what_looks_like_a_secret_is_blotted_out(text, kept):
    record = logging.LogRecord("labmate", logging.INFO, __file__, 1, "%s", (text,), None)
    try:
        raise ValueError(text)
    except ValueError as error:
        record.exc_info = (ValueError, error, error.__traceback__)
    blot = Blotter(["known-secret"])
    for line in (TextLines(blot).format(record), JsonLines(blot).format(record)):
        assert line.count(BLOTTED) >= 2, line
        assert kept in line
        for secret in (
            BOT_TOKEN,
            "0123456789abcdefghij",
            "aW50ZXJhY3Rpb246MTIzNDU2",
            "hunter22",
            "known-secret",
        ):
            assert secret not in line


def test_a_json_line_has_what_a_collector_needs():
    record = logging.LogRecord(
        "labmate", logging.ERROR, __file__, 1, "reference %s: failed\nagain", ("ab12",), None
    )
    record.reference = "ab12"
    line = JsonLines(Blotter()).format(record)
    assert "\n" not in line
    entry = json.loads(line)
    assert entry["level"] == "ERROR"
    assert entry["logger"] == "labmate"
    assert entry["message"] == "reference ab12: failed\nagain"
    assert entry["reference"] == "ab12"
    assert entry["time"].endswith("+00:00")
