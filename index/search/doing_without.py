"""Papers that do without something: "RL that doesn't need a reward model", "training without labels".

Such papers name what they do without, so that leaving out its name would leave them out, too. What tells them
from papers about it is how they put it: "without a reward model", "reward-free", "no need for labels".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from index.search.word_filter import WordFilter, is_form, plain_text

_STOP = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split()) - {"use"}

# -- how people ask for it -------------------------------------------------------------------------

_NEED = r"(?:need|require|rely\s+on|depend\s+on|use|involve|assume|have)"
_NEEDING = r"(?:needing|requiring|relying\s+on|depending\s+on|using|involving|assuming|having)"
_ACCESS = r"(?:(?:the\s+|any\s+)?(?:access\s+to|need\s+(?:for|of)|use\s+of)\s+)?"
_WHERE = r"(?:(?:for\s+)?(?:when|where|if|because|since|as)|but)"
_HAVE_NONE = r"(?:have\s+no|lack|do(?:\s+not|n['’]?t)\s+(?:have|know)|can(?:not|['’]?t)\s+(?:afford|get|use))"
_FRAME = (
    rf"(?:(?:that|which)\s+(?:do|does)(?:\s+not|n['’]?t)\s+{_NEED}"
    r"|(?:that|which)\s+(?:(?:need|require|use)s?|ha(?:ve|s))\s+no"
    r"|(?:that|which)\s+(?:avoids?|(?P<drops>(?:drop|skip|omit)s?)|removes?(?=\s+(?:an?|any|the)\s))"
    r"|(?:that|which)\s+(?:do(?:es)?\s+away|dispenses?)\s+with|in\s+(?:the\s+)?absence\s+of|sans"
    r"|not\s+(?:based|conditioned|trained)\s+(?:on|with)"
    rf"|(?:(?:that|which)\s+works?\s+)?(?:without|w/o(?:ut)?)(?:\s+{_NEEDING})?|not\s+{_NEEDING}|with\s+no"
    rf"|{_NEEDING}\s+(?:no|neither)|(?:that|which)\s+(?:need|require|use)s?\s+neither"
    rf"|(?:{_WHERE}\s+|(?<=[,;]\s))(?:you|we|i|people)\s+{_HAVE_NONE}"
    rf"|{_WHERE}\s+there(?:['’]s|\s+is|\s+are)\s+no)"
)
_ARTICLE = r"(?:(?:a|an|the|any)\s+)?"
_THING_WORD = rf"(?!(?:{'|'.join(sorted(_STOP))})\b)[^\W_]+(?:[-/'’][^\W_]+){{0,4}}(?![-/'’\w])"
_THING = rf"{_THING_WORD}(?:\s+(?:of\s+)?{_THING_WORD}){{0,3}}?"
_THINGS = rf"(?P<what>{_THING}(?:(?:,\s+{_THING})*,?\s+(?:or|and|nor)\s+(?:no\s+)?{_ARTICLE}{_THING})?)"
_ENDS = (
    r"(?=\s*(?:$|[,;.?!)])|\s+(?:across|and|as|at|between|but|by|during|for|from|in|into|on|through|to|under|using|via"
    r"|when|where|while|with|please|pls|plz)\b)"
)
_ASKED = re.compile(
    r"(?<!\band)(?<!\bor)[,;]?\s+(?:"
    rf"(?:when|where|if)\s+{_ARTICLE}(?P<missing>{_THING})\s+(?:is|are)(?:\s+not|n['’]t)\s+(?:available|given|known)"
    rf"{_ENDS}|(?:when|where|if)\s+{_ARTICLE}(?P<unknown>{_THING})\s+(?:is|are)\s+(?:missing|unavailable|unknown)"
    rf"{_ENDS}|(?:(?:when|where|with)\s+)?no\s+(?P<needed>{_THING})\s+(?:is\s+|are\s+)?"
    rf"(?:needed|required|necessary|available|used|exists?){_ENDS}"
    rf"|{_FRAME}\s+{_ACCESS}(?P<article>{_ARTICLE}){_THINGS}{_ENDS})",
    re.IGNORECASE,
)
_FIRST = re.compile(
    rf"^(?P<lack>without\s+{_ARTICLE}{_THING}(?:,?\s+or\s+{_ARTICLE}{_THING})?),\s+(?P<rest>\S.*?)[\s.?!]*$",
    re.IGNORECASE,
)
"""It may come first: "without a reward model, how can I …"."""
_WORDS = re.compile(r"the\s+(?:words?|terms?|phrases?)\s|(?:the\s+|any\s+)?mentions?\s", re.IGNORECASE)
"""What papers shall not print, and not do without: "without the word LLM"."""
_FREE = re.compile(r"(?<![\w-])(?P<what>[^\W_]{3,}(?:-[^\W_]+){0,2})-free\b", re.IGNORECASE)
_LAST = re.compile(
    r"(?:[,;]\s+|\s+[-–—]\s+|\s+but\s+|\s+\()(?:(?:and|but)\s+)?"
    rf"no\s+(?P<what>{_THING}(?:(?:,\s+|,?\s+(?:or|and|nor)\s+)(?:no\s+)?{_ARTICLE}{_THING}){{0,3}})\s*\)?[\s.?!]*$",
    re.IGNORECASE,
)
"""What may be unwanted, or what papers shall do without."""
OFTEN_DONE, LEAST_DONE = 0.003, 2
"""If this share of the papers with actions, and so many, say that they do without, ", no actions" asks for
those. For games and surveys, the share is .001 and less; for labels and tools, more."""
_VERSUS = r"(?:vs\b\.?|versus\b|against\b|compared\s+(?:to|with)\b)"
_AFTER_VERSUS = re.compile(rf"\b{_VERSUS}\s*$", re.IGNORECASE)
_BEFORE_VERSUS = re.compile(rf"(?:\s+[\w-]+){{0,2}}?\s+{_VERSUS}", re.IGNORECASE)
_NAMES = frozenset(
    "annotating finetuning labeling labelling learning prompting reasoning training tuning".split()
)
"""What ends in "ing" and may begin a thing's name: "without training data", not "without hurting answers"."""
_TERMS = frozenset("artifact bias collision conflict context cost error hands noise risk scale".split())
"""What is free of these does not do without a means: context-free grammars, scale-free networks."""
_COSTS = frozenset(("loss", "losses"))
"""What would be lost, not used: "without loss of generality"."""
_OF_PAPERS = re.compile(
    r"(?:paper|article|survey|studie|preprint|work)s?\s+without\s+"
    r"(?:an?\s+)?(?:abstract|citation|code|equation|figure|formula|math|paywall|proof)s?$",
    re.IGNORECASE,
)
"""What papers lack themselves: "papers without code"."""
_NO_MORE = re.compile(r"\b(or|and|nor)\s+no\s+", re.IGNORECASE)
_EACH = re.compile(r"(?:,\s+|,?\s+(?:or|and|nor)\s+)(?:no\s+)?(?:(?:a|an|the|any)\s+)?", re.IGNORECASE)
_SEVERAL = re.compile(r",?\s+(?:or|and|nor)\s+(?:(?:a|an|the|any)\s+)?|,\s+", re.IGNORECASE)

# -- how papers say it -----------------------------------------------------------------------------

_LEAVING = (
    r"(?:eliminat|avoid|bypass|remov|obviat|dispens|circumvent|forgo|discard|sidestep)\w*(?:\s+with)?"
    r"(?:\s+(?:the\s+|any\s+)?(?:need|reliance|dependence|dependency|use)\s+(?:for|of|on))?"
)
_REFUSED = (
    r"(?:not|\w+n't|neither|never)\s+(?:\w+\s+)?(?:requir|need|rel(?:y|ies)|depend|us|involv|assum)\w*"
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
_REFUSING = re.compile(rf"{_SAYS}{_BETWEEN}\Z")
_BEFORE = 120
"""Characters before a thing's name that are looked at."""
_LACKS = r"(?:[\s-]free|-less|less|[\s-]agnostic|[\s-]independent)"
_GENERIC = frozenset(("model", "function", "data"))
"""What is reward-free needs no reward model, either."""
_SUPERVISION = re.compile(
    r"(?:(?:any|gold|human|manual|reference|ground[\s-]truth)\s+)*(?:label|annotat|supervis|parallel\b|paired\b|treebank)"
)
"""What unsupervised methods do without."""
_UNSUPERVISED = re.compile(r"(?<!\w)(?:un|self-)supervised(?!\w)")
_DETERMINERS = ("a ", "the ", "explicit ", "using ", "human ", "external ", "an ")
PHRASES = (
    "{} free",
    "no {}",
    "need for {}",
    "without {}",
    "without any {}",
    "need for a {}",
    *(f"without {word}{{}}" for word in _DETERMINERS),
)
"""Words side by side by which papers that do without something are found."""
LOOKED_UP, SHORT = 3, 5
"""How many things are looked up so, and in how many ways where several are named: each takes a millisecond or
two. Further things only count in papers that are found anyway."""
KEPT = 64
"""Things whose patterns are kept."""


@dataclass(frozen=True, slots=True)
class DoneWithout:
    """What papers shall do without."""

    what: str
    """As it was said, but for an article before it."""
    subject: str = ""
    """What is looked for, without it; "" where it was said as "X-free"."""
    article: str = ""

    @property
    def said(self) -> str:
        """As it was said: "a reward model"."""
        return f"{self.article} {self.what}".strip()

    @property
    def is_free(self) -> bool:
        """Whether it was said as "X-free"."""
        return not self.subject

    @property
    def things(self) -> tuple[str, ...]:
        """Each thing that was named."""
        return tuple(part.replace("-", " ") for part in _SEVERAL.split(self.what))

    @property
    def phrases(self) -> list[str]:
        """Words side by side by which papers that do without it are found."""
        things = self.things[:LOOKED_UP]
        phrases = PHRASES if len(things) == 1 else PHRASES[:SHORT]
        found = [phrase.format(thing) for thing in things for phrase in phrases]
        return [*found, "unsupervised"] if any(map(_is_supervision, self.things)) else found

    def is_said_in(self, title: str, abstract: str) -> bool:
        """Whether a paper says that it does without one of the things; the title decides if it names it."""
        at_top, below = _one_line(title), _one_line(abstract)
        return any(forms.are_refused(at_top, below) for forms in _forms_of(self.what))

    def is_named_in(self, text: str) -> bool:
        """Whether a title and abstract name one of the things at all."""
        return not _naming(self.what).passes(text)


def _one_line(text: str) -> str:
    """A text folded as :func:`plain_text` does, with single spaces."""
    plain = plain_text(text)
    return " ".join(plain.split()) if "\n" in plain or "  " in plain else plain


@lru_cache(KEPT)
def _naming(what: str) -> WordFilter:
    """What no text passes that names one of several things."""
    return WordFilter((), DoneWithout(what).things)


@lru_cache(KEPT)
def _forms_of(what: str) -> list[_Forms]:
    return list(map(_Forms, DoneWithout(what).things))


class _Forms:
    """How something is printed, and how it is said that something is done without it."""

    def __init__(self, thing: str) -> None:
        self._words = words = plain_text(thing).split()
        self._begin = [word[: max(3, len(word) - 2)] for word in words]
        form = r"[\s-]+".join(rf"({re.escape(begins)}\w*?)" for begins in self._begin)
        # Begins with letters, which are found far faster than the words that may stand before them.
        self._named = re.compile(rf"{form}(?P<lacks>{_LACKS}(?!\w))?(?!\w)")
        self._less = re.compile(r"[\s-]+".join(map(re.escape, words)) + r"less(?!\w)")
        generic = len(words) > 1 and words[-1].rstrip("s") in _GENERIC and words[0] != "training"
        self._free = re.compile(rf"{re.escape(words[0])}[\s-]free(?!\w)") if generic else None
        self._is_supervision = _is_supervision(thing)

    def are_refused(self, title: str, abstract: str) -> bool:
        """Whether a plain title and abstract say that something does without it."""
        if self._is_refused_in(title):
            return True
        return not self._is_named_in(title) and self._is_refused_in(abstract)

    def _is_refused_in(self, plain: str) -> bool:
        """Whether a plain text says so."""
        if self._free is not None and "free" in plain and _stands_in(self._free, plain):
            return True
        if self._is_supervision and "supervised" in plain and _UNSUPERVISED.search(plain):
            return True
        if not all(begins in plain for begins in self._begin):
            return False
        if "less" in plain and _stands_in(self._less, plain):
            return True
        return any(
            match["lacks"] is not None or _is_refused(plain, *match.span())
            for match in self._named.finditer(plain)
            if self._is_form(match)
        )

    def _is_named_in(self, plain: str) -> bool:
        """Whether a plain text that doesn't say so names the thing at all."""
        named = all(begins in plain for begins in self._begin)
        return named and any(map(self._is_form, self._named.finditer(plain)))

    def _is_form(self, match: re.Match[str]) -> bool:
        printed = match.groups()[: len(self._words)]
        return _begins_word(match.string, match.start()) and all(
            word == form or is_form(word, form) for word, form in zip(self._words, printed, strict=True)
        )


def _stands_in(pattern: re.Pattern[str], plain: str) -> bool:
    """Whether a plain text has a pattern that begins with a word's first letter."""
    return any(_begins_word(plain, match.start()) for match in pattern.finditer(plain))


def _begins_word(plain: str, start: int) -> bool:
    return start == 0 or not (plain[start - 1].isalnum() or plain[start - 1] == "_")


def _is_refused(plain: str, start: int, end: int) -> bool:
    """Whether the words before a thing's name say that something does without it."""
    return plain[end : end + 1] != "-" and bool(_REFUSING.search(plain, max(0, start - _BEFORE), start))


def _is_supervision(thing: str) -> bool:
    return _SUPERVISION.match(thing.lower()) is not None


def read_done_without(text: str) -> tuple[DoneWithout | None, str]:
    """What papers shall do without, and the text with that said plainly; None where it says nothing so."""
    typed, text = text, _FIRST.sub(r"\g<rest> \g<lack>", text)
    if (match := _ASKED.search(text)) and not _is_compared(text, match):
        what = next(match[form] for form in ("what", "needed", "missing", "unknown") if match[form])
        what = _NO_MORE.sub(r"\1 ", " ".join(what.split())).replace(" nor ", " or ")
        before, after = text[: match.start()].strip(" ,;"), text[match.end() :].rstrip(" .?!")
        plainly = f"{before} without {what}"
        # "Transformers that skip layers" have layers; "NLP that skips word segmentation" has none.
        keeps_it = match["drops"] and not match["article"] and re.fullmatch(r"\w+", what)
        prints = _WORDS.match(f"{match['article'] or ''}{what} ")
        if (
            before
            and not (keeps_it or prints)
            and not is_of_papers(plainly)
            and all(map(is_thing, _SEVERAL.split(what)))
        ):
            article = (match["article"] or "").strip().lower()
            article = "" if article == "any" else article
            return DoneWithout(what, f"{before}{after}", article), f"{plainly}{after}"
    if (
        (match := _FREE.search(text))
        and match["what"].lower() not in _TERMS
        and not _is_compared(text, match)
    ):
        return DoneWithout(match["what"]), typed
    return None, typed


def as_done_without(text: str, together: Callable[[str], int]) -> str:
    """A text that ends in ", no actions", said with "without" if many papers with actions do without them.

    Parameters
    ----------
    together
        How many papers have some words side by side.
    """
    match = _LAST.search(text)
    if match is None:
        return text
    things = _EACH.split(match["what"])

    def is_often(thing: str) -> bool:
        done = sum(together(form.format(thing)) for form in ("without {}", "without any {}", "{} free"))
        return done >= max(LEAST_DONE, OFTEN_DONE * together(thing))

    often = all(is_thing(thing) and is_often(thing) for thing in things)
    return f"{text[: match.start()]} without {' or '.join(things)}" if often else text


def compares(text: str) -> bool:
    """Whether a text compares doing without something with having it: "with vs without retrieval"."""
    match = _ASKED.search(text)
    return match is not None and _is_compared(text, match)


def _is_compared(text: str, match: re.Match[str]) -> bool:
    """Whether a comparison names the opposite, too: "training-free vs training-based"."""
    what = match["what"] or ""
    based = rf"(?<![\w-]){re.escape(what)}[\s-](?:aware|based|dependent|driven|guided|reliant)\b"
    return (
        _AFTER_VERSUS.search(text, 0, match.start()) is not None
        or _BEFORE_VERSUS.match(text, match.end()) is not None
        or re.search(rf"\s{_VERSUS}", what) is not None
        or (bool(what) and re.search(based, text, re.IGNORECASE) is not None)
    )


def is_of_papers(text: str) -> bool:
    """Whether a text asks for papers that lack something themselves: "papers without code"."""
    return _OF_PAPERS.search(text) is not None


def is_thing(what: str) -> bool:
    """Whether words name something: not "hurting answers", "a human checking it", "starting over"."""
    first, *more = what.lower().split()
    does = bool(more) and first.endswith("ing") and first not in _NAMES
    cost = first in _COSTS and "of" in more
    return not (does or cost) and _STOP.isdisjoint([first, *(word for word in more if word != "of")])
