"""A CV in LaTeX or a list of publications in BibTeX, converted to what :mod:`index.documents.cv` reads."""

from __future__ import annotations

import re

from bibtexparser import entrypoint
from pylatexenc.latex2text import LatexNodes2Text

from data.tex import unicode_of
from index.documents.cv import CV, read_text
from index.documents.cv_lines import MOST_TEXT
from index.documents.cv_publications import MOST_ENTRIES, STATUS, YEAR, Publication, flat


def read_latex(source: str) -> CV:
    """The text of a CV in LaTeX; macros of CV classes are replaced by their arguments."""
    source = source[:MOST_TEXT]
    body = source.partition(r"\begin{document}")[2] or source
    body = re.sub(r"(?<!\\)%[^\n]*", "", body.partition(r"\end{document}")[0])
    body = re.sub(
        r"\\(?:section|subsection|cvsection|part|chapter|sectiontitle)\*?\s*\{([^{}]{1,200})\}",
        r"\n\n\# \1\n\n",
        body,
    )
    body = re.sub(r"\\(?:item|bibitem(?:\[[^\]]*\])?\{[^{}]*\})", "\n\n• ", body)
    body = re.sub(r"\\(?:cventry|cvitem|cvline|entry|resumeItem|resumeSubheading)\b", "\n\n", body)
    body = re.sub(
        r"\\\\(?:\[[^\]]{0,20}\])?|\\newline|\\par\b|\\hfill|\\hspace\*?\{[^{}]*\}|\\vspace\*?\{[^{}]*\}",
        "\n",
        body,
    )
    body = re.sub(r"\}\s*\{", "}, {", body)
    text = LatexNodes2Text(math_mode="text", strict_latex_spaces=True, keep_comments=False).latex_to_text(
        body
    )
    return read_text(re.sub(r"(?:, )+(?=\n|$)|(?<=\n)(?:, )+|(?:, ){2,}", ", ", text).replace(", \n", "\n"))


def read_bibtex(source: str) -> CV:
    """A list of publications in BibTeX; every entry with a title counts."""
    corpus = entrypoint.parse_string(source[:MOST_TEXT])
    reader = LatexNodes2Text()
    publications, unread = [], []
    for entry in corpus.entries[:MOST_ENTRIES]:
        fields = {
            name.lower(): re.sub(
                r"\s+", " ", unicode_of(str(held.value), reader).replace("{", "").replace("}", "")
            ).strip()
            for name, held in entry.fields_dict.items()
        }
        title = fields.get("title", "")
        if len(flat(title)) < 8:
            unread.append(entry.key[:100])
            continue
        note = " ".join(fields.get(name, "") for name in ("note", "howpublished", "pubstate"))
        status = next((name for name, pattern in STATUS if re.search(pattern, note, re.I)), "")
        if not status and entry.entry_type.lower() == "unpublished":
            status = "in preparation"
        venue = fields.get("booktitle") or fields.get("journal") or fields.get("journaltitle") or ""
        year = YEAR.search(fields.get("year", "") or fields.get("date", ""))
        publications.append(
            Publication(title[:400], venue[:160], int(year[1]) if year else None, status, title[:500])
        )
    unread += [str(getattr(block, "raw", ""))[:200] for block in corpus.failed_blocks[:20]]
    once = {flat(publication.title): publication for publication in reversed(publications)}
    return CV(list(reversed(once.values())), unread=unread)
