"""Proofs of a claim: what a page, an ORCID record or a mail address can show."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import unquote, urlsplit

from data.records import Paper
from data.sources.http import SourceError
from data.sources.public_web import Page, PublicWeb
from data.stores.claims import Claim, ClaimRefused
from data.stores.people import Person
from data.stores.store import Store
from index.claims.claim_domains import Ties, address_in, registrable, ties_of
from index.claims.mailbox_names import names_person
from index.claims.openalex_facts import FactFinder
from index.claims.orcid_records import DATACITE, OrcidRecord, datacite_names
from index.claims.page_text import PageText, flat
from index.identity.person_names import could_print
from index.trust.corrections import retract

_LEAST_TITLE = 12
_LONGEST_QUERY = 40
"""Characters after the ``?`` of a page's address: room for a number, not for a text to search for."""
PROVEN_FOR, MAIL_HOLDS = timedelta(days=30), timedelta(days=365)
"""How long a proof lasts before a page or record is checked again, or an address has to be proven again."""
OPENALEX = "OpenAlex"


class NotProven(Exception):
    """A page, record or address does not prove a claim; the message says what is missing and what to do."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """The person whom a claim is about."""

    person: int
    names: tuple[str, ...]
    """Names as printed, the most common form first."""
    papers: tuple[Paper, ...]

    @classmethod
    def of(cls, person: Person, papers: Sequence[Paper]) -> Claimed:
        """A person with their papers."""
        return cls(person.id, (person.name, *person.forms), tuple(papers))


@dataclass(frozen=True, slots=True)
class Witnesses:
    """The sources that check proofs: the web, OpenAlex, ORCID and DataCite."""

    web: PublicWeb
    facts: FactFinder
    orcid_url: str
    datacite_url: str

    async def ties(self, claimed: Claimed) -> tuple[Ties, SourceError | None]:
        """The domains tied to a person, and the error if OpenAlex could not be asked for the institution."""
        try:
            await self.facts.look_up(claimed.person)
            return ties_of(claimed.papers, await self.facts.home_page(claimed.person)), None
        except SourceError as error:
            return ties_of(claimed.papers, None), error


def make_code() -> str:
    """A code that nobody can guess: 80 random bits."""
    return "labmate-" + secrets.token_hex(10)


def make_mail_code() -> str:
    """Eight characters that are easy to copy: 40 random bits, with five guesses at most."""
    return "".join(secrets.choice("ABCDEFGHJKLMNPQRSTUVWXYZ23456789") for _ in range(8))


# -- pages -----------------------------------------------------------------------------------------


async def prove_by_page(who: Witnesses, url: str, code: str, claimed: Claimed) -> str:
    """Check that a page on a tied domain has the code, the name and a paper; returns its address and the tie.

    Raises
    ------
    NotProven
        If something is missing, or anybody can write on the domain.
    SourceError
        If the page can't be read, or OpenAlex can't be asked for the institution.
    """
    page = await who.web.page(url)
    ties, unasked = await who.ties(claimed)
    how = ties.of_page(page.host)
    if how is None and unasked is not None:
        raise SourceError(f"OpenAlex, which knows the institution, can't be asked: {unasked}") from unasked
    if how is None:
        counts = ties.words
        known = f" For this person: {counts}." if counts else " I know of none for this person."
        raise NotProven(
            f"{page.host} is not tied to this person, so a page there shows nothing. Use a page at the "
            f"institution that OpenAlex names, or at a domain printed in a paper.{known}"
        )
    _look_at(page, url, code, claimed)
    return f"{page.url} {how}"


def _look_at(page: Page, url: str, code: str, claimed: Claimed) -> None:
    """Check the content of a page; raises NotProven if something is missing."""
    for address in (url, page.url):
        plain = unquote(unquote(address))
        if flat(code) in flat(plain) or len(urlsplit(address).query) > _LONGEST_QUERY:
            raise NotProven(
                "This address carries what the page should show by itself. Use the plain address of the page."
            )
    # The code also counts in an attribute or a comment, where profile pages and page builders put it.
    if code not in page.text.casefold():
        raise NotProven("The code is not on this page (yet).")
    text = PageText(page.text)
    if not any(text.has(name) for name in claimed.names):
        raise NotProven(f"The page does not have the name {claimed.names[0]} on it.")
    titles = [paper.title for paper in claimed.papers]
    if not any(text.has(title) for title in titles if len(flat(title)) >= _LEAST_TITLE):
        raise NotProven("The page shows the title of none of this person's papers.")


# -- ORCID -----------------------------------------------------------------------------------------


async def prove_by_orcid(who: Witnesses, number: str, code: str, claimed: Claimed) -> str:
    """Check that a record's owner put the code there and that others tie it to a paper; returns both.

    Raises
    ------
    NotProven
        If one of these is missing; works that the owner added prove nothing.
    SourceError
        If one of the sources can't be asked.
    """
    record = await _owned(who, number, code, claimed)
    papers = claimed.papers
    for agency, doi in record.vouched(papers):
        if agency != DATACITE or await datacite_names(who.web, who.datacite_url, doi, number):
            return f"{number} by {agency}"
    _, unasked = await who.ties(claimed)
    if await who.facts.ties_orcid(claimed.person, papers, number):
        return f"{number} by {OPENALEX}"
    if unasked is not None:
        raise SourceError(f"OpenAlex, which may tie this ORCID to the papers, can't be asked: {unasked}")
    if record.lists(papers):
        raise NotProven(
            "Its owner added these papers, which shows nothing. A publisher has to add one through Crossref "
            "or DataCite (let them update your record), or OpenAlex has to tie the ORCID to the papers."
        )
    raise NotProven("This ORCID record lists none of this person's papers.")


async def _owned(who: Witnesses, number: str, code: str, claimed: Claimed) -> OrcidRecord:
    """The record, if its owner put the code there and the name fits; raises NotProven otherwise."""
    record = await OrcidRecord.read(who.web, who.orcid_url, number)
    if not record.has(code):
        raise NotProven(
            "The code is not in this ORCID record (yet). Put it into the biography or a website entry."
        )
    if not any(could_print(record.name, form) for form in claimed.names):
        raise NotProven(
            f"This ORCID record belongs to {record.name[:100] or 'somebody without a public name'}."
        )
    return record


# -- addresses -------------------------------------------------------------------------------------


async def mailbox_of(who: Witnesses, typed: str, claimed: Claimed) -> tuple[str, str, str]:
    """(address, proof, domain): what receiving a code at an address would prove.

    Raises
    ------
    NotProven
        If it is not an address, or its domain is a mail provider's or not tied to the person.
    SourceError
        If OpenAlex can't be asked for the institution.
    """
    address = address_in(typed)
    if address is None:
        raise NotProven("I can't send mail to this address.")
    domain = address.rpartition("@")[2]
    ties, unasked = await who.ties(claimed)
    how = ties.of_mail(address)
    if how is None and unasked is not None:
        raise SourceError(f"OpenAlex, which knows the institution, can't be asked: {unasked}") from unasked
    if how is None:
        raise NotProven(
            f"{domain} is neither a domain of the institution that OpenAlex names for these papers, nor one "
            "printed in an address in them. You can also use an ORCID record, a page, or two members who "
            "vouch for you."
        )
    return address, "mailbox" if names_person(address, claimed.names) else "domain", f"{domain} {how}"


# -- looking again ---------------------------------------------------------------------------------


async def recheck(store: Store, who: Witnesses, before: datetime) -> int:
    """Check the proofs of held claims again, and end the claims whose proof vanished or no longer counts.

    Returns how many claims ended.
    """
    ended = 0
    for claim in await store.claims.old_mails(before + PROVEN_FOR - MAIL_HOLDS):
        ended += await _end(store, claim, "the address was proven a year ago; renew it with /claim mail:")
    for claim in await store.claims.due(before):
        person = await store.people.find(claim.person_id)
        try:
            if person is None:
                raise NotProven("this person no longer exists")
            rows = await store.people.memberships(person.id)
            papers = await store.papers([row.paper_id for row in rows])
            await _look_again(store, who, claim, Claimed.of(person, papers))
        except NotProven as error:
            why = "the proof vanished" if claim.how else "by today's rules"
            ended += await _end(store, claim, f"{why}: {error}")
        except SourceError:
            continue  # a page out of reach is not gone; it is checked again later
        except ClaimRefused:
            continue  # the claim was released while its page was being read
    return ended


async def _end(store: Store, claim: Claim, why: str) -> bool:
    """End a claim whose proof no longer holds, and retract what its holder said for everybody."""
    if not await store.claims.end(claim.id, why):
        return False
    await retract(store, claim.id, by=(0, "a proof that no longer holds"))
    return True


async def _look_again(store: Store, who: Witnesses, claim: Claim, claimed: Claimed) -> None:
    """Renew one claim. A domain that was tied once need not be shown again.

    Raises
    ------
    NotProven
        If the claim ends.
    SourceError
        If a source that could keep it can't be asked.
    """
    if claim.proof in ("mail", "domain"):
        ties, unasked = await who.ties(claimed)
        how = ties.of_mail(f"x@{claim.place}")
        if how is None and unasked is not None:
            raise unasked
        if how is None:
            raise NotProven(f"{claim.place} is not tied to this person. Begin again with /claim person:")
        await store.claims.lower(claim.id, "domain", f"{claim.place} {how}")
        return
    where = claim.where
    if claim.proof == "orcid" and claim.how:
        await _owned(who, claim.place, claim.code, claimed)
    elif claim.proof == "orcid":
        where = await prove_by_orcid(who, claim.place, claim.code, claimed)
    elif claim.how:
        page = await who.web.page(claim.place)
        if registrable(page.host) != registrable(urlsplit(claim.place).hostname or ""):
            raise NotProven(f"the page leads to {page.host} now")
        _look_at(page, claim.place, claim.code, claimed)
    else:
        where = await prove_by_page(who, claim.place, claim.code, claimed)
    await store.claims.prove(claim.id, claim.proof, where)
