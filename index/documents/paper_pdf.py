"""A paper's PDF as blocks; runs in the confined process (:mod:`index.documents.sandbox`)."""

from __future__ import annotations

import re
from typing import Any

from index.documents.paper_blocks import blocks_of
from index.documents.paper_layout import reading_order
from index.documents.paper_lines import PageReader
from index.documents.paper_text import MOST_TEXT, NoPaper, TextBlock

MOST_PAGES = 200
_SCRIPT = re.compile(rb"/S\s*/(?:JavaScript|Launch)\b")
_END = 2_048
"""The last bytes of a PDF, where its end mark stands."""
_LEAST = 200
"""Characters of text on all pages; a scanned paper has none, or a library's stamp."""


def blocks_of_pdf(data: bytes, pdfium: Any) -> tuple[list[TextBlock], int]:
    """(the blocks, the number of pages) of a paper.

    Raises
    ------
    NoPaper
        If it is no PDF, damaged, cut off, asks for a password, runs scripts, has too many pages, or has no
        text.
    """
    if b"%PDF-" not in data[:1_024]:
        raise NoPaper("it is not a PDF")
    if _SCRIPT.search(data):
        raise NoPaper("it contains scripts")
    document = _opened(data, pdfium)
    pages = len(document)
    if pages > MOST_PAGES:
        raise NoPaper(f"it has {pages:,} pages, and I read at most {MOST_PAGES}")
    reader = PageReader(pdfium.raw)
    sheets = []
    total = 0
    for number in range(pages):
        try:
            sheets.append(reader.sheet(document[number], number + 1))
        except pdfium.PdfiumError as error:
            raise NoPaper(f"page {number + 1} is damaged") from error
        total += sum(len(line.text) for line in sheets[-1].lines)
        if total > MOST_TEXT:
            raise NoPaper("it holds too much text for a paper")
    if total < _LEAST:
        raise NoPaper("it has only pictures of its pages (a scan), and no text")
    blocks = blocks_of(reading_order(sheets), _titles(document, pdfium))
    if not blocks:
        raise NoPaper("it has no sentences that I can find")
    return blocks, pages


def _opened(data: bytes, pdfium: Any) -> Any:
    try:
        document = pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise NoPaper("it is encrypted and asks for a password") from error
        raise NoPaper("it is damaged" if b"%%EOF" in data[-_END:] else "it is cut off") from error
    if b"%%EOF" not in data[-_END:]:
        raise NoPaper("it is cut off")
    if pdfium.raw.FPDFDoc_GetJavaScriptActionCount(document) > 0:
        raise NoPaper("it contains scripts")
    if len(document) == 0:
        raise NoPaper("it has no pages")
    return document


def _titles(document: Any, pdfium: Any) -> list[str]:
    """The titles in the PDF's own contents; none where those are damaged."""
    titles = []
    try:
        for entry in document.get_toc(max_depth=6):
            titles.append(entry.get_title()[:200])
            if len(titles) >= 500:
                break
    except (pdfium.PdfiumError, ValueError, AttributeError):
        return titles
    return titles
