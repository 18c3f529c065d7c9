"""What the README and `/help` give as examples works on a fresh install, typed as it stands there."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bot.local_discord.client import UserClient
from bot.local_discord.state import Json
from bot.local_discord.typed import TypingError, parse
from tests.helpers.printed_examples import examples

_NOTHING = (
    "I know no",
    "Nobody here publishes",
    "I find no",
    "I found no possible",
    "no similar name",
    "Nothing fits",
    "None of the",
    "No paper matches",
    "is not among the",
    "nothing fits",
    "no longer know",
    "went wrong",
    "Several authors",
    "haven't matched",
)


@pytest_asyncio.fixture
async def newcomer(lab) -> AsyncIterator[UserClient]:
    """Somebody of whom nothing is known yet; what they keep here is nobody else's."""
    user = lab.discord.state.add_user("newcomer")
    lab.discord.state.add_member(lab.discord.guild["id"], user["id"])
    async with UserClient(lab.discord.url, lab.discord.state.token_of(user["id"])) as client:
        yield client


@pytest.mark.parametrize("example", examples())
async def test_every_example_works_on_a_fresh_install(lab, newcomer, example):
    commands = await newcomer.commands()
    try:
        typed = parse(example, commands)
    except TypingError:
        assert is_a_name_alone(example, commands), f"{example} can't be typed as it stands"
        return
    failures: list[object] = []

    async def failed(interaction: object) -> None:
        failures.append(interaction)

    lab.bot.add_listener(failed, "on_labmate_failure")
    try:
        reply = await newcomer.run(typed)
    finally:
        lab.bot.remove_listener(failed, "on_labmate_failure")
    assert not failures, reply.text
    for said in _NOTHING:
        assert said not in reply.text


def is_a_name_alone(example: str, commands: list[Json]) -> bool:
    """Whether this names a command that needs more to be typed, without giving an example of it."""
    return example[1:] in {command["name"] for command in commands}


def test_the_readme_and_help_give_examples_of_the_commands_that_need_a_word():
    begun = {example.split()[0] for example in examples() if " " in example}
    assert begun >= {"/papers", "/similar", "/search", "/paper", "/author", "/graph", "/who-knows", "/save"}


@pytest.mark.parametrize(
    "filters",
    ["category:cs.NI", "author:ChonLam Lao", "year:2026", "since:2026-01-01", "since:2026-01-01 gpu"],
)
async def test_every_filter_that_the_readme_offers_works_alone(newcomer, filters):
    found = (await newcomer.slash(f"/search {filters}")).text
    assert "1. **[" in found
    assert not any(said in found for said in _NOTHING)
