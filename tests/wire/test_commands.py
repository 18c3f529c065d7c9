"""Commands as a user types them, over real sockets."""

import asyncio
from datetime import date

import pytest

from bot.local_discord.client import UserClient
from bot.local_discord.completion import files_of
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import LOADING
from bot.run import running_bot
from data.stores.people import People
from tests.helpers.lab import fill, settings_for
from tests.helpers.members import heard_by
from tests.helpers.records import record

FIVE = ("PrismLLM", "TrainMover", "Towards Easy and Realistic", "Efficient Data-Plane", "THC")


async def test_papers_lists_the_five_works_once_each(lab):
    reply = await lab.user.slash("/papers author:ChonLam Lao")
    titles = [line for line in reply.text.split("\n") if line[:2] in ("1.", "2.", "3.", "4.", "5.", "6.")]
    assert len(titles) == 5
    for name in FIVE:
        assert sum(name in title for title in titles) == 1
    assert "**ChonLam Lao**" in reply.text
    assert "5 papers" in reply.text


@pytest.mark.parametrize(("author", "count"), [("Shaoke Xi", 2), ("xi, shaoke", 2), ("LAO, ChonLam", 5)])
async def test_names_meet_in_all_their_forms(lab, author, count):
    reply = await lab.user.slash(f"/papers {author}")
    assert f"{count} papers" in reply.text


async def test_sort_since_and_category(lab):
    oldest = await lab.user.slash("/papers ChonLam Lao sort:oldest")
    assert oldest.text.index("Efficient Data-Plane") < oldest.text.index("PrismLLM")
    recent = await lab.user.slash("/papers ChonLam Lao since:2025")
    assert "2 papers since 1 Jan 2025" in recent.text
    networks = await lab.user.slash("/papers ChonLam Lao category:cs.ni")
    assert "1 paper in cs.NI" in networks.text
    none = await lab.user.slash("/papers ChonLam Lao category:math.CO")
    assert "5 papers, none in math.CO" in none.text
    everything = await none.press("Show all")
    assert "5 papers" in everything.text


async def test_an_initial_is_offered_not_guessed(lab):
    reply = await lab.user.slash("/papers C. Lao")
    assert "Did you mean" in reply.text
    assert "5 papers" in (await reply.press("ChonLam Lao")).text


async def test_an_unknown_name_gets_the_nearest(lab):
    reply = await lab.user.slash("/papers Jiamin Coa")
    assert [button["label"] for button in reply.buttons] == ["Jiamin Cao (4)"]
    nobody = await lab.user.slash("/papers Qqqq Zzzz")
    assert "no similar name" in nobody.text


async def test_a_title_before_a_name_is_passed_over(lab):
    assert "5 papers" in (await lab.user.slash("/papers Prof. Dr. ChonLam Lao")).text
    assert "ChonLam Lao" in (await lab.user.slash("/author Dr ChonLam Lao")).text


async def test_a_name_with_a_subject_is_led_to_both(lab):
    reply = await lab.user.slash("/papers ChonLam Lao on network infrastructure")
    assert "Did you mean ChonLam Lao?" in reply.text
    assert "/search papers by ChonLam Lao on network infrastructure" in reply.text
    assert "5 papers" in (await reply.press("ChonLam Lao")).text


async def test_autocomplete_offers_names_with_their_papers(lab):
    choices = await lab.user.complete("/papers author:chon")
    assert choices[0] == {"name": "ChonLam Lao (5 papers)", "value": "ChonLam Lao"} | {
        k: v for k, v in choices[0].items() if k not in ("name", "value")
    }
    assert await lab.user.complete("/papers author:ChonLam Lao since:last") != []
    assert any(c["value"] == "cs.DC" for c in await lab.user.complete("/search query:x category:cs.d"))
    assert any("PrismLLM" in c["name"] for c in await lab.user.complete("/similar paper:prism"))


async def test_similar_says_how_close_and_why(lab):
    reply = await lab.user.slash("/similar PrismLLM")
    assert reply.text.startswith("## Similar to A Few GPUs")
    entries = reply.text.split("\n", 1)[1]
    assert "PrismLLM" not in entries
    assert "similarity 0." in entries
    assert "in common:" in entries
    more = await reply.press("More")
    assert "6. " in more.text


async def test_similar_says_the_same_why_from_the_file_of_phrases(lab, monkeypatch):
    kept = lab.bot.services.insight.phrases
    assert len(kept) == lab.bot.services.paper_count, "made in the background, beside the topics"
    reply = await lab.user.slash("/similar PrismLLM")
    monkeypatch.setattr(lab.bot.services.insight, "phrases", None)
    assert (await lab.user.slash("/similar PrismLLM")).text == reply.text
    assert "in common: " in reply.text


async def test_similar_to_a_pasted_abstract(lab):
    abstract = "We study how training jobs survive machine failures, with live migration of workers. " * 6
    reply = await lab.user.slash(f"/similar {abstract}")
    assert "Similar to your text" in reply.text
    assert "TrainMover" in reply.text


async def test_an_idea_in_a_sentence_is_compared_with_papers(lab):
    reply = await lab.user.slash("/similar move training jobs to other machines when one fails")
    assert "Similar to your text" in reply.text
    assert "1. **[TrainMover" in reply.text
    assert "No paper matches" in (await lab.user.slash("/similar qqq www zzz")).text


async def test_several_candidates_give_a_select(lab):
    reply = await lab.user.slash("/similar training")
    assert reply.selects, reply.text
    chosen = await reply.choose(reply.selects[0]["options"][0]["value"])
    assert "Similar to" in chosen.text


async def test_a_name_that_one_title_begins_with_means_that_paper_and_others_are_offered(other):
    _, bot, user, _ = other
    titles = (
        "Quokka-R1: Learning to Hop",
        "Quokka-R1 Outperforms the Wombat",
        "On What Quokka-R1 Thinks",
        "Revisiting Quokka-R1: A Study",
    )
    await fill(bot, [record(n, title=title) for n, title in enumerate(titles)])
    similar = await user.slash('/similar "Quokka-R1"')
    assert similar.text.startswith("## Similar to Quokka-R1: Learning to Hop")
    assert {option["label"] for option in similar.selects[0]["options"]} == {*titles[1:]}
    assert (await similar.choose("On What")).text.startswith("## Similar to On What Quokka-R1 Thinks")
    card = await user.slash("/paper Quokka-R1")
    assert "Learning to Hop" in card.text.split("\n")[0]
    assert "Outperforms" in (await card.choose("Quokka-R1 Outperforms")).text.split("\n")[0]
    assert (await user.slash("/search Quokka-R1")).text.split("\n")[1].startswith("1. **[Quokka-R1: Learning")


async def test_search_shows_the_sentence_that_answers(lab):
    reply = await lab.user.slash("/search interruptions of training jobs")
    assert "TrainMover" in reply.text.split("2. ")[0]
    assert "interruption" in reply.text.lower()


async def test_search_turns_pages_with_short_and_long_queries(lab):
    for query in ("training", "training of large models on many machines " * 5):
        reply = await lab.user.slash(f"/search {query}")
        onward = await reply.press("Next")
        assert "6. " in onward.text
        back = await onward.press("Previous")
        assert "1. " in back.text


async def test_search_limits_and_empty_results(lab):
    reply = await lab.user.slash("/search training author:Shaoke Xi since:2026")
    assert "PrismLLM" in reply.text
    assert "by Shaoke Xi" in reply.text
    nothing = await lab.user.slash("/search training category:math.CO")
    assert "No paper in math.CO fits" in nothing.text
    typed = await lab.user.slash("/search category:math.CO training since:2020")
    assert "No paper in math.CO since 1 Jan 2020 fits" in typed.text
    assert "-# in math.CO\n" in typed.text, "the heading says it, too"
    odd = await lab.user.slash("/search training year:20x6")
    assert "could not read year:20x6" in odd.text


async def test_paper_shows_the_whole_card_and_leads_on(lab):
    reply = await lab.user.slash("/paper Tensor Homomorphic Compression")
    assert "We introduce Tensor Homomorphic Compression" in reply.text
    assert "NSDI 2024" in reply.text
    authored = await reply.press("Shay Vargaftik")
    assert "1 paper" in authored.text
    similar = await reply.press("Similar")
    assert "Similar to THC" in similar.text


async def test_cite_gives_three_forms_to_the_one_who_asked(lab):
    reply = await (await lab.user.slash("/paper THC")).press("Cite")
    assert reply.is_private
    assert "@inproceedings{li2023" in reply.text
    names = [a["filename"].rpartition(".")[2] for a in files_of(reply.message)]
    assert names == ["bib", "ris", "json"]


@pytest.mark.parametrize("command", ["/papers me", "/author Me", "/collaborators me"])
async def test_who_types_me_is_told_to_type_a_name(lab, command):
    assert "Type your own name as your papers print it" in (await lab.user.slash(command)).text


async def test_unknown_papers_get_advice(lab):
    link = "https://huggingface.co/papers/1706.03762"
    assert "is not among the 7 papers I know" in (await lab.user.slash(f"/similar {link}")).text
    assert "“9999.99999” is not among the" in (await lab.user.slash("/paper 9999.99999")).text
    assert "No paper matches" in (await lab.user.slash("/similar qqqqqq")).text


async def test_private_answers_are_seen_by_one_alone(lab):
    for command in (
        "/papers ChonLam Lao",
        "/similar PrismLLM",
        "/search x",
        "/paper THC",
        "/new",
        "/about",
        "/help",
    ):
        reply = await lab.user.slash(command + " private:true")
        assert reply.is_private
        assert reply.message["id"] in lab.discord.state.hidden


async def test_wrong_values_get_a_kind_private_reply(lab):
    for command in (
        "/papers ChonLam Lao since:tomorrow",
        "/papers ChonLam Lao category:42",
        "/new day:someday",
    ):
        reply = await lab.user.slash(command)
        assert reply.is_private
        assert "Type it like" in reply.text or "isn't a category" in reply.text


async def test_about_and_help_say_what_is_held(lab):
    about = await lab.user.slash("/about")
    assert "**Papers:** 7" in about.text
    assert "7 of 7" in about.text
    assert "/similar" in (await lab.user.slash("/help")).text


async def test_new_on_an_empty_store_says_what_comes(lab):
    assert "I haven't read any listing yet" in (await lab.user.slash("/new")).text


@pytest.fixture
async def other(tmp_path):
    """A lab of its own, for tests that write."""
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path)
        async with running_bot(settings) as (bot, _), UserClient(discord.url, discord.user_token) as user:
            bot.services.model_settled.set()
            yield discord, bot, user, settings


async def test_new_goes_through_days_pages_and_categories(other):
    _, bot, user, _ = other
    days = [date(2026, 1, 5), date(2026, 1, 6)]
    records = [
        record(
            n,
            announced=days[n % 2],
            listings=[("cs.CL" if n < 8 else "cs.IR", days[n % 2])],
            categories=["cs.CL" if n < 8 else "cs.IR"],
        )
        for n in range(16)
    ]
    await fill(bot, records)
    reply = await user.slash("/new")
    assert "Tuesday, 6 Jan 2026" in reply.text
    assert "8 papers" in reply.text
    assert "cs.CL 4 · cs.IR 4" in reply.text
    second = await reply.press("Next")
    assert "Page 2 of 2" in second.text
    before = await second.press("◀◀ 5 Jan")
    assert "Monday, 5 Jan 2026" in before.text
    narrowed = await before.choose("cs.IR")
    assert "4 papers in cs.IR" in narrowed.text
    onward = await narrowed.press("6 Jan")
    assert "4 papers in cs.IR" in onward.text
    empty = await user.slash("/new day:2026-01-07")
    assert "I have read no listing for that day" in empty.text
    for typed in ("today", "Yesterday"):
        assert "I have read no listing for that day" in (await user.slash(f"/new day:{typed}")).text
    assert "type /new day:2026-01-06" in (await user.slash("/new 2026-01-06")).text


async def test_a_button_works_after_a_restart(tmp_path):
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path)
        async with UserClient(discord.url, discord.user_token) as user:
            async with running_bot(settings) as (bot, _):
                bot.services.model_settled.set()
                papers = await user.slash("/papers ChonLam Lao")
                search = await user.slash("/search " + "training of models " * 10)
            async with running_bot(settings) as (bot, _):
                bot.services.model_settled.set()
                assert "Large language model" in (await papers.press("Details")).text
                assert "6. " in (await search.press("Next")).text


async def test_the_bot_comes_back_after_a_dropped_gateway_and_an_invalid_session(other):
    discord, bot, user, _ = other
    me = discord.state.application["bot"]["id"]

    def connected() -> bool:
        return any(s.user_id == me and s.socket for s in discord.gateway.sessions.values())

    for trouble in (discord.gateway.drop, discord.gateway.reconnect, discord.gateway.invalidate):
        anew = "shard_ready" if trouble == discord.gateway.invalidate else "shard_resumed"
        async with heard_by(bot, anew):
            await trouble(user_id=me) if trouble != discord.gateway.reconnect else await trouble()
        assert connected(), trouble
        assert "5 papers" in (await user.slash("/papers ChonLam Lao")).text
    assert bot.is_ready()


async def test_a_duplicate_interaction_is_answered_once(other):
    discord, bot, user, _ = other
    discord.faults.duplicate_dispatches = 2
    seen = asyncio.Queue()
    bot.add_listener(seen.put, "on_interaction")
    assert "5 papers" in (await user.slash("/papers ChonLam Lao")).text
    first, second = await seen.get(), await seen.get()
    assert first.id == second.id
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name() == "CommandTree-invoker"))
    shown = [str(message) for message in discord.state.messages[discord.channel["id"]].values()]
    assert ["5 papers" in one for one in shown] == [True, False]
    assert "New here?" in shown[-1], "once, too"


async def test_a_failure_gets_a_reference_that_the_log_holds(other, monkeypatch, caplog):
    _, _, user, _ = other

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is on fire")

    monkeypatch.setattr(People, "papers_of", broken)
    reply = await user.slash("/papers ChonLam Lao")
    assert reply.is_private
    reference = reply.text.split("**")[1]
    assert "disk" not in reply.text
    assert any(
        reference in entry.message and "disk is on fire" in str(entry.exc_info) for entry in caplog.records
    )


async def test_slow_work_is_deferred_and_still_answered(other, monkeypatch):
    discord, _, user, _ = other
    quick = People.papers_of
    deferred = asyncio.create_task(user.wait_for("MESSAGE_CREATE", lambda m: m["flags"] & LOADING, within=60))

    async def slow(*args: object, **more: object) -> object:
        await deferred
        return await quick(*args, **more)

    monkeypatch.setattr(People, "papers_of", slow)
    reply = await user.slash("/papers ChonLam Lao")
    assert "5 papers" in reply.text
    assert discord.requests[-2]["body"]["type"] == 5


async def test_a_button_that_was_never_ours_gets_a_word(lab):
    reply = await lab.user.slash("/help")
    for custom_id in ("nonsense", "p:u:", "x" * 100, "p:u:1:99999999:n::", "q:0:k:zzz", "😀"):
        data = {"component_type": 2, "custom_id": custom_id, "forged": True}
        answer = await lab.user.component(reply.message, data)
        assert "button no longer works" in answer.text
        assert answer.is_private


async def test_a_button_to_something_gone_says_so(lab):
    reply = await lab.user.slash("/papers ChonLam Lao")
    message = lab.discord.state.messages[lab.discord.channel["id"]][reply.message["id"]]
    for custom_id, said in (
        ("d:999999", "no longer know this paper"),
        ("p:e:999999:0:n::", "no longer know this author"),
        ("q:1:k:999999", "no longer know what was asked"),
        ("s:999999", "no longer know this paper"),
    ):
        message["components"][0]["components"][1]["accessory"]["custom_id"] = custom_id
        answer = await lab.user.component(message, {"component_type": 2, "custom_id": custom_id})
        assert said in answer.text
