"""What tests in a real browser share: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

try:
    from playwright import async_api
except ImportError:
    async_api = None

_HERE = Path(__file__).parent

# As root, Chromium needs --no-sandbox; the rest keeps it from asking anything outside.
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder has the mark of the browser."""
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.browser)


@pytest_asyncio.fixture(scope="session")
async def chromium() -> AsyncIterator[object]:
    """A headless Chromium; each test opens a context of its own."""
    if async_api is None:
        pytest.skip("Playwright is not installed: `make browser` installs it")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed: sudo apt-get install chromium")
    async with async_api.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=program, args=list(_FLAGS))
        try:
            yield browser
        finally:
            await browser.close()
