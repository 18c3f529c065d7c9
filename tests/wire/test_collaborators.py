"""Suggestions, following and one's own data, as members meet them."""

import json

import aiohttp
import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.completion import files_of
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.kit.replies import UserError
from commands.members.follow import unfollow
from commands.members.me import forget
from tests.helpers.lab import settings_for


@pytest.fixture
async def own(tmp_path):
    """A Labmate of its own, so that what members say here meets nobody else's test."""
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path)
        async with (
            running_bot(settings) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            yield bot, user


async def test_suggestions_leave_out_present_coauthors_unless_asked_for(own):
    _, user = own
    none = await user.slash("/collaborators who:ChonLam Lao")
    assert "no possible collaborators" in none.text, "the sample knows only coauthors with three papers"
    found = await user.slash("/collaborators who:ChonLam Lao new_only:False")
    assert "Possible collaborators for ChonLam Lao" in found.text
    assert "Jiamin Cao" in found.text
    why = await found.choose(found.selects[0]["options"][0]["value"])
    assert "Why Jiamin Cao for ChonLam Lao" in why.text
    assert "A paper by both" in why.text
    gone = await why.press("Not for me")
    assert "won't suggest" in gone.text
    assert "Jiamin Cao" not in (await user.slash("/collaborators who:ChonLam Lao new_only:False")).text
    assert "may suggest" in (await gone.press("Undo")).text
    assert "Jiamin Cao" in (await user.slash("/collaborators who:ChonLam Lao new_only:False")).text


async def test_collaborators_says_what_it_needs(lab):
    assert "Name somebody" in (await lab.user.slash("/collaborators")).text
    assert (
        "several people" in (await lab.user.slash("/collaborators who:Jiamin Cao")).text
        or "Which" in (await lab.user.slash("/collaborators who:Jiamin Cao")).text
    )
    assert "@everyone" not in (await lab.user.slash("/collaborators who:@everyone")).text


async def test_who_knows_shows_proof(lab):
    reply = await lab.user.slash("/who-knows topic:in-network aggregation for distributed training")
    assert "Who knows in-network aggregation" in reply.text
    assert "ChonLam Lao" in reply.text
    assert "Tensor Homomorphic Compression" in reply.text
    assert not reply.is_private
    about = await lab.user.slash("/collaborators topic:in-network aggregation")
    assert "Who knows" in about.text
    assert about.is_private, "a public reply would say that the member has claimed nothing"


async def test_who_knows_says_that_it_is_not_known_where_people_work(lab):
    for reply in (
        await lab.user.mention("who at Stanford works on in-network aggregation?"),
        await lab.user.slash("/who-knows topic:in-network aggregation at Stanford"),
    ):
        assert "Who knows in-network aggregation\n" in reply.text
        assert "ChonLam Lao" in reply.text
        assert "I don't know where authors work, so I left out “at Stanford”" in reply.text


@pytest.mark.parametrize(
    "asked",
    [
        "@who in Zurich works on {}?",
        "@anyone in Zurich doing {}",
        "/who-knows topic:who in Zurich works on {}",
        "/who-knows topic:{} (in Zurich)",
    ],
)
async def test_who_knows_says_that_it_is_not_known_in_which_city_people_work(lab, asked):
    said = asked.lstrip("@").format("in-network aggregation")
    reply = await (lab.user.mention(said) if asked[0] == "@" else lab.user.slash(said))
    assert "Who knows in-network aggregation\n" in reply.text
    assert "ChonLam Lao" in reply.text
    assert "I don't know where authors work, so I left out “in Zurich”" in reply.text


async def test_a_field_of_work_is_no_place(lab):
    reply = await lab.user.mention("who in networking works on in-network aggregation?")
    assert "Who knows in-network aggregation in networking\n" in reply.text
    assert "where authors work" not in reply.text


async def test_a_person_is_no_topic(lab):
    reply = await lab.user.slash("/who-knows topic:Minlan Yu")
    assert "“Minlan Yu” names a person, not a topic." in reply.text
    assert [button["label"].split(" (")[0] for button in reply.buttons] == ["Minlan Yu"]


async def test_following_is_kept_shown_undone_and_private(own):
    _, user = own
    assert "don't follow anything yet" in (await user.slash("/following")).text
    reply = await user.slash("/follow person:ChonLam Lao")
    assert "You follow **ChonLam Lao**" in reply.text
    assert reply.message["flags"] & 64
    assert "already" in (await user.slash("/follow person:ChonLam Lao")).text
    await user.slash("/follow topic:In-Network   Aggregation")
    await user.slash("/follow category:cs.LG")
    await user.slash("/follow paper:PrismLLM")
    shown = (await user.slash("/following")).text
    for name in ("ChonLam Lao", "In-Network Aggregation", "cs.LG", "PrismLLM"):
        assert name in shown
    choices = await user.complete("/unfollow what:in-net")
    assert [choice["name"] for choice in choices] == ["In-Network Aggregation (topic)"]
    assert "no longer follow" in (await user.slash(f"/unfollow what:{choices[0]['value']}")).text
    assert "In-Network" not in (await user.slash("/following")).text
    assert "don't follow anything like" in (await user.slash("/unfollow what:in-network")).text
    assert "no longer follow **ChonLam" in (await reply.press("Undo")).text
    assert "don't follow this" in (await reply.press("Undo")).text


@pytest.mark.parametrize(
    "command",
    [
        "/follow",
        "/follow topic:!!!",
        "/follow category:no.such",
        "/follow person:Qqqq Zzzz",
        "/follow paper:zzzzqqqq",
        "/follow topic:@everyone person:x",
        "/unfollow what:<@1>",
    ],
)
async def test_what_can_not_be_followed_gets_a_kind_word(lab, command):
    reply = await lab.user.slash(command)
    assert reply.text
    assert "went wrong" not in reply.text
    assert "@everyone" not in reply.text
    assert "You follow **" not in reply.text


async def test_me_shows_and_deletes_what_is_held_and_nobody_else_can(own):
    bot, user = own
    await user.slash("/follow topic:graph learning")
    reply = await user.slash("/me data")
    [file] = files_of(reply.message)
    async with aiohttp.ClientSession() as session, session.get(file["url"]) as response:
        held = json.loads(await response.text())
    assert held["follows"][0]["target"] == "graph learning"
    members = bot.services.store.members
    await members.follow(42, "topic", "other", "other")
    mine = await members.following(42)
    with pytest.raises(UserError):
        await forget(bot.services, 1, 42)
    with pytest.raises(UserError):
        await unfollow(bot.services, 1, mine[0].id)
    asked = await user.slash("/me forget")
    assert "Forgotten" in (await asked.press("Delete it for good")).text
    assert "don't follow anything yet" in (await user.slash("/following")).text
    assert await members.following(42), "somebody else's stay"


async def test_follows_outlive_a_restart(tmp_path):
    for again in (False, True):
        async with (
            LocalDiscord() as discord,
            running_bot(settings_for(discord, tmp_path)) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            if not again:
                await user.slash("/follow person:Minlan Yu")
                here = int(discord.guild["id"])
                [(person, _)] = await bot.services.store.members.followers("person", here)
                assert await bot.services.store.members.followers("person", here + 1) == [], (
                    "of this server alone"
                )
            else:
                assert person in dict(await bot.services.store.members.followers("person", here))
