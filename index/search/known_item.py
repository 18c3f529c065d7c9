"""Resolving a text to a paper: by identifier, title, name before a colon, rare word, or part of a title."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz, utils

from data.keys import title_words
from data.records import Paper
from index.search import fusion
from index.search.corpus import Corpus
from index.search.lexical import Term
from index.search.named_papers import identifier, known_by_id
from index.search.understanding import is_description

PASTED = 240
"""A text longer than this is a pasted abstract, not a title."""
_SIGNS = re.compile(r"[+*#^†]+")
"""Signs that tell names apart whose words are the same."""
_HEAD_END = re.compile(r":|\s[-–—]\s|—")
_HEAD_WORDS, _HEADED = 6, 400
"""The most words of a name before a colon; the most titles with these words to look at."""
_SHORT, MEANT_BY = 4, 0.5
"""The most letters of the last part of a name that stands for the whole ("R1" for DeepSeek-R1), and the share
of the papers with that part that print the whole name."""
_REPORT = re.compile(r"\s+(?:(?:technical|tech)\s+report|(?:system|model)\s+card)\b", re.IGNORECASE)
_TITLE_LIKE = 88.0
_NAME_LIKE = 75.0


@dataclass(frozen=True, slots=True)
class Meant:
    """The paper that a text means, and others that it could mean; no others if there is no doubt."""

    paper: int | None
    others: tuple[int, ...] = ()

    @classmethod
    def of(cls, papers: Sequence[int]) -> Meant:
        """The paper if there is only one; with several it is open which is meant."""
        return cls(papers[0]) if len(papers) == 1 else cls(None, tuple(papers))

    @property
    def papers(self) -> list[int]:
        """All of them, best first."""
        return [*([self.paper] if self.paper is not None else []), *self.others]


class PaperNames:
    """Finds papers by what they are called."""

    def __init__(self, corpus: Corpus) -> None:
        self._library = corpus

    async def resolve(self, text: str, most: int = 25) -> list[int]:
        """Store ids of the papers that a text can mean, best first; one if there is no doubt."""
        meant = await self.meant(text, most)
        return [meant.paper] if meant.paper is not None else list(meant.others)

    async def meant(self, text: str, most: int = 25) -> Meant:
        """The paper that a text means, and others that it could mean.

        There is no doubt about an identifier (arXiv, ACL Anthology, DOI), a link or a whole title, nor about
        a name that a single title has before a colon or dash, or a system's name in a single title. A
        description at length that is no title means none.
        """
        outright = await self._outright(text, most)
        if outright is not None:
            return outright
        if is_description(text):
            return Meant(None)
        named = await asyncio.to_thread(self._by_name, text, most) or await self._by_fragment(text, most)
        return _headed_first(await self._called(text), named, most)

    async def named(self, text: str, most: int = 25) -> Meant:
        """Like :meth:`meant`, for text that may mean no paper at all: ignores typos and parts of titles."""
        outright = await self._outright(text, most)
        if outright is not None:
            return outright
        named = await asyncio.to_thread(self._by_name, text, most)
        return _headed_first(await self._called(text), named, most)

    async def titles_of(self, paper: int) -> tuple[str, ...]:
        """A paper's title and its former ones; none for an unknown paper."""
        found = await self._library.store.papers([paper])
        return (found[0].title, *found[0].former_titles) if found else ()

    async def name_of(self, paper: int) -> str:
        """A name that means this very paper: its title, or an identifier where others have that title, too.

        Empty for an unknown paper.
        """
        found = await self._library.store.papers([paper])
        if not found:
            return ""
        [one] = found
        if (await self.meant(one.title)).paper == paper:
            return one.title
        return one.arxiv_id or one.acl_id or one.doi or one.title

    async def _outright(self, text: str, most: int) -> Meant | None:
        """The papers of an identifier or whole title; None for a text that is neither."""
        text = text.strip()
        exact = await self._identified(text)
        if exact is not None or not text:
            return Meant.of(exact or [])
        titled = await self._library.store.find_title(text[:2_000])
        if titled or len(text) > PASTED:
            return Meant.of(titled[:most])
        return None

    async def _headed(self, text: str) -> list[int]:
        """Papers whose title begins with this name and a colon or dash, or is that of a report on it."""
        words = title_words(text)
        if not 0 < len(words) <= _HEAD_WORDS:
            return []
        candidates = await asyncio.to_thread(self._library.words.titles_with, text, _HEADED)
        texts = await self._library.store.texts(candidates) if candidates else {}
        names = {paper: _name_in(texts[paper][0]) for paper in candidates if paper in texts}
        signs = _SIGNS.findall(text)  # GRPO++ is not GRPO
        return [
            paper
            for paper, name in names.items()
            if name and title_words(name) == words and _SIGNS.findall(name) == signs
        ]

    async def _called(self, text: str) -> list[int]:
        """Papers that have this name, or that are meant by it where it is short for theirs."""
        return await self._headed(text) or await self._shortened(text)

    async def _shortened(self, text: str) -> list[int]:
        """Papers on a system whose name ends in this after a hyphen, if that is what papers mean by it."""
        [short, *more] = title_words(text) or [""]
        if more or not 1 < len(short) <= _SHORT:
            return []
        words = self._library.words
        candidates = await asyncio.to_thread(words.titles_with, short, _HEADED)
        texts = await self._library.store.texts(candidates)
        named: dict[str, list[int]] = {}
        for paper, (title, *_) in texts.items():
            name = _name_in(title)
            if re.fullmatch(rf"\S+-{re.escape(short)}", name, re.IGNORECASE):
                named.setdefault(name, []).append(paper)
        least = MEANT_BY * words.papers_with(short)
        for name, papers in named.items():
            # Counting a phrase takes a while; as many papers at least have its rarest word.
            if words.papers_with(name) >= least and (
                await asyncio.to_thread(words.papers_with_phrase, name) >= least
            ):
                return papers
        return []

    async def complete_title(self, typed: str, k: int) -> list[int]:
        """Store ids of papers whose title matches the text typed so far; the newest for an empty text."""
        if not typed.strip():
            facets = self._library.facets
            newest: list[int] = (await asyncio.to_thread(lambda: facets.latest(facets.held(), k))).tolist()
            return newest
        exact = await self._identified(typed)
        if exact:
            return exact
        first = await self._shortened(typed)
        completing = await asyncio.to_thread(self._library.words.completing, typed, k)
        return list(dict.fromkeys([*first, *completing]))[:k]

    async def _identified(self, text: str) -> list[int] | None:
        """The paper of an identifier; an empty list if it is unknown; None for other text."""
        if re.fullmatch(r"#\d{1,12}", text):  # a choice from autocompletion
            return [paper.id for paper in await self._library.store.papers([int(text[1:])])]
        named = identifier(text)
        if named is None:
            return None
        paper = await known_by_id(self._library.store, named)
        return [paper] if paper else []

    def _by_name(self, text: str, most: int) -> list[int]:
        """Papers whose title has the rare word in the text that names them."""
        words = self._library.words
        terms = words.terms(text)
        if not terms or len(terms) > 4:
            return []
        kind = fusion.kind_of(terms, len(words))
        for term in kind.names:
            _, papers = words.named(term.word, most)
            if papers:
                return papers
        return []

    def _unknown(self, text: str) -> list[Term]:
        """The words of a text that no paper has and that could be names."""
        words = self._library.words
        # A number is not a name: one digit off is another number.
        unknown = fusion.kind_of(words.terms(text), len(words)).unknown
        return [term for term in unknown if not term.word.isdecimal()]

    def _named_or_unknown(self, text: str, most: int) -> tuple[list[int], list[Term]]:
        """What :meth:`_by_name` and :meth:`_unknown` give."""
        return self._by_name(text, most), self._unknown(text)

    async def _by_fragment(self, text: str, most: int) -> list[int]:
        """Papers whose title contains the words of a fragment, the most similar first."""
        words = self._library.words
        hits = await asyncio.to_thread(words.search, text, 4 * most, title_only=True)
        nearly = await self._nearly_named(await asyncio.to_thread(self._unknown, text))
        papers = await self._library.store.papers(dict.fromkeys([*nearly, *(paper for paper, _ in hits)]))
        wanted = utils.default_process(text)

        def alike(paper: Paper) -> float:
            titles = (paper.title, *paper.former_titles)
            return max(fuzz.token_set_ratio(wanted, utils.default_process(title)) for title in titles)

        scored = sorted(((alike(p), p.id) for p in papers), key=lambda pair: -pair[0])
        title_like = [paper for score, paper in scored if score >= _TITLE_LIKE]
        return list(dict.fromkeys([*nearly, *title_like]))[:most]

    async def _nearly_named(self, unknown: Sequence[Term]) -> list[int]:
        """Papers with a name close to one of some words that no paper has."""
        scored: list[tuple[float, int]] = []
        for term in unknown:
            ids = await asyncio.to_thread(self._library.words.nearly_named, term.word)
            for paper in await self._library.store.papers(ids):
                titles = " ".join((paper.title, *paper.former_titles))
                score = max((fuzz.ratio(term.word, word) for word in title_words(titles)), default=0.0)
                if score >= _NAME_LIKE:
                    scored.append((score, paper.id))
        best = max((score for score, _ in scored), default=0.0)
        return [paper for score, paper in sorted(scored, reverse=True) if score >= best - 5][:5]


def _name_in(title: str) -> str:
    """The name before a colon or dash, or before "Technical Report"; "" for a title without one."""
    name = _REPORT.split(_HEAD_END.split(title, maxsplit=1)[0], maxsplit=1)[0].strip()
    return name if name != title.strip() else ""


def _headed_first(headed: Sequence[int], named: Sequence[int], most: int) -> Meant:
    others = [paper for paper in named if paper not in headed]
    if len(headed) == 1:
        return Meant(headed[0], tuple(others[: most - 1]))
    return Meant.of([*headed, *others][:most])
