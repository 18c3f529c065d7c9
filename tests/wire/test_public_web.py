"""Pages that members name: only the public internet gets a connection, however an address is written."""

import asyncio
import ipaddress
import socket

import pytest
from aiohttp import web
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from data.sources.http import SourceError
from data.sources.public_addresses import is_public
from data.sources.public_web import PublicWeb
from tests.helpers.site import Names, Site

pytestmark = pytest.mark.hostile

INNER = ["127.0.0.1", "127.0.0.2", "127.255.255.254", "0.0.0.0", "::1", "::"]
"""Addresses at which the listener of these tests can be reached."""
DIGITS = [
    "0123456789",
    "０１２３４５６７８９",
    "⓪①②③④⑤⑥⑦⑧⑨",
    "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗",
    "𝟘𝟙𝟚𝟛𝟜𝟝𝟞𝟟𝟠𝟡",
    "⁰¹²³⁴⁵⁶⁷⁸⁹",
    "₀₁₂₃₄₅₆₇₈₉",
    "٠١٢٣٤٥٦٧٨٩",
]
DOTS = ".。．｡"


class Listener:
    """Notes who comes, at every inner address, on one port."""

    def __init__(self):
        self.came = []

    async def __aenter__(self):
        def arrived(reader, writer):
            self.came.append(writer.get_extra_info("peername"))
            writer.close()

        self.server = await asyncio.start_server(arrived, "0.0.0.0", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        self.sixth = None
        if socket.has_ipv6:
            six = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
            six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                six.bind(("::", self.port))
                self.sixth = await asyncio.start_server(arrived, sock=six)
            except OSError:  # a machine without IPv6
                six.close()
        return self

    async def __aexit__(self, *_):
        for server in filter(None, (self.server, self.sixth)):
            server.close()

    async def is_reached(self):
        """Whether anybody came so far; what the kernel has accepted is let through first."""
        await asyncio.sleep(0)
        return bool(self.came)


@pytest.fixture(scope="module")
async def listening():
    async with Listener() as running:
        yield running


@pytest.fixture(scope="module")
async def moving():
    async with Site("127.0.0.9") as site:
        yield site


@pytest.fixture
def listener(listening):
    listening.came.clear()
    return listening


def spelled(address, form, digits, dot):
    """An IPv4 address in one of the forms that some reader takes for it."""
    parts = address.split(".")
    number = int(ipaddress.IPv4Address(address))
    text = {
        "dotted": address,
        "decimal": str(number),
        "hex": hex(number),
        "hex parts": ".".join(hex(int(part)) for part in parts),
        "octal parts": ".".join(f"0{int(part):o}" for part in parts),
        "long octal": ".".join(f"{int(part):08o}" for part in parts),
        "two parts": f"{parts[0]}.{number & 0xFFFFFF}",
        "three parts": f"{parts[0]}.{parts[1]}.{number & 0xFFFF}",
        "zeros": ".".join(part.zfill(3) for part in parts),
        "percent": "".join(f"%{ord(c):02x}" for c in address),
        "trailing dot": address + ".",
        "two trailing dots": address + "..",
    }[form]
    return text.translate(str.maketrans("0123456789.", DIGITS[digits] + DOTS[dot]))


FORMS = ["dotted", "decimal", "hex", "hex parts", "octal parts", "long octal", "two parts", "three parts",
         "zeros", "percent", "trailing dot", "two trailing dots"]  # fmt: skip


def mostly(plain, *others):
    """The plain part half of the time, so that the odd ones are tried one by one, too."""
    return st.one_of(st.just(plain), st.sampled_from(others))


fourth = st.builds(
    spelled,
    mostly(*[a for a in INNER if ":" not in a]),
    mostly(*FORMS),
    st.integers(0, len(DIGITS) - 1),
    st.integers(0, len(DOTS) - 1),
)
sixth = st.sampled_from(
    [
        "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]",
        "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2001:0:7f00:1::]", "[::1%25lo]",
        "[::1%lo]", "[fe80::1%25lo]", "[::FFFF:127.0.0.1]", "[2a00:1450::5efe:7f00:1]", "[fec0::1]",
        "[::ffff:0:127.0.0.1]",
    ]
)  # fmt: skip
names = st.sampled_from(
    [
        "localhost",
        "localhost.",
        "LOCALHOST",
        "ｌｏｃａｌｈｏｓｔ",
        "localhost.localdomain",
        "ip6-localhost",
        "foo.localhost",
    ]
)
hosts = st.one_of(fourth, sixth, names)
before = mostly("", "user@", "user:pw@", "@", ":@", "page.test@", "page.test\\@", "page.test%40")
scheme = mostly("https://", "HTTPS://", "https:\\\\", "https:", " https://", "\thttps://", "https:/")
after = mostly("/", "", "/%2e%2e/", "?a=b", "#@page.test", "\\@page.test/", "/\t")


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scheme, before, hosts, after)
@example("https://", "", "１２７.0.0.1", "/")
@example("https://", "", "127。0。0。1", "/")
@example("https://", "", "①②⑦.⓪.⓪.①", "/")
async def test_no_way_to_write_an_inner_address_gets_a_connection(listener, scheme, before, host, after):
    """The port is open to the reader here, and the system's own resolver answers."""
    listener.came.clear()
    url = f"{scheme}{before}{host}:{listener.port}{after}"
    with pytest.raises(SourceError):
        await PublicWeb(ports=frozenset({443, listener.port})).read(url)
    assert not await listener.is_reached(), url


async def test_the_listener_would_notice(listener):
    """A reader that is let in comes to the listener at every form of address that the tests rely on."""
    let_in = PublicWeb(ports=frozenset({listener.port}), permitted=lambda address: True)
    for host in ("127.0.0.1", "１２７.0.0.1", "127。0。0。1", "①②⑦.⓪.⓪.①", "localhost"):
        listener.came.clear()
        with pytest.raises(SourceError):
            await let_in.read(f"https://{host}:{listener.port}/")
        assert await listener.is_reached(), host
    listener.came.clear()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before, hosts, after)
@example("", "①②⑦.⓪.⓪.①", "/")
async def test_no_redirect_leads_inward(listener, moving, before, host, after):
    listener.came.clear()

    async def leave(_):
        raise _Moved(f"https://{before}{host}:{listener.port}{after}")

    moving.pages["/"] = leave

    def own(address):
        """The site of this test is let in beside what is public; the listener's other addresses are not."""
        return is_public(address) or address == ipaddress.ip_address("127.0.0.9")

    ports = frozenset({moving.port, listener.port})
    reader = moving.client(ports=ports, permitted=own, resolver=Site9())
    with pytest.raises(SourceError):
        await reader.read(moving.base + "/")
    assert moving.asked, "the redirect was read"
    assert not await listener.is_reached()


class Site9(Names):
    """The site's name leads to the site, every other one inward."""

    async def resolve(self, host, port=0, family=socket.AF_UNSPEC):
        self.addresses = ("127.0.0.9",) if host == "people.harvard.edu" else ("127.0.0.1",)
        return await super().resolve(host, port, family)


class _Moved(web.HTTPFound):
    """A redirect whose target is sent as it is, not as a well-meaning library would write it."""

    def __init__(self, location):
        super().__init__("/")
        self.headers["Location"] = location


class Fickle(Names):
    """A name that is public when it is looked at first, and inward from then on."""

    def __init__(self, port):
        super().__init__("93.184.215.14")
        self.asked = 0

    async def resolve(self, host, port=0, family=socket.AF_UNSPEC):
        self.asked += 1
        found = await super().resolve(host, port, family)
        self.addresses = ("127.0.0.1",)
        return found


async def test_a_name_that_changes_its_mind_is_resolved_once_for_its_connection(listener, monkeypatch):
    fickle = Fickle(listener.port)
    reader = PublicWeb(resolver=fickle, ports=frozenset({listener.port}))
    monkeypatch.setattr("data.sources.public_web.SECONDS", 0.5)
    for _ in range(3):
        with pytest.raises(SourceError):
            await reader.read(f"https://page.test:{listener.port}/")
    assert fickle.asked == 3, "each reading asks once"
    assert not await listener.is_reached()


async def test_the_address_itself_is_looked_at_when_the_connection_is_made(listener, monkeypatch):
    """Were every check before it fooled, the socket would still not be made."""
    reader = PublicWeb(ports=frozenset({listener.port}))
    monkeypatch.setattr(reader, "_check", lambda text, base=None: __import__("yarl").URL(text))
    for host in ("127.0.0.1", "[::1]", "１２７.0.0.1", "localhost"):
        with pytest.raises(SourceError):
            await reader.read(f"https://{host}:{listener.port}/")
    assert not await listener.is_reached()


async def test_the_environment_s_proxy_gets_nothing(listener, monkeypatch):
    for name in ("https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listener.port}")
    async with Site() as site:
        site.pages["/"] = "here"
        assert await site.client().read(site.base + "/") == "here"
    assert not await listener.is_reached()


async def test_a_page_carries_no_cookie_along_and_says_where_it_was_found():
    async with Site() as site:
        cookies = []

        async def start(request):
            moved = web.HTTPFound("/end")
            moved.set_cookie("session", "secret")
            raise moved

        async def end(request):
            cookies.append(request.headers.get("Cookie"))
            return web.Response(text="here")

        site.pages |= {"/start": start, "/end": end}
        page = await site.client().page(site.base + "/start")
        assert (page.text, page.url, page.host) == ("here", site.base + "/end", "people.harvard.edu")
        assert cookies == [None]


async def test_a_page_that_unfolds_is_not_unfolded():
    """Two kilobytes that would become two gigabytes."""

    async def bomb(request):
        assert request.headers["Accept-Encoding"] == "identity"
        return web.Response(body=b"\x1f\x8b" + b"x" * 2_000, headers={"Content-Encoding": "gzip"})

    async with Site() as site:
        site.pages["/"] = bomb
        with pytest.raises(SourceError, match="compressed"):
            await site.client().read(site.base + "/")


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b:1::808:808", "::ffff:8.8.8.8", "::8.8.8.8", "2002:a00:1::", "2001:0:5ef5:79fd::1", "fec0::1",
        "3fff::1", "192.88.99.1", "240.0.0.1", "2a00:1450::5efe:a00:1", "2a00:1450::200:5efe:127.0.0.1",
        "5f00::1", "64:ff9b::a00:1", "ff0e::1", "100::1",
    ],
)  # fmt: skip
def test_addresses_that_carry_an_inner_one_or_are_nobody_s(address):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2a00:1450:4001::1", "64:ff9b::808:808", "2002:808:808::1"])
def test_addresses_that_lead_to_the_public_internet(address):
    assert is_public(ipaddress.ip_address(address))
