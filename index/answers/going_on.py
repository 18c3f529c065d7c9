"""Whether something said in a direct message plainly goes on from what was asked there before, and how.

Nobody asked Labmate to keep a subject there, so that only these are read with the question or search before:

* a pronoun with nothing before it that it could mean ("how do they train it?"), or a bare "why?";
* "and …", "what about …" and the like;
* limits alone: "only since 2024", "and by Percy Liang?", "newest first", "but not about vision";
* after a paper's card, a pronoun that means the paper, "similar papers", or "their other papers";
* after a person's card or papers, a pronoun that means the person: "who does she work with?";
* the number of a paper or person that was listed: "the second one"; of two, "the other one";
* a comparison with the paper before: "compare it to TrainMover".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from index.answers.asked_before import NO_LIST, Among, Before
from index.answers.author_at import of_author_at, with_author_named
from index.answers.compared_before import compared_before, one_paper
from index.answers.defining import defined
from index.answers.followups import (
    OWN,
    PAPER,
    STOP,
    content_words,
    follow_up,
    is_many,
    is_name,
    numbered,
    points_at,
    points_back,
    put_in,
    without_numbers,
)
from index.answers.limits_alone import limited_before
from index.answers.of_person import (
    WHO_ARE,
    asks_for_theirs,
    asks_of_somebody,
    by_its_authors,
    of_person,
    points_at_somebody,
)
from index.answers.one_of_several import asks_for_next, asks_for_one, asks_for_other, is_named_so, one_meant
from index.answers.unclear import UnclearError
from index.search.routing import LONGEST, Route, paper_texts, routed
from index.search.search import Search
from index.search.spoken_forms import SUMMARY

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_LEAD = re.compile(
    r"(?:(?:ok|okay|and|but|or|also|only|just|now|what about|how about|what of)\b[\s,]*)+", re.IGNORECASE
)
_ASKS = re.compile(r"(?:what|which|how|why|when|where|who|whose)\b", re.IGNORECASE)
_BARE = re.compile(
    r"(?:why|how|how so|why not|how come|since when|when|where|which ones?|for example|such as what"
    r"|(?:on |with |for |in )?(?:which|what) (?:datasets?|data|models?|benchmarks?|tasks?|metrics?"
    r"|methods?|baselines?|languages?|hardware|gpus?|domains?))\W*",
    re.IGNORECASE,
)
_AUXILIARY = "is|are|was|were|do|does|did|can|could|will|would|shall|should|may|might|must|has|have|had"
_FRONTED = re.compile(
    rf"(?:(?:and|but|so)\s+)?(?:what|which|how|why|when|where)\s+(?:(?!(?:{_AUXILIARY}|and|or|but|if|that)\b)[\w'-]+\s+){{0,4}}"
    rf"(?:{_AUXILIARY})(?:n't|\s+not)?\s+$",
    re.IGNORECASE,
)
"""Before a pronoun: "what datasets do …". What is asked for comes first, and isn't what it means."""
_EMPTY = re.compile(
    r"(?!\s+(?:compares?|relates?|applie?s|apply|leads?|generali[sz]es?|transfers?|scales?|similar|related)\b)"
    r"(?:\s+[\w'-]+){0,3}?\s+(?:that|whether|if|when|to\s+(?!the\b|an?\b|(?-i:[A-Z])))\b",
    re.IGNORECASE,
)
"""After an "it" that means nothing: "does it help to …", "is it better to …"."""
_TIME = re.compile(
    r"\s*(?:past\s+|last\s+)?(?:day|week|month|year|summer|winter|spring|fall|autumn|morning|time)s?\b",
    re.IGNORECASE,
)
_MEANS_SOMETHING = re.compile(
    r"(?:^|\b(?:of|about|for|with|like|in|on|than|to|from|by|why|how|is|are|was|does|do|did|can|explain|summari[sz]e))\s*$",
    re.IGNORECASE,
)
"""Before a "that" that stands for something; others join clauses ("papers that …")."""
_AT_END = re.compile(
    r"(?:(?:is|are|was|were|do|does|what|which|can|how|any)\s+)?(?:[\w'-]+\s+){1,4}"
    r"(?:for|of|about|on|with|behind|like|to|from|in)\s+",
    re.IGNORECASE,
)
"""Before a pronoun at the end: "is there code for …"."""
_THEY = ("they", "them", "their", "theirs")
_NAME = re.compile(r"(?<=\s)[^\W_]*[A-Z0-9][\w-]*")
"""A word, but for the first, that looks like a name."""
_NO_SUBJECT = STOP | frozenset(
    "anything something similar different recent newer older article articles study studies cite cites cited "
    "summarize summarise expand elaborate citing wrote written invented introduced proposed explain "
    "describe compare whether compared please "
    "good better best large larger big bigger fast faster accurate exact expensive cheap reliable "
    "safe old".split()
)
"""Words before a pronoun that it can't mean."""
_NARROWS = re.compile(r"(?:for|on|in|with|using|from|at|about)\s+\S", re.IGNORECASE)
_ALIKE = re.compile(
    r"(?:(?:and|any|find|show(?: me)?|the|what about|other|more)\s+)*"
    r"(?:(?:similar|related)(?: (?:ones?|papers?|works?))?"
    r"|(?:papers? |ones? )?(?:like|(?:(?:similar|related)(?: (?:ones?|papers?|works?))? to)) (?:it|this|that)"
    r"(?: one| paper)?)",
    re.IGNORECASE,
)
"""After a paper's card."""
_ALIKE_TO = re.compile(
    r"(?:(?:and|any|find|show(?: me)?|other|more|papers?|ones?)\s+)*"
    r"(?:like|(?:similar|related)(?: (?:papers?|ones?|works?))? to)\s+(.+?)[ ?!.]*",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"the \w+\s+(?:on|about|by|called|titled|named|that|which|with|from|where|in which|[\"“:])", re.IGNORECASE
)
"""A paper that is described: "the paper on …"."""
_DESCRIBED = re.compile(
    r"\bthe \w+ (?:one|paper|study|article) (?:on|about|by|called|titled|named|that|which|with|from|where|in"
    r"|to|for)\b",
    re.IGNORECASE,
)
_THEY_SAY = re.compile(r"they (?:say|claim)\b", re.IGNORECASE)
_IS = re.compile(r"\b(what|who|where|how|when)['’]?s\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GoingOn:
    """How something said goes on.

    Attributes
    ----------
    route
        The command that answers.
    refers
        Whether it is a question that keeps the subject; else all that is meant stands in the route.
    among
        The list from which a paper or person was taken; empty for none.
    person
        The person of whom it speaks, as in :class:`Before`; empty for none.
    """

    route: Route
    refers: bool = False
    among: Among = NO_LIST
    person: str = ""


async def going_on(search: Search, said: str, before: Before) -> GoingOn | None:
    """How something goes on from what was asked before; None for what stands by itself.

    Raises
    ------
    UnclearError
        Where it plainly goes on, but not clearly from what.
    """
    said = " ".join(said[:LONGEST].split())
    led = _LEAD.match(said)
    rest = said[led.end() if led else 0 :].strip(" ?!.")
    if not rest or said.startswith("/") or ": " in rest:  # "only one question: …" says all of it
        return None
    if (taken := await _one_of_them(search, said, before)) is not None:
        return taken
    if compared := await compared_before(search, said, before):
        return GoingOn(compared)
    if numbered_one := await _asked_of_one(search, said, before):
        return numbered_one
    if before.person and (about := await of_person(search, said, before)):
        return GoingOn(about, person=before.person)
    if asks_for_theirs(said):
        return GoingOn(await by_its_authors(search, said, await one_paper(search, before)))
    if before.among.people and await points_at_somebody(search, said):
        raise UnclearError("paper")
    if before.command == "paper":
        return await _of_card(search, said, before)
    if not before.person and asks_of_somebody(said):
        raise UnclearError("whom")
    if (of_author := await of_author_at(search, said, before)) is not None:
        return GoingOn(of_author)
    if asks_for_alike(said) and len(before.asked.papers) == 1:
        name = await search.name_of(before.asked.papers[0])
        return GoingOn(Route("similar", {"paper": name})) if name else None
    if before.command != "list":
        limited = await limited_before(search, rest, before, led=led is not None)
        if limited is not None:
            return GoingOn(limited)
    if before.command == "author":
        return None
    return await _asked_on(search, said, rest, before, led=led is not None)


async def _asked_of_one(search: Search, said: str, before: Before) -> GoingOn | None:
    """A question to one paper of the list before: "what does the second one measure?"; None for others."""
    papers = numbered(said, before.among.papers, before.among.first)
    if len(papers) != 1 or _DESCRIBED.search(said):
        return None
    name = await search.name_of(papers[0])
    if not name or (await routed(search, said, follows=True)).command != "ask":
        return None
    question = without_numbers(said)
    return GoingOn(Route("ask", {"question": question, "paper": name}), among=before.among)


async def _asked_on(search: Search, said: str, rest: str, before: Before, *, led: bool) -> GoingOn | None:
    """A question that keeps the subject, or a search that adds to it; None for what stands by itself."""
    listed = before.command in ("papers", "list")
    alone, refers = await routed(search, said, follows=not listed), _refers(said, before)
    if alone.command != "ask" or not (
        refers or (led and not before.among.people and await _continues(search, rest))
    ):
        return None
    if before.command == "list" and not refers:
        return None
    if led and before.command == "search" and not _ASKS.match(rest) and not refers:
        words = rest if _NARROWS.match(rest) else f"and {rest}"
        return GoingOn(Route("search", {"query": f"{before.said} {words}"}))
    name = before.asked.about.split(", ")[0]
    if refers and is_name(name) and points_back(said):
        made = await routed(search, put_in(said, name))  # "papers by its authors"
        if made.command != "ask":
            return GoingOn(made)
    meant = follow_up(said, before.asked.about, before.asked.papers, search.rarity)
    return GoingOn(Route("ask", {"question": said}), refers=True) if meant.changed else None


async def _one_of_them(search: Search, said: str, before: Before) -> GoingOn | None:
    """The card, neighbours or summary of one that was listed; None where a text asks for none of them.

    Raises
    ------
    UnclearError
        Where it asks for one that the list hasn't.
    """
    command = "paper"
    for of, pattern in (("summary", SUMMARY), ("similar", _ALIKE_TO)):
        if (match := pattern.fullmatch(said)) and (asks_for_one(match[1]) or asks_for_other(match[1])):
            command, said = of, match[1]
    shown = paper_texts(said)[0]
    if shown != said and asks_for_one(f"the {shown.removeprefix('the ')}"):  # "cite the second one"
        said = f"the {shown.removeprefix('the ')}"
    if await is_named_so(search, said):
        return None
    one = one_meant(said, before)
    if one is None:
        if asks_for_next(said):
            raise UnclearError("next")
        if asks_for_other(said) or asks_for_one(said):
            raise UnclearError("other" if asks_for_other(said) else "paper")
        return None
    if one.people:
        who = f"~{one.people[0]}"
        if before.command == "papers":  # somebody's, of whom several have the name
            return GoingOn(Route("papers", {"author": who}))
        command = "similar-people" if command == "similar" else "author"
        return GoingOn(Route(command, {"name": who}), among=before.choices)
    name = await search.name_of(one.papers[0])
    return GoingOn(Route(command, {"paper": name}), among=before.choices) if name else None


def asks_for_alike(said: str) -> bool:
    """Whether a text only asks for similar papers: "more like this"."""
    return _ALIKE.fullmatch(said.strip(" ?!.")) is not None


async def _of_card(search: Search, said: str, before: Before) -> GoingOn | None:
    """What is said about a paper whose card was shown; None for anything else."""
    if asks_for_alike(said):
        return GoingOn(Route("similar", {"paper": before.said}))
    if WHO_ARE.fullmatch(said.strip(" ?!.")):
        return GoingOn(Route("paper", {"paper": before.said}), among=before.among)
    if named := await with_author_named(search, said, await one_paper(search, before)):
        return GoingOn(await routed(search, named))
    if await points_at_somebody(search, said):
        raise UnclearError("author", before.said)
    this = PAPER.search(said)
    if this and (_ANOTHER.match(said, this.start()) or _DESCRIBED.match(said, this.start())):
        return None
    if this is None and not refers_back(said):
        return None
    whole = f"{said[: this.start()]}{before.said}{said[this.end() :]}" if this else put_in(said, before.said)
    made = await routed(search, whole)
    if made.command == "ask":
        return GoingOn(Route("ask", {"question": said}), refers=True, among=before.among)
    return GoingOn(made, among=before.among if made.command == "paper" else NO_LIST)


def _refers(said: str, before: Before) -> bool:
    """Whether a question means something that it doesn't name."""
    if (_BARE.fullmatch(said) and before.command != "list") or (
        points_at(said, before.asked.papers) and not _DESCRIBED.search(said)
    ):
        return True
    if before.command in ("papers", "list"):  # "it" and "they" don't mean what is listed
        return False
    if not refers_back(said):
        return False
    match = points_back(said)
    they = match is not None and match[0].lower() in _THEY
    # "How do they train DeepSeek-V3?" may mean anybody, and says of what it speaks.
    elsewhere = they and not re.search(r"\bit\b", said) and _NAME.search(said)
    return not (elsewhere and not is_many(before.asked.about.split(", ")[0]))


def refers_back(said: str) -> bool:
    """Whether the first pronoun of a text has nothing before it that it could mean."""
    said = _IS.sub(r"\1 is", said)
    match = points_back(said)
    if match is None:
        return False
    word, start, after = match[0].lower(), said[: match.start()], said[match.end() :]
    if (word == "it" and _EMPTY.match(after)) or (word in ("this", "these", "that") and _TIME.match(after)):
        return False
    if word == "that" and not _MEANS_SOMETHING.search(start):
        return False
    if not start and ("?" not in said or _THEY_SAY.match(said)):  # "this is great"
        return False
    if _AT_END.fullmatch(start) and not after.strip(" ?!.") and not _NAME.search(start):
        return True
    named = [one for one in _WORD.findall(start) if one.lower() not in _NO_SUBJECT]
    return not named or _FRONTED.fullmatch(start) is not None


async def _continues(search: Search, rest: str) -> bool:
    """Whether what follows "and" leaves its subject open; "and what is grokking?" doesn't."""
    own = content_words(rest)
    if (
        not any(word.lower() not in STOP for word in _WORD.findall(rest))
        or len(own) >= OWN
        or defined(f"{rest}?") is not None
    ):
        return False
    if not _ASKS.match(rest):
        return True
    return not _NAME.search(rest) and (await routed(search, f"{rest}?")).command in ("ask", "search")
