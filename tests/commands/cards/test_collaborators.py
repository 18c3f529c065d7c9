"""Suggested collaborators in a list: reasons in words, from text that may be hostile."""

from dataclasses import replace

from commands.cards.collaborators import head
from index.people.suggest import Between, Suggestion
from tests.helpers.records import PAPER

LI = Suggestion(7, "Li Na", 12, (), 1, 2, 0.71, (), ("gossip",), (), ())
PAPERS = {2: replace(PAPER, id=2, title="Gossip @everyone in **switches**")}


def test_the_closest_paper_is_named_and_harmless():
    text = head(LI, PAPERS)
    assert text.startswith("**Li Na** · 12 papers\n-# Both write on gossip · closest paper: “Gossip ")
    assert "@everyone" not in text
    assert "**switches**" not in text
    assert "0.71" not in text


def test_a_paper_of_both_is_named_as_such():
    both = replace(LI, mine=2, shared=(), between=(Between(3, "Wu Di", 1, 2),))
    assert "both wrote with Wu Di · wrote “Gossip" in head(both, PAPERS).replace("Both", "both")
    assert "” together" in head(both, PAPERS)


def test_a_paper_that_is_gone_or_waits_to_be_embedded_is_no_reason():
    assert "closest paper" not in head(LI, {})
    assert "closest paper" not in head(replace(LI, closeness=0.0), PAPERS)
