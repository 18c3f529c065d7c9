"""A page that takes long is made beside the event loop, so that Discord's heartbeats go on."""

from __future__ import annotations

import threading

from bot.explore.pages import Pages


async def test_pages_are_rendered_in_a_thread():
    threads = []

    class Told:
        def __html__(self) -> str:
            threads.append(threading.get_ident())
            return "told"

    pages = Pages("http://labmate.test/explore", "/explore", lambda: "")
    page = await pages.made("message.html", title="A title", told=Told(), unlisted=True)
    assert b"told" in page.body
    assert threads
    assert threading.get_ident() not in threads
