"""arXiv's HTML of a paper (LaTeXML) as blocks: sections by their titles, captions apart, formulas as TeX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from index.documents.paper_text import (
    CAPTION,
    FORMULA,
    LONGEST,
    MOST_TEXT,
    NOTE,
    TEXT,
    NoPaper,
    TextBlock,
    stops,
)

_PARTS = "h2, h3, h4, h5, h6, p, figcaption, .ltx_note_content"
_ELSEWHERE = frozenset(
    "ltx_bibliography ltx_authors ltx_dates ltx_TOC ltx_listing ltx_tabular ltx_keywords ltx_classification "
    "ltx_page_footer ltx_page_header ltx_ERROR".split()
)
"""Classes of what isn't the paper's text: references, cells of tables, code, and what stands around it."""
_UNREAD = frozenset("script style noscript template svg button form nav".split())
_NOT_INSIDE = frozenset("ltx_note ltx_note_mark ltx_tag_note ltx_ERROR".split())
_EQUATION = frozenset("ltx_equation ltx_equationgroup ltx_eqn_table".split())
_CAPTION = re.compile(
    r"(Figure|Fig\.|Table|Algorithm|Listing|Box)\s*([A-Z]?\.?\d{1,3}(?:\.\d+)?)\s*[:.]?\s*", re.I
)
_LONGEST_FORMULA = 200
_DEEPEST = 200
MOST_PARTS = 40_000


def blocks_of_html(text: str) -> list[TextBlock]:
    """The blocks of a paper's page.

    Raises
    ------
    NoPaper
        If the page has no paper in it, or too much text.
    """
    tree = import_module("selectolax.lexbor").LexborHTMLParser(text)
    root = tree.css_first("article.ltx_document") or tree.css_first(".ltx_document")
    if root is None:
        raise NoPaper("it has no paper in it")
    blocks: list[TextBlock] = []
    section, total = "", 0
    for number, node in enumerate(root.css(_PARTS)):
        if number > MOST_PARTS:
            raise NoPaper("it has too many parts for a paper")
        kind = _kind(node)
        if kind is None:
            continue
        words = re.sub(r"\s+([,.;:)])", r"\1", " ".join("".join(_text(node, 0)).split()))
        total += len(words)
        if total > MOST_TEXT:
            raise NoPaper("it holds too much text for a paper")
        if kind == "title":
            section = words[:300] or section
        elif re.search(r"[^\W\d_]{3}", words):
            _add(blocks, TextBlock(kind, section, words))
    if not blocks:
        raise NoPaper("it has no text")
    return blocks


def _add(blocks: list[TextBlock], block: TextBlock) -> None:
    """Add a block; text that goes on after a formula continues the sentence before it."""
    if block.kind == CAPTION:
        match = _CAPTION.match(block.text)
        name = (
            "Figure" if match and match[1].casefold().startswith("fig") else match[1].title() if match else ""
        )
        block.section = f"{name} {match[2]}" if match else ""
        block.text = block.text[match.end() :] or block.text if match else block.text
    before = blocks[-1] if blocks else block
    goes_on = block.text[:1].islower() and before.section == block.section and not stops(before.text)
    room = len(before.text) + len(block.text) < LONGEST
    if block is not before and goes_on and room and before.kind == block.kind == TEXT:
        before.text = f"{before.text} {FORMULA} {block.text}"
    else:
        blocks.append(block)


def _kind(node: Any) -> str | None:
    """``title``, a block's kind, or None for what belongs to another part or isn't text."""
    classes = _classes(node)
    if re.fullmatch(r"h[2-6]", node.tag):
        kind = None if "ltx_runin" in classes or "ltx_title_document" in classes else "title"
    else:
        kind = CAPTION if node.tag == "figcaption" else NOTE if "ltx_note_content" in classes else TEXT
    above, depth = node, 0
    while above is not None and kind is not None and depth < _DEEPEST:
        names = _classes(above)
        inside = above is not node and (above.tag in ("figcaption", "p") or "ltx_note_content" in names)
        if names & _ELSEWHERE or above.tag in _UNREAD or (inside and "ltx_note_content" not in classes):
            return None
        if "ltx_document" in names:
            break
        above, depth = above.parent, depth + 1
    return kind


def _text(node: Any, depth: int) -> Iterator[str]:
    """The text inside a node without that of notes; formulas as their LaTeX."""
    if depth > _DEEPEST:
        return
    for child in node.iter(include_text=True, skip_empty=False):
        if child.tag == "-text":
            yield child.text(deep=False) or ""
        elif child.tag == "math":
            tex = " ".join((child.attributes.get("alttext") or "").split())
            yield f"${tex}$" if 0 < len(tex) <= _LONGEST_FORMULA else FORMULA
        elif child.tag in _UNREAD or (names := _classes(child)) & _NOT_INSIDE:
            continue
        elif names & _EQUATION:
            yield f" {FORMULA} "
        elif child.tag == "br":
            yield " "
        else:
            yield from _text(child, depth + 1)


def _classes(node: Any) -> frozenset[str]:
    return frozenset((node.attributes.get("class") or "").split())
