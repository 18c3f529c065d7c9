"""`python -m bot doctor`: check for common problems, and say how to fix each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from rich.console import Console
from rich.text import Text

from bot.doctor import installation, language_model, services
from bot.doctor.finding import Finding
from bot.settings import Settings

CHECKS: list[tuple[str, Callable[[Settings], Awaitable[list[Finding]]]]] = [
    ("Python", installation.python),
    ("Discord", services.discord),
    ("Database", installation.database),
    ("Backups", installation.backups),
    ("Model", installation.model),
    ("Index", installation.index),
    ("People", installation.people),
    ("HTTP", services.http),
    ("OpenAlex", services.openalex),
    ("LLM", language_model.language_model),
    ("Ray", services.ray),
    ("Bucket", services.bucket),
    ("arXiv", services.arxiv),
    ("Files", installation.files),
    ("Disk", installation.disk),
    ("Clock", services.clock),
]
_MARKS = {"good": ("✓", "green"), "note": ("•", "yellow"), "bad": ("✗", "red")}


async def examine(settings: Settings) -> int:
    """Run all checks and print their findings; returns 1 if something is bad."""
    console = Console()
    console.soft_wrap = not console.is_terminal  # a command to copy stays whole in a pipe or a file
    status = 0
    for name, check in CHECKS:
        for finding in await check(settings):
            mark, style = _MARKS[finding.state]
            console.print(Text(f" {mark} {name:9} ", style=style) + Text(finding.text))
            if finding.advice:
                console.print(Text(f"   {'':9} → {finding.advice}", style="dim"))
            if finding.state == "bad":
                status = 1
    return status
