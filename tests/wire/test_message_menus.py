"""The commands in a message's menu, over real sockets: its papers, saving them, similar ones."""

import pytest

from bot.local_discord.client import UserClient
from tests.helpers.members import joins, pressed

PRISM = "A Few GPUs, A Whole Lotta Scale: Faithful LLM Training Emulation with PrismLLM"
THC = "THC: Accelerating Distributed Deep Learning Using Tensor Homomorphic Compression"
PAPERS, SAVE, SIMILAR = "Papers in here", "Save", "Similar"


async def chosen(lab, menu, content="", **more):
    """The reply to a member who chooses a command in the menu of somebody else's message."""
    writer = joins(lab.discord, "writer")
    message = await lab.discord.messages.create(
        lab.discord.channel, writer["id"], {"content": content, **more}
    )
    return await lab.user.context_menu(menu, message["id"], kind=3)


@pytest.mark.parametrize(
    "content",
    [
        "https://arxiv.org/abs/2605.15617",
        "read https://arxiv.org/pdf/2605.15617v1.pdf!",
        "<https://arxiv.org/html/2605.15617v2>",
        "arXiv:2605.15617",
        "https://doi.org/10.48550/arXiv.2605.15617",
        f"have you seen “{PRISM.upper()}”?",
    ],
)
async def test_a_message_with_one_paper_shows_its_card_to_who_asks_alone(lab, content):
    reply = await chosen(lab, PAPERS, content)
    assert reply.is_private
    assert "arXiv:2605.15617" in reply.text
    assert "Similar papers" in [button["label"] for button in reply.buttons]


async def test_several_papers_are_a_list_in_the_message_s_order_with_the_unknown_ones_by_name(lab):
    text = f"“{THC}”, 2412.12636, https://aclanthology.org/2023.acl-long.1 and 10.1145/3651890.3672233"
    reply = await chosen(lab, PAPERS, text)
    assert "2 papers in this message" in reply.text
    assert reply.text.index("THC") < reply.text.index("TrainMover")
    assert "Not among the" in reply.text
    assert "[ACL Anthology 2023.acl-long.1](https://aclanthology.org/2023.acl-long.1)" in reply.text
    assert "(https://doi.org/10.1145/3651890.3672233)" in reply.text
    assert "TrainMover" in (await reply.press(reply.buttons[1])).text


async def test_an_unknown_id_gets_the_guesses_that_paper_gives(lab):
    reply = await chosen(lab, PAPERS, "https://arxiv.org/abs/2605.15616")
    assert "Not among the" in reply.text
    assert "2605.15616" in reply.text
    guessed = reply.selects[0]["options"]
    assert [option["label"] for option in guessed] == [
        option["label"] for option in (await lab.user.slash("/paper 2605.15616")).selects[0]["options"]
    ]


async def test_a_message_without_a_paper_says_what_is_looked_for(lab):
    for content in ("hello @everyone", "", f"{PRISM} without quotes", '"large language models"'):
        reply = await chosen(lab, PAPERS, content or "\u200b")
        assert "I don't see a paper in this message" in reply.text
        assert "titles in quotes" in reply.text


async def test_a_link_s_preview_names_a_paper_that_is_known_under_another_id(lab):
    preview = {"url": "https://openreview.net/forum?id=aBc_dEf-12", "title": f"{THC} | OpenReview"}
    reply = await chosen(lab, PAPERS, "https://openreview.net/forum?id=aBc_dEf-12", embeds=[preview])
    assert "arXiv:2302.08545" in reply.text
    assert "Not among" not in reply.text


async def test_embeds_and_components_of_other_bots_are_read(lab):
    embed = {
        "title": "New",
        "description": "see arXiv:2302.08545",
        "fields": [{"name": "x", "value": "2412.12636"}],
    }
    reply = await chosen(lab, PAPERS, embeds=[embed])
    assert "2 papers" in reply.text
    text = {"type": 10, "content": "today: arXiv:2302.08545"}
    link = {"type": 2, "style": 5, "label": "x", "url": "https://arxiv.org/abs/2412.12636"}
    parts = [{"type": 17, "components": [text, {"type": 1, "components": [link]}]}]
    reply = await chosen(lab, PAPERS, flags=1 << 15, components=parts)
    assert "2 papers" in reply.text


async def test_a_forged_button_of_another_s_message_names_no_paper(lab):
    paper = await lab.bot.services.store.find_id("arxiv", "2302.08545")
    row = {"type": 1, "components": [{"type": 2, "style": 2, "label": "x", "custom_id": f"d:{paper}"}]}
    assert "I don't see a paper" in (await chosen(lab, PAPERS, "x", components=[row])).text


@pytest.mark.parametrize("menu", [PAPERS, SAVE, SIMILAR])
async def test_hostile_messages_are_answered(lab, menu):
    for content in (
        "[" * 1_900,
        '"' * 1_900,
        "10.1234/" * 230,
        "arxiv.org/abs/2605.99999 " * 75,
        "\u202e\x00<@1>",
    ):
        reply = await chosen(lab, menu, content)
        assert reply.is_private
        assert "went wrong" not in reply.text
        assert reply.message["mentions"] == []


async def test_many_papers_of_a_message_fit(lab):
    ids = "2302.08545 2605.15617 2412.12636 2504.20854 2201.06398 2410.22229 2410.16037"
    unknown = " ".join(f"2601.{number:05d}" for number in range(120))
    reply = await chosen(lab, PAPERS, f"{ids} {unknown}")
    assert "7 papers in this message" in reply.text
    assert "more" in reply.text


@pytest.mark.parametrize("menu", [PAPERS, SAVE])
async def test_unknown_identifiers_with_long_addresses_fit(lab, menu):
    unknown = " ".join(f"10.1234/{number}{'é' * 70}" for number in range(8))
    reply = await chosen(lab, menu, f"2302.08545 2605.15617 2412.12636 {unknown}")
    assert "Not among the" in reply.text
    assert "TrainMover" in reply.text


# -- similar -----------------------------------------------------------------------------------------


async def test_similar_is_about_the_message_s_paper(lab):
    reply = await chosen(lab, SIMILAR, "https://arxiv.org/abs/2605.15617")
    assert reply.is_private
    assert "Similar to A Few GPUs" in reply.text


async def test_similar_asks_which_of_several_papers(lab):
    reply = await chosen(lab, SIMILAR, "2412.12636 and 2302.08545")
    assert "Similar to which one?" in reply.text
    assert "Similar to THC" in (await reply.choose("THC")).text


async def test_similar_goes_by_the_message_s_text_where_it_has_no_paper(lab):
    reply = await chosen(
        lab, SIMILAR, "we want to emulate the training of LLMs on large GPU clusters with few GPUs"
    )
    assert "Similar to your text" in reply.text
    assert "PrismLLM" in reply.text


async def test_similar_says_where_there_is_too_little(lab):
    assert "too little text" in (await chosen(lab, SIMILAR, "hi <@1> https://example.org/a/b/c/d")).text
    assert "Not among" in (await chosen(lab, SIMILAR, "2605.15616")).text


# -- save --------------------------------------------------------------------------------------------


async def kept(user):
    return (await user.slash("/library show")).text


async def test_save_keeps_the_message_s_paper_and_can_be_undone(place):
    discord, _, user = place
    said = await user.say("https://arxiv.org/abs/2605.15617")
    reply = await user.context_menu(SAVE, said["id"], kind=3)
    assert reply.is_private
    assert "PrismLLM" in reply.text
    again = await user.context_menu(SAVE, said["id"], kind=3)
    assert "in your library already" in again.text
    assert "PrismLLM" in await kept(user)
    assert "Removed" in (await reply.press("Remove")).text
    assert "empty" in await kept(user)
    other = joins(discord, "other")
    async with UserClient(discord.url, discord.state.token_of(other["id"])) as second:
        assert "empty" in await kept(second)


async def test_save_keeps_all_papers_of_a_message_at_once_and_undo_takes_back_only_the_new_ones(place):
    discord, _, user = place
    await user.slash("/save paper:2302.08545")
    said = await user.say(f'"{PRISM}" 2412.12636 2302.08545 and 2601.00001')
    reply = await user.context_menu(SAVE, said["id"], kind=3)
    assert "2 new papers, 1 was there already" in reply.text
    assert "Not among" in reply.text
    undo = reply.button("Undo")["custom_id"]
    other = joins(discord, "other")
    async with UserClient(discord.url, discord.state.token_of(other["id"])) as second:
        await second.slash("/save paper:2605.15617")
        assert "undone already" in (await pressed(discord, second, undo)).text
        assert "PrismLLM" in await kept(second)
    assert "2 works removed" in (await reply.press("Undo")).text
    left = await kept(user)
    assert "THC" in left
    assert "PrismLLM" not in left


async def test_save_takes_the_papers_of_labmate_s_own_cards(place):
    _, _, user = place
    card = await user.slash("/paper paper:PrismLLM")
    assert "PrismLLM" in (await user.context_menu(SAVE, card.message["id"], kind=3)).text
    listed = await user.slash("/papers author:ChonLam Lao")
    reply = await user.context_menu(SAVE, listed.message["id"], kind=3)
    assert "Saved to your library" in reply.text
    assert "5 works" in await kept(user)


async def test_save_without_a_known_paper_saves_nothing_and_says_why(place):
    _, _, user = place
    for content, says in (("hello", "I don't see a paper"), ("arXiv:2601.00001", "Nothing to save")):
        said = await user.say(content)
        assert says in (await user.context_menu(SAVE, said["id"], kind=3)).text
    assert "empty" in await kept(user)


async def test_a_banned_member_gets_no_menu(place):
    discord, bot, _ = place
    other = joins(discord, "other")
    await bot.services.store.bans.ban("member", int(other["id"]), by=0, reason="a test")
    async with UserClient(discord.url, discord.state.token_of(other["id"])) as second:
        said = await second.say("2605.15617")
        for menu in (PAPERS, SAVE, SIMILAR):
            reply = await second.context_menu(menu, said["id"], kind=3)
            assert "can't use this Labmate" in reply.text
