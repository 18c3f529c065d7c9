"""References as other programs write them, and as strangers do."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.digest.questions import next_question
from index.documents.references import NoReferences, kind_of, read_references

ZOTERO = r"""@article{a_b_2024,
	title = {A {Study} of caf{\'e}s \& bars},
	volume = {3}, pages = {1--9},
	author = {{Van der Berg}, Jan and {The {ATLAS} Collaboration} and de la Cruz, Mar{\'i}a},
	date = {2024-03-09},
	journaltitle = {J. Things},
	eprint = {2403.01234}, eprinttype = {arxiv},
}
@string{x = "y"}
@comment{jabref-meta: databaseType:bibtex;}
"""


def test_bibtex_of_zotero_and_biblatex_is_read():
    [item], unread = read_references("bib", ZOTERO)
    assert unread == []
    assert item["title"] == "A Study of cafés & bars"
    assert item["author"] == [
        {"family": "Van der Berg", "given": "Jan"},
        {"literal": "The ATLAS Collaboration"},
        {"family": "de la Cruz", "given": "María"},
    ]
    assert item["issued"] == {"date-parts": [[2024, 3, 9]]}
    assert item["container-title"] == "J. Things"
    assert item["number"] == "arXiv:2403.01234"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("\ufeff[]", "json"), ("\n\n@article{x,", "bib"), ("TY  - JOUR\n", "ris"), ("% c\n@misc{x,}", "bib")],
)
def test_the_kind_is_told_by_what_stands_there(text, kind):
    assert kind_of(text) == kind


@pytest.mark.parametrize("text", ["", "hello", "<xml/>", "%PDF-1.7"])
def test_what_is_no_list_is_refused(text):
    with pytest.raises(NoReferences):
        kind_of(text, "x.pdf")


def test_csl_is_checked_field_by_field():
    hostile = [
        {
            "title": "x" * 9_000,
            "author": "nobody",
            "issued": {"date-parts": [["soon"]]},
            "URL": "javascript:1",
        },
        {"title": ["a"], "DOI": {}},
        {"title": "Fine\u202e title", "author": [{"family": 5}, {"literal": "A" * 900}], "extra": {"a": 1}},
        {"title": "Dated", "issued": {"date-parts": [["2020", 13, 40]]}},
    ]
    items, unread = read_references("json", json.dumps(hostile))
    assert [item["title"][:5] for item in items] == ["xxxxx", "Fine ", "Dated"]
    assert len(items[0]["title"]) == 500
    assert "URL" not in items[0]
    assert items[1]["author"] == [{"literal": "A" * 150}]
    assert "extra" not in items[1]
    assert items[2]["issued"] == {"date-parts": [[2020]]}
    assert len(unread) == 1


def ris(*entries: str) -> str:
    return "\n".join(entries) + "\n"


ONE, TWO = "TY  - JOUR\nTI  - One\nAU  - Ada, B", "TY  - BOOK\nTI  - Two\nAU  - Bo, C"


@pytest.mark.parametrize(
    "text",
    [
        ris(ONE, "ER  - ", TWO),
        ris(ONE, TWO, "ER  - "),
        ris(ONE, "", TWO),
        ris(ONE, "ER  -", "", TWO, "ER  -").replace("\n", "\r"),
        ris("Provider: somebody", ONE, "ER  - ", TWO, "ER  - ").replace("\n", "\r"),
        ris(ONE, "ER  - ", TWO, "ER  - ").replace("\n", "\r\n"),
        ris(ONE, "ER - ", TWO, "ER - ").replace("  - ", " - "),
        ris(ONE, "UR  - https://a.example", "DO  - 10.1/x", "ER  - ", TWO.replace("\n", "\n\n", 1), "ER  - "),
        ris(ONE, "UK  - x", "XX  - unknown", "ER  - ", TWO, "ER  - "),
    ],
)
def test_every_entry_of_ris_is_read_however_it_ends(text):
    items, unread = read_references(kind_of(text), text)
    assert [(item["title"], item["author"][0]["family"]) for item in items] == [("One", "Ada"), ("Two", "Bo")]
    assert unread == []


def test_of_ris_nothing_is_lost_in_silence():
    lacks_its_type = TWO.partition("\n")[2]
    items, unread = read_references(
        "ris", ris(ONE, "ER  - ", lacks_its_type, "ER  - ", "TY  - JOUR", "ER  - ")
    )
    assert [item["title"] for item in items] == ["One", "Two"]
    assert unread == ["an entry without a title"]


def test_lines_that_go_on_stay_with_what_they_continue():
    text = ris("TY  - JOUR", "TI  - One long", "title", "N2  - About", "AI - the usual", "", "end", "ER  - ")
    [item], _ = read_references("ris", text)
    assert (item["title"], item["abstract"]) == ("One long title", "About AI - the usual end")


FINE = "@article{fine, title={Fine}, author={C D}}\n"


@pytest.mark.parametrize(
    "odd",
    [
        "abstract={Call \\verb}",
        "abstract={\\a" + "{" * 3_000 + "x" + "}" * 3_000 + "}",
        "author={{" + "\\a" + "{" * 3_000 + "x" + "}" * 3_000 + "}}",
        "year={" + "9" * 5_000 + "}, volume={" + "9" * 5_000 + "}",
    ],
)
def test_an_odd_entry_of_bibtex_keeps_no_other_from_being_read(odd):
    items, unread = read_references("bib", FINE + f"@article{{odd, title={{Odd}}, {odd}}}\n")
    assert [item["title"] for item in items] == ["Fine", "Odd"]
    assert unread == []


@pytest.mark.parametrize(
    "odd",
    [
        '"issued":{"date-parts":[[1e999]]}',
        '"issued":{"date-parts":[[NaN]]}',
        f'"issued":{{"date-parts":[[{"9" * 5_000}]]}}',
        f'"number":{"9" * 5_000}',
        f'"volume":-{"9" * 5_000}',
        '"id":' + '{"a":' * 900 + "1" + "}" * 900,
    ],
)
def test_an_odd_entry_of_csl_keeps_no_other_from_being_read(odd):
    text = f'[{{"title":"Fine"}},{{"title":"Odd",{odd}}},{{{odd}}}]'
    items, unread = read_references("json", text)
    assert [item["title"] for item in items] == ["Fine", "Odd"]
    assert "issued" not in items[1]
    assert unread == ["an entry without a title"]


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_no_text_breaks_a_parser(text):
    for kind in ("bib", "ris", "json"):
        try:
            items, _ = read_references(kind, text)
        except NoReferences:
            continue
        assert all(item["title"] for item in items)


def test_questions_go_where_answers_tell_most():
    rng = np.random.default_rng(0)
    centres = np.eye(6)[:, :6]
    sizes = (40, 20, 20, 10, 5, 5)
    joint = np.concatenate([centres[n] + 0.15 * rng.normal(size=(size, 6)) for n, size in enumerate(sizes)])
    joint /= np.linalg.norm(joint, axis=1, keepdims=True)
    group = np.repeat(np.arange(6), sizes)
    prior = np.zeros(len(joint), np.float32)
    answers: dict[int, float] = {}
    seen = []
    for _ in range(4):
        row = next_question(joint, answers, frozenset(), prior)
        seen.append(int(group[row]))
        answers[row] = -1.0
    assert seen[0] == 0, "the largest group first"
    assert len(set(seen)) == 4, "then others: the first is known"
    liked = {row: (1.0 if group[row] == 2 else -1.0) for row in answers}
    row = next_question(joint, liked, frozenset(), prior)
    assert group[row] == 2 or 2 not in seen, "what was liked is looked into"
    assert next_question(joint, {}, frozenset(range(len(joint))), prior) is None
