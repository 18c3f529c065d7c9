"""Days said by a conference ("before ICLR", "since NeurIPS 2024"), which Labmate can't read as a date.

When a conference was, changes each year, and no source here tells it. So the words are taken out of the
subject, where they would find papers on peer review, and the reply says so.
"""

from __future__ import annotations

import re

from index.search.venues import CERTAIN, WITH_YEAR

_OUT = r"(?:published|announced|submitted|released|posted|written|printed|out|from)"
_HOW = r"(?:before|after|since|until|till|prior\s+to|up\s+to|later\s+than|earlier\s+than)"
_WHICH = r"(?:the\s+)?(?:(?:last|latest|previous)\s+|(?:last|this)\s+year['’]s\s+)?"
_DONE = (
    r"(?=\s*(?:$|[,.;?!)]|(?<=\s)(?i:about|and|articles?|by|deadline|for|from|in|on|or|papers?|please|research|that"
    r"|which|with|works?)\b))"
)
_ONE = rf"{_WHICH}(?:{CERTAIN}{_DONE}|{WITH_YEAR})(?:\s+(?i:deadline))?"
_SAID = re.compile(
    rf"(?:\b(?i:{_OUT}\s+)?\b(?i:{_HOW})\s+|(?<![\w-])(?i:pre|post)-){_ONE}"
    rf"|\b(?i:{_OUT}\s+)?\b(?i:between)\s+{_ONE}\s+(?i:and)\s+{_ONE}",
)
_NO_LIMIT = re.compile(
    r"(?:\b(?:not|no|nothing|none)|n['’]t)\s+(?:\w+\s+)?$|\b(?:before|during|after)\s+(?:and|or)\s+$",
    re.IGNORECASE,
)
"""What stands before days that limit nothing: "not before ICLR", "before and after ICLR"."""


def read_conference_days(text: str) -> tuple[str, str]:
    """The words of a text that say days by a conference, and the text without them; "" for none.

    A text of nothing else stays as it is.
    """
    for match in _SAID.finditer(text):
        left = " ".join(f"{text[: match.start()]} {text[match.end() :]}".split()).strip(" ,;")
        if _NO_LIMIT.search(text, 0, match.start()) or not re.search(r"[^\W\d_]{2}", left):
            return "", text
        return match[0], left
    return "", text
