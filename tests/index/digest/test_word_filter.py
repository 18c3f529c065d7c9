"""Words that papers need or may not have: whole words, in any of their forms, and only those."""

import pytest

from index.digest.word_filter import WordFilter, is_form

TEXT = "In-network aggregation on switches"


@pytest.mark.parametrize(
    ("require", "exclude", "passes"),
    [
        ((), (), True),
        (("switch",), (), True),
        (("swit",), (), False),
        (("Switches",), (), True),
        (("nothing", "in-network"), (), True),
        (("aggregations on switch",), (), True),
        (("switch aggregation",), (), False),
        (("in network",), (), True),
        (('"in network"',), (), False),
        ((), ("on-switches",), False),
        (("- -",), (), False),
        ((), ("SWITCHES",), False),
        ((), ("Switch",), False),
        ((), ('"switch"',), True),
        ((), ("“switches”",), False),
        ((), ("net",), True),
        ((), ("aggregator",), True),
        ((".*",), (), False),
        ((), ("(",), True),
        ((), ('"', "“”", '""'), True),
    ],
)
def test_words_are_whole_and_plain(require, exclude, passes):
    assert WordFilter(require, exclude).passes(TEXT) is passes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("agent", "agents"),
        ("watermark", "watermarking"),
        ("watermarked", "watermarks"),
        ("study", "studies"),
        ("studying", "studied"),
        ("tag", "tagging"),
        ("optimize", "optimizing"),
        ("gpu", "gpus"),
        ("llms", "llm"),
        ("embedding", "embeddings"),
    ],
)
def test_forms_of_one_word(one, other):
    assert is_form(one, other)
    assert is_form(other, one)
    assert not WordFilter((), (one,)).passes(f"On {other}.")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("organ", "organization"),
        ("transform", "transformer"),
        ("robot", "robotics"),
        ("universe", "university"),
        ("new", "news"),
        ("plan", "plane"),
        ("use", "us"),
        ("car", "care"),
        ("rag", "rage"),
        ("ai", "ais"),
    ],
)
def test_other_words_with_the_same_beginning(one, other):
    assert not is_form(one, other)
    assert WordFilter((), (one,)).passes(f"On {other}.")


def test_a_word_of_many_letters_or_signs_ends_at_once():
    text = "a" * 200_000 + " " + "(" * 1_000
    assert not WordFilter(("a" * 500, "(" * 500 + " x", "a b " * 100), ()).passes(text)
