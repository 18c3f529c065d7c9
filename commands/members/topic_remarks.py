"""How a topic that a member follows was read, and what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

from commands.cards.digest_replies import description_lines
from commands.cards.text import shown
from commands.kit.replies import UserError
from commands.kit.services import Services
from commands.kit.which_person import whom
from data.keys import title_words
from data.stores.people import Person
from index.digest.description import check_description
from index.search.word_codes import STOPWORDS


@dataclass(frozen=True, slots=True)
class Remarks:
    """What to say beside a new follow, and what else may have been meant.

    Attributes
    ----------
    lines
        How a topic was read, and what may be wrong with it.
    corrected
        The topic with its typos corrected; empty where it has none.
    person
        Whose name stands in the topic.
    namesakes
        The people who share that name, if several do.
    """

    lines: tuple[str, ...] = ()
    corrected: str = ""
    person: Person | None = None
    namesakes: tuple[int, ...] = ()


NO_REMARKS = Remarks()


async def remarks_on(services: Services, topic: str) -> Remarks:
    """How a topic was read, and what may be wrong with it.

    Raises
    ------
    UserError
        Where it only says what to leave out.
    """
    read = await check_description(services.search, topic)
    if read is None:
        return NO_REMARKS
    if read.without and not read.subject:
        raise UserError(
            "This only says what to leave out. Say what to look for, too, such as: drones, but not robots."
        )
    lines = description_lines(read, followed=True)
    terms = services.corpus.words.terms(read.subject or topic)
    if all(word in STOPWORDS for word in title_words(topic)):
        raise UserError(_too_common(topic))
    if not any(term.in_titles or term.in_abstracts for term in terms):
        lines.append(f"-# No paper that I know has {'these words' if len(terms) > 1 else 'this word'} yet.")
    meant = await whom(services, read.people[0]) if read.people else None
    person = meant.person if meant else None
    return Remarks(tuple(lines), read.corrected, person, meant.others if meant and person is None else ())


def _too_common(topic: str) -> str:
    """A topic has only words such as "the"."""
    words = "These words are" if len(topic.split()) > 1 else "This word is"
    return (
        f"“{shown(topic, 60)}” can't be a topic: {words.lower()} too common to find papers by. Say what they "
        "should be about, such as: in-network aggregation."
    )
