"""arXiv's files of papers on loopback: PDFs and HTML that tests lay there, and the faults of a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

Page = bytes | str | int | Callable[[web.Request], Awaitable[web.StreamResponse]]


class PaperServer:
    """Serves ``pages`` by path: bytes are a PDF, text is HTML, a number is a status."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.asked: list[str] = []
        self.at_once, self.most_at_once = 0, 0

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            page = self.pages.get(request.path, 404)
            if callable(page):
                return await page(request)
            if isinstance(page, int):
                return web.Response(status=page)
            kind = "application/pdf" if isinstance(page, bytes) else "text/html"
            body = page if isinstance(page, bytes) else page.encode()
            return web.Response(body=body, content_type=kind)
        finally:
            self.at_once -= 1

    async def __aenter__(self) -> PaperServer:
        app = web.Application()
        app.router.add_get("/{any:.*}", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.2)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()
