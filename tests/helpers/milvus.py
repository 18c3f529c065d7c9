"""Milvus Lite for tests, in a process that ends with this one, or what LABMATE_TEST_MILVUS names."""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from tests.helpers.paths import ROOT

INSTALLED = find_spec("milvus_lite") is not None
"""Milvus's packages are not among those of `make test`: `make test-cluster` installs them."""
_numbers = itertools.count()


class Lite:
    """A server on loopback with its data in a folder.

    Attributes
    ----------
    url
        Its address, as VECTOR_URL has it; the same after :meth:`start`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, 0
        self.start()

    def start(self) -> None:
        """Start it, again on its port if it had one."""
        command = [sys.executable, "-m", "tests.helpers.milvus_server", str(self._folder), str(self._port)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self._port = int(self._process.stdout.readline())
        self.url = f"milvus://127.0.0.1:{self._port}"

    def send(self, signal: int) -> None:
        """Send a signal, such as one that stops it."""
        self._process.send_signal(signal)

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()


@cache
def _shared() -> str:
    if named := os.environ.get("LABMATE_TEST_MILVUS"):
        return named.rstrip("/")
    folder = Path(tempfile.mkdtemp(prefix="labmate-milvus-"))
    lite = Lite(folder)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    atexit.register(lite.kill)  # the last registered is called first
    return lite.url


def new_database_now() -> str:
    """The address of an empty database; drops the one before, since Milvus has 64 at most."""
    from pymilvus import MilvusClient  # lazy: not installed by `make test`

    uri, number = _shared().replace("milvus", "http", 1), next(_numbers)
    client = MilvusClient(uri, timeout=60)
    client.create_database(f"test_{os.getpid()}_{number}")
    if number:
        last = MilvusClient(uri, db_name=f"test_{os.getpid()}_{number - 1}", timeout=60)
        for name in last.list_collections():
            last.drop_collection(name)
        client.drop_database(f"test_{os.getpid()}_{number - 1}")
    return f"{_shared()}/test_{os.getpid()}_{number}"
