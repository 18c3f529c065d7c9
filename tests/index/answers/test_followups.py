"""A follow-up question says what it leaves unsaid: its subject, and the papers that it points at."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.answers.followups import MAX_ABOUT, follow_up, subject, system_in

SPIKES = "what causes loss spikes when training large models?"
QUOTED = (11, 22, 33)


def rarity(word):
    return {"large": 0.2, "models": 0.15, "training": 0.15, "language": 0.1}.get(word, 0.5)


ABOUT = subject(SPIKES, rarity)


@pytest.mark.parametrize(
    ("question", "about"),
    [
        (SPIKES, "loss spikes, training large models"),
        ("does RAG reduce hallucinations", "RAG reduce hallucinations"),
        ("what is the best way to detect text written by ChatGPT?", "detect text written, ChatGPT"),
        ("what does RAG stand for?", "RAG"),
        ("what is a mixture of experts?", "mixture of experts"),
        ("why?", ""),
    ],
)
def test_the_subject_of_a_question_is_its_weightiest_words(question, about):
    assert subject(question, rarity) == about


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("how can they be avoided?", "how can loss spikes be avoided (training large models)?"),
        ("and for inference?", "and for inference (loss spikes, training large models)?"),
        ("why?", "why (loss spikes, training large models)?"),
        ("what are its limits", "what are loss spikes limits (training large models)?"),
        ("is it possible to predict them?", "is it possible to predict loss spikes (training large models)?"),
        ("do those methods scale", "do those methods scale (loss spikes, training large models)?"),
        (
            "Which optimizers are more stable?",
            "Which optimizers are more stable (loss spikes, training large models)?",
        ),
    ],
)
def test_a_pronoun_or_a_short_question_keeps_the_subject(question, text):
    found = follow_up(question, ABOUT, QUOTED, rarity)
    assert (found.text, found.papers, found.changed) == (text, (), True)
    assert found.about.startswith(ABOUT)


@pytest.mark.parametrize(
    ("question", "papers"),
    [
        ("what does that paper measure?", (11,)),
        ("what did [2] find about it?", (22,)),
        ("what dataset did the third paper use?", (33,)),
        ("does paper 1 contradict paper 3?", (11, 33)),
        ("do these papers agree?", QUOTED),
    ],
)
def test_a_question_that_points_at_papers_is_answered_from_them(question, papers):
    assert follow_up(question, ABOUT, QUOTED, rarity).papers == papers


@pytest.mark.parametrize("question", ["what did [4] find?", "what did [2] find?"])
def test_a_number_that_no_paper_has_points_at_none(question):
    assert follow_up(question, ABOUT, (11,), rarity).papers == ()


def test_a_question_with_a_subject_of_its_own_stands_by_itself():
    question = "does gradient clipping reduce memory use in federated learning?"
    found = follow_up(question, ABOUT, QUOTED, rarity)
    assert (found.text, found.changed) == (question, False)
    assert "spikes" not in found.about


@pytest.mark.parametrize(
    ("question", "system", "text"),
    [
        ("how accurate is it?", "PrismLLM", "how accurate is PrismLLM?"),
        ("what is its error?", "PrismLLM", "what is PrismLLM's error?"),
        ("and how exact is that?", "PrismLLM", "and how exact is PrismLLM?"),
        ("how accurate are they?", "PrismLLM", "how accurate are large GPU clusters (emulated)?"),
        ("how accurate is it?", "", "how accurate is large GPU clusters (emulated)?"),
    ],
)
def test_it_is_the_system_where_the_subject_is_many_things(question, system, text):
    assert follow_up(question, "large GPU clusters, emulated", (), rarity, system=system).text == text


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("A Few GPUs, A Whole Lotta Scale: Faithful LLM Training Emulation with PrismLLM", "PrismLLM"),
        ("TrainMover: An Interruption-Resilient Runtime", "TrainMover"),
        ("Efficient Switch Aggregation (ESA)", "ESA"),
        ("Loss Spikes in Training Large Models", ""),
        ("", ""),
    ],
)
def test_the_system_is_what_its_title_calls_it(title, name):
    assert system_in(title) == name


def test_a_subject_holds_over_several_questions():
    about = ABOUT
    for question in ("how can they be avoided?", "and for inference?", "is it costly?"):
        found = follow_up(question, about, (), rarity)
        about = found.about
        assert "loss spikes" in found.text


@given(st.text(max_size=3_000), st.text(max_size=MAX_ABOUT), st.lists(st.integers(1, 9), max_size=8))
def test_any_text_is_read(question, about, papers):
    found = follow_up(question, about, papers, rarity)
    assert set(found.papers) <= set(papers)
    assert len(found.about) <= MAX_ABOUT


def test_of_they_and_it_a_subject_in_the_singular_is_it():
    assert follow_up("how do they train it?", "PrismLLM", (), rarity).text == "how do they train PrismLLM?"
    named = follow_up("how exact is it?", "PrismLLM, train", (), rarity)
    assert named.text == "how exact is PrismLLM?", "a name says enough"
    many = follow_up("how do they train it?", "loss spikes", (), rarity)
    assert many.text == "how do loss spikes train it?"


@pytest.mark.parametrize("said", ["that ", "such that ", "is that x "])
def test_hostile_text_is_read_quickly(said):
    start = time.process_time()
    follow_up(said * (24_000 // len(said)), "gossip", (1, 2), lambda word: 1.0)
    assert time.process_time() - start < 1
