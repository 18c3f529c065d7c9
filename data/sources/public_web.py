"""Reading a page that somebody named, and nothing but a public page: addresses are checked where they are used."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Callable
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from data.sources.http import SourceError

MOST_REDIRECTS = 3
MOST_BYTES = 2_000_000
SECONDS = 10.0
LONGEST_URL = 2_000
_REDIRECTS = {301, 302, 303, 307, 308}
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class NotPublicError(SourceError):
    """An address that Labmate does not open for anybody."""


def is_public(address: Address) -> bool:
    """Whether an address belongs to the public internet, in whatever way it is written."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)
        if inner is None and address in ipaddress.ip_network("64:ff9b::/96"):
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None and not is_public(inner):
            return False
    return address.is_global and not address.is_multicast


class _PublicResolver(AbstractResolver):
    """Resolves a name once, for the connection itself, and gives only public addresses."""

    def __init__(self, resolver: AbstractResolver, permitted: Callable[[Address], bool]) -> None:
        self._resolver = resolver
        self._permitted = permitted

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._resolver.resolve(host, port, family)
        # One bad address among good ones is no accident: such a name is refused whole.
        if not found or not all(
            self._permitted(ipaddress.ip_address(entry["host"].partition("%")[0])) for entry in found
        ):
            raise NotPublicError(f"{host[:100]} is no address on the public internet")
        return found

    async def close(self) -> None:
        await self._resolver.close()


class PublicWeb:
    """Opens public https pages: three redirects, two megabytes, ten seconds at most.

    Parameters
    ----------
    resolver, permitted, context, ports
        How names are resolved, which addresses may be connected to, whom to believe, and which ports may be
        named; only tests on loopback change these.
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
        self._permitted = permitted
        self._context = context
        self._ports = ports

    async def read(self, url: str, *, accept: str = "text/html, text/plain") -> str:
        """The text of a page.

        Raises
        ------
        NotPublicError
            Where the address, a redirect's, or what a name resolves to, is not public https.
        SourceError
            Where the page can't be read, is too large or too slow.
        """
        try:
            async with asyncio.timeout(SECONDS):
                return await self._read(url, accept)
        except TimeoutError as error:
            raise SourceError("the page did not answer within ten seconds") from error
        except aiohttp.ClientError as error:
            refused = error.__cause__
            while refused is not None and not isinstance(refused, NotPublicError):
                refused = refused.__cause__
            if refused is not None:
                raise refused from None
            raise SourceError("the page can't be reached") from error

    async def _read(self, url: str, accept: str) -> str:
        resolver = _PublicResolver(self._resolver or aiohttp.ThreadedResolver(), self._permitted)
        connector = aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, ssl=self._context or True)
        headers = {"User-Agent": "Labmate (proof of a claim)", "Accept": accept}
        async with aiohttp.ClientSession(
            connector=connector, trust_env=False, cookie_jar=aiohttp.DummyCookieJar(), headers=headers
        ) as session:
            for _ in range(MOST_REDIRECTS + 1):
                self._check(url)
                async with session.get(url, allow_redirects=False) as response:
                    if response.status in _REDIRECTS and "Location" in response.headers:
                        url = urljoin(url, response.headers["Location"])
                        continue
                    if response.status != 200:
                        raise SourceError(f"the page answered with status {response.status}")
                    return await self._text(response)
        raise SourceError(f"the page redirects more than {MOST_REDIRECTS} times")

    def _check(self, url: str) -> None:
        if len(url) > LONGEST_URL:
            raise NotPublicError("this address is too long")
        try:
            parts = urlsplit(url)
            port = parts.port or 443
        except ValueError as error:
            raise NotPublicError("this is no address of a page") from error
        if parts.scheme != "https":
            raise NotPublicError("only addresses that begin with https:// are opened")
        if not parts.hostname or parts.username or parts.password or port not in self._ports:
            raise NotPublicError("this is no address of a public page")
        try:
            address = ipaddress.ip_address(parts.hostname.partition("%")[0])
        except ValueError:
            return  # a name; the resolver looks at what it means
        if not self._permitted(address):
            raise NotPublicError("this is no address on the public internet")

    async def _text(self, response: aiohttp.ClientResponse) -> str:
        body = bytearray()
        async for part in response.content.iter_chunked(65_536):
            body += part
            if len(body) > MOST_BYTES:
                raise SourceError("the page is larger than two megabytes")
        try:
            return body.decode(response.charset or "utf-8", errors="replace")
        except LookupError:  # a charset that nobody knows
            return body.decode("utf-8", errors="replace")
