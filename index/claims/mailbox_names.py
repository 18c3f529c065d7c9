"""Whether a mailbox is named after a person: by given and family name in full, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from data.keys import fold
from index.identity.person_names import parse_name

_BREAK = re.compile(r"[._-]+")
_NUMBERED = re.compile(r"\d+$")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "å": "aa", "ø": "oe"})


def names_person(address: str, names: Iterable[str]) -> bool:
    """Whether the mailbox of an address has the person's given and family name, in either order.

    Names may run together (``muli``, ``li.mu``), middle names may be shortened or missing, and a number may
    follow. A family name alone or with an initial (``m.li``, ``li``) fits too many people.
    """
    local = address.rpartition("@")[0]
    if "+" in local:
        return False  # the holder chooses freely what follows a plus
    tokens = [token for token in _BREAK.split(_NUMBERED.sub("", local.lower())) if token]
    return any(_is_cut_of(tokens, words) for name in names for words in _orders(name))


def _orders(name: str) -> Iterator[tuple[str, ...]]:
    """The names in the orders that mailboxes use."""
    for printed in {name, name.casefold().translate(_SPELLED_OUT), _without_humps(name)}:
        parsed = parse_name(printed.replace("-", " "))  # a mailbox may have one half of a double name
        if not parsed.spelled or not parsed.family:
            continue
        family = _family_words(parsed.key.split(), parsed.family)
        first, *rest = parsed.given
        initials = tuple(word[0] for word in rest)
        for given in {(first,), (first, *rest), (first, *initials)}:
            yield (*given, *family)
            yield (*family, *given)


def _without_humps(name: str) -> str:
    """``ChonLam Lao`` as ``Chon Lam Lao``; a family name keeps its humps (``McDonald``)."""
    given, _, family = name.rpartition(" ")
    return name if "," in name else f"{_HUMP.sub(' ', given)} {family}"


def _family_words(words: Sequence[str], family: str) -> tuple[str, ...]:
    """The words that the family name was joined from: ``van``, ``den``, ``berg``."""
    for start in range(len(words)):
        for end in range(start + 1, len(words) + 1):
            if "".join(words[start:end]) == family:
                return tuple(words[start:end])
    return (family,)


def _is_cut_of(tokens: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the tokens are all of the words in order, perhaps run together."""
    place = 0
    for token in tokens:
        joined = ""
        while place < len(words) and len(joined) < len(token):
            joined += fold(words[place])
            place += 1
        if joined != token:
            return False
    return bool(tokens) and place == len(words)
