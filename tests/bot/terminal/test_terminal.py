"""The prompt shows what Discord's client would: names and times, forms with their fields, Tab."""

import asyncio
import io
from datetime import UTC, datetime, timedelta

import pytest
import rich.console
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from bot.cli.ask import ask
from bot.local_discord.client import ShownReply
from bot.settings import Settings
from bot.terminal.completion import DiscordCompleter
from bot.terminal.drawing import draw, print_plain
from bot.terminal.forms import form_of
from bot.terminal.markup import moment, plain, styled
from bot.terminal.prompt import Terminal
from commands.cards.lists import note
from commands.cards.text import safe
from commands.general.about import About
from commands.kit.replies import LONGER, UserError
from tests.helpers import databases
from tests.helpers.sample import lay_sample

NAMES = {"@1": "@bee", "#2": "#general", "&3": "@managers"}
NOW = datetime(2026, 11, 16, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (
            "by <@1> in <#2> for <@&3>, <@9> in <#9>",
            "by @bee in #general for @managers, @unknown in #unknown",
        ),
        ("## Head\n**bold** and *this*\n-# small", "Head\nbold and this\nsmall"),
        ("- one\n- two\n1. three\n> said", "• one\n• two\n1. three\n▏ said"),
        ("**[A \\[title\\]](https://x.org/a_b)**", "A [title] <https://x.org/a_b>"),
        ("use </digest create:12345>", "use /digest create"),
        (
            safe("2.5 Years of <@1> @everyone, *really* 1. `x`"),
            "2.5 Years of <@1> @everyone, *really* 1. `x`",
        ),
        ("<https://x.org/feed.xml>", "https://x.org/feed.xml"),
    ],
)
def test_marks_are_read_as_a_person_would(text, seen):
    assert plain(text, NAMES) == seen
    assert styled(text, NAMES).plain == seen.replace(" <https://x.org/a_b>", "")


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("t", "08:00"),
        ("d", "16/11/2026"),
        ("F", "Monday, 16 November 2026 08:00"),
        ("", "16 November 2026 08:00"),
        ("R", "in 3 hours"),
    ],
)
def test_moments_are_written_as_discord_writes_them(form, seen):
    then = NOW + timedelta(hours=3 if form == "R" else 0)
    assert moment(int(then.timestamp()), form, NOW) == seen
    assert moment(int((NOW - timedelta(days=1)).timestamp()), "R", NOW) == "1 day ago"
    assert moment(10**30, form, NOW) == "some time"


class Console:
    """Keeps what is printed."""

    def __init__(self):
        self.printed = []

    def print(self, what):
        self.printed.append(getattr(what, "plain", what))


async def test_a_form_is_shown_with_what_it_holds_filled_in_and_sent(lab):
    asked, given = [], {"Name": "Mornings", "Time, such as 08:30 or 9:30 pm": "7:15"}
    given["Time zone, such as Europe/Berlin"] = "UTC"

    async def ask(field):
        asked.append((field.label, field.value))
        if field.label == "Name" and len(asked) == 1:
            return "x" * 81  # Discord would not let this be sent
        return given.get(field.label, field.value)

    console = Console()
    terminal = Terminal(lab.user, console, ask)
    await terminal.handle("/digest create")
    number = next(n for n, (_, c, _) in terminal._shown.items() if c.get("label") == "Name, time, zone")
    await terminal.handle(str(number))
    assert asked[:2] == [("Name", "New papers"), ("Name", "x" * 81)]
    assert asked[2:] == [
        ("Time, such as 08:30 or 9:30 pm", "09:00"),
        ("Time zone, such as Europe/Berlin", ""),
    ]
    assert "Name takes 0 to 80 characters; this has 81." in console.printed
    assert "**Mornings**" in next(iter(terminal._shown.values()))[0].text
    assert "at 07:15" in next(iter(terminal._shown.values()))[0].text


async def test_a_form_can_be_left(lab):
    async def leave(field):
        return None

    console = Console()
    terminal = Terminal(lab.user, console, leave)
    await terminal.handle("/digest create")
    number = next(n for n, (_, c, _) in terminal._shown.items() if c.get("label") == "Name, time, zone")
    await terminal.handle(str(number))
    assert "The form was closed; nothing was sent." in console.printed


async def test_channels_and_several_options_are_chosen_by_numbers(lab):
    async def ask(field):
        raise AssertionError("no form is open")

    console = Console()
    terminal = Terminal(lab.user, console, ask)
    await terminal.handle("/digest create")
    labels = {option: n for n, (_, c, option) in terminal._shown.items() if c["type"] == 8}
    assert list(labels) == [lab.discord.channel["id"]]
    hour, day = (
        next(n for n, (_, _, option) in terminal._shown.items() if option == value)
        for value in ("10:00", "1111111")
    )
    await terminal.handle(f"{hour} {day}")
    assert "different questions" in console.printed[-1]
    await terminal.handle(f"{hour} {hour + 1}")
    assert "only one" in console.printed[-1]
    await terminal.handle(str(labels[lab.discord.channel["id"]]))
    reply = next(iter(terminal._shown.values()))[0]
    assert "Not started yet" in reply.text
    await terminal.handle("1 9999")
    assert "no button 9999" in console.printed[-1]


def test_a_form_says_what_is_missing():
    modal = {
        "title": "T",
        "components": [
            {
                "type": 18,
                "label": "Around it",
                "component": {"type": 4, "custom_id": "a", "style": 2, "min_length": 3, "required": True},
            }
        ],
    }
    [field] = form_of(modal).fields
    assert (field.label, field.long) == ("Around it", True)
    assert field.problem(" ") == "Around it is required."
    assert field.problem("ab") == "Around it takes 3 to 4,000 characters; this has 2."
    assert field.problem("abc") is None


def test_a_file_of_a_form_is_named_by_its_path(tmp_path):
    upload = {"type": 19, "custom_id": "file", "required": False}
    [field] = form_of(
        {"title": "T", "components": [{"type": 18, "label": "A file", "component": upload}]}
    ).fields
    assert (field.label, field.hint) == ("A file", "optional, the path of a file")
    assert field.problem("") is None
    assert field.problem(str(tmp_path / "x")) == f"I can't find the file {tmp_path / 'x'}."
    (tmp_path / "x").write_text("x" * 5_000)
    assert field.problem(str(tmp_path / "x")) is None


async def test_tab_offers_commands_subcommands_options_and_values(lab):
    completer = DiscordCompleter(lab.user, await lab.user.commands())

    async def offered(text):
        found = completer.get_completions_async(Document(text), CompleteEvent(completion_requested=True))
        return [completion.text async for completion in found]

    assert "digest " in await offered("/di")
    assert {"create ", "now "} <= set(await offered("/digest "))
    assert await offered("/digest cr") == ["create "]
    assert "author:" in await offered("/papers ")
    assert "ChonLam Lao" in await offered("/papers author:chon")
    assert await offered("/papers author:x private:t") == ["true"]
    assert await offered("/papers author:x sort:old") == ["oldest"]
    assert await offered("hello") == []


async def test_what_looks_like_an_emoji_s_name_is_printed_as_it_is(lab):
    shown, printed = await lab.user.slash("/search year:abcd:"), io.StringIO()
    print_plain(shown, rich.console.Console(file=printed))
    assert printed.getvalue().startswith("year:abcd:\n")


async def test_what_the_bot_posts_by_itself_is_shown_with_its_place(lab):
    async def ask(field):
        raise AssertionError("no form is open")

    console = Console()
    Terminal(lab.user, console, ask)
    bot = lab.discord.state.application["bot"]["id"]
    body = {"content": "hello <#" + lab.discord.channel["id"] + ">"}
    seen = lab.user.wait_for("MESSAGE_CREATE")
    message = await lab.discord.messages.create(lab.discord.channel, bot, body)
    await seen
    assert console.printed == ["Labmate in #general:", "hello #general"]
    assert draw(ShownReply(lab.user, message)).actions == {}


class Slow:
    """An `/about` that takes longer than usual, until the interim reply has been printed."""

    def __init__(self, lab, monkeypatch, printed, error=None):
        self._printed, self._error = printed, error
        monkeypatch.setattr(lab.bot.services, "interim_after", 0.05)
        monkeypatch.setattr("commands.kit.replies.QUICK", 0.05)
        monkeypatch.setattr(About, "_about", lambda _: self.about())

    async def about(self):
        async with asyncio.timeout(20):
            while LONGER not in self._printed.getvalue():  # noqa: ASYNC110 - a file tells nobody
                await asyncio.sleep(0.02)
        if self._error:
            raise self._error
        return note("Here I am.")


@pytest.mark.parametrize("command", ["/about", "/about private:true"])
@pytest.mark.parametrize(
    ("error", "said"), [(None, "Here I am."), (UserError("I don't know myself."), "I don't know myself.")]
)
async def test_an_answer_that_takes_longer_is_shown_before_the_next_command(
    lab, monkeypatch, command, error, said
):
    async def ask(field):
        raise AssertionError("no form is open")

    printed = io.StringIO()
    terminal = Terminal(lab.user, rich.console.Console(file=printed, width=200), ask)
    Slow(lab, monkeypatch, printed, error)
    await terminal.handle(command)
    shown = printed.getvalue()
    assert shown.count(LONGER) == shown.count(said) == 1
    assert shown.index(LONGER) < shown.index(said)


async def test_an_answer_that_comes_too_late_is_shown_when_it_comes(lab, monkeypatch):
    async def ask(field):
        raise AssertionError("no form is open")

    seen, printed = io.StringIO(), io.StringIO()
    terminal = Terminal(lab.user, rich.console.Console(file=printed, width=200), ask)
    monkeypatch.setattr("bot.terminal.interim.PATIENCE", 0.2)
    Slow(lab, monkeypatch, seen)
    await terminal.handle("/about")
    assert "No answer: the answer has not come yet" in printed.getvalue()
    arrived = lab.user.wait_for("MESSAGE_UPDATE")
    seen.write(LONGER)
    await arrived
    assert "Here I am." in printed.getvalue()


async def test_ask_prints_the_answer_after_it_was_told_to_wait(lab, tmp_path, monkeypatch, capsys):
    lay_sample(tmp_path)

    async def about(_):
        await asyncio.sleep(1)
        return note("Here I am.")

    monkeypatch.setattr("commands.kit.services.INTERIM_AFTER", 0.05)
    monkeypatch.setattr("commands.kit.replies.QUICK", 0.05)
    monkeypatch.setattr(About, "_about", about)
    settings = Settings(
        _env_file=None, labmate_data=tmp_path, labmate_fetch=False, database_url=databases.setting(tmp_path)
    )
    assert await ask(settings, "/about", as_json=False) == 0
    printed = capsys.readouterr()
    assert printed.out == "Here I am.\n"
    assert LONGER in printed.err


async def test_ask_on_leads_into_the_thread_and_back_out_of_it(lab):
    async def ask(field):
        raise AssertionError("no form is open")

    console = Console()
    terminal, before = Terminal(lab.user, console, ask), lab.user.channel_id
    assert terminal.place == "› "
    await terminal.handle("/ask how can large GPU clusters be emulated?")
    number = next(n for n, (_, c, _) in terminal._shown.items() if c.get("label") == "Ask on")
    await terminal.handle(str(number))
    thread = lab.user.channel_id
    assert thread != before
    assert terminal.place == "#how can large GPU clusters be emulated? › "
    await terminal.handle("@Labmate how accurate is it?")
    [said] = [
        m for m in lab.user.messages.values() if m["channel_id"] == thread and "accurate" in m["content"]
    ]
    assert any("taken as: how accurate is PrismLLM?" in str(m) for m in lab.user.messages.values()), said
    await terminal.handle("back")
    assert lab.user.channel_id == before
    assert terminal.place == "› "


async def test_a_command_for_direct_messages_leads_there_and_one_for_servers_is_refused_there(lab):
    async def ask(field):
        raise AssertionError("no form is open")

    console, before = Console(), lab.user.channel_id
    terminal = Terminal(lab.user, console, ask)
    await terminal.handle("/admin status")
    assert "/admin status works only in direct messages" in console.printed[0]
    assert terminal.place == "direct messages › "
    direct = lab.user.channel_id
    [status] = [message for message in lab.user.messages.values() if message["channel_id"] == direct]
    assert "Needs your attention" in str(status)
    await terminal.handle("/papers ChonLam Lao")
    assert lab.user.channel_id == direct
    await terminal.handle("/setup")
    assert console.printed[-1].startswith("/setup works only in a server. Type back")
    await terminal.handle("back")
    assert lab.user.channel_id == before
    assert terminal.place == "› "
