"""Finding a name or a title in a page's text: whole words, with any punctuation between them."""

from __future__ import annotations

import html
import re
import unicodedata

from selectolax.lexbor import LexborHTMLParser

_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Scripts that are written without spaces between words."""


def flat(text: str) -> str:
    """Letters and digits only, without case and accents."""
    plain = unicodedata.normalize("NFKD", html.unescape(text)).casefold()
    return "".join(character for character in plain if character.isalnum())


class PageText:
    """The text of a page without its markup."""

    def __init__(self, body: str) -> None:
        parts: list[str] = []
        self._edges = {0}
        length = 0
        plain = unicodedata.normalize("NFKD", _without_markup(body)).casefold()
        for word in re.split(r"[^\w\u0300-\u036f]+|_", plain):
            kept = "".join(character for character in word if character.isalnum())
            parts.append(kept)
            length += len(kept)
            self._edges.add(length)
        self._text = "".join(parts)

    def has(self, wanted: str) -> bool:
        """Whether the text contains the words as whole words."""
        target = flat(wanted)
        if not target:
            return False
        if _UNSPACED.search(target):
            return target in self._text
        at = self._text.find(target)
        while at >= 0:
            if at in self._edges and at + len(target) in self._edges:
                return True
            at = self._text.find(target, at + 1)
        return False


def _without_markup(body: str) -> str:
    page = LexborHTMLParser(body)
    page.strip_tags(["script", "style"])
    return page.root.text(separator=" ") if page.root else ""
