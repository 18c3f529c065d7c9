"""The entries of RIS as ``rispy`` reads them, each by itself, whatever ends it and whatever is odd about it.

The library loses an entry without ``ER``, and one odd entry is enough for it to refuse a file.
"""

from __future__ import annotations

import re
from typing import Any

import rispy

_NEWLINE = re.compile(r"\r\n?|\n")
_FIRST = re.compile(r"^TY( {1,2})-", re.MULTILINE)


def ris_entries(text: str) -> tuple[list[dict[str, Any]], list[str]]:
    """(entries with the library's names for their tags, the beginnings of those that could not be read)."""
    entries, unread = [], []
    for lines in _split(text):
        try:
            entries += rispy.loads("\n".join([*lines, "ER  - "]), skip_unknown_tags=True)
        except (ValueError, LookupError, TypeError, AttributeError):
            unread.append(" ".join(lines)[:100])
    return entries, unread


def _split(text: str) -> list[list[str]]:
    """The lines of each entry without its end, the first one its type and each tag in the standard's form.

    An entry ends with ``ER``, with the ``TY`` of the next one, or with the text; one that begins with another
    tag is of no known type. Some programs write one space between a tag and its dash.
    """
    lines = _NEWLINE.split(text)
    first = _FIRST.search("\n".join(lines))
    tagged = re.compile(rf"([A-Z][A-Z0-9]){first[1] if first else '  '}-(.*)", re.DOTALL)
    entries: list[list[str]] = []
    is_open = False
    for line in lines:
        match = tagged.match(line)
        tag = match[1] if match else ""
        if match and tag != "ER" and (tag == "TY" or not is_open):
            entries.append([] if tag == "TY" else ["TY  - GEN"])
        is_open = tag != "ER" and (is_open or bool(tag))
        if is_open and line.strip():
            entries[-1].append(f"{tag}  - {match[2].strip()}" if match else line)
    return entries
