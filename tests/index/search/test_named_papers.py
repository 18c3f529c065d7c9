"""Which papers a text names: every form of an identifier, whole titles in quotes, and never another paper."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.search.named_papers import LOOKED_AT, links_in, named_in, recognised
from tests.helpers.records import record

TITLE = "Attention as a Service: Serving Models over Thin Networks"


def said(text):
    return [(one.kind, one.value) for one in named_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        "https://arxiv.org/abs/2412.12636",
        "http://www.arxiv.org/abs/2412.12636v3",
        "look: https://arxiv.org/pdf/2412.12636v2.pdf, nice",
        "https://arxiv.org/pdf/2412.12636#page=3",
        "<https://export.arxiv.org/html/2412.12636v1>",
        "https://alphaxiv.org/abs/2412.12636 https://arxiv.org/abs/2412.12636v2",
        "https://huggingface.co/papers/2412.12636",
        "https://ar5iv.labs.arxiv.org/html/2412.12636",
        "[paper](https://arxiv.org/abs/2412.12636)",
        "arXiv:2412.12636",
        "ArXiv 2412.12636v4.",
        "see (2412.12636), please",
        "2412.12636v2.pdf",
        "https://doi.org/10.48550/arXiv.2412.12636",
        "doi:10.48550/arxiv.2412.12636.",
        "||https://arxiv.org/abs/2412.12636||",
        "`2412.12636`",
    ],
)
def test_each_form_of_an_arxiv_id_is_recognised(text):
    assert said(text) == [("arxiv", "2412.12636")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("https://arxiv.org/abs/hep-th/9901001v2", "hep-th/9901001"),
        ("arXiv:math.GT/0309136", "math.GT/0309136"),
        ("cs/0501001 was early", "cs/0501001"),
        ("https://arxiv.org/pdf/cond-mat/0703470", "cond-mat/0703470"),
        ("0704.0001", "0704.0001"),
    ],
)
def test_older_arxiv_ids_are_recognised(text, value):
    assert said(text) == [("arxiv", value)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("10.1145/3651890.3672233", "10.1145/3651890.3672233"),
        ("https://dl.acm.org/doi/10.1145/3651890.3672233", "10.1145/3651890.3672233"),
        ("https://dl.acm.org/doi/pdf/10.1145/3651890.3672233?download=true", "10.1145/3651890.3672233"),
        ("(https://doi.org/10.1145/3651890.3672233).", "10.1145/3651890.3672233"),
        ("DOI: 10.1016/S0140-6736(20)30183-5, read it", "10.1016/s0140-6736(20)30183-5"),
        ("https://onlinelibrary.wiley.com/doi/10.1002/cpe.7000/full", "10.1002/cpe.7000"),
        ("https://doi.org/10.1002%2Fcpe.7000", "10.1002/cpe.7000"),
        ("[x](https://doi.org/10.1007/s11263-015-0816-y)", "10.1007/s11263-015-0816-y"),
    ],
)
def test_dois_end_where_the_sentence_or_the_address_goes_on(text, value):
    assert said(text) == [("doi", value)]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("https://aclanthology.org/2023.acl-long.1/", ("acl", "2023.acl-long.1")),
        ("https://aclanthology.org/2023.acl-long.1.pdf", ("acl", "2023.acl-long.1")),
        ("https://www.aclweb.org/anthology/p19-1001.pdf", ("acl", "P19-1001")),
        ("https://openreview.net/forum?id=aBc_dEf-12", ("openreview", "aBc_dEf-12")),
        ("https://openreview.net/pdf?id=aBc_dEf-12", ("openreview", "aBc_dEf-12")),
        ("https://openreview.net/forum?noteId=x1&id=aBc_dEf-12", ("openreview", "aBc_dEf-12")),
    ],
)
def test_links_of_paper_sites_are_recognised(text, named):
    assert said(text) == [named]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "loss 2413.12636",
        "it took 1212.34567 seconds",
        "$2412.12636",
        "v2412.12636",
        "https://example.com/2412.12636",
        "https://notarxiv.org/abs/2412.12636",
        "2412.126361",
        "12412.12636",
        "foo/1234567 and AC/1234567",
        "version 10.12/3",
        "1.10.1145/3",
        "https://openreview.net/group?id=ICLR.cc/2024",
        "https://openreview.net/profile?id=~Ada_Lovelace1",
        "https://aclanthology.org/venues/acl/",
        "https://arxiv.org/list/cs.LG/recent",
        '"large language models"',
        "attention as a service: serving models over thin networks",
    ],
)
def test_what_only_looks_like_a_paper_names_none(text):
    assert said(text) == []


@pytest.mark.parametrize("quoted", ["“{}”", '"{}"', "„{}“", "«{}»", "‘{}’", 'read "{}", it is good'])
def test_a_title_stands_in_any_quotes(quoted):
    assert said(quoted.format(TITLE)) == [("title", TITLE)]


def test_each_is_named_once_in_the_order_of_the_text():
    again = f'https://arxiv.org/abs/2412.12636v9 and "{TITLE.upper()}"'
    text = f"“{TITLE}” then 10.1145/1.2 then 2412.12636 then {again}"
    assert [one.kind for one in named_in(text)] == ["title", "doi", "arxiv"]
    assert [one.kind for one in links_in("10.1145/1.2 arXiv:2412.12636")] == ["doi", "arxiv"]


async def test_known_papers_and_unknown_identifiers_are_told_apart(store):
    await store.upsert([record(1, title=TITLE), record(2, ids={"arxiv": "2601.00002", "doi": "10.1145/1.2"})])
    named = named_in(
        "“attention as a service – serving models over thin networks!” 10.1145/1.2 2601.00001 2601.00009 "
        "https://openreview.net/forum?id=aBc_dEf-12 “nobody wrote a paper with this title”"
    )
    found = await recognised(store, named)
    first, second = [await store.find_id("arxiv", f"2601.0000{n}") for n in (1, 2)]
    assert found.papers == (first, second)
    assert [one.value for one in found.unknown] == ["2601.00009", "aBc_dEf-12"]


async def test_a_link_s_label_names_its_paper_where_the_identifier_is_not_known(store):
    await store.upsert([record(1, title=TITLE)])
    found = await recognised(store, named_in(f"[{TITLE}](https://openreview.net/forum?id=aBc_dEf-12)"))
    assert found.papers
    assert not found.unknown


async def test_a_title_that_two_papers_share_names_neither(store):
    await store.upsert([record(1, title=TITLE), record(2, title=TITLE, authors=["Somebody Else"])])
    assert not (await recognised(store, named_in(f"“{TITLE}”"))).papers


async def test_an_acl_link_is_known_by_its_doi(store):
    doi = "10.18653/v1/2023.acl-long.1"
    await store.upsert([record(1, ids={"arxiv": "2601.00001", "doi": doi})])
    assert (await recognised(store, named_in("https://aclanthology.org/2023.acl-long.1.pdf"))).papers


@pytest.mark.parametrize("hidden", ["%00", "%0A", "%20", "%E2%80%AE"])
def test_a_doi_with_a_character_that_nobody_sees_is_none(hidden):
    assert said(f"https://doi.org/10.1234/a{hidden}b") == []


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text):
    for one in named_in(text):
        assert one.value


@pytest.mark.parametrize(
    "part",
    [
        '"',
        "“",
        "10.1234/",
        "arxiv.org/abs/",
        "openreview.net/forum?a=b&",
        "[a](",
        "10.1234/)",
        "10.1234/" + "/pdf" * 40 + "." * 120 + " ",
        "10.1234/" + ".pdf" * 50 + ")" * 90 + " ",
    ],
)
def test_hostile_repetition_takes_no_time(part):
    text = part * (LOOKED_AT // len(part) * 2)
    start = time.perf_counter()
    named_in(text)
    assert time.perf_counter() - start < 2
