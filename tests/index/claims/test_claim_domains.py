"""What ties a domain to a person: whose it is, and where anybody can write or have an address."""

import io
import json
import re
import socket
from collections import Counter

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from index.claims import claim_domains
from index.claims.claim_domains import (
    INSTITUTION,
    PRINTED,
    address_in,
    anybody_writes,
    is_provider,
    registrable,
    ties_of,
)
from index.claims.mailbox_names import names_person
from index.claims.orcid_records import NUMBER, orcid_in
from index.claims.page_text import PageText

pytestmark = pytest.mark.hostile


class Printed:
    """A paper that has a text in its abstract."""

    def __init__(self, text):
        self.abstract, self.comment = text, None


def ties(printed="", page=None):
    return ties_of([Printed(printed)], page)


@pytest.mark.parametrize(
    ("address", "printed", "page", "how"),
    [
        ("a@mit.edu", "", "https://web.mit.edu/", INSTITUTION),
        ("a@web.mit.edu", "", "https://web.mit.edu/", INSTITUTION),
        ("a@csail.mit.edu", "Contact: {x,y}@mit.edu.", None, PRINTED),
        ("a@mit.edu", "Contact: x@csail.mit.edu.", None, PRINTED),
        ("a@tum.de", "", "http://www.tum.de/en", INSTITUTION),
        ("a@cs.ucl.ac.uk", "", "https://www.ucl.ac.uk", INSTITUTION),
        ("a@cam.ac.uk", "", "https://www.ucl.ac.uk", None),
        ("a@gmail.com", "Contact: someone@gmail.com", None, None),
        ("a@yahoo.co.uk", "Contact: someone@yahoo.co.uk", None, None),
        ("a@outlook.de", "Contact: someone@outlook.de", None, None),
        ("a@posteo.de", "Contact: someone@posteo.de", None, None),
        ("a@gmx.at", "Contact: someone@gmx.at", None, None),
        ("a@mailbox.org", "Contact: someone@mailbox.org", None, None),
        ("a@vip.qq.com", "Contact: someone@vip.qq.com", None, None),
        ("a@proton.me", "Contact: someone@proton.me", "https://proton.me", None),
        ("a@yahoo.com", "", "https://www.yahoo.com/", None),
        ("a@acm.org", "someone@acm.org", None, None),
        ("a@evil-mit.edu", "x@mit.edu", None, None),
        ("a@mit.edu.evil.org", "x@mit.edu", "https://mit.edu", None),
        ("a@edu", "x@mit.edu", None, None),
        ("a@ac.uk", "x@ac.uk", "https://ac.uk", None),
        ("a@x.ac.uk", "", "https://ac.uk", None),
        ("a@someone.github.io", "x@other.github.io", None, None),
        ("a@dataset.org", "Data at https://dataset.org/", None, None),  # a link is no address
        ("a@tum.de", "", "not a page", None),
        ("a@tum.de", "", "http://[", None),
    ],
)
def test_which_addresses_are_of_a_tied_domain(address, printed, page, how):
    assert ties(printed, page).of_mail(address) == how


@pytest.mark.parametrize(
    ("host", "printed", "page", "how"),
    [
        ("people.csail.mit.edu", "", "https://web.mit.edu/", INSTITUTION),
        ("www.mit.edu", "", "https://web.mit.edu/", INSTITUTION),
        ("MIT.edu.", "", "https://web.mit.edu/", INSTITUTION),
        ("prismllm.github.io", "See https://prismllm.github.io/", None, PRINTED),
        ("other.github.io", "See https://prismllm.github.io/", None, None),
        ("www.dataset.org", "See https://dataset.org/x", None, PRINTED),
        ("cs.cmu.edu", "x@andrew.cmu.edu", None, PRINTED),
        (
            "www.cs.cmu.edu",
            "Data from https://www.lti.cs.cmu.edu/data",
            None,
            None,
        ),  # a link ties its host alone
        ("github.com", "Code at https://github.com/x/y", None, None),
        ("raw.githubusercontent.com", "https://raw.githubusercontent.com/x", None, None),
        ("huggingface.co", "https://huggingface.co/x", None, None),
        ("sites.google.com", "", "https://www.google.com/", None),
        ("lists.mit.edu", "", "https://web.mit.edu/", None),
        ("wiki.csail.mit.edu", "", "https://web.mit.edu/", None),
        ("gitlab.cs.tum.de", "", "https://www.tum.de/", None),
        ("gmail.com", "x@gmail.com", None, None),
        ("mit.edu.evil.org", "", "https://web.mit.edu/", None),
        ("10.0.0.1", "https://10.0.0.1/", "https://10.0.0.1", None),
        ("localhost", "", "https://localhost", None),
        ("co.uk", "https://co.uk", "https://co.uk", None),
    ],
)
def test_which_pages_are_of_a_tied_domain(host, printed, page, how):
    assert ties(printed, page).of_page(host) == how


def test_the_list_of_suffixes_is_the_package_s_and_asks_nobody(tmp_path, monkeypatch):
    claim_domains._suffixes.cache_clear()

    def refuse(*_, **__):
        raise AssertionError("nothing is fetched")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert registrable("b.kawasaki.jp") == ""
    assert registrable("www.x.city.kawasaki.jp") == "city.kawasaki.jp"
    assert list(tmp_path.iterdir()) == []


def test_an_institution_on_a_list_of_providers_is_an_institution():
    assert not is_provider("nus.edu.sg")
    assert not is_provider("u.nus.edu.sg")
    assert is_provider("hotmail.co.jp")
    assert is_provider("yandex.kz")


NAMES = """charlie Mu Li -; mu.li Mu Li +; muli Mu Li +; li.mu Mu Li +; limu Mu Li +; li_mu Mu Li +
mu-li Mu Li +
m.li Mu Li -; mli Mu Li -; li Mu Li -; li.m Mu Li -; stimuli Mu Li -; m.uli Mu Li -; mul.i Mu Li -
mu.li2 Mu Li +
mu.li.lab Mu Li -; admin.mu.li Mu Li -; mu.li+x Mu Li -; mu Mu Li -; .mu.li Mu Li -; 2mu.li Mu Li -
chonlam.lao ChonLam Lao +; chon.lam.lao ChonLam Lao +; chon-lam.lao Chon-Lam Lao +; c.lao ChonLam Lao -
chonlamlao Chon Lam Lao +; lao.chonlam Lao, ChonLam +; xiaoming.wang Xiao-Ming Wang +
wang.xiaoming Xiaoming Wang +
xm.wang Xiao-Ming Wang -; xiao.wang Xiao-Ming Wang +; wangxiaoming Xiao Ming Wang +
juergen.mueller Jürgen Müller +; jurgen.muller Jürgen Müller +; jürgen.müller Jürgen Müller -
jean-pierre.dupont Jean-Pierre Dupont +; jp.dupont Jean-Pierre Dupont -
maria.garcia-lopez Maria Garcia-Lopez +
garcia-lopez.maria Maria Garcia-Lopez -; mary.smith Mary Ann Smith +
mary.a.smith Mary Ann Smith +; ann.smith Mary Ann Smith -
jan.van.den.berg Jan van den Berg +; vandenberg Jan van den Berg -
jan.vandenberg Jan van den Berg +; jan.berg Jan van den Berg -
ronald.mcdonald Ronald McDonald +; ronald.donald Ronald McDonald -; m.li M. Li -
m.li M Li -; plato Plato -"""


@pytest.mark.parametrize("row", [row.strip() for line in NAMES.splitlines() for row in line.split(";")])
def test_a_mailbox_is_somebody_s_by_whole_names(row):
    local, _, rest = row.partition(" ")
    name, _, said = rest.rpartition(" ")
    # Beyond ASCII nothing is an address that is written to.
    address = address_in(f"{local}@x.edu")
    assert (address is not None and names_person(address, [name])) == (said == "+")


def test_chinese_characters_are_no_mailbox_but_another_printed_form_is():
    assert not names_person("limu@x.edu", ["李沐"])
    assert names_person("limu@x.edu", ["李沐", "Mu Li"])
    assert not names_person("@x.edu", ["李沐"])


@pytest.mark.parametrize(
    ("body", "wanted", "there"),
    [
        ("<p>stimuli of attention</p>", "Mu Li", False),
        ("<b>Mu</b>&nbsp;<i>Li</i>", "Mu Li", True),
        ("Chon<b>Lam</b> Lao", "ChonLam Lao", True),
        ("by Mu Lin", "Mu Li", False),
        ("José-María Peña", "Jose Maria Pena", True),
        ("作者李沐教授", "李沐", True),
        ("<script>Mu Li</script>", "Mu Li", False),
        ("mu_li", "Mu Li", True),
        ("", "Mu Li", False),
        ("Mu Li", "", False),
    ],
)
def test_a_name_stands_on_a_page_as_words(body, wanted, there):
    assert PageText(body).has(wanted) == there


@given(st.text())
def test_whatever_is_typed_for_an_orcid_only_digits_get_into_an_address(typed):
    found = orcid_in(typed)
    assert found is None or NUMBER.fullmatch(found)


@pytest.mark.slow
def test_hosts_that_many_unrelated_papers_print_are_nobody_s(shared):
    """In the real data, a host printed in ten papers or more is a platform, an institution, or listed."""
    link = re.compile(r"https?://(?:www\.)?([A-Za-z0-9.-]+)")
    counted = Counter()
    for name in ("arxiv-daily", "acl-anthology"):
        with zstandard.open(shared / "data" / f"{name}.jsonl.zst", "rb") as file:
            for line in io.TextIOWrapper(file, "utf-8"):
                counted.update({h.lower() for h in link.findall(json.loads(line).get("abstract") or "")})
    common = [host for host, count in counted.items() if count >= 10 and registrable(host)]
    assert common
    assert [host for host in common if not anybody_writes(host)] == []
