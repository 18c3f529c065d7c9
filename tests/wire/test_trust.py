"""Two servers that do not trust each other: what is said in one does not change what the other sees."""

import asyncio
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.members.proof import claim_to_prove
from data.stores.claims import ClaimRefused, Profile
from data.stores.digest_record import Digest
from index.digest.writers import writers_of
from index.identity.passes import identify
from index.trust.corrections import take_back
from index.trust.views import Place
from tests.helpers.lab import settings_for

pytestmark = pytest.mark.hostile


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


@pytest.fixture(scope="module")
async def running(tmp_path_factory):
    async with LocalDiscord() as discord:
        state = discord.state
        mallory, ada = state.add_user("mallory"), state.add_user("ada")
        hers = state.add_guild("Mallory's", mallory["id"])
        state.add_member(hers["id"], state.application["bot"]["id"])
        state.add_channel(hers["id"], "general")
        state.add_member(discord.guild["id"], ada["id"])
        async with (
            running_bot(settings_for(discord, tmp_path_factory.mktemp("trust"))) as (bot, _),
            UserClient(discord.url, discord.user_token) as you,
            UserClient(discord.url, state.token_of(mallory["id"])) as attacker,
            UserClient(discord.url, state.token_of(ada["id"])) as member,
        ):
            bot.services.model_settled.set()
            yield Servers(discord, bot, you, attacker, member)


@pytest.fixture
async def servers(running):
    """The two servers, with nothing corrected, claimed or followed."""
    yield running
    store = running.services.store
    for correction in (await store.corrections.all(in_force=True))[::-1]:
        await take_back(store, correction, by=(0, "the end of a test"))
    for user in (running.you, running.mallory, running.ada, *(70, 71, 72)):
        number = user if isinstance(user, int) else int(user.user["id"])
        for part in store.about_members:
            await part.forget(number)
    await running.services.insight.refresh()


async def two_of(user, name="Jiamin Cao"):
    """The two people of a name, as a user may choose them."""
    which = await user.slash(f"/author name:{name}")
    return [option["value"] for option in which.selects[0]["options"]]


@contextmanager
def visiting(servers):
    """Who runs this Labmate is in Mallory's server, as a member without rights there."""
    state, you, hers = servers.discord.state, servers.you, servers.mallory.guild_id
    state.add_member(hers, you.user["id"])
    home = you.guild_id, you.channel_id
    you.guild_id, you.channel_id = hers, servers.mallory.channel_id
    yield
    you.guild_id, you.channel_id = home
    del state.guilds[hers]["members"][you.user["id"]]


async def pressed(servers, user, reply, label):
    """Somebody else presses a button of a reply, as if they saw it."""
    servers.discord.state.hidden.pop(reply.message["id"], None)
    return await ShownReply(user, reply.message).press(label)


async def judged(servers, *, full=True):
    """A pass over everything, as the scheduler makes it."""
    corpus = servers.services.corpus
    with corpus.writing():
        await identify(corpus, full=full)
    await servers.services.insight.refresh()


async def test_a_merge_holds_where_it_was_said_and_nowhere_else(servers):
    first, second = await two_of(servers.mallory)
    joined = await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    assert "are now one person in this server" in joined.text
    for _ in range(2):
        card = await servers.mallory.slash("/author name:Jiamin Cao")
        assert "4 papers" in card.text
        assert "Corrected in this server by mallory" in card.text
        assert (
            "Two authors publish under this name" in (await servers.you.slash("/author name:Jiamin Cao")).text
        )
        assert "3 papers" in (await servers.you.slash(f"/author name:~{first}")).text
        assert "1 paper in this library," in (await servers.you.slash(f"/author name:~{second}")).text
        assert "Corrected" not in (await servers.you.slash(f"/author name:~{first}")).text
        assert "mallory" not in (await servers.you.slash(f"/person history name:~{first}")).text
        await judged(servers)


async def test_a_split_holds_where_it_was_said_and_nowhere_else(servers):
    asked = await servers.mallory.slash("/person split name:ChonLam Lao")
    paper = next(o for o in asked.selects[0]["options"] if o["label"].startswith("THC"))
    assert "a different ChonLam Lao" in (await asked.choose(paper["value"])).text
    for _ in range(2):
        assert "4 papers" in (await servers.mallory.slash("/papers author:ChonLam Lao")).text
        which = await servers.mallory.slash("/author name:ChonLam Lao")
        assert "4 papers" in which.text
        alone = await which.choose(which.selects[0]["options"][1]["value"])
        assert "1 paper in this library, 2023" in alone.text
        assert "Corrected in this server by mallory" in alone.text
        for label in ("Papers", "Graph", "Collaborators", "Similar people", "Why these figures?", "Follow"):
            assert "went wrong" not in (await alone.press(label)).text
        claimed = await servers.mallory.slash(
            f"/claim person:{alone.button('Papers')['custom_id'].split(':')[2]}"
        )
        assert "only by a correction in this server" in claimed.text
        papers = await servers.you.slash("/papers author:ChonLam Lao")
        assert "5 papers" in papers.text
        assert "THC" in papers.text
        assert "5 papers" in (await servers.you.slash("/author name:ChonLam Lao")).text
        await judged(servers)


ASKED = [
    "/papers author:Jiamin Cao",
    "/papers author:ChonLam Lao",
    "/author name:ChonLam Lao",
    "/similar-people name:ChonLam Lao",
    "/compare first:ChonLam Lao second:Minlan Yu",
    "/graph person:ChonLam Lao",
    "/graph paper:THC",
    "/paper THC",
    "/collaborators who:ChonLam Lao",
    "/who-knows topic:gradient compression",
    "/person history name:ChonLam Lao",
]


async def heard(user):
    """Everything that a server is told of people: replies, and what is offered while typing."""
    said = {command: (await user.slash(command)).text for command in ASKED}
    said["typing"] = str(await user.complete("/author name:Jiamin Cao"))
    return said


async def test_no_reply_elsewhere_depends_on_what_a_server_says(servers):
    before = await heard(servers.you)
    first, second = await two_of(servers.mallory)
    await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    for begins in ("THC", "Cora", "ESA"):
        asked = await servers.mallory.slash("/person split name:ChonLam Lao")
        papers = {o["label"][:3]: o["value"] for o in asked.selects[0]["options"]}
        if begins[:3] in papers:
            await asked.choose(papers[begins[:3]])
    others = await heard(servers.mallory)
    changed = {command for command in [*ASKED, "typing"] if others[command] != before[command]}
    assert changed == {*ASKED, "typing"} - {"/paper THC"}, "it shows names alone"
    assert await heard(servers.you) == before


async def test_a_correction_is_taken_back_where_it_was_said_or_by_who_runs_labmate(servers):
    first, second = await two_of(servers.you)
    joined = await servers.you.slash(f"/person same name:~{first} other:~{second}")
    assert "Only those who manage" in (await pressed(servers, servers.ada, joined, "Undo")).text
    history = await servers.mallory.slash(f"/person history name:~{first}")
    assert not history.buttons
    assert "in a server by you" not in history.text
    assert "4 papers" in (await servers.ada.slash("/author name:Jiamin Cao")).text
    assert "Undone" in (await joined.press("Undo")).text
    await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    with visiting(servers):
        history = await servers.you.slash("/person history name:Jiamin Cao")
        assert "Undone" in (await history.press("Undo")).text
    assert "Two authors publish" in (await servers.mallory.slash("/author name:Jiamin Cao")).text


async def test_only_who_runs_labmate_lets_it_hold_for_everybody(servers):
    first, second = await two_of(servers.mallory)
    joined = await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    assert not any("everybody" in button["label"] for button in joined.buttons)
    [correction] = await servers.services.store.corrections.all(in_force=True)
    with visiting(servers):
        history = await servers.you.slash("/person history name:Jiamin Cao")
        refused = await pressed(servers, servers.mallory, history, f"{correction.id} for everybody")
        assert "Only the person who runs this Labmate" in refused.text
        widened = await history.press(f"{correction.id} for everybody")
    assert "now holds for everybody" in widened.text
    card = await servers.you.slash("/author name:Jiamin Cao")
    assert "4 papers" in card.text
    assert "Corrected by the operator" in card.text
    await judged(servers)
    assert "4 papers" in (await servers.ada.slash("/author name:Jiamin Cao")).text
    history = await servers.mallory.slash("/person history name:Jiamin Cao")
    assert not history.buttons, "whose word it is now takes it back"
    assert "holds for everybody" in (await joined.press("Undo")).text
    history = await servers.you.slash("/person history name:Jiamin Cao")
    assert "Undone" in (await history.press("Undo")).text
    assert "Two authors publish" in (await servers.mallory.slash("/author name:Jiamin Cao")).text


async def let_a_month_pass(servers):
    """What may be done only so often may be done again."""
    async with servers.services.store._writer.begin() as connection:
        await connection.exec_driver_sql("DELETE FROM counters")


async def held(servers, member, name, proof="page", guild=None):
    """A member who holds a person, by a proof that the store takes."""
    store = servers.services.store
    await let_a_month_pass(servers)
    [(person, _), *_] = await store.people.named([await store.author_names.find(name)])
    claim = await store.claims.begin(member, person, guild, f"labmate-{member}")
    await store.claims.prove(claim.id, proof, "https://page.test/x of the institution")
    if guild:
        await store.claims.seen(member, guild)
    return claim


async def test_a_proven_person_corrects_themselves_for_everybody(servers):
    ada = int(servers.ada.user["id"])
    await held(servers, ada, "ChonLam Lao")
    refused = await servers.ada.slash("/person split name:Minlan Yu")
    assert "Only those who manage this server" in refused.text
    asked = await servers.ada.slash("/person split name:ChonLam Lao")
    paper = next(o for o in asked.selects[0]["options"] if o["label"].startswith("THC"))
    assert "a different ChonLam Lao" in (await asked.choose(paper["value"])).text
    claim = await servers.services.store.claims.of_member(ada)
    card = await servers.mallory.slash(f"/author name:~{claim.person_id}")
    assert "4 papers" in card.text
    assert "Corrected by the person themselves" in card.text
    history = await servers.mallory.slash(f"/person history name:~{claim.person_id}")
    assert "by the person themselves" in history.text
    assert not history.buttons
    joined = await servers.ada.slash(f"/person same name:~{claim.person_id} other:Jinsun Yoo")
    assert "too different" in joined.text
    assert joined.is_private


async def test_a_server_is_told_privately_when_it_corrects_too_much(servers, monkeypatch):
    monkeypatch.setattr("index.trust.corrections.MEMBER_A_DAY", 0)
    first, second = await two_of(servers.mallory)
    refused = await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    assert "corrections within a day; please continue tomorrow" in refused.text
    assert refused.is_private


async def test_papers_taken_over_in_a_server_prove_no_claim(servers):
    """Whoever joins others' papers with somebody in a server of their own gains no proof by them."""
    first, second = await two_of(servers.mallory)
    await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    await servers.mallory.slash(f"/claim person:~{first}")
    services = await servers.services.seen_from(
        Place(int(servers.mallory.guild_id), int(servers.mallory.user["id"]))
    )
    _, claimed = await claim_to_prove(services, int(servers.mallory.user["id"]))
    assert len(claimed.papers) == 3


async def test_words_for_a_claim_hold_in_their_server_alone(servers):
    mallory, hers = int(servers.mallory.user["id"]), int(servers.mallory.guild_id)
    await held(servers, mallory, "ChonLam Lao", "vouch", hers)
    assert "L1 claimed" in (await servers.mallory.slash("/author name:ChonLam Lao")).text
    assert "L1 unclaimed" in (await servers.you.slash("/author name:ChonLam Lao")).text
    assert (
        "Nobody has claimed" in (await servers.you.slash("/contest person:ChonLam Lao reason:not her")).text
    )
    claims = servers.services.store.claims
    await held(servers, int(servers.ada.user["id"]), "ChonLam Lao", "vouch", int(servers.you.guild_id))
    assert "L1 claimed" in (await servers.you.slash("/author name:ChonLam Lao")).text
    claim = await claims.begin(70, 1, int(servers.you.guild_id), "labmate-v")
    with pytest.raises(ClaimRefused, match="Only members who have claimed"):
        await claims.vouch(claim.id, mallory, int(servers.you.guild_id))
    await held(servers, 71, "ChonLam Lao", "page")
    assert await claims.of_member(mallory) is None, "a proof ends words, wherever they were given"
    assert await claims.of_member(int(servers.ada.user["id"])) is None


async def test_no_side_of_a_contest_settles_it(servers):
    """The claim was made in Mallory's server by Mallory: neither she nor who manages with her has a say."""
    mallory, hers = int(servers.mallory.user["id"]), int(servers.mallory.guild_id)
    state = servers.discord.state
    role = state.add_role(str(hers), "managers", 1 << 5)
    state.add_member(str(hers), servers.ada.user["id"])["roles"] = [role["id"]]
    await held(servers, mallory, "ChonLam Lao", "page", hers)
    said = await servers.ada.slash("/contest person:ChonLam Lao reason:she is not him")
    assert "the person who runs this Labmate settles it" in said.text
    channel = state.dm_between(state.application["bot"]["id"], servers.you.user["id"])
    [told] = state.messages[channel["id"]].values()
    assert "The claim of ChonLam Lao" in str(told)
    assert "Those who manage a server settle" in (await servers.ada.slash("/contests")).text
    assert "No contested claims are waiting" in (await servers.mallory.slash("/contests")).text
    [contest] = await servers.services.store.contests.open_anywhere()
    assert contest.for_operator
    card = (await servers.you.slash("/author name:ChonLam Lao")).text
    assert "**Contested**: 1 member says that this claim is wrong" in card
    listed = await servers.you.slash("/contests")
    looked = await listed.press("Look")
    for label in ("The claim stays", "End the claim"):
        assert "not a party" in (await pressed(servers, servers.ada, looked, label)).text
    assert "The claim has ended" in (await looked.press("End the claim")).text
    del state.guilds[str(hers)]["members"][servers.ada.user["id"]]


async def test_a_server_settles_where_no_side_manages_it_and_the_second_time_who_runs_labmate(servers):
    ada, here = int(servers.ada.user["id"]), int(servers.you.guild_id)
    await held(servers, ada, "ChonLam Lao", "page", here)
    store = servers.services.store
    person = (await store.claims.of_member(ada)).person_id
    said = await servers.mallory.slash(f"/contest person:~{person} reason:not them")
    assert "those who manage the server where it was made settle it" in said.text
    [contest] = await store.contests.open_anywhere()
    settled = await store.contests.settle(contest.id, 70, upheld=False)
    assert not settled.for_operator
    await let_a_month_pass(servers)
    again = await servers.mallory.slash(f"/contest person:~{person} reason:really not them")
    assert "the person who runs this Labmate settles it" in again.text
    [contest] = await store.contests.open_anywhere()
    assert contest.for_operator
    await store.contests.settle(contest.id, 70, upheld=False)
    third = await servers.mallory.slash(f"/contest person:~{person} reason:once more")
    assert "let the claim stand" in third.text


async def test_whose_a_claim_is_and_how_it_was_proven_is_told_only_where_it_was_made(servers):
    ada, here = int(servers.ada.user["id"]), int(servers.you.guild_id)
    await held(servers, ada, "ChonLam Lao", "page", here)
    elsewhere = (await servers.mallory.slash("/person history name:ChonLam Lao")).text
    assert "L2" in elsewhere
    assert str(ada) not in elsewhere
    assert "page.test" not in elsewhere
    assert str(ada) not in (await servers.ada.slash("/person history name:ChonLam Lao")).text
    assert str(ada) in (await servers.you.slash("/person history name:ChonLam Lao")).text


async def test_what_is_for_claimed_members_is_in_no_public_reply(servers):
    ada, mallory = int(servers.ada.user["id"]), int(servers.mallory.user["id"])
    await held(servers, ada, "ChonLam Lao")
    store = servers.services.store
    await store.claims.save_profile(Profile(ada, status="open", seeking="a secret", public=False))
    for user in (servers.ada, servers.you):
        assert "a secret" not in (await user.slash("/author name:ChonLam Lao")).text
    assert "a secret" in (await servers.ada.slash("/author name:ChonLam Lao private:True")).text
    assert "a secret" not in (await servers.mallory.slash("/author name:ChonLam Lao private:True")).text
    await held(servers, mallory, "Minlan Yu", "vouch", 999)
    assert "a secret" not in (await servers.mallory.slash("/author name:ChonLam Lao private:True")).text
    await store.claims.forget(mallory)
    await held(servers, mallory, "Minlan Yu")
    card = await servers.mallory.slash("/author name:ChonLam Lao private:True")
    assert "a secret" in card.text
    public = await servers.mallory.slash("/author name:ChonLam Lao")
    assert "a secret" not in public.text


async def test_who_has_left_is_no_member_here(servers):
    ada, here = int(servers.ada.user["id"]), int(servers.you.guild_id)
    await held(servers, ada, "ChonLam Lao", "page", here)
    await held(servers, 72, "Minlan Yu", "page", here)
    found = await servers.you.slash("/who-knows topic:in-network aggregation in_server:True")
    assert "ChonLam Lao" in found.text
    assert "**Minlan Yu**" not in found.text, "72 is in no server"
    assert set(await servers.services.store.claims.holders_in(here)) == {
        (await servers.services.store.claims.of_member(ada)).person_id
    }, "who has left is not asked for again"
    await servers.services.store.claims.seen(72, int(servers.mallory.guild_id))
    servers.bot.dispatch("guild_remove", servers.bot.get_guild(int(servers.mallory.guild_id)))
    hers = int(servers.mallory.guild_id)
    async with asyncio.timeout(30):
        while await servers.services.store.claims.in_server(hers):  # noqa: ASYNC110 - a listener has no end to wait for
            await asyncio.sleep(0.02)


async def test_news_of_a_person_are_of_who_they_are_where_they_were_followed(servers):
    """Mallory's server joins two people: her follow there means both; follows and digests elsewhere, one."""
    first, second = (int(number) for number in await two_of(servers.mallory))
    await servers.mallory.slash(f"/person same name:~{first} other:~{second}")
    await servers.mallory.slash(f"/follow person:~{first}")
    await servers.ada.slash(f"/follow person:~{first}")
    store, services = servers.services.store, servers.services
    papers = {n: [row.paper_id for row in await store.people.memberships(n)] for n in (first, second)}
    everything = papers[first] + papers[second]
    for user, place, meant in (
        (servers.mallory, None, everything),
        (servers.ada, None, papers[first]),
        (servers.mallory, int(servers.mallory.guild_id), everything),
        (servers.ada, int(servers.you.guild_id), papers[first]),
    ):
        own = place is None
        digest = Digest(place or 0, 5, int(user.user["id"]), zone="UTC", followed=True)
        seen = await services.seen_from(Place(place, digest.owner if own else 0))
        writers = await writers_of(seen, digest, everything)
        assert set(writers.by) == set(meant)


async def test_a_member_with_many_servers_counts_once_everywhere(servers):
    store, mallory = servers.services.store, int(servers.mallory.user["id"])
    here = int(servers.mallory.guild_id)
    for guild in range(here, here + 5):
        await store.digests.think(guild, mallory, 1, "save", 5)
    servers.services.top_everywhere = True
    try:
        assert "**1 save**" in (await servers.you.slash("/top everywhere:True")).text
    finally:
        servers.services.top_everywhere = False


async def test_who_may_not_correct_anything_is_told_before_being_asked_which_namesake(servers):
    for command in ("/person same name:Jiamin Cao other:Jiamin Cao", "/person split name:Jiamin Cao"):
        said = await servers.ada.slash(command)
        assert "Only those who manage this server can correct" in said.text
