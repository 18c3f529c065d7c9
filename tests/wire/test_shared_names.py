"""Names that several people share, where one of them is meant without a question: the replies say so."""

from datetime import date

import pytest

from index.identity.passes import identify
from tests.helpers.lab import fill
from tests.helpers.records import record

OTHER = "-# 1 other person publishes as Chen Li (2 papers); "


def written(number, title, coauthor, year=2026):
    return record(
        number, title=title, abstract=f"We study {title}.", authors=["Chen Li", coauthor],
        announced=date(year, 3, 2),
    )  # fmt: skip


@pytest.fixture
async def shared(place):
    """Two people who publish as Chen Li: one with nine papers, the other with two."""
    _, bot, user = place
    drones = [written(700 + n, f"swarms of drones over fields {n}", "Ada Byron") for n in range(9)]
    proofs = [written(800 + n, f"proofs of lattice theorems {n}", "Zed Quux", 1996) for n in range(2)]
    await fill(bot, [*drones, *proofs])
    with bot.services.corpus.writing():
        await identify(bot.services.corpus, full=True)
    await bot.services.insight.refresh()
    return user


async def test_a_list_and_a_card_say_who_else_publishes_under_the_name(shared):
    listed = await shared.slash("/papers author:Chen Li")
    assert "9 papers, newest first" in listed.text
    assert OTHER + "*Not the right person?* shows them." in listed.text
    offered = await listed.press("Not the right person?")
    assert "2 papers" in offered.selects[0]["options"][0]["label"]
    card = await shared.slash("/author name:Chen Li")
    assert "9 papers in this library" in card.text
    assert OTHER + "*Not this person?* shows them." in card.text
    none = await shared.slash("/papers author:Chen Li category:math.CO")
    assert OTHER in none.text, "what is looked for may be one of theirs"
    assert "2 papers" in (await none.press("Not the right person?")).selects[0]["options"][0]["label"]


async def test_a_new_follow_of_one_of_them_offers_the_others(shared):
    reply = await shared.slash("/follow person:Chen Li")
    assert "You follow **Chen Li**" in reply.text
    assert OTHER + "the menu below lists them." in reply.text
    [option] = reply.selects[0]["options"]
    assert "2 papers" in option["label"]
    other = await reply.choose(option["value"])
    assert "You follow **Chen Li**" in other.text
    assert "-# 1 other" not in other.text, "somebody chosen from a menu was meant"


async def test_a_graph_offers_namesakes_with_what_tells_them_apart(lab):
    graph = await lab.user.slash("/graph paper:PrismLLM")
    options = [option for option in graph.selects[0]["options"] if option["label"] == "Jiamin Cao"]
    told = [option["description"] for option in options]
    assert len(told) == 2
    assert told[0] != told[1]
    assert any("3 papers" in one and "with ChonLam Lao" in one for one in told)
    alone = next(option for option in graph.selects[0]["options"] if option["label"] == "ChonLam Lao")
    assert alone["description"] == "person"


@pytest.mark.parametrize("command", ["/graph person:Chen Li", "/similar-people name:Chen Li"])
async def test_a_graph_and_similar_people_say_whom_they_took_and_offer_the_others(shared, command):
    reply = await shared.slash(command)
    assert OTHER + "the menu below lists them." in reply.text
    [option] = reply.selects[-1]["options"]
    assert "2 papers" in option["label"]
    other = await reply.choose(option["value"], reply.selects[-1])
    assert "Chen Li" in other.text
    assert "-# 1 other" not in other.text, "somebody chosen from a menu was meant"


@pytest.mark.parametrize(
    ("command", "first"),
    [("/compare first:Chen Li second:Minlan Yu", True), ("/compare first:Minlan Yu second:Chen Li", False)],
)
async def test_a_comparison_says_whom_it_took_and_compares_with_another(shared, command, first):
    reply = await shared.slash(command)
    heading = "Chen Li and Minlan Yu" if first else "Minlan Yu and Chen Li"
    assert heading in reply.text
    assert "**Chen Li** 9 papers" in reply.text
    assert OTHER + "the menu below lists them." in reply.text
    other = await reply.choose(reply.selects[-1]["options"][0]["value"])
    assert heading in other.text
    assert "**Chen Li** 2 papers" in other.text


async def test_a_comparison_with_a_name_that_nobody_has_more_of_asks_and_goes_on(lab):
    asked = await lab.user.mention("compare Jiamin Cao and ChonLam Lao")
    assert "Which Jiamin Cao?" in asked.text
    chosen = await asked.choose(asked.selects[0]["options"][0]["value"])
    assert "Jiamin Cao and ChonLam Lao" in chosen.text


async def test_a_name_of_one_person_has_no_such_line(lab):
    for command in ("/papers author:ChonLam Lao", "/author name:ChonLam Lao", "/follow person:ChonLam Lao"):
        assert "publishes as" not in (await lab.user.slash(command)).text
