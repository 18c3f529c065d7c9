"""A group among the authors has a card that says so, and is suggested to nobody."""

from index.identity.passes import identify
from tests.helpers.lab import fill
from tests.helpers.records import record


async def test_a_group_is_suggested_to_nobody(scene):
    papers = [
        record(
            number,
            title=f"Zebra crossing of traffic lights {number}",
            abstract="Zebra crossings are made of traffic lights.",
            authors=["Qwen Team", "Grace Hopper"],
        )
        for number in range(4_001, 4_005)
    ]
    await fill(scene.bot, papers)
    corpus = scene.bot.services.corpus
    with corpus.writing():
        await corpus.embed_backlog()
        await identify(corpus)
    await scene.bot.services.insight.refresh()
    known = (await scene.user.slash("/who-knows topic:zebra crossing")).text
    assert "Grace Hopper" in known
    assert "Qwen Team" not in known
    card = (await scene.user.slash("/author Qwen Team")).text
    assert "this is a group, not a person" in card
    assert "Qwen Team" not in (await scene.user.slash("/author Grace Hopper")).text
