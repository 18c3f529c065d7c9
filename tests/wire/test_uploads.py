"""Files too large for Discord come compressed, in parts that can each be read alone; none is missing."""

import io
import json
import random
import zipfile

import aiohttp
import pytest

from bot.local_discord import completion
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.kit.replies import UserError
from commands.kit.uploads import MOST_FILES, Flat, Sections, packed, sections_of
from index.documents.references import read_references
from tests.helpers.lab import settings_for

pytestmark = pytest.mark.hostile

LIMIT = 300_000
WORKS = 400


def noise(chance, length):
    """Text that hardly gets smaller."""
    return "".join(
        chance.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ", k=length)
    )


@pytest.fixture(scope="module")
async def world(tmp_path_factory):
    """A member whose library is larger than this Discord's files may be."""
    async with LocalDiscord() as discord:
        discord.state.upload_limit = LIMIT
        settings = settings_for(discord, tmp_path_factory.mktemp("uploads"))
        async with running_bot(settings) as (bot, _), UserClient(discord.url, discord.user_token) as user:
            chance = random.Random(3)
            works = [
                (None, {"type": "article", "title": f"Work number {n}", "abstract": noise(chance, 9_000)})
                for n in range(WORKS)
            ]
            more = [("unread", f"note {n}", (f"tag{n % 7}",)) for n in range(WORKS)]
            await bot.services.store.library.add(int(user.user["id"]), works, more)
            yield discord, user


def files_of(discord, user, reply):
    """(name, bytes) of all that came, in the reply and after it."""
    messages = [m for m in user.messages.values() if m["id"] >= reply.message["id"]]
    for message in sorted(messages, key=lambda m: int(m["id"])):
        assert len(completion.files_of(message)) <= MOST_FILES
        for attachment in completion.files_of(message):
            yield attachment["filename"], discord.state.files[attachment["id"]][2]


def unzipped(files):
    for name, data in files:
        assert name.endswith(".zip")
        assert len(data) <= LIMIT
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            [inside] = archive.namelist()
            yield archive.read(inside).decode()


async def complete(user, reply):
    """Wait until all parts that the reply names have come."""
    count = int(reply.text.partition(" parts. Each")[0].rpartition(" ")[2])

    def came(*_):
        mine = [m for m in user.messages.values() if m["id"] >= reply.message["id"]]
        return sum(len(completion.files_of(message)) for message in mine) >= count

    if not came():
        await user.wait_for("MESSAGE_CREATE", came, within=60)
    return count


@pytest.mark.parametrize(("format_", "kind"), [("csl-json", "json"), ("ris", "ris")])
async def test_a_large_library_is_exported_whole(world, format_, kind):
    discord, user = world
    reply = await user.slash(f"/library export format:{format_}")
    assert reply.is_private
    count = await complete(user, reply)
    titles = []
    parts = list(unzipped(files_of(discord, user, reply)))
    assert len(parts) == count > 1
    for text in parts:
        items, unread = read_references(kind, text)
        assert not unread
        titles += [item["title"] for item in items]
    assert sorted(titles) == sorted(f"Work number {n}" for n in range(WORKS))


async def test_all_that_is_held_about_a_member_comes_whatever_its_size(world):
    discord, user = world
    reply = await user.slash("/me data")
    assert reply.is_private
    count = await complete(user, reply)
    assert count > MOST_FILES, "more than one message"
    held = {}
    for text in unzipped(files_of(discord, user, reply)):
        for section, value in json.loads(text).items():
            held[section] = held.get(section, []) + value if isinstance(value, list) else value
    assert len(held["library"]) == WORKS
    assert held["member"] == user.user["id"]
    assert held["follows"] == []


async def test_the_local_discord_holds_its_limit(world):
    discord, user = world
    data = json.dumps({"content": "x"})
    for size, count, status in ((LIMIT, 1, 200), (LIMIT + 1, 1, 413), (10, 11, 400)):
        form = aiohttp.FormData()
        form.add_field("payload_json", data, content_type="application/json")
        for n in range(count):
            form.add_field(f"files[{n}]", b"x" * size, filename=f"{n}.txt")
        url = f"{discord.api_url}/channels/{user.channel_id}/messages"
        headers = {"Authorization": f"Bot {discord.bot_token}"}
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, data=form, headers=headers) as answer,
        ):
            assert answer.status == status
            if status == 413:
                assert (await answer.json())["code"] == 40005


def test_what_fits_is_one_plain_file():
    held = {"member": "1", "follows": [{"a": 1}, {"b": 2}], "empty": []}
    [(name, data)] = packed("me.json", sections_of(held), Sections(), 10_000_000)
    assert (name, json.loads(data)) == ("me.json", held)
    assert packed("a.bib", [], Flat("", "\n", ""), 1_000) == [("a.bib", b"")]


def test_what_compresses_well_is_one_zip_at_discord_s_own_limit():
    held = {"library": [{"n": n, "text": "again and again " * 700} for n in range(1_200)]}
    [(name, data)] = packed("me.json", sections_of(held), Sections(), 10 * 1024 * 1024)
    assert name == "me.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert json.loads(archive.read("me-1.json")) == held


def test_one_entry_that_never_fits_is_said():
    with pytest.raises(UserError, match="too large for Discord"):
        packed("me.json", [("a", noise(random.Random(1), 900_000))], Sections(), LIMIT)
