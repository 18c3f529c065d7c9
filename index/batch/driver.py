"""The one slot that knows Ray: a process of its own, which hands work to a cluster and its results back.

It speaks over an inherited pipe with :mod:`index.batch.team`, which starts it. It is a process of its own
because Ray ends the process that uses it when the head of the cluster has been gone for a minute, and because
the process that writes should not load Ray. It sees work, pieces and results only as bytes.

Each worker is an actor with one piece in hand. joblib's Ray backend needs less code, but one lost actor fails
everything there.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import socket
import sys
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any
from urllib.parse import urlsplit

from index.batch.shipping import Manifest, Shipment
from index.batch.work import Release
from index.batch.worker import NodeWorker

LIVES = 3
"""How many times a worker is started in one slot before that slot is given up."""
REACH = 5.0
"""Seconds for the head of the cluster to accept a connection."""
ROOM = 90.0
"""Seconds for the first worker to be given a core."""
_CLOSING = 10.0
_LONGEST = 300
_COLOURS = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class Job:
    """What the driver is told at the beginning."""

    address: str
    work: bytes
    wants: str
    files: Manifest
    release: Release


@dataclass(frozen=True)
class Slot:
    """Where one worker runs."""

    node: str
    machine: str
    cores: int
    gpu: bool


class Driver:
    """Serves one job; each slot of the cluster has a thread here that waits for its worker."""

    def __init__(self, pipe: Connection, job: Job) -> None:
        self._pipe, self._job = pipe, job
        self._pieces: queue.Queue[tuple[int, bytes] | None] = queue.Queue()
        self._counting, self._sending = threading.Lock(), threading.Lock()
        self._slots: list[Slot] = []
        self._given_up = 0
        self._met = threading.Event()
        self._shipment: Shipment | None = None

    def run(self) -> None:
        """Connect, and serve until the other end closes the pipe."""
        try:
            self._slots = self._connect()
        except Exception as error:  # Ray has many kinds for this, and none in common
            self._say("gone", f"can't be reached: {_first_line(error)}")
            return
        if not self._slots:
            self._say("gone", "has no node with a free core for Labmate (its nodes have no CPUs)")
            return
        self._say("begun", len(self._slots), len({slot.node for slot in self._slots}))
        threads = [threading.Thread(target=self._serve, args=(slot,), daemon=True) for slot in self._slots]
        for thread in (*threads, threading.Thread(target=self._wait_for_room, daemon=True)):
            thread.start()
        while (piece := self._pipe.recv()) is not None:
            self._pieces.put(piece)
        for _ in threads:
            self._pieces.put(None)
        for thread in threads:
            thread.join(_CLOSING / len(threads))

    def _connect(self) -> list[Slot]:
        _knock(self._job.address)
        import ray  # lazy: optional, and takes seconds

        ray.init(self._job.address, log_to_driver=False, configure_logging=False)
        nodes = [node for node in ray.nodes() if node["Alive"]]
        return [slot for node in nodes for slot in _slots(node, self._job.wants)]

    def _say(self, *words: Any) -> None:
        with self._sending:
            self._pipe.send(words)

    def _wait_for_room(self) -> None:
        if not self._met.wait(ROOM):
            self._say("gone", f"had no free core for {ROOM:.0f} s")

    # -- one slot ----------------------------------------------------------------------------------

    def _serve(self, slot: Slot) -> None:
        """Start workers in a slot, one after another, until the work is done or the slot is given up."""
        for life in range(LIVES):
            try:
                self._work_in(slot)
                return
            except Exception as error:  # what a worker raised, or how Ray lost it
                why = _first_line(error)
                self._say("note", f"a worker on {slot.machine} failed ({why})")
                last = life == LIVES - 1 or _is_other_release(error)
            if last:
                break
        with self._counting:
            self._given_up += 1
            if self._given_up == len(self._slots):
                self._say("gone", f"has no worker left; the last one said: {why}")

    def _work_in(self, slot: Slot) -> None:
        import ray  # lazy: optional
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # lazy: optional

        here = NodeAffinitySchedulingStrategy(slot.node, soft=False)
        worker = (
            ray.remote(NodeWorker)
            .options(num_cpus=slot.cores, num_gpus=int(slot.gpu), scheduling_strategy=here)
            .remote(slot.node)
        )
        try:
            sees_files = ray.get(worker.meet.remote(self._job.release, self._job.files))
            self._met.set()
            sent = None if sees_files else self._sent()
            ray.get(worker.open.remote(self._job.work, sent, slot.cores, slot.gpu))
            while (piece := self._pieces.get()) is not None:
                number, data = piece
                try:
                    result = ray.get(worker.do.remote(data))
                except BaseException:
                    self._pieces.put(piece)
                    raise
                self._say("done", number, result)
            if sent is not None:
                ray.get(worker.forget.remote(sent.number))
        finally:
            ray.kill(worker)

    def _sent(self) -> Shipment:
        """The files in Ray's object store, put there when the first worker lacks them."""
        import ray  # lazy: optional

        with self._counting:
            if self._shipment is None:
                self._shipment = self._job.files.sent(ray.put)
            return self._shipment


def _slots(node: dict[str, Any], wants: str) -> list[Slot]:
    """Where on a node workers run: one a core, or one for each GPU or for the whole machine."""
    cores, gpus = (int(node["Resources"].get(kind, 0)) for kind in ("CPU", "GPU"))
    name, machine = node["NodeID"], str(node.get("NodeManagerHostname") or node["NodeManagerAddress"])
    if cores < 1:
        return []
    if wants == "core":
        return [Slot(name, machine, 1, gpu=False)] * cores
    if wants == "gpu" and gpus:
        return [Slot(name, machine, max(1, cores // gpus), gpu=True)] * gpus
    return [Slot(name, machine, cores, gpu=False)]


def _knock(address: str) -> None:
    """Fail at once where nothing listens; Ray itself takes a minute to say so."""
    if address == "auto":
        return
    parts = urlsplit(address if "://" in address else f"//{address}")
    if parts.hostname is None or parts.port is None or parts.scheme not in ("", "ray"):
        raise ValueError("the address must be auto, host:port or ray://host:port")
    socket.create_connection((parts.hostname, parts.port), REACH).close()


def _is_other_release(error: BaseException) -> bool:
    return "OtherReleaseError" in type(error).__name__


def _first_line(error: BaseException) -> str:
    """What went wrong in one line, without the other machine's traceback."""
    cause = getattr(error, "cause", None)
    error = cause if isinstance(cause, Exception) else error
    lines = _COLOURS.sub("", str(error)).strip().splitlines() or [""]
    text = lines[-1 if "creation task" in lines[0] else 0].strip()
    advice = "; install the same Labmate there" if "No module named 'index" in text else ""
    return f"{type(error).__name__}: {text[:_LONGEST]}{advice}" if text else type(error).__name__


def main() -> None:
    """Serve the job that comes over the pipe whose number is the first argument."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    pipe = Connection(int(sys.argv[1]))
    with contextlib.suppress(EOFError, OSError):  # the other end is gone, and nobody wants the rest
        Driver(pipe, pipe.recv()).run()
    os._exit(0)  # threads may still wait for Ray
