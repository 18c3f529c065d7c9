"""What bots of other libraries rely on, and the local Discord once lacked."""

from __future__ import annotations

import asyncio
import base64
import json

import pytest

from bot.local_discord.client import CommandRefusedError
from bot.local_discord.server import LocalDiscord

OPTIONS = [
    {"name": name, "type": kind, "description": name}
    for name, kind in (("user", 6), ("channel", 7), ("role", 8), ("mentionable", 9))
]


async def test_the_tokens_first_part_is_the_bots_id(wire):
    first = wire.server.bot_token.split(".")[0]
    assert (
        base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)).decode()
        == (wire.server.state.application["bot"]["id"])
    )


async def test_application_and_bot_have_one_id_that_survives_a_restart(tmp_path):
    ids = [LocalDiscord(ids=tmp_path / "ids").state.application for _ in range(2)]
    assert {app["id"] for app in ids} == {app["bot"]["id"] for app in ids}
    assert len({app["id"] for app in ids}) == 1


async def test_a_form_with_payload_json_is_a_message(wire):
    said = json.dumps({"content": "from a form & co"})
    message = await wire.ask("POST", wire.channel + "/messages", data={"payload_json": said})
    assert message["content"] == "from a form & co"


@pytest.mark.parametrize("form", ["payload_json=%7B", "other=1", "", "payload_json=" + "%5B" * 2_000])
async def test_a_form_without_usable_json_is_refused(wire, form):
    headers = {
        "Authorization": f"Bot {wire.server.bot_token}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    status, answer, _ = await wire.answer("POST", wire.channel + "/messages", data=form, headers=headers)
    assert (status, answer["code"]) in ((400, 50109), (400, 50006), (400, 50035))


async def test_an_emoji_in_a_path_does_not_reach_a_header(wire):
    said = await wire.post("react")
    path = f"{wire.channel}/messages/{said['id']}/reactions/👍/@me"
    status, _, headers = await wire.answer("PUT", path)
    assert status == 204
    assert headers["X-RateLimit-Bucket"].isascii()


async def _command(wire, options):
    bot = wire.server.state.application["id"]
    body = {"name": "probe", "type": 1, "description": "probe", "options": options}
    return await wire.ask("POST", f"/applications/{bot}/commands", body)


async def _interaction(wire, data, kind=2, **more):
    """What the bot is sent when the member does this."""
    place = {"guild_id": wire.server.guild["id"], "channel_id": wire.server.channel["id"]}
    await wire.member.request("POST", "/interactions", {"type": kind, "data": data, **place, **more})
    return list(wire.server.state.interactions.values())[-1].payload


async def test_options_come_with_the_users_channels_and_roles_that_they_name(wire):
    command = await _command(wire, OPTIONS)
    state, ada = wire.server.state, wire.server.state.add_user("ada")
    state.add_member(wire.server.guild["id"], ada["id"])
    role, channel = state.guilds[wire.server.guild["id"]]["roles"][-1], wire.server.channel
    values = {"user": ada, "channel": channel, "role": role, "mentionable": role}
    options = [{**option, "value": values[option["name"]]["id"]} for option in OPTIONS]
    data = {"id": command["id"], "name": "probe", "type": 1, "options": options}
    resolved = (await _interaction(wire, data))["data"]["resolved"]
    assert resolved["users"][ada["id"]]["username"] == "ada"
    assert "user" not in resolved["members"][ada["id"]]
    assert "permissions" in resolved["members"][ada["id"]]
    assert resolved["channels"][channel["id"]]["name"] == "general"
    assert "permissions" in resolved["channels"][channel["id"]]
    assert resolved["roles"] == {role["id"]: role}


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option["name"])
@pytest.mark.parametrize("value", ["1", "", "everyone", "9" * 400, None, {}])
async def test_an_option_that_names_nothing_is_refused(wire, option, value):
    command = await _command(wire, OPTIONS)
    data = {"id": command["id"], "name": "probe", "type": 1, "options": [{**option, "value": value}]}
    with pytest.raises(CommandRefusedError, match="50035"):
        await _interaction(wire, data)


async def test_chosen_values_come_with_what_they_name(wire):
    row = [{"type": 1, "components": [{"type": 5, "custom_id": "who"}]}]
    message = await wire.post("choose", components=row)
    owner = wire.server.owner["id"]
    data = {"component_type": 5, "custom_id": "who", "values": [owner]}
    sent = await _interaction(wire, data, kind=3, message_id=message["id"])
    assert sent["data"]["resolved"]["users"][owner]["username"] == "you"
    assert sent["data"]["id"] == message["components"][0]["components"][0]["id"]


async def test_the_list_of_own_guilds_says_what_one_may_do_there(wire):
    state, owner = wire.server.state, wire.server.owner["id"]
    others = [state.add_guild(f"lab {number}", owner)["id"] for number in range(3)]
    for guild in others:
        state.add_member(guild, state.application["bot"]["id"])
    first, *_ = mine = await wire.ask("GET", "/users/@me/guilds", params={"with_counts": "true"})
    assert [guild["id"] for guild in mine] == [wire.server.guild["id"], *others]
    assert first["permissions"] == str((1 << 53) - 1)
    assert (first["features"], first["banner"], first["owner"]) == ([], None, False)
    assert (first["approximate_member_count"], first["approximate_presence_count"]) == (2, 1)
    pages = [("after", others[0], others[1:]), ("before", others[1], [wire.server.guild["id"], others[0]])]
    for name, where, expected in pages:
        page = await wire.ask("GET", "/users/@me/guilds", params={name: where})
        assert [guild["id"] for guild in page] == expected, name
    page = await wire.ask("GET", "/users/@me/guilds", params={"before": others[2], "limit": "1"})
    assert [guild["id"] for guild in page] == [others[1]]


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "after=x", "before=" + "9" * 50])
async def test_a_list_of_guilds_with_a_wrong_query_is_refused(wire, query):
    status, answer, _ = await wire.answer("GET", f"/users/@me/guilds?{query}")
    assert (status, answer["code"]) == (400, 50035)


async def test_application_and_guild_carry_their_counts(wire):
    application = await wire.ask("GET", "/applications/@me")
    assert application["approximate_guild_count"] == 1
    assert application["approximate_user_install_count"] == 0
    assert application["approximate_user_authorization_count"] == 0
    assert "approximate_member_count" not in await wire.ask("GET", wire.guild)
    assert (await wire.ask("GET", wire.guild, params={"with_counts": "true"}))[
        "approximate_member_count"
    ] == 2


async def test_a_submitted_form_has_the_forms_own_shape_and_its_message(wire):
    row = [{"type": 1, "components": [{"type": 2, "style": 1, "custom_id": "open", "label": "Open"}]}]
    message = await wire.post("a form", components=row)
    data = {"component_type": 2, "custom_id": "open"}
    opener = await _interaction(wire, data, kind=3, message_id=message["id"])
    label = {"type": 18, "label": "Name", "component": {"type": 4, "custom_id": "name", "style": 1}}
    modal = {"title": "A form", "custom_id": "form", "components": [label]}
    shown = wire.member._expect(lambda event, _: event == "INTERACTION_MODAL_CREATE")
    path = f"/interactions/{opener['id']}/{opener['token']}/callback"
    _, _, headers = await wire.answer("POST", path, {"type": 9, "data": modal}, headers={})
    assert not [name for name in headers if name.startswith("X-RateLimit")], "no bucket, as hikari expects"
    _, shown_modal = await shown

    submitting = asyncio.create_task(wire.member.submit(shown_modal, {"name": "Ada"}))
    await wire.member.wait_for("INTERACTION_CREATE")
    sent = list(wire.server.state.interactions.values())[-1].payload
    submitting.cancel()
    [part] = sent["data"]["components"]
    assert (part["type"], part["component"]["value"]) == (18, "Ada")
    assert part["id"] != part["component"]["id"]
    assert sent["message"]["id"] == message["id"]
