"""Limits for visitors, who have no names: by address, so that nobody slows Labmate for the others."""

from __future__ import annotations

import hashlib
import ipaddress
import math
from dataclasses import dataclass

from aiohttp import web

from commands.kit.limits import MINUTE, Counters

_PREFIX = 64
"""Bits of an IPv6 address that one visitor has for themselves alone."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many requests of a kind one address gets in a minute."""

    kind: str
    most: int


PAGES, STEPS, TYPING = Pace("pages", 120), Pace("steps", 240), Pace("typing", 300)
SEARCHES, FILES, STATIC = Pace("searches", 30), Pace("files", 20), Pace("static", 600)


class Visitors:
    """Counts requests by address.

    Parameters
    ----------
    counted
        Whether anything is refused.
    proxied
        Whether a proxy on this machine or network passes requests on and names who asked.
    """

    def __init__(self, *, counted: bool = True, proxied: bool = False) -> None:
        self._counted, self._proxied = counted, proxied
        self._counters = Counters()

    def wait(self, request: web.Request, pace: Pace) -> int:
        """Count a request; seconds until there is room for it, 0 where there is."""
        if not self._counted:
            return 0
        key = (pace.kind, self.address(request))
        if wait := self._counters.wait(key, pace.most, MINUTE):
            return math.ceil(wait)
        self._counters.count(key, MINUTE)
        return 0

    def address(self, request: web.Request) -> str:
        """Who asks: an IPv4 address, or the part of an IPv6 address that is one visitor's.

        A proxy appends the address that called it to X-Forwarded-For; anybody can write what precedes it.
        """
        direct = _ip(request.remote)
        # Some proxies append to the line that came; others, such as HAProxy, send a line after it.
        told = ",".join(request.headers.getall("X-Forwarded-For", [])).rpartition(",")[2].strip()
        if self._proxied and direct is not None and (direct.is_loopback or direct.is_private):
            direct = _ip(told) or direct
        if isinstance(direct, ipaddress.IPv6Address):
            return str(ipaddress.ip_network((direct, _PREFIX), strict=False))
        return str(direct or "?")

    def number(self, request: web.Request) -> int:
        """A number for who asks, for taking turns; below 0, where no member of Discord is."""
        digest = hashlib.sha256(self.address(request).encode()).digest()
        return -1 - int.from_bytes(digest[:7], "big")


def _ip(text: str | None) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text or "")
    except ValueError:
        return None
    mapped = getattr(address, "ipv4_mapped", None)
    return mapped or address
