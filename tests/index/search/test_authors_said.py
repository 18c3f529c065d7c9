"""Papers asked for by naming another paper of their authors."""

import time

import pytest

from index.search.authors_said import names_and_subjects, read_authors_of

SAID = {
    "papers by the authors of CatNet": ("CatNet", "papers"),
    "other papers by the authors of CatNet": ("CatNet", "papers"),
    "more from the authors of CatNet?": ("CatNet", ""),
    "newest papers on dogs from the people behind CatNet": ("CatNet", "newest papers on dogs"),
    "papers by the same authors as CatNet": ("CatNet", "papers"),
    "papers written by the team that wrote CatNet": ("CatNet", "papers"),
    "what else did the authors of CatNet publish?": ("CatNet", ""),
    "what have the authors of CatNet written about dogs": ("CatNet on dogs", ""),
    "other papers by CatNet's authors": ("CatNet", "papers"),
    "papers by the authors of the paper CatNet": ("CatNet", "papers"),
    "papers by the authors of CatNet, newest first": ("CatNet", "papers, newest first"),
    "papers on dogs by the authors of CatNet oldest first": ("CatNet", "papers on dogs, oldest first"),
    "papers by the authors of CatNet, most cited": ("CatNet", "papers, most cited"),
}


@pytest.mark.parametrize("text", SAID)
def test_the_paper_is_taken_out_of_the_subject(text):
    assert read_authors_of(text) == SAID[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "papers by Minlan Yu",
        "who are the authors of CatNet?",
        "authors of CatNet",
        "by the authors",
        "papers not by the authors of CatNet",
        "dogs, but nothing from the authors of CatNet",
        "anything except papers by the authors of CatNet",
    ],
)
def test_what_names_no_paper_by_its_authors_stays(text):
    assert read_authors_of(text) == ("", text)


def test_a_paper_s_name_may_end_before_a_subject():
    assert list(names_and_subjects("Attention on Attention on dogs")) == [
        ("Attention on Attention on dogs", ""),
        ("Attention on Attention", "dogs"),
        ("Attention", "Attention on dogs"),
    ]


def test_few_ends_of_a_name_are_looked_up_however_often_it_says_on():
    assert len(list(names_and_subjects("dogs on " * 60))) < 10


@pytest.mark.parametrize(
    "said", ["by the authors of ", "what did the authors of ", "by a's authors by ", "from "]
)
def test_hostile_text_is_read_quickly(said):
    start = time.process_time()
    read_authors_of(said * (1_500 // len(said)))
    assert time.process_time() - start < 0.5
