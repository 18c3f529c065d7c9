"""Proofs of a claim: a code on a page, or in an ORCID record, that is evidently the claimed person's."""

from __future__ import annotations

import html
import re
import secrets
import unicodedata
from datetime import datetime

import orjson

from data.models import Paper
from data.sources.http import SourceError
from data.sources.public_web import PublicWeb
from data.store import Store
from index.person_names import compatible, parse_name

ORCID = re.compile(r"\b(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\b")
_TAGS = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.S | re.I)
_LEAST_TITLE = 12


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


async def recheck(store: Store, web: PublicWeb, orcid_base: str, before: datetime) -> int:
    """Look at the proofs of held claims again; those that vanished end their claims. Returns how many did."""
    ended = 0
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
