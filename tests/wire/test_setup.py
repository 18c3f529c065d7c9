"""`/setup` over the wire: the greeting, its pages, what it lets a digest learn from, and who may use it."""

import asyncio
import re
from contextlib import asynccontextmanager

import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.local_discord.shown_reply import ShownReply
from bot.local_discord.state import DM
from bot.run import running_bot
from data.stores.digest_record import Digest
from tests.helpers.digests import page_four
from tests.helpers.joining import greetings, joins_server, tell_joined, tell_outage
from tests.helpers.lab import settings_for
from tests.helpers.members import heard_by, joins, of_kind
from tests.helpers.process import PATIENCE

BIBTEX = """@article{a, title={Gossip in programmable switches, part 3}, author={Author 3}, year={2026}}
@article{b, title={A book that nobody here knows}, author={Some Body}, year={1999}}"""


async def until(done):
    """Wait for something that another task does, and return it."""
    async with asyncio.timeout(PATIENCE):
        while not (made := done()):  # noqa: ASYNC110 - the greeting comes from a task of its own
            await asyncio.sleep(0.02)
    return made


async def settled(bot):
    """Let every greeting that is under way end."""
    [cog] = [cog for cog in bot.cogs.values() if hasattr(cog, "_greeting")]
    while cog._greeting:
        await asyncio.gather(*cog._greeting.values())


async def finished(reply, zone="Europe/Berlin"):
    """From the first page to the last."""
    field = await reply.press("Next")
    time = await field.press("Next")
    time = await time.choose(zone, menu(time, "suz"))
    learn = await time.press("Next")
    return await learn.press("Preview")


def menu(reply, start):
    return next(select for select in reply.selects if select["custom_id"].startswith(start))


# -- the greeting ------------------------------------------------------------------------------------


async def test_a_server_is_greeted_once_in_its_system_channel(scene):
    guild, channel = await joins_server(scene.discord)
    await until(lambda: greetings(scene.discord))
    await settled(scene.bot)
    await tell_joined(scene.discord, guild)
    await tell_outage(scene.discord, guild)
    async with heard_by(scene.bot, "ready"):
        await scene.discord.gateway.invalidate(user_id=scene.discord.state.application["bot"]["id"])
    await settled(scene.bot)
    [(place, message)] = greetings(scene.discord)
    assert place["id"] == channel["id"]
    text = ShownReply(scene.user, message).text
    assert "Computation and Language" in text
    assert "cs." not in text


@pytest.mark.parametrize("where", [{"system": False}, {"may_write": False}])
async def test_the_owner_is_written_to_where_there_is_no_channel_to_write_in(scene, where):
    await joins_server(scene.discord, **where)
    [(place, message)] = await until(lambda: greetings(scene.discord))
    assert place["type"] == DM
    assert "Reading group" in ShownReply(scene.user, message).text


async def test_nobody_is_greeted_twice_where_nobody_can_be_reached(scene):
    scene.discord.state.closed_dms.add(scene.discord.owner["id"])
    guild, _ = await joins_server(scene.discord, system=False)
    await until(lambda: of_kind(scene.discord, DM))
    await settled(scene.bot)
    assert await scene.bot.services.store.greetings.state(int(guild["id"])) == ("refused", 0)
    scene.discord.state.closed_dms.clear()
    await tell_joined(scene.discord, guild)
    await settled(scene.bot)
    assert greetings(scene.discord) == []


@pytest.mark.parametrize("changed", [None, True], ids=["another system channel", "the same"])
async def test_a_greeting_whose_answer_was_lost_stands_once_after_a_restart(tmp_path, changed):
    async with LocalDiscord() as discord:
        async with running_bot(settings_for(discord, tmp_path)) as (bot, _):
            discord.faults.add(route=r"POST /channels/\d+/messages$", status=500, after=True, times=9)
            guild, channel = await joins_server(discord)
            await until(lambda: greetings(discord))
            began = await bot.services.store.greetings.state(int(guild["id"]))
            assert began == ("begun", int(channel["id"]))
        discord.faults.clear()
        discord.state.nonces.clear()
        guild["system_channel_id"] = changed and channel["id"]
        async with running_bot(settings_for(discord, tmp_path)) as (bot, _):
            await settled(bot)
            assert len(greetings(discord)) == 1
            assert (await bot.services.store.greetings.state(int(guild["id"])))[0] == "sent"


async def test_a_server_joined_while_offline_is_greeted_and_an_old_one_is_not(tmp_path):
    async with LocalDiscord() as discord:
        state, bot_id = discord.state, discord.state.application["bot"]["id"]
        new = state.add_guild("New", discord.owner["id"])
        state.add_channel(new["id"], "lobby")
        state.add_member(new["id"], bot_id)
        async with running_bot(settings_for(discord, tmp_path)) as (bot, _):
            [(place, message)] = await until(lambda: greetings(discord))
            await settled(bot)
            assert place["type"] == DM
            assert "**New**" in str(message["components"])
            store = bot.services.store.greetings
            assert await store.state(int(discord.guild["id"])) == ("known", 0)


# -- the pages ---------------------------------------------------------------------------------------


async def test_a_manager_is_led_from_the_channel_to_a_preview_with_start(scene):
    place = await scene.user.slash("/setup")
    assert place.is_private
    assert "step 1 of 4" in place.text
    field = await place.press("Next")
    labels = [option["label"] for option in menu(field, "suf")["options"]]
    assert any(label.startswith("Computation and Language (cs.CL") for label in labels)
    form = await field.press("In your own words")
    unread = await scene.user.submit(form.message["modal"], {"query": "", "fields": "robotics"})
    assert "I don't read Robotics" in unread.text, "its papers would never come"
    form = await field.press("In your own words")
    several = await scene.user.submit(form.message["modal"], {"query": "", "fields": "learning"})
    assert "Machine Learning (cs.LG), Machine Learning in Statistics (stat.ML)" in several.text
    form = await field.press("In your own words")
    both = await scene.user.submit(form.message["modal"], {"query": "", "fields": "Information Theory"})
    assert "Now: Information Theory, Robotics." in both.text
    [draft] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True)
    assert draft.categories == "cs.IT cs.RO math.IT", "arXiv has two of that name"
    form = await field.press("In your own words")
    typed = {"query": "gossip in switches", "fields": "@everyone, cs.NI, x1, x2, x3, x4, x4"}
    none = await scene.user.submit(form.message["modal"], typed)
    assert none.text.count("no field called") == 3
    assert "2 more were unclear." in none.text
    assert "“gossip in switches”" in none.text, "the rest of the form is kept"
    form = await field.press("In your own words")
    many = ", ".join(
        f"cs.{code}" for code in "AI AR CC CE CG CR CV CY DB DC DL DM DS ET FL GL GR GT HC IR LG LO".split()
    )
    most = await scene.user.submit(form.message["modal"], {"query": "", "fields": many})
    assert "A digest takes up to 25 fields, so I left them as they were" in most.text
    [draft] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True)
    assert draft.categories == "cs.IT cs.NI cs.RO math.IT"
    field = await field.choose_all(["cs.CL"], menu(field, "suf"))
    assert "Now: Computation and Language" in field.text
    time = await field.press("Next")
    assert "In which time zone?" in time.text, "American English is spoken in four"
    stays = await time.press("Next")
    assert "First choose your time zone" in stays.text
    time = await stays.choose("America/New_York", menu(stays, "suz"))
    time = await time.choose("08:00", menu(time, "suh"))
    assert "It is 03:00 there" in time.text
    learn = await time.press("Next")
    ready = await learn.press("Preview")
    assert "Ready to start" in ready.text
    assert "Speech recognition" in ready.text
    assert "How these were chosen" in [b["label"] for b in ready.buttons]
    started = await ready.press("Start")
    assert "Started" in started.text
    assert "at 08:00 America/New" in started.text
    [digest] = await scene.bot.services.store.digests.active()
    assert (digest.at, digest.zone, digest.categories) == ("08:00", "America/New_York", "cs.CL")


async def test_a_language_that_speaks_for_one_zone_is_a_guess_that_is_asked_about(scene):
    scene.discord.state.locales[scene.discord.owner["id"]] = "de"
    time = await (await (await scene.user.slash("/setup")).press("Next")).press("Next")
    assert "time zone **Europe/Berlin**. It is 09:00 there" in time.text
    assert "Is that right?" in time.text


async def test_no_digest_starts_without_a_time_zone_that_somebody_has_said(scene):
    panel = await scene.user.slash("/digest create")
    assert "time zone not chosen yet" in panel.text
    refused = await panel.press("Start")
    assert "Choose a time zone first" in refused.text
    panel = await panel.choose("Europe/London", menu(panel, "dgs:z"))
    assert "09:00 Europe/London" in panel.text
    assert "Started" in (await panel.press("Start")).text


async def test_papers_bibtex_and_people_are_learned_from(scene):
    learn = await page_four(scene.user)
    form = await learn.press("Give papers")
    values = {
        "papers": "- [1] Graph neural networks for molecules, part 1\nnothing such",
        "orcid": "",
        "people": "",
    }
    told = await scene.user.submit(form.message["modal"], values)
    assert "1 pasted" in told.text
    assert "I don't know “nothing such”" in told.text
    form = await told.press("Give papers")
    told = await scene.user.submit(form.message["modal"], values | {"papers": BIBTEX})
    assert "2 papers (2 pasted)" in told.text
    preview = await told.press("Preview")
    assert ", given to this digest" in preview.text


async def test_a_file_is_learned_from_on_the_page_itself_and_forgotten_again(scene, tmp_path):
    learn = await page_four(scene.user)
    file = tmp_path / "library.bib"
    file.write_text(BIBTEX)
    form = await learn.press("Give papers")
    told = await scene.user.submit(form.message["modal"], {"file": str(file)})
    assert "1 paper (1 from a file)" in told.text
    assert "I don't know “A book that nobody here knows”" in told.text
    assert "Speech" not in told.text
    ready = await told.press("Preview")
    assert ", given to this digest" in ready.text
    forgotten = await (await ready.press("Back")).press("Forget these")
    assert "No papers yet" in forgotten.text
    assert not [button for button in forgotten.buttons if "Forget" in button["label"]]


HOSTILE_FILES = {
    "empty.bib": (b"", "I changed nothing"),
    "zeros.bib": (b"\0" * 10_000, "I changed nothing"),
    "picture.bib": (bytes(range(256)) * 40, "I changed nothing"),
    "braces.bib": (b"@article{a, title={" + b"{" * 100_000, "I don't know"),
    "pings.bib": (b"@article{a, title={@everyone <@1> [x](http://e.vil)}, author={A}}", "I don't know"),
    "deep.json": (b"[" * 100_000, "I changed nothing"),
}


@pytest.mark.parametrize("name", HOSTILE_FILES)
async def test_a_hostile_file_on_the_page_changes_nothing_and_the_set_up_goes_on(scene, tmp_path, name):
    data, says = HOSTILE_FILES[name]
    (tmp_path / name).write_bytes(data)
    learn = await page_four(scene.user)
    form = await learn.press("Give papers")
    told = await scene.user.submit(form.message["modal"], {"file": str(tmp_path / name)})
    assert says in told.text
    assert "@everyone" not in told.text.replace("@\u200beveryone", "")
    assert not re.search(r"(?<!\\)\]\(http", told.text)
    [draft] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True)
    assert await scene.bot.services.store.digests.seeds(draft.id) == []
    assert "Ready to start" in (await learn.press("Preview")).text


HOSTILE = ("@everyone", "\0\u202e<@1>", "`" * 99, "'; DROP TABLE digests; --", "𝕏" * 60, " " * 50)


async def typed_in(page, label, **values):
    """What is shown after a form that a page's button opens."""
    form = await page.press(label)
    return await page.user.submit(form.message["modal"], values)


@pytest.mark.parametrize("typed", HOSTILE)
async def test_every_field_of_the_set_up_takes_hostile_and_empty_text(scene, typed):
    field = await (await scene.user.slash("/setup")).press("Next")
    told = await typed_in(field, "In your own words", query=typed, fields="")
    assert "step 2 of 4" in told.text
    wrong = await typed_in(field, "In your own words", query="", fields=typed)
    assert ("no field called" in wrong.text) == bool(typed.strip())
    time = await field.press("Next")
    refused = await typed_in(time, "Another time", at="08:00", zone=typed)
    assert "don't know this time zone" in refused.text
    refused = await typed_in(time, "Another time", at=typed[:20], zone="UTC")
    assert "as a time, so I left it as it was. Write it like 08:30, 9am" in refused.text
    told = await typed_in(time, "Another time", at="8h30", zone="utc")
    learn = await told.press("Next")
    for name, says in (
        ("papers", "I don't know"),
        ("orcid", "not an ORCID iD"),
        ("people", "I don't know anyone"),
    ):
        told = await typed_in(learn, "Give papers", **{name: typed})
        assert (says if typed.strip() else "step 4 of 4") in told.text
        assert not {"@everyone", "<@1>"} & set(told.text.split())
    [draft] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True)
    assert (draft.at, draft.zone, draft.categories, draft.people) == ("08:30", "UTC", "", "")


async def test_a_file_an_orcid_and_a_person_teach_a_digest_and_undo_takes_it_back(scene, site, tmp_path):
    scene.bot.services.web, scene.bot.services.orcid_url = site.client(), site.base + "/orcid"
    await (await page_four(scene.user)).press("Preview")
    file = tmp_path / "library.bib"
    file.write_text(BIBTEX)
    told = await scene.user.slash(f"/digest learn file:{file}")
    assert "now learns from 1 more paper" in told.text
    assert "Taken back" in (await told.press("Undo")).text
    assert "not an ORCID iD" in (await scene.user.slash("/digest learn orcid:0000-0002-1825-0098")).text
    assert "Give me something" in (await scene.user.slash("/digest learn")).text
    person = await scene.user.slash("/digest learn person:ChonLam Lao")
    assert "by one person" in person.text


async def test_a_file_of_ten_megabytes_is_refused_and_nothing_is_changed(scene, tmp_path):
    await scene.user.slash("/setup")
    scene.discord.state.upload_limit = 20_000_000
    file = tmp_path / "huge.bib"
    file.write_text("@article{a, title={" + "x" * 10_500_000 + "}}")
    assert "10.5 MB" in (await scene.user.slash(f"/digest learn file:{file}")).text
    file.write_text("@article{a, title={" + "{" * 9_000_000)
    assert "changed nothing" in (await scene.user.slash(f"/digest learn file:{file}")).text
    [draft] = await scene.bot.services.store.digests.of_guild(int(scene.discord.guild["id"]), drafts=True)
    assert await scene.bot.services.store.digests.seeds(draft.id) == []


# -- who, where, and in between ------------------------------------------------------------------------


@asynccontextmanager
async def second(scene, *, manages):
    """Another member."""
    user = joins(scene.discord, "bee")
    if manages:
        role = scene.discord.state.add_role(scene.discord.guild["id"], "managers", 1 << 5)
        scene.discord.guild["members"][user["id"]]["roles"].append(role["id"])
    async with UserClient(scene.discord.url, scene.discord.state.token_of(user["id"])) as client:
        yield client


async def test_a_stranger_can_t_use_the_greeting(scene):
    guild, _ = await joins_server(scene.discord)
    [(channel, message)] = await until(lambda: greetings(scene.discord))
    async with second(scene, manages=False) as bee:
        scene.discord.state.add_member(guild["id"], bee.user["id"])
        assert "manage this server" in (await bee.slash("/setup")).text
        shown = ShownReply(bee, {**message, "channel_id": channel["id"], "guild_id": guild["id"]})
        refused = await shown.press("Set up")
        assert refused.is_private
        assert "manage this server" in refused.text
    assert "step 1 of 4" in (await ShownReply(scene.user, shown.message).press("Set up")).text
    drafts = await scene.bot.services.store.digests.of_guild(int(guild["id"]), drafts=True)
    assert [draft.owner for draft in drafts] == [int(scene.discord.owner["id"])]


async def test_a_manager_who_lost_the_permission_between_two_steps_is_refused(scene):
    async with second(scene, manages=True) as bee:
        page = await bee.slash("/setup")
        assert "step 1 of 4" in page.text
        scene.discord.guild["members"][bee.user["id"]]["roles"].clear()
        assert "manage this server" in (await page.press("Next")).text


async def test_two_managers_at_once_have_drafts_of_their_own_and_are_asked_before_a_second_digest(scene):
    async with second(scene, manages=True) as bee:
        one, other = await scene.user.slash("/setup"), await bee.slash("/setup")
        one, other = await finished(one), await finished(other, "Asia/Tokyo")
        assert "Started" in (await one.press("Start")).text
        asked = await other.press("Start")
        assert "has a digest already" in asked.text
        assert "Started" in (await asked.press("Start a second")).text
        zones = {digest.zone for digest in await scene.bot.services.store.digests.active()}
        assert zones == {"Europe/Berlin", "Asia/Tokyo"}


async def test_a_draft_that_was_started_elsewhere_is_not_started_twice(scene):
    one = await finished(await scene.user.slash("/setup"))
    other = await finished(await scene.user.slash("/setup"))
    assert "Started" in (await one.press("Start")).text
    assert "started this digest already" in (await other.press("Start")).text
    assert len(await scene.bot.services.store.digests.active()) == 1


async def test_a_channel_that_vanished_is_asked_for_again(scene):
    channel = scene.discord.state.add_channel(scene.discord.guild["id"], "arxiv-papers")
    async with heard_by(scene.bot, "guild_channel_create"):
        await scene.discord.gateway.to_channel(channel, "CHANNEL_CREATE", channel)
    page = await scene.user.slash("/setup")
    assert f"<#{channel['id']}>" in page.text, "its name speaks of papers"
    ready = await finished(page)
    async with heard_by(scene.bot, "guild_channel_delete"):
        await scene.discord.gateway.to_channel(channel, "CHANNEL_DELETE", channel)
    del scene.discord.state.channels[channel["id"]]
    again = await ready.press("Start")
    assert "step 1 of 4" in again.text
    assert "gone" in again.text
    assert await scene.bot.services.store.digests.active() == []


async def test_a_set_up_goes_on_after_a_restart(tmp_path, time):
    async with LocalDiscord() as discord, UserClient(discord.url, discord.user_token) as user:
        async with running_bot(settings_for(discord, tmp_path)):
            page = await (await user.slash("/setup")).press("Next")
            page = await page.press("Next")
            page = await page.choose("Asia/Tokyo", menu(page, "suz"))
        async with running_bot(settings_for(discord, tmp_path)) as (bot, _):
            learn = await page.press("Next")
            assert "step 4 of 4" in learn.text
            ready = await learn.press("Preview")
            assert "Ready to start" in ready.text
            assert "Started" in (await ready.press("Start")).text
            [digest] = await bot.services.store.digests.active()
            assert digest.zone == "Asia/Tokyo"


async def test_an_owner_sets_a_server_up_from_a_direct_message(scene):
    guild, channel = await joins_server(scene.discord, system=False)
    [(place, message)] = await until(lambda: greetings(scene.discord))
    page = await ShownReply(scene.user, {**message, "channel_id": place["id"]}).press("Set up")
    assert "step 1 of 4" in page.text
    page = await page.choose(channel["id"], menu(page, "sun"))
    assert f"<#{channel['id']}>" in page.text
    ready = await finished(page)
    assert "Started" in (await ready.press("Start")).text
    [digest] = await scene.bot.services.store.digests.active()
    assert (digest.guild, digest.channel) == (int(guild["id"]), int(channel["id"]))


async def test_a_manager_is_offered_no_channel_that_they_can_t_see(scene):
    bee, bot = joins(scene.discord, "bee"), scene.discord.state.application["bot"]["id"]
    guild, lobby = await joins_server(scene.discord, system=False, owner=bee)
    [(place, message)] = await until(lambda: greetings(scene.discord))
    role = scene.discord.state.add_role(guild["id"], "managers", 1 << 5)
    guild["members"][bee["id"]]["roles"].append(role["id"])
    guild["owner_id"] = scene.discord.owner["id"]
    hidden = scene.discord.state.add_channel(guild["id"], "secret-papers")
    hidden["permission_overwrites"] = [
        {"id": guild["id"], "type": 0, "allow": "0", "deny": "1024"},
        {"id": bot, "type": 1, "allow": "1024", "deny": "0"},
    ]
    async with heard_by(scene.bot, "guild_available"):
        await tell_outage(scene.discord, guild)
    async with UserClient(scene.discord.url, scene.discord.state.token_of(bee["id"])) as user:
        page = await ShownReply(user, {**message, "channel_id": place["id"]}).press("Set up")
        assert "step 1 of 4" in page.text
        assert hidden["id"] not in page.text
        assert [option["value"] for option in menu(page, "sun")["options"]] == [lobby["id"]]


async def test_a_banned_server_can_t_be_set_up_from_a_direct_message(scene):
    bee = joins(scene.discord, "bee")
    guild, _ = await joins_server(scene.discord, system=False, owner=bee)
    [(place, message)] = await until(lambda: greetings(scene.discord))
    async with UserClient(scene.discord.url, scene.discord.state.token_of(bee["id"])) as user:
        greeting = ShownReply(user, {**message, "channel_id": place["id"]})
        page = await greeting.press("Set up")
        assert "step 1 of 4" in page.text
        await scene.bot.services.store.bans.ban("server", int(guild["id"]), by=1, reason="spam")
        assert "manage this server" in (await page.press("Next")).text
        assert "manage this server" in (await greeting.press("Set up")).text


async def test_many_digests_of_long_names_and_fields_fit_on_one_page(scene):
    store, guild = scene.bot.services.store.digests, int(scene.discord.guild["id"])
    fields = "astro-ph.EP astro-ph.IM cond-mat.dis-nn cond-mat.mes-hall cs.CE cs.DC cs.HC"
    for number in range(8):
        made = await store.make(
            Digest(guild, 1, 2, name=f"{number}" + "*" * 70, zone="UTC", categories=fields, query="*" * 90)
        )
        await store.change(made.id, state="active")
    assert "has 8 digests already" in (await scene.user.slash("/setup")).text


async def test_set_up_again_shows_what_there_is(scene):
    ready = await finished(await scene.user.slash("/setup"))
    await ready.press("Start")
    again = await scene.user.slash("/setup")
    assert "has 1 digest already" in again.text
    assert "step 1 of 4" in (await again.press("Set up another")).text
