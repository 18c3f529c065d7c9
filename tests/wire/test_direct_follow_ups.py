"""In a direct message, what plainly goes on from the last question or search is read with it, and says so."""

import json

import aiohttp
import pytest

from bot.local_discord.completion import files_of
from bot.local_discord.server import LocalDiscord
from tests.helpers.lab import started

ALONE = "Ask it alone"


@pytest.fixture
async def user(tmp_path):
    """A member in direct messages with Labmate."""
    async with LocalDiscord() as discord, started(discord, tmp_path, labmate_pictures=False) as lab:
        await lab.bot.services.wait_for_people()
        bot, user = discord.state.application["bot"]["id"], lab.user
        user.guild_id, user.channel_id = None, discord.state.dm_between(user.user["id"], bot)["id"]
        yield user


def labels(reply):
    return [button["label"] for button in reply.buttons]


def read_with(reply):
    """What a reply says it was read with; empty for nothing."""
    return reply.text.partition("I took this as a follow-up to “")[2].partition("”")[0]


@pytest.mark.parametrize("how", ["slash", "tell"])
async def test_a_question_that_means_the_one_before_is_read_with_it_and_can_be_asked_alone(user, how):
    await getattr(user, how)("/ask what is PrismLLM?" if how == "slash" else "what is PrismLLM?")
    reply = await user.tell("how do they train it?")
    assert "taken as: how do they train PrismLLM?" in reply.text
    assert read_with(reply) == "what is PrismLLM?"
    alone = await reply.press(ALONE)
    assert alone.text.startswith("-# /ask question:how do they train it?")
    assert "taken as" not in alone.text
    assert read_with(alone) == ""
    assert ALONE not in labels(alone)


async def test_what_is_too_long_for_a_button_can_be_asked_alone_too(user):
    await user.tell("what is PrismLLM?")
    long = "how do they train it when there are neither enough GPUs nor enough hours for all training runs?"
    reply = await user.tell(long)
    assert read_with(reply) == "what is PrismLLM?"
    assert (await reply.press(ALONE)).text.startswith(f"-# /ask question:{long}")


@pytest.mark.parametrize("said", ["no surveys please", "anything but surveys", "i don't want surveys"])
async def test_what_is_left_out_alone_is_left_out_of_the_search_before(user, said):
    await user.tell("papers on training emulation")
    reply = await user.tell(said)
    assert "/search query:papers on training emulation but not surveys" in reply.text
    assert "Without surveys" in reply.text


async def test_what_is_refused_first_does_not_swallow_what_was_refused_before(user):
    await user.tell("anything but surveys on training emulation")
    reply = await user.tell("i don't want robots")
    assert "Without surveys or robots" in reply.text
    reply = await user.tell("I don't want LLM papers on planning")
    assert read_with(reply) == ""
    assert "Without LLM" in reply.text


async def test_more_recent_ones_are_the_newest_of_the_search_before(user):
    await user.tell("papers on training emulation")
    reply = await user.tell("more recent ones pls")
    assert reply.text.startswith("-# /search query:papers on training emulation newest first\n")


async def test_which_datasets_is_asked_of_the_question_before(user):
    await user.tell("what is PrismLLM?")
    assert read_with(await user.tell("which datasets?")) == "what is PrismLLM?"


async def test_what_is_left_out_one_after_another_is_all_left_out(user):
    await user.tell("distributed training")
    await user.tell("anything but emulators")
    reply = await user.tell("and no surveys")
    assert "Without emulators or surveys" in reply.text
    assert "Without emulators, surveys or robots" in (await user.tell("but not about robots")).text
    assert "not by Minlan Yu" in (await user.tell("not by Minlan Yu")).text


async def test_who_wrote_what_was_asked_about_is_answered(user):
    await user.tell("what is PrismLLM?")
    reply = await user.tell("who wrote it?")
    assert "ChonLam Lao" in reply.text
    assert read_with(reply) == "what is PrismLLM?"


async def test_one_follow_up_leads_to_the_next(user):
    await user.tell("what is PrismLLM?")
    await user.tell("how do they train it?")
    reply = await user.tell("and how exact is that?")
    assert "PrismLLM" in reply.text.partition("taken as: ")[2]
    assert read_with(reply) == "how do they train PrismLLM?"


async def test_limits_alone_limit_the_search_before(user):
    found = await user.tell("papers on GPU training emulation")
    assert read_with(found) == ""
    reply = await user.tell("only since 2026")
    assert reply.text.startswith("-# /search query:papers on GPU training emulation since 2026")
    assert read_with(reply) == "papers on GPU training emulation"
    reply = await user.tell("and by Minlan Yu?")
    assert reply.text.startswith("-# /search query:papers on GPU training emulation since 2026 by Minlan Yu")
    assert "papers by Minlan Yu" in reply.text
    reply = await user.tell("what about ChonLam Lao?")
    assert "emulation since 2026 by ChonLam Lao" in reply.text
    reply = await user.tell("and since 2025?")
    assert "emulation since 2025 by ChonLam Lao" in reply.text
    alone = await reply.press(ALONE)
    assert "emulation" not in alone.text.split("\n")[0]


async def test_a_search_that_was_typed_as_a_command_goes_on_too(user):
    await user.slash("/search query:GPU training emulation author:Minlan Yu")
    reply = await user.tell("only since 2026")
    assert reply.text.startswith('-# /search query:GPU training emulation author:"Minlan Yu" since 2026')


async def test_a_question_after_a_search_is_about_its_subject(user):
    await user.tell("papers on GPU training emulation")
    reply = await user.tell("how accurate is it?")
    assert "taken as: how accurate is" in reply.text
    assert read_with(reply) == "papers on GPU training emulation"


async def test_a_question_is_asked_again_within_limits(user):
    await user.tell("how can large GPU clusters be emulated?")
    reply = await user.tell("only since 2026")
    assert reply.text.startswith("-# /ask question:how can large GPU clusters be emulated? since:2026-01-01")
    assert read_with(reply) == "how can large GPU clusters be emulated?"
    by = await user.tell("and by Minlan Yu?")
    assert by.text.startswith("-# /search query:")
    assert "papers by Minlan Yu" in by.text


async def test_the_papers_of_a_person_are_limited_too(user):
    await user.tell("papers by ChonLam Lao")
    reply = await user.tell("only since 2025")
    assert reply.text.startswith("-# /papers author:ChonLam Lao since:2025-01-01")
    assert read_with(reply) == "papers by ChonLam Lao"


@pytest.mark.parametrize("how", ["slash", "tell"])
async def test_a_paper_whose_card_was_shown_is_what_the_next_message_means(user, how):
    await user.tell("what causes loss spikes?")
    await getattr(user, how)("/paper PrismLLM" if how == "slash" else "2605.15617")
    reply = await user.tell("who wrote it?")
    assert reply.text.startswith("-# /paper paper:")
    assert read_with(reply) in ("PrismLLM", "2605.15617")
    asked = await user.tell("how exact is it?")
    assert "taken as: how exact is PrismLLM?" in asked.text
    assert "loss" not in read_with(asked)
    await user.tell("PrismLLM")
    assert (await user.tell("what's it about?")).text.startswith("-# /ask question:what's it about?")
    await user.tell("PrismLLM")
    alike = await user.tell("more like this")
    assert alike.text.startswith("-# /similar paper:PrismLLM")
    assert read_with(alike) == "PrismLLM"


async def test_a_card_that_was_opened_by_a_button_is_what_the_next_message_means(user):
    found = await user.tell("papers on GPU training emulation")
    await found.press("Details")
    reply = await user.tell("who wrote this paper?")
    assert reply.text.startswith("-# /paper paper:A Few GPUs")
    assert read_with(reply).startswith("A Few GPUs")


@pytest.mark.parametrize(
    "new",
    [
        "find the paper on gossip protocols",
        "what is the first paper on gossip?",
        "vs code plugins",
        "compare and contrast DPO and PPO",
        "the paper by Minlan Yu",
        "is it possible to prune LLMs?",
        "ok",
    ],
)
async def test_what_does_not_mean_the_paper_of_a_card_stays_new(user, new):
    await user.tell("PrismLLM")
    assert read_with(await user.tell(new)) == ""


@pytest.mark.parametrize(
    "new", ["papers by the authors of PrismLLM, newest first", "papers like PrismLLM since 2025"]
)
async def test_a_search_for_what_has_to_do_with_a_paper_is_no_limit_of_the_one_before(user, new):
    await user.tell("papers on in-network aggregation")
    assert read_with(await user.tell(new)) == ""


async def test_what_was_asked_before_something_else_is_not_gone_on_from(user):
    await user.tell("what is PrismLLM?")
    await user.tell("who is Minlan Yu?")
    assert read_with(await user.tell("who wrote it?")) == ""


async def test_one_of_the_papers_listed_is_opened_by_its_number(user):
    listed = await user.tell("papers by ChonLam Lao")
    title = listed.text.partition("2. **[")[2].partition("]")[0]
    for said in ("the second one", "no, the second paper", "show me number 2", "#2"):
        reply = await user.tell(said)
        assert reply.text.startswith("-# /paper paper:")
        assert title in reply.text
        assert read_with(reply) == "papers by ChonLam Lao"
        await user.tell("papers by ChonLam Lao")
    assert not (await user.tell("#9")).text.startswith("-# /paper")


@pytest.mark.parametrize(
    "new",
    [
        "what causes loss spikes?",
        "and what is grokking?",
        "but how does RLHF work?",
        "by the way, what is RLHF?",
        "not now",
        "only one question: what is RLHF?",
        "how do they train DeepSeek-V3?",
        "is it possible to train large models on old GPUs?",
        "papers that compress gradients",
        "this week's papers on inference",
        "who is Minlan Yu?",
        "PrismLLM",
        "thanks",
        "help",
    ],
)
async def test_what_is_clearly_new_stays_so(user, new):
    await user.tell("what is PrismLLM?")
    reply = await user.tell(new)
    assert read_with(reply) == ""
    assert "taken as" not in reply.text
    assert ALONE not in labels(reply)


async def test_nothing_is_read_with_what_was_never_asked_or_is_forgotten(user):
    assert read_with(await user.tell("how do they train it?")) == ""
    await user.tell("what is PrismLLM?")
    [file] = files_of((await user.slash("/me data")).message)
    async with aiohttp.ClientSession() as session, session.get(file["url"]) as response:
        assert json.loads(await response.text())["last_asked"] == ["what is PrismLLM?"]
    await (await user.slash("/me forget")).press("Delete it for good")
    assert read_with(await user.tell("how do they train it?")) == ""


async def test_papers_by_its_authors_are_those_by_the_authors_of_what_was_asked_about(user):
    await user.tell("what is PrismLLM?")
    await user.tell("how do they train it?")
    reply = await user.tell("papers by its authors")
    assert "Other papers by the authors of PrismLLM" in reply.text
    assert read_with(reply) == "how do they train PrismLLM?"


async def test_a_paper_that_was_not_shown_is_not_searched_for(user):
    assert (await user.tell("the second one")).text == "I don't know which paper you mean. Please name it."
    await user.tell("fault tolerance of GPU training by ChonLam Lao since 2026")
    reply = await user.tell("the second one")
    assert reply.text == "I don't know which paper you mean: my last reply showed 1 paper. Please name it."
    assert (await user.tell("more like this")).text.startswith("-# /similar paper:A Few GPUs")


async def test_which_of_several_papers_others_should_be_like_is_asked(user):
    await user.tell("fault tolerance of GPU training")
    reply = await user.tell("similar papers")
    assert "I don't know which paper you mean: my last reply showed 5 papers." in reply.text


async def test_a_question_about_nothing_leaves_no_subject(user):
    await user.tell("who wrote it")
    assert read_with(await user.tell("summarize it")) == ""
