"""Strangers try every button, select and form: they are told it isn't theirs, and nothing changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from discord import ui

from bot.local_discord.limits import walk
from commands.digests.forms import DigestForm
from commands.digests.setup_choices import SetupForm
from commands.kit.access import CheckedModal
from commands.kit.links import _Button, _Dynamic, _Select
from data.stores.store import Store
from tests.helpers.members import heard_by
from tests.helpers.stranger_rows import FORMS, ROWS, Row
from tests.helpers.stranger_world import OURS, PRIVATE, World, two_servers

pytestmark = pytest.mark.hostile

FAILED = re.compile(r"Something went wrong|button no longer works|I restarted while|did not respond")
REFUSED = re.compile(r"belongs to somebody else|Only those who manage|not yours")
BANNED = "You can't use this Labmate"


async def ban(store: Store, member: int) -> None:
    """Ban somebody."""
    await store.bans.ban("member", member, by=0, reason="a test")


NEUTRAL = {"kept_texts", "counters"}
"""Tables of what belongs to nobody, or says under a keyed hash to whom."""


@pytest.fixture(scope="module")
async def world(tmp_path_factory: pytest.TempPathFactory) -> Any:
    async with two_servers(tmp_path_factory.mktemp("strangers")) as made:
        yield made


def _letters(pattern: re.Pattern[str]) -> Iterator[str]:
    """Values of a template's single-letter groups: ``(?P<what>[nd]):(?P<kind>[xy])`` is nx, ny, dx, dy."""
    groups = re.findall(r"\(\?P<(?:what|how|kind|state|verb|kept)>\[([a-z]+)\]\)", pattern.pattern)
    return ("".join(letters) for letters in product(*groups))


def everything(world: World) -> set[str]:
    """The names that the rows must have: each registered button and select, with each thing it does."""
    items = world.bot._connection._view_store._dynamic_items
    actions = {item.action.name for item in items.values() if issubclass(item, _Dynamic)}
    return actions | {
        f"{item.__name__}.{letters}".rstrip(".")
        for pattern, item in items.items()
        if not issubclass(item, _Dynamic)
        for letters in _letters(pattern)
    }


def _below(kind: type) -> set[type]:
    return {kind} | {deep for one in kind.__subclasses__() for deep in _below(one)}


async def test_every_button_select_and_form_has_a_row(world: World) -> None:
    """Whoever adds one says here for whom it is."""
    assert {name.partition(" ")[0] for name in ROWS} == everything(world)
    ours = {one for one in _below(ui.Modal) if one.__module__.startswith("commands.")} - {
        DigestForm,
        SetupForm,
        CheckedModal,
    }
    assert {name.partition(" ")[0] for name in FORMS} == {one.__name__ for one in ours}
    registered = {one.__name__ for one in world.bot._connection._view_store._dynamic_items.values()}
    written = {one.__name__ for one in _below(ui.DynamicItem) if one.__module__.startswith("commands.")}
    bases = {one.__name__ for one in (_Dynamic, _Button, _Select)}
    assert written - bases == registered


def _gone(before: dict[str, Counter[Any]], after: dict[str, Counter[Any]]) -> dict[str, list[Any]]:
    gone = {name: list((before[name] - after[name]).elements()) for name in before}
    return {name: rows for name, rows in gone.items() if rows}


def _only_their_own(world: World, name: str, before: Any, after: Any, row: Row) -> None:
    """What somebody's press took away, changed or added is about themselves."""
    member = world.id(name)
    for table, rows in [*_gone(before, after).items(), *_gone(after, before).items()]:
        if table in NEUTRAL:
            continue
        for values in rows:
            assert any(str(member) in str(value) for value in values), (table, values)


async def _tried(world: World, name: str, row: Row, says: str) -> None:
    await world.let_time_pass()
    custom_id = await row.custom_id(world)
    value = row.value(world) if callable(row.value) else row.value
    before = world.rows()
    reply = await world.pressed(name, custom_id, value, row.kind)
    after = world.rows()
    assert not FAILED.search(reply.text), (name, reply.text)
    if says.startswith("!"):
        assert re.search(says[1:], reply.text), (name, reply.text)
        assert reply.is_private, name
        assert before == after, (name, _gone(before, after), _gone(after, before))
    else:
        assert re.search(says, reply.text), (name, reply.text)
        assert not REFUSED.search(reply.text), (name, reply.text)
        if name != row.whose:
            _only_their_own(world, name, before, after, row)
    seen = reply.text + str(reply.message.get("modal", ""))
    if name == "mallory":
        assert OURS not in seen
    if row.private and name != row.whose:
        assert PRIVATE not in seen


@pytest.mark.parametrize("name", sorted(ROWS))
async def test_it_is_used_by_those_alone_whom_it_is_for(world: World, name: str) -> None:
    row = ROWS[name]
    await ban(world.store, world.id("dee"))
    await _tried(world, "dee", row, f"!{BANNED}")
    await _tried(world, "mallory", row, row.stranger)
    await _tried(world, "bee", row, row.member)
    await _tried(world, row.whose, row, row.owner)


async def test_a_posting_in_a_closed_channel_is_told_of_to_those_alone_who_see_the_channel(
    world: World,
) -> None:
    board = world.discord.state.add_channel(str(world.guild), "board")
    hidden = {"id": str(world.guild), "type": 0, "allow": "0", "deny": str(1 << 10)}
    board["permission_overwrites"] = [hidden]
    async with heard_by(world.bot, "guild_channel_create"):
        await world.discord.gateway.to_guild(str(world.guild), "CHANNEL_CREATE", board)
    custom_id = f"dg:h:{await world.delivery(channel=int(board['id']))}"
    told = await world.pressed("bee", custom_id, None, 2)
    assert "belongs to somebody else" in told.text
    assert OURS not in told.text
    assert "How these were chosen" in (await world.pressed("you", custom_id, None, 2)).text


@pytest.mark.parametrize("name", sorted(FORMS))
async def test_a_form_is_sent_by_nobody_but_who_opened_it(world: World, name: str) -> None:
    """Somebody else sends it off in their place, as a tampered client can."""
    form = FORMS[name]
    await ban(world.store, world.id("dee"))
    opened = (await world.pressed("you", await form.opened_by(world), None, 2)).message["modal"]
    values = form.values or _blank(opened)
    others = [
        ("mallory", form.says),
        ("bee", form.says),
        ("dee", f"!{BANNED}"),
    ]
    for other, says in others:
        before = world.rows()
        reply = await world.users[other].submit(opened | {"channel_id": None}, values)
        assert re.search(says[1:], reply.text), (other, reply.text)
        assert reply.is_private
        assert not {OURS, PRIVATE} & set(reply.text.split())
        assert before == world.rows(), other
    assert not REFUSED.search((await world.users["you"].submit(opened, values)).text)


def _blank(modal: dict[str, Any]) -> dict[str, str]:
    return {c["custom_id"]: "x" for _, c in walk(modal["components"]) if c["type"] == 4}
