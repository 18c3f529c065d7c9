"""Which command answers what somebody says to Labmate, and with which options."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from importlib import resources

from data.calendar.arxiv_ids import find_arxiv_id, find_doi
from data.keys import title_words
from index.search.named_papers import links_in
from index.search.places_said import topic_in_field, topic_worked_on
from index.search.search import Search
from index.search.spoken_forms import (
    APPEARED,
    ASKS,
    COAUTHORS,
    COMMAND,
    COMPARE_BOTH,
    COMPARE_TWO,
    COMPARED,
    FEW_WORDS,
    FRAME,
    HELP,
    HOW,
    INITIALS,
    IS_THERE,
    LIKE_IT,
    NEW,
    NEWS,
    ON_CARD,
    PAPERS_WANTED,
    PEOPLE_LIKE,
    PLEASE,
    SHARED,
    SHOW,
    SUMMARY,
    THANKS,
    THE_PAPER,
    TOGETHER,
    TOLD,
    TRENDING,
    WHO,
    WHO_IS,
    WHO_KNOWS,
    WORD,
    WROTE,
)
from index.search.understanding import is_description
from index.search.understood import Understood
from index.search.workplaces import read_workplace

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
    "similar-people": ("name",),
    "trending": ("category",),
    "new": ("category", "day", "order"),
    "help": (),
}
"""The commands that can be asked for in words, with their options; a text without a name is the first's."""
LONGEST = 1_500
"""Characters of what is said that are read."""
_TITLE = 300
STOP = frozenset(resources.files("index").joinpath("stop_words.txt").read_text().split())


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
    summary = SUMMARY.fullmatch(said)
    asked = ON_CARD.fullmatch(said)
    shown = asked["paper"] if asked else SHOW.sub("", said, count=1).strip(" ?!.")
    if shown != said and not summary:
        shown = THE_PAPER.sub("", shown)
    return shown, summary[1] if summary else ""


def compared_texts(said: str) -> tuple[str, ...]:
    """The two texts that "compare PrismLLM and TrainMover" may name papers by; none for other text."""
    both = COMPARE_TWO.fullmatch(" ".join(said[:LONGEST].split()))
    return (both[1], both[2]) if both else ()


def name_said(said: str) -> str:
    """The name that "M. Bronstein" or "who is Hal Daumé?" asks for; empty for none."""
    said = " ".join(said[:LONGEST].split())
    asked = INITIALS.fullmatch(said) or WHO_IS.fullmatch(said)
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
    if not WORD.search(said) or HELP.fullmatch(said):
        return Route("help")
    for found in (_about_a_paper(said, read, named, commands), _about_people(said, read, authors, commands)):
        if found is not None:
            return found
    if (new := NEW.fullmatch(said)) and "new" in commands:
        category = new["category"]
        return Route("new", {"category": category} if category else {})
    if (hot := TRENDING.fullmatch(said)) and "trending" in commands:
        category = hot["category"]
        return Route("trending", {"category": category} if category else {})
    if (told := TOLD.fullmatch(said)) and not PAPERS_WANTED.match(told["question"]):
        return _question(PLEASE.sub("", told["question"]), read)
    # Only a search has a last day.
    years = read.until is not None and APPEARED.search(said) is not None and not HOW.match(said)
    lacking = read.done_without is not None and IS_THERE.match(said) is not None
    listed = years or lacking or NEWS.match(said) or PAPERS_WANTED.match(said)
    if follows or (_is_question(said) and not listed):
        return _question(said, read)
    return Route("search", {"query": said})


def is_thanks(said: str) -> bool:
    """Whether somebody says thank you, and nothing else."""
    return THANKS.fullmatch(said[:LONGEST].strip()) is not None


def topic_known(said: str, workplace: str = "") -> str:
    """The topic of "who knows about gossip?", and where they work, if it says so; any other text as it is.

    ``workplace`` are the words that were understood to say where they work.
    """
    return _topic_known(said[:LONGEST].strip(), workplace) or said


def _topic_known(said: str, workplace: str = "") -> str | None:
    place, bare = read_workplace(said)
    if not place and workplace and workplace in said:
        bare = " ".join(said.replace(workplace, " ", 1).split())
        return f"{topic} ({workplace})" if (topic := topic_worked_on(bare)) else None
    asked = WHO_KNOWS.fullmatch(bare)
    if asked is None or not place:
        asked, place = WHO_KNOWS.fullmatch(said), ""
    if asked is None:
        return topic_in_field(said) or None
    return f"{asked[1]} {place}".strip()


def speaks_of_papers(said: str) -> bool:
    """Whether a text speaks of papers or of writing them: "papers by …", "what did … publish"."""
    return WROTE.search(said[:LONGEST]) is not None


def _typed(said: str, commands: Container[str]) -> Route | None:
    """A command typed out, as in Discord's own box."""
    match = COMMAND.fullmatch(said)
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
    if "compare" in commands and (two := _two_papers(said, named)):
        return Route("compare", dict(zip(OPTIONS["compare"], two, strict=True)))
    if read.authors_of:
        return Route("search", {"query": said})
    ids = links_in(said) if len(said.split()) <= FEW_WORDS else []
    if len(ids) == 1 and not _is_question(said) and LIKE_IT.search(said):
        return Route("similar", {"paper": ids[0].value})
    shown, summed = paper_texts(said)
    if summed and summed in named:
        return Route("summary" if "summary" in commands else "paper", {"paper": summed})
    if shown in named and not (read.people and not _subject(read.text)):
        return Route("paper", {"paper": shown})
    if is_description(said) and not _is_question(said):
        return Route("similar", {"paper": said})
    if read.like and not _subject(read.text) and not (read.since or read.until or read.people):
        only_search = read.follows or read.without
        return Route("search", {"query": said}) if only_search else Route("similar", {"paper": read.like})
    if len(ids) == 1 and not _is_question(said):
        return Route("paper", {"paper": ids[0].value})
    if _is_question(said):
        found = (find_arxiv_id(word.strip(",;?!()")) for word in said.split())
        if identifier := next((arxiv[0] for arxiv in found if arxiv), None) or find_doi(said):
            return Route("ask", {"question": said, "paper": identifier})
    return None


def _two_papers(said: str, named: Container[str]) -> list[str]:
    """The two papers that somebody wants to compare, by id, link or name; none for anything else."""
    if not COMPARED.search(said):
        return []
    ids = [one.value for one in links_in(said) if one.kind != "openreview"]
    if len(ids) == 2 and len(said.split()) <= FEW_WORDS:
        return ids
    texts = compared_texts(said)
    return [*texts] if texts and all(text in named for text in texts) else []


def _about_people(
    said: str, read: Understood, authors: Container[str], commands: Container[str]
) -> Route | None:
    """Somebody's card or papers, their papers on a subject, or who knows a subject."""
    told = TOLD.fullmatch(said)
    knows = (
        None
        if read.people or "who-knows" not in commands
        else _topic_known(told["question"] if told else said, read.workplace)
    )
    their_work = bool(read.workplace) and WROTE.search(said) is not None and not knows
    if (read.unwanted_people and not _is_question(said)) or read.people_unknown or their_work:
        # Only a search leaves people out, or says that nobody has a name, or that workplaces are unknown.
        return Route("search", {"query": said})
    if (alike := PEOPLE_LIKE.fullmatch(said)) and "similar-people" in commands:
        return Route("similar-people", {"name": alike[1]})
    if knows:
        return Route("who-knows", {"topic": knows})
    both = COMPARE_BOTH.fullmatch(said)
    if both and "compare" in commands and len(read.people) == 1 and read.people[0] in both.groups():
        return Route("compare", {"first": both[1], "second": both[2]})
    compares = COMPARED.search(said) is not None and not _subject(COMPARED.sub(" ", read.text))
    in_time = read.since is not None or read.until is not None
    if compares and len(read.people) == 2 and not in_time and "compare" in commands:
        return Route("compare", dict(zip(OPTIONS["compare"], read.people, strict=True)))
    shared = SHARED.search(said) is not None and COAUTHORS.search(said) is not None
    together = (shared or TOGETHER.match(said) is not None) and not _subject(
        SHARED.sub(" ", COAUTHORS.sub(" ", read.text))
    )
    if together and len(read.people) == 2 and not in_time and "compare" in commands:
        return Route("compare", dict(zip(OPTIONS["compare"], read.people, strict=True)))
    name = _one_name(read)
    unknown = name_said(said)
    if not read.people and unknown in authors and "author" in commands:
        return Route("author", {"name": unknown})
    if name is None or read.like:
        return None
    if COAUTHORS.search(said) and not _subject(COAUTHORS.sub(" ", read.text)) and not in_time:
        return Route("author", {"name": name})
    rest = _subject(read.text)
    if rest:
        about_work = WROTE.search(said) or not _is_question(said)
        return Route("search", {"query": said}) if about_work else None
    if read.until or read.order == "cited":  # only a search has a last day, or knows of citations
        return Route("search", {"query": said})
    if read.since or (WROTE.search(said) and not WHO.match(said)):
        sort = {"sort": "oldest"} if read.order == "oldest" else {}
        since = {"since": read.since.isoformat()} if read.since else {}
        return Route("papers", {"author": name} | sort | since)
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
    return said.endswith("?") or bool(ASKS.match(said))


def _subject(text: str) -> list[str]:
    """The words of a text that can be a subject: without stop words and words about publishing."""
    words = [word.casefold() for word in WORD.findall(text)]
    return [
        word for word in words if word not in STOP and not WROTE.fullmatch(word) and not FRAME.fullmatch(word)
    ]


async def routed(
    search: Search, said: str, *, commands: Container[str] = OPTIONS, follows: bool = False
) -> Route:
    """:func:`route`, with what the library knows of people and papers."""
    read = await search.understand(said[:LONGEST])
    texts = {text for text in (*paper_texts(said), *compared_texts(said)) if 0 < len(text) <= _TITLE}
    named = {text for text in texts if await names_paper(search, text)}
    name = name_said(said)
    authors = {name} if name and await search.resembles_author(name) else ()
    return route(said, read, named=named, authors=authors, commands=commands, follows=follows)


async def names_paper(search: Search, text: str) -> bool:
    """Whether a whole text is a paper's name; a sentence with a name in it is not."""
    paper = (await search.named(text)).paper
    if paper is None or find_arxiv_id(text) or find_doi(text):
        return paper is not None
    titles = await search.titles_of(paper)
    return set(title_words(text)) <= {word for title in titles for word in title_words(title)}
