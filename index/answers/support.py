"""Whether a quote supports a sentence: numbers, names and negation must agree, and meaning be near."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from index.answers.matching import STOP_WORDS
from index.answers.numbers import Number
from index.answers.order import misplaced
from index.answers.statement import Statement
from index.answers.turning_words import HEDGES, NEGATORS
from index.search.passages import WEAK

NEAR = 0.50
"""The least cosine of a sentence with its quote."""
COVERED = 0.75
"""The least share of a sentence's content words that stand in its quote. Both from `evaluate rephrasing`."""
_GENERAL = 0.4
"""What a word that says nothing about a subject ("method", "improve") counts within this share."""
_TELLERS = frozenset({"author", "authors"})
"""How others say "we"."""
_NEIGHBOURS = 5
"""How far from its number a quote may say what is counted."""
_ROOT = 6
"""Letters at the beginning that make two words forms of one: differ and difference."""
_SHORTEST = 2
"""Content words and numbers of a sentence that states something."""
_ADDRESS = re.compile(r"@|\w\.[a-z]{2,}|^https?$|^www\b")
"""Where somebody could be led: never shown in a model's words, whatever a quote says."""
_AFFIXES = ("un", "in", "im", "non", "dis", "ir")


@dataclass(frozen=True, slots=True)
class Support:
    """What a quote says about a sentence.

    Attributes
    ----------
    against
        Why it doesn't support it ("number", "name", "negation", ...); empty where it does.
    near
        Their cosine.
    covered
        The share of the sentence's content words that the quote has.
    """

    against: str
    near: float
    covered: float

    @property
    def holds(self) -> bool:
        """Whether the sentence may cite the quote."""
        return not self.against


def support(sentence: Statement, quote: Statement, near: float) -> Support:
    """Judge one sentence by one quote.

    Parameters
    ----------
    near
        The cosine of their embeddings.
    """
    covered = coverage(sentence, quote)
    against = disagreement(sentence, quote)
    if not against and covered < COVERED:
        against = "words"
    if not against and near < NEAR:
        against = "meaning"
    return Support(against, near, covered)


def disagreement(sentence: Statement, quote: Statement) -> str:
    """The first thing in a sentence that its quote says otherwise or not at all; empty if there is none."""
    if len(sentence.line) < _SHORTEST:
        return "words"
    if any(_ADDRESS.search(name) for name in sentence.names):
        return "address"
    if not _numbers_stand(sentence, quote):
        return "number"
    if not _names_stand(sentence, quote):
        return "name"
    if _negated_otherwise(sentence, quote):
        return "negation"
    if any(not ends & quote.poles.get(scale, ends) for scale, ends in sentence.poles.items()):
        return "direction"
    if misplaced(sentence, quote):
        return "order"
    if not sentence.strong <= quote.parts:
        return "strength"
    said = {sentence.stems[place] for place in sentence.content}
    if (
        _turned_by_one_word(sentence, quote, HEDGES)
        or (said & quote.hedged[0]) - sentence.hedged[0] - sentence.hedged[1]
    ):
        return "certainty"
    return ""


def coverage(sentence: Statement, quote: Statement) -> float:
    """The share of a sentence's content words whose stems the quote has; general words count less."""
    whole = found = 0.0
    for place in sentence.content:
        word, each = sentence.folded[place], sentence.stems[place]
        weight = _GENERAL if word in WEAK or word in _TELLERS else 1.0
        whole += weight
        has = all(part in quote.parts or _related(part, quote) for part in each.split("-"))
        found += weight * (has or quote.says(sentence.words[place]))
    return found / whole if whole else 0.0


def _related(word: str, quote: Statement) -> bool:
    """Whether the quote has another form of a word."""
    return len(word) >= _ROOT and any(known.startswith(word[:_ROOT]) for known in quote.parts)


def _numbers_stand(sentence: Statement, quote: Statement) -> bool:
    return all(
        any(_same(sentence, number, quote, other) for other in quote.numbers if _equal(number, other))
        for number in sentence.numbers
    )


def _equal(one: Number, other: Number) -> bool:
    return one.unit == other.unit and abs(one.value - other.value) <= 1e-9 * max(1.0, abs(one.value))


def _same(sentence: Statement, number: Number, quote: Statement, other: Number) -> bool:
    """Whether two equal numbers count the same thing."""
    following = number.place + 1
    if (
        not number.unit
        and following in sentence.content
        and sentence.clauses[following] == sentence.clauses[number.place]
    ):
        start = max(0, other.place - _NEIGHBOURS)
        near = {
            part for each in quote.stems[start : other.place + _NEIGHBOURS + 1] for part in each.split("-")
        }
        if not near & set(sentence.stems[following].split("-")) and sentence.folded[following] not in WEAK:
            return False
    before = [
        each.folded[at.place - 1 : at.place] for each, at in ((sentence, number), (quote, other)) if at.place
    ]
    return set(before) != {("from",), ("to",)}


def _names_stand(sentence: Statement, quote: Statement) -> bool:
    if not all(quote.says(name) for name in sentence.names):
        return False
    first = sentence.opening
    if not first or first.lower() in STOP_WORDS | WEAK | NEGATORS or quote.says(first):
        return True
    root = first.lower()[: _ROOT - 1]
    return len(first) >= _ROOT and any(known.startswith(root) for known in quote.folded)


def _negated_otherwise(sentence: Statement, quote: Statement) -> bool:
    heads, reached = sentence.negated
    quoted_heads, quoted_reach = quote.negated
    if sentence.negations > quote.negations or (heads and not quoted_heads):
        return True
    said = {sentence.stems[place] for place in sentence.content}
    if _turned_by_one_word(sentence, quote, NEGATORS):
        return True
    if any(_with_affix(each, quote) for each in said if each not in quote.parts):
        return True
    if not heads:
        plain = {quote.stems[place] for place in quote.content} - quoted_reach
        return bool((said & quoted_reach) - plain) or bool(said & quoted_heads)
    return not (heads - {""}) <= quoted_reach | quoted_heads or bool((said & quoted_heads) - reached - heads)


def _turned_by_one_word(sentence: Statement, quote: Statement, markers: frozenset[str]) -> bool:
    """Whether two words stand together here that the quote has only with such a word between them."""
    here = set(pairwise(sentence.folded)) | set(_gaps(sentence.folded, None))
    there = set(pairwise(quote.folded)) | set(_gaps(quote.folded, markers, without=True))
    return bool((set(_gaps(quote.folded, markers)) & here) - there - set(_gaps(sentence.folded, markers)))


def _gaps(
    words: Sequence[str], between: frozenset[str] | None, *, without: bool = False
) -> Iterator[tuple[str, str]]:
    """Pairs of words with one between them: any, one of these, or none of these."""
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        marked = between is None or word in between or (between is NEGATORS and word.endswith("n't"))
        if marked != without:
            yield before, after


def _with_affix(each: str, quote: Statement) -> bool:
    """Whether the quote has a word only as its opposite: reliable for unreliable, or the reverse."""
    longer = any(affix + each in quote.parts for affix in _AFFIXES)
    return longer or any(
        len(each) > len(affix) + 3 and each.startswith(affix) and each.removeprefix(affix) in quote.parts
        for affix in _AFFIXES
    )
