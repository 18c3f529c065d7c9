"""A paper's label in pictures is the name of its system."""

import json

import pytest

from index.search.system_name import system_name


def test_the_sample_s_systems_have_their_names(sample):
    papers = json.loads(sample.read_text())
    names = {system_name(paper["title"], paper.get("abstract") or "") for paper in papers}
    assert names == {"THC", "PrismLLM", "TrainMover", "Genie", "ESA", "Cora", None}


@pytest.mark.parametrize(
    ("title", "abstract", "name"),
    [
        (
            "Faithful Emulation with PrismLLM",
            "We present PrismLLM, an emulator. PrismLLM is quick.",
            "PrismLLM",
        ),
        ("A Survey: Where We Stand", "We survey LLMs.", None),
        ("Position: Agents Need Names", "We argue.", None),
        ("Do LLMs Dream?", "We evaluate GPT-4 and BERT with LoRA. GPT-4 wins over BERT.", None),
        ("Detecting AI-generated Images", "We propose AI-generated tests, AI-generated all.", None),
        ("A title", "We introduce a system called Genie. Genie grants wishes.", "Genie"),
        ("A title", "We build on ImageNet.", None),
        ("", "", None),
        (":", ":", None),
        ("X" * 5_000 + ": y", "We present " + "Y" * 5_000 + ", a name.", None),
    ],
)
def test_names_are_coined_words_not_those_of_the_field(title, abstract, name):
    assert system_name(title, abstract) == name


def test_hostile_text_takes_no_time():
    for text in (
        "we present " * 20_000,
        "We propose a " + "a, " * 50_000,
        "Aa" * 100_000,
        "we " + "x-" * 80_000,
    ):
        system_name(text[:2_000], text)
