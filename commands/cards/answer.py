"""An answer of quoted sentences, each with its paper's number; a sentence in its context; no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discord import ui

from commands.cards.lists import ACCENT, Entry, framed, listing
from commands.cards.text import author_line, paper_day, plural, readable, safe, shorten, shown, title_link
from data.records import Paper

_ROOM = 3_700
"""Characters of text of a reply, with some to spare for lines that others put below it."""
_LEAST = 150
"""Of these, what is left to a quote in any case."""
LONGEST = 1_200
"""Characters of a sentence; what is longer is not one, and only its beginning is shown."""
_QUESTION = 200
SURE = (
    (0.9, "I'm confident that this answers it."),
    (0.75, "This probably answers your question."),
    (0.0, "This may answer your question. Check each sentence in its context."),
)
"""From which confidence on an answer is called how."""


@dataclass(frozen=True)
class ShownQuote:
    """A sentence to show.

    Attributes
    ----------
    number
        The number of its paper in the reply, from 1.
    place
        Section and page in small print, already safe; empty for an abstract.
    against
        The numbers of papers with a sentence above that says the opposite.
    context
        The button that shows where it stands.
    """

    number: int
    text: str
    context: ui.Item[Any]
    place: str = ""
    against: tuple[int, ...] = ()

    def markdown(self) -> str:
        """The sentence, whole: what is cut could be its number or its "not"."""
        lines = [f"“{safe(shorten(readable(self.text), LONGEST))}” **[{self.number}]**"]
        if self.place:
            lines.append(f"-# {self.place}")
        if self.against:
            others = " and ".join(f"[{number}]" for number in self.against)
            lines.append(f"-# ⚠️ This may contradict {others}.")
        return "\n".join(lines)


@dataclass(frozen=True)
class CitedText:
    """A sentence written from quotes, with the numbers of the papers that they are from."""

    text: str
    numbers: tuple[int, ...]


def sureness(confidence: float) -> str:
    """How sure an answer is, in words."""
    return next(words for least, words in SURE if confidence >= least)


def question_heading(question: str, notes: Sequence[str] = ()) -> str:
    """The question as a heading, with notes in small print below, already safe."""
    title = (
        safe(shorten(" ".join(readable(question[: 12 * _QUESTION]).split()), _QUESTION)) or "Your question"
    )
    return "\n".join([f"## {title}", *(f"-# {line}" for line in notes)])


def answer_card(
    heading: str,
    says: str,
    quotes: Sequence[ShownQuote],
    papers: Sequence[Paper],
    rows: Sequence[Sequence[ui.Item[Any]]],
    *,
    prose: Sequence[CitedText] = (),
    notes: Sequence[str] = (),
) -> ui.LayoutView:
    """Sentences, each with its paper's number and a button to its context; below them the papers.

    Parameters
    ----------
    says
        How sure it is.
    papers
        In the order of their numbers, from 1.
    prose
        What was written from the quotes, shown above them.
    notes
        Lines of small print for the end, already safe.
    """
    written, cited = _written(prose)
    end = "\n".join(f"-# {line}" for line in notes)
    room = _ROOM - len(heading) - len(says) - len(written) - len(end)
    texts = [quote.markdown() for quote in quotes]
    brief = sum(map(len, texts)) + len(_numbered(papers, brief=False)) > room

    def below() -> str:
        """The papers that are quoted or cited above."""
        most = max((quote.number for quote in quotes[: len(texts)]), default=0)
        return _numbered(papers[: max(most, cited)], brief=brief)

    while len(texts) > 1 and sum(map(len, texts)) + len(below()) > room:
        texts.pop()
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(f"{heading}\n{says}"))
    if written:
        box.add_item(ui.TextDisplay(f"{written}\n-# The sentences behind it:"))
    for quote, text in zip(quotes, texts, strict=False):
        fitting = text[: max(_LEAST, room - len(below()))]
        box.add_item(ui.Section(ui.TextDisplay(fitting), accessory=quote.context))
    box.add_item(ui.Separator())
    box.add_item(ui.TextDisplay(below()))
    if end:
        box.add_item(ui.TextDisplay(end))
    return framed(box, rows)


def _written(prose: Sequence[CitedText]) -> tuple[str, int]:
    """As many of the written sentences as fit with their citations, and the largest number cited."""
    parts: list[str] = []
    cited = 0
    for part in prose:
        text = f"{safe(part.text)} {''.join(f'[{number}]' for number in part.numbers)}"
        if sum(map(len, parts)) + len(text) > _ROOM // 3:
            break
        parts.append(text)
        cited = max(cited, *part.numbers)
    return " ".join(parts), cited


def _numbered(papers: Sequence[Paper], *, brief: bool) -> str:
    lines = []
    for number, paper in enumerate(papers, 1):
        facts = [title_link(paper, 60 if brief else 110)]
        if not brief:
            facts.append(author_line(paper, most=3))
        facts.append(paper_day(paper))
        if paper.withdrawn:
            facts.append("**withdrawn**")
        lines.append(f"**[{number}]** " + " · ".join(facts))
    return "\n".join(lines)


def no_answer(
    heading: str,
    entries: Sequence[Entry],
    known: int,
    tries: Sequence[str],
    rows: Sequence[Sequence[ui.Item[Any]]],
    *,
    read: str = "",
    notes: Sequence[str] = (),
) -> ui.LayoutView:
    """The evidence is weak: the nearest papers, and what to try.

    Parameters
    ----------
    read
        What of one paper was read, where only that was asked: "abstract" or "full text".
    notes
        Lines of small print before what to try, already safe.
    """
    if not known:
        said = "There are no papers in this library yet, so I can't answer. See /about for its sources."
        return listing(f"{heading}\n{said}", [])
    if read:
        said = f"**I find nothing that answers it** in this paper's {read}."
    elif entries:
        several = len(entries) > 1
        nearest = "papers, each with its closest sentence" if several else "paper, with its closest sentence"
        said = f"**I found no sure answer** in the {plural(known, 'paper')} I know. The nearest {nearest}:"
    else:
        said = (
            f"**I found no good answer.** Nothing in the {plural(known, 'paper')} I know answers this well."
        )
    lines = [*notes, "You could try:", *(f"· {one}" for one in tries)]
    footer = "\n".join(f"-# {line.removeprefix('-# ')}" for line in lines)
    return listing(f"{heading}\n{said}", entries, footer=footer, rows=rows)


def context_card(
    paper: Paper, text: str, start: int, end: int, where: str, rows: Sequence[Sequence[ui.Item[Any]]]
) -> ui.LayoutView:
    """A text with one sentence of it in bold.

    Parameters
    ----------
    text
        An abstract, or a passage of a full text; ``text[start:end]`` is the sentence.
    where
        What the text is, already safe: "Abstract", or section and page.
    """
    head = f"## {title_link(paper, 150)}\n{author_line(paper)}\n-# {where} · {paper_day(paper)}"
    marked = next(
        made
        for most in (1_500, 900, 500, 250)
        if len(made := _marked(text, start, end, most)) <= _ROOM - len(head)
    )
    box: ui.Container[ui.LayoutView] = ui.Container(accent_colour=ACCENT)
    box.add_item(ui.TextDisplay(head))
    box.add_item(ui.TextDisplay(marked))
    return framed(box, rows)


def _marked(text: str, start: int, end: int, most: int) -> str:
    """The sentence in bold, with up to ``most`` characters before, of it, and after."""
    before, after = text[:start], text[end:]
    if len(before) > most:
        before = "… " + before[-most:].partition(" ")[2]
    parts = [
        safe(readable(before)),
        f"**{shown(text[start:end], most)}**",
        safe(shorten(readable(after), most)),
    ]
    return " ".join(filter(None, (part.strip() for part in parts)))
