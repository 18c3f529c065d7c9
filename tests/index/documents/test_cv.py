"""CVs: what is read from them, and what a hostile file can't do."""

import asyncio
import contextlib
import io
import resource
import subprocess
import sys
import textwrap
import time

import matplotlib
import pytest

from index.documents.cv_file import SECONDS, UnreadableError, kind_of, read_cv, read_orcid
from index.documents.cv_formats import read_bibtex, read_latex
from index.documents.cv_publications import flat, publication_of
from tests.helpers.paths import ROOT
from tests.helpers.pdfs import SCRIPT, bomb, looped, many_pages, pdf

matplotlib.use("agg")

OWN = """\
# Jane Q. Doe
jane@example.org | +1 617 555 1234 | 12 Main Street

My research interests include query processing, vector databases and streams. I like tea.

## Education
Massachusetts Institute of Technology, PhD in Computer Science, 2015 - 2020
ETH Zurich, B.Sc. in Mathematics, 2011 - 2015

## Work Experience
Research Intern @ Example Labs, Boston
Jun 2018 - Sep 2018
Made joins faster, see "Joins that are fast".

## Publications
### Query processing
"Cache-Oblivious Joins Revisited", Jane Doe, Bob Lee, SIGMOD 2023. (**Best Paper Award**)

"A Survey of Vector Databases and What They Forget", <u>Jane Doe</u>, in submission, first author

### Streams
"Watermarks Without Regret: Late Data in
Streaming Systems", Ann Hu, Jane Doe, VLDB 2022.

## Awards
Best talk, "How to Be Brief"

## Talks
"Vector databases", invited talk, 2024
"""


def as_pdf(text, lines_a_page=55):
    """The text as a PDF with selectable text."""
    from matplotlib.backends.backend_pdf import PdfPages  # lazy: only the tests of PDFs need it
    from matplotlib.figure import Figure  # lazy: only the tests of PDFs need it

    lines = [
        part
        for line in text.split("\n")
        if line.strip()
        for part in textwrap.wrap(
            line.strip().lstrip("# ").replace("**", "").replace("<u>", "").replace("</u>", ""), 90
        )
    ]
    out = io.BytesIO()
    with PdfPages(out) as pdf:
        for start in range(0, len(lines), lines_a_page):
            figure = Figure(figsize=(8.27, 11.69))
            for place, line in enumerate(lines[start : start + lines_a_page]):
                figure.text(0.06, 0.97 - 0.0165 * place, line, fontsize=8, parse_math=False)
            pdf.savefig(figure)
    return out.getvalue()


def titles(cv):
    return [publication.title for publication in cv.publications]


EXPECTED = [
    "Cache-Oblivious Joins Revisited",
    "A Survey of Vector Databases and What They Forget",
    "Watermarks Without Regret: Late Data in Streaming Systems",
]


@pytest.mark.parametrize("form", ["markdown", "pdf"])
async def test_a_cv_is_read_and_nothing_is_invented(form):
    data = OWN.encode() if form == "markdown" else as_pdf(OWN)
    cv = await read_cv(data, "cv." + form)
    assert titles(cv) == EXPECTED
    assert [p.status for p in cv.publications] == ["", "in submission", ""]
    assert (cv.publications[0].venue, cv.publications[0].year) == ("SIGMOD 2023", 2023)
    assert len(cv.education) == 2
    assert "PhD in Computer Science" in cv.education[0]
    assert cv.positions == ["Research Intern @ Example Labs, Boston · Jun 2018–Sep 2018"]
    assert cv.interests == ["query processing", "vector databases", "streams"]
    assert cv.unread == []
    whole = str(cv.plain())
    for contact in ("jane@", "617", "Main Street"):
        assert contact not in whole


@pytest.mark.parametrize("form", ["text", "pdf"])
async def test_the_cv_of_the_seeds_is_read_whole(shared, form):
    text = (shared / "seeds" / "001_d56ed223fd5c3e0d.txt").read_text()
    cv = await read_cv(text.encode() if form == "text" else as_pdf(text), "cv")
    found = titles(cv)
    assert len(found) == 9
    for name in ("TrainMover", "EdgeSight", "THC", "ATP", "A Generic Service", "Efficient Data-Plane",
                 "RDMA NIC", "eTran", "StarPulse"):  # fmt: skip
        assert sum(title.startswith(name) for title in found) == 1, name
    waiting = [p.title.split(":")[0].split(" M")[0] for p in cv.publications if p.status == "in submission"]
    assert waiting == ["TrainMover", "EdgeSight", "RDMA NIC"]
    assert (len(cv.education), len(cv.positions), len(cv.interests)) == (3, 4, 3)
    assert cv.unread == []
    assert "harvard.edu" not in str(cv.plain())


@pytest.mark.parametrize(
    ("entry", "title", "venue", "year", "status"),
    [
        ('[1] J. Doe, A. Smith, and B. Lee, "Fast sparse attention," in Proc. NeurIPS, 2021, pp. 1-10.',
         "Fast sparse attention", "Proc. NeurIPS", 2021, ""),
        ("Doe, J., & Smith, A. (2019). Learning to rank with little data. Journal of Ranking, 20(3), 1–20.",
         "Learning to rank with little data", "Journal of Ranking", 2019, ""),
        ("Doe, J., Lee, B., & Chu, C. (2021a). Why do graphs oversmooth? In Proceedings of ICML (pp. 1–9).",
         "Why do graphs oversmooth?", "Proceedings of ICML (pp. 1–9", 2021, ""),
        ("Jane Doe, Bob Lee. 2023. Cache-oblivious joins revisited. In SIGMOD '23.",
         "Cache-oblivious joins revisited", "SIGMOD '23", 2023, ""),
        ("Jane Doe. 2020. A survey of vector databases. arXiv:2001.00001.",
         "A survey of vector databases", "arXiv:2001.00001", 2020, ""),
        ("Bob Lee, Jane Doe. Towards serverless graph processing. VLDB 2022.",
         "Towards serverless graph processing", "VLDB 2022", 2022, ""),
        ("Robust estimation under interference. Jane Doe and Ann Hu. Econometrica, to appear.",
         "Robust estimation under interference", "", None, "to appear"),
        ("• “Deep sets for jets”, under review", "Deep sets for jets", "", None, "in submission"),
    ],
)  # fmt: skip
def test_the_usual_styles(entry, title, venue, year, status):
    found = publication_of(entry)
    assert found is not None
    assert (found.title, found.year, found.status) == (title, year, status)
    assert found.venue == venue


@pytest.mark.parametrize(
    "entry", ["", "Networked systems", "and more", "See my page.", "2021", "Reviewer of papers"]
)
def test_what_is_no_publication_is_none(entry):
    assert publication_of(entry) is None


def test_latex_and_bibtex():
    cv = read_latex(
        r"""\documentclass{moderncv}\begin{document}
        \section{Education}\cventry{2015--2020}{PhD in Physics}{University of Oslo}{}{}{}
        \section{Publications}\begin{itemize}
        \item \textbf{J. Doe} and M. M\"uller. \emph{Measuring quarks with jets}. Phys. Rev. D, 2021. % a note
        \item J. Doe, ``A trigger for high luminosity'', JINST, 2019.
        \item J. Doe. Deep sets for jets. Submitted, 2024.\input{/etc/passwd}
        \end{itemize}\end{document}"""
    )
    assert titles(cv) == ["Measuring quarks with jets", "A trigger for high luminosity", "Deep sets for jets"]
    assert cv.publications[2].status == "in submission"
    assert cv.education == ["PhD in Physics, University of Oslo · 2015–2020"]
    assert "root" not in str(cv)
    bib = read_bibtex(
        "@inproceedings{a, title={{THC}: Homomorphic Compression}, booktitle={NSDI}, year=2024}\n"
        '@unpublished{b, title={R{\\"u}ckkopplung in networks}, note={in submission}}\n'
        "@misc{c, title={}}\n@article{d"
    )
    assert titles(bib) == ["THC: Homomorphic Compression", "Rückkopplung in networks"]
    assert [(p.venue, p.year, p.status) for p in bib.publications] == [
        ("NSDI", 2024, ""),
        ("", None, "in submission"),
    ]
    assert bib.unread[0] == "c"
    odd = read_bibtex("@misc{a, title={A title with \\verb}}\n@misc{b, title={A title without}}\n")
    assert titles(odd) == ["A title with verb", "A title without"]


def test_an_orcid_record():
    record = {
        "person": {"keywords": {"keyword": [{"content": "streams"}]}},
        "activities-summary": {
            "works": {"group": [{"work-summary": [{"title": {"title": {"value": "A long enough title"}},
                      "publication-date": {"year": {"value": "2020"}},
                      "journal-title": {"value": "J. X"}}]}]},
            "educations": {"affiliation-group": [{"summaries": [{"education-summary": {
                "role-title": "PhD", "organization": {"name": "ETH"},
                "start-date": {"year": {"value": "2010"}}}}]}]},
        },
    }  # fmt: skip
    cv = read_orcid(record)
    assert titles(cv) == ["A long enough title"]
    assert cv.education == ["PhD · ETH · 2010–present"]
    assert cv.interests == ["streams"]
    for broken in (
        {},
        [],
        None,
        {"activities-summary": 3},
        {"activities-summary": {"works": {"group": [{}]}}},
    ):
        with pytest.raises(Exception, match="not a record"):
            read_orcid(broken)


# -- hostile files -----------------------------------------------------------------------------------


HOSTILE = {
    "a bomb": bomb,
    "ten thousand pages": many_pages,
    "a script": lambda: pdf(b"", extra=SCRIPT),
    "a launch": lambda: pdf(b"", extra=b"/OpenAction << /S /Launch /F (calc.exe) >>"),
    "a loop": looped,
    "a cut-off file": lambda: pdf(b"")[:200],
    "noise": lambda: b"%PDF-1.7\n" + bytes(range(256)) * 4_000,
    "nothing but a head": lambda: b"%PDF-1.4",
    "only pictures": lambda: pdf(b""),
    "nested LaTeX": lambda: b"\\documentclass{x}\\begin{document}" + b"\\textbf{" * 60_000,
    "an archive": lambda: b"PK\x03\x04" + b"\x00" * 100,
    "empty": lambda: b"  \n",
    "too large": lambda: b"x" * 6_000_000,
}


@pytest.mark.parametrize("what", HOSTILE)
async def test_a_hostile_file_is_refused_in_time_and_space(what):
    data = HOSTILE[what]()
    assert what == "too large" or len(data) < 5_000_000
    started = time.monotonic()
    with pytest.raises(UnreadableError):
        await read_cv(data, "cv.pdf")
    assert time.monotonic() - started < SECONDS + 2, "it is killed, however busy the machine"


def test_the_limit_of_memory_holds():
    """Measured from outside, on the worst of the files."""
    code = (
        "import resource, subprocess, sys; "
        "subprocess.run([sys.executable, '-m', 'index.documents.sandbox', 'pdf'], stdin=sys.stdin, "
        "capture_output=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], input=bomb(), capture_output=True, cwd=ROOT)
    assert 10_000 < int(done.stdout) < 300_000, "kilobytes"
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY, (
        "the limits are the child's alone"
    )


@pytest.mark.parametrize(
    "act",
    [
        "socket.create_connection(('127.0.0.1', 9))",
        "open('/etc/passwd')",
        "open('/tmp/written', 'w')",
        "subprocess.run(['true'])",
        "os.open('/', os.O_RDONLY)",
        "bytearray(400_000_000)",
    ],
)
def test_the_process_that_reads_reaches_nothing(act):
    """What a file that takes over the process could try."""
    code = (
        "import os, socket, subprocess; from index.documents.sandbox import confine; "
        f"confine(); {act}; print('done')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=ROOT)
    assert done.returncode != 0
    assert b"done" not in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "Publications\n" + '"' * 100_000,
        "Publications\n" + "(" * 100_000,
        "Publications\n" + "A. " * 60_000 + "2020",
        "Publications\n" + "Doe, J., " * 30_000 + "(2020). Title of it. Venue.",
        "Publications\n" + "<u " * 50_000,
        "Publications\n" + "**" * 80_000,
        "# " * 100_000,
        "interests include " + "a, " * 100_000,
        "\n".join(f"- “Title number {n} of many”, 2020" for n in range(9_000)),
        "Education\n" + "University of " * 20_000,
        "@misc{a, title={" + "{" * 400_000,
        "Publications\n" + "[" * 50_000 + "](" * 50_000,
    ],
)  # fmt: skip
async def test_text_that_is_meant_to_be_slow_is_read_or_refused_in_time(text):
    started = time.monotonic()
    with contextlib.suppress(UnreadableError):
        assert len((await read_cv(text.encode(), "cv.txt")).publications) <= 600
    assert time.monotonic() - started < SECONDS + 2


def test_kinds_are_told_by_what_is_in_the_file():
    assert kind_of(b"%PDF-1.5", "cv.txt") == "pdf"
    assert kind_of(b"@article{a, title={b}}", "x") == "bib"
    assert kind_of(b"\\documentclass{article}", "cv") == "tex"
    assert kind_of("Lebenslauf für alle".encode(), "cv.md") == "text"
    for data, name in ((b"\x89PNG\r\n", "cv.pdf"), (b"\xd0\xcf\x11\xe0", "cv.doc"), (b"a\x00b", "cv.txt")):
        with pytest.raises(UnreadableError, match="Markdown"):
            kind_of(data, name)
    assert flat("Über-Titel: 2!") == "ubertitel2"


async def test_several_at_once_do_not_disturb_one_another():
    found = await asyncio.gather(*(read_cv(OWN.encode(), "cv.md") for _ in range(4)))
    assert all(titles(cv) == EXPECTED for cv in found)
