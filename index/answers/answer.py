"""Answers made of quoted sentences: the contract, and the whole way from a question to its quotes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from index.answers.choosing import LEAST, choose, denies, reading_order
from index.answers.defining import AskedName, Definition, defined, definitions
from index.answers.evidence import Reading, SentenceEvidence
from index.answers.figures import STATES
from index.answers.matching import Rarity
from index.answers.passage import Passage
from index.answers.scorer import Scorer
from index.search.embedding import Embedder, Worded

Encode = Callable[[list[str]], np.ndarray]
"""Embeds texts: float32, shape (texts, dimension), unit rows."""
MOST = 6
SOFT = 4.0
"""An answer is made of several sentences: their log-chances are divided by this before they are compared."""
ANSWERED = 0.25
"""The least confidence with which an answer from papers that were found is given: most of the answers above
it hold a sentence that answers (``python -m benchmarks.judged_answers``)."""
ANSWERED_LONG = 0.15
"""The same for a question so long that no abstract has all of its words."""
SHORT_QUESTION, LONG_QUESTION = 9, 18
"""Content words of questions that are short and long; between them, the least confidence falls evenly."""
ANSWERED_CHOSEN = 0.37
"""The least confidence where the papers were chosen: half a chance that the paper answers, times that of its
best sentence, which is right in about 73 of 100 questions."""
FIGURE, HAS_FIGURE = 5.0, 2.0
"""What a sentence that states the number asked for gains beside others of its paper, in log-odds, and what
its paper gains beside others: another model's number must not answer for the one that was meant."""
LEAST_FIGURE = 0.5
"""A number worth less than this share of the best one is left out: it is of something else."""
DEFINED = 0.8, 0.6
"""How likely a sentence answers that clearly says what is asked, and one that says it less clearly. For 28 of
31 things asked about on arXiv, the first one said what the thing is."""
CLEAR, SPELT_OUT = 2.7, 3.0
"""From which strength of a definition, and from how many papers that spell initials out, it is clear."""
CHOSEN = 4.0
"""How much likelier a paper answers, in log-odds, if it was chosen for the question and not found for it."""


@dataclass(frozen=True)
class Quote:
    """A sentence of a passage.

    Attributes
    ----------
    passage
        The place of its passage in the list that was given.
    start, end
        ``passage.text[start:end] == text``.
    score
        The probability that it is the sentence that answers; higher is better.
    """

    passage: int
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True)
class Answer:
    """What was found.

    Attributes
    ----------
    answered
        False if the evidence is weak; ``quotes`` are the nearest sentences then.
    confidence
        The calibrated probability that the first quote answers, 0 to 1.
    quotes
        In an order that reads: the best one first, sentences of one paper together.
    contradicting
        Pairs of places in ``quotes``.
    best_of_each
        The best sentence of each paper that was compared, quoted or not.
    """

    answered: bool
    confidence: float
    quotes: tuple[Quote, ...]
    contradicting: tuple[tuple[int, int], ...] = ()
    best_of_each: tuple[Quote, ...] = ()

    def best_first(self) -> tuple[Quote, ...]:
        """The quotes by score."""
        return tuple(sorted(self.quotes, key=lambda quote: -quote.score))


class Answerer:
    """Answers questions from passages."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    @classmethod
    def shipped(cls) -> Answerer:
        """With the model in ``index/models``.

        Raises
        ------
        index.models.shipped.ModelDamagedError
            If it is missing or its checksum differs.
        """
        return cls(Scorer.shipped())

    def answer(
        self,
        question: str,
        passages: Sequence[Passage],
        vectors: Encode | Embedder,
        *,
        most: int = MOST,
        rarity: Rarity | None = None,
        chosen: bool = False,
    ) -> Answer:
        """Choose the sentences that answer a question.

        Parameters
        ----------
        passages
            Any number; each of any length. Their order doesn't matter.
        vectors
            An embedder, or what embeds texts; called once. An embedder compares word by word, too, which
            finds the right paper more often.
        most
            Sentences at most.
        rarity
            The idf of stems in the library; by default it is counted in the passages.
        chosen
            Whether the question was put to these passages, so that they need not be found by it.
        """
        if (asked := defined(question)) is not None and (found := definitions(asked, passages)):
            return of_definitions(asked, found)
        reading = Reading(question, passages, rarity)
        return self.conclude(compared(reading, vectors), most, chosen=chosen)

    def conclude(
        self, evidence: SentenceEvidence, most: int = MOST, *, least: float = LEAST, chosen: bool = False
    ) -> Answer:
        """The answer that the evidence gives.

        Parameters
        ----------
        least
            A sentence worth less than this share of the best one is left out.
        """
        if not evidence.sentences:
            return Answer(False, 0.0, ())
        scores = _with_figures(self._scorer.scores(evidence), evidence)
        confidence = self._scorer.confidence(evidence, scores, CHOSEN if chosen else 0.0)
        chances = np.exp(scores)

        def as_quotes(places: Sequence[int]) -> tuple[Quote, ...]:
            return tuple(_quote(evidence, place, confidence * chances[place]) for place in places)

        worth = np.exp((scores - scores.max()) / SOFT)
        if evidence.stated[np.argmax(scores)] == STATES:  # what has no such number doesn't answer
            worth[evidence.stated < STATES], least = 0.0, max(least, LEAST_FIGURE)
        places = choose(worth, evidence, most, least)
        ordered = reading_order(places, evidence)
        quotes = as_quotes(ordered)
        pairs = tuple(
            (one, other)
            for one, other in combinations(range(len(ordered)), 2)
            if denies(ordered[one], ordered[other], evidence)
        )
        answered = confidence >= least_confidence(evidence.content_words, chosen=chosen)
        best = as_quotes(_best_of_each(scores, evidence.papers))
        return Answer(answered, confidence, quotes, pairs, best)


def _with_figures(scores: np.ndarray, evidence: SentenceEvidence) -> np.ndarray:
    """Log-probabilities of sentences, given how well each states the number that is asked for, if one is."""
    if not evidence.stated.any():
        return scores
    out = scores.copy()
    for paper in set(evidence.papers.tolist()):
        own = evidence.papers == paper
        whole = np.logaddexp.reduce(scores[own]) + HAS_FIGURE * evidence.stated[own].max()
        inside = scores[own] + FIGURE * evidence.stated[own]
        out[own] = whole + inside - np.logaddexp.reduce(inside)
    return np.asarray(out - np.logaddexp.reduce(out))


def of_definitions(asked: AskedName, found: Sequence[Definition]) -> Answer:
    """The answer to the question what a thing is, from the sentences that say so, the clearest first."""
    clear = SPELT_OUT if asked.initials else CLEAR
    sure, less = DEFINED
    confidence = sure if found[0].strength >= clear else less
    quotes = [
        Quote(one.passage, one.sentence.start, one.sentence.end, one.sentence.text, confidence / place)
        for place, one in enumerate(found, 1)
    ]
    return Answer(True, confidence, tuple(quotes))


def least_confidence(words: int, *, chosen: bool = False) -> float:
    """The confidence from which on an answer is given to a question of so many content words."""
    if chosen:
        return ANSWERED_CHOSEN
    return float(np.interp(words, (SHORT_QUESTION, LONG_QUESTION), (ANSWERED, ANSWERED_LONG)))


def _best_of_each(scores: np.ndarray, papers: np.ndarray) -> list[int]:
    """The place of each paper's best sentence, the best paper first."""
    best_first = np.argsort(-scores, kind="stable")
    _, firsts = np.unique(papers[best_first], return_index=True)
    return [int(place) for place in best_first[np.sort(firsts)]]


def compared(reading: Reading, vectors: Encode | Embedder) -> SentenceEvidence:
    """The evidence of a reading, with its texts embedded."""
    if not isinstance(vectors, Embedder):
        return reading.evidence(vectors(reading.texts))
    vectors.load()
    if not vectors.has_words:
        return reading.evidence(vectors.encode(reading.texts))
    found = vectors.encode_words(reading.texts)
    return worded(reading, found, vectors.pieces(reading.texts[0]))


def worded(reading: Reading, found: Sequence[Worded], places: Sequence[tuple[int, int]]) -> SentenceEvidence:
    """The evidence of a reading from its texts' embeddings and those of their word pieces."""
    return reading.evidence(np.stack([one.row for one in found]), [one.words for one in found], places)


def _quote(evidence: SentenceEvidence, place: int, score: float) -> Quote:
    found = evidence.sentences[place]
    return Quote(found.passage, found.start, found.end, found.text, float(score))
