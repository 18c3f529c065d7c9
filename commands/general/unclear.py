"""What to say where a direct message goes on from something, and it isn't clear from what."""

from __future__ import annotations

from commands.cards.text import plural, shown
from index.answers.asked_before import Among, Before
from index.answers.unclear import UnclearError


def unclear(error: UnclearError, before: Before | None) -> str:
    """What is unclear, and what to say instead."""
    among = before.choices if before is not None else Among()
    about = shown(error.about, 100)
    if error.what == "paper":
        return _which(among)
    if error.what == "other":
        return _which_other(among, before)
    if error.what == "next":
        how = ", or say a number: “the second one”" if among.ids else ""
        return f"For more, press *Next ▶* below a list{how}."
    if error.what == "author":
        return "I don't know which of the paper's authors you mean. Please name one of them."
    if error.what == "whom":
        return "I don't know whom you mean. Please name the person, or one of their papers."
    if error.what == "unknown":
        return (
            f"I can't compare it with “{about}”, because I know no paper about that. Say “similar papers” to "
            "see what is close to it."
        )
    if error.what == "follow":
        return f"To follow {about}, use /follow, or press *Follow* on the card."
    if error.what == "person":
        return (
            f"I can't tell you that about {about}. Try “papers by {about}”, “who does {about} work with?” or "
            f"“people like {about}”."
        )
    if len(among.ids) > 1:
        return (
            f"I don't know what you want to compare: my last reply showed {_what(among)}. Say, for example, "
            "“compare the first and the second one”."
        )
    return "I can compare two papers, or two people. Please name both: “compare PrismLLM and TrainMover”."


def _which(among: Among) -> str:
    """What to say where somebody means one that isn't among those shown last."""
    if not among.ids:
        return "I don't know which paper you mean. Please name it."
    one = "person" if among.people else "paper"
    name = "them" if among.people else "it"
    return f"I don't know which {one} you mean: my last reply showed {_what(among)}. Please name {name}."


def _which_other(among: Among, before: Before | None) -> str:
    """What to say where "the other one" could be several, or none."""
    if len(among.ids) < 2:
        return "I don't know which other one you mean. Please name it."
    if before is not None and before.chosen in among.ids:
        return (
            f"I don't know which other one you mean: that list shows {_what(among)}. Say, for example, “the "
            "second one”."
        )
    return (
        f"I don't know which one you mean: my last reply showed {_what(among)}. Say “the first one” or “the "
        "second one”."
    )


def _what(among: Among) -> str:
    """The papers or people of a list: ``5 papers``, ``papers 6 to 10``."""
    if among.people:
        return plural(len(among.people), "person", "people")
    if among.first == 1 or len(among.papers) == 1:
        return plural(len(among.papers), "paper")
    return f"papers {among.first} to {among.first + len(among.papers) - 1}"
