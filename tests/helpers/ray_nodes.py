"""A Ray cluster on this machine, in a process of its own: Ray takes over the signals of what starts it."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

import psutil

_CHILD = """
import sys
from ray.cluster_utils import Cluster
count, folder = int(sys.argv[1]), sys.argv[2]
node = dict(num_cpus=1, object_store_memory=80_000_000, include_dashboard=False)
cluster = Cluster(initialize_head=True, head_node_args=node | dict(temp_dir=folder))
for _ in range(count - 1):
    cluster.add_node(**node)
print("ADDRESS", cluster.address, flush=True)
sys.stdin.read()
"""


class RayNodes:
    """So many nodes with a core each, as a context."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.address = ""

    def __enter__(self) -> Self:
        self._folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # a socket's path has to be short
        Path(self._folder, "ray").mkdir()  # where Ray notes the address, and expects the folder to be there
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(self.count), self._folder],
            env=os.environ | {"RAY_TMPDIR": self._folder},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith("ADDRESS"):
                self.address = line.split()[1]
                return self
        raise AssertionError("the cluster did not start")

    def __exit__(self, *_: object) -> None:
        self.end()

    def workers(self) -> list[psutil.Process]:
        """The processes of Labmate's workers."""
        return [one for one in self._processes() if "ray::NodeWorker" in " ".join(_command(one))]

    def kill_a_worker(self) -> None:
        """Kill one as the system does when it is out of memory."""
        victim = self.workers()[0]
        victim.kill()
        psutil.wait_procs([victim], 60)

    def end(self) -> None:
        """Kill every process of the cluster at once."""
        everything = self._processes()
        for one in everything:
            with contextlib.suppress(psutil.NoSuchProcess):
                one.kill()
        psutil.wait_procs(everything, 60)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _processes(self) -> list[psutil.Process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = psutil.Process(self._process.pid)
            return [parent, *parent.children(recursive=True)]
        return []


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
