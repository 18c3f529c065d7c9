"""Queries of several kinds, each made from one paper of a corpus that it should find.

The texts are made from the papers' own words, names and days. What people type around them (polite frames,
ways to say a date) is written here, apart from the grammar in `index/search` that reads it.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

import numpy as np

from data.records import Paper
from index.search.corpus import Corpus
from index.search.passages import sentences

TEXTS = ("title", "name", "question", "polite")
"""Kinds that are asked as text."""
TYPED = ("typo", "two typos", "person", "dated", "acronym", "keywords")
"""Kinds that are typed as a search."""
KINDS = (*TEXTS, *TYPED)
_NAME = re.compile(r"^(?=.*[A-Z].*[A-Z]|.*[a-z][A-Z]|.*[A-Z].*\d)[A-Za-z0-9]{4,20}$")
_ACRONYM = re.compile(r"\b[A-Z]{2,5}\b")
_DROPPED = 0.5
"""The share of a question's words, rarest first, that its writer would not have known."""
_MIDDLE = 3
_COMMON = 10
"""An acronym that so many titles have is ambiguous by itself."""
_LONG_ENOUGH = 5
_POLITE = (
    "I'm interested in {}.",
    "I would like to read papers on {}, if there are any.",
    "Could anybody point me to work on {}? Thank you.",
    "Our group wonders whether somebody has already tried {}.",
    "For a seminar next month I need an overview of {}; what should I start with?",
    "My advisor told me to read up on {}. Which articles would you recommend?",
    "I am looking for articles which discuss {}, preferably with an evaluation.",
    "Find everything that has been written about {}.",
    "Is there any literature dealing with the subject of {}?",
    "We are currently working on {} and would be grateful for references, especially recent ones.",
    "What is known about {}? I am not interested in commercial products.",
    "Please list descriptions of {}, both theory and practice.",
)
_WRITTEN = ("{name} {words}", "{words} {name}", "papers by {name} on {words}", "{words} by {name}")


@dataclass(frozen=True, slots=True)
class KnownItem:
    """A query and the paper that it was made from."""

    kind: str
    text: str
    paper_id: int


async def make_questions(
    corpus: Corpus, per_kind: int, seed: int, kinds: tuple[str, ...] = KINDS
) -> list[KnownItem]:
    """Queries of each kind, drawn from the corpus's papers."""
    chance = random.Random(seed)
    ids = [int(paper) for paper in np.flatnonzero(corpus.facets.codes >= 0)]
    chance.shuffle(ids)
    newest = _newest(corpus)
    makers: dict[str, Callable[[Paper], str | None]] = {
        "title": lambda paper: _title_words(corpus, paper, chance),
        "name": lambda paper: _rare_name(corpus, paper),
        "question": lambda paper: _question(corpus, paper),
        "polite": lambda paper: _polite(corpus, paper, chance),
        "typo": lambda paper: _mistyped(corpus, paper, chance, 1),
        "two typos": lambda paper: _mistyped(corpus, paper, chance, 2),
        "person": lambda paper: _person(corpus, paper, chance),
        "dated": lambda paper: _dated(corpus, paper, chance, newest),
        "acronym": lambda paper: _acronym(corpus, paper, chance),
        "keywords": lambda paper: _keywords(corpus, paper, chance),
    }
    questions: list[KnownItem] = []
    missing = dict.fromkeys(kinds, per_kind)
    for start in range(0, len(ids), 500):
        for paper in await corpus.store.papers(ids[start : start + 500]):
            # A paper gives one query at most, of the kind with the fewest queries so far.
            for kind in sorted((k for k in kinds if missing[k]), key=lambda k: -missing[k]):
                text = makers[kind](paper)
                if text:
                    questions.append(KnownItem(kind, text, paper.id))
                    missing[kind] -= 1
                    break
        if not any(missing.values()):
            break
    return questions


def _newest(corpus: Corpus) -> date | None:
    days = corpus.facets.days[corpus.facets.held()]
    return date.fromordinal(int(days.max())) if len(days) and days.max() else None


def _words(corpus: Corpus, paper: Paper) -> list[str]:
    return [term.word for term in corpus.words.terms(paper.title)]


def _some(words: list[str], count: int, chance: random.Random) -> str:
    return " ".join(words[place] for place in sorted(chance.sample(range(len(words)), count)))


def _title_words(corpus: Corpus, paper: Paper, chance: random.Random) -> str | None:
    words = _words(corpus, paper)
    return _some(words, min(len(words) - 1, chance.randint(3, 5)), chance) if len(words) >= 4 else None


def _rare_name(corpus: Corpus, paper: Paper) -> str | None:
    for word in re.findall(r"[A-Za-z0-9]+", paper.title):
        if _NAME.match(word) and corpus.words.named(word)[0] <= 3:
            return str(word)
    return None


def _question(corpus: Corpus, paper: Paper) -> str | None:
    parts = sentences(paper.abstract)
    if len(parts) < 5:
        return None
    start = (len(parts) - _MIDDLE) // 2
    kept = _known_to_others(corpus, " ".join(parts[start : start + _MIDDLE]))
    return " ".join(kept) if len(kept) >= 20 else None


def _known_to_others(corpus: Corpus, text: str) -> list[str]:
    """The words of a text without the rarer half."""
    terms = sorted(corpus.words.terms(text), key=lambda term: term.in_abstracts + term.in_titles)
    dropped = {term.word for term in terms[: int(len(terms) * _DROPPED) + 1]}
    return [
        word
        for word in re.findall(r"[\w'-]+", text)
        if not dropped & set(re.findall(r"[a-z0-9]+", word.lower()))
    ]


def _polite(corpus: Corpus, paper: Paper, chance: random.Random) -> str | None:
    """The title without its rarest words in a polite question."""
    words = corpus.words.terms(paper.title)
    if len(words) < 5:
        return None
    rare = sorted(words, key=lambda term: term.in_abstracts + term.in_titles)[: len(words) // 3 + 1]
    dropped = {term.word for term in rare}
    kept = [word for word in re.findall(r"[a-z0-9]+", paper.title.lower()) if word not in dropped]
    return chance.choice(_POLITE).format(" ".join(kept))


def _mistyped(corpus: Corpus, paper: Paper, chance: random.Random, errors: int) -> str | None:
    text = _title_words(corpus, paper, chance)
    words = text.split() if text else []
    places = [place for place, word in enumerate(words) if len(word) >= _LONG_ENOUGH and word.isalpha()]
    if len(places) < errors:
        return None
    for place in chance.sample(places, errors):
        words[place] = _typo(words[place], chance)
    return " ".join(words)


def _typo(word: str, chance: random.Random) -> str:
    """One letter dropped, doubled, replaced, or swapped with the next; never the first."""
    at = chance.randrange(1, len(word) - 1)
    kind = chance.randrange(4)
    if kind == 0:
        return word[:at] + word[at + 1 :]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    if kind == 2:
        other = chance.choice([letter for letter in string.ascii_lowercase if letter != word[at]])
        return word[:at] + other + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _person(corpus: Corpus, paper: Paper, chance: random.Random) -> str | None:
    """An author's name and two words of the title, not the rarest one."""
    words = _two_words(corpus, paper, chance)
    authors = [author.name for author in paper.authors if len(author.name.split()) > 1]
    if not words or not authors:
        return None
    return chance.choice(_WRITTEN).format(name=chance.choice(authors), words=words)


def _two_words(corpus: Corpus, paper: Paper, chance: random.Random) -> str | None:
    terms = corpus.words.terms(paper.title)
    if len(terms) < 4:
        return None
    known = sorted(terms, key=lambda term: term.in_abstracts + term.in_titles)[1:]
    return _some([term.word for term in terms if term in known], 2, chance)


def _dated(corpus: Corpus, paper: Paper, chance: random.Random, newest: date | None) -> str | None:
    """Two words of the title and a way to say when it appeared."""
    words = _two_words(corpus, paper, chance)
    day = paper.day
    if not words or day is None or newest is None:
        return None
    ways = [
        f"{words} {day:%B %Y}",
        f"{words} in {day.year}",
        f"{words} since {day - timedelta(3):%d %b %Y}",
        f"{words} between {day.replace(day=1) - timedelta(1):%B %Y} and {day:%B %Y}",
    ]
    if (newest - day).days < 7:
        ways = [f"last week's papers on {words}", f"{words} since:1w"]
    elif (newest - day).days < 31:
        ways.append(f"{words} in the last month")
    return chance.choice(ways)


def _acronym(corpus: Corpus, paper: Paper, chance: random.Random) -> str | None:
    """A common acronym of the title beside two other words of it."""
    common = [one for one in _ACRONYM.findall(paper.title) if corpus.words.named(one)[0] >= _COMMON]
    if not common:
        return None
    others = [word for word in _words(corpus, paper) if word not in common[0].lower()]
    return f"{common[0]} {_some(others, 2, chance)}" if len(others) >= 3 else None


def _keywords(corpus: Corpus, paper: Paper, chance: random.Random) -> str | None:
    """Two words that stand side by side in the title, and one more."""
    words = _words(corpus, paper)
    title = re.findall(r"[a-z0-9]+", paper.title.lower())
    pairs = [pair for pair in pairwise(title) if pair[0] in words and pair[1] in words]
    if not pairs or len(words) < 4:
        return None
    pair = chance.choice(pairs)
    return f"{' '.join(pair)} {chance.choice([word for word in words if word not in pair])}"
