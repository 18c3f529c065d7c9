"""Papers as PDF and HTML: what is read from them, and the word for each that can't be read."""

import asyncio
import contextlib
import sys
import time

import pytest

from index.documents.cv_file import UnreadableError, end, output_of
from index.documents.paper_file import LONGEST, SECONDS, passages_of, read_paper
from index.documents.paper_layout import reading_order
from index.documents.paper_lines import Line, Sheet
from index.documents.paper_pdf import MOST_PAGES
from index.documents.paper_text import CAPTION, TEXT, Joiner, TextBlock
from index.documents.passage_ranking import ranked
from tests.helpers.paper_pdfs import (
    Put,
    column,
    encrypted_pdf,
    loss_spikes,
    loss_spikes_html,
    paper_pdf,
    scanned_pdf,
)
from tests.helpers.pdfs import SCRIPT, bomb, looped, many_pages


def under(read, section):
    return [one.text for one in read.passages if one.section == section]


async def test_a_paper_in_two_columns_is_read_in_order_with_section_and_page():
    read = await read_paper(loss_spikes(), "pdf")
    assert read.pages == 3
    places = [(one.section, one.page) for one in read.passages]
    assert places == [
        ("Abstract", 1),
        ("1 Introduction", 1),
        ("1 Introduction", 1),
        ("2.1 Tracing", 1),
        ("Figure 1", 2),
        ("3 Results", 2),
        ("Table 1", 2),
        ("3 Results", 2),
        ("4 Limitations", 2),
        ("A Proofs", 3),
    ]
    [introduction] = [text for text in under(read, "1 Introduction") if "spike is" in text]
    assert "models of a few million parameters only. We look at" in introduction, "over the end of a column"
    assert under(read, "3 Results")[0].endswith("as the logs of the machines show.")


async def test_words_divided_at_a_line_s_end_are_whole_and_compounds_keep_their_hyphen():
    whole = " ".join(one.text for one in (await read_paper(loss_spikes(), "pdf")).passages)
    assert "interrupted by loss spikes. We trace 41 spikes" in whole
    assert "since the state-of-the-art remedy is to restart" in whole
    assert "propose a filter" in whole
    assert "-  " not in whole


async def test_headers_page_numbers_references_authors_and_cells_are_left_out_and_captions_kept_apart():
    read = await read_paper(loss_spikes(), "pdf")
    whole = "\n".join(one.text for one in read.passages)
    for gone in ("Lovelace et al", "On Loss Spikes", "Babbage", "Boole", "Marylebone", "steps", "7B", "20"):
        assert gone not in whole.replace("last 200 steps", "").replace("Loss over steps", ""), gone
    assert under(read, "Figure 1") == [
        "Loss over steps, with and without the filter. Each of the 38 spikes is marked in red."
    ]
    assert under(read, "Table 1") == ["Spikes by cause and by model size."]
    [note] = [one.text for one in read.passages if "authors on request" in one.text]
    assert (
        note
        == "The code is available from the authors on request and will be published with the final version."
    )


async def test_a_sentence_stands_on_the_page_on_which_it_begins():
    one = column(72, 700, [f"Sentence number {n} of the first page is here." for n in range(12)])
    one += column(72, 130, ["The last sentence of this page goes on over its end and"])
    other = column(
        72, 700, ["is finished on the second page. Another one follows that", "belongs to the second page."]
    )
    titled = [Put(72, 740, "1 Introduction", 14, "B"), *one]
    read = await read_paper(paper_pdf([titled, other]), "pdf")
    pages = {sentence: one.page for one in read.passages for sentence in one.text.split(". ")}
    assert (
        pages["The last sentence of this page goes on over its end and is finished on the second page."] == 1
    )
    assert pages["Another one follows that belongs to the second page."] == 2


async def test_raised_numbers_stay_powers_and_marks_of_notes_go():
    page = column(
        72,
        700,
        [
            "The training took 10^6^ steps, and then it was stopped by hand.",
            "The filter is called Sieve^3^ by everyone who has used it. The end.^4^",
            "An area of 5 cm^2^ is not a note, and neither is the text around it.",
            *["More text that makes this page long enough to be read as a page."] * 4,
        ],
    )
    whole = " ".join(one.text for one in (await read_paper(paper_pdf([page]), "pdf")).passages)
    assert "took 10^6 steps" in whole
    assert "is called Sieve by everyone who has used it. The end." in whole
    assert "5 cm^2 is not" in whole


async def test_lines_of_a_manuscript_that_are_numbered_lose_their_numbers():
    page = column(
        90, 700, [f"This is line {n + 1} of a manuscript under review that has numbers." for n in range(30)]
    )
    page += column(40, 700, [f"{n:03}" for n in range(30)], size=7)
    whole = " ".join(one.text for one in (await read_paper(paper_pdf([page]), "pdf")).passages)
    assert "This is line 2 of a manuscript" in whole
    assert "001" not in whole


async def test_the_html_has_the_same_parts():
    read = await read_paper(loss_spikes_html().encode(), "html")
    assert read.pages == 0
    assert [(one.section, one.text) for one in read.passages] == [
        ("Abstract", "We trace $41$ spikes to single batches, and propose a filter."),
        ("Abstract", "The code is available from the authors."),
        ("1 Introduction", "A spike has the height [formula] where the loss is [3] the last one."),
        ("Figure 1", "Loss over steps."),
        ("1.1 Setup", "We use 7 and 70 billion parameters."),
        ("Table 2", "Spikes by cause."),
        ("Appendix A Proofs", "The bound follows from the triangle inequality."),
    ]


TEXT_PAGE = column(72, 700, ["A page with a line of text that repeats itself often enough to be read."] * 6)
REFUSED = {
    "encrypted": (encrypted_pdf, "pdf", "it is encrypted and asks for a password"),
    "scanned": (scanned_pdf, "pdf", "it has only pictures of its pages (a scan), and no text"),
    "cut off": (lambda: loss_spikes()[:-900], "pdf", "it is cut off"),
    "a head": (lambda: b"%PDF-1.7", "pdf", "it is cut off"),
    "no PDF": (lambda: b"<html>Please log in</html>", "pdf", "it is not a PDF"),
    "empty": (lambda: b"", "pdf", "it is not a PDF"),
    "noise": (lambda: b"%PDF-1.7\n" + bytes(range(256)) * 4_000 + b"%%EOF", "pdf", "it is damaged"),
    "1,000 pages": (
        lambda: paper_pdf([TEXT_PAGE] * 1_000),
        "pdf",
        f"it has 1,000 pages, and I read at most {MOST_PAGES}",
    ),
    "10,000 pages": (many_pages, "pdf", f"it has 10,000 pages, and I read at most {MOST_PAGES}"),
    "a bomb": (
        bomb,
        "pdf",
        "it takes too long|it is damaged or needs too much memory|it needs too much memory|pictures",
    ),
    "a loop": (looped, "pdf", "pages|damaged"),
    "a script": (lambda: paper_pdf([TEXT_PAGE], catalog=SCRIPT), "pdf", "it contains scripts"),
    "a launch": (
        lambda: paper_pdf([TEXT_PAGE], catalog=b"/OpenAction << /S /Launch /F (calc.exe) >>"),
        "pdf",
        "it contains scripts",
    ),
    "a page of nothing": (lambda: b"", "html", "it has no paper in it"),
    "another page": (
        lambda: b"<html><body><p>No HTML for this paper</p></body></html>",
        "html",
        "it has no paper in it",
    ),
    "no words": (lambda: b"<article class='ltx_document'><p>1 2 3</p></article>", "html", "it has no text"),
    "100,000 parts": (
        lambda: b"<article class='ltx_document'>" + b"<p>some words</p>" * 100_000,
        "html",
        "it has too many parts for a paper",
    ),
    "a long page": (
        lambda: b"<article class='ltx_document'>" + b"<p>" + b"many words " * 1_000_000,
        "html",
        "it holds too much text for a paper",
    ),
}


@pytest.mark.hostile
@pytest.mark.parametrize("what", REFUSED)
async def test_what_can_not_be_read_gets_a_word_of_its_own_in_time(what):
    make, form, why = REFUSED[what]
    started = time.monotonic()
    with pytest.raises(UnreadableError) as refused:
        await read_paper(make(), form)
    assert time.monotonic() - started < SECONDS + 3
    assert any(one in refused.value.why for one in why.split("|")), refused.value.why


@pytest.mark.hostile
async def test_a_process_that_a_file_took_over_can_not_fill_this_one_s_memory():
    flood = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", flood), stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    with pytest.raises(UnreadableError, match="too much text"):
        await output_of(process, b"a file")
    await end(process)
    assert process.returncode


@pytest.mark.hostile
def test_a_block_with_more_pages_than_text_is_none():
    with pytest.raises(ValueError, match="pages"):
        TextBlock.of({"kind": TEXT, "section": "", "text": "x", "pages": [[0, 1]] * 50_000})


@pytest.mark.hostile
def test_a_page_as_wide_as_a_country_has_no_more_places_for_columns():
    lines = [Line(1, f"words of line {n} that are read", 72, 500, 700 - 12 * n, 10) for n in range(40)]
    started = time.process_time()
    read = reading_order([Sheet(1, 1e8, 1e8, lines), Sheet(2, 0.5, 0.5, [])])
    assert len(read) == 40
    assert time.process_time() - started < 5


@pytest.mark.hostile
async def test_deeply_nested_html_is_read_or_refused():
    deep = b"<article class='ltx_document'>" + b"<span>" * 30_000 + b"<p>words in the deep</p>"
    with contextlib.suppress(UnreadableError):
        assert len((await read_paper(deep, "html")).passages) <= 1


def test_whether_a_hyphen_stays_is_told_by_the_rest_of_the_paper():
    known = Joiner(["a multi-agent system", "cross-silo", "cross-device", "cross-lingual", "preprocessing"])

    def joined(*lines):
        block = TextBlock(TEXT, "", "")
        for line in lines:
            known.join(block, line)
        return block.text

    assert joined("our multi-", "agent system") == "our multi-agent system"
    assert joined("the pre-", "processing") == "the preprocessing"
    assert joined("a cross-", "domain task") == "a cross-domain task", "as its other compounds do"
    assert joined("the GPU-", "bound part") == "the GPU-bound part"
    assert joined("trained on Py-", "Torch") == "trained on Py-Torch"
    assert joined("an infor-", "mation gain") == "an information gain"
    assert joined("from 2020–", "2024") == "from 2020–2024"


def test_passages_are_whole_sentences_and_captions_alone():
    sentence = "This sentence has a number, 3.14, and is not cut."
    blocks = [
        TextBlock(TEXT, "1 A", " ".join([sentence] * 60), [(0, 1), (1_000, 2)]),
        TextBlock(CAPTION, "Figure 1", sentence),
    ]
    blocks += [TextBlock(TEXT, "1 A", "x" * 5_000 + " is no sentence."), TextBlock(TEXT, "", "")]
    passages = passages_of(blocks)
    assert all(len(one.text) <= LONGEST and one.text.endswith("cut.") for one in passages)
    assert "".join(one.text for one in passages).count("3.14") == 61
    assert {one.page for one in passages if one.section == "1 A"} == {1, 2}
    assert [one.text for one in passages if one.section == "Figure 1"] == [sentence]


def test_passages_are_ranked_by_the_question_s_words():
    texts = [
        "Optimizers are compared.",
        "Spikes of the loss are caused by bad batches.",
        "We thank everyone.",
    ]
    order, closeness = ranked(texts, "what causes loss spikes?")
    assert order[0] == 1
    assert closeness is None
    assert ranked([], "anything") == ([], None)
    assert ranked(texts, "")[0] == [0, 1, 2]
