"""What tests over the wire share: members, servers on loopback, a lab whose clock stands."""

import asyncio
import os
import ssl
import subprocess

import pytest
import trustme
from aiohttp import web
from aiosmtpd.smtp import SMTP

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.digests.posting import Poster
from data.calendar import clock
from data.sources.mail import Mailer
from tests.helpers.arxiv_server import Server
from tests.helpers.digests import Scene, a_listing
from tests.helpers.lab import settings_for, started
from tests.helpers.mail_server import Post, authenticates
from tests.helpers.members import joins, of_institution
from tests.helpers.sample import lay_listing
from tests.helpers.site import Site


@pytest.fixture
async def place(tmp_path):
    """A lab of its own, whose messages a test may count: Discord, the bot, and a member."""
    async with LocalDiscord() as discord, started(discord, tmp_path) as lab:
        yield discord, lab.bot, lab.user


@pytest.fixture
def disk(tmp_path):
    """Makes a disk of so many KB."""
    small = tmp_path / "small"
    small.mkdir()

    def mounted(size):
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "labmate-test", str(small)]
        if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
            pytest.skip("only root can mount a small disk; CI runs as root")
        return small

    yield mounted
    if small.is_mount():
        subprocess.run(["umount", str(small)], check=True)


@pytest.fixture
async def site():
    async with Site() as running:
        yield running


@pytest.fixture
async def own(tmp_path, site):
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path)) as (bot, _),
        UserClient(discord.url, discord.user_token) as user,
    ):
        bot.services.web, bot.services.orcid_url = site.client(), site.base + "/orcid"
        bot.services.datacite_url = site.base + "/datacite"
        await of_institution(bot.services, "ChonLam Lao", "https://www.harvard.edu/")
        yield bot.services, user


@pytest.fixture
async def post():
    """A mail server that wants TLS and a password, as a university's does."""
    handler = Post()
    authority = trustme.CA()
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(served)
    trusted = ssl.create_default_context()
    authority.configure_trust(trusted)
    options = {"tls_context": served, "require_starttls": True, "auth_required": True}

    def serve():
        return SMTP(handler, hostname="localhost", authenticator=authenticates, **options)

    server = await asyncio.get_running_loop().create_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    handler.mailer = Mailer(
        "localhost", port, "Labmate <bot@labmate.test>", "labmate", "secret", context=trusted
    )
    yield handler
    server.close()


@pytest.fixture
async def mailing(tmp_path, post):
    async with LocalDiscord() as discord:
        other = joins(discord, "bee")
        async with (
            running_bot(settings_for(discord, tmp_path)) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
            UserClient(discord.url, discord.state.token_of(other["id"])) as second,
        ):
            bot.services.mailer = post.mailer
            yield bot, user, second, post, discord


@pytest.fixture
def time(tmp_path):
    """A clock that stands, a Monday at eight."""
    file = tmp_path / "clock"
    file.write_text("2026-11-16T08:00:00+00:00")
    clock.follow(file)
    yield file
    clock.follow(None)


@pytest.fixture
async def scene(tmp_path, time):
    lay_listing(tmp_path, a_listing)
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path)) as (bot, _),
        UserClient(discord.url, discord.user_token) as user,
    ):
        bot.services.model_settled.set()
        bot.services.reads_arxiv = True  # the tests say what it read
        [cog] = [cog for cog in bot.cogs.values() if hasattr(cog, "_poster")]
        cog._looking.cancel()
        yield Scene(discord, bot, user, Poster(bot, bot.services, bot.services.leader), time)


@pytest.fixture
async def serve():
    runners = []

    async def start(answer):
        server = Server(answer)
        app = web.Application()
        app.router.add_get("/{anything:.*}", server.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.2)
        await runner.setup()
        runners.append(runner)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        server.url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/query"
        return server

    yield start
    for runner in runners:
        await runner.cleanup()
