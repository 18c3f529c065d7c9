"""Cards: records in, views out; outside text stays text."""

import json
from dataclasses import replace

import bibtexparser
import pytest
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.local_discord.limits import check_message
from commands.cards import citation
from commands.cards.lists import PAGE, Entry, listing
from commands.cards.paper import card
from commands.cards.text import author_line, gist, label, readable, safe, shorten
from commands.kit.links import link
from commands.papers import paper as _paper_command  # noqa: F401  registers what links lead to
from data.records import Author
from index.identity.person_names import split_name
from tests.helpers.records import PAPER

WILD = st.text(min_size=1, max_size=400)


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        ("no tex at 15% of cost & more", "no tex at 15% of cost & more"),
        (r"only 0.58\% error", "only 0.58% error"),
        (r"\textbf{bold} and \emph{it \textit{deep}}", "bold and it deep"),
        (r"up to $1.35\times$ and $10^{-3}$", "up to 1.35× and 10⁻³"),
        (r"ESA, an $\underline{E}$fficient", "ESA, an Efficient"),
        (r"$\alpha$-stable $x_1$", "α-stable x₁"),
        (r"Schr\"odinger's caf\'e", "Schrödinger's café"),
        (r"see \url{https://x.org/a_b}", "see https://x.org/a_b"),
        (r"the growth complexity ({\textsf{UGC}\xspace}).", "the growth complexity (UGC)."),
        (r"a framework, \our{}, that works", "a framework that works"),
        (r"We propose \our{}, a framework (\our{}).", "We propose a framework."),
        (r"calls \texttt{f()} at 5\%", "calls f() at 5%"),
        ("costs $5 today", "costs $5 today"),
        ("``quoted'' text", "“quoted” text"),
    ],
)
def test_latex_is_made_readable(tex, shown):
    assert readable(tex) == shown


@given(WILD)
@settings(max_examples=300, deadline=None)
def test_readable_and_safe_take_any_text(text):
    out = safe(shorten(readable(text), 100))
    assert "@everyone" not in out
    assert len(shorten(text, 50)) <= 50
    assert 1 <= len(label(text)) <= 80


@given(st.text(alphabet="\\{}$^_abc%&#~ \n'`", max_size=120))
@settings(max_examples=300, deadline=None)
def test_broken_latex_never_raises(text):
    readable(text)


def test_the_one_asked_for_is_bold_and_shown_however_long_the_list():
    authors = tuple(Author(f"person {n}", f"Person {n}") for n in range(40))
    line = author_line(replace(PAPER, authors=authors), frozenset({"person 30"}))
    assert "**Person 30**" in line
    assert "… and 9 more" in line
    assert line.count("Person") == 6
    assert author_line(replace(PAPER, authors=())) == "authors unknown"


def _payload(view):
    return {"flags": 1 << 15, "components": view.to_components()}


@given(st.lists(WILD, min_size=PAGE, max_size=PAGE), st.lists(WILD, min_size=1, max_size=120))
@settings(max_examples=80, deadline=None)
def test_a_page_of_any_papers_keeps_discords_limits(titles, names):
    papers = [
        replace(
            PAPER,
            id=n,
            title=title * 5,
            abstract=title * 50,
            authors=tuple(Author(name, name) for name in names),
        )
        for n, title in enumerate(titles)
    ]
    entries = [Entry(paper, link("paper.card", "Details", paper=paper.id)) for paper in papers]
    assert check_message(_payload(listing("## Heading", entries, footer="-# end"))).tree == {}


@given(WILD, st.lists(WILD, min_size=1, max_size=60))
@settings(max_examples=80, deadline=None)
def test_any_paper_s_card_keeps_discords_limits(text, names):
    authors = tuple(Author(name, name[:300]) for name in names)
    paper = replace(
        PAPER,
        title=text * 10,
        abstract=text * 100,
        authors=authors,
        comment=text,
        journal_ref=text,
        doi=text,
        venue=text,
        former_titles=(text,),
    )
    assert check_message(_payload(card(paper, [link("paper.card", "x", paper=1)], []))).tree == {}


def test_the_gist_of_nothing_is_nothing():
    assert gist(replace(PAPER, abstract="")) == ""


HOSTILE = [
    PAPER,
    replace(
        PAPER,
        title="Unbalanced {brace and } } \\",
        authors=(Author("x", "A and B"), Author("y", "Müller, Jürgen")),
    ),
    replace(PAPER, title='100% of "A & B" #1 @cite $x_1$', abstract="line\nTY  - FAKE\nER  - \nmore"),
    replace(
        PAPER,
        authors=(),
        authors_complete=False,
        submitted=None,
        announced=None,
        updated=None,
        arxiv_id=None,
        doi=None,
    ),
    replace(PAPER, journal_ref="J. {Odd} & Co. 12", authors_complete=False, title="日本語の題名"),
    replace(PAPER, venue="NSDI 2024", title="``` code ```"),
]


@pytest.mark.parametrize("paper", HOSTILE)
def test_citations_are_read_by_real_parsers(paper):
    library = bibtexparser.parse_string(citation.bibtex(paper))
    assert not library.failed_blocks
    [entry] = library.entries
    assert entry.key == citation.key_of(paper)
    if paper.authors:
        assert len(entry["author"].split(" and ")) == len(paper.authors) + (not paper.authors_complete)
    [read] = rispy.loads(citation.ris(paper))
    assert read["title"] == readable(paper.title)
    assert len(read.get("authors", [])) == len(paper.authors)
    [item] = json.loads(citation.csl_json(paper))
    assert item["title"] == readable(paper.title)
    assert "```" not in citation.code_block(citation.bibtex(paper), 3_000)[10:-3]


def test_names_are_split_as_libraries_do():
    assert split_name("Ludwig van Beethoven") == ("van Beethoven", "Ludwig")
    assert split_name("Ada Lovelace") == ("Lovelace", "Ada")
    assert split_name("Plato") == ("Plato", "")
    assert split_name("Martin Luther King Jr.") == ("King Jr.", "Martin Luther")
    assert citation.key_of(PAPER) == "lovelace2026gpus"
