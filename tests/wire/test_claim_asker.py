"""Whoever decides about a claim sees whose account it is, by what nobody can set to another's name."""

import pytest
from discord.utils import snowflake_time

from commands.cards.text import moment
from tests.helpers.members import claimed, joins

pytestmark = pytest.mark.hostile

LONG_AGO = "2024-03-05T00:00:00+00:00"


def poses(discord, user, name):
    """An account looks like somebody else: anybody can set these two, to anything."""
    discord.state.users[user["id"]]["global_name"] = name
    member = discord.state.guilds[discord.guild["id"]]["members"][user["id"]]
    member["nick"], member["joined_at"] = name, LONG_AGO


def named(user):
    """How an account is told of: its mention, its username, and since when it exists."""
    return f"<@{user['id']}>, username **{user['username']}**, on Discord since " + moment(
        snowflake_time(int(user["id"]))
    )


async def test_who_asks_for_vouchers_is_named_by_account_and_not_by_a_name_that_they_chose(mailing):
    _, _, poser, _, discord = mailing
    poses(discord, poser.user, "Minlan Yu")
    asked = await (await poser.slash("/claim person:ChonLam Lao")).press("Ask members to vouch")
    assert f"{named(poser.user)}, in this server since <t:1709596800:D>, says they are" in asked.text
    assert "Minlan Yu" not in asked.text
    assert not asked.message["mentions"], "nobody is pinged"


async def test_both_sides_of_a_contest_are_named_by_account(mailing):
    bot, owner, poser, _, discord = mailing
    gone = joins(discord, "gonebynow")
    poses(discord, poser.user, "Minlan Yu")
    claim = await claimed(bot.services, int(poser.user["id"]), "ChonLam Lao", int(discord.guild["id"]))
    await bot.services.store.contests.contest(claim.id, int(gone["id"]), "not them")
    del discord.state.guilds[discord.guild["id"]]["members"][gone["id"]]
    looked = await (await owner.slash("/contests")).press("Look")
    assert f"Held by {named(poser.user)}, in the server since <t:1709596800:D>" in looked.text
    assert f"**Against it**, by {named(gone)}:" in looked.text
    assert "Minlan Yu" not in looked.text
