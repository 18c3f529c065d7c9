"""python -m benchmarks.explore: the explorer over all papers, measured in a browser's own page.

It prints how long a step of the graph takes, from the click until its nodes are drawn, and frames a second
while the graph turns. ``--pictures FOLDER`` takes the pictures of docs/explore.md instead. Both need Chromium
and the extra ``browser``. People and topics are made first where var/benchmark lacks them, for minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import random
import shutil
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
from PIL import Image

from benchmarks.data import FOLDER, full_corpus, percentile, show
from benchmarks.running import logged_in, start
from bot.local_discord.server import LocalDiscord
from index.identity.passes import identify
from index.people.insight import derive

try:
    from playwright.async_api import Page, async_playwright
except ImportError:
    sys.exit("This needs Playwright: python -m pip install '.[browser]'")

WALKS, STEPS = 12, 10
SIZES = (500, 1_000, 2_000)
TURN = 4.0
"""Seconds for which frames are counted."""
WIDTHS = {"phone": (390, 844), "tablet": (820, 1_000), "desktop": (1_280, 800)}
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
TIMES = "performance.getEntriesByName('labmate step').map(entry => entry.duration / 1000)"
STEP = "key => labmate.step(key, { focus: false }).then(() => labmate.model.graph.order)"
RENDERER = """(() => {
  const drawn = document.createElement("canvas").getContext("webgl2");
  return drawn.getParameter(drawn.getExtension("WEBGL_debug_renderer_info").UNMASKED_RENDERER_WEBGL);
})()"""
FRAMES = """seconds => new Promise(resolve => {
  const camera = labmate.view.sigma.getCamera(), begun = performance.now();
  let frames = 0;
  (function turn() {
    const spent = (performance.now() - begun) / 1000;
    if (spent >= seconds) return resolve(frames / spent);
    frames += 1;
    camera.setState({ angle: spent / 4 });
    requestAnimationFrame(turn);
  })();
})"""


async def made() -> list[int]:
    """The library of all papers, with people and topics; returns its papers."""
    corpus = await full_corpus(writable=True)
    with corpus.writing():
        if await corpus.store.people.last_pass() is None:
            await identify(corpus)
        await derive(corpus)
    papers: list[int] = corpus.facets.held().tolist()
    await corpus.store.close()
    return papers


@asynccontextmanager
async def explorer() -> AsyncIterator[str]:
    """The explorer of a Labmate in a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{free.getsockname()[1]}"
    async with LocalDiscord() as discord:
        process = start(discord, FOLDER, HTTP_LISTEN=listen, EXPLORE="public")
        try:
            await logged_in(process)
            url = f"http://{listen}/explore"
            async with aiohttp.ClientSession() as session:
                for _ in range(300):
                    async with session.get(f"{url}/graph.json?key=w1") as answer:
                        if answer.status == 200:
                            break
                    await asyncio.sleep(1.0)
            yield url
        finally:
            process.terminate()
            process.wait()


@asynccontextmanager
async def page_of(**more: Any) -> AsyncIterator[Page]:
    """A page in a headless Chromium."""
    program = shutil.which("chromium") or sys.exit("This needs Chromium: sudo apt-get install chromium")
    async with async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program, args=list(FLAGS))
        try:
            yield await (await browser.new_context(**more)).new_page()
        finally:
            await browser.close()


async def until(page: Page, expression: str) -> None:
    """Wait until something holds in the page."""
    async with asyncio.timeout(60):
        while not await page.evaluate(expression):  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def opened(page: Page, address: str) -> None:
    """Open a page with a graph, and wait until that stands."""
    await page.goto(address)
    await until(page, "!!globalThis.labmate && labmate.view.left === 0")


async def closed(page: Page) -> list[str]:
    """The nodes that were not stepped on."""
    keys: list[str] = await page.evaluate(
        "labmate.model.graph.nodes().filter(key => !labmate.model.opened.includes(key))"
    )
    return keys


async def walks(
    page: Page, url: str, papers: list[int], chance: random.Random, *, rests: bool
) -> list[float]:
    """The seconds of each step, on walks from some papers; ``rests``: the layout has settled before each."""
    times: list[float] = []
    for paper in papers:
        await opened(page, f"{url}/paper/{paper}")
        for _ in range(STEPS):
            if keys := await closed(page):
                if rests:
                    await page.evaluate("labmate.view.left = 0")
                    await page.wait_for_timeout(200)
                await page.evaluate(STEP, chance.choice(keys))
        times += await page.evaluate(TIMES)
    return times


async def measure(url: str, papers: list[int], chance: random.Random) -> None:
    """Print the time of a step, over walks from any papers, and frames a second by the graph's size."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; {len(papers):,} papers")
    async with page_of(viewport={"width": 1_280, "height": 800}) as page:
        for name, rests in (("a step", True), ("a step while the layout moves", False)):
            times = await walks(page, url, chance.sample(papers, WALKS), chance, rests=rests)
            p95 = f"{percentile(times, 0.95):.0f} ms (target 150)"
            show(f"{name} ({len(times)})", times, f"p95 {p95}")
        await opened(page, f"{url}/paper/{papers[0]}")
        for size in SIZES:
            order = 0
            while order < size and (keys := await closed(page)):
                order = await page.evaluate(STEP, chance.choice(keys))
            await until(page, "labmate.view.left === 0")
            rate = await page.evaluate(FRAMES, TURN)
            lines = await page.evaluate("labmate.model.graph.size")
            print(f"{f'{order:,} nodes, {lines:,} links':34} {rate:5.1f} frames a second", flush=True)
        print(f"drawn by {await page.evaluate(RENDERER)}", flush=True)


async def take_pictures(url: str, folder: Path) -> None:
    """A walk at three widths and in both themes, and a day's map."""
    names = ("ChonLam Lao", "Minlan Yu")
    for width, (wide, high) in WIDTHS.items():
        for theme in ("light", "dark"):
            size: Any = {"width": wide, "height": high}
            async with page_of(viewport=size, color_scheme=theme, reduced_motion="reduce") as page:
                await page.goto(f"{url}/search?q={names[0]}")
                await page.get_by_role("link", name=names[0]).first.click()
                await page.wait_for_url("**/person/*")
                await until(page, "!!globalThis.labmate")
                for name in (names[1], names[0]):
                    find = "name => labmate.model.graph.findNode((_, node) => node.label === name)"
                    await page.evaluate(STEP, await page.evaluate(find, name))
                await page.get_by_role("button", name="Fit").click()
                await page.wait_for_timeout(500)
                keep(await page.screenshot(), folder / f"explore-{width}-{theme}.png")
                if width == "desktop" and theme == "light":
                    await page.goto(f"{url}/day")
                    keep(await page.screenshot(), folder / "explore-day.png")


def keep(png: bytes, path: Path) -> None:
    """Write a picture in few colours, which is a third of its size."""
    with Image.open(io.BytesIO(png)) as picture:
        picture.convert("RGB").quantize(96).save(path, optimize=True)
    print(f"{path} {path.stat().st_size / 1_000:.0f} KB", flush=True)


async def main() -> None:
    """Measure, or take pictures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pictures", type=Path, help="the folder to put pictures into")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    papers = await made()
    async with explorer() as url:
        if chosen.pictures:
            await take_pictures(url, chosen.pictures)
        else:
            await measure(url, papers, random.Random(chosen.seed))


if __name__ == "__main__":
    asyncio.run(main())
