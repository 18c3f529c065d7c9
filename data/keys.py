"""Keys that make differently printed forms of a title, a name or a text equal."""

from __future__ import annotations

import re
import secrets
import unicodedata
from functools import lru_cache
from hashlib import blake2b

# Zero-width and direction-changing characters: they can hide or reorder what a reader sees. Also U+FFFE
# and U+FFFF, which XML forbids: one of them makes a whole feed unreadable.
_INVISIBLE = dict.fromkeys(
    [
        0x00AD,
        0x200B,
        0x200E,
        0x200F,
        0x2060,
        0xFEFF,
        0xFFFE,
        0xFFFF,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    ]
)
_CONTROL = dict.fromkeys([*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0)])
_STRIP = {**_INVISIBLE, **_CONTROL}
_NOT_WORD = re.compile(r"[\W_]+")
# Letters that NFKD leaves whole, although people type them without the stroke.
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_SUFFIX = {"jr", "sr", "ii", "iii", "iv"}


def clean(text: str) -> str:
    """One line of printable text: white space collapsed, control and invisible characters removed."""
    if text.isascii():
        if text.isprintable():
            # Most texts: their only white space is the space.
            return " ".join(text.split()) if "  " in text else text.strip(" ")
        text = text.translate(_CONTROL)
    else:
        text = unicodedata.normalize("NFC", text.translate(_STRIP))
        # A lone surrogate can be written in JSON but not in UTF-8.
        text = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.split())


def visible(text: str) -> str:
    """Text without control characters (line breaks stay) and invisible ones."""
    return text.translate(_STRIP) if not (text.isascii() and text.isprintable()) else text


def fold(text: str) -> str:
    """Lower case without accents: ``"Peña"`` and ``"pena"`` fold alike."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    marks = [ord(c) for c in set(folded) if unicodedata.combining(c)]
    return folded.translate(dict.fromkeys(marks)) if marks else folded


@lru_cache(maxsize=300_000)
def name_key(name: str) -> str:
    """The key that the printed forms of a person's name share.

    Case, accents, hyphens and the order of ``"Lao, ChonLam"`` do not matter; spaces do
    (``"Chon Lam Lao"`` may be somebody else), and so does an initial (``"C. Lao"``).
    """
    if name.count(",") == 1:
        last, first = name.split(",")
        suffix = fold(first).strip(" .")
        if first.strip() and last.strip() and suffix not in _SUFFIX:
            name = f"{first} {last}"
    key = _NOT_WORD.sub(" ", fold(name).replace("'", "").replace("’", "")).strip()
    return (key or fold(name).strip())[:300]


def hash64(text: str) -> int:
    """A signed 64-bit hash: SQL's BIGINT holds it."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def title_words(title: str) -> list[str]:
    """The words of a title, folded, without markup and punctuation."""
    return _NOT_WORD.sub(" ", fold(title)).split()


@lru_cache(maxsize=8_192)
def title_key(title: str) -> int:
    """Equal for titles that differ only in case, accents, spacing and punctuation."""
    return hash64("".join(title_words(title)))


@lru_cache(maxsize=8_192)
def author_hash(name: str = "") -> int:
    """The hash of a name's key, for the first author of a paper (0 authors hash alike)."""
    return hash64(name_key(name))


def text_hash(title: str, abstract: str) -> int:
    """Changes exactly when the embedded text changes."""
    return hash64(title + "\0" + abstract)


def fresh_number() -> int:
    """A number for a row that buttons refer to; it is never reused, so an old button can't mean a new row."""
    return 1 + secrets.randbelow(2**31 - 1)
