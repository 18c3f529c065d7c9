"""Telling public internet addresses from all others, however they are written."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_UNICAST = ipaddress.IPv6Network("2000::/3")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
_INNER_MASK = 0xFFFFFFFF
_TUNNELS = (0x00005EFE, 0x02005EFE)
"""The middle of an ISATAP address (RFC 5214), before the IPv4 address inside it."""
_CLOSED = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.88.99.0/24",  # relays of 6to4, given up (RFC 7526)
        "3fff::/20",  # documentation (RFC 9637); older Pythons call it public
        "2001::/23",  # Teredo and other protocols' own addresses
    )
)


def is_public(address: Address) -> bool:
    """Whether an address, and every IPv4 address inside it, belongs to the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        if not all(map(is_public, _inside(address))):
            return False
        if address not in _UNICAST:
            return address in _NAT64  # everything else is local, mapped or unassigned
    if any(address in network for network in _CLOSED if network.version == address.version):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def _inside(address: ipaddress.IPv6Address) -> Iterator[ipaddress.IPv4Address]:
    """The IPv4 addresses that a router may translate an IPv6 address to."""
    if address in _NAT64 or (int(address) >> 32) & _INNER_MASK in _TUNNELS:
        yield ipaddress.IPv4Address(int(address) & _INNER_MASK)
    if address.sixtofour is not None:
        yield address.sixtofour
