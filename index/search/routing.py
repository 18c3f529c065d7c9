"""Which command answers what somebody says to Labmate, and with which options."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from importlib import resources

from data.calendar.arxiv_ids import find_arxiv_id, find_doi
from data.keys import title_words
from index.search.search import Search
from index.search.understanding import Understood, is_description

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "papers": ("author", "sort", "since", "category"),
    "similar": ("paper",),
    "search": ("query", "since", "category", "author"),
    "ask": ("question", "paper", "since", "category"),
    "author": ("name",),
    "paper": ("paper",),
    "summary": ("paper",),
    "who-knows": ("topic",),
    "compare": ("first", "second"),
    "new": ("category", "day", "order"),
    "help": (),
}
"""The commands that can be asked for in words, with their options; a text without a name is the first's."""
LONGEST = 1_500
"""Characters of what is said that are read."""
_TITLE = 300
STOP = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_COMMAND = re.compile(r"/([a-z-]{2,20})\b\s*(.*)", re.DOTALL)
_HELP = re.compile(
    r"(?:(?:hi|hello|hey)\b.{0,20}|help(?: me)?|commands?|who are you"
    r"|what (?:can|do|could) (?:you|i) (?:do|know|ask|type)\b.{0,40}"
    r"|how (?:do|can|should|does) (?:i|we|you|this|labmate) (?:use|ask|work|talk)\b.{0,40})[?!. ]*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:(?:ok(?:ay)?|great|perfect|cool|nice|wow|many|oh)\b[,!. ]*)*(?:thanks?|thank you|thx|cheers)\b"
    r"(?:[\s,!.:;)]+(?:a|again|all|and|answer|bot|everything|for|great|help(?:s|ed|ful)?|is|it|labmate|lot|lots"
    r"|much|of|perfect|really|so|that|that's|that’s|the|this|useful|very|was|works?|you|your))*[\s!.:;)]*",
    re.IGNORECASE,
)
_SUMMARY = re.compile(
    r"(?:please |can you |could you )*(?:give me )?(?:a )?"
    r"(?:summari[sz]e|summary of|sum up|tl;?dr(?: of| for)?)(?: of)?:?\s+(?:the paper )?(.+?)[?!. ]*",
    re.IGNORECASE | re.DOTALL,
)
_EXPERT = r"(?:(?:an?|the|some|any|good|leading|top|best) )*(?:experts?|specialists?|reviewers?|referees?)"
_FOR_IT = r"(?: for (?:an?|the|my|this|our) (?:paper|manuscript|submission|proposal|project))?"
_SOMEBODY = r"(?:people|researchers|(?:some|any)(?:body|one))"
_WORKING = r"(?:works?|working|stud(?:y|ies|ying)|researches|researching)"
_SEEKS = (
    r"(?:(?:please |can you |could you )*(?:find|show|give|list|suggest|recommend|name)(?: me| us)?"
    r"|(?:(?:i|we)(?: am|['’]m| are|['’]re)? )?(?:look(?:ing)?|search(?:ing)?)(?: for)?"
    r"|(?:i|we) (?:need|want|seek)|do you know)"
)
_KNOWS_ABOUT = (
    r"knows?(?= (?:about|anything about|much about|a lot about) )"
    r"(?! (?:\w+ )?about (?:\w+ ){0,3}?(?:papers?|publications|articles|studies|literature)\b)"
)
_WHO_KNOWS = re.compile(
    r"(?:who (?:here )?(?:knows?|works|worked|is working|studies|researches"
    rf"|(?:is|are) {_EXPERT}{_FOR_IT})"
    r"|who (?:should|could|can) review (?:this|it|an?|the|my|our)"
    r"(?: (?:paper|manuscript|submission|proposal))?(?=:| (?:on|about) )"
    r"|(?:experts|specialists|reviewers|referees)(?= (?:on|in|for) )"
    r"|(?:people|researchers) (?:who (?:work on|study)|working on)(?= )"
    rf"|(?:(?:does|do|is|are|is there) )?(?:some|any)(?:body|one)(?: here| who| that| is)* "
    rf"(?:{_WORKING}(?= (?:on|in|with) )|{_KNOWS_ABOUT})"
    rf"|{_SEEKS} "
    rf"(?:{_EXPERT}{_FOR_IT}(?= (?:on|in|for|about|of) )"
    rf"|(?:some |a |any )?{_SOMEBODY} (?:(?:who|that) (?:is |are )?(?:{_WORKING}|knows?)|working(?= on ))"
    r"(?: much| a lot)?"
    r"|(?:a |some )?(?:collaborators?|people to (?:work|collaborate|talk) (?:with|to))(?: for (?:me|us))?"
    r"(?= (?:on|about|in) ))"
    r"|who(?:m)? (?:(?:should|can|could|do) (?:i|we)|(?:i|we) (?:should|can|could|may))"
    r" (?:talk|speak|write|turn|ask|contact|meet)(?: to| with)?"
    r"(?= (?:about|on|for|regarding) ))(?: anything| a lot| much| best)?"
    r"(?::| about| on| in| of| for| regarding)?\s+(.+?)[?!. ]*",
    re.IGNORECASE | re.DOTALL,
)
_TOGETHER = re.compile(
    r"(?:do|does|did|have|has|are|were|is)\b.*\b(?:with|together|each other|co-?authors?|collaborat\w+)\b",
    re.IGNORECASE,
)
_SHARED = re.compile(r"\b(?:share[ds]?|(?:have )?in common)\b", re.IGNORECASE)
_COAUTHORS = re.compile(
    r"\b(?:co-?authors?|collaborators?|(?:work(?:s|ed|ing)?|writ(?:es?|ing|ten)|wrote|publish(?:es|ed|ing)?"
    r"|collaborat(?:es?|ed|ing))\s+with|worked\s+together)\b",
    re.IGNORECASE,
)
_ARCHIVES = (
    "acl|astro-ph|cond-mat|cs|econ|eess|gr-qc|hep-(?:ex|lat|ph|th)|math|math-ph|nlin|nucl-(?:ex|th)|physics"
    "|q-bio|q-fin|quant-ph|stat"
)
"""The archives of arXiv, and the ACL Anthology's only category."""
_NEW = re.compile(
    r"(?:what(?:['’]?s| is) new|anything new|new papers|what was announced"
    r"|(?:(?:what (?:is|are)|show me|give me) )?(?:the )?(?:newest|latest|most recent) papers?)"
    rf"(?: (?:today|yesterday))?(?: (?:in|for) (?P<category>(?:{_ARCHIVES})(?:\.[a-z-]+)?))?[?!. ]*",
    re.IGNORECASE,
)
_NEWS = re.compile(r"(?:what(?:['’]?s| is)|anything) new (?:in|on|about|for|with) ", re.IGNORECASE)
_SHOW = re.compile(
    rf"^(?:(?:{_SEEKS} )?(?:(?:a|the) )?(?:bibtex|bib|ris|citation|reference)(?: entry)? (?:of|for)"
    r"(?: the paper)?"
    r"|(?:how (?:do|can|should) (?:i|we) )?cite(?: the paper)?"
    r"|(?:please |can you |could you )*(?:show|open|find|get|look up|give|follow)(?: me| us)?(?: the)?"
    r"(?: (?:paper|card)(?: of| called| named)?)?:?"
    r"|who (?:wrote|published|(?:is|are) the authors? of)(?: the paper)?)\s+",
    re.IGNORECASE,
)
_INITIALS = re.compile(
    r"(?:[^\W\d_a-z]\.[\s-]?)+(?:[^\W\d_]+ ){0,2}[^\W\d_a-z][^\W\d_]+(?:-[^\W\d_]+)*[?!. ]*"
)
"""A name of initials, such as ``D. Rückert``, that is all that somebody says."""
_WHO_IS = re.compile(
    r"(?i:who(?:'s|’s| is))\s+((?:[^\W\d_a-z][^\W\d_]*[.]?[\s-]+)+(?:(?:de|del|der|la|van|von) )*"
    r"[^\W\d_a-z][^\W\d_]+)[?!. ]*"
)
"""Somebody asked for by a name of two words or more that the library doesn't print so."""
_TOLD = re.compile(
    r"(?:[^.,;:!?]{0,60}[.,;:!]\s+)?(?:(?:please|pls|plz|so|and|but|just|hi|hello|hey)\W+)*"
    r"(?:(?:(?:can|could|would|will) (?:you|(?:some|any)(?:body|one)) )?(?:please |pls )?"
    r"(?:explain|tell|show)(?: to)?(?: me| us)(?: please)?"
    r"|(?:i|we)(?: just| only| really)?(?: want| need|['’]d like| would like| try| wish)(?: to)?"
    r" (?:know|learn|understand|find out))\s+"
    r"(?P<question>(?:what|why|how|when|where|whether|if|which|who)\s.+)",
    re.IGNORECASE | re.DOTALL,
)
"""A question within a sentence: "I am tired, I just want to know what RLHF is"."""
_PLEASE = re.compile(r"[\s,]+(?:please|pls|plz|thanks?(?: you)?)[\s.!]*$", re.IGNORECASE)
_WHO = re.compile(
    r"(?:who(?:'s|’s| is| are)|tell (?:me|us) (?:more )?about|(?:the )?(?:card|profile) of|about|author:?)\s",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"\b(?:compar(?:e|es|ing|ison)(?: of)?|versus|vs\b\.?|(?:the )?differences? between)", re.IGNORECASE
)
_WROTE = re.compile(
    r"\b(?:publish(?:ed|es|ing)?|publications?|papers?|articles?|wrote|written|writes?|work(?:s|ed|ing)?"
    r"|research|preprints?|released?|done|doing|up to)\b",
    re.IGNORECASE,
)
_APPEARED = re.compile(rf"{_WROTE.pattern}|\b(?:proposed|introduced|presented|announced)\b", re.IGNORECASE)
_HOW = re.compile(r"(?:please |so |and |but |ok(?:ay)?,? )*(?:how(?! (?:many|much)\b)|why)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:please |so |and |but |ok(?:ay)?,? )*"
    r"(?:what|which|who|whose|when|where|why|how|is|are|was|were|does|do|did|can|could|should|would|will|has|have|explain|compare)\b",
    re.IGNORECASE,
)
_PAPERS_WANTED = re.compile(
    r"(?:(?:hi|hello|hey|please|so|ok(?:ay)?)\W+)*"
    r"(?:what|which|are there|is there|any|do you (?:know|have)|have you (?:got|read)|how (?:many|much)"
    r"|where (?:can|could|do) (?:i|we) find"
    r"|(?:(?:does|do) (?:any|some)(?:body|one) (?:know|have)"
    r"|(?:can|could|would|will) (?:you|i|we|(?:some|any)(?:body|one))(?: please)? (?:find|get|give|have|list"
    r"|look|name|point|recommend|search|see|send|share|show|suggest|tell))"
    r"(?!(?: me| us)? (?:how|if|when|where|whether|why)\b))\b"
    r"(?:\W+\w+){0,4}?\W+(?:papers?|publications|articles|studies|literature|(?:related|recent|new) work)\b"
    r"(?!\W+(?:say|show|find|claim|report|use|argue|conclude|suggest)s?\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Route:
    """A command with its options."""

    command: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def typed(self) -> str:
        """As a member types it: ``/papers author:Minlan Yu since:2026-01-01``."""
        return " ".join([f"/{self.command}", *(f"{name}:{value}" for name, value in self.options.items())])


def paper_texts(said: str) -> tuple[str, str]:
    """The parts of what is said that may name a paper to show, and one to summarise; empty for none."""
    said = " ".join(said[:LONGEST].split())
    summary = _SUMMARY.fullmatch(said)
    return _SHOW.sub("", said, count=1).strip(" ?!."), summary[1] if summary else ""


def name_said(said: str) -> str:
    """The name that "M. Bronstein" or "who is Hal Daumé?" asks for; empty for none."""
    said = " ".join(said[:LONGEST].split())
    asked = _INITIALS.fullmatch(said) or _WHO_IS.fullmatch(said)
    return asked[asked.lastindex or 0].rstrip(" ?!.") if asked else ""


def route(
    said: str,
    read: Understood,
    *,
    named: Container[str] = (),
    authors: Container[str] = (),
    commands: Container[str] = OPTIONS,
    follows: bool = False,
) -> Route:
    """The command that answers what somebody says.

    Parameters
    ----------
    said
        Any text at all, without the mention.
    read
        What the query understanding made of the same text.
    named
        Those of :func:`paper_texts` that are a paper's identifier, title or system's name.
    authors
        What :func:`name_said` gives, if authors have similar names.
    commands
        The commands that there are; others are never chosen.
    follows
        Whether it goes on from a question asked before: then what could be a question is one.
    """
    said = " ".join(said[:LONGEST].split())
    if typed := _typed(said, commands):
        return typed
    if not _WORD.search(said) or _HELP.fullmatch(said):
        return Route("help")
    for found in (_about_a_paper(said, read, named, commands), _about_people(said, read, authors, commands)):
        if found is not None:
            return found
    if (new := _NEW.fullmatch(said)) and "new" in commands:
        category = new["category"]
        return Route("new", {"category": category} if category else {})
    if (told := _TOLD.fullmatch(said)) and not _PAPERS_WANTED.match(told["question"]):
        return _question(_PLEASE.sub("", told["question"]), read)
    # Only a search has a last day.
    years = read.until is not None and _APPEARED.search(said) is not None and not _HOW.match(said)
    listed = years or _NEWS.match(said) or _PAPERS_WANTED.match(said)
    if follows or (_is_question(said) and not listed):
        return _question(said, read)
    return Route("search", {"query": said})


def is_thanks(said: str) -> bool:
    """Whether somebody says thank you, and nothing else."""
    return _THANKS.fullmatch(said[:LONGEST].strip()) is not None


def topic_known(said: str) -> str:
    """The topic of "who knows about gossip?"; any other text as it is."""
    asked = _WHO_KNOWS.fullmatch(said[:LONGEST].strip())
    return asked[1] if asked else said


def speaks_of_papers(said: str) -> bool:
    """Whether a text speaks of papers or of writing them: "papers by …", "what did … publish"."""
    return _WROTE.search(said[:LONGEST]) is not None


def _typed(said: str, commands: Container[str]) -> Route | None:
    """A command typed out, as in Discord's own box."""
    match = _COMMAND.fullmatch(said)
    if match is None or match[1] not in OPTIONS or match[1] not in commands:
        return None
    known = OPTIONS[match[1]]
    if not known:
        return Route(match[1])
    parts = re.split(rf"(?:^|(?<=\s))({'|'.join(known)}):\s?", match[2])
    options = {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}
    loose = {known[0]: parts[0].strip()} if parts[0].strip() else {}
    made = {name: text for name, text in (loose | options).items() if text}
    return Route(match[1], made) if known[0] in made or match[1] == "new" else Route("help")


def _about_a_paper(
    said: str, read: Understood, named: Container[str], commands: Container[str]
) -> Route | None:
    """A summary of a paper, its card, its neighbours, or a question about it."""
    shown, summed = paper_texts(said)
    if summed and summed in named:
        return Route("summary" if "summary" in commands else "paper", {"paper": summed})
    if shown in named and not (read.people and not _subject(read.text)):
        return Route("paper", {"paper": shown})
    if is_description(said) and not _is_question(said):
        return Route("similar", {"paper": said})
    if read.like and not _subject(read.text) and not (read.since or read.until or read.people):
        return Route("search", {"query": said}) if read.follows else Route("similar", {"paper": read.like})
    if _is_question(said):
        found = (find_arxiv_id(word.strip(",;?!()")) for word in said.split())
        if identifier := next((arxiv[0] for arxiv in found if arxiv), None) or find_doi(said):
            return Route("ask", {"question": said, "paper": identifier})
    return None


def _about_people(
    said: str, read: Understood, authors: Container[str], commands: Container[str]
) -> Route | None:
    """Somebody's card or papers, their papers on a subject, or who knows a subject."""
    told = _TOLD.fullmatch(said)
    knows = _WHO_KNOWS.fullmatch(told["question"] if told else said)
    if knows and not read.people and "who-knows" in commands:
        return Route("who-knows", {"topic": knows[1]})
    compares = _COMPARED.search(said) is not None and not _subject(_COMPARED.sub(" ", read.text))
    in_time = read.since is not None or read.until is not None
    if compares and len(read.people) == 2 and not in_time and "compare" in commands:
        return Route("compare", dict(zip(OPTIONS["compare"], read.people, strict=True)))
    shared = _SHARED.search(said) is not None and _COAUTHORS.search(said) is not None
    together = (shared or _TOGETHER.match(said) is not None) and not _subject(
        _SHARED.sub(" ", _COAUTHORS.sub(" ", read.text))
    )
    if together and len(read.people) == 2 and not in_time and "compare" in commands:
        return Route("compare", dict(zip(OPTIONS["compare"], read.people, strict=True)))
    name = _one_name(read)
    unknown = name_said(said)
    if not read.people and unknown in authors and "author" in commands:
        return Route("author", {"name": unknown})
    if name is None or read.like:
        return None
    if _COAUTHORS.search(said) and not _subject(_COAUTHORS.sub(" ", read.text)) and not in_time:
        return Route("author", {"name": name})
    rest = _subject(read.text)
    if rest:
        about_work = _WROTE.search(said) or not _is_question(said)
        return Route("search", {"query": said}) if about_work else None
    if read.until:  # only a search has a last day
        return Route("search", {"query": said})
    if read.since or (_WROTE.search(said) and not _WHO.match(said)):
        since = {"since": read.since.isoformat()} if read.since else {}
        return Route("papers", {"author": name} | since)
    return Route("author", {"name": name})


def _one_name(read: Understood) -> str | None:
    """The one person that is named; a family name that several have is theirs to choose from later."""
    if len(read.people) == 1:
        return read.people[0]
    said = read.people_said if read.people and read.people_sure else ""
    return said if said and not re.search(r",|&|\b(?:and|or)\b", said) else None


def _question(said: str, read: Understood) -> Route:
    since = {"since": read.since.isoformat()} if read.since and not read.until else {}
    return Route("ask", {"question": said} | since)


def _is_question(said: str) -> bool:
    return said.endswith("?") or bool(_ASKS.match(said))


def _subject(text: str) -> list[str]:
    """The words of a text that can be a subject: without stop words and words about publishing."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return [
        word
        for word in words
        if word not in STOP and not _WROTE.fullmatch(word) and not _FRAME.fullmatch(word)
    ]


_FRAME = re.compile(
    r"show|list|give|tell|follow|please|new|newest|latest|recent|all|everything|anything|who's|what's|lately"
)


async def routed(
    search: Search, said: str, *, commands: Container[str] = OPTIONS, follows: bool = False
) -> Route:
    """:func:`route`, with what the library knows of people and papers."""
    read = await search.understand(said[:LONGEST])
    texts = {text for text in paper_texts(said) if 0 < len(text) <= _TITLE}
    named = {text for text in texts if await _is_name(search, text)}
    name = name_said(said)
    authors = {name} if name and await search.resembles_author(name) else ()
    return route(said, read, named=named, authors=authors, commands=commands, follows=follows)


async def _is_name(search: Search, text: str) -> bool:
    """Whether a whole text is a paper's name; a sentence with a name in it is not."""
    paper = (await search.named(text)).paper
    if paper is None or find_arxiv_id(text) or find_doi(text):
        return paper is not None
    titles = await search.titles_of(paper)
    return set(title_words(text)) <= {word for title in titles for word in title_words(title)}
