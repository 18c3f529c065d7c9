"""Markup in titles, names and messages is text in the page, and nothing of it runs."""

from __future__ import annotations

import pytest
import pytest_asyncio
from aiohttp import ClientSession

from bot.local_discord.server import LocalDiscord
from tests.helpers.lab import fill, started
from tests.helpers.records import record
from tests.helpers.visitor import visitor

MARKUP = [
    "<img src=x onerror=ran()> gossip",
    "<script>ran()</script> gossip in switches",
    "</p></article><iframe srcdoc='<script>parent.ran()</script>'></iframe> gossip",
    "[gossip](javascript:ran()) and [more](data:text/html,<script>ran()</script>)",
    "<svg onload=ran()><a href='javascript:ran()'>gossip</a></svg>",
    "<style>*{display:none}</style> gossip <form action=https://evil.example><input name=token>",
]
_MADE = "script, iframe, svg, style, object, embed, link, form, input, [onerror], [onload], [srcdoc]"


@pytest_asyncio.fixture
async def hostile(tmp_path, chromium):
    async with LocalDiscord(furnished=True) as discord, started(discord, tmp_path) as lab:
        records = [
            record(
                n,
                title=title,
                abstract=f"We study gossip. {title} {title}",
                authors=[title[:90], "Ada Lovelace"],
            )
            for n, title in enumerate(MARKUP, 1)
        ]
        await fill(lab.bot, records)
        yield lab


@pytest_asyncio.fixture
async def victim(hostile, chromium):
    async with visitor(chromium, hostile.discord.url) as me:
        await me.page.evaluate(
            "() => { window.ran = () => { document.documentElement.dataset.ran = 'yes'; }; }"
        )
        yield me
        assert await me.page.locator("html[data-ran]").count() == 0
        assert await me.page.locator("#log").locator(_MADE).count() == 0
        hrefs = await me.page.locator("#log a").evaluate_all("all => all.map(one => one.protocol)")
        assert set(hrefs) <= {"http:", "https:"}
        assert me.complaints == []


async def test_titles_and_names_of_markup_are_shown_as_text(victim):
    assert "<script>ran()</script>" in await victim.say("/search query:gossip")
    await victim.say("/papers author:Ada Lovelace")
    await victim.button("Details").click()
    await victim.line.fill("/papers author:<")
    await victim.page.wait_for_timeout(1500)
    assert await victim.page.locator("#suggestions").locator(_MADE).count() == 0


async def test_messages_threads_and_posts_of_markup_are_shown_as_text(victim):
    for text in MARKUP:
        await victim.say(text)
        assert text.split("]")[0].lstrip("[") in (await victim.last()).replace("\n", "")
    await victim.go("reading-group")
    await victim.button("New post").click()
    await victim.page.get_by_label("Title").fill(MARKUP[0])
    await victim.page.get_by_label("Text").fill(MARKUP[1])
    await victim.button("Submit").click()
    await victim.page.get_by_role("heading", name=MARKUP[0], level=1).wait_for()
    assert await victim.page.locator("#places").locator(_MADE).count() == 0


async def test_a_page_that_somebody_attached_runs_nothing(hostile, victim):
    page = b"<script>document.documentElement.dataset.ran = 'yes'</script>Hello"
    await victim.page.locator("#upload").set_input_files(
        {"name": "page.html", "mimeType": "text/html", "buffer": page}
    )
    await victim.say("Look at this")
    address = await victim.page.locator(".file a").last.get_attribute("href")
    other = await victim.page.context.new_page()
    await other.goto(hostile.discord.url + address)
    assert await other.inner_text("body") == "Hello"
    assert await other.locator("html[data-ran]").count() == 0


@pytest.mark.parametrize("path", ["local/session", "local/wire"])
async def test_another_page_in_the_same_browser_reads_nothing(hostile, chromium, path):
    async with ClientSession() as session, session.get(f"{hostile.discord.url}/{path}") as answer:
        assert answer.status == 200  # a program on this machine may
    opened = await chromium.new_context()
    page = await opened.new_page()
    await page.goto(hostile.discord.url.replace("127.0.0.1", "localhost") + "/page/icon.svg")
    read = await page.evaluate(
        "url => fetch(url).then(answer => answer.text(), () => 'refused')", f"{hostile.discord.url}/{path}"
    )
    assert read == "refused"
    await opened.close()
