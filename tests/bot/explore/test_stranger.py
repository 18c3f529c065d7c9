"""A stranger walks the explorer: nothing private appears, and what is markup stays text."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import pytest

from data.reasons import Reason
from data.stores.delivery_record import Chosen
from data.stores.holders import Profile
from tests.helpers.explorer import MARKUP, Visitor, fill_and_judge, only_text, visiting
from tests.helpers.lab import Lab, settings_for
from tests.helpers.records import record
from tests.helpers.stranger_world import DAY, OURS, PRIVATE, World, two_servers

pytestmark = pytest.mark.hostile

SOUGHT = "what-i-seek-in-my-profile"


@dataclass
class Explored:
    """The world, and what a stranger found in it."""

    world: World
    visitor: Visitor
    pages: dict[str, str]
    feeds: dict[str, str]


@pytest.fixture(scope="module")
async def explored(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("explored")
    async with two_servers(folder) as world:
        await full_of_secrets(world)
        feeds = {
            "digest": (await world.store.feeds.make("digest", (await posted(world)), world.id("you"))).token,
            "list": (await world.store.feeds.make("list", await world.shared_list(), world.id("you"))).token,
            "library": (await world.store.feeds.make("library", world.id("you"), world.id("you"))).token,
        }
        # Without a scheduler and a user: the explorer asks neither.
        lab = Lab(world.discord, world.bot, None, None, settings_for(world.discord, folder))  # type: ignore[arg-type]
        async with visiting(lab) as visitor:
            yield Explored(world, visitor, await visitor.walk(150), feeds)


async def full_of_secrets(world: World) -> None:
    """One of each thing that is somebody's own, and papers whose every text is markup."""
    await world.kept()
    await world.asked()
    await world.invitation()
    await world.contest()
    await world.open_claim()
    await world.correction()
    await world.own_work("kept")
    await world.follow()
    for name, public in (("you", True), ("cee", False)):
        await world.store.claims.save_profile(Profile(world.id(name), seeking=SOUGHT, public=public))
    records = [
        record(
            number,
            title=f"{text} paper",
            abstract=f"{text} {text}",
            authors=[text, "Ada Lovelace", "Common Author"],
            **dict.fromkeys(("comment", "venue", "journal_ref", "doi"), text),
        )
        for number, text in enumerate(MARKUP, 500)
    ]
    await fill_and_judge(world.bot, records)


async def posted(world: World) -> int:
    """A digest of the server that has posted."""
    digest = await world.digest()
    papers = [Chosen(paper, Reason(near="a title")) for paper in world.papers[:8]]
    due = world.bot.user.created_at
    made = await world.store.digests.write(digest, DAY, due, state="written", upto=DAY, read=9, papers=papers)
    await world.store.digests.posted(made, int(world.discord.channel["id"]), 1)
    return int(digest.id)


async def test_a_stranger_finds_people_papers_and_topics(explored):
    found = "\n".join(explored.pages)
    for kind in ("/person/", "/paper/", "/topic/", "/graph.json", "/export.graphml", "/nodes.csv"):
        assert kind in found
    assert "Minlan Yu" in "\n".join(explored.pages.values())


async def test_nothing_that_a_member_said_or_did_appears(explored):
    world = explored.world
    members = {name: str(world.id(name)) for name in world.users}
    proof = "harvard.edu"
    for address, page in explored.pages.items():
        for secret in (OURS, PRIVATE, SOUGHT, proof, str(world.guild), *members.values()):
            assert secret not in page, (secret, address)


async def test_a_person_s_page_says_that_they_are_claimed_but_not_by_whom(explored):
    number = explored.world.people["cee"]
    _, _, page = await explored.visitor.get(f"/person/{number}")
    assert " claimed" in page
    assert "contested" in page
    assert "labmate-x" not in page


async def test_an_archive_opens_with_its_feed_s_address_and_a_library_never(explored):
    status, headers, page = await explored.visitor.get(f"/archive/{explored.feeds['digest']}")
    assert status == 200
    assert "About topic" in page
    assert headers["X-Robots-Tag"] == "noindex"
    status, _, page = await explored.visitor.get(f"/archive/{explored.feeds['list']}")
    assert (status, OURS in page) == (200, True)  # whoever has the address was given the list
    digest = explored.feeds["digest"]
    for token in (explored.feeds["library"], digest[:-1] + ("_" if digest[-1] != "_" else "-")):
        assert (await explored.visitor.get(f"/archive/{token}"))[0] == 404
    assert not any(token in page for page in explored.pages.values() for token in explored.feeds.values())


async def test_an_archive_ends_with_its_feed_or_when_its_server_is_banned(explored):
    store = explored.world.store
    await store.bans.ban("server", explored.world.guild, by=0, reason="a test")
    assert (await explored.visitor.get(f"/archive/{explored.feeds['digest']}"))[0] == 404
    await store.bans.lift("server", explored.world.guild)
    await store.feeds.end("list", (await store.feeds.find(explored.feeds["list"])).target)
    assert (await explored.visitor.get(f"/archive/{explored.feeds['list']}"))[0] == 404


async def test_markup_in_names_and_titles_stays_text(explored):
    host = explored.visitor.url.partition("/explore")[0].rpartition(":")[0]
    html = {address: page for address, page in explored.pages.items() if page.startswith("<!doctype")}
    assert {address: wrong for address, page in html.items() if (wrong := only_text(page, host))} == {}
    shown = "\n".join(html.values())
    assert "&lt;script&gt;window.hacked=1&lt;/script&gt;" in shown
    assert "{{7*7}}" in shown


async def test_markup_in_what_is_asked_stays_text(explored):
    host = explored.visitor.url.partition("/explore")[0].rpartition(":")[0]
    for text in MARKUP:
        for below in (f"/search?q={text}", f"/path?from={text}&to={text}", f"/topic/{text}"):
            _, _, page = await explored.visitor.get(below.replace("#", "%23"))
            assert only_text(page, host) == [], below


async def test_no_cell_of_a_file_is_a_formula(explored):
    for address, page in explored.pages.items():
        if ".csv" in address:
            for row in csv.reader(io.StringIO(page)):
                assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in row), row


async def test_the_world_has_what_is_to_be_kept_secret(explored):
    rows = str(explored.world.rows())
    for secret in (OURS, PRIVATE, SOUGHT):
        assert secret in rows
