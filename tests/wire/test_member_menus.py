"""The commands in a member's menu, over real sockets: who sees whose papers, and who doesn't."""

import pytest

from bot.local_discord.client import UserClient
from data.stores.claims import Profile
from tests.helpers.members import claimed, hold, joins

PAPERS, COLLABORATORS = "Papers", "Possible collaborators"
HIDDEN = "doesn't show which papers are theirs here"


@pytest.fixture
async def two(place):
    """Somebody who asks, and another member who holds ChonLam Lao."""
    discord, bot, user = place
    other = joins(discord, "other")
    await bot.services.wait_for_people()
    await hold(bot.services.store, other["id"], "ChonLam Lao", discord.guild["id"])
    async with UserClient(discord.url, discord.state.token_of(other["id"])) as second:
        yield bot, user, second


async def shows(bot, user, account):
    await bot.services.store.claims.save_profile(Profile(int(user.user["id"]), account=account))


async def test_one_s_own_papers_and_collaborators_are_one_s_own_to_see(two):
    _, user, other = two
    own = await other.context_menu(PAPERS, other.user["id"])
    assert own.is_private
    assert "5 papers" in own.text
    suggested = await other.context_menu(COLLABORATORS, other.user["id"])
    assert suggested.is_private
    assert "ollaborators for ChonLam Lao" in suggested.text
    for menu in (PAPERS, COLLABORATORS):
        reply = await user.context_menu(menu, user.user["id"])
        assert reply.is_private
        assert "/claim" in reply.text


async def test_suggestions_for_oneself_do_not_show_a_channel_whose_papers_one_has_claimed(two):
    _, _, other = two
    for typed in ("/collaborators new_only:False", "/collaborators topic:training"):
        assert (await other.slash(typed)).is_private, typed
    assert "ollaborators for ChonLam Lao" in (await other.slash("/collaborators new_only:False")).text
    named = await other.slash("/collaborators who:ChonLam Lao new_only:False")
    assert not named.is_private
    assert "ollaborators for ChonLam Lao" in named.text


async def test_others_see_nothing_until_the_member_says_so(two):
    bot, user, other = two
    for account, seen in (("", False), ("claimed", False), ("all", True)):
        await shows(bot, other, account)
        for menu in (PAPERS, COLLABORATORS):
            reply = await user.context_menu(menu, other.user["id"])
            assert reply.is_private
            assert ("ChonLam Lao" in reply.text) == seen, (account, menu)
            assert (HIDDEN in reply.text) != seen


async def test_claimed_members_see_what_is_for_them(two):
    bot, user, other = two
    await shows(bot, other, "claimed")
    await claimed(bot.services, int(user.user["id"]), "Minlan Yu", int(user.guild_id))
    assert "5 papers" in (await user.context_menu(PAPERS, other.user["id"])).text


async def test_the_profile_says_and_sets_who_sees_it(two):
    _, user, other = two
    assert "Nobody can see from your Discord account" in (await other.slash("/profile show")).text
    told = await other.slash("/profile edit account:everybody")
    assert "Everybody in your servers can see" in told.text
    assert "5 papers" in (await user.context_menu(PAPERS, other.user["id"])).text
    await other.slash("/profile edit status:open")
    assert "5 papers" in (await user.context_menu(PAPERS, other.user["id"])).text
    await other.slash("/profile edit account:nobody")
    assert HIDDEN in (await user.context_menu(PAPERS, other.user["id"])).text


async def test_who_has_claimed_nothing_is_told_of_in_the_same_words(two):
    _, user, other = two
    hidden = (await user.context_menu(PAPERS, other.user["id"])).text
    bot = (await user.request("GET", "/applications/@me"))["bot"]
    unclaimed = (await user.context_menu(PAPERS, bot["id"])).text
    assert HIDDEN in unclaimed
    assert unclaimed.split("**")[2] == hidden.split("**")[2]


async def test_a_contested_claim_and_a_banned_holder_are_not_shown(two):
    bot, user, other = two
    await shows(bot, other, "all")
    store, member = bot.services.store, int(other.user["id"])
    claim = await store.claims.of_member(member)
    await store.bans.ban("member", member, by=0, reason="a test")
    assert HIDDEN in (await user.context_menu(PAPERS, other.user["id"])).text
    await store.bans.lift("member", member)
    assert "5 papers" in (await user.context_menu(PAPERS, other.user["id"])).text
    await user.slash("/contest person:ChonLam Lao reason:it is somebody else")
    assert await store.contests.open_of(claim.id)
    assert HIDDEN in (await user.context_menu(PAPERS, other.user["id"])).text


async def test_a_claim_by_the_word_of_another_server_s_members_is_not_shown(two):
    bot, user, other = two
    await shows(bot, other, "all")
    store = bot.services.store
    await store.claims.end((await store.claims.of_member(int(other.user["id"]))).id, "a test", by=0)
    author = await store.author_names.find("Minlan Yu")
    [(person, _), *_] = await store.people.named([author])
    claim = await store.claims.begin(int(other.user["id"]), person, 1, "labmate-x")
    await store.claims.prove(claim.id, "vouch", "two members")
    assert HIDDEN in (await user.context_menu(PAPERS, other.user["id"])).text


async def test_a_name_that_formats_or_pings_is_harmless(place):
    discord, _, user = place
    other = joins(discord, "@everyone ** [x](https://x.example)")
    reply = await user.context_menu(PAPERS, other["id"])
    assert HIDDEN in reply.text
    assert "](https" not in reply.text.replace("\\]", "")
    assert not reply.message["mention_everyone"]
