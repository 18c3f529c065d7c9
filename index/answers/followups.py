"""Questions that go on from an earlier one: what "it", "they", "that paper" and "[2]" mean.

Nothing here guesses at grammar: the subject of a question is its weightiest run of words between function
words ("loss spikes" in "what causes loss spikes when training large models?"). It takes the place of a
pronoun, and joins a question too short to have a subject of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import resources

from index.answers.defining import defined
from index.search.passages import WEAK, stem

MAX_ABOUT = 400
"""Characters of a subject that are kept."""
LONGEST = 5
"""The most words of a run."""
OWN = 4
"""From so many content words on, a question has a subject of its own."""
STOP = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split()) | frozenset(
    "also am any because but cause causes causing did does do else even every get gets give gives got happen "
    "happens help helps just know less make makes many mean means more most much need needs new no one other "
    "really same since so still tell than them then there thing things too us very way ways well why".split()
)
Rarity = Callable[[str], float]
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_PRONOUN = re.compile(r"\b(?:its?|they|them|theirs?|this|that|these|those)\b", re.IGNORECASE)
_ONE = ("it", "its", "this", "that")
_JOINS_CLAUSE = re.compile(
    r"\b(?:thinks?|shows?|shown|say|says|said|finds?|found|means?|know|so|given|such)\s+$", re.IGNORECASE
)
_JOINS_WITHIN = 20
"""Characters before "that" that are looked at; the words that join clauses are shorter."""
_CLAUSE = re.compile(
    r"\s+(?:the|an?|there|we|you|they|it|[\w-]+\s+(?:is|are|was|were|has|have|can|do(?:es)?))\b"
)
_EMPTY_IT = re.compile(r"\s+(?:possible|true|known|clear|worth|likely)\b")
PAPER = re.compile(
    r"\b(?:this|that|the|the same|said)\s+(?:first\s+)?(?:paper|study|article|work|preprint)\b(?!s)",
    re.IGNORECASE,
)
"""A paper spoken of before."""
_PAPERS = re.compile(
    r"\b(?:these|those|the|both|all)\s+(?:\w+\s+)?(?:papers|studies|articles|works)\b", re.IGNORECASE
)
_PLURAL = re.compile(r"[^\W\d_]{2}(?<!s)(?<!u)(?<!i)s$")
_SYSTEM = tuple(
    re.compile(pattern)
    for pattern in (
        r"^((?=\S*[A-Z])[^\s:]{2,30})(?::\s|\s[-–—]\s)",
        r"\b(?:[Ww]ith|[Bb]y|[Uu]sing|[Vv]ia)\s+((?=\S*[a-z])\S*[A-Z]\S*[A-Z]\S*)$",
        r"\(((?=\S*[A-Z]\S*[A-Z])\S{2,30})\)$",
    )
)
"""Where a title names its system: before a colon, at its end, in brackets."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERED = re.compile(
    r"\[(?P<bracket>[1-9]\d?)\]|(?:\b(?:paper|number|no\.?)|#)\s*(?P<number>[1-9]\d?)\b"
    rf"|\bthe\s+(?P<word>(?a:{'|'.join(ORDINALS)}|last)|[1-9]\d?(?:st|nd|rd|th))\s+(?:one|paper|study|article)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:and|but|or|then|so|what about|how about|what of|also|why|for|in|with)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A question that stands by itself.

    Attributes
    ----------
    text
        What to look for.
    about
        Its subject, for the next question.
    papers
        The papers that it points at, if any; it is answered from these alone.
    changed
        Whether anything was put in from before.
    """

    text: str
    about: str
    papers: tuple[int, ...] = ()
    changed: bool = False


def subject(question: str, rarity: Rarity) -> str:
    """The words that a question is about, its weightiest run first, joined by commas."""
    if (asked := defined(question)) is not None:  # "what does RAG stand for?" is about RAG
        return asked.name.replace(",", " ")[:MAX_ABOUT]
    weighed = sorted(_runs(question), key=lambda run: -_weight(run, rarity))
    return ", ".join(dict.fromkeys(" ".join(run) for run in weighed))[:MAX_ABOUT]


def follow_up(
    question: str, about: str, papers: Sequence[int], rarity: Rarity, *, system: str = ""
) -> FollowUp:
    """A follow-up question, with what it leaves unsaid.

    Parameters
    ----------
    about
        The subject so far, as :func:`subject` gives it.
    papers
        The papers quoted last, in the reply's order.
    rarity
        How telling a word is, 0 to 1.
    system
        The name of the system in the first paper's title, if it has one: what "it" means where the subject
        so far is many things ("large GPU clusters").
    """
    question = " ".join(question.split())
    meant, left = _papers_meant(question, papers)
    if meant:
        return FollowUp(left, about or subject(left, rarity), meant, changed=True)
    own, refers = content_words(left), _refers(left)
    goes_on = len(own) < OWN or bool(_GOES_ON.match(left) and len(own) < 2 * OWN)
    if not about or not (refers or goes_on):
        return FollowUp(left, subject(left, rarity) or about)
    runs = about.split(", ")
    if system and refers and _is_one(left) and is_many(runs[0]):
        return FollowUp(put_in(left, system), f"{system}, {about}"[:MAX_ABOUT], changed=True)
    text = put_in(left, runs[0]) if refers else left
    has = {stem(word.casefold()) for word in content_words(text)}
    missing = [run for run in runs if not {stem(word.casefold()) for word in _WORD.findall(run)} <= has]
    if refers and is_name(runs[0]) and runs[0] in text:  # which says enough
        missing = []
    text = f"{text.rstrip(' ?.!')} ({', '.join(missing)})?" if missing else text
    return FollowUp(text, _joined(about, own), changed=text != question)


def _papers_meant(question: str, papers: Sequence[int]) -> tuple[tuple[int, ...], str]:
    """The papers that a question points at, and the question without their numbers."""
    if pointed := numbered(question, papers):
        return pointed, without_numbers(question)
    if papers and _PAPERS.search(question):
        return tuple(dict.fromkeys(papers)), question
    if papers and PAPER.search(question):
        return (papers[0],), question
    return (), question


def numbered(question: str, papers: Sequence[int], first: int = 1) -> tuple[int, ...]:
    """The papers whose numbers in the reply a question says; ``first`` is the number of the first one."""
    said = (match["word"] or match["bracket"] or match["number"] for match in _NUMBERED.finditer(question))
    places = (number_said(number, len(papers), first) for number in said)
    return tuple(dict.fromkeys(papers[place] for place in places if place is not None))


def number_said(number: str, count: int, first: int = 1) -> int | None:
    """The place, from 0, that a number, an ordinal or "last" means among ``count`` things; None for none.

    ``first`` is the number of the first of them. An ordinal that isn't the number of any counts them from 1:
    on a page with the numbers 6 to 10, "the second one" is number 7.
    """
    word = number.lower()
    if word == "last":
        return count - 1 if count else None
    is_ordinal = not word.isdigit()
    value = ORDINALS.index(word) + 1 if word in ORDINALS else int(re.sub(r"\D", "", word))
    if first <= value < first + count:
        return value - first
    return value - 1 if is_ordinal and 0 < value <= count else None


def without_numbers(question: str) -> str:
    """A question with "the paper" in the place of the numbers of papers."""
    return _NUMBERED.sub("the paper", question)


def points_at(question: str, papers: Sequence[int], first: int = 1) -> bool:
    """Whether a question names some of the papers by their numbers: "[2]", "the third paper"."""
    return bool(numbered(question, papers, first))


def points_back(question: str) -> re.Match[str] | None:
    """The first pronoun of a question that points back; None for none."""
    return next(iter(_pointing(question)), None)


def _pointing(question: str) -> list[re.Match[str]]:
    return [match for match in _PRONOUN.finditer(question) if _points_back(question, match)]


def _refers(question: str) -> bool:
    """Whether a pronoun points back."""
    return bool(_pointing(question))


def _points_back(text: str, match: re.Match[str]) -> bool:
    """Whether this pronoun does; "is it possible" and "show that …" don't."""
    start, end = match.span()
    if match[0].lower() == "that":
        # From a little before it, since a question may have a thousand of them.
        joins = _JOINS_CLAUSE.search(text, max(0, start - _JOINS_WITHIN), start)
        return joins is None and _CLAUSE.match(text, end) is None
    return not (match[0].lower() == "it" and _EMPTY_IT.match(text, end))


def system_in(title: str) -> str:
    """The name that a title gives a system: "PrismLLM: …", "… with PrismLLM"; "" for none."""
    return next((match[1] for pattern in _SYSTEM if (match := pattern.search(title))), "")


def _is_one(question: str) -> bool:
    """Whether the first pronoun that points back means one thing."""
    match = _pointing(question)[0]
    noun = _WORD.match(question[match.end() :].lstrip())
    return match[0].lower() in ("it", "its") or (
        match[0].lower() in ("this", "that") and (noun is None or noun[0].lower() in STOP)
    )


def is_many(run: str) -> bool:
    """Whether a run of words is in the plural: "large GPU clusters", not "loss"."""
    return _PLURAL.search(run) is not None


def is_name(run: str) -> bool:
    """Whether a run is a single word that is written like a system's name: "PrismLLM", "Llama"."""
    return " " not in run and any(sign.isupper() or sign.isdigit() for sign in run)


def put_in(question: str, main: str) -> str:
    """The subject in the place of the first pronoun that points back, unless that has a noun of its own.

    Of "they" and "it" ("how do they train it?"), a subject in the singular takes the place of "it".
    """
    pointing = _pointing(question)
    match = next((one for one in pointing if (one[0].lower() in _ONE) is not is_many(main)), pointing[0])
    word, after = match[0].lower(), question[match.end() :]
    main = f"{main}'s" if word == "its" and not is_many(main) else main
    noun = _WORD.match(after.lstrip())
    if word in ("this", "that", "these", "those") and noun and noun[0].lower() not in STOP:
        return question
    return f"{question[: match.start()]}{main}{after}"


def _runs(text: str) -> list[list[str]]:
    """The runs of content words of a text."""
    runs: list[list[str]] = [[]]
    last = 0
    for match in _WORD.finditer(text):
        if re.search(r"[,;:?!.()\[\]]", text[last : match.start()]) or match[0].lower() in STOP:
            runs.append([])
        last = match.end()
        if match[0].lower() not in STOP and len(runs[-1]) < LONGEST:
            runs[-1].append(match[0])
    return [run for run in runs if any(word.lower() not in WEAK for word in run)]


def _weight(run: Sequence[str], rarity: Rarity) -> float:
    return sum(rarity(word.casefold()) for word in run if word.lower() not in WEAK)


def content_words(text: str) -> list[str]:
    """The words of a text that can be a subject, or part of one."""
    return [word for run in _runs(text) for word in run]


def _joined(about: str, own: Sequence[str]) -> str:
    """The subject so far, with what a follow-up adds to it."""
    has = {stem(word.casefold()) for word in _WORD.findall(about)}
    added = " ".join([word for word in own if stem(word.casefold()) not in has][:LONGEST])
    return ", ".join(filter(None, (about, added)))[:MAX_ABOUT]
