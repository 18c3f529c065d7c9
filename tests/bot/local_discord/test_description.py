"""Requests checked against Discord's own description: the glance at kinds changes no judgement."""

import copy
import json

import pytest
from jsonschema import Draft202012Validator

from bot.local_discord.description import Description

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
ODD = (None, True, 1, 1.0, 99, "", "x" * 5_000, [], {}, [None])


@pytest.fixture(scope="module")
def quick(shared):
    return Description(shared / "discord" / "openapi.json")


@pytest.fixture(scope="module")
def whole(quick):
    """A description that tries every kind."""
    description = copy.copy(quick)
    description._kind = Draft202012Validator
    description._validator = description._make_validator
    return description


def spoilt(body):
    """The body with each of its parts gone, or replaced by something odd."""

    def places(part, path=()):
        for key in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            yield (*path, key)
            yield from places(part[key], (*path, key))

    for *path, last in places(body):
        for value in ("gone", *ODD):
            changed = copy.deepcopy(body)
            parent = changed
            for key in path:
                parent = parent[key]
            if value == "gone":
                del parent[last]
            else:
                parent[last] = value
            yield changed


@pytest.mark.parametrize(("method", "path", "body"), RIGHT)
def test_what_is_right_has_no_problem(quick, method, path, body):
    assert not quick.check(method, path, body).tree


@pytest.mark.parametrize(("method", "path", "body"), RIGHT)
def test_a_glance_at_the_kinds_finds_the_problems_that_trying_every_kind_finds(
    quick, whole, method, path, body
):
    found = 0
    for changed in list(spoilt(body))[::31]:
        tree = whole.check(method, path, changed).tree
        assert quick.check(method, path, changed).tree == tree, json.dumps(changed)
        found += bool(tree)
    assert found
