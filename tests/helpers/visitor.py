"""Somebody at the page of the local Discord, in a real browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

WITHIN_MS = 60_000
"""A machine that is busy with other things takes its time."""
_SETTLED = """() => {
  const count = document.querySelectorAll('.message').length;
  return count > BEFORE && !document.querySelector('.thinking, [aria-busy=true]');
}"""


class Visitor:
    """Types, presses and reads, as a person does.

    Attributes
    ----------
    page
        Playwright's page.
    complaints
        What the browser complained about: errors of scripts, and what the policy refused.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "console",
            lambda said: self.complaints.append(said.text) if said.type in ("error", "warning") else None,
        )
        page.set_default_timeout(WITHIN_MS)

    async def open(self, url: str) -> None:
        """Load the page, until it can be used."""
        await self.page.goto(url)
        await self.page.wait_for_selector("html[data-ready]")

    @property
    def line(self) -> Any:
        """Where messages and commands are typed."""
        return self.page.get_by_role("combobox", name="Message, or / for commands")

    async def say(self, text: str) -> str:
        """Type a line, send it, wait for what comes of it, and return the text of the last message."""
        before = await self.count()
        await self.line.fill(text)
        await self.page.keyboard.press("Escape")
        await self.page.keyboard.press("Enter")
        await self.settled(before)
        return await self.last()

    async def count(self) -> int:
        """How many messages are shown."""
        return int(await self.page.locator(".message").count())

    async def settled(self, before: int) -> None:
        """Wait until there are more messages than before and none is being thought about."""
        await self.page.wait_for_function(_SETTLED.replace("BEFORE", str(before)))

    async def last(self) -> str:
        """The text of the last message but for the hint that newcomers get once, whenever it comes."""
        messages = self.page.locator(".message").filter(has_not_text="New here? Try these")
        return str(await messages.last.inner_text())

    def button(self, name: str) -> Any:
        """The last button of a name."""
        return self.page.get_by_role("button", name=name).last

    async def go(self, place: str) -> None:
        """Open a channel, thread or direct message."""
        await self.page.locator("#channels").get_by_role("button", name=place, exact=True).click()
        await self.page.get_by_role("heading", name=place, level=1).wait_for()

    async def sees(self, text: str) -> None:
        """Wait until a text is in the messages."""
        await self.page.locator("#log").get_by_text(text).last.wait_for()


@asynccontextmanager
async def visitor(browser: Any, url: str, **context: Any) -> AsyncIterator[Visitor]:
    """Somebody who has opened the page, in a browser profile of their own."""
    opened = await browser.new_context(**context)
    try:
        somebody = Visitor(await opened.new_page())
        await somebody.open(url)
        yield somebody
    finally:
        await opened.close()
