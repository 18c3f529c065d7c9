"""What papers say they do without."""

import time

import pytest

from index.search.doing_without import PHRASES, DoneWithout, as_done_without, compares, read_done_without
from index.search.wishes import read_without

MODEL = DoneWithout("reward model", "RL")


@pytest.mark.parametrize(
    "abstract",
    [
        "We align models without a reward model.",
        "It learns without training an explicit reward model.",
        "A reward-model-free method.",
        "Our reward-free method needs little data.",
        "This eliminates the need for a separate reward model.",
        "It does not require reward models.",
        "It doesn't require a reward model.",
        "We don’t use any reward model.",
        "It works with no reward model at all, instead of a\nlearned one.",
        "We optimize preferences directly rather than reward models.",
    ],
)
def test_a_paper_says_that_it_does_without_something(abstract):
    assert MODEL.is_said_in("Alignment", abstract)


@pytest.mark.parametrize(
    "abstract",
    [
        "We train a reward model.",
        "Without labels, we train a reward model.",
        "No prior work compares the use of reward models.",
        "It is not clear which reward model is best.",
        "We improve on it without retraining the policy or the reward model.",
        "Rewards without models.",
    ],
)
def test_a_paper_that_only_names_it_doesn_t_say_so(abstract):
    assert not MODEL.is_said_in("Alignment", abstract)


def test_the_title_decides():
    says = "It needs no reward model."
    assert not MODEL.is_said_in("Better Reward Models", says)
    assert MODEL.is_said_in("RL without Reward Models", "We compare reward models.")
    assert MODEL.is_named_in("A reward model")


def test_what_is_asked_for_is_said_plainly():
    asked = read_done_without("RL that doesn't need a reward model?")
    assert asked == (DoneWithout("reward model", "RL", "a"), "RL without reward model")
    assert asked[0].said == "a reward model"
    assert read_done_without("RL on GPUs") == (None, "RL on GPUs")
    assert read_done_without("without labels") == (None, "without labels")


@pytest.mark.parametrize(
    ("said", "things", "plainly"),
    [
        ("alignment w/o a critic or value network", ("critic", "value network"), None),
        ("unlearning with no access to the retain set", ("retain set",), "unlearning without retain set"),
        ("replay not requiring a buffer", ("buffer",), "replay without buffer"),
        ("defense with no clean data needed", ("clean data",), "defense without clean data"),
        (
            "policies from videos, no robot data needed",
            ("robot data",),
            "policies from videos without robot data",
        ),
        ("images without vector quantization, autoregressive", ("vector quantization",), None),
        ("training without labels for rare languages", ("labels",), None),
        ("RL without reward models, critics or labels", ("reward models", "critics", "labels"), None),
        (
            "Chinese NLP that skips word segmentation",
            ("word segmentation",),
            "Chinese NLP without word segmentation",
        ),
        ("alignment that drops the critic", ("critic",), "alignment without critic"),
        ("translation without pivoting through English", ("pivoting",), None),
        ("parsing languages that have no treebank", ("treebank",), "parsing languages without treebank"),
        (
            "tuning that needs no labels and no pretraining",
            ("labels", "pretraining"),
            "tuning without labels and pretraining",
        ),
        (
            "tuning requiring neither labels nor pretraining",
            ("labels", "pretraining"),
            "tuning without labels or pretraining",
        ),
        ("anomaly detection, we have no labels", ("labels",), "anomaly detection without labels"),
        ("reasoning without chain of thought", ("chain of thought",), None),
        ("agents without tool use", ("tool use",), None),
        ("view synthesis if we don't know the poses", ("poses",), "view synthesis without poses"),
        ("fine-tuning when you can't afford a GPU", ("GPU",), "fine-tuning without GPU"),
        ("SLAM when GPS isn't available", ("GPS",), "SLAM without GPS"),
        ("SLAM in the absence of GPS", ("GPS",), "SLAM without GPS"),
        ("dialogue w/out templates", ("templates",), "dialogue without templates"),
        ("multi-agent RL sans communication", ("communication",), "multi-agent RL without communication"),
        ("translation not trained on parallel data", ("parallel data",), "translation without parallel data"),
        ("parsing that does away with a grammar", ("grammar",), "parsing without grammar"),
        (
            "without a reward model, how can I do RLHF?",
            ("reward model",),
            "how can I do RLHF without reward model",
        ),
        (
            "pose estimation where intrinsics are unknown",
            ("intrinsics",),
            "pose estimation without intrinsics",
        ),
    ],
)
def test_it_is_asked_for_in_many_ways(said, things, plainly):
    what, text = read_done_without(said)
    assert what.things == things
    assert text == (plainly or said.replace("w/o a", "without"))


@pytest.mark.parametrize(
    ("thing", "abstract"),
    [
        ("leader", "A leaderless protocol."),
        ("syntax", "A syntax-agnostic model."),
        ("labels", "We train an unsupervised parser."),
        ("parallel data", "Unsupervised translation."),
        ("critic or value network", "It trains without a value network."),
    ],
)
def test_papers_say_it_in_a_word(thing, abstract):
    assert DoneWithout(thing, "x").is_said_in("Title", abstract)
    assert not DoneWithout("reward models", "x").is_said_in("Title", abstract)


@pytest.mark.parametrize(
    "said",
    [
        "drop what it learned without starting over",
        "rate a text without a human checking it",
        "cut it without hurting answers",
        "transformers that skip layers",
        "language models that remove bias",
        f"search without {'-'.join(['ab'] * 1_300)}",
        "train with and without labels",
        "claims that lack evidence",
        "answers with or without retrieval",
        "agents without the word LLM",
        "agents without mention of LLMs",
        "without starting over, drop what it learned",
        "clustering without loss of generality",
        "context-free grammars",
        "scale-free networks",
        "error-free transmission",
        "training-free vs training-based style transfer",
        "training-free methods versus fine-tuning for pruning",
        "fine-tuned vs. training-free pruning",
        "model-free and model-based RL",
        "RAG with vs without retrieval",
        "RL without a reward model vs with one",
    ],
)
def test_what_is_not_done_is_no_thing(said):
    assert read_done_without(said) == (None, said)


def test_a_comparison_declines_nothing():
    for said in ("RAG with vs without retrieval", "RL without a reward model vs with one"):
        assert compares(said)
    assert not compares("cats vs dogs, no surveys")
    assert not compares("PPO vs DPO on small data without a reward model")


def count(words):
    """How many papers of a library print some words."""
    printed = {"actions": 9_000, "surveys": 2_500, "tools": 10, "labels": 900}
    done_without = {"without actions": 20, "actions free": 24, "without surveys": 1, "labels free": 90}
    return (printed | done_without).get(words, 0)


@pytest.mark.parametrize(
    ("said", "plainly"),
    [
        ("video prediction, no actions", "video prediction without actions"),
        ("video prediction (no actions)?", "video prediction without actions"),
        ("video prediction but no actions", "video prediction without actions"),
        ("video prediction - no actions.", "video prediction without actions"),
        ("video prediction, no actions, no labels", "video prediction without actions or labels"),
        ("video prediction, no surveys", None),
        ("video prediction, no actions or surveys", None),
        ("video prediction, no tools", None),
        ("video prediction, no actions, newest first", None),
        ("no actions", None),
    ],
)
def test_what_papers_often_do_without_may_be_said_with_no(said, plainly):
    assert as_done_without(said, count) == (plainly or said)


@pytest.mark.parametrize(
    ("said", "unwanted"),
    [
        ("cats without fur, no surveys", ("fur", "surveys")),
        ("papers like CatNet without GPUs or TPUs", ("GPUs", "TPUs")),
        ("papers like CatNet without a critic", ("critic",)),
        ("cats without a person checking them", ()),
        ("cats with or without fur", ()),
        ("cats without the word fur", ("fur",)),
        ("cats without mentioning fur or tails", ("fur", "tails")),
    ],
)
def test_each_of_several_things_is_left_out(said, unwanted):
    assert read_without(said, lambda words: 0)[0] == unwanted


def test_what_is_declined_after_what_papers_do_without_is_left_out():
    left_out = read_without("cats without fur, no surveys", lambda words: 0, lacking=False)
    assert left_out == (("surveys",), "cats without fur")
    assert read_without("cats without fur or tails", lambda words: 0, lacking=False)[0] == ()


LISTED = "agents, graphs, images, labels, models, networks, policies, tokens and words"
HOSTILE = [
    "without a ",
    "no no no ",
    "no a, ",
    "without foo, ",
    "x, y, ",
    "is no ",
    "that doesn't need any access to ",
]


def seconds(work, *given):
    """The least time of three, since other programs have the processor, too."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work(*given)
        times.append(time.process_time() - start)
    return min(times)


@pytest.mark.parametrize("said", HOSTILE)
def test_hostile_text_is_read_quickly(said):
    text = f"cats {said * (4_000 // len(said))}"
    assert seconds(read_done_without, text) < 0.05
    assert seconds(read_without, text, lambda words: 0) < 0.2
    assert seconds(DoneWithout("foo", "x").is_said_in, "", text) < 0.05


def test_most_texts_are_told_from_those_that_say_so_at_once():
    many, _ = read_done_without(f"search without {LISTED}")
    assert len(many.things) == 9
    assert len(many.phrases) <= 3 * len(PHRASES) + 1
    about = "We study how birds sing, not why; they do so with no score. " * 25
    assert seconds(lambda: [many.is_said_in("Songs", about) for _ in range(300)]) < 0.3
