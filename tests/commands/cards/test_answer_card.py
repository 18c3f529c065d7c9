"""The card of an answer: what is cited is listed, and Discord takes it, however long its sentences are."""

import re
from dataclasses import replace

import discord
import pytest
from discord import ui
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.local_discord.limits import check_message
from commands.cards.answer import CitedText, ShownQuote, answer_card, no_answer, question_heading
from commands.kit.links import link
from commands.papers import ask as _ask_command  # noqa: F401  registers what links lead to
from tests.helpers.records import PAPER

SENTENCE = "Loss spikes of the large models in our study are caused by single bad batches. "


def card_of(sentence, written, times=6):
    papers = [replace(PAPER, id=n, title=f"{sentence} {n}") for n in range(1, times + 1)]
    ids = {"part": 0, "start": 0, "end": 5, "mark": "abcdef"}
    quotes = [
        ShownQuote(n, sentence, link("ask.context", "Show in context", paper=n, **ids))
        for n in range(1, times + 1)
    ]
    prose = [CitedText(written, (n,)) for n in range(1, times + 1)] if written else []
    heading = question_heading(sentence, [sentence[:200]])
    row = [link("paper.card", "About", paper=1)]
    return answer_card(heading, "Sure.", quotes, papers, [row], prose=prose, notes=["note " * 40])


def shown(view):
    return [item.content for item in view.walk_children() if isinstance(item, ui.TextDisplay)]


def refused(view):
    return check_message({"components": view.to_components(), "flags": 1 << 15}).tree


@pytest.mark.parametrize("length", [80, 160, 240, 400])
def test_every_paper_that_a_written_sentence_cites_is_listed(length):
    sentence = (SENTENCE * 6)[:length]
    view = card_of(sentence, sentence)
    _, prose, *_, papers, _ = shown(view)
    cited = set(re.findall(r"\[(\d)\]", prose))
    assert cited
    assert cited <= set(re.findall(r"^\*\*\[(\d)\]", papers, re.MULTILINE))
    assert refused(view) == {}


@given(st.text(min_size=1, max_size=420), st.text(max_size=420))
@settings(max_examples=25, deadline=None)
def test_an_answer_of_any_sentences_keeps_discords_limits(sentence, written):
    assert refused(card_of(sentence, written)) == {}


@pytest.mark.parametrize("signs", ["_", "*", "[", "`~|", "\\frac{", "$", "@everyone "])
def test_an_answer_full_of_marks_keeps_discords_limits(signs):
    sentence = (signs * 420)[:420]
    assert refused(card_of(sentence, sentence)) == {}


def test_an_empty_library_says_so():
    view = no_answer("## Why?", [], 0, [], [])
    assert "no papers in this library yet" in "".join(shown(view))
    assert isinstance(view, discord.ui.LayoutView)
