"""Questions of a kind that no sentence answers by itself: who wrote a paper, and how two things compare."""

from __future__ import annotations

import re
from collections.abc import Iterable

from index.answers.matching import Rarity, stems, terms

_WRITERS = re.compile(
    r"(?:(?:so|and|but|please|tell me)[, ]+)*"
    r"(?:who (?:has |have )?(?:wrote|written|published|authored)\b"
    r"|who(?:['’]s| is| are| were| was) (?:the (?:first |last )?(?:authors?|writers?))\b"
    r"|(?:what|which) (?:are|is|were) the (?:names? of the )?authors?\b|by whom\b"
    r"|whose paper\b|(?:the )?authors?\b)"
    r"(?:\s+(?:of|it|this|that|the|paper|article|study|work|preprint|is|was|written))*\s*[?!.]*",
    re.IGNORECASE,
)
_WRITERS_OF = re.compile(
    r"(?:(?:so|and|but|please|tell me)[, ]+)*"
    r"(?:who (?:has |have )?(?:wrote|written|published|authored)"
    r"|who(?:['’]s| is| are| were| was) (?:the )?(?:authors?|writers?) of"
    r"|(?:what|which) (?:are|is|were) the (?:names? of the )?authors? of|(?:the )?authors? of)"
    r"\s+(?:the (?:paper|article|preprint) )?(?:(?:on|called|titled) )?[\"“]?(?P<paper>.+?)[\"”]?\s*[?!.]*",
    re.IGNORECASE,
)
_THING = r"[^,;?]{2,80}?"
_COMPARED = tuple(
    re.compile(pattern + r"\s*[?!.]*", re.IGNORECASE)
    for pattern in (
        rf"(?:please |can you |could you )*compare\s+(?P<one>{_THING})\s+"
        rf"(?:and|with|to|against|vs\.?|versus)\s+(?P<other>{_THING})",
        rf"how\s+(?:does|do|would|did)\s+(?P<one>{_THING})\s+(?:compare|stack up|measure up|hold up)\s+"
        rf"(?:with|to|against)\s+(?P<other>{_THING})",
        rf"(?:what(?:['’]s|\s+is|\s+are)\s+)?(?:the\s+)?(?:main\s+)?differences?\s+between\s+(?P<one>{_THING})\s+and\s+"
        rf"(?P<other>{_THING})",
        rf"how\s+(?:is|are)\s+(?P<one>{_THING})\s+different\s+(?:from|to|than)\s+(?P<other>{_THING})",
        rf"(?:is|are)\s+(?P<one>{_THING})\s+(?:better|worse|faster|slower|more\s+\w+)\s+than\s+(?P<other>{_THING})",
        rf"(?P<one>{_THING})\s+(?:vs\.?|versus)\s+(?P<other>{_THING})",
    )
)


def asks_who_wrote(question: str) -> bool:
    """Whether a question about one paper asks for its authors."""
    return _WRITERS.fullmatch(" ".join(question.split())[:200]) is not None


def whose_writers(question: str) -> str | None:
    """The paper whose authors a question asks for ("who wrote PrismLLM?"); None for other questions."""
    match = _WRITERS_OF.fullmatch(" ".join(question.split())[:500])
    return match["paper"] if match else None


def compared(question: str) -> tuple[str, str] | None:
    """The two things that a question compares: "how does HyMem compare with RAG?"; None for another one."""
    text = " ".join(question.split())[:300]
    match = next((found for pattern in _COMPARED if (found := pattern.fullmatch(text))), None)
    return (match["one"].strip(), match["other"].strip()) if match else None


def compares(things: tuple[str, str], texts: Iterable[str], rarity: Rarity) -> bool:
    """Whether one of the texts has the rarest word of each of two things."""
    names = [max(found, key=lambda stem: found[stem]) for thing in things if (found := terms(thing, rarity))]
    return any(set(names) <= set(stems(text)) for text in texts)
