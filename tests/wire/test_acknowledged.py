"""While another process writes for long, requests are acknowledged at once and answered truly later."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from bot.client import Labmate
from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.limits import TEXT_INPUT, walk
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import DM
from bot.run import running_bot
from data.stores.asked_questions import AskedQuestion
from data.stores.lists import MOST_LISTS
from data.stores.store import Store
from tests.helpers import databases
from tests.helpers.digests import in_zone
from tests.helpers.lab import fill, settings_for
from tests.helpers.members import hold, joins, of_kind, said
from tests.helpers.records import record

pytestmark = pytest.mark.hostile

DEFERRED = {5, 6}
BIB = "@misc{a, title={A work that nobody knows}, author={Lovelace, Ada}, year={2026}}"
CV = (
    "# Publications\n\nC. Lao. A Work That Nobody Knows At All. 2024.\n\n"
    "# Education\n\nPhD, Somewhere, 2024\n"
)
LONG = "how do long trainings on very many accelerators bear the failure of one of them"


@asynccontextmanager
async def locked(folder):
    """Another connection that writes and takes its time; it lets Labmate end what it is writing first."""
    other = await Store.open(databases.url_of(folder / "labmate.db"))
    try:
        async with other._writer.begin():
            yield
    finally:
        await other.close()


@dataclass
class World:
    """A lab with two members who have claimed their papers, and who share nothing else."""

    discord: LocalDiscord
    bot: Labmate
    a: UserClient
    b: UserClient
    folder: object

    def file(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    @property
    def guild(self):
        return self.discord.guild["id"]

    def known(self):
        """The interactions that there were."""
        return set(self.discord.state.interactions)

    async def heard(self, known):
        """How the bot answers the next interaction first, as soon as Discord has it."""
        async with asyncio.timeout(60):
            while True:
                for request in self.discord.requests:
                    _, kind, number, *rest = request["path"].split("/")
                    if kind == "interactions" and rest[-1:] == ["callback"] and number not in known:
                        return request["body"]["type"]
                await asyncio.sleep(0.01)


@pytest.fixture(scope="module")
async def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("acknowledged")
    async with LocalDiscord() as discord:
        bee = joins(discord, "bee")
        settings = settings_for(discord, folder, http_listen="127.0.0.1:0", labmate_pictures=False)
        async with (
            running_bot(settings) as (bot, scheduler),
            UserClient(discord.url, discord.user_token) as a,
            UserClient(discord.url, discord.state.token_of(bee["id"])) as b,
        ):
            await scheduler.load_model()
            papers = [
                record(n, title=f"How do long trainings fail, part {n}", abstract=f"{LONG}, part {n}.")
                for n in range(1, 30)
            ]
            await fill(bot, papers)
            await hold(bot.services.store, a.user["id"], "ChonLam Lao", discord.guild["id"])
            await hold(bot.services.store, b.user["id"], "Minlan Yu", discord.guild["id"])
            yield World(discord, bot, a, b, folder)


async def digest(w):
    return await w.a.slash("/digest create")


async def with_zone(w):
    return await in_zone(await digest(w))


async def started(w):
    return await (await with_zone(w)).press("Start")


async def kept(w):
    return await w.a.slash("/save paper:How do long trainings fail, part 3")


async def on_list(w):
    return await w.a.slash("/list add paper:How do long trainings fail, part 3 list:together")


async def person_of(w, name):
    author = await w.bot.services.store.author_names.find(name)
    return (await w.bot.services.store.people.named([author]))[0][0]


async def invited(w):
    """What bee reads of a new invitation; an earlier one is taken back first."""
    store = w.bot.services.store.invitations
    for old in await store.of(int(w.a.user["id"])):
        if old.state == "waiting":
            await (await w.a.slash("/invitations")).press("Withdraw")
    # What was asked lately may not be asked again so soon; nobody wants to wait for that here.
    async with w.bot.services.store._writer.begin() as connection:
        await connection.exec_driver_sql("DELETE FROM invitations")
        await connection.exec_driver_sql("DELETE FROM counters")
    await w.a.slash("/invite person:Minlan Yu about:trainings")
    dms = [m for c in of_kind(w.discord, DM) if w.b.user["id"] in c["_users"] for m in said(w.discord, c)]
    return ShownReply(w.b, dms[-1])


async def vouched(w):
    cee = joins(w.discord, "cee")
    claim = await w.bot.services.store.claims.begin(
        int(cee["id"]), await person_of(w, "Shaoke Xi"), int(w.guild), "labmate-y"
    )
    async with UserClient(w.discord.url, w.discord.state.token_of(cee["id"])) as c:
        asked = await c.slash("/claim person:Shaoke Xi")
        await asked.press("Ask members to vouch")
    public = [m for m in said(w.discord, w.discord.channel) if f"cv:v:{claim.id}" in str(m["components"])]
    return ShownReply(w.b, public[-1])


async def form(reply, label, *values):
    """The form behind a button, filled in from top to bottom."""
    modal = (await reply.press(label)).message["modal"]
    fields = [field["custom_id"] for _, field in walk(modal["components"]) if field["type"] == TEXT_INPUT]
    return lambda: reply.user.submit(modal, dict(zip(fields, values, strict=True)))


async def read_cv(w):
    return await w.a.slash(f"/profile import file:{w.file('cv.md', CV)}")


CASES = {}


def case(text, name=None):
    """A row of the table: what is shown in the end, and how to get to the press."""

    def add(prepare):
        CASES[name or prepare.__name__] = (prepare, text)
        return prepare

    return add


def typed(name, command, text, who="a"):
    async def prepare(w):
        return lambda: getattr(w, who).slash(command)

    case(text, name)(prepare)


def pressed(name, begin, label, text):
    async def prepare(w):
        reply = await begin(w)
        return lambda: reply.press(label)

    case(text, name)(prepare)


typed("follow a person", "/follow person:Shaoke Xi", "You follow **Shaoke Xi**")
typed("follow a paper", "/follow paper:How do long trainings fail, part 4", "You follow")
typed("follow a topic of no paper", "/follow topic:blargh", "No paper that I know has this word yet.")
typed("follow a topic", "/follow topic:in-network aggregation", "You follow **in-network aggregation**")
typed("follow a category", "/follow category:cs.CL", "You follow **cs.CL**")
typed("unfollow", "/unfollow what:cs.CL", "no longer follow **cs.CL**")
typed("save", "/save paper:How do long trainings fail, part 5 tags:x note:y", "#x")
typed("list add", "/list add paper:How do long trainings fail, part 6 list:ours", "Added to **ours**")
typed("list remove", "/list remove paper:How do long trainings fail, part 6 list:ours", "Taken off")
typed("library feed", "/library feed", "An Atom feed of your library")
typed("digest create", "/digest create", "Not started yet")
typed("digest mine", "/digest mine", "Your new papers", who="b")
typed("profile edit", "/profile edit status:open", "open")
typed("profile show", "/profile show", "ChonLam Lao")
typed("contest", "/contest person:Minlan Yu reason:it is not them", "is contested")
typed("a long search", f"/search {LONG}", LONG)
typed("a long question", f"/ask {LONG}, or {LONG} and its network?", LONG)
pressed("ask on", lambda w: w.a.slash("/ask how do long trainings fail?"), "Ask on", "Go on in <#")
pressed("follow on a card", lambda w: w.b.slash("/author name:ChonLam Lao"), "Follow", "You follow")
pressed("undo a follow", lambda w: w.a.slash("/follow topic:gossip in switches"), "Undo", "no longer follow")
pressed("remove", kept, "Remove", "Removed from your library")
pressed("list take off", on_list, "Take off", "Taken off")
pressed("digest start", with_zone, "Start", "Started")
pressed("digest pause", started, "Pause", "Paused")
pressed("digest delete", digest, "Delete", "Deleted")
pressed("keep a CV", read_cv, "Keep all", "Kept")
pressed("keep nothing of a CV", read_cv, "Keep nothing", "I have kept none of it")
pressed("vouch", vouched, "I vouch", "Thank you")
pressed("accept", invited, "Accept", "is for the two of you")
pressed("decline", invited, "Not now", "Not now, then")
pressed("block", invited, "Block", "Blocked")


@case("is on its way")
async def invite(w):
    await w.bot.services.store.invitations.unblock(int(w.b.user["id"]), int(w.a.user["id"]))
    await (await invited(w)).press("Not now")
    async with w.bot.services.store._writer.begin() as connection:
        await connection.exec_driver_sql("DELETE FROM invitations")
        await connection.exec_driver_sql("DELETE FROM counters")
    return lambda: w.a.slash("/invite person:Minlan Yu about:trainings")


@case("no longer follow")
async def unfollow_by_select(w):
    await w.a.slash("/follow topic:select me")
    following = await w.a.slash("/following")
    return lambda: following.choose("select me")


@case("Added to **together**")
async def list_put_back(w):
    taken = await (await on_list(w)).press("Take off")
    return lambda: taken.press("Put back")


@case("read")
async def how_far_it_was_read(w):
    one = await kept(w)
    return lambda: one.choose("read", one.selects[0])


@case("#modal")
async def tags_and_note(w):
    return await form(await kept(w), "Tags and note", "modal", "kept")


@case("long trainings")
async def ask_a_follow_up(w):
    place = int(w.discord.channel["id"])
    await w.bot.services.store.asked_questions.keep(place, 1, AskedQuestion("x", "long trainings"))
    row = {"type": 1, "components": [{"type": 2, "style": 2, "label": "Go on", "custom_id": "aq:f"}]}
    bot = w.discord.state.application["bot"]["id"]
    shown = await w.discord.messages.create(w.discord.channel, bot, {"flags": 1 << 15, "components": [row]})
    return await form(ShownReply(w.a, shown), "Go on", "why do they fail?")


@case("10:00")
async def digest_hour(w):
    panel = await digest(w)
    return lambda: panel.choose("10:00", panel.selects[0])


@case("> · ")
async def digest_place(w):
    panel = await digest(w)
    other = w.discord.state.add_channel(w.guild, "general")
    await w.discord.gateway.to_channel(other, "CHANNEL_CREATE", other)
    return lambda: panel.choose(other["id"], panel.selects[-1])


@case("trainings that fail")
async def digest_words(w):
    what = await (await digest(w)).press("Papers")
    return await form(what, "Words and people", "trainings that fail", "", "", "")


@case("Ours")
async def digest_name(w):
    return await form(await digest(w), "Name, time, zone", "Ours", "09:00", "Europe/Berlin")


@case("want papers like this?")
async def taste(w):
    await started(w)
    [one, *_] = await w.bot.services.store.digests.of_guild(int(w.guild))
    asked = await (await w.a.slash(f"/digest taste digest:#{one.id}")).press("Ask me")
    return lambda: asked.press("Yes")


@case("Liked")
async def like_in_a_digest(w):
    shown = await (await digest(w)).press("Preview")
    return lambda: shown.press("Like")


@case("Saved to your library")
async def save_in_a_digest(w):
    shown = await (await digest(w)).press("Preview")
    return lambda: shown.press("Save")


@case("1 reference read")
async def import_of_references(w):
    path = w.file("z.bib", BIB)
    return lambda: w.a.slash(f"/library import file:{path}")


@case("Undone")
async def undo_an_import(w):
    done = await w.a.slash(f"/library import file:{w.file('y.bib', BIB.replace('knows', 'knew'))}")
    return lambda: done.press("Undo")


@case("Read: 1 publication")
async def read_a_cv(w):
    path = w.file("cv.md", CV)
    return lambda: w.a.slash(f"/profile import file:{path}")


@case("Are you Jinsun Yoo?")
async def claim(w):
    dee = joins(w.discord, "dee")
    user = await UserClient(w.discord.url, w.discord.state.token_of(dee["id"])).__aenter__()
    w.bot.services.opened = user
    return lambda: user.slash("/claim person:Jinsun Yoo")


@case("won't suggest")
async def dismiss(w):
    one, other = await person_of(w, "ChonLam Lao"), await person_of(w, "Jiamin Cao")
    why = await (await w.a.slash("/collaborators new_only:False")).choose("Jiamin Cao")
    assert f"cp:n:{one}:{other}" in str(why.message)
    return lambda: why.press("Not for me")


@case("are now one person in this server")
async def say_that_two_are_one(w):
    one, other = await person_of(w, "Kai Chen"), await person_of(w, "Jiamin Cao")
    return lambda: w.a.slash(f"/person same name:~{one} other:~{other}")


@case("An Atom feed")
async def new_feed_address(w):
    feed = await w.a.slash("/library feed")
    return lambda: feed.press("New address")


@case("Forgotten")
async def forget_me(w):
    asked = await w.b.slash("/me forget")
    return lambda: asked.press("Delete it")


@case("released your claim")
async def release(w):
    return lambda: w.a.slash("/profile release")


@pytest.mark.parametrize("name", CASES)
async def test_nothing_is_written_before_it_is_acknowledged(world, name):
    prepare, text = CASES[name]
    act = await prepare(world)
    known = world.known()
    async with locked(world.folder):
        doing = asyncio.create_task(act())
        assert await world.heard(known) in DEFERRED
        # In PostgreSQL, only those who write about the same subject wait for each other.
        assert databases.IN_POSTGRES or not doing.done()
    reply = await doing
    assert text in reply.text


async def test_what_nobody_hears_is_not_done(world):
    """Where Discord no longer waits for the answer, what was wished for is not written either."""
    faults, member = world.discord.faults, int(world.a.user["id"])
    faults.add(route="POST .*/callback", status=404, times=2)
    before = await world.bot.services.store.members.following(member)
    doing = asyncio.create_task(world.a.slash("/follow topic:nobody hears this"))
    async with asyncio.timeout(60):
        while faults.requests[0].times:  # noqa: ASYNC110 - neither the wish nor the apology was heard
            await asyncio.sleep(0.01)
    doing.cancel()
    faults.clear()
    assert await world.bot.services.store.members.following(member) == before


async def test_a_button_that_waits_for_long_is_never_called_unknown(world):
    """The last word looks at whether something works on the interaction, and then only says that it does."""
    gate = asyncio.Event()
    people = world.bot.services.store.members

    async def slow(*values):
        await gate.wait()
        return await type(people).following(people, *values)

    people.following = slow
    known = world.known()
    try:
        doing = asyncio.create_task(world.a.slash("/unfollow what:nothing of this name"))
        assert await world.heard(known) in DEFERRED
    finally:
        gate.set()
        del people.following
    assert "You don't follow anything like" in (await doing).text


async def test_what_is_refused_after_thinking_before_all_is_said_to_the_member_alone(world):
    store, guild = world.bot.services.store.lists, int(world.guild)
    for number in range(MOST_LISTS - len(await store.of(guild))):
        await store.make(guild, f"list {number}", 1)
    refused = await world.a.slash("/list add paper:How do long trainings fail, part 3 list:one too many")
    assert refused.is_private
    assert str(MOST_LISTS) in refused.text
    asked = refused.message["interaction_metadata"]["id"]
    messages = said(world.discord, world.discord.channel)
    left = [m["id"] for m in messages if (m.get("interaction_metadata") or {}).get("id") == asked]
    assert left == [refused.message["id"]], "nothing is left thinking"
