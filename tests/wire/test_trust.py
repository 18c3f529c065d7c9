"""Two servers that do not trust each other: what is said in one does not change what the other sees."""

from dataclasses import dataclass
from typing import Any

import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from index.people_pass import identify
from tests.conftest import settings_for


@dataclass
class Servers:
    """A bot in two servers: one of an honest member, one of Mallory, who manages hers."""

    discord: LocalDiscord
    bot: Any
    you: UserClient
    """Runs this Labmate, and owns the first server."""
    mallory: UserClient
    ada: UserClient
    """A member of the first server without rights."""

    @property
    def services(self):
        return self.bot.services


@pytest.fixture
async def servers(tmp_path):
    async with LocalDiscord() as discord:
        state = discord.state
        mallory, ada = state.add_user("mallory"), state.add_user("ada")
        hers = state.add_guild("Mallory's", mallory["id"])
        state.add_member(hers["id"], state.application["bot"]["id"])
        state.add_channel(hers["id"], "general")
        state.add_member(discord.guild["id"], ada["id"])
        async with (
            running_bot(settings_for(discord, tmp_path)) as (bot, _),
            UserClient(discord.url, discord.user_token) as you,
            UserClient(discord.url, state.token_of(mallory["id"])) as attacker,
            UserClient(discord.url, state.token_of(ada["id"])) as member,
        ):
            yield Servers(discord, bot, you, attacker, member)


async def two_of(user, name="Jiamin Cao"):
    """The two people of a name, as a user may choose them."""
    which = await user.slash(f"/author name:{name}")
    return [option["value"] for option in which.selects[0]["options"]]


async def judged(servers, *, full=True):
    """A pass over everything, as the scheduler makes it."""
    library = servers.services.library
    with library.writing():
        await identify(library, full=full)
    await servers.services.insight.refresh()


async def test_a_merge_holds_where_it_was_said_and_nowhere_else(servers):
    first, second = await two_of(servers.mallory)
    joined = await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    assert "are one person in this server" in joined.text
    for _ in range(2):
        card = await servers.mallory.slash("/author name:Jiamin Cao")
        assert "4 papers" in card.text
        assert "Corrected in this server by mallory" in card.text
        assert "2 people print this name" in (await servers.you.slash("/author name:Jiamin Cao")).text
        assert "3 papers" in (await servers.you.slash(f"/author name:~{first}")).text
        assert "1 paper," in (await servers.you.slash(f"/author name:~{second}")).text
        assert "Corrected" not in (await servers.you.slash(f"/author name:~{first}")).text
        assert "mallory" not in (await servers.you.slash(f"/person history name:~{first}")).text
        await judged(servers)


async def test_a_split_holds_where_it_was_said_and_nowhere_else(servers):
    asked = await servers.mallory.slash("/person split name:ChonLam Lao")
    paper = next(o for o in asked.selects[0]["options"] if o["label"].startswith("THC"))
    assert "another ChonLam Lao's in this server" in (await asked.choose(paper["value"])).text
    for _ in range(2):
        assert "4 papers" in (await servers.mallory.slash("/papers author:ChonLam Lao")).text
        which = await servers.mallory.slash("/author name:ChonLam Lao")
        assert "4 papers" in which.text
        papers = await servers.you.slash("/papers author:ChonLam Lao")
        assert "5 papers" in papers.text
        assert "THC" in papers.text
        assert "5 papers" in (await servers.you.slash("/author name:ChonLam Lao")).text
        await judged(servers)
