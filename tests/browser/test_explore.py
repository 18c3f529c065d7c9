"""The explorer in a real browser: its path, what it asks for, names of markup, and axe-core."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import networkx as nx
import pytest

from bot.local_discord.server import LocalDiscord
from tests.helpers.explorer import MARKUP, Visitor, fill_and_judge, visiting
from tests.helpers.lab import started
from tests.helpers.records import record

axe = pytest.importorskip("axe_playwright_python.async_playwright", reason="`make browser` installs it")

WIDTHS = {"phone": 390, "tablet": 820, "desktop": 1280}
PAGES = ("/", "/search?q=GPU", "/person/1", "/paper/1", "/path?from=ChonLam+Lao&to=Minlan+Yu", "/day")
ORDER = "labmate.model.graph.order"
SHOWN = "labmate.model.graph.filterNodes(key => !labmate.view.sigma.getNodeDisplayData(key).hidden)"
SETTLED = "globalThis.labmate && labmate.view.left === 0 && labmate.model.graph.order > 1"


@pytest.fixture(scope="module")
async def explorer(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visitor]:
    """The sample beside papers whose every text is markup."""
    folder = tmp_path_factory.mktemp("explorer")
    async with LocalDiscord() as discord, started(discord, folder) as lab:
        papers = [
            record(number, title=f"{text} paper", abstract=text, authors=[text, "Ada Lovelace"])
            for number, text in enumerate(MARKUP, 500)
        ]
        await fill_and_judge(lab.bot, papers)
        async with visiting(lab) as visitor:
            yield visitor


@asynccontextmanager
async def opened(chromium: Any, **more: Any) -> AsyncIterator[Any]:
    """A page in a browser of its own; at the end, nothing went wrong and nothing outside was asked."""
    more = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"} | more
    context = await chromium.new_context(**more)
    page = await context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    asked: list[str] = []
    try:
        yield page
        assert wrong == []
        assert {urlsplit(url).hostname for url in asked if not url.startswith(("blob:", "data:"))} == {
            "127.0.0.1"
        }
        assert await context.cookies() == []
        assert await page.evaluate("window.hacked") is None
    finally:
        await context.close()


async def until(page: Any, expression: str) -> None:
    """Wait until an expression holds; the page's policy forbids Playwright's own way, which is eval."""
    async with asyncio.timeout(30):
        while not await page.evaluate(expression):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def key_of(page: Any, label: str) -> str:
    """The key of the node with a label."""
    find = "label => labmate.model.graph.findNode((_, node) => node.label === label)"
    key: str = await page.evaluate(find, label)
    return key


async def click(page: Any, label: str) -> None:
    """Click on the node with a label, where it is drawn."""
    await until(page, SETTLED)
    key = await key_of(page, label)
    where = "key => labmate.view.sigma.graphToViewport(labmate.model.graph.getNodeAttributes(key))"
    at = await page.evaluate(where, key)
    frame = await page.locator("#graph").bounding_box()
    await page.mouse.move(frame["x"] + at["x"] + 40, frame["y"] + at["y"] + 40)
    await page.mouse.click(frame["x"] + at["x"], frame["y"] + at["y"])


async def test_from_a_few_letters_to_a_graph_that_is_shared(chromium, explorer):
    async with opened(chromium) as page:
        await page.goto(explorer.url + "/")
        await page.get_by_role("combobox", name="Search").press_sequentially("chonl")
        await page.get_by_role("option").first.wait_for()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/person/*")
        await until(page, SETTLED)
        assert await page.locator("h1").text_content() == "ChonLam Lao"
        before = await page.evaluate(ORDER)
        await click(page, "Minlan Yu")
        await page.get_by_role("heading", name="Minlan Yu").wait_for()
        await until(page, f"{ORDER} >= {before}")
        await page.locator("#card").get_by_role("link", name=re.compile("THC")).first.press("Enter")
        await page.get_by_role("heading", level=1, name=re.compile("THC")).wait_for()
        assert await page.evaluate("document.activeElement.id") == "card"
        grown, address = await page.evaluate(ORDER), page.url
        assert grown > before
        assert address.count("open=") == 3
        assert "/paper/" in address
        await page.goto(address)
        await until(page, f"globalThis.labmate && {ORDER} === {grown}")
        await page.get_by_role("button", name="Undo").click()
        await until(page, f"{ORDER} < {grown}")


async def test_filters_leave_what_was_chosen(chromium, explorer):
    async with opened(chromium) as page:
        await page.goto(explorer.url + "/path?from=ChonLam+Lao&to=Michael+Mitzenmacher")
        await until(page, SETTLED)
        await page.locator("label.paper input").uncheck()
        keys = await page.evaluate(SHOWN)
        assert keys
        assert not [key for key in keys if key.startswith("w")]
        await page.goto(page.url)
        await until(page, SETTLED)
        assert not await page.locator("label.paper input").is_checked()
        assert await page.evaluate(SHOWN) == keys


async def test_years_and_a_path_between_two_people(chromium, explorer):
    async with opened(chromium) as page:
        await page.goto(explorer.url + "/search?q=ChonLam+Lao")
        await page.get_by_role("link", name="ChonLam Lao").first.click()
        await until(page, SETTLED)
        await page.get_by_placeholder("Path to …").fill("Michael Mitzenmacher")
        await page.get_by_placeholder("Path to …").press("Enter")
        await (
            page.get_by_text("The path has 1 papers.")
            .or_(page.get_by_text("The path has 1 paper."))
            .wait_for()
        )
        first = page.get_by_label("From year")
        low, high = int(await first.get_attribute("min")), int(await first.get_attribute("max"))
        assert low < high
        await first.fill(str(high))
        hidden = (
            "labmate.model.graph.filterNodes(key => labmate.view.sigma.getNodeDisplayData(key).hidden).length"
        )
        assert await page.evaluate(hidden) > 0


async def test_pictures_and_files_are_saved(chromium, explorer, tmp_path: Path):
    async with opened(chromium, accept_downloads=True) as page:
        await page.goto(explorer.url + "/search?q=ChonLam+Lao")
        await page.get_by_role("link", name="ChonLam Lao").first.click()
        await until(page, SETTLED)
        await page.get_by_text("Share", exact=True).click()
        saved = {}
        for name in ("Picture (PNG)", "Picture (SVG)", "GraphML", "Nodes (CSV)"):
            async with page.expect_download() as download:
                await page.get_by_role("button", name=name).click()
            saved[name] = tmp_path / (await download.value).suggested_filename
            await (await download.value).save_as(saved[name])
    assert saved["Picture (PNG)"].read_bytes().startswith(b"\x89PNG")
    assert "ChonLam Lao</text>" in saved["Picture (SVG)"].read_text()
    assert "ChonLam Lao" in {data["label"] for _, data in nx.read_graphml(saved["GraphML"]).nodes(data=True)}
    assert saved["Nodes (CSV)"].read_text().startswith("key,kind,label")


async def test_names_and_titles_of_markup_are_only_text(chromium, explorer):
    async with opened(chromium) as page:
        await page.goto(explorer.url + "/search?q=Ada+Lovelace")
        await page.get_by_role("link", name="Ada Lovelace").first.click()
        await until(page, SETTLED)
        labels = await page.evaluate("labmate.model.graph.mapNodes((_, node) => node.label)")
        assert MARKUP[0] in labels
        for text in MARKUP[:3]:
            await page.evaluate("key => labmate.step(key, { focus: false })", await key_of(page, text))
            await page.get_by_role("heading", level=1, name=text).wait_for()
        await page.get_by_role("combobox", name="Search").press_sequentially("<scr")
        await page.wait_for_timeout(500)
        picture = await page.evaluate(
            "import(document.querySelector('script').src.replace('explore.js', 'save.js'))"
            ".then(save => save.svgOf(labmate.view))"
        )
        assert "&lt;script&gt;" in picture
        assert "<script" not in picture


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
async def test_axe_finds_nothing(chromium, explorer, width, theme):
    size = {"width": WIDTHS[width], "height": 800}
    async with opened(chromium, viewport=size, color_scheme=theme) as page:
        for below in (
            "/",
            "/search?q=GPU",
            "/person/1",
            "/paper/1",
            "/path?from=ChonLam+Lao&to=Minlan+Yu",
            "/day",
        ):
            await page.goto(explorer.url + below)
            if await page.locator("#walk").count():
                await until(page, SETTLED)
                await page.get_by_text("Share", exact=True).click()
            found = await axe.Axe().run(page)
            assert found.violations_count == 0, f"{below}\n{found.generate_report()}"
            wide = await page.evaluate("document.documentElement.scrollWidth")
            assert wide <= WIDTHS[width], f"{below} scrolls sideways at {width}"
