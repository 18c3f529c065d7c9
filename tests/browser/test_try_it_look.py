"""How the page looks and whether all can use it: three widths, two themes, and what axe-core finds.

`PICTURES_TO=docs/pictures make browser ARGS="-k pictures"` draws the pictures of docs/try-it.md.
"""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path

import pytest
import pytest_asyncio
from PIL import Image

from bot.local_discord.server import LocalDiscord
from data.calendar import clock
from tests.helpers.lab import started
from tests.helpers.visitor import Visitor, visitor

try:
    from axe_playwright_python.async_playwright import Axe
except ImportError:
    Axe = None

WIDTHS = {"phone": (390, 800), "tablet": (820, 900), "desktop": (1360, 860)}
SAID = {"phone": "/papers ChonLam Lao", "tablet": "/similar PrismLLM", "desktop": "/graph PrismLLM"}
THEMES = ("dark", "light")
COLOURS = 160


@pytest_asyncio.fixture(scope="module")
async def furnished(tmp_path_factory, chromium):
    folder = tmp_path_factory.mktemp("look")
    async with (
        LocalDiscord(furnished=True, move_clock=clock.move) as discord,
        started(discord, folder) as lab,
    ):
        yield lab


async def violations(me: Visitor) -> list[str]:
    """What axe-core finds in the page as it is now."""
    found = await Axe().run(me.page)
    return [
        f"{one['id']}: {node['html'][:200]}" for one in found.response["violations"] for node in one["nodes"]
    ]


async def picture(me: Visitor, name: str, folder: Path) -> None:
    """A picture of the page in few colours, which keeps it small."""
    where = Path(os.environ.get("PICTURES_TO") or folder)
    image = Image.open(BytesIO(await me.page.screenshot()))
    image.convert("RGB").quantize(COLOURS).save(where / f"try-it-{name}.png", optimize=True)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
async def test_pictures_and_no_violation(furnished, chromium, tmp_path, width, theme):
    across, down = WIDTHS[width]
    size = {"viewport": {"width": across, "height": down}, "color_scheme": theme}
    async with visitor(chromium, furnished.discord.url, **size) as me:
        await me.say("/about")
        await me.say(SAID[width])
        assert await violations(me) == []
        await picture(me, f"{width}-{theme}", tmp_path)
        # What is wider than the window would have to be scrolled to.
        assert await me.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("theme", THEMES)
async def test_no_violation_in_what_opens(furnished, chromium, theme):
    async with visitor(chromium, furnished.discord.url, color_scheme=theme) as me:
        await me.line.press_sequentially("/pap")
        await me.page.locator("#suggestions [role=option]").first.wait_for()
        assert await violations(me) == []
        await me.say("/graph PrismLLM")
        await me.page.locator(".select").last.click()
        assert await violations(me) == []
        await me.page.keyboard.press("Escape")
        await me.say("/digest create")
        await me.button("Name, time, zone").click()
        await me.page.get_by_role("dialog").wait_for()
        assert await violations(me) == []
        await me.page.keyboard.press("Escape")
        await me.page.get_by_role("button", name="More for this message").last.click()
        assert await violations(me) == []
        await me.page.keyboard.press("Escape")
        for panel in ("Clock", "Faults", "Wire"):
            await me.button(panel).click()
            await me.page.get_by_role("heading", name=panel, level=2).wait_for()
            assert await violations(me) == []
        await me.go("reading-group")
        assert await violations(me) == []


async def test_the_page_can_be_used_within_a_second(furnished, chromium):
    async with visitor(chromium, furnished.discord.url) as me:
        await me.open(furnished.discord.url)
        took = await me.page.evaluate("performance.getEntriesByName('usable')[0].startTime")
        print(f"usable after {took:.0f} ms")
        assert took < 1000


async def test_nothing_moves_for_those_who_do_not_want_it(furnished, chromium):
    async with visitor(chromium, furnished.discord.url, reduced_motion="reduce") as me:
        moving = await me.page.evaluate("document.getAnimations().length")
        assert moving == 0
        assert (
            await me.page.evaluate("getComputedStyle(document.querySelector('#places')).transitionDuration")
            == "0s"
        )
