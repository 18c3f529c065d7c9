"""What was asked before in a direct message: what the next message there may go on from."""

from __future__ import annotations

from dataclasses import dataclass

from data.stores.asked_questions import AskedQuestion
from index.answers.followups import subject, system_in
from index.search.search import Search


@dataclass(frozen=True, slots=True)
class Among:
    """The papers, or the people, of a list that was shown: "the second one" is one of them.

    Attributes
    ----------
    papers, people
        Their store ids, from top to bottom; one of both is empty.
    first
        The number that the first of them has in the list, whose first page has others.
    """

    papers: tuple[int, ...] = ()
    people: tuple[int, ...] = ()
    first: int = 1

    def __bool__(self) -> bool:
        """Whether it has any."""
        return bool(self.ids)

    @property
    def ids(self) -> tuple[int, ...]:
        """Their store ids, whatever they are."""
        return self.papers or self.people


NO_LIST = Among()


@dataclass(frozen=True, slots=True)
class Before:
    """What was asked before in a place.

    Attributes
    ----------
    command
        What answered: ``ask``, ``search``, ``papers``; with a card, ``paper`` or ``author``; or ``list``,
        where only the papers or people that were listed can be meant.
    said
        The question, as it was taken; or the words of the search; or what named the paper or person.
    asked
        What the next question may refer to.
    among
        The list that was shown, or from which the paper or person of the card was taken.
    person
        The name by which /author finds the person whose card or papers were shown; empty for none.
    chosen
        The store id of the paper or person whose card was shown; 0 for none.
    """

    command: str
    said: str
    asked: AskedQuestion
    among: Among = NO_LIST
    person: str = ""
    chosen: int = 0

    @property
    def choices(self) -> Among:
        """What "the second one" is one of."""
        return self.among or Among(self.asked.papers)


async def listed(command: str, said: str, search: Search, among: Among, person: str = "") -> Before:
    """What a list of papers leaves for the next message: its subject, and the papers shown."""
    about = subject((await search.understand(said)).text, search.rarity)
    return Before(command, said, AskedQuestion(said, about, {}, among.papers), among, person)


def only_listed(said: str, among: Among) -> Before:
    """What any other list leaves: the papers or people in it."""
    return Before("list", said, AskedQuestion(said, "", {}, among.papers), among)


def on_card(paper: int, title: str, said: str, among: Among = NO_LIST) -> Before:
    """What a paper's card leaves for the next message: the paper, and what named it."""
    about = (system_in(title) or title).replace(",", " ")
    return Before("paper", said, AskedQuestion(said, about, {"paper": paper}, (paper,)), among, chosen=paper)


def on_person(person: int, name: str, called: str, among: Among = NO_LIST) -> Before:
    """What a person's card leaves for the next message: the person, and a name that nobody else has."""
    return Before("author", name, AskedQuestion(name, "", {}, ()), among, called, person)
