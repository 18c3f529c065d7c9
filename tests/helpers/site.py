"""An https server on loopback whose pages tests write, and a resolver that leads every name to it."""

import socket
import ssl

import trustme
from aiohttp import web
from aiohttp.abc import AbstractResolver

from data.sources.public_web import PublicWeb

TITLE = "Efficient Data-Plane Memory Scheduling for In-Network Aggregation"
"""A paper of ChonLam Lao's in the sample."""


class Names(AbstractResolver):
    """Every name stands for these addresses."""

    def __init__(self, *addresses):
        self.addresses = addresses

    async def resolve(self, host, port=0, family=socket.AF_UNSPEC):
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": socket.AF_INET,
                "proto": 0,
                "flags": 0,
            }
            for address in self.addresses
        ]

    async def close(self):
        pass


class Site:
    """An https server on loopback whose pages tests write."""

    def __init__(self, address="127.0.0.1", name="people.harvard.edu"):
        self.address, self.name = address, name
        self.pages = {}
        self.asked = []

    async def answer(self, request):
        self.asked.append(request.path)
        page = self.pages.get(request.path)
        if page is None:
            return web.Response(status=404)
        if callable(page):
            return await page(request)
        return web.Response(text=page, content_type="text/html")

    async def __aenter__(self):
        authority = trustme.CA()
        served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert(self.name).configure_cert(served)
        self.context = ssl.create_default_context()
        authority.configure_trust(self.context)
        app = web.Application()
        app.router.add_get("/{any:.*}", self.answer)
        self.runner = web.AppRunner(app, shutdown_timeout=0.2)
        await self.runner.setup()
        site = web.TCPSite(self.runner, self.address, 0, ssl_context=served)
        await site.start()
        self.port = self.runner.addresses[0][1]
        self.base = f"https://{self.name}:{self.port}"
        return self

    async def __aexit__(self, *_):
        await self.runner.cleanup()

    def client(self, **more):
        return PublicWeb(
            **{
                "resolver": Names(self.address),
                "permitted": lambda address: address.is_loopback,
                "context": self.context,
                "ports": frozenset({443, self.port}),
            }
            | more
        )
