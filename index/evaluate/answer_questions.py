"""Questions and claims whose answering sentences are known, made from the papers' own parts.

A researcher's question is answered by its abstract's conclusion. A conclusion that is taken out of its
abstract becomes a claim, and the results that are left are its evidence. A title, or a finding, that is taken
out becomes a claim that the rest of the paper answers.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from index.answers.matching import STOP_WORDS, stems
from index.answers.roles import Roles, role_of_heading
from index.answers.sentences import split
from index.evaluate.fields import has_questions, items
from index.evaluate.fits import EVERYDAY, made_up
from index.evaluate.train_roles import labelled_paper

Paper = dict[str, Any]
Range = tuple[int, int]
Place = tuple[int, int, int]
"""Store id of a paper, and where a sentence begins and ends in its abstract."""
_SHORTEST, _LONGEST = 6, 32
"""Words of a claim."""
_AUXILIARY = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|had|may|might)\s+", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question or claim.

    Attributes
    ----------
    paper
        The id of the paper that answers; empty if none does.
    evidence
        Ranges of its abstract that answer; empty if any sentence of it does.
    without
        The id of a paper that is left out of what is found, so that nothing answers.
    """

    kind: str
    text: str
    paper: str = ""
    evidence: tuple[Range, ...] = ()
    without: str = ""

    def left_out(self) -> Asked:
        """The same question among the other papers alone."""
        return Asked(f"{self.kind}, left out", self.text, without=self.paper)


def answers(asked: Asked, paper: int, place: Place) -> bool:
    """Whether a sentence is evidence: it stands in the right paper, mostly inside one of its ranges."""
    owner, start, end = place
    if owner != paper:
        return False
    half = (end - start) / 2
    return not asked.evidence or any(min(end, b) - max(start, a) >= half for a, b in asked.evidence)


@dataclass(frozen=True)
class Made:
    """Papers with a part taken out, and what is asked of them."""

    papers: list[Paper]
    asked: list[Asked]


def of_questions(read: Iterable[Paper]) -> Made:
    """Every other paper keeps its conclusion and is asked its question; the others are asked a claim.

    Papers with claims written by hand (:func:`claims_by_hand`) keep theirs, too, and are asked those as well.
    """
    made = Made([], [])
    marked = claims_by_hand()
    for number, item in enumerate(read):
        sections = [(s["label"], s["text"]) for s in item["sections"]]
        conclusion = item.get("conclusion") or ""
        by_hand = marked.get(str(item["id"]), [])
        if number % 2 == 0 or by_hand:
            abstract, ranges = _joined([*sections, ("CONCLUSIONS", conclusion)])
            evidence = ranges["conclusion"]
            kind, text = "question", str(item["question"])
        else:
            abstract, ranges = _joined(sections)
            evidence = ranges["result"]
            kind, text = "conclusion", _claim(conclusion, str(item["question"]))
        made.papers.append(_paper(item, "", abstract))
        if text and evidence:
            made.asked.append(Asked(kind, text, str(item["id"]), tuple(evidence)))
        places = [(sentence.start, sentence.end) for sentence in split(abstract)]
        for claim, evident in by_hand:
            ranges_of = tuple(places[place] for place in evident if place < len(places))
            made.asked.append(Asked("claim by hand", claim, str(item["id"]), ranges_of))
    return made


def claims_by_hand() -> dict[str, list[tuple[str, list[int]]]]:
    """Claims in our own words about papers of PubMedQA, with the sentences (from 0) that bear on each.

    They were written as a citing author would write them, some wrong on purpose. The weight of a finding
    (:mod:`index.evaluate.train_answers`) was chosen on them.
    """
    found: dict[str, list[tuple[str, list[int]]]] = {}
    text = resources.files("index.evaluate").joinpath("own_claims.json").read_text("utf-8")
    for item in json.loads(text):
        found.setdefault(item["id"], []).append((item["claim"], item["sentences"]))
    return found


def read_made(
    data: Path, others: Path | None, per_kind: int, papers: int | None, seed: int
) -> tuple[Made, dict[int, Paper]]:
    """What is asked, and the records of the file of papers that are searched too."""
    made = of_questions(items(data)) if has_questions(data) else Made([], [])
    path = others if has_questions(data) else data
    if path is None:
        return made, {}
    records = {line: record for line, record in enumerate(items(path)) if record.get("abstract")}
    if papers is not None and papers < len(records):
        records = {line: records[line] for line in sorted(random.Random(seed).sample(list(records), papers))}
    more = of_papers(list(records.values()), per_kind, seed)
    named = {question.kind for question in made.asked}
    renamed = [
        Asked(f"{q.kind} of papers" if q.kind in named else q.kind, q.text, q.paper, q.evidence)
        for q in more.asked
    ]
    return Made([*made.papers, *more.papers], [*made.asked, *renamed]), records


def drawn(asked: Sequence[Asked], per_kind: int, seed: int) -> list[Asked]:
    """Up to so many questions of each kind, at random."""
    chance = random.Random(seed)
    drawn: list[Asked] = []
    for kind in dict.fromkeys(question.kind for question in asked):
        part = [question for question in asked if question.kind == kind]
        drawn += chance.sample(part, min(per_kind, len(part)))
    return drawn


def as_claim(question: str) -> str:
    """A yes-or-no question as a claim: without its auxiliary and its mark."""
    text = _AUXILIARY.sub("", question.strip().rstrip("?"))
    return text[:1].upper() + text[1:] + "."


def of_papers(read: Sequence[Paper], per_kind: int, seed: int) -> Made:
    """Claims from a file of papers: a conclusion, a title and a finding, each taken out of its own paper."""
    chance = random.Random(seed)
    made = Made([], [])
    order = list(read)
    chance.shuffle(order)
    makers: dict[str, Callable[[Paper], tuple[Paper, Asked] | None]] = {
        "conclusion": _concluding,
        "title": _titled,
        "finding": _finding,
    }
    missing = dict.fromkeys(makers, per_kind)
    for item in order:
        for kind, make in makers.items():
            if missing[kind] and (pair := make(item)):
                made.papers.append(pair[0])
                made.asked.append(pair[1])
                missing[kind] -= 1
                break
        if not any(missing.values()):
            break
    return made


def _concluding(item: Paper) -> tuple[Paper, Asked] | None:
    sections = labelled_paper(item.get("abstract") or "")
    concluding = [text for heading, text in sections if role_of_heading(heading) == "conclusion"]
    rest = [pair for pair in sections if role_of_heading(pair[0]) != "conclusion"]
    abstract, ranges = _joined(rest)
    claim = _claim(" ".join(concluding), item["title"])
    if not claim or not ranges["result"]:
        return None
    asked = Asked("conclusion", claim, str(item["id"]), tuple(ranges["result"]))
    return _paper(item, item["title"], abstract), asked


def _titled(item: Paper) -> tuple[Paper, Asked] | None:
    title, abstract = item["title"], item.get("abstract") or ""
    if ":" in title or not _SHORTEST <= len(title.split()) <= _LONGEST or len(split(abstract)) < 4:
        return None
    return _paper(item, "", abstract), Asked("title", title, str(item["id"]))


def _finding(item: Paper) -> tuple[Paper, Asked] | None:
    abstract = item.get("abstract") or ""
    found = split(abstract)
    if len(found) < 5:
        return None
    odds = Roles.shipped().finding(found)
    places = [
        i
        for i in range(2, len(found))
        if odds[i] > 0.8 and _SHORTEST <= len(found[i].text.split()) <= _LONGEST
    ]
    if not places:
        return None
    taken = found[max(places, key=lambda i: odds[i])]
    left = abstract[: taken.start] + abstract[taken.end :].lstrip()
    return _paper(item, item["title"], left.strip()), Asked("finding", taken.text, str(item["id"]))


def _claim(conclusion: str, subject: str) -> str:
    """The sentence of a conclusion that has most of the subject's words; empty if it is short or long."""
    wanted = {word for word in stems(subject) if word not in STOP_WORDS}
    best = max(
        (sentence.text for sentence in split(conclusion)),
        key=lambda text: len(wanted & set(stems(text))),
        default="",
    )
    return best if _SHORTEST <= len(best.split()) <= _LONGEST + 8 else ""


def _joined(sections: Sequence[tuple[str, str]]) -> tuple[str, dict[str, list[Range]]]:
    """Sections as one text without their headings, and each role's ranges in it."""
    text, ranges = "", {"conclusion": [], "result": []}  # type: tuple[str, dict[str, list[Range]]]
    for heading, part in sections:
        part = " ".join(part.split())
        if not part:
            continue
        start = len(text) + 1 if text else 0
        text = f"{text} {part}" if text else part
        role = role_of_heading(heading)
        if role in ranges:
            ranges[role].append((start, len(text)))
    return text, ranges


def _paper(item: Paper, title: str, abstract: str) -> Paper:
    # Every paper has a title; one that says nothing stands where the real one is asked for.
    return {
        "id": str(item["id"]),
        "title": title or f"Paper {item['id']}",
        "abstract": abstract,
        "authors": item.get("authors") or ["Anonymous"],
    }


def nowhere_answered(count: int, seed: int) -> list[Asked]:
    """Questions of everyday topics, and claims about systems that don't exist."""
    chance = random.Random(seed)
    made = [made_up(chance) for _ in range(count - count // 2)]
    asked = [f"{name} {chance.choice(_SAID)}" for name in made]
    everyday = chance.sample(EVERYDAY, min(count // 2, len(EVERYDAY)))
    return [Asked("no such thing", text) for text in [*asked, *everyday]]


_SAID = (
    "improves accuracy over strong baselines.",
    "is caused by rare tokens in the data.",
    "reduces mortality in elderly patients.",
    "does not generalise to other languages.",
    "halves the time that training takes.",
)
