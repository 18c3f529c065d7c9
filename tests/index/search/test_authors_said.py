"""Papers asked for by naming another paper of their authors."""

import time

import pytest

from index.search.authors_said import AuthorsSaid, names_and_subjects, read_authors_of

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
    "papers of the authors of CatNet": ("CatNet", "papers"),
    "papers by the authors of the CatNet paper": ("CatNet", "papers"),
    "work by the CatNet paper's authors": ("CatNet", "work"),
    "papers from the CatNet authors": ("CatNet", "papers"),
    "the CatNet authors' other papers": ("CatNet", "papers"),
    "what else did the CatNet authors publish on dogs?": ("CatNet on dogs", ""),
    "papers by the authors of CatNet, but not about dogs": ("CatNet", "papers, but not about dogs"),
    "more from the authors of CatNet please": ("CatNet", ""),
    "anything new by the authors of CatNet": ("CatNet", "newest papers"),
    "the people behind CatNet's newer papers": ("CatNet", "papers"),
}
ONE = {
    "whats CatNet's first author up to": ("CatNet", "first", ""),
    "the first author of CatNet": ("CatNet", "first", ""),
    "papers by the first author of CatNet": ("CatNet", "first", "papers"),
    "papers by the lead author of CatNet on dogs": ("CatNet on dogs", "first", "papers"),
    "more by CatNet's senior author, newest first": ("CatNet", "last", "newest first"),
    "papers by the CatNet last author": ("CatNet", "last", "papers"),
    "the last author of CatNet's other papers": ("CatNet", "last", "papers"),
    "CatNet's first author's other papers on dogs": ("CatNet on dogs", "first", "papers"),
    "what else has the last author of CatNet written": ("CatNet", "last", ""),
    "what does CatNet's first author work on?": ("CatNet", "first", ""),
}
LOOSE = {
    "other work by catnet authors": ("catnet", "work"),
    "papers by Chinese authors": ("Chinese", "papers"),
    "papers from the same authors": ("same", "papers"),
    "catnet first author other papers": ("catnet", "papers"),
}


@pytest.mark.parametrize("text", SAID)
def test_the_paper_is_taken_out_of_the_subject(text):
    paper, left = SAID[text]
    assert read_authors_of(text) == (AuthorsSaid(paper), left)


@pytest.mark.parametrize("text", ONE)
def test_one_author_may_be_meant(text):
    paper, which, left = ONE[text]
    assert read_authors_of(text) == (AuthorsSaid(paper, which), left)


@pytest.mark.parametrize("text", LOOSE)
def test_what_may_also_name_no_paper_is_not_sure(text):
    said, left = read_authors_of(text)
    assert (said.paper, left, said.sure) == (*LOOSE[text], False)


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
        "dogs, but nothing from the CatNet authors",
        "detecting the authors of texts",
        "author disambiguation in papers",
    ],
)
def test_what_names_no_paper_by_its_authors_stays(text):
    assert read_authors_of(text) == (None, text)


def test_a_paper_s_name_may_end_before_a_subject():
    assert list(names_and_subjects("Attention on Attention on dogs")) == [
        ("Attention on Attention on dogs", ""),
        ("Attention on Attention", "dogs"),
        ("Attention", "Attention on dogs"),
    ]


def test_few_ends_of_a_name_are_looked_up_however_often_it_says_on():
    assert len(list(names_and_subjects("dogs on " * 60))) < 10


@pytest.mark.parametrize(
    "said",
    [
        "by the authors of ",
        "what did the authors of ",
        "by a's authors by ",
        "from ",
        "first author of a's papers ",
        "what did the a authors write on ",
        "the first authors papers of ",
        "authors papers on ",
        "papers of the first author " + "a" * 40 + " ",
    ],
)
def test_hostile_text_is_read_quickly(said):
    start = time.process_time()
    read_authors_of(said * (6_000 // len(said)))
    assert time.process_time() - start < 0.5
