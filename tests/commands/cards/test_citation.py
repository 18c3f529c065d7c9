"""Citations say what the record does: the kind of entry, where it appeared, how much of the day is known."""

import json
from dataclasses import replace
from datetime import date

import bibtexparser
import pytest
import rispy

from commands.cards import citation
from commands.cards.exports import ExportedWork, entries
from commands.cards.text import facts_line
from data.records import Author
from tests.helpers.records import PAPER

BARE = replace(PAPER, arxiv_id=None, doi=None, submitted=None)
FILED = replace(BARE, announced=date(2021, 8, 15), dated_by="month")
FINDINGS = "Findings of the Association for Computational Linguistics: EMNLP 2020"
PROCEEDINGS = "Proceedings of "
TACL = "Transactions of the Association for Computational Linguistics"


def read(paper):
    library = bibtexparser.parse_string(citation.bibtex(paper))
    assert not library.failed_blocks
    [entry] = library.entries
    return entry


@pytest.mark.parametrize(
    ("paper", "kind", "field", "name"),
    [
        (
            replace(FILED, acl_id="2021.acl-short.116"),
            "inproceedings",
            "booktitle",
            "Proceedings of ACL 2021",
        ),
        (replace(FILED, acl_id="P19-1531"), "inproceedings", "booktitle", "Proceedings of ACL 2019"),
        (replace(FILED, acl_id="2020.findings-emnlp.5"), "inproceedings", "booktitle", FINDINGS),
        (replace(FILED, acl_id="2021.tacl-1.5"), "article", "journal", TACL),
        (replace(FILED, acl_id="J93-2004"), "article", "journal", "Computational Linguistics"),
        (
            replace(FILED, acl_id="2021.icon-main.59"),
            "inproceedings",
            "booktitle",
            "Proceedings of ICON 2021",
        ),
        (
            replace(FILED, acl_id="2020.semeval-1.9"),
            "inproceedings",
            "booktitle",
            "Proceedings of SemEval 2020",
        ),
        (replace(FILED, acl_id="R19-1009"), "inproceedings", "booktitle", PROCEEDINGS + "RANLP 2019"),
        (replace(FILED, acl_id="W15-5932"), "misc", "howpublished", "ACL Anthology"),
        (
            replace(FILED, acl_id="2021.acl-long.1", venue="NSDI 2024"),
            "inproceedings",
            "booktitle",
            "NSDI 2024",
        ),
        (replace(FILED, venue="Journal of Things"), "article", "journal", "Journal of Things"),
        (replace(FILED, venue="bioRxiv"), "misc", "howpublished", "bioRxiv"),
        (replace(PAPER, journal_ref="Phys. Rev. D 76"), "article", "journal", "Phys. Rev. D 76"),
        (PAPER, "misc", "eprint", "2605.15617"),
    ],
)
def test_the_kind_of_an_entry_follows_from_the_record(paper, kind, field, name):
    entry = read(paper)
    assert (entry.entry_type, entry[field]) == (kind, name)
    named = {"journal", "booktitle", "howpublished"} & entry.fields_dict.keys()
    assert named == {field} - {"eprint"}


@pytest.mark.parametrize(
    ("dated_by", "months", "parts", "ris"),
    [
        ("day", "aug", [2021, 8, 15], "2021/08/15"),
        ("month", "aug", [2021, 8], "2021/08//"),
        ("year", None, [2021], "2021///"),
    ],
)
def test_a_citation_names_no_day_that_nobody_knows(dated_by, months, parts, ris):
    paper = replace(FILED, dated_by=dated_by)
    entry = read(paper)
    assert entry["year"] == "2021"
    assert ("month" in entry.fields_dict) == (months is not None)
    assert months is None or entry["month"] == months
    [item] = json.loads(citation.csl_json(paper))
    assert item["issued"]["date-parts"] == [parts]
    [reference] = rispy.loads(citation.ris(paper))
    assert (reference["year"], reference["date"]) == ("2021", ris)


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("100% of A & B #1", r"100\% of A \& B \#1"),
        ("$O(n^2)$ and a_b", r"$O(n^2)$ and a\_b"),
        ("From $x_1$ to $x_2$ by 5%", r"From $x_1$ to $x_2$ by 5\%"),
        ("Costs $5 to $10 a day", r"Costs \$5 to \$10 a day"),
        ("A^2 and \\^o", r"A\^{}2 and \^o"),
        ("Already \\& escaped \\$3", r"Already \& escaped \$3"),
        ("Braces \\{ that don't close", "Braces  that don't close"),
        ("A^2 { and", r"A\^{}2  and"),
        ("All of \\{x\\}", r"All of \{x\}"),
    ],
)
def test_signs_of_latex_are_escaped_outside_formulas(text, tex):
    assert citation.tex(text) == tex


def test_latex_is_plain_text_for_programs_that_know_none_and_stays_for_bibtex():
    typeset = replace(
        PAPER,
        title=r"Errors of 0.58\% -- and $O(n^2)$ Steps",
        abstract=r"We need 3--5 \emph{GPUs} for \$5 to \$10.",
        authors=(Author("jorg smith", r"J{\"o}rg Smith"),),
    )
    title, abstract = "Errors of 0.58% – and O(n²) Steps", "We need 3–5 GPUs for $5 to $10."
    [csl] = json.loads(citation.csl_json(typeset))
    assert (csl["title"], csl["abstract"]) == (title, abstract)
    assert csl["author"] == [{"family": "Smith", "given": "Jörg"}]
    [kept] = rispy.loads(citation.ris(typeset))
    assert (kept["title"], kept["abstract"]) == (title, abstract)
    assert kept["authors"] == ["Smith, Jörg"]
    assert r"0.58\% -- and $O(n^2)$ Steps" in citation.bibtex(typeset)
    assert [json.loads(text)["title"] for text in entries([ExportedWork(typeset)], "csl-json")] == [title]


def test_a_title_keeps_its_capitals():
    assert "title = {{BERT for mRNA: A Study}}" in citation.bibtex(
        replace(PAPER, title="BERT for mRNA: A Study")
    )


def test_each_entry_of_a_file_has_a_key_of_its_own():
    text = "\n".join(entries([ExportedWork(PAPER), ExportedWork(PAPER), ExportedWork(FILED)], "bibtex"))
    library = bibtexparser.parse_string(text)
    assert not library.failed_blocks
    assert len({entry.key for entry in library.entries}) == 3


def test_a_list_tells_findings_from_the_conference():
    assert facts_line(replace(FILED, acl_id="2020.findings-emnlp.55")).endswith(" · Findings of EMNLP 2020")
    assert facts_line(replace(FILED, acl_id="2020.emnlp-main.5")).endswith(" · EMNLP 2020")


def test_a_group_among_the_authors_stays_whole():
    paper = replace(PAPER, authors=(Author("nllb team", "NLLB Team"), *PAPER.authors))
    assert read(paper)["author"].startswith("{NLLB Team} and Lovelace, Ada and ")
    assert json.loads(citation.csl_json(paper))[0]["author"][0] == {"literal": "NLLB Team"}
    [reference] = rispy.loads(citation.ris(paper))
    assert reference["authors"][0] == "NLLB Team"
