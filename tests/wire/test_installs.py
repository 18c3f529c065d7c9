"""Where each command is offered, and what works where a member brings Labmate along."""

import pytest

from bot.local_discord.client import CommandRefusedError, UserClient
from bot.local_discord.interactions import FOLLOW_UPS
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.cards.lists import note
from commands.kit.reply import Reply
from commands.papers.paper import PaperCard
from data.stores.digest_record import Digest
from tests.helpers.digests import in_zone
from tests.helpers.lab import settings_for

EMULATED = "how can large GPU clusters be emulated for training?"
GUILD, BOT_DM, PRIVATE = 0, 1, 2
ANYWHERE = set(
    "about ask author compare digest follow following graph help library me new paper papers save search "
    "settings similar similar-people summary trending unfollow".split()
) | {"Papers in here", "Save", "Similar"}
WITH_LABMATE = set("claim collaborators contest contests invitations person profile who-knows".split())
IN_SERVERS = set("invite link-cards list setup top".split())


@pytest.fixture
async def brought(tmp_path):
    """A member who has installed Labmate for themselves, in a server where it is not."""
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path)) as (bot, scheduler),
        UserClient(discord.url, discord.user_token) as user,
    ):
        await scheduler.load_model()
        state = discord.state
        elsewhere = state.add_guild("Elsewhere", discord.owner["id"])
        place = state.add_channel(elsewhere["id"], "general")
        state.user_installs.add(discord.owner["id"])
        user.guild_id, user.channel_id = elsewhere["id"], place["id"]
        yield discord, bot, user, place


async def test_every_command_says_on_purpose_where_it_is_offered(own):
    _, user = own
    offered = {c["name"]: (c["integration_types"], c["contexts"]) for c in await user.commands()}
    rules = {
        **dict.fromkeys(ANYWHERE, ([GUILD, 1], [GUILD, BOT_DM, PRIVATE])),
        **dict.fromkeys(IN_SERVERS, ([0], [GUILD])),
        "admin": ([0], [BOT_DM]),
    }
    for name, (installs, contexts) in offered.items():
        wanted = rules.get(name, ([0], [GUILD, BOT_DM]))
        assert (sorted(installs), sorted(contexts)) == wanted, name
    assert set(offered) >= ANYWHERE | WITH_LABMATE | IN_SERVERS


async def test_what_needs_no_server_works_where_labmate_is_not(brought):
    discord, _, user, place = brought
    for command in (
        "/papers author:ChonLam Lao",
        "/similar paper:PrismLLM",
        "/search query:network",
        f"/ask {EMULATED}",
        "/paper paper:PrismLLM",
        "/author name:Minlan Yu",
        "/library show",
        "/help",
    ):
        reply = await user.slash(command)
        assert "Something went wrong" not in reply.text, command
        assert reply.text
    assert {m["channel_id"] for m in discord.state.messages[place["id"]].values()} == {place["id"]}
    reply = await user.slash("/paper paper:PrismLLM")
    assert "went wrong" not in (await reply.press("Similar")).text


async def test_the_menus_of_messages_work_where_labmate_is_not(brought):
    _, _, user, _ = brought
    message = await user.say("read https://arxiv.org/abs/2605.15617")
    for name in ("Papers in here", "Save", "Similar"):
        reply = await user.context_menu(name, message["id"], kind=3)
        assert reply.is_private
        assert "PrismLLM" in reply.text, name


async def test_discord_takes_the_number_of_menu_commands(own):
    """Five for messages and five for members: https://docs.discord.com/developers/interactions/application-commands"""
    kinds = [command["type"] for command in await own[1].commands()]
    assert kinds.count(2) <= 5
    assert 0 < kinds.count(3) <= 5


async def test_an_own_digest_is_set_up_and_a_server_s_is_not(brought):
    _, bot, user, _ = brought
    assert "I'm not in this server" in (await user.slash("/digest create")).text
    assert "/digest mine" in (await user.slash("/digest list")).text
    panel = await user.slash("/digest mine")
    assert "by direct message" in panel.text
    assert "Started" in (await (await in_zone(panel)).press("Start")).text
    assert len(await bot.services.store.digests.of_owner(int(user.user["id"]))) == 1


async def test_what_can_t_work_there_is_not_offered(brought):
    _, _, user, _ = brought
    for command in (
        "/list show",
        "/setup",
        "/top",
        "/who-knows topic:networks",
        "/claim person:Minlan Yu",
        "/invitations",
    ):
        with pytest.raises(CommandRefusedError, match="10063"):
            await user.slash(command)


async def test_who_manages_a_server_that_labmate_left_manages_nothing_in_it(brought):
    _, bot, user, place = brought
    guild, owner = int(user.guild_id), int(user.user["id"])
    kept = await bot.services.store.digests.make(Digest(guild, int(place["id"]), owner))
    for command in ("edit", "resume", "delete", "preview"):
        assert "no such digest" in (await user.slash(f"/digest {command} digest:#{kept.id}")).text
    assert (await bot.services.store.digests.find(kept.id)).state == "draft"


async def test_asking_on_goes_by_a_form_where_labmate_hears_nobody(brought):
    discord, _, user, place = brought
    answered = await user.slash(f"/ask {EMULATED}")
    form = await answered.press("Ask on")
    assert form.message["modal"]["custom_id"].startswith("aqf:")
    assert not [c for c in discord.state.channels.values() if c.get("parent_id") == place["id"]]


async def test_in_a_direct_message_of_two_members_labmate_answers_and_asks_on_by_a_form(brought):
    discord, _, user, _ = brought
    friend = discord.state.add_user("friend")
    between = discord.state.dm_between(user.user["id"], friend["id"])
    user.channel_id = between["id"]
    answered = await user.slash(f"/ask {EMULATED}")
    assert answered.message["channel_id"] == between["id"]
    assert (await answered.press("Ask on")).message["modal"]


async def test_a_long_answer_keeps_to_five_follow_ups(brought, monkeypatch):
    discord, _, user, _ = brought

    async def many(*_):
        return Reply(note("first"), (), [Reply(note(f"part {number}")) for number in range(9)])

    monkeypatch.setattr(PaperCard, "_paper", many)
    await user.slash("/paper paper:PrismLLM")
    [interaction] = [i for i in discord.state.interactions.values() if i.payload["type"] == 2]
    while interaction.follow_ups < FOLLOW_UPS:
        await user.wait_for("MESSAGE_CREATE")
    texts = [str(m["components"]) for m in discord.state.messages[user.channel_id].values()]
    assert sum("part" in text for text in texts) == FOLLOW_UPS - 1
    assert "5 more messages don't fit here" in texts[-1]


async def test_where_the_application_allows_no_members_installs_nothing_is_offered_to_them(tmp_path):
    async with LocalDiscord() as discord:
        del discord.state.application["integration_types_config"]["1"]
        async with (
            running_bot(settings_for(discord, tmp_path)) as _,
            UserClient(discord.url, discord.user_token) as user,
        ):
            offered = await user.commands()
            assert {tuple(command["integration_types"]) for command in offered} == {(0,)}
            assert not any(PRIVATE in command["contexts"] for command in offered)
