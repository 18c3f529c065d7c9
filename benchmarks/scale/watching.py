"""What a process costs while it is watched: seconds, CPU seconds, and the most memory with its children."""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

_EVERY = 0.2
"""Seconds from one look to the next."""
_KEPT_EVERY = 30
"""Seconds after which a long run writes down what it has cost so far."""


@dataclass
class Use:
    """What was used: seconds, CPU seconds, MB.

    Attributes
    ----------
    own
        The most memory that belongs to no file.
    resident
        The most memory, mapped files included.
    """

    seconds: float = 0.0
    cpu: float = 0.0
    own: float = 0.0
    resident: float = 0.0

    def __add__(self, later: Use) -> Use:
        return Use(
            self.seconds + later.seconds,
            self.cpu + later.cpu,
            max(self.own, later.own),
            max(self.resident, later.resident),
        )

    def named(self, prefix: str) -> dict[str, float]:
        """The figures as ``{prefix seconds: …}``."""
        return {f"{prefix} {name}": value for name, value in asdict(self).items()}


class Watch:
    """Watches a process and its children, this one by default, until the block ends."""

    def __init__(self, process: int | None = None) -> None:
        self._process = psutil.Process(process or os.getpid())
        self.use = Use()
        self._ended = threading.Event()
        self._looking = threading.Thread(target=self._look, daemon=True)

    def _family(self) -> list[psutil.Process]:
        try:
            return [self._process, *self._process.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    def _cpu(self) -> float:
        seconds = 0.0
        for member in self._family():
            try:
                spent = member.cpu_times()
            except psutil.NoSuchProcess:
                continue
            # children_*: those that have ended
            seconds += spent.user + spent.system + spent.children_user + spent.children_system
        return seconds

    def _look(self) -> None:
        while not self._ended.wait(_EVERY):
            sizes = [memory_of(member.pid) for member in self._family()]
            own, mapped = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
            self.use.own = max(self.use.own, own)
            self.use.resident = max(self.use.resident, own + mapped)
            self._last_cpu = self._cpu()

    def __enter__(self) -> Watch:
        self._begun, self._before = time.perf_counter(), self._cpu()
        self._last_cpu = self._before
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._looking.join()
        self.use.seconds = time.perf_counter() - self._begun
        self.use.cpu = max(self._cpu(), self._last_cpu) - self._before


class Phases:
    """Watches a long run, and keeps apart what each of its steps costs.

    The costs so far are also written to a file, so that a run that was stopped and goes on adds to them. What
    it does twice then counts twice.

    Attributes
    ----------
    uses
        What each step used, by its name; "" is what came before the first.
    """

    def __init__(self, so_far: Path) -> None:
        before = json.loads(so_far.read_text()) if so_far.exists() else {}
        self.uses = {name: Use(**use) for name, use in before.items()}
        self._so_far, self._step = so_far, ""

    def __call__(self, step: str, done: int, total: int) -> None:
        """A step has come so far."""
        if step == self._step and time.perf_counter() - self._begun < _KEPT_EVERY:
            return
        self._end()
        if step != self._step:
            print(f"  {step} ({total:,})", flush=True)
        self._step = step
        self._begin()

    def __enter__(self) -> Phases:
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _begin(self) -> None:
        self._watch, self._begun = Watch().__enter__(), time.perf_counter()

    def _end(self) -> None:
        self._watch.__exit__()
        self.uses[self._step] = self.uses.get(self._step, Use()) + self._watch.use
        new = self._so_far.with_suffix(".new")
        new.write_text(json.dumps({name: asdict(use) for name, use in self.uses.items()}))
        new.replace(self._so_far)


def memory_of(process: int) -> tuple[float, float]:
    """MB of a process: its own, and mapped from files; zeros if it has ended."""
    anonymous, shared, mapped = memory_parts(process)
    return anonymous + shared, mapped


def memory_parts(process: int) -> tuple[float, float, float]:
    """MB of a process: its own alone, shared with its kin, and mapped from files; zeros if it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0, 0.0, 0.0
    sizes = {line.split(":")[0]: int(line.split()[1]) / 1e3 for line in lines if line.startswith("Rss")}
    return sizes.get("RssAnon", 0.0), sizes.get("RssShmem", 0.0), sizes.get("RssFile", 0.0)


def hold_to(gigabytes: float) -> None:
    """Hold this process and its children, with the pages of files that they read, to so much memory.

    Raises
    ------
    OSError
        If there is no cgroup for memory, or it may not be written (it is root's).
    """
    second = Path("/sys/fs/cgroup/cgroup.controllers").exists()
    folder = Path("/sys/fs/cgroup" if second else "/sys/fs/cgroup/memory") / f"labmate-{os.getpid()}"
    folder.mkdir()
    limit = folder / ("memory.max" if second else "memory.limit_in_bytes")
    limit.write_text(str(int(gigabytes * 1e9)))
    (folder / "cgroup.procs").write_text(str(os.getpid()))
