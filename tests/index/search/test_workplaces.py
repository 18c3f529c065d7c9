"""Where authors work, as queries say it."""

import pytest

from index.search.workplaces import read_workplace

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
        "meta papers",
        "Meta learning papers",
        "papers at ICLR",
        "what did Google do",
        "papers by Apple Pie",
        "stanford parser",
        "papers from 2025",
    ],
)
def test_what_names_no_workplace_stays(text):
    assert read_workplace(text) == ("", text)
