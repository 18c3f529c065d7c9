"""Checks of what starts with an interaction: commands, buttons, selects, modals."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path

from bot.local_discord.limits import walk
from bot.local_discord.shown_reply import ShownReply
from bot.local_discord.state import COMPONENTS_V2
from tests.clients.world import READY_WITHIN, LibraryLacksIt, World, until

COMMANDS = {
    *("every", "group", "suggest", "buttons", "selects", "form", "formbutton", "secret"),
    *("later", "more", "layout", "do", "Greet", "Count"),
}


def _said(reply: ShownReply) -> str:
    """A reply's text, where the bot did not say that its library lacks the feature."""
    if reply.text.startswith("lacks "):
        raise LibraryLacksIt(reply.text.removeprefix("lacks "))
    return reply.text


async def _shown(place: World, command: str) -> ShownReply:
    """A reply with components, once the bot is ready for them.

    A library remembers a view when Discord's answer to its reply has come. This member is quicker.
    """
    reply = await place.member.slash(command)
    _said(reply)
    await place.member.slash("/group inner choice:1")
    return reply


async def log_in(place: World) -> None:
    """The bot identifies, and says so to the channel with what READY told it."""
    sessions = place.server.gateway.sessions.values
    await until(lambda: any(s.user_id == place.bot for s in sessions()), READY_WITHIN, "logging in")


async def register(place: World) -> None:
    """Everything that the bot offers is registered."""

    def names() -> set[str]:
        return {c["name"] for scope in place.state.commands.values() for c in scope.values()}

    await until(lambda: names() >= COMMANDS, READY_WITHIN, f"registering {sorted(COMMANDS - names())}")


async def every_option(place: World) -> None:
    """Each type of option arrives as what it names; a subcommand arrives, too."""
    with tempfile.TemporaryDirectory() as folder:
        paper = Path(folder) / "paper.txt"
        paper.write_text("an abstract")
        reply = await place.member.slash(
            f"/every text:two words whole:7 number:2.5 yes:true user:{place.ada} channel:{place.channel} "
            f"role:{place.role} mentionable:{place.role} file:{paper}"
        )
    seen = json.loads(_said(reply))
    assert seen == ["two words", 7, 2.5, True, "ada", "general", "reader", "reader", "paper.txt"], seen
    assert (await place.member.slash("/group inner choice:2")).text == "inner 2"


async def autocomplete(place: World) -> None:
    """The bot suggests, and its suggestion can be used."""
    choices = await place.member.complete("/suggest word:pap")
    assert [choice["value"] for choice in choices] == ["pap-one", "pap-two"], choices
    assert (await place.member.slash("/suggest word:pap-two")).text == "you chose pap-two"


async def buttons(place: World) -> None:
    """A button edits its message."""
    reply = await _shown(place, "/buttons")
    pressed = await reply.press("Press me")
    assert pressed.text == "pressed by you", pressed.text
    assert pressed.message["id"] == reply.message["id"]


async def selects(place: World) -> None:
    """Each of the five selects tells the bot what was chosen."""
    reply = await _shown(place, "/selects")
    chosen = {
        3: ("b", "string: b"),
        5: (place.ada, "user: ada"),
        6: (place.role, "role: reader"),
        7: (place.ada, "mentionable: ada"),
        8: (place.channel, "channel: general"),
    }
    kinds = [select["type"] for select in reply.selects]
    assert kinds == list(chosen), kinds
    for select in reply.selects:
        value, expected = chosen[select["type"]]
        said = (await reply.choose_all([value], select)).text
        assert said == expected, f"{said!r}, not {expected!r}"


async def modal_from_command(place: World) -> None:
    """A command opens a modal, and what is typed arrives."""
    await _fill_in(place, await place.member.slash("/form"))


async def modal_from_button(place: World) -> None:
    """A button opens a modal; the submission knows the button's message."""
    reply = await _shown(place, "/formbutton")
    await _fill_in(place, await reply.press("Open"))


async def _fill_in(place: World, form: ShownReply) -> None:
    await place.member.slash("/group inner choice:1")  # as in _shown
    custom_id = next(c["custom_id"] for _, c in walk(form.message["components"]) if c["type"] == 4)
    said = (await place.member.submit(form.message["modal"], {custom_id: "Ada"})).text
    assert said == "you are Ada", said


async def ephemeral(place: World) -> None:
    """A reply that nobody else sees."""
    reply = await place.member.slash("/secret")
    assert reply.is_private
    assert reply.text == "only for you"


async def defer_edit_file(place: World) -> None:
    """Defer, then edit the reply to a text with a file."""
    reply = await place.member.slash("/later")
    assert reply.text == "done", reply.text
    [file] = reply.message["attachments"]
    assert place.state.files[file["id"]][0] == "report.txt"
    assert place.state.files[file["id"]][2] == b"a report"


async def follow_ups(place: World) -> None:
    """Two follow-ups; one is edited, the other deleted."""
    await place.member.slash("/more")

    def mine() -> list[str]:
        messages = place.state.messages[place.channel].values()
        return [m["content"] for m in messages if m["content"] in ("reply", "one", "one, edited", "two")]

    gone = asyncio.create_task(place.member.wait_for("MESSAGE_DELETE", within=20))
    if mine() != ["reply", "one, edited"]:
        await gone
    gone.cancel()
    await until(lambda: mine() == ["reply", "one, edited"], 20, "edit and deletion")


async def components_v2(place: World) -> None:
    """A container with text, a section, a picture, a line and a button that works."""
    reply = await _shown(place, "/layout")
    assert reply.message["flags"] & COMPONENTS_V2
    kinds = {component["type"] for component in reply.components}
    assert {17, 10, 9, 14, 1, 2} <= kinds, sorted(kinds)
    assert (await reply.press("Laid out")).text == "pressed in a layout"


async def user_menu(place: World) -> None:
    """A command on a user."""
    assert (await place.member.context_menu("Greet", place.ada)).text == "hello ada"


async def message_menu(place: World) -> None:
    """A command on a message."""
    said = await place.member.say("twelve chars")
    counted = (await place.member.context_menu("Count", said["id"], kind=3)).text
    assert counted == "12 characters", counted
