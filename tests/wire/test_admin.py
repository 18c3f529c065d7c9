"""The operator: bans, the list of servers, undoing what anybody said, and a log of it all."""

from __future__ import annotations

import asyncio
import shutil
from datetime import date, timedelta

import pytest

from bot.app import load_sample
from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from bot.settings import Settings
from commands.kit.access import REFUSED
from data.stores.claims import ClaimRefused
from data.stores.digest_record import Digest
from data.stores.scopes import Scope
from data.stores.store import Store
from index.trust.corrections import join
from index.trust.operator import Operator, OperatorError
from tests.helpers import databases
from tests.helpers.lab import Lab, settings_for
from tests.helpers.process import run

pytestmark = pytest.mark.hostile

REASON = "sends *spam*"


@pytest.fixture
async def scene(tmp_path):
    async with LocalDiscord() as discord, running_bot(settings_for(discord, tmp_path)) as (bot, scheduler):
        bot.services.model_settled.set()
        async with UserClient(discord.url, discord.user_token) as owner:
            yield Lab(discord, bot, scheduler, owner, settings_for(discord, tmp_path))


@pytest.fixture
async def member(scene):
    """Somebody else in the same server."""
    user = scene.discord.state.add_user("someone")
    scene.discord.state.add_member(scene.discord.guild["id"], user["id"])
    async with UserClient(scene.discord.url, scene.discord.state.token_of(user["id"])) as client:
        yield client


@pytest.fixture(scope="module")
async def sample_folder(tmp_path_factory):
    """A data folder with the sample, judged."""
    folder = tmp_path_factory.mktemp("sample")
    url = databases.setting(folder)
    await load_sample(Settings(_env_file=None, labmate_data=folder, database_url=url))
    return folder


@pytest.fixture
async def store(sample_folder, tmp_path):
    """A copy of the sample's store."""
    shutil.copytree(sample_folder, tmp_path / "copy")
    databases.copy(sample_folder, tmp_path / "copy")
    opened = await Store.open(databases.url_of(tmp_path / "copy" / "labmate.db"))
    yield opened
    await opened.close()


async def admin(scene, user, typed):
    """What somebody gets for ``/admin`` in their direct messages, where alone it is offered."""
    place, bot = (user.guild_id, user.channel_id), scene.discord.state.application["bot"]["id"]
    user.guild_id, user.channel_id = None, scene.discord.state.dm_between(user.user["id"], bot)["id"]
    try:
        return await user.slash(f"/admin {typed}")
    finally:
        user.guild_id, user.channel_id = place


async def _two_people(store: Store):
    """Two people who wrote no paper together."""
    everybody = [await store.people.find(number) async for number, _ in store.people.all_names()]
    papers = {p.id: {row.paper_id for row in await store.people.memberships(p.id)} for p in everybody}
    one = everybody[0]
    return one, next(p for p in everybody if not papers[p.id] & papers[one.id])


async def test_a_banned_member_gets_one_private_sentence_from_commands_buttons_and_forms(scene, member):
    before = await member.slash("/papers ChonLam Lao")
    await member.slash("/save PrismLLM")
    library = await member.slash("/library show")
    note_form = await (await library.press(library.buttons[0])).press("note")
    await admin(scene, scene.user, f"ban what:member id:{member.user['id']} reason:{REASON}")

    refused = await member.slash("/papers ChonLam Lao")
    assert refused.is_private
    assert refused.text == REFUSED
    pressed = await before.press(before.buttons[0])
    assert pressed.is_private
    assert pressed.text == REFUSED
    assert await member.complete("/papers Chon") == []
    fields = {c["custom_id"]: "mine" for c in note_form.components if c["type"] == 4}
    sent = await member.submit(note_form.message["modal"], fields)
    assert sent.text == REFUSED
    [kept] = await scene.bot.services.store.library.of(int(member.user["id"]))
    assert kept.note == ""

    await admin(scene, scene.user, f"unban what:member id:{member.user['id']}")
    assert "papers, newest first" in (await member.slash("/papers ChonLam Lao")).text
    log = (await admin(scene, scene.user, "log")).text
    assert "ban.member" in log
    assert "unban.member" in log


async def test_others_are_not_touched_by_a_ban(scene, member):
    await admin(scene, scene.user, f"ban what:member id:{member.user['id']} reason:{REASON}")
    assert "papers, newest first" in (await scene.user.slash("/papers ChonLam Lao")).text


async def test_only_the_owner_of_the_application_can_use_admin(scene, member):
    reply = await admin(scene, member, f"ban what:member id:{scene.user.user['id']} reason:mine")
    assert reply.is_private
    assert "Only the person who runs this Labmate" in reply.text
    assert await scene.bot.services.store.bans.all() == []


async def test_a_banned_server_is_left_and_left_again_when_it_invites(scene):
    guild = scene.discord.guild["id"]
    bot = scene.discord.state.application["bot"]["id"]
    await scene.bot.services.store.bans.ban("server", int(guild), by=0, reason=REASON)
    left = asyncio.Event()
    scene.bot.add_listener(_setter(left), "on_guild_remove")
    await scene.bot.get_cog("Admin").leave_banned()
    await asyncio.wait_for(left.wait(), 30)
    assert bot not in scene.discord.guild["members"]

    left.clear()
    scene.discord.state.add_member(guild, bot)
    joined = scene.discord.state.guild_json(guild, bot)
    del joined["unavailable"]  # with it, it would be a server that is back after an outage
    await scene.discord.gateway.to_users([bot], "GUILD_CREATE", joined)
    await asyncio.wait_for(left.wait(), 30)
    assert bot not in scene.discord.guild["members"]


async def test_with_a_list_other_servers_are_refused_but_not_left(scene, member):
    await admin(scene, scene.user, "allow server:123456789012345678")
    assert (await member.slash("/papers ChonLam Lao")).text == REFUSED
    await scene.bot.get_cog("Admin").leave_banned()
    assert scene.bot.guilds
    store = scene.bot.services.store
    await Operator(store, 0, "me").allow(int(scene.discord.guild["id"]))
    assert "papers, newest first" in (await member.slash("/papers ChonLam Lao")).text
    assert "on the list, but I am not there" in (await admin(scene, scene.user, "servers")).text


async def test_digests_of_the_banned_wait_until_the_ban_is_lifted(scene, member):
    digests, bans = scene.bot.services.store.digests, scene.bot.services.store.bans
    guild, someone = int(scene.discord.guild["id"]), int(member.user["id"])
    yesterday = date.today() - timedelta(days=1)
    for place, channel in ((guild, int(scene.discord.channel["id"])), (0, someone)):
        made = await digests.make(Digest(place, channel, someone, upto=yesterday, at="09:00", zone="UTC"))
        await digests.change(made.id, state="active")
    assert len(await digests.active()) == 2
    await bans.ban("member", someone, by=0, reason=REASON)
    assert [digest.guild for digest in await digests.active()] == [guild]
    await bans.ban("server", guild, by=0, reason=REASON)
    assert await digests.active() == []
    await bans.lift("member", someone)
    await bans.lift("server", guild)
    await bans.allow(1, by=0)
    assert [digest.guild for digest in await digests.active()] == [0]
    await bans.allow(guild, by=0)
    assert len(await digests.active()) == 2


@pytest.mark.parametrize(
    "typed", ["me", "12", "99999999999999999999", "<@me>", "１２３４５６７８９０１２３４５６"]
)
async def test_what_is_no_id_bans_nobody(scene, typed):
    reply = await admin(scene, scene.user, f"ban what:member id:{typed} reason:x")
    assert "not a Discord id" in reply.text
    assert await scene.bot.services.store.bans.all() == []


async def test_the_operator_does_not_shut_themselves_out(scene):
    reply = await admin(scene, scene.user, f"ban what:member id:{scene.user.user['id']} reason:x")
    assert "can't ban yourself" in reply.text
    for kind, target in (("member", scene.user.user["id"]), ("server", scene.discord.guild["id"])):
        await scene.bot.services.store.bans.ban(kind, int(target), by=0, reason="by mistake")
    reply = await admin(scene, scene.user, f"unban what:member id:{scene.user.user['id']}")
    assert "may use this Labmate again" in reply.text


def _setter(event):
    async def on_guild_remove(_guild):
        event.set()

    return on_guild_remove


async def test_a_correction_of_any_server_is_seen_and_taken_back(store):
    one, other = await _two_people(store)
    number = await join(store, one, other, Scope.server(666, (7, "Mallory")))
    operator = Operator(store, 1, "me")
    [line] = await operator.look("correction")
    assert (line.number, line.state, line.guild) == (number, "in force in its server", 666)
    assert "Mallory" in line.text
    said = await operator.undo("correction", number)
    assert said.startswith("Taken back: ")
    assert (await operator.look("correction"))[0].state == "taken back by me"
    with pytest.raises(OperatorError, match="already"):
        await operator.undo("correction", number)
    undone, said = await operator.log()
    assert (undone.actor, undone.action, undone.subject) == (1, "correction.undo", f"correction {number}")
    assert (said.actor, said.action, said.guild) == (7, "correction.same", 666)


async def test_a_server_s_correction_is_made_to_hold_for_everybody_and_taken_back(store):
    one, other = await _two_people(store)
    number = await join(store, one, other, Scope.server(666, (7, "Mallory")))
    assert len(await store.people.memberships(other.id)) == other.papers
    operator = Operator(store, 1, "me")
    assert (await operator.promote(number)).startswith("This holds for everybody now")
    assert (await operator.look("correction"))[0].state == "in force for everybody"
    assert await store.people.memberships(other.id) == []
    with pytest.raises(OperatorError, match="already"):
        await operator.promote(number)
    await operator.undo("correction", number)
    assert len(await store.people.memberships(other.id)) == other.papers


async def test_a_claim_is_ended_and_holds_again(store):
    one, _ = await _two_people(store)
    claim = await store.claims.begin(5, one.id, 9, "labmate-x")
    await store.claims.prove(claim.id, "page", "https://page.test of the institution")
    operator = Operator(store, 1, "me")
    await operator.undo("claim", claim.id)
    assert await store.claims.of_person(one.id) is None
    await operator.undo("claim", claim.id)
    held = await store.claims.of_person(one.id)
    assert held is not None
    assert (held.member, held.level, held.why_ended) == (5, 2, "")
    await operator.end_claim(claim.id, "not them")
    assert "not them" in (await operator.look("claim"))[0].text


async def test_a_claim_whose_person_is_held_by_somebody_else_can_not_come_back(store):
    one, _ = await _two_people(store)
    first = await store.claims.begin(5, one.id, 9, "labmate-x")
    await store.claims.prove(first.id, "page", "https://page.test of the institution")
    await store.claims.end(first.id, "test")
    second = await store.claims.begin(6, one.id, 9, "labmate-y")
    await store.claims.prove(second.id, "page", "https://other.test of the institution")
    with pytest.raises(OperatorError, match="Somebody else holds this person"):
        await Operator(store, 1, "me").undo("claim", first.id)
    assert (await store.claims.of_person(one.id)).member == 6
    assert "claim.restore" not in {entry.action for entry in await store.audit.newest()}


async def test_a_claim_that_was_never_proven_is_not_made_to_hold(store):
    one, _ = await _two_people(store)
    claim = await store.claims.begin(5, one.id, 9, "labmate-x")
    await store.claims.end(claim.id, "test")
    with pytest.raises(ClaimRefused, match="proven"):
        await store.claims.restore(claim.id)


async def test_a_contest_is_settled_and_opened_again_with_its_claim(store):
    one, _ = await _two_people(store)
    claim = await store.claims.begin(5, one.id, 9, "labmate-x")
    await store.claims.prove(claim.id, "page", "https://page.test of the institution")
    contest = await store.contests.contest(claim.id, 6, "it is me")
    operator = Operator(store, 1, "me")
    with pytest.raises(OperatorError, match="still open"):
        await operator.undo("contest", contest.id)
    await operator.settle(contest.id, upheld=True)
    assert await store.claims.of_person(one.id) is None
    await operator.undo("contest", contest.id)
    assert (await store.claims.of_person(one.id)).member == 5
    assert (await operator.look("contest"))[0].state == "open"
    mine = [entry.action for entry in await operator.log() if entry.actor == 1]
    assert mine == ["contest.reopen", "claim.restore", "contest.settle"]


def test_the_command_line_bans_lists_and_logs(tmp_path):
    def admin(*arguments):
        return run("admin", *arguments, folder=tmp_path)

    assert admin("bans").stdout == "No member or server is banned.\n"
    done = admin("ban", "member", "123456789012345678", "--reason", REASON)
    assert (done.returncode, done.stdout) == (0, "The member 123456789012345678 is banned.\n")
    again = admin("ban", "member", "123456789012345678", "--reason", REASON)
    assert (again.returncode, again.stderr) == (1, "The member 123456789012345678 is banned already.\n")
    assert REASON in admin("bans").stdout
    assert admin("undo", "correction", "7").stderr == "There is no correction 7.\n"
    assert admin("ban", "planet", "1", "--reason", "x").returncode == 2
    for wrong in (("allow", "1"), ("ban", "member", "7", "--reason", "x"), ("undo", "claim", "9" * 23)):
        refused = admin(*wrong)
        assert refused.returncode == 2
        assert "Invalid value" in refused.stderr
    assert admin("servers").stdout.startswith("The allow list is empty"), "a slip locks nobody out"
    assert "ban.member" in admin("log").stdout


async def test_a_party_settles_nothing_though_they_run_this_labmate(store):
    one, _ = await _two_people(store)
    claim = await store.claims.begin(5, one.id, 9, "labmate-x")
    await store.claims.prove(claim.id, "page", "https://page.test of the institution")
    contest = await store.contests.contest(claim.id, 6, "it is me")
    for party in (5, 6):
        with pytest.raises(OperatorError, match="You are a party"):
            await Operator(store, party, "me").settle(contest.id, upheld=party == 6)
    assert (await store.contests.find(contest.id)).state == "open"


async def test_members_words_do_not_come_back_beside_a_proof(store):
    one, _ = await _two_people(store)
    vouched = await store.claims.begin(5, one.id, 9, "labmate-x")
    await store.claims.prove(vouched.id, "vouch", "")
    proven = await store.claims.begin(6, one.id, 9, "labmate-y")
    await store.claims.prove(proven.id, "page", "https://page.test of the institution")
    assert (await store.claims.find(vouched.id)).state == "ended"
    with pytest.raises(OperatorError, match="Somebody else holds this person"):
        await Operator(store, 1, "me").undo("claim", vouched.id)


async def test_a_claim_is_a_rival_under_the_number_that_the_person_had_before(store):
    one, other = await _two_people(store)
    first = await store.claims.begin(5, one.id, 9, "labmate-x")
    await store.claims.prove(first.id, "orcid", "0000-0002-1825-0097 by Crossref")
    await join(store, other, one, Scope.operator((1, "me")))
    second = await store.claims.begin(6, other.id, 9, "labmate-y")
    with pytest.raises(ClaimRefused, match="equally good proof"):
        await store.claims.prove(second.id, "page", "https://page.test of the institution")
    assert (await store.claims.find(first.id)).state == "held"
