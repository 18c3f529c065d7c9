"""A warning that quotes may contradict each other stands where they do, and nowhere else."""

from __future__ import annotations

import pytest

from index.answers.contradiction import contradictions

LONGER = "Transformers fail to generalize robustly to longer sequences."
CORRECTS = "Intrinsic self-correction of language models remains largely ineffective."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            LONGER,
            "Transformers' ability to generalize to longer sequences degrades as sequence length increases.",
        ),
        (LONGER, "Transformers cannot generalize to longer sequences and are not robust."),
        (CORRECTS, "Intrinsic self-correction of language models fails without oracle labels."),
        (CORRECTS, "Intrinsic self-correction of language models doesn't improve their answers."),
        ("Planning with language models is limited.", "Language models struggle with planning."),
        ("Agents lack robust planning.", "Agents' planning is unreliable."),
        ("Accuracy of the recognisers drops with noise.", "Noise hurts the recognisers' accuracy."),
        ("BERT often outperforms larger LLMs at ranking.", "LLMs at ranking often perform worse than BERT."),
        ("Dropout doesn't increase the toxicity of models.", "Dropout reduces the toxicity of models."),
    ],
)
def test_sentences_that_both_speak_of_failure_or_success_agree(one: str, other: str) -> None:
    assert contradictions([one, other]) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Self-correction of language models without external feedback is ineffective.",
            "Self-correction based on feedback improves the output of language models.",
        ),
        (
            "Small batches increase the variance of gradient estimates.",
            "Large batches reduce the variance of gradient estimates.",
        ),
        (
            "Existing hallucination datasets fail to capture errors in multilingual settings.",
            "Our dataset captures hallucination errors in multilingual settings.",
        ),
        (
            "Intrinsic self-correction was proposed to improve the answers of language models.",
            "Intrinsic self-correction degrades the answers of language models.",
        ),
        (
            "Speech enhancement is believed to improve the performance of recognition in noisy environments.",
            "Speech recognition suffers a performance degradation in noisy environments.",
        ),
        (
            "It is unclear whether attention weights are a helpful explanation of models.",
            "Attention weights are not a helpful explanation of models.",
        ),
        ("Does dropout improve the accuracy of transformers?", "Dropout degrades transformers' accuracy."),
        (
            "Stronger judges reduce but do not remove position and verbosity bias.",
            "Judges carry position bias and verbosity bias.",
        ),
        (
            "Debate not only improves the accuracy of agents but also their speed.",
            "Debate improves the accuracy of agents.",
        ),
    ],
)
def test_other_conditions_aims_questions_and_methods_contradict_nothing(one: str, other: str) -> None:
    assert contradictions([one, other]) == contradictions([other, one]) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LONGER, "Transformers are able to generalize to longer sequences."),
        (LONGER, "Transformers generalize well to longer sequences."),
        (CORRECTS, "Intrinsic self-correction of language models improves their answers."),
        ("Loss spikes are caused by rare tokens.", "Loss spikes are not caused by rare tokens."),
        ("Loss spikes are caused by rare tokens.", "Loss spikes aren’t caused by rare tokens."),
        (
            "Pruning keeps networks small without harming accuracy.",
            "Pruning of networks harms their accuracy.",
        ),
        (
            "Training on synthetic data leads to a gradual decline in performance.",
            "Training on rephrased synthetic data shows no degradation in performance.",
        ),
        (
            "Few-shot prompting improves performance across multiple LLMs.",
            "Many examples in prompts can paradoxically degrade performance in certain LLMs, which "
            "contradicts the conclusion that more few-shot examples benefit LLMs.",
        ),
        (
            "Sleep correlates positively with the memory of students.",
            "Sleep correlates negatively with the memory of students.",
        ),
        ("Scaling data raises the toxicity of models.", "Scaling data lowers the toxicity of models."),
        ("Debate reduces the accuracy of agents.", "Debate improves the accuracy of agents."),
    ],
)
def test_success_of_what_another_sentence_says_fails_may_contradict_it(one: str, other: str) -> None:
    assert contradictions([one, other]) == contradictions([other, one]) == ((0, 1),)
