"""In which place people work, as queries say it."""

import time

import pytest

from index.search.places_said import (
    NamesPrinted,
    read_place,
    read_place_after,
    topic_in_field,
    topic_worked_on,
)

COUNTS = {
    "nlp": 2_500,
    "robotics": 3_600,
    "hci": 130,
    "china": 288,
    "formal methods": 87,
    "methods": 30_000,
    "traffic in beijing": 1,
}
LIBRARY = NamesPrinted(
    lambda words: COUNTS.get(words.lower(), 0 if " in " in words else 5),
    lambda word: COUNTS.get(word.lower(), 5),
    112_000,
)
SMALL = NamesPrinted(lambda words: 0, lambda word: 0, 7)
SAID = {
    "who in Zurich works on RL": ("in Zurich", "who works on RL"),
    "who in zurich works on rl?": ("in zurich", "who works on rl?"),
    "anyone in Paris doing NLP": ("in Paris", "anyone doing NLP"),
    "is there anybody in Munich who works on SLAM": ("in Munich", "is there anybody who works on SLAM"),
    "people from Kraków working on speech": ("from Kraków", "people working on speech"),
    "researchers in London who know about speech": ("in London", "researchers who know about speech"),
    "which groups in the Bay Area work on RL": ("in the Bay Area", "which groups work on RL"),
    "who at KTH works on speech": ("at KTH", "who works on speech"),
    "who in the UK or the US works on RL": ("in the UK or the US", "who works on RL"),
    "who in Zurich, Switzerland does RL": ("in Zurich, Switzerland", "who does RL"),
    "someone in Amsterdam to work on RL": ("in Amsterdam", "someone to work on RL"),
    "who does RL in zurich": ("in zurich", "who does RL"),
    "papers from Paris on RL": ("from Paris", "papers on RL"),
    "new papers by people in Berlin on RL": ("by people in Berlin", "new papers on RL"),
    "who based in Lyon works on RL": ("based in Lyon", "who works on RL"),
    "who works on RL and is based in Zurich?": ("and is based in Zurich", "who works on RL ?"),
}


@pytest.mark.parametrize("text", SAID)
def test_a_place_is_taken_out_of_the_subject(text):
    assert read_place(text, LIBRARY) == SAID[text]
    assert read_place(text, SMALL) == SAID[text]


@pytest.mark.parametrize("text", ["who in munich works on slam", "anyone at lund doing vision"])
def test_a_rare_word_in_small_letters_is_a_place_in_a_large_library(text):
    assert read_place(text, LIBRARY)[0] == " ".join(text.split()[1:3])
    assert read_place(text, SMALL) == ("", text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "who works in machine learning",
        "who in NLP works on parsing",
        "who in nlp works on parsing",
        "who in HCI works on trust",
        "who in Robotics works on grasping",
        "who in formal methods works on proofs",
        "who in our lab works on RL",
        "who in the field works on RL",
        "who at the conference works on agents",
        "people in China who work from home",
        "people in Africa doing farming",
        "people in wheelchairs doing sports",
        "how people in Africa study English",
        "students in Germany studying abroad",
        "who works on malaria in Africa",
        "papers from 2025 on RL",
        "papers from Paris",
        "papers from Nature on RL",
        "learning from Tokyo taxis",
        "who in Zurich",
        "who works on traffic in Beijing",
        "who among us works on RL",
    ],
)
def test_what_is_no_place_of_work_stays(text):
    assert read_place(text, LIBRARY) == ("", text)


def test_the_topic_is_what_they_work_on():
    assert topic_worked_on("anyone doing parsing?") == "parsing"
    assert topic_worked_on("is there anybody who works on RL") == "RL"
    assert topic_worked_on("which groups do research on MoE inference") == "MoE inference"
    for text in ("", "people doing sports", "who", "parsing", "what do people work on"):
        assert topic_worked_on(text) == ""


def test_a_field_belongs_to_the_topic():
    assert topic_in_field("who in NLP works on parsing?") == "parsing in NLP"
    assert topic_in_field("people in robotics working on sim2real") == "sim2real in robotics"
    assert topic_in_field("who works on parsing in NLP") == ""


def test_a_topic_may_have_a_place_in_brackets():
    assert read_place_after("RL (in Zurich)") == ("in Zurich", "RL")
    for topic in ("RL in Zurich", "RL (in", "RL (PPO)", "(in Zurich)"):
        assert read_place_after(topic) == ("", topic)


@pytest.mark.parametrize(
    "said",
    [
        "who in a ",
        "who in a, a or ",
        "who ",
        "people based in a ",
        "do you know anyone in ",
        "who works on a ",
        " ",
        "a (in ",
        "who in " + "a.b-" * 500,
    ],
)
def test_hostile_text_is_read_quickly(said):
    text = (said * 6_000)[:6_000] + "!"
    start = time.process_time()
    for read in (topic_worked_on, topic_in_field, read_place_after):
        read(text)
    read_place(text, LIBRARY)
    assert time.process_time() - start < 0.5
