"""Requests, answers and events are held to Discord's own description."""

import contextlib
import json

import pytest

from bot.local_discord.client import CommandRefusedError, UserClient
from bot.local_discord.conformance import NonconformingError
from bot.local_discord.description import Description, description_in
from bot.local_discord.server import LocalDiscord

BUTTON = {"type": 2, "style": 1, "custom_id": "a", "label": "A"}
LINK = {"type": 2, "style": 5, "url": "https://labmate.test", "label": "Read"}
SELECT = {"type": 3, "custom_id": "s", "options": [{"label": "x", "value": "1"}]}
TEXT = {"type": 10, "content": "Hello"}
SECTION = {"type": 9, "components": [TEXT], "accessory": BUTTON}
CONTAINER = {"type": 17, "components": [TEXT, SECTION, {"type": 1, "components": [BUTTON, LINK]}]}
MESSAGE = {"flags": 1 << 15, "components": [CONTAINER, {"type": 1, "components": [SELECT]}]}
OPTION = {"type": 3, "name": "name", "description": "Whose", "autocomplete": True}
COMMANDS = [
    {"type": 1, "name": "author", "description": "Somebody", "options": [OPTION]},
    {"type": 1, "name": "me", "description": "You", "options": [
        {"type": 1, "name": "data", "description": "All", "options": [OPTION, {**OPTION, "type": 5}]}]},
]  # fmt: skip
RIGHT = [
    ("POST", "/channels/1/messages", MESSAGE),
    ("POST", "/interactions/1/x/callback", {"type": 4, "data": MESSAGE}),
    ("POST", "/interactions/1/x/callback", {"type": 8, "data": {"choices": [{"name": "a", "value": "a"}]}}),
    ("PATCH", "/webhooks/1/x/messages/@original", MESSAGE),
    ("PUT", "/applications/1/commands", COMMANDS),
]


@pytest.fixture(scope="module")
def description(shared):
    return Description(shared / "discord" / "openapi.json")


@pytest.mark.parametrize(("method", "path", "body"), RIGHT)
def test_what_is_right_has_no_problem(description, method, path, body):
    assert not description.check(method, path, body).tree


def test_of_many_kinds_the_problem_is_told_where_it_is(description):
    wrong = json.loads(json.dumps(MESSAGE))  # no part is the same object as another
    wrong["components"][0]["components"][1]["accessory"]["style"] = "blue"
    tree = description.check("POST", "/channels/1/messages", wrong).tree
    assert "style" in str(tree["components"]["0"]["components"]["1"]["accessory"])


USER = {"id": "1", "username": "a", "avatar": None, "discriminator": "0", "public_flags": 0, "flags": 0}
USER["global_name"] = None
WHOLE = {**USER, "primary_guild": None}


def test_an_answer_is_held_to_its_status_and_its_schema(description):
    assert description.check_answer("GET", "/users/1", 200, WHOLE) == []
    [wrong] = description.check_answer("GET", "/users/1", 200, {**WHOLE, "flags": "0"})
    assert wrong.startswith("GET /users/{user_id} 200: flags:")
    assert description.check_answer("GET", "/users/1", 201, WHOLE)
    assert description.check_answer("GET", "/users/1", 404, {"message": "Unknown User"})
    assert description.check_answer("GET", "/local/thing", 200, "anything") == []


def test_an_event_is_held_to_the_schemas_of_its_parts(description):
    assert description.check_event("READY", {"user": WHOLE}) == []
    [wrong] = description.check_event("READY", {"user": USER})
    assert "primary_guild" in wrong
    resolved = {"users": {"1": {**WHOLE, "id": 1}}}
    [wrong] = description.check_event("INTERACTION_CREATE", {"data": {"resolved": resolved}})
    assert "users" in wrong


async def test_a_server_that_sent_what_discord_would_not_says_so_when_it_stops(shared):
    file = shared / "discord" / "openapi.json"
    server = LocalDiscord(description=file)
    known = description_in(file).violations
    server.state.users[server.owner["id"]]["flags"] = "0"
    await server.start()
    with contextlib.suppress(CommandRefusedError):
        async with UserClient(server.url, server.user_token) as user:
            await user.request("GET", "/users/@me")
    with pytest.raises(NonconformingError, match="flags"):
        await server.stop()
    known.clear()  # they were wanted
