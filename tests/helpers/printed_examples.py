"""The commands that the README and `/help` give as examples."""

from __future__ import annotations

import re

from commands.cards.help import GOALS, goal_text
from index.search.examples import Examples
from tests.helpers.paths import ROOT

_TYPED = re.compile(r"`(/[^`]+)`")
_ASKED = re.compile(r'python -m bot ask "(/[^"]+)"')
_IN_HELP = re.compile(r"\*\*(/[\w-]+)\*\*(?: `([^`]+)`)?")
_NAMES = Examples("ChonLam Lao", "PrismLLM", "in-network aggregation")
HELP = "\n".join(goal_text(goal.key, _NAMES) for goal in GOALS)


def examples() -> list[str]:
    """Every command that the README and ``/help`` print, each once."""
    readme = (ROOT / "README.md").read_text()
    printed = [*_TYPED.findall(readme), *_ASKED.findall(readme)]
    printed += [f"{command} {rest}".strip() for command, rest in _IN_HELP.findall(HELP)]
    managers = {"/setup"}  # only for those who manage the server: tests/wire/test_setup.py
    return [example for example in dict.fromkeys(printed) if example not in managers]
