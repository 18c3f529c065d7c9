"""Where authors work, as queries say it."""

import pytest

from index.search.workplaces import read_place_of_people, read_workplace

SAID = {
    "papers from Stanford on agents": ("from Stanford", "papers on agents"),
    "papers from stanford on agents": ("from stanford", "papers on agents"),
    "papers by OpenAI": ("by OpenAI", "OpenAI"),
    "openai papers": ("openai", "openai"),
    "Stanford's papers on RLHF": ("Stanford's", "papers on RLHF"),
    "LLM agents from DeepMind": ("from DeepMind", "LLM agents"),
    "recent papers by researchers at MIT about robots": (
        "by researchers at MIT",
        "recent papers about robots",
    ),
    "papers by Tsinghua University on diffusion": ("by Tsinghua University", "papers on diffusion"),
    "papers from the University of Toronto on RL": ("from the University of Toronto", "papers on RL"),
    "papers from Nowhere Institute of Technology": (
        "from Nowhere Institute of Technology",
        "Nowhere Institute of Technology",
    ),
    "what has Anthropic published on interpretability?": ("Anthropic", "interpretability"),
    "papers by Percy Liang from Stanford": ("from Stanford", "papers by Percy Liang"),
    "papers by Percy Liang from Stanford without labels": (
        "from Stanford",
        "papers by Percy Liang without labels",
    ),
    "papers by percy liang at stanford": ("at stanford", "papers by percy liang"),
    "papers by Percy Liang (Stanford) on agents": ("(Stanford)", "papers by Percy Liang on agents"),
    "papers from Percy Liang's group at Stanford": ("at Stanford", "papers from Percy Liang's group"),
    "robot learning from Berkeley, most cited": ("from Berkeley", "robot learning, most cited"),
    "LLM agents from DeepMind since 2025": ("from DeepMind", "LLM agents since 2025"),
    "papers from CMU or MIT on robots": ("from CMU or MIT", "papers on robots"),
    "papers from Stanford, MIT and CMU about robots": ("from Stanford, MIT and CMU", "papers about robots"),
    "papers by students at MIT on robots": ("by students at MIT", "papers on robots"),
    "papers from Microsoft Research Asia on diffusion": (
        "from Microsoft Research Asia",
        "papers on diffusion",
    ),
    "papers from the Technical University of Munich on SLAM": (
        "from the Technical University of Munich",
        "papers on SLAM",
    ),
    "papers from the university of toronto on RL": ("from the university of toronto", "papers on RL"),
    "papers from Google at ACL 2019 on parsing": ("from Google", "papers at ACL 2019 on parsing"),
    "papers by Mirella Lapata at Edinburgh": ("at Edinburgh", "papers by Mirella Lapata"),
    "papers from TU Munich on SLAM": ("from TU Munich", "papers on SLAM"),
    "papers on LLMs not by OpenAI": ("not by OpenAI", "papers on LLMs"),
    "LLM papers, nothing from Google": ("nothing from Google", "LLM papers"),
    "papers on safety but not from OpenAI": ("but not from OpenAI", "papers on safety"),
    "papers not from Google on agents": ("not from Google", "papers on agents"),
    "LLM papers from anyone but OpenAI": ("from anyone but OpenAI", "LLM papers"),
    "what's new from Google?": ("from Google", "Google"),
    "anything new from DeepMind": ("from DeepMind", "DeepMind"),
    "news from Google": ("from Google", "Google"),
    "what's Stanford working on": ("Stanford", "Stanford"),
    "who at Stanford works on agents?": ("at Stanford", "who works on agents"),
    "who works on agents at stanford?": ("at stanford", "who works on agents"),
    "does anyone at MIT work on robots?": ("at MIT", "does anyone work on robots"),
    "people from Google or Meta working on MoE": ("from Google or Meta", "people working on MoE"),
    "who here knows about RDMA at ETH Zurich": ("at ETH Zurich", "who here knows about RDMA"),
}


@pytest.mark.parametrize("text", SAID)
def test_a_workplace_is_taken_out_of_the_subject_but_stays_alone(text):
    assert read_workplace(text) == SAID[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sentiment of Amazon reviews",
        "learning from Google Maps",
        "learning from apple",
        "hate speech from Facebook",
        "papers on learning from Amazon reviews",
        "admissions at Harvard",
        "papers from a university",
        "papers not from Google",
        "meta papers",
        "Meta learning papers",
        "papers at ICLR",
        "what did Google do",
        "papers by Apple Pie",
        "stanford parser",
        "papers from 2025",
        "who at the conference works on agents",
        "people at Stanford",
        "who works on learning from Amazon",
    ],
)
def test_what_names_no_workplace_stays(text):
    assert read_workplace(text) == ("", text)


def test_a_topic_that_people_know_may_end_with_where_they_work():
    assert read_place_of_people("agents at Stanford") == ("at Stanford", "agents")
    assert read_place_of_people("RDMA from Microsoft Research") == ("from Microsoft Research", "RDMA")
    for topic in (
        "agents",
        "at Stanford",
        "reviews from Amazon",
        "agents at scale",
        "admissions at Harvard Yard",
    ):
        assert read_place_of_people(topic) == ("", topic)
