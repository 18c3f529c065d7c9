"""Visitors are told apart by address, and none keeps the others out; mistakes are told from missing pages."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from multidict import CIMultiDict

from bot.explore.address import ExploreAddress
from bot.explore.answer import PageAnswer
from bot.explore.site import OF_ONE, WAITING, Explore
from bot.explore.visitors import PAGES, Visitors


def explore() -> Explore:
    """The explorer without a graph; each address may ask as often as it likes."""
    visitors = Visitors(counted=False, proxied=True)
    nothing: Any = None
    return Explore(nothing, ExploreAddress("https://labmate.test/explore", None), nothing, visitors, str)


def request_of(*forwarded: str) -> web.Request:
    """What a proxy on this machine passes on, with a line of X-Forwarded-For for each text."""
    headers = CIMultiDict([("X-Forwarded-For", line) for line in forwarded])
    return make_mocked_request("GET", "/explore", headers=headers).clone(remote="127.0.0.1")


@pytest.mark.parametrize("forwarded", [("6.6.6.6, 192.0.2.1",), ("6.6.6.6", "192.0.2.1"), ("192.0.2.1",)])
def test_what_a_visitor_writes_into_the_header_is_not_their_address(forwarded):
    assert Visitors(proxied=True).address(request_of(*forwarded)) == "192.0.2.1"


async def test_one_visitor_does_not_fill_the_line_of_all():
    ended = asyncio.Event()

    async def slow(_: web.Request) -> PageAnswer:
        await ended.wait()
        return PageAnswer(b"made")

    answer = explore()._answering(slow, PAGES)
    mine = [asyncio.ensure_future(answer(request_of("192.0.2.1"))) for _ in range(2 * WAITING)]
    await asyncio.sleep(0)
    theirs = asyncio.ensure_future(answer(request_of("192.0.2.2")))
    await asyncio.sleep(0)
    ended.set()
    assert (await theirs).status == 200
    statuses = [one.status for one in await asyncio.gather(*mine)]
    assert (statuses.count(200), statuses.count(429)) == (OF_ONE, 2 * WAITING - OF_ONE)


@pytest.mark.parametrize(
    ("error", "status"), [(LookupError("gone"), 404), (KeyError("a mistake"), 500), (IndexError(), 500)]
)
async def test_a_mistake_is_no_page_that_does_not_exist(error, status, caplog):
    async def wrong(_: web.Request) -> PageAnswer:
        raise error

    assert (await explore()._answering(wrong, PAGES)(request_of("192.0.2.1"))).status == status
    assert bool(caplog.records) == (status == 500)
