"""`/me data` shows all that is kept about a member, and `/me forget` leaves nothing of it."""

import json
from datetime import timedelta

import aiohttp

from bot.local_discord.completion import files_of
from data.stores.delivery_record import Chosen
from data.stores.digest_record import Digest
from tests.helpers import databases
from tests.helpers.digests import MONDAY, active

STAY = {"corrections", "audit", "bans", "counters"}
"""Tables of which docs/members.md says that they stay."""


async def data_of(user):
    [file] = files_of((await user.slash("/me data")).message)
    async with aiohttp.ClientSession() as session, session.get(file["url"]) as response:
        return json.loads(await response.text())


async def test_data_shows_a_digest_s_settings_and_what_it_posted(scene):
    member = int(scene.user.user["id"])
    digests = scene.bot.services.store.digests
    own = await digests.make(
        Digest(0, member, member, upto=MONDAY - timedelta(days=3), at="08:00", zone="UTC", people="3 4")
    )
    own = await digests.change(own.id, state="active", categories="cs.CL", most=3)
    await digests.write(own, MONDAY, scene.at, state="posted", upto=MONDAY, papers=[Chosen(1), Chosen(2)])
    [shown] = (await data_of(scene.user))["own_digests"]
    assert shown | {"people": [3, 4], "categories": ["cs.CL"], "most": 3, "at": "08:00"} == shown
    [posting] = shown["posted"]
    assert (posting["day"], posting["papers"]) == (MONDAY.isoformat(), [1, 2])


async def test_data_shows_removed_papers_corrections_and_digests_of_servers(scene):
    member = int(scene.user.user["id"])
    digest = await active(scene)
    store = scene.bot.services.store
    kept, _ = await store.library.keep(member, 1)
    await store.library.change(member, kept.id, note="a thought of mine")
    await store.library.drop(member, kept.id)
    await store.digests.think(digest.guild, member, 1, "like", digest.channel)
    held = await data_of(scene.user)
    assert [(one["note"], one["removed"] is None) for one in held["library"]] == [
        ("a thought of mine", False)
    ]
    assert held["opinions"][0]["server"] == str(digest.guild)
    [of_server] = held["server_digests"]
    assert (of_server["server"], of_server["name"]) == (str(digest.guild), digest.name)
    assert held["corrections"] == []


async def test_after_forget_no_table_has_the_member_s_number(scene, tmp_path):
    member = int(scene.user.user["id"])
    digest = await active(scene)
    store = scene.bot.services.store
    await scene.user.slash("/save paper:PrismLLM")
    await scene.user.slash("/list add paper:PrismLLM list:reading")
    await scene.user.slash("/follow topic:switches")
    await scene.user.slash("/digest mine")
    await store.digests.think(digest.guild, member, 1, "like", digest.channel)
    await (await scene.user.slash("/me forget")).press("Delete it")
    rows = databases.rows_in(tmp_path)
    left = {name for name, found in rows.items() if any(str(member) in str(row) for row in found)}
    assert left <= STAY
    assert (await store.digests.find(digest.id)).state == "active", "the digest is the server's"
