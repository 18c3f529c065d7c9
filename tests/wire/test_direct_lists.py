"""In a direct message, "the second one" is one of the page shown, and "the other one" the other of two."""

import pytest

from bot.local_discord.server import LocalDiscord
from tests.helpers.lab import fill, started
from tests.helpers.records import record

WALKS = 12


@pytest.fixture
async def user(tmp_path):
    """A member in direct messages with a Labmate that knows twelve papers on penguins, two on yaks."""
    async with LocalDiscord() as discord, started(discord, tmp_path, labmate_pictures=False) as lab:
        about = [
            record(800 + n, title=f"Penguins of Island {n}", abstract=f"Penguins walk on island number {n}.")
            for n in range(WALKS)
        ]
        yaks = [
            record(830 + n, title=f"Yaks {n}", abstract="Yaks graze on plateaus.", authors=["Yan Yak"])
            for n in range(2)
        ]
        named = [
            record(840, title="Tent: Test-Time Adaptation", abstract="Networks adapt."),
            record(841, title="BLAST: Matrices", abstract="Matrices have blocks."),
        ]
        editorials = [
            record(850 + n, title="Editorial", abstract=f"Okapis in the {season}.", authors=[author])
            for n, (season, author) in enumerate((("spring", "Ola Okapi"), ("autumn", "Bob Bull")))
        ]
        await fill(lab.bot, [*about, *yaks, *named, *editorials, record(860, title="Former Quokkas")])
        await fill(lab.bot, [record(860, title="Latter Quokkas", abstract="Quokkas smile.")])
        await lab.bot.services.wait_for_people()
        bot, user = discord.state.application["bot"]["id"], lab.user
        user.guild_id, user.channel_id = None, discord.state.dm_between(user.user["id"], bot)["id"]
        yield user


def title_of(reply, number):
    """The title of the paper with a number in a list."""
    return reply.text.partition(f"\n{number}. **[")[2].partition("]")[0]


def read_with(reply):
    """What a reply says it was read with; empty for nothing."""
    return reply.text.partition("I took this as a follow-up to “")[2].partition("”")[0]


async def asked(user, how):
    if how == "slash":
        return await user.slash("/search query:penguins island")
    if how == "papers":
        return await user.slash("/papers Ada Lovelace")
    return await user.tell("penguins island" if how == "tell" else "papers by Ada Lovelace")


@pytest.mark.parametrize("how", ["slash", "tell", "papers", "told papers"])
async def test_after_a_turned_page_its_papers_are_meant_by_place_and_by_number(user, how):
    page = await (await asked(user, how)).press("Next ▶")
    numbers = {"the second one": 7, "the seventh one": 7, "no the 9th one": 9, "10": 10, "secnd one pls": 7}
    assert all(title_of(page, number) for number in numbers.values())
    for said, number in numbers.items():
        card = await user.tell(said)
        assert card.text.startswith("-# /paper paper:")
        assert f"[{title_of(page, number)}]" in card.text
        assert read_with(card)
    assert title_of(page, 8) in (await user.tell("what does the 8th one say?")).text.split("\n")[0]


async def test_a_number_that_is_on_another_page_is_asked_for(user):
    await (await asked(user, "tell")).press("Next ▶")
    reply = await user.tell("number 2")
    assert "I don't know which paper you mean: my last reply showed papers 6 to 10." in reply.text


async def test_the_papers_of_another_order_are_meant_once_they_are_shown(user):
    turned = await (await asked(user, "tell")).press("Newest first")
    assert f"[{title_of(turned, 1)}]" in (await user.tell("the first one")).text


async def test_similar_papers_and_their_pages_can_be_chosen_from(user):
    listed = await user.tell("more like Penguins of Island 3")
    assert f"[{title_of(listed, 2)}]" in (await user.tell("the second one")).text
    page = await (await user.tell("more like Penguins of Island 3")).press("More ▶")
    assert f"[{title_of(page, 7)}]" in (await user.tell("the second one")).text


async def test_of_two_papers_the_other_one_is_the_other(user):
    listed = await user.tell("papers by Yan Yak")
    assert [bool(title_of(listed, number)) for number in (1, 2, 3)] == [True, True, False]
    assert "Say “the first one”" in (await user.tell("no, the other one")).text
    await user.tell("the first one")
    reply = await user.tell("no, the other one")
    assert f"[{title_of(listed, 2)}]" in reply.text
    assert "Ask it alone" in [button["label"] for button in reply.buttons]
    assert f"[{title_of(listed, 1)}]" in (await user.tell("nope the other 1")).text


async def test_the_next_one_is_the_next_of_the_list(user):
    page = await (await asked(user, "tell")).press("Next ▶")
    assert "press *Next ▶* below a list" in (await user.tell("next")).text
    await user.tell("the sixth one")
    for said, number in {"the next one": 7, "next": 8, "previous one": 7}.items():
        assert f"[{title_of(page, number)}]" in (await user.tell(said)).text


async def test_one_of_a_list_is_summed_up_and_asked_and_stays_one_of_it(user):
    page = await (await asked(user, "tell")).press("Next ▶")
    assert (await user.tell("summarize the second one")).text.startswith("-# /summary paper:")
    assert (await user.tell("who wrote it?")).text.startswith(f"-# /paper paper:{title_of(page, 7)}")
    asked_of = await user.tell("what does the 8th one say?")
    assert title_of(page, 8) in asked_of.text.split("\n")[0]
    assert f"[{title_of(page, 9)}]" in (await user.tell("and the 9th one?")).text
    assert (await user.tell("cite the tenth one")).text.startswith("-# /paper paper:")


async def test_a_paper_that_is_described_is_none_of_the_list(user):
    await asked(user, "tell")
    assert read_with(await user.tell("what is the first paper on grokking?")) == ""


async def test_which_other_one_is_asked_where_there_are_more_than_two_or_none(user):
    assert (await user.tell("the other one")).text == "I don't know which other one you mean. Please name it."
    await user.tell("penguins island")
    await user.tell("the second one")
    reply = await user.tell("no, the other one")
    assert "I don't know which other one you mean: that list shows 5 papers." in reply.text
    assert (await user.tell("the fourth one")).text.startswith("-# /paper paper:")


async def test_papers_are_compared_with_each_other_and_with_those_that_are_named(user):
    listed = await user.tell("penguins island")
    reply = await user.tell("compare the first one and the 3rd")
    assert reply.text.startswith("-# /compare first:")
    assert title_of(listed, 1) in reply.text
    assert title_of(listed, 3) in reply.text
    await user.tell("penguins island")
    reply = await user.tell("compare the last two")
    assert title_of(listed, 4) in reply.text
    assert title_of(listed, 5) in reply.text
    await user.tell("the first one")
    reply = await user.tell("compare it w/ trainmover")
    assert reply.text.startswith("-# /compare first:")
    assert "TrainMover: An Interruption" in reply.text


async def test_what_a_search_was_about_is_asked_of_and_not_which_paper(user):
    await user.tell("papers on GPU training emulation")
    reply = await user.tell("how does it compare to real clusters?")
    assert reply.text.startswith("-# /ask question:how does it compare to real clusters?")
    assert read_with(reply) == "papers on GPU training emulation"


async def test_what_cannot_be_compared_is_said(user):
    assert "Please name both" in (await user.tell("compare it to TrainMover")).text
    listed = await user.tell("penguins island")
    assert title_of(listed, 5)
    assert "my last reply showed 5 papers" in (await user.tell("compare it to TrainMover")).text
    await user.tell("PrismLLM")
    reply = await user.tell("compare it to FooBarNet")
    assert "I can't compare it with “FooBarNet”, because I know no paper about that." in reply.text
    assert "Please name both" in (await user.tell("compare it with Minlan Yu")).text
    assert "Please name both" in (await user.tell("compare this with that")).text
    different = await user.tell("how is it different from trainmover")
    assert different.text.startswith("-# /ask question:how is PrismLLM different from trainmover?")
    assert read_with(different) == "PrismLLM"


@pytest.mark.parametrize("said", ["the TENT paper", "the BLAST paper", "summarize the tent paper"])
async def test_a_paper_whose_name_is_like_an_ordinal_is_none_of_the_list(user, said):
    for before in ("hello", "penguins island"):
        await user.tell(before)
        reply = await user.tell(said)
        assert ("[BLAST: Matrices]" if "BLAST" in said else "Tent: Test-Time Adaptation") in reply.text
        assert read_with(reply) == ""


@pytest.mark.parametrize(
    "said",
    [
        "what does the fırst paper measure?",
        "compare the fırst and the second",
        "compare the first and the ſecond",
        "papers by the fırst author of PrismLLM",
        "papers by the ſenior author of PrismLLM",
    ],
)
async def test_letters_that_are_like_those_of_an_ordinal_are_answered(user, said):
    await user.tell("penguins island")
    assert "Something went wrong" not in (await user.tell(said)).text


async def test_of_papers_with_one_title_the_one_that_is_meant_is_opened(user):
    shown = await user.tell("okapis editorial")
    second = "Bob Bull" if shown.text.index("Ola Okapi") < shown.text.index("Bob Bull") else "Ola Okapi"
    assert second in (await user.tell("the second one")).text
    assert second not in (await user.tell("no, the other one")).text
    await user.tell("okapis editorial")
    assert "Several papers match" not in (await user.tell("summarize the second one")).text
    await user.tell("okapis editorial")
    compared = await user.tell("compare the first and the second")
    assert "Ola Okapi" in compared.text
    assert "Bob Bull" in compared.text


async def test_which_paper_of_a_title_was_chosen_is_not_asked_again(user):
    for said in ("who wrote it?", "more like this", "summarize it"):
        asked = await user.slash("/paper paper:Editorial")
        assert "Several papers match" in asked.text
        await asked.choose(asked.selects[0]["options"][1]["value"])
        assert "Several papers match" not in (await user.tell(said)).text


async def test_a_paper_that_had_another_title_is_summed_up(user):
    await user.tell("quokkas")
    assert (await user.tell("summarize the first one")).text.startswith("-# /summary paper:Latter Quokkas")
    assert "Person860" in (await user.tell("who wrote it?")).text
