"""Keeping: /save, /library, /list and feeds, over the wire; files in and out as other programs write them."""

import json
from xml.etree.ElementTree import fromstring

import aiohttp
import pytest
import rispy

from bot.feed_server import READINGS, FeedServer
from bot.http_server import serving
from bot.local_discord.client import UserClient
from bot.local_discord.completion import files_of
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from bot.scheduler import Scheduler
from index.documents.references import read_references
from tests.helpers.lab import fill, settings_for
from tests.helpers.members import joins
from tests.helpers.records import record

ZOTERO_BIB = r"""
@misc{lao_switch_2026,
	title = {{SwitchML} again: in-network aggregation for {LLM} training \& inference},
	url = {http://arxiv.org/abs/2601.00001},
	doi = {10.48550/arXiv.2601.00001},
	abstract = {We aggregate in the network.},
	urldate = {2026-06-01},
	publisher = {arXiv},
	author = {Lovelace, Ada and M{\"u}ller, J{\"o}rg},
	month = may,
	year = {2026},
	note = {arXiv:2601.00001 [cs]},
	keywords = {Computer Science - Networking, to discuss},
	file = {Preprint PDF:/home/me/Zotero/storage/X/Lao.pdf:application/pdf},
}

@book{knuth_art_1997,
	address = {Reading, Mass},
	edition = {3rd ed},
	title = {The art of computer programming},
	isbn = {978-0-201-89683-1},
	publisher = {Addison-Wesley},
	author = {Knuth, Donald Ervin},
	year = {1997},
	keywords = {Computer algorithms},
}
"""
ZOTERO_RIS = """TY  - CONF
TI  - Speech recognition in noisy rooms, part 2
AU  - Lovelace, Ada
T2  - Proceedings of Rooms
DA  - 2026/03/04/
PY  - 2026
SP  - 1
EP  - 9
UR  - https://example.org/noise
Y2  - 2026/06/01/12:00:00
KW  - speech
N1  - <p>Read with <b>care</b> @everyone</p>
ER  -{space}

""".format(space=" ")
ZOTERO_JSON = json.dumps(
    [
        {
            "id": "http://zotero.org/users/1/items/AB",
            "type": "thesis",
            "title": "On <i>rooms</i>",
            "author": [{"family": "Noether", "given": "Emmy"}, {"literal": "The Team"}],
            "issued": {"date-parts": [["2020", 2, 30]]},
            "URL": "javascript:alert(1)",
        },
        "not an entry",
    ]
)


def papers(count=7):
    topics = ("in-network aggregation", "speech recognition in noisy rooms")
    return [
        record(
            n + 1,
            title=f"{topics[n % 2].capitalize()}, part {n + 1}",
            abstract=f"We study {topics[n % 2]}.",
            authors=["Ada Lovelace", f"Other {n}"],
        )
        for n in range(count)
    ]


@pytest.fixture
async def world(tmp_path):
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path).model_copy(update={"http_listen": "127.0.0.1:0"})
        async with (
            running_bot(settings) as (bot, _),
            UserClient(discord.url, discord.user_token) as user,
        ):
            bot.services.model_settled.set()
            await fill(bot, papers())
            yield discord, bot, user


async def test_a_paper_is_kept_found_changed_and_taken_off(world):
    _, _, user = world
    assert "Your library is empty" in (await user.slash("/library show")).text
    kept = await user.slash(
        "/save paper:In-network aggregation, part 1 tags:networks, to read, networks note:for group @here"
    )
    assert kept.is_private
    assert "#networks" in kept.text
    assert kept.text.count("networks") == 1
    again = await user.slash("/save paper:In-network aggregation, part 1")
    assert "in your library already" in again.text
    shown = await user.slash("/library show tag:networks")
    assert "1 work, 1 with #networks" in shown.text
    managed = await shown.press("Manage")
    read = await managed.choose("read", managed.selects[0])
    assert "read · #networks" in read.text
    assert "part 1" in (await user.slash("/library show search:group state:read")).text
    assert (
        "Nothing in your library has “zebrafish”" in (await user.slash("/library show search:zebrafish")).text
    )
    gone = await read.press("Remove")
    assert "Your library is empty" in (await user.slash("/library show")).text
    back = await gone.press("Put back")
    assert "read · #networks" in back.text, "tags and state come back, too"


async def test_a_second_note_is_added_to_the_first(world):
    _, _, user = world
    save = "/save paper:In-network aggregation, part 1"
    await user.slash(f"{save} note:The proof of theorem two is wrong")
    second = await user.slash(f"{save} note:ask Ada")
    assert "> The proof of theorem two is wrong\n> ask Ada" in second.text, "nobody loses what they wrote"
    assert "I added your new note below the earlier one" in second.text
    again = await user.slash(f"{save} note:ask Ada")
    assert again.text.count("ask Ada") == 1
    assert "says this already" in again.text
    long = await user.slash(f"{save} note:{'x' * 1_990}")
    assert "changed nothing" in long.text
    assert "The proof of theorem two" in (await user.slash(save)).text


async def test_a_library_has_pages_and_is_its_owner_s_alone(world):
    discord, _, user = world
    for n in range(7):
        topic = ("In-network aggregation", "Speech recognition in noisy rooms")[n % 2]
        await user.slash(f"/save paper:{topic}, part {n + 1}")
    first = await user.slash("/library show")
    assert "Page 1 of 2" in first.text
    second = await first.press("Older")
    assert "Page 2 of 2" in second.text
    assert "6. " in second.text
    member = joins(discord, "bee")
    managed = await second.press("Manage")
    async with UserClient(discord.url, discord.state.token_of(member["id"])) as other:
        assert "Your library is empty" in (await other.slash("/library show")).text
        taken = await other.slash("/save paper:In-network aggregation, part 1")
        forged = next(b for b in managed.buttons if b["label"] == "Remove")
        data = {"component_type": 2, "custom_id": forged["custom_id"], "forged": True}
        await other.component(taken.message, data)
    assert "7 works" in (await user.slash("/library show")).text


@pytest.mark.parametrize(
    ("name", "text"), [("z.bib", ZOTERO_BIB), ("z.ris", ZOTERO_RIS), ("z.json", ZOTERO_JSON)]
)
async def test_a_file_from_zotero_is_taken_over_and_undone(world, tmp_path, name, text):
    _, _, user = world
    (tmp_path / name).write_text(text)
    done = await user.slash(f"/library import file:{tmp_path / name}")
    assert done.is_private
    shown = await user.slash("/library show")
    assert shown.message["mention_everyone"] is False
    if name == "z.bib":
        assert "2 references read: 2 new" in done.text
        assert "I know 1 of them as papers" in done.text
        assert "In-network aggregation, part 1" in shown.text, "matched by its arXiv id"
        assert "The art of computer programming" in shown.text
        assert "#to discuss" in shown.text
    elif name == "z.ris":
        assert "Speech recognition in noisy rooms, part 2" in shown.text
        assert "I know 1 of them as papers" in done.text, "matched by title and author"
        assert "Read with care" in shown.text
    else:
        assert "I could not read 1 entry" in done.text
        assert "On rooms" in shown.text
        assert "javascript" not in json.dumps(shown.message)
    twice = await user.slash(f"/library import file:{tmp_path / name}")
    assert "0 new, " in twice.text
    assert "Undone" in (await done.press("Undo")).text
    assert "Your library is empty" in (await user.slash("/library show")).text


async def test_undoing_an_import_spares_what_was_worked_on_and_says_so(world, tmp_path):
    _, _, user = world
    (tmp_path / "z.bib").write_text(ZOTERO_BIB)
    done = await user.slash(f"/library import file:{tmp_path / 'z.bib'}")
    await user.slash("/save paper:In-network aggregation, part 1 note:a week's reading")
    undone = await done.press("Undo")
    assert "Undone: 1 work removed" in undone.text
    assert "I kept 1 work because you have saved, tagged, annotated or read it since." in undone.text
    assert "a week's reading" in (await user.slash("/library show")).text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "The file is empty"),
        (b"\x89PNG\r\n\x00\x00", "I read BibTeX"),
        (b"[" * 100_000, "can't be read"),
        (b'[{"title": 5}, {"author": []}]', "no reference with a title"),
        (b"@article{x, title = {unclosed", "no reference with a title"),
        (b"TY  - JOUR\nER  - \n", "no reference with a title"),
        (b"x" * 10_000_001, "files of up to 10 MB"),
    ],
)
async def test_a_file_that_is_no_list_keeps_nothing(world, tmp_path, data, said):
    _, _, user = world
    (tmp_path / "f.bib").write_bytes(data)
    assert said in (await user.slash(f"/library import file:{tmp_path / 'f.bib'}", within=40)).text
    assert "Your library is empty" in (await user.slash("/library show")).text


async def exported(world, command):
    discord, _, user = world
    reply = await user.slash(command)
    [attachment] = files_of(reply.message)
    return discord.state.files[attachment["id"]][2].decode()


async def test_exports_are_read_again_by_others_and_by_us(world, tmp_path):
    _, _, user = world
    await user.slash("/save paper:In-network aggregation, part 1 tags:networks, c & c note:50% {better}")
    (tmp_path / "z.bib").write_text(ZOTERO_BIB)
    await user.slash(f"/library import file:{tmp_path / 'z.bib'}")
    for kind, format_ in (("bib", "bibtex"), ("ris", "ris"), ("json", "csl-json")):
        text = await exported(world, f"/library export format:{format_}")
        items, unread = read_references(kind, text)
        assert unread == []
        assert {item["title"] for item in items} == {
            "In-network aggregation, part 1",
            "The art of computer programming",
        }
        own = next(item for item in items if "part 1" in item["title"])
        assert "networks" in own["keyword"]
        assert "50%" in own["note"]
    ris = rispy.loads(await exported(world, "/library export format:ris"))
    assert [entry["authors"][0] for entry in ris] == ["Knuth, Donald Ervin", "Lovelace, Ada"]


async def test_a_server_shares_lists(world):
    discord, _, user = world
    assert "no shared lists yet" in (await user.slash("/list show")).text
    member = joins(discord, "bee")
    async with UserClient(discord.url, discord.state.token_of(member["id"])) as bee:
        put = await bee.slash("/list add paper:In-network aggregation, part 1 list:Reading group")
        assert "Added to **Reading group**" in put.text
        assert (
            "Already on"
            in (await user.slash("/list add paper:In-network aggregation, part 1 list:reading GROUP")).text
        )
        await user.slash("/list add paper:Speech recognition in noisy rooms, part 2 list:Reading group")
        shown = await bee.slash("/list show list:Reading group")
        assert "2 papers" in shown.text
        assert shown.message["mentions"] == []
        refused = await bee.slash(
            "/list remove paper:Speech recognition in noisy rooms, part 2 list:Reading group"
        )
        assert "Only the member who put it there" not in refused.text, "bee began the list"
        await bee.slash("/list add paper:In-network aggregation, part 3 list:Owner's")
    third = joins(discord, "cee")
    async with UserClient(discord.url, discord.state.token_of(third["id"])) as cee:
        assert (
            "Only the member who put it there"
            in (await cee.slash("/list remove paper:In-network aggregation, part 1 list:Reading group")).text
        )
        refused = await cee.slash("/list delete list:Reading group")
        assert "Only the member who started the list" in refused.text
        assert refused.buttons == [], "nothing is asked that is refused afterwards"
    text = await exported(world, "/list export list:Reading group format:bibtex")
    assert text.count("@") == 1
    asked = await user.slash("/list delete list:Reading group")
    assert "Deleted" in (await asked.press("Delete")).text
    assert "This server has no list" in (await user.slash("/list show list:Reading group")).text


async def test_what_only_looks_like_a_number_names_no_list(world):
    _, _, user = world
    for typed in ("#²", "#٣"):
        assert f"no list called “{typed}”" in (await user.slash(f"/list show list:{typed}")).text
    refused = await user.slash("/list add paper:In-network aggregation, part 1 list:#")
    assert "needs a name with a letter or a digit" in refused.text


async def test_feeds_are_read_by_their_address_alone(tmp_path, world):
    discord, bot, user = world
    await user.slash("/save paper:In-network aggregation, part 1")
    view = await user.slash("/library feed")
    assert view.is_private
    address = view.text.split("<")[1].split(">")[0]
    settings = settings_for(discord, tmp_path, http_listen="127.0.0.1:0")
    async with (
        serving(bot, Scheduler(settings, bot.services), settings) as url,
        aiohttp.ClientSession() as session,
    ):
        path = address[address.index("/feeds/") :]

        async def get(path, **headers):
            async with session.get(url + path, headers=headers) as answer:
                return answer.status, await answer.read(), answer.headers

        status, body, headers = await get(path)
        assert status == 200
        assert headers["Content-Type"].startswith("application/atom+xml")
        root = fromstring(body)
        atom = "{http://www.w3.org/2005/Atom}"
        [entry] = root.findall(f"{atom}entry")
        assert entry.findtext(f"{atom}title") == "In-network aggregation, part 1"
        assert entry.find(f"{atom}link").get("href").startswith("https://arxiv.org/abs/")
        assert (await get(path, **{"If-None-Match": headers["ETag"]}))[0] == 304
        for other in (
            "/",
            "/feeds/",
            "/feeds/" + "a" * 32 + ".xml",
            "/feeds/../etc/passwd",
            path[:-6] + ".xml",
        ):
            assert (await get(other))[0] == 404
        for _ in range(READINGS - 2):
            await get(path)
        status, _, headers = await get(path)
        assert status == 429, "one reader does not keep Labmate busy"
        assert 0 < int(headers["Retry-After"]) <= 3_600
        renewed = await view.press("New address")
        assert (await get(path))[0] == 404, "the earlier address leads nowhere"
        assert address not in renewed.text
        await renewed.press("End it")
        new = renewed.text.split("<")[1].split(">")[0]
        assert (await get(new[new.index("/feeds/") :]))[0] == 404


async def test_a_paper_that_was_merged_stays_on_its_list_and_in_the_feed(world):
    discord, bot, user = world
    store, ours = bot.services.store, {"title": "As it is", "authors": ["Ada Y"]}
    [gone] = (await store.upsert([record(ids={"doi": "10.1/m"}, title="As it was", authors=["Bo Z"])])).ids
    [present] = (await store.upsert([record(802, **ours)])).ids
    reading = await store.lists.make(int(discord.guild["id"]), "Merged", 5)
    await store.lists.put(reading.id, gone, 5)
    await store.upsert([record(802, **ours, ids={"arxiv": "2601.00802", "doi": "10.1/m"})])
    assert [paper.id for paper in await store.papers([gone])] == [present]
    assert "As it is" in (await user.slash("/list show list:Merged")).text
    feed = await store.feeds.make("list", reading.id, 5)
    _, entries = await FeedServer(bot.services, "http://127.0.0.1").entries(feed)
    assert [paper.id for paper, _, _ in entries] == [present]


async def test_what_is_kept_is_held_and_forgotten(world):
    discord, _, user = world
    await user.slash("/save paper:In-network aggregation, part 1 note:secret")
    await user.slash("/list add paper:In-network aggregation, part 1 list:Reading group")
    data = await user.slash("/me data")
    [attachment] = files_of(data.message)
    held = json.loads(discord.state.files[attachment["id"]][2])
    assert held["library"][0]["note"] == "secret"
    assert held["lists_begun"] == ["Reading group"]
    asked = await user.slash("/me forget")
    await asked.press("Delete it for good")
    assert "Your library is empty" in (await user.slash("/library show")).text
    assert "Reading group" in (await user.slash("/list show")).text, "a server's list stays the server's"
