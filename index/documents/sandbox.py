"""The process that opens a stranger's file: it has no network, no files, little memory and few seconds.

``python -m index.documents.sandbox KIND`` reads the file from standard input and writes JSON to standard
output: the CV, the references or the paper's blocks, or why it was refused. :mod:`index.documents.cv_file`
starts it. Once its libraries are loaded, it gives up every system call except those for memory, time and its
answer (:mod:`index.documents.confinement`). A file that takes the process over then reaches no file, no
connection and no other process.
"""

from __future__ import annotations

import codecs
import json
import re
import resource
import sys
from importlib import import_module
from typing import Any

from index.documents.confinement import forbid
from index.documents.cv import read_text
from index.documents.cv_formats import read_bibtex, read_latex
from index.documents.cv_lines import MOST_TEXT
from index.documents.cv_publications import flat
from index.documents.paper_html import blocks_of_html
from index.documents.paper_pdf import blocks_of_pdf
from index.documents.paper_text import NoPaper
from index.documents.references import NoReferences, read_references

MEMORY = 280 * 1024 * 1024
"""Bytes of address space."""
SECONDS = 4
REFERENCES_MEMORY, REFERENCES_SECONDS = 700 * 1024 * 1024, 20
"""For a list of up to ten megabytes."""
PAPER_MEMORY, PAPER_SECONDS = 900 * 1024 * 1024, 20
"""For a paper of up to two hundred pages and thirty megabytes."""
MOST_PAGES = 100
WARM = {
    "bib": '@misc{a, title={warming \\"up}, author={A and B}, year={2026}}',
    "ris": "TY  - JOUR\nTI  - warming up\nER  - \n",
    "json": '[{"title": "warming up"}]',
}
WARM_PAGE = '<article class="ltx_document"><h2>Warming</h2><p>Warming up.</p></article>'
"""Parsing these makes every parser load what it needs while files can still be opened."""
_ACTIVE = re.compile(rb"/(?:JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|XFA|SubmitForm|ImportData)\b")


class SandboxRefusedError(Exception):
    """The file was refused; the message says why."""


def confine(memory: int = MEMORY, seconds: int = SECONDS) -> None:
    """Give up everything that reading a file does not need."""
    for codec in ("utf-16-le", "utf-8", "ascii", "latin-1"):
        codecs.lookup(codec)  # load it while that is still possible
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # No new descriptor and no new process: all that can be done if the kernel can't block the calls
    # themselves.
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    forbid()


def pdf_text(data: bytes, pdfium: Any) -> str:
    """The text of a PDF.

    Raises
    ------
    SandboxRefusedError
        If it has scripts or attached files, too many pages, a password, or no text.
    """
    if _ACTIVE.search(data):
        raise SandboxRefusedError(
            "it contains scripts or attached files; print it to a plain PDF and try again"
        )
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        why = "it asks for a password" if "password" in str(error).lower() else "it is damaged or not a PDF"
        raise SandboxRefusedError(why) from error
    if pdfium.raw.FPDFDoc_GetJavaScriptActionCount(document) > 0 or document.count_attachments() > 0:
        raise SandboxRefusedError(
            "it contains scripts or attached files; print it to a plain PDF and try again"
        )
    if len(document) > MOST_PAGES:
        raise SandboxRefusedError(f"it has {len(document):,} pages, and I read at most {MOST_PAGES}")
    parts: list[str] = []
    for number in range(len(document)):
        try:
            parts.append(document[number].get_textpage().get_text_range())
        except pdfium.PdfiumError as error:
            raise SandboxRefusedError(f"page {number + 1} is damaged") from error
        if sum(map(len, parts)) > MOST_TEXT:
            raise SandboxRefusedError("it holds too much text for a CV")
    text = "\n".join(parts).replace("\x02", "-").replace("\ufffe", "-").replace("\x00", "")
    if len(flat(text[:20_000])) < 20:
        raise SandboxRefusedError("it has only pictures; I need a PDF with text")
    return text


def _loaded_pdfium() -> Any:
    """The reader of PDFs with all that it loads, since nothing can be opened afterwards."""
    pdfium = import_module("pypdfium2")
    with pdfium.PdfDocument.new() as warm:
        warm.new_page(10, 10).get_textpage().get_text_range()
    return pdfium


def read(kind: str, data: bytes) -> dict[str, Any]:
    """Give up what reading does not need, and read one file.

    Raises
    ------
    SandboxRefusedError, index.documents.references.NoReferences, index.documents.paper_text.NoPaper
        If it is refused.
    """
    text = "" if kind.endswith("pdf") else data.decode("utf-8-sig", "replace").replace("\x00", "")
    pdfium = _loaded_pdfium() if kind.endswith("pdf") else None
    if kind.startswith("references-"):
        form = kind.removeprefix("references-")
        read_references(form, WARM[form])
        confine(REFERENCES_MEMORY, REFERENCES_SECONDS)
        items, unread = read_references(form, text)
        return {"items": items, "unread": unread[:100]}
    if kind.startswith("paper-"):
        blocks_of_html(WARM_PAGE)
        confine(PAPER_MEMORY, PAPER_SECONDS)
        blocks, pages = blocks_of_pdf(data, pdfium) if pdfium else (blocks_of_html(text), 0)
        return {"blocks": [block.plain() for block in blocks], "pages": pages}
    if kind in ("tex", "bib"):
        (read_latex if kind == "tex" else read_bibtex)('@misc{a, title={warming \\"up}}')
    confine()
    if pdfium:
        text = pdf_text(data, pdfium)
    return {"cv": {"tex": read_latex, "bib": read_bibtex}.get(kind, read_text)(text).plain()}


def main() -> None:
    """Read one file."""
    try:
        answer = read(sys.argv[1], sys.stdin.buffer.read())
    except (SandboxRefusedError, NoReferences, NoPaper) as error:
        answer = {"refused": str(error).rstrip(".")}
    except MemoryError:
        answer = {"refused": "it needs too much memory"}
    except RecursionError:
        answer = {"refused": "it is nested too deeply"}
    sys.stdout.write(json.dumps(answer))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
