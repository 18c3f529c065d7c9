"""Wishes that a mention can't do, and what is said to do instead."""

import pytest

from commands.general.advice import advice


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("stop", "/digest pause"),
        ("Unsubscribe!", "/digest pause"),
        ("please stop sending me messages", "/digest pause"),
        ("no more digests please", "/digest pause"),
        ("cancel my weekly digest", "/digest delete"),
        ("pause", "/digest resume"),
        ("how can I pause my digest?", "/digest resume"),
        ("forget me", "/me forget"),
        ("delete all my data", "/me forget"),
        ("What do you know about me?", "/me data"),
        ("what do I follow?", "/following"),
        ("stop following Wei Wang", "/unfollow"),
        ("undo that", "*Undo*"),
        ("save this paper", "/save"),
        ("can you send me a daily digest?", "/digest mine"),
        ("show my library", "/library show"),
        ("what papers did I save?", "/library show"),
        ("find me a collaborator", "/collaborators"),
        ("could you suggest some coauthors for me please", "/collaborators"),
        ("who could I work with?", "/collaborators"),
        ("collaborators for me", "/collaborators"),
        ("what papers are in my library?", "/library show"),
        ("show my papers", "/papers"),
        ("what have I published?", "/papers"),
        ("my digest", "/digest mine"),
        ("show me my digests", "/digest mine"),
        ("my profile", "/profile show"),
        ("who is <@123456789012345678>", "*Apps*"),
        ("papers by <@!123456789012345678>", "*Apps*"),
        ("what did <@123456789012345678> publish?", "*Apps*"),
        ("do you store my messages?", "/me forget"),
        ("are you reading our chats", "/me data"),
        ("are you chatgpt", "I'm Labmate"),
        ("are you a bot or a human?", "I'm Labmate"),
        ("how many papers do you know", "/about"),
        ("i want to claim my profile", "/claim"),
        ("can you post new cs.CL papers here every morning?", "/setup"),
        ("you suck", "I'm sorry"),
    ],
)
def test_a_wish_is_told_its_command(said, command):
    assert command in (advice(said) or "")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "stop words in retrieval",
        "early stopping",
        "Stop Posting: A study of forums",
        "pause tokens",
        "forgetting in language models",
        "delete or not delete? comment moderation",
        "undo maps for image editing",
        "machine unlearning: forget me if you can",
        "save energy in data centres",
        "what do language models follow?",
        "following instructions",
        "library learning",
        "find collaborators on RDMA",
        "collaborators in crime",
        "alerts in intensive care",
        "are you sure language models reason?",
        "do you know papers on messages",
        "does the model store private data",
        "how many papers do you know about RLHF?",
        "post new papers",
        "my papers with code",
        "who could work with LLM agents?",
        "papers by Minlan Yu",
        "digest of my reading",
        "is that useful",
        "which papers have you read on RAG?",
        "please " * 200,
    ],
)
def test_a_search_stays_one(said):
    assert advice(said) is None
