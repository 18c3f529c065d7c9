"""`/ask` over real sockets: the answer, its context, more, no answer, and asking on in a thread."""

import re

import pytest

from bot.app import open_corpus
from bot.local_discord.client import ShownReply, UserClient
from bot.local_discord.limits import walk
from bot.local_discord.server import LocalDiscord
from bot.local_discord.state import DM, PUBLIC_THREAD
from bot.run import running_bot
from tests.helpers.lab import fill, settings_for, started
from tests.helpers.members import joins, of_kind, pressed, said
from tests.helpers.paper_pdfs import loss_spikes
from tests.helpers.paper_server import PaperServer
from tests.helpers.records import record

EMULATED = "how can large GPU clusters be emulated for training?"
NONSENSE = "what do medieval shipwrights say about pickled herring taxes?"


def quotes(reply):
    """The sentences of a reply with the numbers of their papers."""
    return re.findall(r"“(.+?)” \*\*\[(\d)\]\*\*", reply.text)


def field_of(modal):
    """The custom id of a form's one field."""
    [field] = [c["custom_id"] for _, c in walk(modal["components"]) if c["type"] == 4]
    return field


async def in_thread(user, channel_id):
    """The user goes to a thread, as by clicking on it."""
    user.channel_id = channel_id


async def test_an_answer_quotes_sentences_that_stand_in_the_papers_named_below(lab):
    reply = await lab.user.slash(f"/ask {EMULATED}")
    found = quotes(reply)
    assert 2 <= len(found) <= 6
    assert any("emulate" in sentence for sentence, _ in found)
    for number in {number for _, number in found}:
        assert f"**[{number}]** **[" in reply.text
    assert re.search(r"I'm confident|probably answers|may answer", reply.text)
    labels = [button["label"] for button in reply.buttons if button["label"] != "Show in context"]
    assert labels[0] == "More"
    assert labels[1].startswith("Similar")
    assert sum(b["label"] == "Show in context" for b in reply.buttons) == len(found)


async def test_the_context_is_the_abstract_with_the_sentence_marked(lab):
    reply = await lab.user.slash(f"/ask {EMULATED}")
    sentence, _ = quotes(reply)[0]
    context = await reply.press("Show in context")
    assert f"**{sentence}**" in context.text
    assert "Abstract" in context.text
    assert "PrismLLM" in (await context.press("About this paper")).text


async def test_a_sentence_that_was_revised_is_not_marked(lab):
    reply = await lab.user.slash(f"/ask {EMULATED}")
    custom_id = reply.button("Show in context")["custom_id"]
    other = custom_id[:-1] + ("0" if custom_id[-1] != "0" else "1")
    assert "no longer stands there" in (await pressed(lab.discord, lab.user, other)).text


async def test_more_quotes_other_papers(lab):
    reply = await lab.user.slash(f"/ask {EMULATED}")
    first = set(re.findall(r"arxiv\.org/abs/([\d.]+)", reply.text))
    more = await reply.press("More")
    assert "more papers" in more.text
    further = set(re.findall(r"arxiv\.org/abs/([\d.]+)", more.text))
    assert first
    assert not first & further


async def test_similar_leads_to_the_papers_like_the_first_one(lab):
    reply = await lab.user.slash(f"/ask {EMULATED}")
    assert "Similar to" in (await reply.press("Similar")).text


async def test_no_answer_says_so_and_what_to_try(lab):
    reply = await lab.user.slash(f"/ask {NONSENSE}")
    assert "I found no good answer" in reply.text
    assert "7 papers" in reply.text
    assert "**[" not in reply.text
    assert "You could try" in reply.text
    assert "/search" in reply.text
    assert not quotes(reply)


async def test_a_weak_answer_shows_the_sentences_that_come_nearest(lab):
    reply = await lab.user.slash("/ask how long does recovery take after machines break")
    assert "I found no sure answer** in the 7 papers I know. " in reply.text
    assert "TrainMover" in reply.text
    assert "second-level downtime across all evaluated models" in reply.text
    assert "no good answer" not in reply.text
    assert not quotes(reply)


async def test_no_answer_from_one_paper_says_what_was_read(lab):
    reply = await lab.user.slash("/ask question:how salty are pickled herrings? paper:PrismLLM")
    assert "I find nothing that answers it** in this paper's abstract." in reply.text
    assert "7 papers" not in reply.text


@pytest.mark.parametrize("question", ["who wrote this?", "who are the authors of this paper?", "authors"])
async def test_who_wrote_a_paper_is_answered_by_its_authors(lab, question):
    reply = await lab.user.slash(f"/ask question:{question} paper:PrismLLM")
    assert "is by Shaoke Xi, ChonLam Lao, Boyi Jia" in reply.text
    assert "no good answer" not in reply.text


@pytest.mark.parametrize("question", ["who wrote PrismLLM?", "who are the authors of 2605.15617"])
async def test_who_wrote_a_paper_that_the_question_names(lab, question):
    reply = await lab.user.slash(f"/ask {question}")
    assert "is by Shaoke Xi, ChonLam Lao, Boyi Jia" in reply.text
    nobody = await lab.user.slash("/ask who wrote the Unknown Quokka Paper?")
    assert "is by" not in nobody.text


@pytest.mark.parametrize(
    "question", ["how does PrismLLM compare with TrainMover?", "compare PrismLLM and TrainMover"]
)
async def test_what_no_sentence_compares_gets_the_best_sentence_on_each(lab, question):
    reply = await lab.user.slash(f"/ask {question}")
    assert "I found no sentence that compares them." in reply.text
    assert [line.split("]")[0][-30:] for line in reply.text.splitlines() if line[:2] in ("1.", "2.")]
    assert "with PrismLLM" in reply.text
    assert "TrainMover: An" in reply.text
    assert "3. " not in reply.text


async def test_one_paper_answers_from_its_abstract_and_says_so(lab):
    reply = await lab.user.slash("/ask question:what error does it have? paper:PrismLLM")
    assert {number for _, number in quotes(reply)} == {"1"}
    assert "0.58" in reply.text
    assert "abstract" in reply.text.splitlines()[-1]
    assert "More" not in [button["label"] for button in reply.buttons]


async def test_one_paper_answers_from_its_full_text_with_section_and_page(tmp_path):
    async with PaperServer() as arxiv, LocalDiscord() as discord:
        arxiv.pages["/pdf/2601.00001"] = loss_spikes()
        fetching = {"labmate_fetch": True, "arxiv_url": arxiv.url, "arxiv_interval_seconds": 0}
        async with started(discord, tmp_path, **fetching) as lab:
            bot, user = lab.bot, lab.user
            spikes = record(1, title="On Loss Spikes", abstract="We trace loss spikes to single batches.")
            await fill(bot, [spikes, record(2, title="On Locked Doors", abstract="Doors were locked.")])
            typed = "/ask question:how many hours does replaying a spike take? paper:2601.00001"
            reply = await user.slash(typed, within=60)
            assert "Replaying takes 3.5 hours a spike." in reply.text
            assert "[§ 2.1 Tracing, p. 1](https://arxiv.org/pdf/2601.00001#page=1)" in reply.text
            assert "abstract" not in reply.text
            place = next(n for n, (quote, _) in enumerate(quotes(reply)) if "3.5 hours" in quote)
            buttons = [button for button in reply.buttons if button["label"] == "Show in context"]
            context = await reply.press(buttons[place])
            assert "**Replaying takes 3.5 hours a spike.**" in context.text
            assert "Tracing, p. 1" in context.text
            salary = "/ask question:what salary do engineers in Norway get? paper:2601.00001"
            nothing = await user.slash(salary, within=60)
            assert "nothing that answers it** in this paper's full text" in nothing.text
            assert re.search(
                r"“.+”\n-# \[.+p\. \d\]\(https://arxiv\.org/pdf/2601\.00001#page=\d\)", nothing.text
            )
            unread = await user.slash("/ask question:were doors locked? paper:2601.00002", within=60)
            assert "abstract" in unread.text
            assert arxiv.asked.count("/pdf/2601.00001") == 1


async def test_a_paper_that_does_not_exist_leads_to_guesses_that_can_be_asked(lab):
    reply = await lab.user.slash("/ask question:what error does it have? paper:2605.15618")
    assert "“2605.15618” is not among the" in reply.text
    answer = await reply.choose("A Few GPUs")
    assert "0.58" in answer.text
    unknown = await lab.user.slash("/ask question:why? paper:Zzyzx of the qqqq")
    assert "No paper matches" in unknown.text


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("/ask question:why? since:yesteryear", "as a day"),
        ("/ask question:why? category:'; DROP TABLE", "isn't a category"),
        ("/ask question:how are gradients compressed? category:math.CO", "without since and category"),
        ("/ask question:how are gradients compressed? since:2031", "without since and category"),
    ],
)
async def test_limits_that_leave_nothing_are_told(lab, typed, says):
    assert says in (await lab.user.slash(typed)).text


async def test_only_papers_within_the_limits_answer(lab):
    reply = await lab.user.slash("/ask question:how is LLM training emulated? since:2026")
    assert "since 1 Jan 2026" in reply.text
    assert "2504." not in reply.text


async def test_an_empty_library_says_so(tmp_path):
    async with LocalDiscord() as discord:
        settings = settings_for(discord, tmp_path, fresh=True)
        async with open_corpus(settings, writable=True) as reading:
            # While another process begins to read papers in, a first start leaves the sample to it.
            with reading.writing():
                async with (
                    running_bot(settings) as (bot, scheduler),
                    UserClient(discord.url, discord.user_token) as user,
                ):
                    await scheduler.load_model()
                    assert await bot.services.store.count() == 0
                    reply = await user.slash("/ask question:why? category:math.CO")
                    assert "no papers in this library yet" in reply.text
                    reply = await user.slash("/ask what causes loss spikes?")
                    assert "no papers in this library yet" in reply.text


async def test_ask_on_opens_a_thread_that_keeps_the_subject(place):
    discord, _, user = place
    reply = await user.slash(f"/ask {EMULATED}")
    opened = await reply.press("Ask on")
    [thread] = of_kind(discord, PUBLIC_THREAD)
    assert opened.is_private
    assert f"<#{thread['id']}>" in opened.text
    assert thread["name"] == EMULATED
    assert discord.owner["id"] in thread["_members"]
    assert "Mention" in str(said(discord, thread)[-1])
    await in_thread(user, thread["id"])
    answer = await user.slash("/ask and how exact is that?")
    assert "taken as: and how exact is PrismLLM?" in answer.text
    assert "PrismLLM" in answer.text
    again = await reply.press("Ask on")
    assert f"<#{thread['id']}>" in again.text
    assert len(of_kind(discord, PUBLIC_THREAD)) == 1
    assert sum("Mention" in str(message) for message in said(discord, thread)) == 1


async def test_a_follow_up_asks_the_papers_that_an_unsure_reply_has_shown(place):
    discord, bot, user = place
    await (await user.slash(f"/ask {EMULATED}")).press("Ask on")
    [thread] = of_kind(discord, PUBLIC_THREAD)
    await in_thread(user, thread["id"])
    for question in ("how long does recovery take after machines break", NONSENSE):
        reply = await user.slash(f"/ask {question}")
        kept = await bot.services.store.asked_questions.last(int(thread["id"]))
        assert kept is not None
        papers = await bot.services.store.papers(kept.papers)
        assert re.findall(r"^\d\. \*\*\[(.+?)\]\(", reply.text, re.MULTILINE) == [p.title for p in papers]
    assert not papers


async def test_a_follow_up_by_the_form_survives_a_restart(tmp_path):
    async with LocalDiscord() as discord:
        async with started(discord, tmp_path) as lab:
            await (await lab.user.slash(f"/ask {EMULATED}")).press("Ask on")
            [thread] = of_kind(discord, PUBLIC_THREAD)
            opening = said(discord, thread)[-1]
        async with started(discord, tmp_path) as lab:
            bot, user = lab.bot, lab.user
            await in_thread(user, thread["id"])
            form = await ShownReply(user, opening).press("Ask a follow-up")
            modal = form.message["modal"]
            answer = await user.submit(modal, {field_of(modal): "what error does that paper report?"})
            assert "asked of the paper quoted before" in answer.text
            assert "0.58" in answer.text
            forgotten = await (await user.slash("/me forget")).press("Delete it")
            assert "Forgotten" in forgotten.text
            assert await bot.services.store.asked_questions.last(int(thread["id"])) is None


async def test_a_private_answer_goes_on_in_a_form_that_only_its_opener_sends(place):
    discord, _, user = place
    reply = await user.slash(f"/ask question:{EMULATED} private:True")
    assert reply.is_private
    modal = (await reply.press("Ask on")).message["modal"]
    field = field_of(modal)
    bee = joins(discord, "bee")
    async with UserClient(discord.url, discord.state.token_of(bee["id"])) as other:
        assert "somebody else" in (await other.submit(modal, {field: "why?"})).text
    answer = await user.submit(modal, {field: "how exact is it?"})
    assert answer.is_private
    assert "taken as: how exact is" in answer.text
    further = (await answer.press("Ask on")).message["modal"]
    assert "taken as" in (await user.submit(further, {field_of(further): "and for memory?"})).text
    assert not of_kind(discord, PUBLIC_THREAD)


async def test_where_no_thread_may_be_opened_a_form_goes_on(place):
    discord, _, user = place
    everyone = discord.guild["roles"][0]
    everyone["permissions"] = str(int(everyone["permissions"]) & ~(1 << 35))
    reply = await user.slash(f"/ask {EMULATED}")
    assert "modal" in (await reply.press("Ask on")).message


@pytest.mark.parametrize("missing", [1 << 35, 1 << 38])
async def test_who_may_not_open_a_thread_themselves_gets_a_form(place, missing):
    """1 << 35: Create Public Threads, 1 << 38: Send Messages in Threads; Labmate has both by a role."""
    discord, bot, _ = place
    everyone = discord.guild["roles"][0]
    discord.guild["roles"].append(everyone | {"id": "777", "name": "bots"})
    discord.guild["members"][str(bot.user.id)]["roles"] = ["777"]
    everyone["permissions"] = str(int(everyone["permissions"]) & ~missing)
    member = joins(discord, "bee")
    async with UserClient(discord.url, discord.state.token_of(member["id"])) as bee:
        reply = await bee.slash(f"/ask {EMULATED}")
        assert "modal" in (await reply.press("Ask on")).message
    assert of_kind(discord, PUBLIC_THREAD) == []


async def test_in_a_direct_message_asking_on_stays_there(place):
    discord, _, user = place
    bot = discord.state.application["bot"]["id"]
    user.guild_id, user.channel_id = None, discord.state.dm_between(user.user["id"], bot)["id"]
    reply = await user.slash(f"/ask {EMULATED}")
    opened = await reply.press("Ask on")
    assert "Write your next question here" in opened.text
    assert len(of_kind(discord, DM)) == 1


async def test_contradicting_sentences_are_shown_as_such(place):
    _, bot, user = place
    one = "We find that dropout improves the accuracy of speech recognisers with small vocabularies by 3 %."
    two = "Experiments show that dropout degrades the accuracy of recognisers where vocabularies are small."
    await fill(
        bot,
        [
            record(1, title="Dropout in speech, one", abstract=one),
            record(2, title="Dropout in speech, two", abstract=two),
        ],
    )
    reply = await user.slash("/ask does dropout improve the accuracy of speech recognisers?")
    assert len(quotes(reply)) >= 2
    assert "This may contradict [1]" in reply.text


async def test_what_a_thing_is_is_answered_by_the_sentences_that_say_so(lab):
    reply = await lab.user.slash("/ask what is PrismLLM?")
    assert [sentence for sentence, _ in quotes(reply) if "We present PrismLLM" in sentence]
    assert len(quotes(reply)) == 1
    assert await reply.press("Show in context")
    spelt_out = await lab.user.slash("/ask what does LLM stand for?")
    assert (
        "Large language model" in quotes(spelt_out)[0][0] or "large language model" in quotes(spelt_out)[0][0]
    )


async def test_papers_that_mention_a_thing_do_not_say_what_it_is(lab):
    reply = await lab.user.slash("/ask what is iteration time?")
    assert "I found no sure answer" in reply.text or "I found no good answer" in reply.text
    assert not quotes(reply)


async def test_a_question_for_a_number_is_answered_by_the_number(lab):
    reply = await lab.user.slash("/ask how many GPUs can PrismLLM emulate?")
    assert "8192 GPUs" in quotes(reply)[0][0]
    assert all(re.search(r"\d", sentence) for sentence, _ in quotes(reply))


@pytest.mark.parametrize(
    ("question", "typed"),
    [
        ("who works on congestion control?", "/who-knows topic:congestion control"),
        ("how many papers did Minlan Yu write?", "/papers author:Minlan Yu"),
        ("what is new today?", "/new"),
    ],
)
async def test_a_question_that_another_command_answers_names_it(lab, question, typed):
    reply = await lab.user.slash(f"/ask {question}")
    assert f"{typed} answers this from what I know" in reply.text


async def test_a_question_about_a_subject_names_no_other_command(lab):
    assert "from what I know" not in (await lab.user.slash("/ask how can GPU training be emulated?")).text
