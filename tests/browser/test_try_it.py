"""The local Discord as a page, used in a real browser as a person uses it."""

from __future__ import annotations

from pathlib import Path

import pytest
import pytest_asyncio

from bot.local_discord.server import LocalDiscord
from data.calendar import clock
from tests.helpers.lab import started
from tests.helpers.printed_examples import examples
from tests.helpers.visitor import visitor

BIBTEX = b"@article{a, title={A book that nobody here knows}, author={Some Body}, year={1999}}"


@pytest_asyncio.fixture(scope="module")
async def furnished(tmp_path_factory, chromium):
    """A running Labmate on a local Discord with a forum and a second user."""
    folder = tmp_path_factory.mktemp("try-it")
    async with (
        LocalDiscord(furnished=True, move_clock=clock.move) as discord,
        started(discord, folder) as lab,
    ):
        yield lab


@pytest_asyncio.fixture
async def me(furnished, chromium):
    async with visitor(chromium, furnished.discord.url) as somebody:
        yield somebody
        assert somebody.complaints == []


@pytest.mark.parametrize("example", examples())
async def test_every_command_of_the_readme_works_through_the_page(me, example):
    before = await me.count()
    await me.line.fill(example)
    await me.page.keyboard.press("Escape")
    await me.page.keyboard.press("Enter")
    await me.page.wait_for_function(
        "before => document.querySelector('dialog[open]') || document.querySelector('#problem').textContent"
        " || (document.querySelectorAll('.message').length > before && !document.querySelector('.thinking'))",
        arg=before,
    )
    problem = await me.page.locator("#problem").inner_text()
    if problem:  # a group of commands, or one that needs a word, named without it
        assert " " not in example
        assert "needs one of" in problem or "missing" in problem
    else:
        assert "went wrong" not in await me.page.locator("#log").inner_text()
        assert await me.page.locator(".note").count() == 0


async def test_the_line_completes_commands_options_and_values(me):
    rows = me.page.locator("#suggestions").get_by_role("option")
    await me.line.press_sequentially("/pape")
    await rows.filter(has_text="/papers").first.wait_for()
    assert await me.line.get_attribute("aria-activedescendant") == await rows.first.get_attribute("id")
    await me.page.keyboard.press("ArrowDown")
    await me.page.keyboard.press("Enter")
    assert await me.line.input_value() == "/papers author:"
    await me.line.press_sequentially("ChonL")
    await rows.filter(has_text="ChonLam Lao").first.wait_for()
    await me.page.keyboard.press("Tab")
    assert (await me.line.input_value()).startswith("/papers author:ChonLam Lao")
    await me.line.press_sequentially("so")
    await rows.filter(has_text="sort:").first.wait_for()
    await me.page.keyboard.press("Tab")
    await rows.filter(has_text="ldest").first.wait_for()
    await me.page.keyboard.press("Tab")
    before = await me.count()
    await me.page.keyboard.press("Escape")
    await me.page.keyboard.press("Enter")
    await me.settled(before)
    await me.sees("ChonLam Lao")


async def test_a_form_is_filled_in_and_sent(me):
    await me.say("/claim ChonLam Lao")
    await me.say("/save PrismLLM")
    await me.button("Note").click()
    form = me.page.get_by_role("dialog")
    await form.get_by_role("textbox").first.fill("Read the part about clusters")
    await form.get_by_role("button", name="Submit").click()
    await form.wait_for(state="detached")
    assert "Read the part about clusters" in await me.say("/library show")


async def test_a_select_moves_to_a_neighbour_by_keyboard_alone(me):
    await me.say("/graph PrismLLM")
    select = me.page.locator(".select").last
    await select.focus()
    await me.page.keyboard.press("Enter")
    row = me.page.get_by_role("listbox", name="Move to a neighbour").get_by_role("option").first
    name = await row.locator(".label").inner_text()
    await me.page.keyboard.press("Home")
    await me.page.keyboard.press("Enter")
    await me.sees(f"{name} among")


async def test_files_go_up_and_down(me):
    await me.line.press_sequentially("/library import ")
    await me.page.get_by_role("option").filter(has_text="Choose a file").wait_for()
    async with me.page.expect_file_chooser() as chooser:
        await me.page.keyboard.press("Tab")
    await (await chooser.value).set_files({"name": "mine.bib", "mimeType": "text/plain", "buffer": BIBTEX})
    before = await me.count()
    await me.page.keyboard.press("Escape")
    await me.page.keyboard.press("Enter")
    await me.settled(before)
    assert "1 reference read: 1 new" in await me.last()
    await me.say("/save PrismLLM")
    await me.say("/library export format:BibTeX")
    async with me.page.expect_download() as download:
        await me.page.locator(".file a").last.click()
    exported = Path(await (await download.value).path()).read_text()
    assert "PrismLLM" in exported
    assert "A book that nobody here knows" in exported


async def test_a_post_in_a_forum_is_a_place_to_ask_in(me):
    await me.go("reading-group")
    await me.button("New post").click()
    await me.page.get_by_label("Title").fill("Emulation")
    await me.page.get_by_label("Text").fill("What is known?")
    await me.button("Submit").click()
    await me.page.get_by_role("heading", name="Emulation", level=1).wait_for()
    assert "What is known?" in await me.last()
    assert "similarity" in await me.say("/similar PrismLLM")


async def test_a_direct_message_needs_no_mention(me):
    await me.go("Labmate")
    before = await me.count()
    await me.line.fill("papers by ChonLam Lao")
    await me.page.keyboard.press("Enter")
    await me.settled(before + 1)
    assert "TrainMover" in await me.last()


async def test_a_private_answer_is_seen_by_one_of_the_two(me):
    assert "Only you can see this" in await me.say("/papers author:ChonLam Lao private:True")
    await me.say("Does this arrive?")
    shown = await me.count()
    await me.page.get_by_label("You are").select_option(label="colleague")
    await me.sees("Does this arrive?")
    assert await me.page.get_by_text("Only you can see this").count() == 0
    await me.page.get_by_label("You are").select_option(label="you")
    await me.page.wait_for_function("n => document.querySelectorAll('.message').length === n", arg=shown)


async def test_ask_on_opens_a_thread(me):
    await me.say("/ask how can large GPU clusters be emulated?")
    before = await me.page.locator(".thread").count()
    await me.button("Ask on").click()
    await me.page.wait_for_function("n => document.querySelectorAll('.thread').length > n", arg=before)
    await me.page.locator(".thread button").last.click()
    await me.page.get_by_text("Thread", exact=True).wait_for()


async def test_a_message_menu_has_the_commands_of_messages(me):
    await me.say("/paper 2605.15617")
    await me.page.get_by_role("button", name="More for this message").last.click()
    before = await me.count()
    await me.page.get_by_role("menuitem", name="Apps: Similar").click()
    await me.settled(before)
    await me.sees("TrainMover")


async def test_faults_are_seen_on_the_wire(me):
    await me.button("Faults").click()
    await me.page.get_by_label("What goes wrong").select_option(label="Error 500 for the bot's replies")
    await me.button("Switch on").click()
    await me.page.get_by_text("Switched on").wait_for()
    await me.button("Wire").click()
    await me.say("/about")
    await me.page.locator(".wire .bad").filter(has_text="500").first.wait_for()
    await me.button("Faults").click()
    await me.button("End all faults").click()
    await me.page.get_by_text("Everything works again.").wait_for()


async def test_a_message_of_labmate_can_be_replied_to(me):
    await me.say("@Labmate papers by ChonLam Lao")
    await me.page.get_by_role("button", name="More for this message by Labmate").last.click()
    await me.page.get_by_role("menuitem", name="Reply").click()
    before = await me.count()
    await me.line.fill("@Labmate similar to PrismLLM")
    await me.page.keyboard.press("Escape")
    await me.page.keyboard.press("Enter")
    await me.settled(before + 1)
    assert await me.page.get_by_text("replies to Labmate").count() == 1


async def test_the_keyboard_alone_is_enough(me):
    keys = me.page.keyboard
    focused = "document.activeElement.innerText || document.activeElement.id"

    async def tab_to(text: str) -> None:
        for _ in range(80):
            await keys.press("Shift+Tab")
            if text in await me.page.evaluate(focused):
                return
        raise AssertionError(f"no way to {text}")

    assert await me.page.evaluate(focused) == "line"
    await keys.type("/digest create")
    await keys.press("Escape")
    before = await me.count()
    await keys.press("Enter")
    await me.settled(before)
    await tab_to("Name, time, zone")
    await keys.press("Enter")
    await me.page.get_by_role("dialog").wait_for()
    for _ in range(12):
        await keys.press("Tab")
        assert await me.page.evaluate("!document.activeElement.closest('main, nav')")
    await keys.press("Escape")
    await me.page.get_by_role("dialog").wait_for(state="detached")
    assert "Name, time, zone" in await me.page.evaluate(focused)
    await keys.press("Alt+ArrowDown")
    await me.page.wait_for_function("document.querySelector('h1').textContent !== 'general'")
    await tab_to("Clock")
    await keys.press("Enter")
    await me.page.get_by_role("heading", name="Clock", level=2).wait_for()


async def test_the_page_comes_back_when_the_connection_was_cut(me, furnished):
    await furnished.discord.gateway.drop(user_id=furnished.discord.owner["id"])
    await me.page.get_by_text("The local Discord can't be reached").wait_for()
    await me.page.get_by_text("The local Discord can't be reached").wait_for(state="hidden")
    await furnished.user.request(
        "POST", f"/channels/{furnished.discord.channel['id']}/messages", {"content": "Still there?"}
    )
    await me.sees("Still there?")
