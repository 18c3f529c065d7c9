"""`/similar r1`: a short name that stands for a system's whole name, over real sockets."""

from tests.helpers.lab import fill
from tests.helpers.records import record

TITLES = ("Wombat-R1: Digging as Quokka-R1 Hops", "Quokka-R1: Learning to Hop", "On What Quokka-R1 Thinks")


async def test_the_last_part_of_a_name_is_taken_for_the_system_that_papers_mean(place):
    _, bot, user = place
    await fill(bot, [record(800 + n, title=title) for n, title in enumerate(TITLES)])
    choices = await user.complete("/similar paper:r1")
    assert choices[0]["name"] == "Quokka-R1: Learning to Hop"
    reply = await user.slash("/similar r1")
    assert "## Similar to Quokka-R1: Learning to Hop" in reply.text
    others = [option["label"] for option in reply.selects[0]["options"]]
    assert TITLES[0] in others, "and the others are offered"
