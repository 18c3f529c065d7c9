"""The docs agree with the project: the files they name exist, and the picture of the rooms is today's."""

import importlib.util
import re

import discord
import pytest
from PIL import Image

from tests.helpers.paths import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FILE = re.compile(
    r"(?<![\w/-])((?:\.ci|\.github|bot|commands|index|data|tests|benchmarks|deploy|docs)/[\w./-]*)"
)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([\w-]+))?\)")
MADE_HERE = re.compile(r"<!-- made by the reader: (\S+) -->")


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page):
    text = page.read_text()
    made = set(MADE_HERE.findall(text))
    for name in FILE.findall(text):
        path = name.rstrip(".")
        assert path in made or "NAME" in path or (ROOT / path).exists(), (
            f"{page.name} names {path}, which is not there"
        )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_of_a_page_leads_somewhere(page):
    for target, heading in LINK.findall(page.read_text()):
        if "://" in target:
            continue
        linked = (page.parent / target).resolve()
        assert linked.exists(), f"{page.name} links to {target}"
        assert not heading or heading in anchors(linked), f"{page.name} links to {target}#{heading}"


@pytest.fixture(scope="module")
def house():
    spec = importlib.util.spec_from_file_location("house", ROOT / "docs" / "house.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_room_of_the_picture_has_a_purpose(house):
    assert set(house.uses()) == set(house.PURPOSES)


def test_every_way_leads_through_rooms_that_exist(house):
    rooms = set(house.uses())
    for way in house.WAYS.values():
        assert set(way) <= rooms


def test_the_picture_and_the_table_show_the_imports_of_today(house):
    rooms = house.uses()
    assert house.page_with(rooms) == house.PAGE.read_text(), "run: python docs/house.py"
    with Image.open(house.PICTURE) as picture:
        assert picture.text["Description"] == house.digest(rooms), "run: python docs/house.py"


def test_the_picture_is_drawn_the_same_each_time(house, tmp_path):
    rooms = house.uses()
    house.draw(rooms, tmp_path / "one.png")
    house.draw(rooms, tmp_path / "two.png")
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


ODD = re.compile(
    r"\b(by the clock|sorted out|prints? this name|whoever|whosoever|says? to be|jumped over"
    r"|(?<!there )is no (?!longer)\w+|(?:^|[.:] )Whom|know already that)\b"
)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md"], ids=lambda page: page.name)
def test_a_page_is_in_plain_english(page):
    text = re.sub(r"```.*?```|`[^`]*`|\"[^\"]*\"", "", page.read_text(), flags=re.S)
    assert not ODD.findall(text)


def test_the_invite_link_asks_for_what_the_text_names():
    link = re.search(
        r"scope=bot%20applications\.commands&permissions=(\d+)`", (ROOT / "README.md").read_text()
    )
    asked = {name for name, granted in discord.Permissions(int(link[1])) if granted}
    threads = {"create_public_threads", "create_private_threads", "send_messages_in_threads"}
    files = {"embed_links", "attach_files", "read_message_history"}
    assert asked == {"read_messages", "send_messages"} | threads | files
