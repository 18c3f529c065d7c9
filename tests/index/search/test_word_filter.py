"""Words that papers need or may not have: whole words, in some of their forms, and only those."""

import pytest

from data.stores.digest_record import phrases
from index.search.word_filter import WantedPhrase, WordFilter, is_form, plain_text

TEXT = "In-network aggregation on switches"


def finds(typed, text):
    return WantedPhrase(typed).stands_in(plain_text(text))


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
        (("- -",), (), True),
        ((), ("SWITCHES",), False),
        ((), ("Switch",), False),
        ((), ('"switch"',), True),
        ((), ("“switches”",), False),
        ((), ("net",), True),
        ((), ("aggregator",), True),
        ((".*",), (), False),
        ((), ("(",), True),
        ((), ('"', "“”", '""', "\u0301", " "), True),
        (("\u0301",), (), True),
    ],
)
def test_words_are_whole_and_plain(require, exclude, passes):
    assert WordFilter(require, exclude).passes(TEXT) is passes


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("agent", "agents"),
        ("watermarked", "watermarks"),
        ("study", "studies"),
        ("optimize", "optimizes"),
        ("use", "used"),
        ("gpu", "gpus"),
        ("llms", "llm"),
        ("lm", "lms"),
        ("embedding", "embeddings"),
        ("analysis", "analyses"),
        ("hypothesis", "hypotheses"),
        ("matrix", "matrices"),
        ("index", "indices"),
        ("index", "indexes"),
        ("lens", "lenses"),
        ("gas", "gases"),
    ],
)
def test_forms_of_one_word(one, other):
    assert is_form(one, other)
    assert is_form(other, one)
    assert not WordFilter((), (one,)).passes(f"On {other}.")


@pytest.mark.parametrize(
    ("base", "gerund"),
    [
        ("watermark", "watermarking"),
        ("tag", "tagging"),
        ("use", "using"),
        ("optimize", "optimizing"),
    ],
)
def test_a_word_stands_for_its_gerund_and_not_the_other_way_round(base, gerund):
    assert is_form(base, gerund)
    assert not is_form(gerund, base), "timing is not time, and meaning not mean"


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
        ("timing", "time"),
        ("this", "these"),
    ],
)
def test_other_words_with_the_same_beginning(one, other):
    assert not is_form(one, other)
    assert WordFilter((), (one,)).passes(f"On {other}.")


@pytest.mark.parametrize(
    ("typed", "text", "found"),
    [
        ("AIDS", "a hearing aid", False),
        ("AIDS", "the AIDS pandemic", True),
        ("LLMs", "an LLM", True),
        ("LLM", "all LLMs", True),
        ("GANs", "a GAN", True),
        ("VAE", "two VAEs", True),
        ("PrismLLM", "PrismLLM", True),
        ("RAG", "to rage", False),
        ("dose-response", "a dose–response curve", True),
        ("dose response", "a dose\u2010response curve", True),
        ("Alzheimer's", "Alzheimer’s disease", True),
        ("graph grammar", "gradient graph grammars", True),
        ("C++", "in C++, not C", True),
        ("C++", "in C", False),
        ("GPT-4", "GPT 4 and others", True),
        ("pena", "Peña", True),
        ('"graph neural" networks', "graph neural networks", True),
    ],
)
def test_phrases_are_found_as_people_print_them(typed, text, found):
    assert finds(typed, text) is found


def test_a_word_of_many_letters_or_signs_ends_at_once():
    text = "a" * 200_000 + " " + "(" * 1_000
    assert not WordFilter(("a" * 500, "(" * 500 + " x", "a b " * 100), ()).passes(text)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ('a, "b; c" , d', ("a", '"b; c"', "d")),
        ('"graph neural" networks', ('"graph neural" networks',)),
        ("„a, b“; c\nd", ("„a, b“", "c", "d")),
        (" , ;\n", ()),
    ],
)
def test_phrases_stand_between_commas_but_in_quotes(typed, read):
    assert phrases(typed) == read
