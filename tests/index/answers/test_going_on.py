"""What plainly goes on from an earlier question, and what stands by itself."""

import pytest

from index.answers.going_on import refers_back


@pytest.mark.parametrize(
    "said",
    [
        "how do they train it?",
        "how does it work",
        "what datasets do they use?",
        "how many GPUs does it need?",
        "who wrote it?",
        "what's it about?",
        "which papers cite it?",
        "what are its limits?",
        "how exact is that?",
        "papers like this",
        "is it faster than TrainMover?",
        "do these papers agree?",
        "explain that",
        "and why does this help?",
        "is there code for it?",
        "how does it compare to TrainMover?",
        "does it generalize to other models?",
        "can you summarize that?",
    ],
)
def test_a_pronoun_with_nothing_before_it_means_what_was_asked_before(said):
    assert refers_back(said)


@pytest.mark.parametrize(
    "said",
    [
        "what is PrismLLM and how does it work?",
        "how do LLMs change when they are fine-tuned?",
        "is it possible to train on old GPUs?",
        "is it better to prune or to quantize?",
        "does it help to warm up the learning rate?",
        "papers that compress gradients",
        "are there methods that need no labels?",
        "what is new this week?",
        "this month's papers on inference",
        "what did Minlan Yu publish this year?",
        "what is grokking?",
        "that's wrong",
        "this is great",
        "they say scaling laws break, is that true?",
        "how long does it take to train an LLM?",
        "I saw that transformers forget",
        "does dropout hurt when models overfit their data?",
    ],
)
def test_a_pronoun_that_means_something_in_the_question_or_nothing_does_not(said):
    assert not refers_back(said)
