"""Claims: proven over real https on loopback, or by members' words; nobody acts on another's."""

import asyncio
import ipaddress
import json
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web

from commands.kit.replies import UserError
from commands.members.claim import ask_vouch, begin, vouch
from commands.members.profile import ProfileGroup, own_link, release
from commands.members.proof import prove
from data.records import PaperRecord
from data.sources.http import SourceError
from data.sources.public_addresses import is_public
from data.sources.public_web import MOST_BYTES, NotPublicError, PublicWeb
from data.stores.claims import ClaimRefused
from index.claims.claim_proofs import recheck
from index.claims.orcid_records import orcid_in
from tests.helpers.members import claimed
from tests.helpers.site import TITLE, Names, Site

pytestmark = pytest.mark.hostile

THC = "THC: Accelerating Distributed Deep Learning Using Tensor Homomorphic Compression"


def code_in(text):
    return text.partition("`")[2].partition("`")[0]


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
    said = await user.slash(f"/claim page:{site.base}/me")
    assert (
        "You are **ChonLam Lao** now (L2: can change a page at people.harvard.edu that has their" in said.text
    )
    card = await user.slash("/author name:ChonLam Lao")
    assert "L2 claimed" in card.text
    assert "Claimed by a member who can change a page at people.harvard.edu" in card.text
    assert "can change a page at people.harvard.edu" in (await card.press("Why these figures?")).text
    assert "L2: can change a page at people.harvard.edu" in (await user.slash("/profile show")).text
    assert "no possible collaborators for ChonLam Lao" in (await user.slash("/collaborators")).text
    again = await user.slash("/claim person:ChonLam Lao")
    assert "You already hold" in again.text


NUMBER = "0000-0002-1825-0097"
CROSSREF, DATACITE, WIZARD = "0000-0001-9884-1913", "0000-0001-8099-6984", "0000-0002-3054-1567"


def listed(source, title=TITLE, doi=None, kind="journal-article", **origin):
    """A work summary as in ORCID's public API, v3.0; a source is the owner's ORCID or a client's id."""
    owner = source == NUMBER
    ids = [{"external-id-type": "doi", "external-id-value": doi, "external-id-relationship": "self"}]
    return {
        "source": {
            "source-orcid": {"path": source} if owner else None,
            "source-client-id": None if owner else {"path": source},
            "source-name": {"value": "somebody"},
            **{
                "assertion-origin-orcid": None,
                "assertion-origin-client-id": None,
                "assertion-origin-name": None,
            },
            **{f"assertion-origin-{name}": value for name, value in origin.items()},
        },
        "title": {"title": {"value": title}},
        "type": kind,
        "external-ids": {"external-id": ids if doi else []},
    }


def orcid_record(biography, *works, given="ChonLam", family="Lao"):
    """A record as the public API of ORCID, v3.0, has it."""
    return json.dumps(
        {
            "person": {
                "name": {"given-names": {"value": given}, "family-name": {"value": family}},
                "biography": {"content": biography},
            },
            "activities-summary": {"works": {"group": [{"work-summary": [work]} for work in works]}},
        }
    )


PRISM = "10.48550/arxiv.2605.15617"
"""A paper of ChonLam Lao's in the sample, as arXiv registers it."""


async def with_arxiv_id(services):
    """The sample's PrismLLM, under its identifier."""
    [paper] = [p for p in await services.store.papers(range(1, 20)) if p.title.endswith("PrismLLM")]
    record = PaperRecord(
        source="arxiv-daily",
        ids={"arxiv": "2605.15617"},
        title=paper.title,
        authors=[author.name for author in paper.authors],
    )
    await services.store.upsert([record])


async def test_an_orcid_record_whose_works_others_added_makes_the_claim(own, site):
    services, user = own
    await with_arxiv_id(services)
    code = code_in((await user.slash("/claim person:ChonLam Lao")).text)
    path = f"/orcid/v3.0/{NUMBER}/record"
    ask = f"/claim orcid:https://orcid.org/{NUMBER}"
    assert "status 404" in (await user.slash(ask)).text
    site.pages[f"/datacite/dois/{PRISM}"] = json.dumps(
        {"data": {"attributes": {"creators": [{"nameIdentifiers": []}, {"name": "ChonLam Lao"}]}}}
    )
    person = {"orcid": {"path": NUMBER}}
    nothing = "Its owner added these papers, which shows nothing"
    for page, said in (
        ("{}", "not a record"),
        ("[]", "not a record"),
        (orcid_record("", listed(CROSSREF)), "code is not in this ORCID"),
        (
            orcid_record(code, listed(CROSSREF), given="Josiah", family="Carberry"),
            "belongs to Josiah Carberry",
        ),
        (orcid_record(code, listed(CROSSREF, "Another thing")), "lists none of"),
        (orcid_record(code), "lists none of"),
        (orcid_record(code, listed(NUMBER)), nothing),  # typed
        (orcid_record(code, listed(NUMBER, doi=PRISM)), nothing),
        (orcid_record(code, listed(WIZARD, doi=PRISM)), nothing),  # clicked on in a search
        (orcid_record(code, listed("APP-ABCDEFGH12345678", doi=PRISM)), nothing),
        (orcid_record(code, listed(CROSSREF, doi=PRISM, **person)), nothing),  # clicked on, and said so
        (orcid_record(code, listed(CROSSREF, doi=PRISM, name={"value": "ChonLam Lao"})), nothing),
        (orcid_record(code, listed(CROSSREF, kind="preprint")), nothing),  # anybody posts a title
        (orcid_record(code, listed(CROSSREF, TITLE + " Revisited")), "lists none of"),
        (orcid_record(code, listed(DATACITE, kind="preprint", doi="10.5281/zenodo.1")), nothing),
        # DataCite's own record does not name them.
        (orcid_record(code, listed(DATACITE, doi=PRISM)), nothing),
    ):  # fmt: skip
        site.pages[path] = page
        assert said in (await user.slash(ask)).text, page
    assert "L1 unclaimed" in (await user.slash("/author name:ChonLam Lao")).text
    site.pages[path] = orcid_record(f"see {code}", listed(NUMBER), listed(CROSSREF))
    said = await user.slash(ask)
    assert f"(L3: owns the ORCID record {NUMBER}, to which Crossref added one of the papers)" in said.text
    assert "not an ORCID" in (await user.slash("/claim orcid:0000-0002-1825-0098")).text


async def test_datacite_s_word_counts_where_its_own_record_names_the_orcid(own, site):
    services, user = own
    await with_arxiv_id(services)
    code = code_in((await user.slash("/claim person:ChonLam Lao")).text)
    site.pages[f"/orcid/v3.0/{NUMBER}/record"] = orcid_record(code, listed(DATACITE, doi=PRISM))
    identifier = {"nameIdentifier": f"https://orcid.org/{NUMBER}", "nameIdentifierScheme": "ORCID"}
    creators = [{"name": "Lao, ChonLam", "nameIdentifiers": [identifier]}]
    site.pages[f"/datacite/dois/{PRISM}"] = json.dumps({"data": {"attributes": {"creators": creators}}})
    assert "to which DataCite added one" in (await user.slash(f"/claim orcid:{NUMBER}")).text


async def test_an_orcid_that_openalex_ties_to_the_papers_makes_the_claim(own, site):
    """The owner typed their works themselves, as most do; OpenAlex knows the ORCID all the same."""
    services, user = own
    code = code_in((await user.slash("/claim person:ChonLam Lao")).text)
    site.pages[f"/orcid/v3.0/{NUMBER}/record"] = orcid_record(code, listed(NUMBER))
    claim = await services.store.claims.open_of(int(user.user["id"]))
    rows = await services.store.people.memberships(claim.person_id)
    papers = [str(row.paper_id) for row in rows]

    async def authors(orcid, name, of):
        facts = {"id": "W1", "authors": [{"name": name, "id": "A1", "orcid": orcid}]}
        await services.store.facts.put("paper", "openalex", {paper: json.dumps(facts) for paper in of})

    ask = f"/claim orcid:{NUMBER}"
    await authors("0000-0002-1694-233X", "ChonLam Lao", papers)
    assert "shows nothing" in (await user.slash(ask)).text, "another's ORCID stands on the works"
    await authors(NUMBER, "Minlan Yu", papers)
    assert "shows nothing" in (await user.slash(ask)).text, "a coauthor's ORCID is the coauthor's"
    await authors("0000-0002-1694-233X", "ChonLam Lao", papers)
    await authors(NUMBER, "ChonLam Lao", papers[:1])
    assert "shows nothing" in (await user.slash(ask)).text, "one work of several is a slip"
    await authors(NUMBER, "C. Lao", papers)
    assert (
        f"owns the ORCID record {NUMBER}, which OpenAlex ties to the papers" in (await user.slash(ask)).text
    )


async def test_a_page_of_one_s_own_making_shows_nothing(site, own):
    """A free page with name, title and code gave L2; now only tied domains count, after redirects too."""
    services, user = own
    code = code_in((await user.slash("/claim person:ChonLam Lao")).text)
    page = f"<h1>ChonLam Lao</h1>{TITLE} {code}"

    def to(target):
        async def moved(_):
            raise web.HTTPFound(target)

        return moved

    for name in ("chonlam.example.org", "chonlam-lao.github.io", "github.com", "sites.google.com",
                 "harvard.edu.example.org", "notharvard.edu", "wiki.harvard.edu",
                 "lists.harvard.edu"):  # fmt: skip
        async with Site(name=name) as free:
            services.web = free.client()
            free.pages["/me"] = page
            said = (await user.slash(f"/claim page:{free.base}/me")).text
            assert f"{name} is not tied to this person" in said
            assert "institution" in said
            assert "harvard.edu" in said, "which domains count is said"
    services.web = site.client()
    site.pages |= {"/me": page, "/short": to("/me")}
    assert "(L2: can change a page" in (await user.slash(f"/claim page:{site.base}/short")).text
    claim = await services.store.claims.of_member(int(user.user["id"]))
    assert claim.place == f"{site.base}/me", "where the redirects ended is looked at again"


async def test_a_search_page_that_repeats_what_it_is_asked_shows_nothing(own, site):
    _services, user = own
    code = code_in((await user.slash("/claim person:ChonLam Lao")).text)

    async def echo(request):
        return web.Response(text=f"No results for {request.rel_url.human_repr()}", content_type="text/html")

    site.pages |= {f"/{code}": echo, "/search": echo, "/p": f"ChonLam Lao {TITLE} {code}"}
    said = f"{code}+ChonLam+Lao+{TITLE.replace(' ', '+')}"
    for address in (
        f"/search?q={said}",
        f"/{code}?q=x",
        f"/search?q={'A' * 41}",
        f"/search?q={code[:30]}%2d",
    ):
        assert (
            "carries what the page should show"
            in (await user.slash(f"/claim page:{site.base}{address}")).text
        )
    assert "(L2" in (await user.slash(f"/claim page:{site.base}/p?id=17")).text


async def test_a_domain_printed_in_a_paper_counts_and_openalex_out_of_reach_is_said(own, monkeypatch):
    services, user = own
    code = code_in((await user.slash("/claim person:Minlan Yu")).text)
    async with Site(name="minlan.example.org") as page:
        services.web = page.client()
        page.pages["/me"] = f"Minlan Yu {THC} {code}"
        ask = f"/claim page:{page.base}/me"
        assert "not tied to this person" in (await user.slash(ask)).text

        async def away(person, **_):
            raise SourceError("the day's budget is spent")

        monkeypatch.setattr(services.facts, "look_up", away)
        assert "OpenAlex, which knows the institution, can't be asked" in (await user.slash(ask)).text
        [paper] = [p for p in await services.store.papers(range(1, 20)) if p.title == THC]
        record = PaperRecord(
            source="arxiv-daily",
            ids={"arxiv": "2302.08545"},
            title=THC,
            abstract="Code at https://minlan.example.org/atp.",
            authors=[author.name for author in paper.authors],
        )
        await services.store.upsert([record])
        said = (await user.slash(ask)).text
        assert "can change a page at minlan.example.org" in said
        assert "the domain is printed in one of the papers" in said


def test_the_check_digit_of_an_orcid_is_checked():
    assert orcid_in("https://orcid.org/0000-0002-1694-233x") == "0000-0002-1694-233X"
    assert orcid_in("0000-0002-1825-0090") is None
    assert orcid_in("none") is None


async def test_two_claimed_members_of_the_server_vouch(own):
    services, user = own
    asked = await user.slash("/claim person:ChonLam Lao")
    public = await asked.press("Ask members to vouch")
    assert not public.message["flags"] & 64
    assert "says they are **ChonLam Lao**" in public.text
    assert "You can't vouch for yourself" in (await public.press("I vouch")).text
    member = int(user.user["id"])
    claim = await services.store.claims.open_of(int(user.user["id"]))
    guild = claim.guild
    assert member == claim.member
    with pytest.raises(UserError, match="Only members who have claimed"):
        await vouch(services, claim.id, 77, guild)
    await claimed(services, 77, "Minlan Yu", guild)
    await claimed(services, 78, "Jiaqi Gao", guild)
    with pytest.raises(UserError, match="not open here"):
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
    with pytest.raises(ClaimRefused, match="equally good"):
        await claims.prove(other.id, "page", "https://harvard.edu/y of the institution")
    await claims.prove(other.id, "orcid", "0000-0002-1825-0097 by Crossref")
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
        *(claims.prove(claim.id, "page", "https://harvard.edu/ of the institution") for claim in made),
        return_exceptions=True,
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
    assert await recheck(services.store, services.witnesses, later) == 0

    async def broken(_):
        return web.Response(status=503)

    site.pages["/me"] = broken
    assert await recheck(services.store, services.witnesses, later) == 0
    assert "L2 claimed" in (await user.slash("/author name:ChonLam Lao")).text
    site.pages["/me"] = f"ChonLam Lao {TITLE}"
    assert await recheck(services.store, services.witnesses, later) == 1
    assert "L1 unclaimed" in (await user.slash("/author name:ChonLam Lao")).text
    assert "Your claim has ended" in (ended := (await user.slash("/profile show")).text)
    assert "The code is not on this page" in ended
    assert "/claim person:" in ended


@pytest.mark.parametrize(
    ("proof", "where", "state", "said"),
    [
        ("page", "https://chonlam.example.org/me", "ended", "chonlam.example.org is not tied to this person"),
        ("page", "BASE/me", "held", "can change a page at people.harvard.edu"),
        ("orcid", NUMBER, "ended", "owner added these papers"),
        ("mail", "g.harvard.edu", "held", "reads mail at g.harvard.edu"),
        ("mail", "yahoo.co.uk", "ended", "yahoo.co.uk is not tied"),
        ("domain", "posteo.de", "ended", "posteo.de is not tied"),
    ],
)  # fmt: skip
async def test_a_claim_by_an_older_rule_is_looked_at_by_today_s(own, site, proof, where, state, said):
    services, user = own
    member = int(user.user["id"])
    author = await services.store.author_names.find("ChonLam Lao")
    [(person, _)] = await services.store.people.named([author])
    claim = await services.store.claims.begin(member, person, 1, "labmate-old")
    await services.store.claims.prove(claim.id, proof, where.replace("BASE", site.base))
    assert "an older, weaker rule" in (await user.slash("/profile show")).text
    page = f"ChonLam Lao {TITLE} labmate-old"
    site.pages |= {"/me": page, f"/orcid/v3.0/{NUMBER}/record": orcid_record("labmate-old", listed(NUMBER))}
    async with Site(name="chonlam.example.org") as free:
        free.pages["/me"] = page
        if "example" in where:
            services.web = free.client()
            where = f"{free.base}/me"
            await services.store.claims.prove(claim.id, proof, where)
        later = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=40)
        assert await recheck(services.store, services.witnesses, later) == (state == "ended")
    found = await services.store.claims.find(claim.id)
    assert found.state == state
    shown = (await user.slash("/profile show")).text
    assert said in shown
    if state == "held":
        assert "older" not in shown
        assert found.level == (1 if proof == "mail" else 2)
    else:
        assert "/claim person:" in shown, "what to do is said"


async def test_an_older_claim_waits_for_openalex_if_it_is_out_of_reach(own, monkeypatch):
    services, _ = own
    claims = services.store.claims
    author = await services.store.author_names.find("Minlan Yu")
    [(person, _)] = await services.store.people.named([author])
    claim = await claims.begin(1, person, 1, "labmate-old")
    await claims.prove(claim.id, "mail", "seas.harvard.edu")

    async def away(person, **_):
        raise SourceError("the day's budget is spent")

    later = datetime.now(UTC).replace(tzinfo=None) + timedelta(days=40)
    with monkeypatch.context() as without:
        without.setattr(services.facts, "look_up", away)
        assert await recheck(services.store, services.witnesses, later) == 0
    assert (await claims.find(claim.id)).state == "held"
    assert await recheck(services.store, services.witnesses, later) == 1


async def test_an_older_claim_does_not_stand_against_a_proof_by_today_s_rule(own):
    """It counts as L1 until it is checked again: a false L3 can't keep the real person out."""
    services, _ = own
    claims = services.store.claims
    author = await services.store.author_names.find("ChonLam Lao")
    [(person, _)] = await services.store.people.named([author])
    old = await claims.begin(1, person, 1, "labmate-x")
    await claims.prove(old.id, "orcid", NUMBER)
    right = await claims.begin(2, person, 1, "labmate-y")
    with pytest.raises(ClaimRefused, match="equally good"):
        await claims.prove(right.id, "domain", "harvard.edu of the institution")
    await claims.prove(right.id, "mailbox", "harvard.edu of the institution")
    assert (await claims.of_person(person)).member == 2


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
    with pytest.raises(UserError, match="time zone"):
        await group._edit(9, 1, {"time_zone": "Mars/Olympus"}, None)
    with pytest.raises(UserError, match="what to change"):
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
        "https://[",
        "https://ex℀mple.org/",
        "https://x.org/\x01",
        "https://x.org:99999999/",
    ],
)
def test_a_link_is_plain_https(link):
    with pytest.raises(UserError):
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
        (vouch(services, open_one.id, 2, 1), "vouch for yourself"),
        (prove(services, 3, "https://page.test/x", None), "no open claim"),
        (release(services, 3), "don't hold a claim"),
        (begin(services, 999_999, 3, 1), "no longer know"),
    ]
    for work, said in tries:
        with pytest.raises(UserError, match=said):
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
        await asyncio.Event().wait()

    site.pages |= {"/endless": endless, "/slow": slow}
    with pytest.raises(SourceError, match="two megabytes"):
        await site.client().read(site.base + "/endless")
    monkeypatch.setattr("data.sources.public_web.SECONDS", 0.3)
    with pytest.raises(SourceError, match="did not answer"):
        await site.client().read(site.base + "/slow")


async def test_a_certificate_that_is_not_believed_is_refused(site):
    with pytest.raises(SourceError, match="can't be reached"):
        await site.client(context=None).read(site.base + "/")
