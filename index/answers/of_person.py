"""What is said about a person whose card or papers were shown: "her papers", "who does he work with?"."""

from __future__ import annotations

import re

from index.answers.asked_before import Before
from index.answers.followups import STOP, subject
from index.answers.unclear import UnclearError
from index.search.routing import Route, routed
from index.search.search import Search

_ONE = "he|she|him|her|hers|his"
_PERSON = re.compile(
    rf"\b(?:(?P<one>{_ONE})|(?P<many>they|them|theirs?)"
    r"|(?P<noun>(?:this|that|the same) (?:person|author|researcher|guy|woman|man|professor|prof)))\b(?!-)"
    r"(?:['’]s\b)?",
    re.IGNORECASE,
)
_KNOWN_BY_NOBODY = re.compile(
    r"(?:(?:so|and|but)\s+)*(?:who(?:['’]?s| is| are| was| were) (?:his|her|their)\b"
    r"|(?:what about )?(?:his|her|their) (?:(?:phd|former|grad(?:uate)?|doctoral) )*(?:students?|post-?docs?"
    r"|advis[eo]rs?|supervisors?|mentors?|boss|wife|husband)$)",
    re.IGNORECASE,
)
"""Students, advisors: papers don't say who they are."""
WHO_ARE = re.compile(
    r"(?:(?:so|and|but)\s+)*who (?:are|is|were) (?:they|these people|those people|the authors?|he|she)",
    re.IGNORECASE,
)
"""After a paper's card, which names its authors."""
_HE = re.compile(r"he\s+(?:init|et al)", re.IGNORECASE)
_POSSESSIVE = ("his", "hers", "their", "theirs")
_AFTER_HER = re.compile(
    r"\s*(?:$|[?.!,]|(?:on|about|in|with|from|since|for|and|or|at|to|of|last|this|before|after|by|work"
    r"|publish|write)\b)",
    re.IGNORECASE,
)
"""After a "her" that owns nothing: "papers by her on pruning"."""
_OPEN = STOP | frozenset(
    "paper papers publication publications work works working article articles study studies recent new "
    "newer newest latest older oldest other others further similar like compare compared anything something "
    "else many much cited good best please show list find give tell open people researchers somebody someone "
    "collaborators collaborator coauthors coauthor co-authors topics topic published publish wrote write "
    "written".split()
)
"""Words before a "they" that it can't mean."""
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_BARE = re.compile(
    r"(?:(?:and|the|any|all|show(?: me)?|list|find)\s+)*"
    r"(?:(?:other|all|more|most cited) (?:papers?|publications?|works?)|publications"
    r"|(?:more recent|recent|newer|newest|latest) (?:ones?|papers?|publications?|works?)"
    r"|co-?authors?|collaborators?|with who(?:m| else)?|who with|similar (?:people|researchers|authors))",
    re.IGNORECASE,
)
"""What is a person's without saying so."""
_SIMILAR = re.compile(r".*\bsimilar (?:people|researchers|authors)", re.IGNORECASE)
_ON = re.compile(r"\b(?:about|on|regarding|concerning)\s+(.+)", re.IGNORECASE)
_BY_THEM = re.compile(rf"\s+(?:by|from|of) (?:{_ONE}|them)\b", re.IGNORECASE)
_WHO_WITH = re.compile(
    r"\b(?:co-?authors?|collaborat\w+|(?:work|works|working|worked|writes?|wrote|publish\w*)\s+with)\b",
    re.IGNORECASE,
)
_WORKS_ON = re.compile(
    r"(?:so |and |but |ok(?:ay)?,? )*(?:w(?:h?at|aht|hta|ht)(?:['’]?s| is| are| does| do| did| has| have)?"
    r"|which|when)\b.*"
    r"\b(?:works?|working|worked|do|does|doing|done|up to|research(?:es|ing)?|stud(?:y|ies|ying)"
    r"|writ(?:e|es|ing|ten)|publish(?:es|ed|ing)?|known for|famous for|into)(?:\s+(?:on|about))?"
    r"(?:\s+(?:now|these days|lately|recently|currently|mostly|mainly|exactly|usually|at the moment"
    r"|right now))*",
    re.IGNORECASE,
)
_CARD = re.compile(
    r"(?:(?:so|and|but)\s+)*(?:who(?:['’]?s| is| are) (?:he|she|they|this|that)\b.{0,20}"
    r"|where(?:['’]?s| is| does| do| are| did) (?:he|she|they)\b.{0,30}"
    r"|(?:(?:what|which)(?:['’]?s| is| are) )?(?:his|her|their) (?:affiliation|university|h-?index|citations"
    r"|topics?|fields?|interests|research|orcid|group|lab|institution|employer|homepage))",
    re.IGNORECASE,
)
"""What the card says, as far as anything here does."""
_TOGETHER = re.compile(r"\b(?:papers?|publications?|works?) with\b", re.IGNORECASE)
_FIRST_PAPER = re.compile(
    r"(?:(?:and|show(?: me)?|w(?:h?at|aht)(?:['’]?s| is| was| were)?)\s+)*(?:his|her|their)"
    r" (?:(?:very )?first|earliest|oldest) (?:papers?|publications?|works?|ones?)",
    re.IGNORECASE,
)
_FOLLOW = re.compile(r"(?:(?:please|can (?:you|i)|i want to)\s+)*follow (?:him|her|them)", re.IGNORECASE)
_MORE_ON = re.compile(
    r"(?:tell me|show me|more|details|info)\b.* (?:about|on|of) (?:him|her|them)", re.IGNORECASE
)
PAPERS = r"(?:papers?|publications?|works?|articles?|stuff|research|ones?)"
MORE = r"(?:other|more|(?:most )?recent|newer|newest|latest|last|new|further|earlier|older|all(?: the)?)"
_AUTHORS = (
    r"(?:the |th(?:is|at|ese|ose) |its |this paper['’]s )?(?:same )?(?:authors?|people|group|team|lab|guys)"
)
_THEM = rf"(?:them|him|her|{_AUTHORS})"
_THEIR_PAPERS = re.compile(
    r"(?:(?:and|so|ok|any|show(?: me)?|find(?: me)?|list|give me|w(?:h?at|aht)(?:['’]?s| is| are)?|what about"
    r"|are there)\s+)*"
    rf"(?:(?:their|his|her|{_AUTHORS}['’]?s?['’]?) (?:{MORE} )*{PAPERS}"
    rf"|(?:{MORE} )*{PAPERS} (?:by|from|of) {_THEM}"
    rf"|(?:{MORE}|anything else|something else|what else) (?:is (?:there )?)?(?:by|from) {_THEM}"
    rf"|what (?:else|other {PAPERS}) (?:did|have|has|do|does) (?:they|he|she|{_AUTHORS})"
    r" (?:wr(?:ite|itten|ote)|publish(?:ed)?|done?|work(?:ed)? on))",
    re.IGNORECASE,
)
"""After a paper's card."""
ABOUT = r"(?: (?:on|about|with|in|since|from) .{1,100})"
_LIKE_THEM = (
    r"(?:more|others?|(?:more |other )?(?:people|researchers|authors|some(?:body|one)))"
    r" (?:like|similar to) (?:him|her|them)"
)
_OF_SOMEBODY = re.compile(
    r"(?:(?:and|so|ok|any|show(?: me)?|find(?: me)?|list|give me|are there)\s+)*"
    rf"(?:(?:his|her|their) (?:{MORE} )*{PAPERS}{ABOUT}"
    rf"|(?:{MORE} )*(?:{PAPERS}|anything|something){ABOUT}? (?:by|from|of) (?:him|her){ABOUT}?"
    rf"|{_LIKE_THEM}"
    r"|(?:what|how) about (?:him|her)"
    r"|(?:compare|contrast) (?:him|her) (?:to|with|and|against|vs\.?) .{1,100})",
    re.IGNORECASE,
)
"""What is asked of somebody who must have been shown before."""
_ALONE = re.compile(r"\b(?:his|her|him|he|she)\b", re.IGNORECASE)


async def of_person(search: Search, said: str, before: Before) -> Route | None:
    """The command for what is said about the person before; None for what stands by itself.

    Raises
    ------
    UnclearError
        Where it is about the person, and nothing here answers it.
    """
    bare = said.strip(" ?!.")
    if _BARE.fullmatch(bare):
        if _SIMILAR.fullmatch(bare):
            return Route("similar-people", {"name": before.person})
        with_whom = _WHO_WITH.search(bare) is not None or "with" in bare.lower()
        return Route("author", {"name": before.person}) if with_whom else _papers_of(before)
    match = _pronoun(said)
    if match is None or await _means_another(search, said, match):
        return None
    name = _name(before)
    made = _put_in(said, name)
    one = match["many"] is None
    own = {name, *await _people(search, name)}  # "minlan yu" is Minlan Yu
    others = [other for other in await _people(search, made) if other not in own]
    if _WHO_WITH.search(made) and not others:
        return Route("author", {"name": before.person})
    if len(others) == 1 and _TOGETHER.search(bare):
        return Route("compare", {"first": before.person, "second": others[0]})
    if not one and before.command != "author" and match[0].lower() not in ("their", "theirs"):
        return None
    if _CARD.fullmatch(bare):
        return Route("author", {"name": before.person})
    if re.fullmatch(_LIKE_THEM, bare, re.IGNORECASE):
        return Route("similar-people", {"name": before.person})
    if _FOLLOW.fullmatch(bare):
        raise UnclearError("follow", name)
    if _KNOWN_BY_NOBODY.match(bare):
        raise UnclearError("person", name)
    if _FIRST_PAPER.fullmatch(bare):
        return Route("papers", {"author": before.person, "sort": "oldest"})
    if _WORKS_ON.fullmatch(bare) or asks_for_theirs(bare):
        return _papers_of(before)
    if _MORE_ON.fullmatch(bare):
        return Route("author", {"name": before.person})
    route = await routed(search, made)
    if route.command in ("papers", "author", "compare", "similar-people", "search"):
        return _named(route, before)
    if (
        route.command == "ask"
        and (on := _ON.search(_BY_THEM.sub("", bare)))
        and (about := subject(on[1], search.rarity))
    ):
        return Route("search", {"query": f"papers by {name} on {about.replace(',', '')}"})
    if one:
        raise UnclearError("person", name)
    return None


def _papers_of(before: Before) -> Route:
    return Route("papers", {"author": before.person})


def _name(before: Before) -> str:
    """The person's name, without the number that tells people of one name apart."""
    return before.person.partition(" ~")[0]


def _named(route: Route, before: Before) -> Route:
    """A route to the very person, where others have the name."""
    name = _name(before)
    options = {
        option: before.person if option in ("author", "name", "first", "second") and text == name else text
        for option, text in route.options.items()
    }
    return Route(route.command, options)


async def _means_another(search: Search, said: str, match: re.Match[str]) -> bool:
    """Whether somebody or something that is named before the pronoun may be what it means."""
    start = said[: match.start()]
    if match["many"]:
        return any(word.lower() not in _OPEN for word in _WORD.findall(start))
    return bool(start.strip()) and bool(await _people(search, start))


async def _people(search: Search, text: str) -> tuple[str, ...]:
    return tuple((await search.understand(text)).people)


def _pronoun(said: str) -> re.Match[str] | None:
    """The first word of a text that means a person; None for none."""
    return next((match for match in _PERSON.finditer(said) if _is_pronoun(said, match)), None)


def _is_pronoun(said: str, match: re.Match[str]) -> bool:
    """Whether it is one: "HER" and "He initialization" are methods."""
    if match["noun"]:
        return True
    first = not said[: match.start()].strip()
    return (match[0].islower() or (first and match[0].istitle())) and _HE.match(said, match.start()) is None


async def points_at_somebody(search: Search, said: str) -> bool:
    """Whether a text means one person by a pronoun: "compare her to Minlan Yu"."""
    match = _pronoun(said)
    if match is None or match["many"]:
        return False
    return not await _means_another(search, said, match)


def _put_in(said: str, name: str) -> str:
    """The name in the place of each word that means the person."""

    def instead(match: re.Match[str]) -> str:
        word = match[0].lower().replace("’", "'")
        if word in ("he's", "she's"):
            return f"{name} is"
        owns = word in _POSSESSIVE or word.endswith("'s")
        owns = owns or (word == "her" and _AFTER_HER.match(said, match.end()) is None)
        return f"{name}'s" if owns else name

    return _PERSON.sub(lambda match: instead(match) if _is_pronoun(said, match) else match[0], said)


def asks_for_theirs(said: str) -> bool:
    """Whether a text only asks for papers by authors whom it doesn't name: "their other papers"."""
    return _THEIR_PAPERS.fullmatch(" ".join(said.split()).strip(" ?!.")) is not None


def asks_of_somebody(said: str) -> bool:
    """Whether a text only asks what somebody has done whom it doesn't name: "what does he work on?"."""
    bare = " ".join(said.split()).strip(" ?!.")
    match = _pronoun(bare)
    if match is not None and _OF_SOMEBODY.fullmatch(bare):
        return True
    if asks_for_theirs(said) or match is None or not match["one"]:
        return asks_for_theirs(said)
    works = _WORKS_ON.fullmatch(bare) or _WHO_WITH.search(bare)
    words = _WORD.findall(f"{bare[: match.start()]} {bare[match.end() :]}")
    return works is not None and all(word.lower() in _OPEN for word in words)


async def by_its_authors(search: Search, said: str, paper: str) -> Route:
    """Other papers by the authors of the one paper before, by its name.

    Raises
    ------
    UnclearError
        Where there is no such paper, or one author is meant, and the paper has several.
    """
    query = f"papers by the authors of {paper}"
    read = await search.understand(query)
    if not paper or not read.authors_of:
        raise UnclearError("whom")
    if _ALONE.search(said) and len(read.authors) > 1:
        raise UnclearError("author", paper)
    return Route("search", {"query": query})
