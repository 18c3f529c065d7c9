"""Questions without an answer get none: nonsense, other topics and unknown ids, asked of the sample."""

from __future__ import annotations

import re

import pytest

CHEESE = (
    "Washed-rind cheese is made from raw milk that is curdled with rennet, cut, pressed and turned by hand. "
    "We describe how the wheels are salted in brine and ripened on spruce boards in a humid cellar for eight "
    "to twelve weeks, how often the rind has to be rubbed, and why the milk of cows that graze on summer "
    "pastures tastes of herbs."
)


@pytest.mark.parametrize(
    "query",
    [
        "asdfghjkl",
        "the",
        "of the and",
        "cheese making",
        "how to bake sourdough bread",
        "9999.99999",
        "Zorvexnet",
    ],
)
async def test_a_search_for_what_is_not_there_says_so_and_marks_its_guesses(lab, query):
    reply = await lab.user.slash(f"/search {query}")
    assert "None of the 7 papers fits" in reply.text
    assert len(reply.buttons) <= 3, "few guesses, and no next page of them"
    assert ("closest guesses" in reply.text) == bool(reply.buttons)


@pytest.mark.parametrize("topic", ["cheese making", "asdfghjkl", "the", "!!!", "protein folding"])
async def test_nobody_knows_a_topic_that_no_paper_is_on(lab, topic):
    for command in ("/who-knows", "/collaborators topic:"):
        reply = await lab.user.slash(f"{command} {topic}")
        assert "None of the 7 papers" in reply.text
        assert "can't name anyone who knows it" in reply.text
        assert not reply.buttons, "nobody is offered"


async def test_who_knows_counts_only_papers_that_are_on_the_topic(lab):
    reply = await lab.user.slash("/who-knows gradient compression")
    assert "**ChonLam Lao** · 1 paper found" in reply.text
    assert re.search(
        r"Counted among the papers that fit best \([1-7]\); people may have written more", reply.text
    )
    assert "Jiamin Cao" not in reply.text


@pytest.mark.parametrize("command", ["/paper", "/similar", "/graph paper:"])
@pytest.mark.parametrize("typed", ["1234", "qqqqqq", "!!!"])
async def test_what_names_no_paper_gets_guesses_marked_as_such(lab, command, typed):
    reply = await lab.user.slash(f"{command} {typed}")
    assert "No paper matches" in reply.text
    assert "none of them matches" in reply.selects[0]["placeholder"]
    assert "No paper matches" not in (await reply.choose("TrainMover")).text


async def test_an_id_that_nobody_has_leads_to_those_a_digit_away_alone(lab):
    reply = await lab.user.slash("/paper 2605.15671")
    assert "“2605.15671” is not among the" in reply.text
    assert [option["label"][:9] for option in reply.selects[0]["options"]] == ["A Few GPU"]
    far = await lab.user.slash("/similar 9999.99999")
    assert "“9999.99999” is not among the" in far.text
    assert not far.selects


async def test_a_pasted_text_on_something_else_gets_only_guesses(lab):
    reply = await lab.user.slash(f"/similar {CHEESE}")
    assert "None of the 7 papers fits" in reply.text


@pytest.mark.parametrize(
    "query",
    [
        "fault tolerance of GPU training",
        "training",
        "gradient compression",
        "how do I survive broken machines while training a big network",
        "simulating clusters cheaply",
        '"in-network aggregation"',
        "PrismLM",
        "2605.15617",
        "Cora",
        "year:2025",
        "training author:Shaoke Xi",
    ],
)
async def test_what_is_there_is_found_without_a_doubt(lab, query):
    reply = await lab.user.slash(f"/search {query}")
    assert "No paper matches" not in reply.text
    assert "1. **[" in reply.text
