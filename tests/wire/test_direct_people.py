"""In a direct message, "he", "her" and "they" mean the person whose card or papers were shown last."""

import pytest

from bot.local_discord.server import LocalDiscord
from index.identity.passes import identify
from tests.helpers.lab import fill, started
from tests.helpers.records import record

ALONE = "Ask it alone"


@pytest.fixture
async def user(tmp_path):
    """A member in direct messages with Labmate."""
    async with LocalDiscord() as discord, started(discord, tmp_path, labmate_pictures=False) as lab:
        await fill(
            lab.bot, [record(801, title="Quaggas Alone", abstract="Quaggas.", authors=["Quirin Quagga"])]
        )
        await lab.bot.services.wait_for_people()
        bot, user = discord.state.application["bot"]["id"], lab.user
        user.guild_id, user.channel_id = None, discord.state.dm_between(user.user["id"], bot)["id"]
        yield user


@pytest.fixture
async def channel(tmp_path):
    """A member in a channel of a server with Labmate."""
    async with LocalDiscord() as discord, started(discord, tmp_path, labmate_pictures=False) as lab:
        await lab.bot.services.wait_for_people()
        yield lab.user


@pytest.fixture
async def shared(tmp_path):
    """The same, where two publish as Chen Li, nine papers and two, and two as Bo Xu, four and three."""
    async with LocalDiscord() as discord, started(discord, tmp_path, labmate_pictures=False) as lab:
        drones = [
            record(700 + n, title=f"swarms of drones over fields {n}", authors=["Chen Li", "Ada Byron"])
            for n in range(9)
        ]
        proofs = [
            record(800 + n, title=f"proofs of lattices {n}", authors=["Chen Li", "Zed Quux"])
            for n in range(2)
        ]
        yeast = [
            record(820 + n, title=f"yeast cells dividing {n}", authors=["Bo Xu", "Cy Bell"]) for n in range(4)
        ]
        poems = [
            record(830 + n, title=f"meter in old poems {n}", authors=["Bo Xu", "Di Poe"]) for n in range(3)
        ]
        await fill(lab.bot, [*drones, *proofs, *yeast, *poems])
        with lab.bot.services.corpus.writing():
            await identify(lab.bot.services.corpus, full=True)
        await lab.bot.services.insight.refresh()
        bot, user = discord.state.application["bot"]["id"], lab.user
        user.guild_id, user.channel_id = None, discord.state.dm_between(user.user["id"], bot)["id"]
        yield user


def read_with(reply):
    """What a reply says it was read with; empty for nothing."""
    return reply.text.partition("I took this as a follow-up to “")[2].partition("”")[0]


@pytest.mark.parametrize("how", ["slash", "tell", "button"])
async def test_after_a_persons_card_a_pronoun_means_that_person(user, how):
    if how == "slash":
        await user.slash("/author Minlan Yu")
    elif how == "tell":
        await user.tell("who is minlan yu")
    else:
        await (await user.tell("PrismLLM")).press("ChonLam Lao")
    name = "ChonLam Lao" if how == "button" else "Minlan Yu"
    reply = await user.tell("what does she work on")
    assert reply.text.startswith(f"-# /papers author:{name}\n")
    assert read_with(reply) == name
    assert (await user.tell("who does he work with?")).text.startswith(f"-# /author name:{name}\n")
    assert (await user.tell("her recent papers")).text.startswith(f"-# /papers author:{name}\n")
    alone = await (await user.tell("their other papers")).press(ALONE)
    assert alone.text.startswith("-# /search query:their other papers")


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("papers by him on training", "/search query:papers by Minlan Yu on training"),
        ("anything on training by her?", "/search query:papers by Minlan Yu on training"),
        ("what has she found about congestion", "/search query:papers by Minlan Yu on congestion"),
        ("does she work with chonlam lao", "/compare first:Minlan Yu second:ChonLam Lao"),
        ("compare her with ChonLam Lao", "/compare first:Minlan Yu second:ChonLam Lao"),
        ("people like her", "/similar-people name:Minlan Yu"),
        ("more like her", "/similar-people name:Minlan Yu"),
        ("where does she work", "/author name:Minlan Yu"),
        ("other papers", "/papers author:Minlan Yu"),
        ("coauthors?", "/author name:Minlan Yu"),
        ("and with whom", "/author name:Minlan Yu"),
        ("her papers with chonlam lao", "/compare first:Minlan Yu second:ChonLam Lao"),
        ("wat does she work on", "/papers author:Minlan Yu"),
        ("whats her latest paper", "/papers author:Minlan Yu"),
        ("her first paper", "/papers author:Minlan Yu sort:oldest"),
        ("tell me more about her", "/author name:Minlan Yu"),
        ("only since 2024", "/papers author:Minlan Yu since:2024-01-01"),
    ],
)
async def test_what_is_asked_of_a_person_is_answered_by_its_command(user, said, typed):
    await user.tell("who is Minlan Yu?")
    reply = await user.tell(said)
    assert reply.text.startswith(f"-# {typed}\n")
    assert read_with(reply) == "Minlan Yu"


@pytest.mark.parametrize("said", ["who are her students?", "and her phd students?", "how old is he"])
async def test_what_papers_do_not_say_of_a_person_is_not_searched_for(user, said):
    await user.tell("who is Minlan Yu?")
    assert "I can't tell you that about Minlan Yu." in (await user.tell(said)).text
    assert "use /follow" in (await user.tell("follow her")).text
    assert read_with(await user.tell("her papers")) == "Minlan Yu"


@pytest.mark.parametrize(
    "new",
    [
        "how does he initialization work?",
        "how does HER work?",
        "what do we know about his-tag purification",
        "vs code extensions for papers",
        "how do they train LLMs?",
        "do LLMs know what they know?",
        "what did ChonLam Lao say about his work",
        "PrismLLM",
        "what is grokking?",
        "is it possible to prune LLMs?",
    ],
)
async def test_what_does_not_mean_the_person_stays_new(user, new):
    await user.tell("who is Minlan Yu?")
    reply = await user.tell(new)
    assert read_with(reply) == ""
    assert ALONE not in [button["label"] for button in reply.buttons]


async def test_the_person_stays_meant_while_their_papers_are_listed(user):
    await user.tell("papers by ChonLam Lao")
    assert (await user.tell("what does he work on?")).text.startswith("-# /papers author:ChonLam Lao\n")
    await user.tell("his papers on training")
    assert (await user.tell("who does he work with")).text.startswith("-# /author name:ChonLam Lao\n")


@pytest.mark.parametrize(
    "author", ["minlan yu", "yu, minlan", "what has minlan yu published", "papers by minlan yu"]
)
async def test_the_person_is_meant_however_the_name_was_typed(user, author):
    await user.slash(f"/papers author:{author}")
    assert (await user.tell("who does she work with?")).text.startswith("-# /author name:Minlan Yu\n")
    await user.slash(f"/papers author:{author}")
    reply = await user.tell("papers by her on training")
    assert reply.text.startswith("-# /search query:papers by Minlan Yu on training\n")


async def test_whom_he_works_with_is_no_comparison_of_people_of_one_name(shared):
    await shared.slash("/papers bo xu")
    assert "Which bo xu?" in (await shared.tell("who does he work with?")).text


async def test_a_person_who_was_chosen_while_typing_is_spoken_of_by_name(shared):
    [offered, *_] = await shared.complete("/papers author:Bo Xu")
    await shared.slash(f"/papers author:{offered['value']}")
    reply = await shared.tell("papers by him on yeast")
    assert reply.text.startswith("-# /search query:papers by Bo Xu on yeast\n")
    assert read_with(reply) == "papers by Bo Xu"
    assert (await shared.tell("who does he work with?")).text.startswith("-# /author name:Bo Xu ~")


async def test_of_two_people_of_a_name_the_other_one_is_the_other(shared):
    assert "9 papers in this library" in (await shared.tell("who is Chen Li?")).text
    other = await shared.tell("no, the other one")
    assert other.text.startswith("-# /author name:Chen Li ~")
    assert "2 papers in this library" in other.text
    listed = await shared.tell("his papers")
    assert "\n2 papers, newest first" in listed.text
    await shared.tell("who is Chen Li?")
    assert "\n9 papers, newest first" in (await shared.tell("her recent papers")).text


@pytest.mark.parametrize("how", ["slash", "tell", "menu"])
async def test_whose_papers_are_meant_is_answered_by_number(shared, how):
    asked = await (shared.tell("papers by Bo Xu") if how == "tell" else shared.slash("/papers Bo Xu"))
    assert "Which Bo Xu?" in asked.text
    if how == "menu":
        listed = await asked.choose(asked.selects[0]["options"][1]["value"])
    else:
        listed = await shared.tell("the second one")
        assert listed.text.startswith("-# /papers author:Bo Xu ~")
    assert "\n3 papers, newest first" in listed.text
    assert (await shared.tell("the third one")).text.startswith("-# /paper paper:")


async def test_a_person_who_was_listed_is_chosen_by_number(user):
    listed = await user.tell("who works on in-network aggregation")
    names = [line.split("**")[1] for line in listed.text.split("\n") if line.startswith("**")]
    card = await user.tell("the second one")
    assert card.text.startswith(f"-# /author name:{names[1]}")
    assert (await user.tell("no the first one")).text.startswith(f"-# /author name:{names[0]}")


async def test_of_two_people_compared_the_other_one_is_the_other(user):
    await user.tell("compare Minlan Yu and ChonLam Lao")
    assert "my last reply showed 2 people" in (await user.tell("her papers on training")).text
    await user.tell("the first one")
    assert (await user.tell("no, the other one")).text.startswith("-# /author name:ChonLam Lao\n")


@pytest.mark.parametrize(
    "said", ["their other papers", "other papers by them", "what else have they written"]
)
@pytest.mark.parametrize("first", ["PrismLLM", "what is PrismLLM?"])
async def test_after_a_paper_they_are_its_authors(user, first, said):
    await user.tell(first)
    reply = await user.tell(said)
    assert "Other papers by the authors of PrismLLM" in reply.text
    assert read_with(reply) == first


async def test_which_author_of_a_paper_is_meant_is_asked(user):
    await user.tell("PrismLLM")
    for said in ("his other papers", "what does she work on?"):
        assert "I don't know which of the paper's authors you mean." in (await user.tell(said)).text
    assert (await user.tell("who are they")).text.startswith("-# /paper paper:PrismLLM")


async def test_an_author_of_a_paper_is_meant_by_place(user):
    for said in ("who is the first author?", "the last author's papers", "other papers by its last author"):
        assert "I don't know which paper you mean." in (await user.tell(said)).text
    await user.tell("papers by the first author of PrismLLM")
    reply = await user.tell("and the last author?")
    assert reply.text.startswith("-# /search query:papers by the last author of PrismLLM\n")
    await user.tell("what is PrismLLM?")
    assert (await user.tell("the second author's papers")).text.startswith("-# /papers author:ChonLam Lao\n")
    await user.tell("PrismLLM")
    assert (await user.tell("who is the second author?")).text.startswith("-# /author name:ChonLam Lao\n")
    await user.tell("PrismLLM")
    reply = await user.tell("the second author's other papers")
    assert reply.text.startswith("-# /papers author:ChonLam Lao\n")
    assert read_with(reply) == "PrismLLM"


async def test_of_an_only_author_no_question_is_asked(user):
    await user.tell("Quaggas Alone")
    assert "papers by the authors of" in (await user.tell("his other papers")).text


@pytest.mark.parametrize(
    "said",
    [
        "what does he work on?",
        "their other papers",
        "her papers",
        "who works with him",
        "his papers on pruning",
        "anything on pruning by him?",
        "papers by her about training",
        "people like him",
        "more like him",
        "what about him",
        "compare her to Minlan Yu",
    ],
)
async def test_who_is_meant_is_asked_where_nobody_was_shown(user, said):
    assert "I don't know whom you mean." in (await user.tell(said)).text
    await user.tell("what causes loss spikes?")
    assert "I don't know whom you mean." in (await user.tell(said)).text
    await user.tell("papers on training emulation")
    assert "I don't know whom you mean." in (await user.tell(said)).text


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("what does he work on?", "I don't know whom you mean."),
        ("his papers on pruning", "I don't know whom you mean."),
        ("the second one", "I don't know which paper you mean."),
        ("more like this", "I don't know which paper you mean."),
        ("next", "press *Next ▶* below a list."),
        ("compare it to TrainMover", "Please name both"),
    ],
)
async def test_who_or_what_is_meant_is_asked_in_a_channel_too(channel, said, answer):
    await channel.mention("who is Minlan Yu?")
    assert answer in (await channel.mention(said)).text


async def test_people_who_were_listed_by_a_command_are_chosen_by_number(user):
    listed = await user.slash("/who-knows in-network aggregation")
    names = [line.split("**")[1] for line in listed.text.split("\n") if line.startswith("**")]
    assert (await user.tell("the second one")).text.startswith(f"-# /author name:{names[1]}")
    listed = await (await user.slash("/author Minlan Yu")).press("Collaborators")
    names = [line.split("**")[1] for line in listed.text.split("\n") if line.startswith("**")]
    assert (await user.tell("the first one")).text.startswith(f"-# /author name:{names[0]}")
    await user.slash("/compare first:Minlan Yu second:ChonLam Lao")
    await user.tell("the first one")
    assert (await user.tell("no, the other one")).text.startswith("-# /author name:ChonLam Lao\n")


async def test_whose_papers_are_only_known_by_name_is_meant_too(user):
    assert "haven't matched them to people yet" in (await user.tell("who is Quirin Quagga?")).text
    reply = await user.tell("what does she work on")
    assert reply.text.startswith("-# /papers author:Quirin Quagga\n")
    assert read_with(reply) == "Quirin Quagga"
