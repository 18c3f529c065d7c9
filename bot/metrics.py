"""Counters: replies by command and outcome, and how long they took. bot/health.py reports everything else."""

from __future__ import annotations

import platform
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import discord
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 60.0)
"""Bounds of the histograms; Discord waits three seconds for a first response."""
_KINDS = {
    discord.InteractionType.autocomplete: "completion",
    discord.InteractionType.modal_submit: "form",
    discord.InteractionType.component: "button",
}


def build() -> dict[str, str]:
    """The versions of Labmate, Python and discord.py."""
    try:
        ours = version("labmate")
    except PackageNotFoundError:  # it runs from its folder without being installed
        ours = "unknown"
    return {"version": ours, "python": platform.python_version(), "discord_py": discord.__version__}


class Metrics:
    """The counters of one bot, in their own registry."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._replies = Counter(
            "labmate_replies",
            "Replies by command and outcome (answered; refused: the user can fix it; failed: Labmate must).",
            ["command", "outcome"],
            registry=registry,
        )
        self._acknowledged = Histogram(
            "labmate_acknowledged_seconds",
            "From an interaction's arrival to the first response; Discord waits 3 s.",
            ["kind"],
            buckets=SECONDS,
            registry=registry,
        )
        self._finished = Histogram(
            "labmate_reply_seconds",
            "From a command's arrival to its complete reply.",
            ["command"],
            buckets=SECONDS,
            registry=registry,
        )
        Gauge("labmate_build_info", "Which Labmate this is.", list(build()), registry=registry).labels(
            *build().values()
        ).set(1)

    def begin(self, interaction: discord.Interaction) -> None:
        """Note that an interaction has arrived."""
        interaction.extras["arrived"] = time.perf_counter()
        # `Interaction.response` is cached in this slot, which discord.py does not declare for type checkers.
        interaction._cs_response = _Watched(interaction, self._answered)  # type: ignore[attr-defined]

    def _answered(self, interaction: discord.Interaction) -> None:
        kind = _KINDS.get(interaction.type, "command")
        self._acknowledged.labels(kind).observe(_since(interaction))
        if kind in ("button", "form") and not interaction.extras.get("failed"):
            self._replies.labels(kind, "answered").inc()

    def finished(self, interaction: discord.Interaction, outcome: str) -> None:
        """Count a command that was answered, or anything that failed."""
        kind = _KINDS.get(interaction.type)
        name = kind or (interaction.command.qualified_name if interaction.command else "unknown")
        self._replies.labels(name, outcome).inc()
        if kind is None:
            self._finished.labels(name).observe(_since(interaction))

    def mentioned(self, outcome: str) -> None:
        """Count what was said to Labmate in a message."""
        self._replies.labels("mention", outcome).inc()


def _since(interaction: discord.Interaction) -> float:
    now = time.perf_counter()
    arrived: float = interaction.extras.get("arrived", now)
    return now - arrived


class _Watched(discord.InteractionResponse[Any]):
    """A response that reports when it is sent; discord.py notes that in one attribute."""

    def __init__(self, parent: discord.Interaction, answered: Any) -> None:
        self._given: discord.InteractionResponseType | None = None
        self._tell = answered
        super().__init__(parent)

    @property
    def _response_type(self) -> discord.InteractionResponseType | None:
        return self._given

    @_response_type.setter
    def _response_type(self, given: discord.InteractionResponseType | None) -> None:
        if self._given is None and given is not None:
            self._tell(self._parent)
        self._given = given
