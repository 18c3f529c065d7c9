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
