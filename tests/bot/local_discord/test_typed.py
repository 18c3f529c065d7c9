"""What people type becomes the options that Discord's client would send, or words that say what to type."""

from __future__ import annotations

import pytest

from bot.local_discord.typed import TypingError, parse

STRING, INTEGER, BOOLEAN, NUMBER = 3, 4, 5, 10


def _option(name, kind=STRING, *, required=False, **more):
    return {"name": name, "type": kind, "required": required, **more}


PRIVATE = _option("private", BOOLEAN)
COMMANDS = [
    {"id": str(number), "name": name, "type": 1, "options": options}
    for number, (name, options) in enumerate(
        {
            "search": [
                _option("query", required=True, min_length=1, max_length=30),
                _option("since"),
                _option("category"),
                _option("author"),
                PRIVATE,
            ],
            "papers": [_option("author", required=True), _option("sort"), PRIVATE],
            "compare": [_option("first", required=True), _option("second", required=True), PRIVATE],
            "decide": [
                _option("what", required=True),
                _option("id", INTEGER, required=True),
                _option("reason", required=True),
            ],
            "top": [_option("days", INTEGER, min_value=1, max_value=3_000), _option("category")],
            "share": [
                _option("part", NUMBER, min_value=0.5),
                _option("most", INTEGER, max_value=3),
                _option("least", INTEGER, min_value=2),
            ],
            "help": [PRIVATE],
            "ping": [],
            "odd": [PRIVATE, _option("text")],
            "me": [{"name": "data", "type": 1, "options": [PRIVATE]}],
        }.items()
    )
]


def _sent(text):
    return {option["name"]: option["value"] for option in parse(text, COMMANDS).data["options"]}


def _refusal(text):
    with pytest.raises(TypingError) as refused:
        parse(text, COMMANDS)
    return str(refused.value)


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("/search category:cs.NI", {"query": "category:cs.NI"}),
        ("/search author:ChonLam Lao", {"query": 'author:"ChonLam Lao"'}),
        ("/search author:Lao", {"query": "author:Lao"}),
        ('/search author:"C. Lao" gpu', {"query": 'author:"C. Lao" gpu'}),
        ("/search since:2027-01-01 gpu", {"query": "since:2027-01-01 gpu"}),
        ("/search category:cs.NI private:true", {"query": "category:cs.NI", "private": True}),
        ("/search gpu category:cs.NI", {"query": "gpu", "category": "cs.NI"}),
        ("/search gpu year:2024", {"query": "gpu year:2024"}),
        ("/search query:gpu category:cs.NI", {"query": "gpu", "category": "cs.NI"}),
        ("/search category:cs.NI query:gpu", {"query": "gpu", "category": "cs.NI"}),
    ],
)
def test_a_query_may_be_nothing_but_filters(typed, sent):
    assert _sent(typed) == sent


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (
            "/compare ChonLam Lao Minlan Yu",
            "I took all of “ChonLam Lao Minlan Yu” as first. Type: /compare first:ChonLam Lao second:…",
        ),
        ("/compare Lao", "I took all of “Lao” as first. Type: /compare first:Lao second:…"),
        ("/compare first:Lao", "second is missing. Type: /compare first:… second:… [private:…]"),
        ("/search private:true", "query is missing. Type: /search query:… [since:…]"),
        ("/search query: category:cs.NI", "query is missing"),
        ("/papers sort:oldest", "author is missing"),
        ("/decide", "what, id, reason are missing. Type: /decide what:… id:… reason:…"),
        (
            "/decide claim",
            "I took all of “claim” as what, but id, reason are missing. "
            "Type: /decide what:claim id:… reason:…",
        ),
    ],
)
def test_what_is_missing_is_said_with_what_was_understood(typed, said):
    assert _refusal(typed).startswith(said)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/top days:0", "days must be from 1 to 3,000"),
        ("/top 3001", "days must be from 1 to 3,000"),
        ("/top days:x", "days must be a number"),
        ("/share 0.4", "part must be at least 0.5"),
        ("/share part:nan", "part must be a number"),
        ("/share part:inf", "part must be a number"),
        ("/share most:4", "most must be at most 3"),
        ("/share least:1", "least must be at least 2"),
        ("/search " + "x" * 31, "query must have 1 to 30 characters"),
    ],
)
def test_what_is_out_of_range_is_refused_in_words(typed, said):
    assert _refusal(typed) == said


def test_the_ends_of_a_range_are_within_it():
    assert _sent("/top 1") == {"days": 1}
    assert _sent("/top days:3000") == {"days": 3000}
    assert _sent("/share part:0.5 most:3 least:2") == {"part": 0.5, "most": 3, "least": 2}


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/help me", "/help takes no text. Type: /help [private:…]"),
        ("/me data now", "/me data takes no text. Type: /me data [private:…]"),
        ("/ping x", "/ping takes no text. Type: /ping"),
        ("/top group:topic", "/top has no option “group”; it has days, category."),
        ("/odd x", "“x” does not belong to an option. Type: /odd [private:…] [text:…]"),
        ("/help private:maybe", "private must be true or false"),
    ],
)
def test_text_for_a_command_without_text_is_told_so(typed, said):
    assert _refusal(typed) == said
