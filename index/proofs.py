"""Proofs of a claim: a code on a page, or in an ORCID record, that is evidently the claimed person's."""

from __future__ import annotations

import html
import re
import secrets
import unicodedata
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import orjson

from data.models import Paper
from data.sources.http import SourceError
from data.sources.public_web import PublicWeb
from data.store import Store
from index.person_names import compatible, parse_name

ORCID = re.compile(r"\b(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\b")
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.S | re.I)
_LEAST_TITLE = 12
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})+")
_PRINTED = re.compile(r"@([A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+)")
EVERYBODYS = frozenset(
    """163.com 126.com aol.com duck.com fastmail.com gmail.com gmx.de gmx.net googlemail.com hotmail.com icloud.com
    live.com mac.com mail.com mail.ru me.com msn.com outlook.com pm.me proton.me protonmail.com qq.com tutanota.com
    web.de yahoo.com yandex.com yandex.ru ymail.com zoho.com foxmail.com sina.com naver.com github.com
    users.noreply.github.com ac.uk edu.cn ac.jp ac.in edu.au co.uk""".split()
)
"""Domains at which anybody has an address, and endings that many institutions share."""
PROVEN_FOR, MAIL_HOLDS = timedelta(days=30), timedelta(days=365)
"""After so long a page or record is looked at again, and an address has to be proven again."""


class NotProven(Exception):
    """A page or record that does not prove a claim; its text says what is missing."""


def make_code() -> str:
    """A code that nobody guesses: 80 random bits."""
    return "labmate-" + secrets.token_hex(10)


def orcid_in(text: str) -> str | None:
    """The ORCID in a text, if its check digit is right (ISO 7064, MOD 11-2)."""
    found = ORCID.search(text.upper())
    if not found:
        return None
    digits = found[1].replace("-", "")
    total = 0
    for digit in digits[:-1]:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    return found[1] if digits[-1] == ("X" if check == 10 else str(check)) else None


def _flat(text: str) -> str:
    """Letters and digits alone, so that markup, accents and spacing do not matter."""
    plain = unicodedata.normalize("NFKD", html.unescape(text)).casefold()
    return "".join(character for character in plain if character.isalnum())


async def prove_by_page(web: PublicWeb, url: str, code: str, names: list[str], papers: list[Paper]) -> None:
    """Check that a page has the code, the person's name and the title of one of the person's papers.

    Raises
    ------
    NotProven
        Where one of these is missing.
    SourceError
        Where the page can't be read.
    """
    body = await web.read(url)
    text = _flat(_TAGS.sub(" ", body))
    # In an attribute or a comment, as a repository profile or a page builder puts it, the code counts, too.
    if code not in body.casefold():
        raise NotProven("The code is not on this page (yet).")
    if not any(_flat(name) in text for name in names if _flat(name)):
        raise NotProven(f"The page does not have the name {names[0]} on it.")
    titles = [_flat(paper.title) for paper in papers]
    if not any(title in text for title in titles if len(title) >= _LEAST_TITLE):
        raise NotProven("The page has none of this person's papers on it, by title.")


async def prove_by_orcid(
    web: PublicWeb, base: str, orcid: str, code: str, names: list[str], papers: list[Paper]
) -> None:
    """Check that a public ORCID record has the code, a compatible name and one of the person's papers.

    Raises
    ------
    NotProven
        Where one of these is missing.
    SourceError
        Where the record can't be read.
    """
    body = await web.read(f"{base}/v3.0/{orcid}/record", accept="application/json")
    try:
        record = orjson.loads(body)
        person, works = record["person"], record["activities-summary"]["works"]["group"]
        name = person.get("name") or {}
        printed = " ".join(
            part["value"] for part in (name.get("given-names"), name.get("family-name")) if part
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise SourceError("ORCID's answer is not a record; try again later") from error
    if code not in orjson.dumps(person).decode().casefold():
        raise NotProven(
            "The code is not in this ORCID record (yet); its biography or a website entry can hold it."
        )
    own = parse_name(printed)
    if not any(compatible(own, parse_name(form)) for form in names):
        raise NotProven(f"This ORCID record belongs to {printed[:100] or 'somebody without a public name'}.")
    listed = _flat(orjson.dumps(works).decode())
    known = [_flat(paper.title) for paper in papers]
    known += [_flat(paper.arxiv_id) for paper in papers if paper.arxiv_id]
    if not any(entry in listed for entry in known if len(entry) >= 8):
        raise NotProven("This ORCID record lists none of this person's papers.")


def make_mail_code() -> str:
    """Eight characters that are easy to copy: 40 random bits, guessed at five times at most."""
    return "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))


def address_in(text: str) -> str:
    """An address in a plain form.

    Raises
    ------
    NotProven
        Where it is none that mail can be sent to.
    """
    found = _ADDRESS.fullmatch(text.strip().removeprefix("mailto:"))
    if not found or len(found[0]) > 254 or ".." in found[0]:
        raise NotProven("This is no mail address.")
    return found[0].lower()


def own_domain(address: str, papers: list[Paper], home_page: str | None) -> str:
    """The domain by which an address belongs to a person: of an address in the papers, or of the institution.

    Raises
    ------
    NotProven
        Where there is none.
    """
    domain = address.rpartition("@")[2]
    host = (urlsplit(home_page or "").hostname or "").removeprefix("www.")
    printed = {
        found[1].lower().rstrip(".")
        for paper in papers
        for found in _PRINTED.finditer(f"{paper.abstract} {paper.comment or ''}")
    }
    for known in (*printed, host):
        if known.count(".") and known not in EVERYBODYS and (domain == known or domain.endswith("." + known)):
            return domain
    raise NotProven(
        "The address has to be of the institution, or of a domain that is printed in one of these papers; "
        "I know no such for this one. An ORCID record, a page, or two members' word prove it, too."
    )


def names_person(address: str, names: list[str]) -> bool:
    """Whether an address has the family name in it."""
    local = _flat(address.rpartition("@")[0])
    families = {_flat(parse_name(name).family) for name in names}
    return any(len(family) > 1 and family in local for family in families)


async def recheck(store: Store, web: PublicWeb, orcid_base: str, before: datetime) -> int:
    """Look at the proofs of held claims again; those that vanished end their claims. Returns how many did."""
    ended = 0
    for claim in await store.claims.old_mails(before + PROVEN_FOR - MAIL_HOLDS):
        ended += await store.claims.end(claim.id, "the address was proven a year ago; /claim mail: renews it")
    for claim in await store.claims.due(before):
        person = await store.people.find(claim.person_id)
        try:
            if person is None:
                raise NotProven("nobody of this number is known any more")
            papers = await store.papers([row.paper_id for row in await store.people.memberships(person.id)])
            names = [person.name, *person.forms]
            if claim.proof == "orcid":
                await prove_by_orcid(web, orcid_base, claim.where, claim.code, names, papers)
            else:
                await prove_by_page(web, claim.where, claim.code, names, papers)
            await store.claims.prove(claim.id, claim.proof, claim.where)
        except NotProven as error:
            ended += await store.claims.end(claim.id, f"the proof vanished: {error}")
        except SourceError:
            continue  # out of reach is not gone; it is looked at again
    return ended
