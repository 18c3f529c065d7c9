"""Random commands and buttons: each is answered within three seconds, and no error goes unhandled."""

from __future__ import annotations

import logging
import os
import time

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from bot.local_discord.limits import walk

LEAST = 20
"""Interactions that are tried however slow the machine is."""
SECONDS = float(os.environ.get("LABMATE_FUZZ_SECONDS", "12"))
TEXT = st.one_of(
    st.text(max_size=200),
    st.sampled_from(
        [
            "ChonLam Lao",
            "PrismLLM",
            "training",
            "C. Lao",
            "2605.15617",
            "@everyone",
            '"',
            "author:",
            "year:2026",
            "cs.DC",
        ]
    ),
    st.text(alphabet='"():*~^-[]{}\\/ aeiou', max_size=60),
    st.integers(1, 6_000).map(lambda size: "long " * (size // 5 + 1)),
)
COMMANDS = {
    "papers": ["author", "sort", "since", "category"],
    "similar": ["paper"],
    "search": ["query", "since", "category", "author"],
    "paper": ["paper"],
    "new": ["category", "day"],
    "author": ["name"],
    "similar-people": ["name"],
    "compare": ["a", "b"],
    "graph": ["person", "paper"],
    "trending": ["category"],
    "collaborators": ["who", "topic"],
    "who-knows": ["topic"],
    "invite": ["person", "about"],
    "invitations": [],
    "contest": ["person", "reason"],
    "contests": [],
    "help": [],
    "about": [],
}
CUSTOM_IDS = st.one_of(
    st.from_regex(r"(a:[acsw]|k:[np]|ku|ko|ks|kp|g:[pw]|who:[apgs]):\d{1,12}", fullmatch=True),
    st.from_regex(r"(cw|fo:[pw]|fu|mf|cv:[av]|cp:[lwnb]:\d{1,9}|who:[mfk]):\d{1,12}", fullmatch=True),
    st.from_regex(
        r"(in:[anburwoist]|cc:[lud]|dg:[sldumh]|dgv:h|dgb:[wvazxprn]|dgs:[htncq]):\d{1,12}", fullmatch=True
    ),
    st.from_regex(r"cvi:[kpd]|cvo:[rk]|in:x|dg:p:\d{1,12}:\d{1,2}", fullmatch=True),
    st.from_regex(r"tr:\d{1,3}:\d{1,7}:[A-Za-z.-]{0,30}", fullmatch=True),
    st.from_regex(r"p:[eur]:~?\d{1,12}:\d{1,5}:[no]:\d{0,8}:[A-Za-z.-]{0,30}", fullmatch=True),
    st.from_regex(r"(d|c|s):\d{1,12}", fullmatch=True),
    st.from_regex(r"q:\d{1,2}:[ik]:.{0,80}", fullmatch=True),
    st.from_regex(
        r"(sp:\d{1,12}:\d{1,2}|n:\d{8}:\d{1,4}:[a-z.]{0,9}:[a-z]|nc:\d{8}|which:[ds])", fullmatch=True
    ),
    st.text(min_size=1, max_size=100),
).map(lambda text: text[:100])
STEP = st.one_of(
    st.tuples(
        st.just("command"),
        st.sampled_from(sorted(COMMANDS)),
        st.lists(TEXT, min_size=4, max_size=4),
        st.booleans(),
    ),
    st.tuples(
        st.just("complete"), st.sampled_from(["papers", "similar", "search", "paper", "new"]), TEXT, st.none()
    ),
    st.tuples(st.just("press"), st.integers(0, 40), st.none(), st.none()),
    st.tuples(st.just("forge"), CUSTOM_IDS, st.sampled_from([2, 3]), st.text(max_size=20)),
    st.tuples(st.just("plant"), CUSTOM_IDS, st.none(), st.none()),
)


class Errors(logging.Handler):
    """Unhandled errors, as the log sees them."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(self.format(record))


async def _step(lab, step, last):
    kind, what, how, more = step
    user = lab.user
    if kind == "command":
        names = COMMANDS[what]
        known = {command["name"]: command for command in await user.commands()}
        options = [
            {"name": n, "type": 3, "value": v}
            for n, v in zip(names, how, strict=False)
            if v.strip() or n == names[0]
        ]
        options += [{"name": "private", "type": 5, "value": more}]
        return await user.raw_command(
            {"id": known[what]["id"], "name": what, "type": 1, "options": options}, within=3.0
        )
    if kind == "complete":
        first = COMMANDS[what][0]
        await user.complete(f"/{what} {first}:{what and how}")
    elif kind == "press" and last is not None and last.buttons:
        return await last.press(last.buttons[what % len(last.buttons)])
    elif kind == "forge" and last is not None:
        data = {"component_type": how, "custom_id": what, "values": [more], "forged": True}
        return await user.component(last.message, data, within=3.5)
    elif kind == "plant" and last is not None and last.buttons:
        message = lab.discord.state.messages[lab.discord.channel["id"]].get(last.message["id"])
        if message is not None:
            button = next(c for _, c in _walk(message["components"]) if c.get("custom_id"))
            button["custom_id"] = what
            data = {"component_type": button["type"], "custom_id": what, "values": ["1"]}
            return await user.component(message, data, within=3.5)
    return last


def _walk(components):
    return walk(components)


async def test_random_commands_and_buttons_are_all_answered(lab):
    """Hypothesis makes the sequences; they run on one lab, so that state builds up."""
    sequences: list[list] = []

    @settings(
        max_examples=400,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(st.lists(STEP, min_size=2, max_size=6))
    def make(steps):
        sequences.append(steps)

    errors = Errors()
    logging.getLogger().addHandler(errors)
    asked, slowest, end = 0, 0.0, time.monotonic() + SECONDS
    try:
        while time.monotonic() < end or asked <= LEAST:
            sequences.clear()
            make()
            for steps in sequences:
                last = await lab.user.slash("/papers ChonLam Lao")
                for step in steps:
                    begun = time.monotonic()
                    try:
                        last = await _step(lab, step, last)
                    except Exception as error:
                        raise AssertionError(f"{step!r} -> {error!r}") from error
                    slowest = max(slowest, time.monotonic() - begun)
                    asked += 1
                    assert not errors.found, (step, errors.found[0])
                if time.monotonic() > end and asked > LEAST:
                    break
    finally:
        logging.getLogger().removeHandler(errors)
    refused = [request for request in lab.discord.requests if request["status"] >= 400]
    assert not refused, refused[:3]
    assert asked > LEAST
    print(f"\n{asked:,} interactions, the slowest answered after {slowest:.2f} s")
