"""What a message says, without its markup: what similar papers are looked for with."""

import time
from types import SimpleNamespace

import pytest

from commands.kit.message_papers import text_of


def says(content):
    return text_of(
        SimpleNamespace(content=content, components=[], embeds=[], attachments=[], message_snapshots=[])
    )


def test_markup_addresses_and_mentions_are_left_out():
    content = "> **Failure** `recovery`\n# of [large clusters](https://example.org/a) <@12> ~~not~~ ||this||"
    assert says(content).split() == "Failure recovery of large clusters( not this".split()


@pytest.mark.parametrize("part", ["[", "](", "[]", "](x", "\n", "-", " ", "*", ">", "#"])
def test_markup_that_never_ends_takes_no_time(part):
    begun = time.perf_counter()
    says(("[" * 1_300 + part * 4_000)[:4_000])
    assert time.perf_counter() - begun < 1
