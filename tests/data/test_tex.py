"""LaTeX of strangers becomes plain text, whatever it is, and at once."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text

from commands.cards.text import label, readable, safe, shown
from data.sources.forms import tex_name
from data.tex import unicode_of
from index.search.passages import best_sentence, gist, sentences

PIECES = (
    *("\\frac", "\\frac{", "\\sqrt[", "\\text{", "\\binom", "\\begin{a}", "\\end{a}", "\\(", "\\["),
    "\\left(",
    *("{", "}", "[", "]", "$", "a ", "^{", "_", "&", "%", "1", "\\\\", "\\def\\x{", "\\href{", "\\overset{"),
)


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        ('Schr\\"odinger', "Schrödinger"),
        ("\\emph{open and {closed}", "open and closed"),
        ("a } closed \\alpha", "a closed α"),
        ("costs $5 \\& more", "costs 5 & more"),
        ("90\\% of \\{sets\\}", "90% of {sets}"),
        ("", ""),
    ],
)
def test_latex_is_read_and_broken_latex_is_guessed_at(tex, plain):
    assert " ".join(unicode_of(tex, LatexNodes2Text(math_mode="text")).split()) == plain


@pytest.mark.hostile
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("times", [20, 60, 400])
def test_no_text_takes_longer_than_a_moment(piece, times):
    started = time.process_time()
    text = f"On \\x {piece * times}"
    for read in (readable, label, safe, tex_name, lambda tex: shown(tex, 200)):
        assert isinstance(read(text), str)
    assert time.process_time() - started < 3


@pytest.mark.hostile
@given(st.lists(st.sampled_from(PIECES), max_size=5), st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_no_mixture_of_pieces_fails_or_stalls(pieces, times):
    started = time.process_time()
    assert isinstance(readable("\\x " + "".join(pieces) * times), str)
    assert time.process_time() - started < 3


@pytest.mark.hostile
def test_an_abstract_of_thousands_of_initials_is_read_at_once():
    started = time.process_time()
    abstract = "A. " * 6_000
    assert len(sentences(abstract)) == 1
    assert gist(abstract)
    assert best_sentence(abstract, "a question", lambda word: 1.0)
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        ("from $5 to $10 million", "from $5 to $10 million"),
        (r"for \$5 and \$6", "for $5 and $6"),
        ("a gap -- of 3--5 words---or so", "a gap – of 3–5 words—or so"),
        ("use --flag, C-- and -----", "use --flag, C-- and -----"),
        ("by~30 as in Fig.~1, and ~10x faster", "by 30 as in Fig. 1, and ~10x faster"),
    ],
)
def test_signs_that_tex_and_writers_use_otherwise_are_read_as_they_are_meant(tex, text):
    assert readable(tex) == text


def test_of_endless_latex_only_the_beginning_is_read():
    read = readable("$a$ " * 25_000)
    assert read.startswith("a a a ")
    assert read.endswith("…")
    assert len(read.split()) < 3_000, "each formula costs time"
    plain = "word " * 20_000 + "end"
    assert readable(plain) == plain
