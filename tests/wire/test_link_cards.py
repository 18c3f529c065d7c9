"""Cards below posted links, over real sockets: where they come, how quietly, and what never brings one."""

import asyncio
from datetime import UTC, datetime
from types import SimpleNamespace

import aiohttp
import pytest
from sqlalchemy import select

from bot.closes import LoginError
from bot.doctor import services as doctor
from bot.local_discord.client import UserClient
from bot.local_discord.intents import MESSAGE_CONTENT
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import TEXT
from bot.run import WITHOUT_LINKS, running_bot
from commands.papers.link_cards import CARDS, LinkReplies
from data.calendar import clock
from data.tables.links import LinkCardRow
from index.search.posted_links import posted_links
from tests.helpers.lab import settings_for
from tests.helpers.members import heard_by, joins, said
from tests.helpers.places import forbid, place_of

LINK = "https://arxiv.org/abs/2605.15617"
OTHERS = ("2302.08545", "2412.12636", "2504.20854", "2201.06398", "2410.22229", "2410.16037")
PLACES = ((1, 11), (1, 12), (1, 13), (2, 21))
"""Servers and channels."""
SUPPRESS_EMBEDS, SUPPRESS_NOTIFICATIONS = 1 << 2, 1 << 12


def allow(discord):
    """Switch the intent on in the portal."""
    discord.state.application["_privileged_intents"] = MESSAGE_CONTENT


@pytest.fixture
async def linked(tmp_path):
    """A server with link cards switched on."""
    async with LocalDiscord() as discord:
        allow(discord)
        async with (
            running_bot(settings_for(discord, tmp_path, link_cards=True)) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            assert "are now on here" in (await user.slash("/link-cards switch:on")).text
            yield discord, bot, user


def cards(discord, channel=None):
    """The cards posted in a channel: Labmate's replies."""
    bot = discord.state.application["bot"]["id"]
    messages = said(discord, channel or discord.channel)
    return [m for m in messages if m["author"]["id"] == bot and m.get("message_reference")]


async def quiet(discord, bot, user, content, author=None, **more):
    """Post what must bring no card, then a link that brings one: whatever came before has come by then."""
    before = len(cards(discord))
    message = await discord.messages.create(
        discord.channel, author or discord.owner["id"], {"content": content}, **more
    )
    probe = await user.tell(f"https://arxiv.org/abs/{OTHERS[before % len(OTHERS)]}")
    assert len(cards(discord)) == before + 1, content
    return message, probe


async def test_a_posted_link_gets_one_small_quiet_card(linked):
    discord, _, user = linked
    reply = await user.tell(f"look at {LINK}v2 please")
    assert "A Few GPUs" in reply.text
    assert "Abstract" not in reply.text
    assert len(reply.text) < 600
    assert reply.message["flags"] & SUPPRESS_NOTIFICATIONS
    assert reply.message["mentions"] == []
    assert not reply.is_private
    assert "arXiv:2605.15617" in (await reply.press("Details")).text
    assert "THC" in (await user.tell(f"https://doi.org/10.48550/arXiv.{OTHERS[0]}")).text
    assert len(cards(discord)) == 2


async def test_several_papers_of_a_message_share_a_card(linked):
    _, _, user = linked
    reply = await user.tell(" ".join(f"https://arxiv.org/pdf/{number}" for number in OTHERS))
    assert len([button for button in reply.buttons if button["label"] == "Details"]) == 3


@pytest.mark.parametrize(
    "content",
    [
        f"<{LINK}>",
        f"`{LINK}`",
        f"```\n{LINK}\n```",
        f"|| {LINK} ||",
        "arXiv:2605.15617 without a link",
        "https://arxiv.org/abs/2601.99999",
        "https://example.org/2605.15617",
        "https://openreview.net/forum?id=aBc_dEf-12",
        "hello",
    ],
)
async def test_what_asks_for_no_card_gets_none(linked, content):
    discord, bot, user = linked
    await quiet(discord, bot, user, content)


async def test_bots_webhooks_system_messages_and_labmate_itself_get_none(linked):
    discord, bot, user = linked
    other = discord.state.add_user("another bot")
    other["bot"] = True
    discord.state.add_member(discord.guild["id"], other["id"])
    me = discord.state.application["bot"]["id"]
    await quiet(discord, bot, user, LINK, author=other["id"])
    await quiet(discord, bot, user, LINK, webhook_id=other["id"])
    await quiet(discord, bot, user, LINK, type=7)
    await quiet(discord, bot, user, LINK, author=me)


async def test_an_edit_and_a_banned_member_get_none(linked):
    discord, bot, user = linked
    message, _ = await quiet(discord, bot, user, "soon")
    async with heard_by(bot, "raw_message_edit"):
        await discord.messages.edit(message, {"content": LINK})
    await quiet(discord, bot, user, "x")
    banned = joins(discord, "banned")
    await bot.services.store.bans.ban("member", int(banned["id"]), by=0, reason="a test")
    await quiet(discord, bot, user, LINK, author=banned["id"])


async def test_a_mention_with_a_link_is_answered_as_a_mention_and_gets_no_card_besides(linked):
    discord, _, user = linked
    reply = await user.mention(f"papers like {LINK}")
    assert reply.text.startswith("-# /")
    await user.tell(f"https://arxiv.org/abs/{OTHERS[0]}")
    assert len(cards(discord)) == 2


async def test_the_same_paper_comes_once_a_day_in_a_channel_also_after_a_restart(tmp_path):
    file = tmp_path / "clock"
    file.write_text("2026-11-16T08:00:00+00:00")
    clock.follow(file)
    async with LocalDiscord() as discord:
        allow(discord)
        settings = settings_for(discord, tmp_path / "lab", link_cards=True)
        other = discord.state.add_channel(discord.guild["id"], "other")
        async with UserClient(discord.url, discord.user_token) as user:
            async with running_bot(settings) as (bot, _):
                await user.slash("/link-cards switch:on")
                await user.tell(LINK)
                await quiet(discord, bot, user, f"again: {LINK}v3")
                user.channel_id = other["id"]
                assert "A Few GPUs" in (await user.tell(LINK)).text
                user.channel_id = discord.channel["id"]
            async with running_bot(settings) as (bot, _):
                await quiet(discord, bot, user, LINK)
                clock.show(file, datetime(2026, 11, 17, 8, tzinfo=UTC))
                assert "A Few GPUs" in (await user.tell(LINK)).text
                async with bot.services.store._engine.connect() as connection:
                    rows = (await connection.execute(select(LinkCardRow))).all()
                assert {row.day.isoformat() for row in rows} == {"2026-11-17"}
                assert {row.channel for row in rows} == {int(discord.channel["id"])}


async def test_who_posted_removes_the_card_and_nobody_else(linked):
    discord, _, user = linked
    poster = joins(discord, "poster")
    async with UserClient(discord.url, discord.state.token_of(poster["id"])) as second:
        card = await second.tell(LINK)
        user.messages.setdefault(card.message["id"], card.message)
        refused = await user.component(
            card.message, {"component_type": 2, "custom_id": card.button("Remove")["custom_id"]}
        )
        assert refused.is_private
        assert "Only the person who posted the link" in refused.text
        assert cards(discord)
        removed = await card.press("Remove")
        assert removed.is_private
        assert "Removed." in removed.text
    assert not cards(discord)


async def test_the_preview_is_hidden_only_where_labmate_may_and_nothing_else_is_linked(linked):
    discord, bot, user = linked
    here = discord.state.messages[discord.channel["id"]]

    async def flags(content):
        reply = await user.tell(content)
        await quiet(discord, bot, user, "so that what comes after the card has come")
        return here[reply.message["message_reference"]["message_id"]]["flags"]

    assert await flags(LINK) & SUPPRESS_EMBEDS
    assert not await flags(f"https://arxiv.org/abs/{OTHERS[5]} and https://example.org") & SUPPRESS_EMBEDS


async def test_the_preview_stays_where_not_every_link_got_a_card(linked):
    discord, bot, user = linked
    await user.tell(LINK)
    reply = await user.tell(f"https://arxiv.org/abs/{OTHERS[4]} and {LINK}")
    await quiet(discord, bot, user, "so that what comes after the card has come")
    message = discord.state.messages[discord.channel["id"]][reply.message["message_reference"]["message_id"]]
    assert not message["flags"] & SUPPRESS_EMBEDS


async def test_the_preview_stays_where_labmate_may_not_manage_messages(linked):
    discord, bot, user = linked
    await forbid(SimpleNamespace(discord=discord, bot=bot), discord.channel, "manage_messages")
    reply = await user.tell(LINK)
    await quiet(discord, bot, user, "so that what comes after the card has come")
    message = discord.state.messages[discord.channel["id"]][reply.message["message_reference"]["message_id"]]
    assert not message["flags"] & SUPPRESS_EMBEDS
    assert not [r for r in discord.requests if r["method"] == "PATCH" and "/channels/" in r["path"]]


async def test_nothing_is_tried_where_labmate_may_not_write(linked):
    discord, bot, user = linked
    scene = SimpleNamespace(discord=discord, bot=bot)
    await forbid(scene, discord.channel, "send_messages")
    async with heard_by(bot, "message"):
        await user.say(LINK)
    user.channel_id = (await place_of(scene, TEXT))["id"]
    await user.tell(LINK)
    assert not cards(discord)
    assert not [r for r in discord.requests if r["status"] >= 400]


async def test_a_channel_gets_only_so_many_cards(linked):
    discord, bot, user = linked
    for number in OTHERS[:CARDS]:
        await user.tell(f"https://arxiv.org/abs/{number}")
    async with heard_by(bot, "message"):
        await user.say(LINK)
    other = await place_of(SimpleNamespace(discord=discord, bot=bot), TEXT)
    user.channel_id = other["id"]
    await user.tell(LINK)
    assert len(cards(discord)) == CARDS
    assert len(cards(discord, other)) == 1


async def test_a_server_gets_only_so_many_cards_however_many_channels_it_has(linked, monkeypatch):
    _, bot, _ = linked
    monkeypatch.setattr("commands.papers.link_cards.OF_SERVER", 2)
    [cog] = [cog for cog in bot.cogs.values() if isinstance(cog, LinkReplies)]
    taken = [len(await cog._taken(guild, place, posted_links(LINK))) for guild, place in PLACES]
    assert taken == [1, 1, 0, 1], "another server's turn is not taken"


async def test_only_who_manages_the_server_switches_it_and_it_is_off_at_first(tmp_path):
    async with LocalDiscord() as discord:
        allow(discord)
        member = joins(discord, "member")
        async with (
            running_bot(settings_for(discord, tmp_path, link_cards=True)) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
            UserClient(discord.url, discord.state.token_of(member["id"])) as other,
        ):
            told = (await other.slash("/link-cards")).text
            assert "are off here" in told
            assert "To switch them on: /link-cards switch:on" in told
            async with heard_by(bot, "message"):
                await user.say(LINK)
            refused = await other.slash("/link-cards switch:on")
            assert refused.is_private
            assert "Only those who manage" in refused.text
            await user.slash("/link-cards switch:on")
            await user.tell(LINK)
            assert "are now off here" in (await user.slash("/link-cards switch:off")).text
            async with heard_by(bot, "message"):
                await user.say(f"https://arxiv.org/abs/{OTHERS[0]}")
            await user.mention("help")
            assert len([c for c in cards(discord) if "A Few GPUs" in str(c["components"])]) == 1


async def test_without_the_setting_labmate_asks_for_no_intent_and_says_so(lab):
    assert not lab.bot.intents.message_content
    refused = await lab.user.slash("/link-cards switch:on")
    assert "LINK_CARDS=true" in refused.text
    assert "Message Content Intent" in refused.text
    told = (await lab.user.slash("/link-cards")).text
    assert "LINK_CARDS=true" in told
    assert "To switch them on" not in told


async def test_where_discord_refuses_the_intent_labmate_starts_without_and_says_what_to_do(tmp_path, caplog):
    async with LocalDiscord() as discord:
        told = []
        settings = settings_for(discord, tmp_path, link_cards=True)
        [*_, finding] = [f for f in await doctor.discord(settings) if "LINK_CARDS" in f.text]
        assert finding.state == "bad"
        assert "Message Content Intent" in finding.advice
        async with (
            running_bot(settings, told.append) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            assert WITHOUT_LINKS in told
            assert WITHOUT_LINKS in caplog.text
            assert not bot.intents.message_content
            assert "are off here" in (await user.slash("/link-cards")).text
            refused = await user.slash("/link-cards switch:on")
            assert "Discord doesn't let me read messages" in refused.text
            assert "PrismLLM" in (await user.slash("/paper PrismLLM")).text
        allow(discord)
        [finding] = [f for f in await doctor.discord(settings) if "LINK_CARDS" in f.text]
        assert finding.state == "good"


async def test_an_intent_that_is_withdrawn_later_ends_in_a_way_that_a_restart_helps(tmp_path):
    async with LocalDiscord() as discord:
        allow(discord)
        async with running_bot(settings_for(discord, tmp_path, link_cards=True)) as (bot, _):
            async with (
                aiohttp.ClientSession() as session,
                session.post(f"{discord.url}/local/faults", json=[{"close": 4014}]) as answer,
            ):
                assert answer.status == 204
            with pytest.raises(LoginError, match="LINK_CARDS") as told:
                await asyncio.wait_for(bot.until_closed(), 60)
    assert told.value.status == 1


async def test_a_link_in_a_thread_gets_its_card_there(linked):
    _, _, user = linked
    thread = await user.request("POST", f"/channels/{user.channel_id}/threads", {"name": "t", "type": 11})
    user.channel_id = thread["id"]
    assert (await user.tell(LINK)).message["channel_id"] == thread["id"]


async def test_a_server_that_labmate_leaves_is_switched_off(linked):
    discord, bot, _ = linked
    guild = int(discord.guild["id"])
    assert await bot.services.store.link_cards.servers() == {guild}
    async with heard_by(bot, "guild_remove"):
        await discord.gateway.to_users(
            [discord.state.application["bot"]["id"]], "GUILD_DELETE", {"id": str(guild), "unavailable": False}
        )
    async with asyncio.timeout(60):
        while await bot.services.store.link_cards.servers():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
