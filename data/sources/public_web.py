"""Reading a page that somebody named, if it is public: addresses are checked where they are used."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from data.sources.http import SourceError
from data.sources.public_addresses import Address, is_public

MOST_REDIRECTS = 3
MOST_BYTES = 2_000_000
SECONDS = 10.0
LONGEST_URL = 2_000
_REDIRECTS = {301, 302, 303, 307, 308}
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.I)
"""A last label that browsers read as part of an IPv4 address (WHATWG URL, "ends in a number")."""


class NotPublicError(SourceError):
    """An address that Labmate never opens."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page's text, and the address where the redirects ended."""

    url: str
    text: str

    @property
    def host(self) -> str:
        """The host that answered, in its DNS form."""
        return (URL(self.url).raw_host or "").rstrip(".").lower()


class _Guard:
    """Lets connections go only to permitted addresses, checked at the last moment.

    A host can be written in many ways, and a name can change its meaning between two look-ups. So we check
    the address when a socket for it is requested: a refused address never gets a packet.
    """

    def __init__(self, permitted: Callable[[Address], bool]) -> None:
        self._permitted = permitted

    def allows(self, host: str) -> bool:
        """Whether an address, written in the usual way, is permitted."""
        try:
            return self._permitted(ipaddress.ip_address(host.partition("%")[0]))
        except ValueError:
            return False

    def socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for one address that aiohttp is about to connect to.

        Raises
        ------
        PermissionError
            Where it is not permitted; aiohttp treats that as an address that does not answer.
        """
        family, kind, protocol, _, address = info
        if not self.allows(str(address[0])):
            raise PermissionError(f"{address[0]} is not an address on the public internet")
        return socket.socket(family, kind, protocol)


class _PublicResolver(AbstractResolver):
    """Resolves a name once, for the connection itself, and returns only permitted addresses."""

    def __init__(self, resolver: AbstractResolver, guard: _Guard) -> None:
        self._resolver = resolver
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        addresses = await self._resolver.resolve(host, port, family)
        # One private address among public ones hardly happens by accident, so refuse the whole name.
        if not addresses or not all(self._guard.allows(entry["host"]) for entry in addresses):
            raise NotPublicError(f"{host[:100]} is not an address on the public internet")
        return addresses

    async def close(self) -> None:
        await self._resolver.close()


class PublicWeb:
    """Opens public https pages: three redirects, two megabytes, ten seconds at most.

    Parameters
    ----------
    resolver, permitted, context, ports
        The resolver of names, the test for permitted addresses, the trusted certificates and the allowed
        ports; only tests on loopback change these.
    """

    def __init__(
        self,
        *,
        resolver: AbstractResolver | None = None,
        permitted: Callable[[Address], bool] = is_public,
        context: ssl.SSLContext | None = None,
        ports: frozenset[int] = frozenset({443}),
    ) -> None:
        self._resolver = resolver
        self._guard = _Guard(permitted)
        self._context = context
        self._ports = ports

    async def read(self, url: str, *, accept: str = "text/html, text/plain") -> str:
        """The text of a page; raises as :meth:`page` does."""
        return (await self.page(url, accept=accept)).text

    async def page(self, url: str, *, accept: str = "text/html, text/plain") -> Page:
        """Read a page; the result also has the address where it was found.

        Raises
        ------
        NotPublicError
            Where the address, a redirect, or an address that a name resolves to is not public https.
        SourceError
            Where the page can't be read, is too large or too slow.
        """
        try:
            async with asyncio.timeout(SECONDS):
                return await self._read(self._check(url), accept)
        except TimeoutError as error:
            raise SourceError("the page did not answer within ten seconds") from error
        except aiohttp.ClientError as error:
            raise SourceError("the page can't be reached") from error

    async def _read(self, url: URL, accept: str) -> Page:
        headers = {
            "User-Agent": "Labmate (proof of a claim)",
            "Accept": accept,
            "Accept-Encoding": "identity",  # nothing unpacks on arrival, so two megabytes stay two megabytes
        }
        async with aiohttp.ClientSession(
            connector=self._connector(),
            trust_env=False,
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
        ) as session:
            for _ in range(MOST_REDIRECTS + 1):
                async with session.get(url, allow_redirects=False) as response:
                    if response.status in _REDIRECTS and "Location" in response.headers:
                        url = self._check(response.headers["Location"], url)
                        continue
                    if response.status != 200:
                        raise SourceError(f"the page answered with status {response.status}")
                    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                        raise SourceError("the page can only be read compressed")
                    return Page(str(url), await self._text(response))
        raise SourceError(f"the page redirects more than {MOST_REDIRECTS} times")

    def _connector(self) -> aiohttp.TCPConnector:
        return aiohttp.TCPConnector(
            resolver=_PublicResolver(self._resolver or aiohttp.ThreadedResolver(), self._guard),
            use_dns_cache=False,
            ssl=self._context or True,
            socket_factory=self._guard.socket,
            force_close=True,
        )

    def _check(self, text: str, base: URL | None = None) -> URL:
        """The address in the form used for connecting, so that no two parsers can disagree about it."""
        if len(text) > LONGEST_URL:
            raise NotPublicError("this address is too long")
        try:
            url = URL(text) if base is None else base.join(URL(text))
            host, port = (url.raw_host or "").lower(), url.port
        except ValueError as error:
            raise NotPublicError("this is not a web address") from error
        if url.scheme != "https":
            raise NotPublicError("only addresses that begin with https:// are opened")
        if not host or url.user is not None or url.password is not None or port not in self._ports:
            raise NotPublicError("this is not the address of a public page")
        try:
            ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            last = host.rstrip(".").rpartition(".")[2]
            if _NUMBER.fullmatch(last) or not host.isascii():
                raise NotPublicError("this is not an address on the public internet") from None
            return url  # a name; the guard checks what it resolves to
        if not self._guard.allows(host):
            raise NotPublicError("this is not an address on the public internet")
        return url

    async def _text(self, response: aiohttp.ClientResponse) -> str:
        body = bytearray()
        async for part in response.content.iter_chunked(65_536):
            body += part
            if len(body) > MOST_BYTES:
                raise SourceError("the page is larger than two megabytes")
        try:
            return body.decode(response.charset or "utf-8", errors="replace")
        except LookupError:  # an unknown charset
            return body.decode("utf-8", errors="replace")
