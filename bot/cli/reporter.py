"""Progress on the command line: bars for people, JSON lines for the bot that started the process."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)


def still_need(papers: int) -> str:
    """``1 paper still needs an embedding``, without a full stop."""
    return f"{papers:,} {'paper still needs' if papers == 1 else 'papers still need'} an embedding"


class Reporter:
    """Shows how far the work is."""

    def __init__(self, *, events: bool, console: Console | None = None) -> None:
        self._events = events
        self.console = console or Console(stderr=True)
        self._bar: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    @property
    def is_watched(self) -> bool:
        """Whether somebody sees how far the work is: by bars in a terminal, or by a program's events."""
        return self._events or self.console.is_terminal

    @property
    def is_beside_bot(self) -> bool:
        """Whether a running Labmate started this work, and follows its events."""
        return self._events

    @contextmanager
    def showing(self) -> Iterator[None]:
        """Draw bars while the work goes on."""
        if self._events:
            yield
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=self.console, transient=False)
        try:
            yield
        finally:
            if self._tasks:
                for task in self._bar.tasks:
                    if task.total is None:  # a spinner that stands still tells nothing
                        self._bar.update(task.id, visible=False)
                self._bar.stop()
            self._bar, self._tasks = None, {}

    def step(self, name: str, done: int, total: int, rate: str = "") -> None:
        """Report how far a step is."""
        if self._events:
            self.event(step=name, done=done, total=total, note=rate)
        elif self._bar is not None:
            if not self._tasks:
                self._bar.start()
            if name not in self._tasks:
                self._tasks[name] = self._bar.add_task(name, total=total or None, rate="")
            task = self._tasks[name]
            speed = self._bar.tasks[self._bar.task_ids.index(task)].speed
            shown_rate = rate or (f"{speed:,.0f}/s" if speed else "")
            self._bar.update(task, completed=done, total=total or None, rate=shown_rate)

    def say(self, text: str) -> None:
        """Say something once."""
        if self._events:
            self.event(say=text)
        else:
            self.console.print(text, markup=False, emoji=False, highlight=False)

    @staticmethod
    def event(**data: object) -> None:
        """Write one line for the process that started this one."""
        sys.stdout.write(json.dumps(data) + "\n")
        sys.stdout.flush()
