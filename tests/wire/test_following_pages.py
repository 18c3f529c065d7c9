"""`/following` shows all that a member follows, a page at a time, and ends any of it."""

import pytest


@pytest.fixture
async def follows(own):
    """Sixty papers, two topics and a category."""
    services, user = own
    members, member = services.store.members, int(user.user["id"])
    for number in range(1, 61):
        await members.follow(member, "paper", str(number), f"Paper number {number}")
    for topic in ("gossip", "switches"):
        await members.follow(member, "topic", topic, topic)
    await members.follow(member, "category", "cs.NI", "cs.NI")
    return services, user


def offered(reply):
    return [option["label"] for option in reply.selects[0]["options"]]


async def test_every_page_can_be_reached_and_each_entry_unfollowed(follows):
    _, user = follows
    page = await user.slash("/following")
    seen = offered(page)
    assert "**Papers** (60), 1 to 25: “Paper number 60”, “" in page.text
    assert "**Topics**" not in page.text
    while any(button["label"] == "Next" for button in page.buttons):
        page = await page.press("Next")
        assert page.message["flags"] & 64
        seen += offered(page)
    assert seen == [f"Paper number {number}" for number in range(60, 0, -1)]
    assert "51 to 60: “Paper number 10”, “" in page.text
    ended = await page.choose(page.selects[0]["options"][-1]["value"])
    assert "no longer follow **Paper number 1**" in ended.text
    assert "51 to 59" in (await (await page.press("Back")).press("Next")).text
    topics = await page.press("Topics (2)")
    assert offered(topics) == ["switches", "gossip"]
    assert [button["label"] for button in topics.buttons] == ["Papers (59)", "Categories (1)"]
    assert offered(await topics.press("Categories (1)")) == ["cs.NI"]


async def test_a_page_that_has_gone_meanwhile_becomes_the_last_one(follows):
    services, user = follows
    page = await (await user.slash("/following")).press("Next")
    members, member = services.store.members, int(user.user["id"])
    for follow in await members.following(member):
        if follow.kind != "topic":
            await members.unfollow(member, follow.id)
    page = await page.press("Next")
    assert "**Topics** (2) “switches”, “gossip”" in page.text


async def test_topics_with_commas_are_told_apart_by_quotes(place):
    _, _, user = place
    for topic in ("RAG", "MoE, drones, but not forests"):
        await user.slash(f"/follow topic:{topic}")
    page = await user.slash("/following")
    assert "**Topics** (2) “MoE, drones, but not forests”, “RAG”" in page.text
