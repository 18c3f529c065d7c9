"""`/help` by what people want to do, and the examples after a member's first reply. Names in, text out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import discord

from commands.cards.text import safe, shorten
from index.search.examples import Examples

_NAME = 60


@dataclass(frozen=True, slots=True)
class Goal:
    """Something that people want to do: its name in the menu and its commands, with places for examples."""

    key: str
    label: str
    lines: tuple[str, ...]


GOALS = (
    Goal(
        "find",
        "Find papers",
        (
            "**/search**{topic} — in your own words. I understand dates and people (`last week's papers "
            "by …`), `papers like X but for inference`, “quoted phrases”, author: and category:",
            "**/similar**{paper} — the most similar papers: give a title, a system's name, a DOI, an id "
            "or link (arXiv, ACL Anthology), or paste an abstract",
            "**/papers**{author} — somebody's papers, by day or category",
            "In a message's menu, under *Apps*: *Papers in here* and *Similar*",
        ),
    ),
    Goal(
        "understand",
        "Understand a paper, or get a question answered",
        (
            "**/ask**{question} — an answer in sentences quoted from papers; *Ask on* opens a thread for the "
            "next question",
            "**/paper**{paper} — a paper's card: abstract, links, authors, how to cite it",
            "**/summary**{paper} — a paper's problem, method, result and limits, quoted from the full text",
        ),
    ),
    Goal(
        "new",
        "Keep up with what is new",
        (
            "**/digest** `mine` — the few new papers of the day that you will want, by direct message; "
            "`learn` gives it papers to learn from",
            "**/new** — the papers announced on a day, by category or topic, or ranked for this channel",
            "**/follow**{about} — news of people, papers, topics and categories; "
            "**/following** lists what you follow, **/unfollow** ends it",
            "**/trending** — growing topics; **/top** — what people here saved and liked most",
        ),
    ),
    Goal(
        "keep",
        "Keep, cite and share papers",
        (
            "**/save**{paper} — keep a paper in your library, with tags and notes; *Save* in a message's "
            "menu, under *Apps*, keeps the papers that the message names",
            "**/library** `show` — what you have saved; import and export for Zotero and LaTeX",
            "**/list** — lists shared in this server",
        ),
    ),
    Goal(
        "people",
        "Find people to talk to or work with",
        (
            "**/who-knows**{topic} — who works on something",
            "**/collaborators**{about} — possible collaborators for somebody or on a topic, and why",
            "**/author**{author} — a person's card; **/similar-people**{author}, **/graph**{paper} and "
            "**/compare** lead on from there",
        ),
    ),
    Goal(
        "me",
        "Say who I am, and see what you keep about me",
        (
            "**/claim**{author} — say which papers are yours; then I can suggest people for you, and you "
            "can use **/profile** (also from your CV) and **/invite**",
            "In a member's menu, under *Apps*: *Papers* and *Possible collaborators*, if they allow it",
            "**/person** — who wrote what, and corrections; **/contest** — say that a claim is wrong",
            "**/settings** `theme colours:light` — light pictures, or dark ones again",
            "**/me** `data` — what I keep about you; **/me** `forget` deletes it",
        ),
    ),
    Goal(
        "server",
        "Set up Labmate for a server",
        (
            "**/setup** — step by step, if you manage the server: channel, fields, time, what to learn from",
            "**/digest** `list` — this server's digests, and their settings",
            "**/link-cards** — small cards below posted links to papers",
            "**/about** — the papers I know, and where they come from",
        ),
    ),
)
END = (
    "-# With `private:True` only you see an answer. Buttons keep working, even after a restart. You can also "
    "mention me with a question in your own words, or write to me directly."
)
CHOOSE = "What do you want to do?"
_COMMAND = re.compile(r"\*\*(/[\w-]+)\*\*((?: `[^`]+`)?)")


def help_text(examples: Examples) -> str:
    """What people can do, each with its commands and examples that work here; the menu has more."""
    parts = ["## What I can do"]
    parts += [f"**{goal.label}**\n{' · '.join(_commands(goal, examples))}" for goal in GOALS]
    return "\n".join([*parts, END])


def goal_text(key: str, examples: Examples) -> str | None:
    """How to do one thing; None for an unknown one."""
    goal = next((goal for goal in GOALS if goal.key == key), None)
    return "\n".join([f"## {goal.label}", *_lines(goal, examples)]) if goal else None


def goal_options() -> list[discord.SelectOption]:
    """The goals as a menu."""
    return [discord.SelectOption(label=goal.label, value=goal.key) for goal in GOALS]


def first_reply(examples: Examples) -> str:
    """Three things that a new member can try."""
    return "\n".join(["**New here? Try these:**", *_tries(examples), "-# /help has more."])


def _tries(examples: Examples) -> Sequence[str]:
    tries = (
        (examples.topic, "/search", "find papers in your own words"),
        (examples.paper, "/similar", "papers like one you know"),
        (examples.author, "/papers", "papers by an author"),
    )
    return [f"- {command} `{_name(name)}` — {what}" for name, command, what in tries if name]


def _commands(goal: Goal, examples: Examples) -> list[str]:
    """A goal's commands, with their examples."""
    told = [_COMMAND.findall(line) for line in _lines(goal, examples)]
    return list(dict.fromkeys(f"{command}{name}" for line in told for command, name in line))


def _lines(goal: Goal, examples: Examples) -> list[str]:
    question = f"what is known about {examples.topic}?" if examples.topic else ""
    named = {"author": examples.author, "paper": examples.paper, "topic": examples.topic}
    named["question"] = question
    named["about"] = f"topic:{examples.topic}" if examples.topic else ""
    places = {key: f" `{_name(name)}`" if name else "" for key, name in named.items()}
    return [f"- {line.format(**places)}" for line in goal.lines]


def _name(text: str) -> str:
    """A name inside a code span."""
    return safe(shorten(text.replace("`", "'"), _NAME)).replace("\\", "")
