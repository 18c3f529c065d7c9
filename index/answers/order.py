"""Whether a sentence has its quote's words in another's place: names, numbers or sides exchanged."""

from __future__ import annotations

from itertools import pairwise

from index.answers.statement import Statement, stem_of_names
from index.answers.turning_words import opposite

_CLEARLY = 2
"""Words by which more must have changed sides than stayed."""
_FAR = 2
"""Words; what stands nearer still belongs together."""


def misplaced(sentence: Statement, quote: Statement) -> bool:
    """Whether something stands where the quote has something else of its kind."""
    return (
        _roles_exchanged(sentence, quote)
        or _turned_round(sentence, quote)
        or _of_another_word(sentence, quote)
        or _taken_from_a_foil(sentence, quote)
        or any(_replaces_a_rival(sentence, quote, own, rivals) for own, rivals in _entities(sentence, quote))
    )


def _entities(sentence: Statement, quote: Statement) -> list[tuple[str, frozenset[str]]]:
    """Numbers, names and words of direction of a sentence, each with what could be mixed up with it."""
    numbers = frozenset(each for each in quote.line if " " in each)
    names = stem_of_names(quote)
    found: list[tuple[str, frozenset[str]]] = []
    for each in dict.fromkeys(sentence.line):
        if " " in each:
            found.append((each, numbers - {each}))
        elif each in names:
            found.append((each, names - {each}))
        elif rivals := frozenset(word for word in quote.line if opposite(each, word)):
            found.append((each, rivals))
    return found


def _replaces_a_rival(sentence: Statement, quote: Statement, own: str, rivals: frozenset[str]) -> bool:
    """Whether a rival has the neighbours in the quote that a word has in the sentence."""
    line, known = sentence.line, quote.line
    for place, each in enumerate(line):
        if each != own:
            continue
        before = line[place - 1] if place else ""
        after = line[place + 1] if place + 1 < len(line) else ""
        if _stands_between(known, before, own, after):
            continue
        if before and after and any(_stands_between(known, before, rival, after) for rival in rivals):
            return True
        for neighbour, step, opposite_one in ((before, 1, after), (after, -1, before)):
            if known.count(neighbour) != 1 or " " in neighbour or _near(known, own, opposite_one):
                continue
            at = known.index(neighbour)
            beside = known[at + step : at + step + 1] if at + step >= 0 else ()
            if beside and beside[0] in rivals and own in known and not _near(known, own, neighbour):
                return True
    return False


def _near(line: tuple[str, ...], one: str, other: str) -> bool:
    """Whether two words of a line stand close together."""
    places = [place for place, each in enumerate(line) if each == one]
    return any(abs(place - at) <= _FAR for at, each in enumerate(line) if each == other for place in places)


def _stands_between(line: tuple[str, ...], before: str, word: str, after: str) -> bool:
    """Whether a line has these next to each other; an empty neighbour may be anything."""
    return any(
        each == word
        and (not before or (place > 0 and line[place - 1] == before))
        and (not after or line[place + 1 : place + 2] == (after,))
        for place, each in enumerate(line)
    )


def _roles_exchanged(sentence: Statement, quote: Statement) -> bool:
    """Whether what stands before a word in one stands behind it in the other, on both sides."""
    for pivot, (before, after) in sentence.sides.items():
        if pivot not in quote.sides:
            continue
        quoted_before, quoted_after = quote.sides[pivot]
        forth = len((before & quoted_after) - quoted_before)
        back = len((after & quoted_before) - quoted_after)
        straight = len(before & quoted_before) + len(after & quoted_after)
        if forth and back and forth + back >= straight + _CLEARLY:
            return True
    return False


def _turned_round(sentence: Statement, quote: Statement) -> bool:
    """Whether two numbers, or two names not joined by "and", stand side by side in the other order."""
    pairs = set(pairwise(quote.line))
    names = stem_of_names(quote)
    return any(
        one != other
        and (other, one) in pairs
        and (one, other) not in pairs
        and ((" " in one and " " in other) or ({one, other} <= names and not sentence.joined(one, other)))
        for one, other in pairwise(sentence.line)
    )


def _of_another_word(sentence: Statement, quote: Statement) -> bool:
    """Whether a number follows a word here that another number of its unit follows in the quote."""
    single = frozenset(each for each in quote.line if quote.line.count(each) == 1 and " " not in each)
    there = _owners(quote.line, single)
    for name, number in _owners(sentence.line, single):
        unit = number.partition(" ")[2]
        theirs = {other for other, known in there if known == number}
        rivals = {known for other, known in there if other == name and known.partition(" ")[2] == unit}
        if rivals and number not in rivals and theirs and name not in theirs:
            return True
    return False


def _owners(line: tuple[str, ...], words: frozenset[str]) -> list[tuple[str, str]]:
    """Each number with the last of some words before it."""
    found, last = [], ""
    for each in line:
        if each in words:
            last = each
        elif " " in each and last:
            found.append((last, each))
    return found


def _taken_from_a_foil(sentence: Statement, quote: Statement) -> bool:
    """Whether a sentence says of one thing what its quote says of it only in comparison."""
    said = {sentence.stems[place] for place in sentence.content}
    return bool((said & quote.foil) - sentence.foil)
