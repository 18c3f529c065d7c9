"""Papers that do without something: "RL that doesn't need a reward model", "training without labels".

Such papers name what they do without, so that leaving out its name would leave them out, too. What tells them
from papers about it is how they put it: "without a reward model", "reward-free", "no need for labels".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources

from index.search.word_filter import WordFilter, is_form, plain_text

_DO_NOT = r"(?:that|which)\s+(?:do|does)(?:\s+not|n['’]?t)"
_NEEDS = r"(?:need|require|rely\s+on|depend\s+on|use|involve|assume|have)"
_WITH = (
    r"(?:\s+(?:using|needing|requiring|relying\s+on|depending\s+on|having|access\s+to"
    r"|(?:the|any)\s+(?:need|use)\s+(?:for|of)))?"
)
_WHAT = r"(?P<what>[^\W_]+(?:[- ][^\W_]+){0,3})"
_ASKED = re.compile(
    rf"\s+(?:{_DO_NOT}\s+{_NEEDS}|(?:that|which)\s+(?:need|require|use)s?\s+no|without{_WITH}"
    r"|(?:that|which)\s+works?\s+without)\s+"
    rf"(?:(?:a|an|the|any)\s+)?{_WHAT}[\s.?!]*$",
    re.IGNORECASE,
)
_FREE = re.compile(r"(?<![\w-])(?P<what>[^\W_]{3,}(?:-[^\W_]+){0,2})-free\b", re.IGNORECASE)
_LEAVING = (
    r"(?:eliminat|avoid|bypass|remov|obviat|dispens|circumvent|forgo|discard|sidestep)\w*(?:\s+with)?"
    r"(?:\s+(?:the\s+|any\s+)?(?:need|reliance|dependence|dependency|use)\s+(?:for|of|on))?"
)
_REFUSED = (
    r"(?:not|n['’]t|neither|never)\s+(?:\w+\s+)?(?:requir|need|rel(?:y|ies)|depend|us|involv|assum)\w*"
    r"(?:\s+on|\s+upon)?"
)
_INSTEAD = (
    r"(?:instead\s+of|rather\s+than|independent\s+of|absence\s+of|free\s+(?:of|from)|requir\w+\s+no|no)"
)
_BY = (
    r"(?:using|requiring|needing|having|training|learning|accessing|assuming|employing"
    r"|(?:relying|depending)\s+on)"
)
_WITHOUT = (
    rf"without(?:\s+{_BY})?"
    r"(?:\s+(?:direct\s+)?access\s+to|\s+(?:the\s+|any\s+)?(?:need|use|reliance)\s+(?:for|of|on))?"
)
_SAYS = rf"(?<!\w)(?:{_WITHOUT}|{_LEAVING}|{_REFUSED}|{_INSTEAD}(?:\s+need\s+for)?)"
_BETWEEN = (
    r"(?:\s+(?!(?:but|and|or|in|of|for|by|with|to|that|which|as|at|on|from|\w+ing|single|new|naive|generic|certain"
    r"|traditional|conventional|standard|prior|unnecessary|existing)\b)[\w'/-]+){0,3}?[\s-]+"
)
"""What may stand before its name: "without any explicit human labels"; not "without new labels"."""
_STOP = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split()) - {"of"}
_THINGS = frozenset(
    "annotating finetuning labeling labelling learning prompting reasoning training tuning".split()
)
_GENERIC = frozenset(("model", "function", "data"))
"""What is reward-free needs no reward model, either."""
_DETERMINERS = ("", "a ", "an ", "any ", "the ", "explicit ", "using ", "human ", "external ")
PHRASES = (
    "{} free",
    "no {}",
    "need for {}",
    "need for a {}",
    *(f"without {word}{{}}" for word in _DETERMINERS),
)
"""Words side by side by which papers that do without something are found."""


@dataclass(frozen=True, slots=True)
class DoneWithout:
    """What papers shall do without."""

    what: str
    subject: str = ""
    """What is looked for, without it; "" where it was said as "X-free"."""

    def is_said_in(self, title: str, abstract: str, *, mostly: bool = False) -> bool:
        """Whether a paper says that it does without it; the title decides if it names it.

        With ``mostly``, an abstract may not name it otherwise as often.
        """
        said, named = self._counts(title)
        if named:
            return said > 0
        said, named = self._counts(abstract)
        return said > 0 and (2 * said >= named or not mostly)

    def _counts(self, text: str) -> tuple[int, int]:
        """How often a text says that something is done without it, and how often it names it at all."""
        plain = " ".join(plain_text(text).split())
        words = plain_text(self.what).replace("-", " ").split()
        form = r"[\s-]+".join(rf"({re.escape(word[: max(3, len(word) - 2)])}\w*)" for word in words)
        said = rf"{_SAYS}{_BETWEEN}{form}(?![\w-])|(?<!\w){form}(?:[\s-]free|-less)(?!\w)"
        counts = [
            sum(_are_forms(match, words) for match in re.finditer(pattern, plain))
            for pattern in (said, rf"(?<!\w){form}(?!\w)")
        ]
        if len(words) > 1 and words[-1].rstrip("s") in _GENERIC and words[0] != "training":
            free = len(re.findall(rf"(?<!\w){re.escape(words[0])}[\s-]free(?!\w)", plain))
            counts = [count + free for count in counts]
        return counts[0], counts[1]

    def is_named_in(self, text: str) -> bool:
        """Whether a title and abstract name it at all."""
        return not WordFilter((), (self.what.replace("-", " "),)).passes(text)


def _are_forms(match: re.Match[str], words: list[str]) -> bool:
    printed = [group for group in match.groups() if group is not None]
    return all(word == form or is_form(word, form) for word, form in zip(words, printed, strict=True))


def read_done_without(text: str) -> tuple[DoneWithout | None, str]:
    """What papers shall do without, and the text with that said plainly; None where it says nothing so."""
    if match := _ASKED.search(text):
        what = " ".join(match["what"].split())
        before = text[: match.start()].strip()
        if not before or not _is_thing(what):
            return None, text
        return DoneWithout(what, before), f"{before} without {what}"
    if match := _FREE.search(text):
        return DoneWithout(match["what"].replace("-", " ")), text
    return None, text


def _is_thing(what: str) -> bool:
    """Whether words name something: not "hurting answers", "a human checking it", "starting over"."""
    first, *more = what.lower().split()
    does = bool(more) and first.endswith("ing") and first not in _THINGS
    return not does and _STOP.isdisjoint([first, *more])


def without_article(what: str) -> str:
    """What was asked for, without "a", "the" or "any" before it."""
    return re.sub(r"^(?:a|an|the|any)\s+", "", what, flags=re.IGNORECASE)
