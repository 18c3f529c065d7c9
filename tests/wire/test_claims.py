"""Claims: proven over real https on loopback, or by members' words; nobody acts on another's."""

import asyncio
import ipaddress
import json
import socket
import ssl
from datetime import UTC, datetime, timedelta

import pytest
import trustme
from aiohttp import web
from aiohttp.abc import AbstractResolver

from bot.local_discord.client import UserClient
from bot.local_discord.server import LocalDiscord
from bot.run import running_bot
from commands.claim import ask_vouch, begin, prove, vouch
from commands.profile import ProfileGroup, own_link, release
from commands.replies import Kindly
from data.claims import ClaimRefused
from data.sources.http import SourceError
from data.sources.public_addresses import is_public
from data.sources.public_web import MOST_BYTES, NotPublicError, PublicWeb
from index.proofs import orcid_in, recheck
from tests.conftest import settings_for

TITLE = "Efficient Data-Plane Memory Scheduling for In-Network Aggregation"


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

    def __init__(self, address="127.0.0.1"):
        self.address = address
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
        authority.issue_cert("page.test").configure_cert(served)
        self.context = ssl.create_default_context()
        authority.configure_trust(self.context)
        app = web.Application()
        app.router.add_get("/{any:.*}", self.answer)
        self.runner = web.AppRunner(app, shutdown_timeout=0.2)
        await self.runner.setup()
        site = web.TCPSite(self.runner, self.address, 0, ssl_context=served)
        await site.start()
        self.port = self.runner.addresses[0][1]
        self.base = f"https://page.test:{self.port}"
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


@pytest.fixture
async def site():
    async with Site() as running:
        yield running


@pytest.fixture
async def own(tmp_path, site):
    async with (
        LocalDiscord() as discord,
        running_bot(settings_for(discord, tmp_path)) as (bot, _),
        UserClient(discord.url, discord.user_token) as user,
    ):
        bot.services.web, bot.services.orcid_url = site.client(), site.base + "/orcid"
        yield bot.services, user


def code_in(text):
    return text.partition("`")[2].partition("`")[0]


async def claimed(services, member, name, guild=1):
    """A member who holds a person, by words that the database takes."""
    author = await services.store.author_names.find(name)
    [(person, _), *_] = await services.store.people.named([author])
    claim = await services.store.claims.begin(member, person, guild, "labmate-x")
    await services.store.claims.prove(claim.id, "page", "https://page.test/x")
    await services.store.claims.seen(member, guild)
    return claim


async def test_a_page_with_code_name_and_paper_makes_the_claim(own, site):
    _services, user = own
    asked = await user.slash("/claim person:ChonLam Lao")
    code = code_in(asked.text)
    assert code.startswith("labmate-")
    assert asked.message["flags"] & 64
    site.pages["/me"] = f"<p>{code}</p>"
    assert "does not have the name" in (await user.slash(f"/claim page:{site.base}/me")).text
    site.pages["/me"] = f"<h1>Chon<b>Lam</b> Lao</h1><!-- {code} -->"
    assert "none of this person's papers" in (await user.slash(f"/claim page:{site.base}/me")).text
    site.pages["/me"] = f"<h1>ChonLam Lao</h1>{TITLE}<script>{code}x</script><p>hello</p>"
    assert "You are **ChonLam Lao** now (L2" in (await user.slash(f"/claim page:{site.base}/me")).text
    card = await user.slash("/author name:ChonLam Lao")
    assert "L2 claimed" in card.text
    assert "nobody to suggest for **ChonLam Lao**" in (await user.slash("/collaborators")).text
    again = await user.slash("/claim person:ChonLam Lao")
    assert "You hold" in again.text


async def test_an_orcid_record_makes_the_claim_and_a_stranger_s_does_not(own, site):
    _services, user = own
    code = code_in((await user.slash("/claim person:ChonLam Lao")).text)

    def record(given, family, biography, title):
        return json.dumps(
            {
                "person": {
                    "name": {"given-names": {"value": given}, "family-name": {"value": family}},
                    "biography": {"content": biography},
                },
                "activities-summary": {
                    "works": {"group": [{"work-summary": [{"title": {"title": {"value": title}}}]}]}
                },
            }
        )

    path = "/orcid/v3.0/0000-0002-1825-0097/record"
    ask = "/claim orcid:https://orcid.org/0000-0002-1825-0097"
    assert "status 404" in (await user.slash(ask)).text
    for page, said in (
        ("{}", "not a record"),
        ("[]", "not a record"),
        (record("ChonLam", "Lao", "", TITLE), "code is not in this ORCID"),
        (record("Josiah", "Carberry", code, TITLE), "belongs to Josiah Carberry"),
        (record("ChonLam", "Lao", code, "Another thing"), "lists none of"),
    ):
        site.pages[path] = page
        assert said in (await user.slash(ask)).text
    site.pages[path] = record("ChonLam", "Lao", f"see {code}", TITLE)
    assert "(L3, by an ORCID record)" in (await user.slash(ask)).text
    assert "no ORCID" in (await user.slash("/claim orcid:0000-0002-1825-0098")).text


def test_the_check_digit_of_an_orcid_is_checked():
    assert orcid_in("https://orcid.org/0000-0002-1694-233x") == "0000-0002-1694-233X"
    assert orcid_in("0000-0002-1825-0090") is None
    assert orcid_in("none") is None


async def test_two_claimed_members_of_the_server_vouch(own):
    services, user = own
    asked = await user.slash("/claim person:ChonLam Lao")
    public = await asked.press("Ask to be vouched for")
    assert not public.message["flags"] & 64
    assert "says to be **ChonLam Lao**" in public.text
    assert "Nobody can vouch for themselves" in (await public.press("I vouch")).text
    member = int(user.user["id"])
    claim = await services.store.claims.open_of(int(user.user["id"]))
    guild = claim.guild
    assert member == claim.member
    with pytest.raises(Kindly, match="Only members who have claimed"):
        await vouch(services, claim.id, 77, guild)
    await claimed(services, 77, "Minlan Yu", guild)
    await claimed(services, 78, "Jiaqi Gao", guild)
    with pytest.raises(Kindly, match="not open here"):
        await vouch(services, claim.id, 77, guild + 1)
    await vouch(services, claim.id, 77, guild)
    await vouch(services, claim.id, 77, guild)
    assert (await services.store.claims.find(claim.id)).state == "open", "one voice counts once"
    await vouch(services, claim.id, 78, guild)
    assert (await services.store.claims.find(claim.id)).level == 1
    assert "L1 claimed" in (await user.slash("/author name:ChonLam Lao")).text


async def test_two_members_can_not_hold_one_person_but_a_better_proof_contests(own):
    services, _ = own
    claims = services.store.claims
    first = await claimed(services, 1, "ChonLam Lao")
    other = await claims.begin(2, first.person_id, 1, "labmate-y")
    with pytest.raises(ClaimRefused, match="as good"):
        await claims.prove(other.id, "page", "https://page.test/y")
    await claims.prove(other.id, "orcid", "0000-0002-1825-0097")
    assert (await claims.of_person(first.person_id)).member == 2
    ended = await claims.find(first.id)
    assert (ended.state, ended.why_ended) == ("ended", "contested by a better proof")
    with pytest.raises(ClaimRefused, match="ended"):
        await claims.prove(first.id, "orcid", "0000-0002-1825-0097")


async def test_two_at_once_leave_one_holder(own):
    services, _ = own
    claims = services.store.claims
    author = await services.store.author_names.find("ChonLam Lao")
    [(person, _)] = await services.store.people.named([author])
    made = [await claims.begin(member, person, 1, f"labmate-{member}") for member in range(1, 9)]
    done = await asyncio.gather(
        *(claims.prove(claim.id, "page", "https://page.test/") for claim in made), return_exceptions=True
    )
    assert sum(not isinstance(result, Exception) for result in done) == 1
    assert all(isinstance(r, ClaimRefused) for r in done if isinstance(r, Exception))


async def test_claims_are_limited(own):
    services, _ = own
    people = [person async for person, _ in services.store.people.all_names()][:6]
    for person in people[:5]:
        await services.store.claims.begin(5, person, 1, "labmate-z")
    with pytest.raises(ClaimRefused, match="try again later"):
        await services.store.claims.begin(5, people[5], 1, "labmate-z")


async def test_a_claim_ends_with_its_proof_but_not_with_the_network(own, site):
    services, user = own
    code = code_in((await user.slash("/claim person:ChonLam Lao")).text)
    site.pages["/me"] = f"ChonLam Lao {TITLE} {code}"
    await user.slash(f"/claim page:{site.base}/me")
    later = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=40)
    assert await recheck(services.store, services.web, "", later) == 0

    async def broken(_):
        return web.Response(status=503)

    site.pages["/me"] = broken
    assert await recheck(services.store, services.web, "", later) == 0
    assert "L2 claimed" in (await user.slash("/author name:ChonLam Lao")).text
    site.pages["/me"] = f"ChonLam Lao {TITLE}"
    assert await recheck(services.store, services.web, "", later) == 1
    assert "L1 unclaimed" in (await user.slash("/author name:ChonLam Lao")).text


async def test_a_profile_shows_on_the_card_to_whom_it_should(own):
    services, user = own
    assert "Claim your papers first" in (await user.slash("/profile show")).text
    await claimed(services, 9, "Minlan Yu")
    group = ProfileGroup(services)
    await group._edit(9, 1, {"status": "open", "seeking": "people who like switches @everyone"}, None)
    card = await user.slash("/author name:Minlan Yu")
    assert "open to collaborate" in card.text
    assert "@everyone" not in card.text
    await group._edit(9, 1, {"offering": "a testbed"}, "claimed members")
    assert "open to collaborate" not in (await user.slash("/author name:Minlan Yu")).text
    assert await services.store.claims.in_server(1, open_only=True)
    assert not await services.store.claims.in_server(2)
    with pytest.raises(Kindly, match="time zone"):
        await group._edit(9, 1, {"time_zone": "Mars/Olympus"}, None)
    with pytest.raises(Kindly, match="what to change"):
        await group._edit(9, 1, {}, None)


@pytest.mark.parametrize(
    "link",
    [
        "http://x.org",
        "javascript:alert(1)",
        "https://x.org/a b",
        "https://user@x.org",
        "https://x",
        "https://x.org/)[a](b",
    ],
)
def test_a_link_is_plain_https(link):
    with pytest.raises(Kindly):
        own_link(link)


async def test_nobody_acts_on_another_s_claim_or_data(own):
    """A table of tries: who presses what of whom, and the word that refuses."""
    services, _user = own
    claim = await claimed(services, 1, "ChonLam Lao")
    open_one = await services.store.claims.begin(2, claim.person_id, 1, "labmate-q")

    class Somebody:
        id, display_name = 3, "Somebody"

    tries = [
        (ask_vouch(services, open_one.id, Somebody, 1), "belongs to somebody else"),
        (vouch(services, open_one.id, 3, 1), "Only members who have claimed"),
        (vouch(services, open_one.id, 1, 2), "not open here"),
        (vouch(services, open_one.id, 2, 1), "vouch for themselves"),
        (prove(services, 3, "https://page.test/x", None), "no open claim"),
        (release(services, 3), "hold no claim"),
        (begin(services, 999_999, 3, 1), "no longer know"),
    ]
    for work, said in tries:
        with pytest.raises(Kindly, match=said):
            await work
    assert (await services.store.claims.of_person(claim.person_id)).member == 1
    await release(services, 1)
    assert await services.store.claims.of_person(claim.person_id) is None


async def test_me_holds_and_forgets_the_claim_too(own):
    services, _ = own
    await claimed(services, 1, "ChonLam Lao")
    held = await services.store.claims.held(1)
    assert held["claims"][0]["member"] == "1"
    assert held["servers"] == ["1"]
    assert await services.store.claims.forget(1) == 2
    assert await services.store.claims.held(1) == {
        "claims": [],
        "vouches": [],
        "contests": [],
        "servers": [],
        "profile": [],
    }


# -- pages that members name -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "198.18.0.1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public(address):
    assert not is_public(ipaddress.ip_address(address))


def test_addresses_that_are_public():
    assert is_public(ipaddress.ip_address("93.184.215.14"))
    assert is_public(ipaddress.ip_address("2606:2800:21f:cb07:6820:80da:af6b:8b2c"))


@pytest.mark.parametrize(
    "url",
    [
        "http://page.test/", "ftp://page.test/", "file:///etc/passwd", "https://127.0.0.1/", "https://[::1]/",
        "https://169.254.169.254/latest/meta-data", "https://2130706433/", "https://0x7f.1/", "https://localhost/",
        "https://user:pw@page.test/", "https://page.test:22/", "https://page.test:99999/", "https://", "",
        "https://[", "https://x" + "y" * 3_000,
    ],
)  # fmt: skip
async def test_nothing_but_public_https_is_opened(url):
    with pytest.raises(SourceError):
        await PublicWeb(resolver=Names("127.0.0.1")).read(url)


async def test_a_name_that_leads_inward_is_refused_whatever_else_it_leads_to(site):
    for addresses in (("127.0.0.1",), ("93.184.215.14", "10.0.0.1")):
        with pytest.raises(NotPublicError):
            await site.client(resolver=Names(*addresses), permitted=is_public).read(site.base + "/")
    assert not site.asked


async def test_redirects_are_followed_three_times_and_never_inward(site):
    def to(target):
        async def page(_):
            raise web.HTTPFound(target)

        return page

    site.pages |= {"/0": to("/1"), "/1": to("/2"), "/2": to("/3"), "/3": "here", "/x": to("/0")}
    assert await site.client().read(site.base + "/0") == "here"
    with pytest.raises(SourceError, match="more than 3 times"):
        await site.client().read(site.base + "/x")
    for target in ("http://page.test/", "https://10.0.0.1/", "file:///etc/passwd", "//169.254.169.254/"):
        site.pages["/in"] = to(target)
        with pytest.raises(NotPublicError):
            await site.client().read(site.base + "/in")


async def test_a_page_that_never_ends_is_cut_off(site, monkeypatch):
    async def endless(request):
        response = web.StreamResponse()
        await response.prepare(request)
        for _ in range(MOST_BYTES // 50_000):
            await response.write(b"x" * 100_000)
        return response

    async def slow(request):
        await asyncio.sleep(2)

    site.pages |= {"/endless": endless, "/slow": slow}
    with pytest.raises(SourceError, match="two megabytes"):
        await site.client().read(site.base + "/endless")
    monkeypatch.setattr("data.sources.public_web.SECONDS", 0.3)
    with pytest.raises(SourceError, match="did not answer"):
        await site.client().read(site.base + "/slow")


async def test_a_certificate_that_is_not_believed_is_refused(site):
    with pytest.raises(SourceError, match="can't be reached"):
        await site.client(context=None).read(site.base + "/")
